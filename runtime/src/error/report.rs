//! The errors of reports and figures of resources.

/// Why there is no report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The assembler's log has no lines of the kernel.
    #[error(
        "the log of NVRTC does not mention the registers of kernel `{kernel}`; use NVRTC 12.0 or later. The log:\n{log}"
    )]
    Log {
        /// The kernel.
        kernel: String,
        /// The log.
        log: String,
    },
    /// A compute capability that the table of multiprocessors does not have.
    #[error(
        "there are no multiprocessor figures for compute capability {}.{}; the table has 7.0 to 12.1. \
         On a device use `Multiprocessor::from(device.limits())`", .compute.0, .compute.1
    )]
    Compute {
        /// The capability.
        compute: (u32, u32),
    },
    /// The simulator has no rates.
    #[error(
        "the simulator has no ceilings to measure; use `Ceilings::known(…)`, `Ceilings::new(…)`, or a GPU"
    )]
    Simulator,
    /// A block without threads, or with more than any device allows.
    #[error("a block of {threads} threads cannot be launched; a block has from 1 to {limit} threads")]
    Block {
        /// Its threads.
        threads: u64,
        /// The most it may have.
        limit: u32,
    },
    /// A profile without samples of the kernel.
    #[error("the profile has no samples of kernel `{kernel}`: {why}")]
    Samples {
        /// The kernel.
        kernel: String,
        /// The part that is missing, and the way out.
        why: String,
    },
    /// A page that could not be written.
    #[error("the report cannot be written to `{}`: {why}; name a file in a directory that exists", .path.display())]
    Write {
        /// The file.
        path: std::path::PathBuf,
        /// The system's message.
        why: String,
    },
}
