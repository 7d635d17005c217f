//! Errors of calls.

/// An error of a call: it was refused, or it failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The lengths of the arguments do not fit together.
    #[error("`{what}` has {got}, but needs {expected}; {way_out}")]
    Shape {
        /// The argument.
        what: &'static str,
        /// The length, extents or value that fits.
        expected: String,
        /// The actual one.
        got: String,
        /// A way out.
        way_out: &'static str,
    },

    /// An argument that is written overlaps another one in memory.
    #[error("`{written}` and `{other}` overlap in device memory; pass parts that have no element in common")]
    Overlap {
        /// The argument that is written.
        written: &'static str,
        /// The other one.
        other: &'static str,
    },

    /// The device cannot run the kernel.
    #[error("{kernel} {}, and the device has {}.{}", demand(*needs, *has), has.0, has.1)]
    Device {
        /// The function.
        kernel: &'static str,
        /// The least compute capability, or the only one if the device's is greater.
        needs: (u32, u32),
        /// The device's.
        has: (u32, u32),
    },

    /// Memory, compilation, or the launch itself failed.
    #[error(transparent)]
    Launch(#[from] warpsmith::Error),
}

/// What a kernel demands of devices, of which one does not meet it.
fn demand(needs: (u32, u32), has: (u32, u32)) -> String {
    let (major, minor) = needs;
    if has > needs {
        format!("runs on compute capability {major}.{minor} alone, whose tensor cores it uses")
    } else {
        format!("needs compute capability {major}.{minor}")
    }
}
