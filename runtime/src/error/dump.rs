//! Why a compiled kernel was not written out.

use std::path::PathBuf;

/// Why something was not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// The file cannot be written.
    #[error("`WARPSMITH_DUMP`: {path} cannot be written: {reason}; set `WARPSMITH_DUMP_DIR` to another directory", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// There is no disassembler.
    #[error(
        "neither `nvdisasm` nor `cuobjdump` is on the PATH; install the CUDA toolkit, or dump the cubin and disassemble it \
         elsewhere"
    )]
    NoDisassembler,
    /// The disassembler failed.
    #[error("`{tool}` failed: {reason}")]
    Disassembler {
        /// The program.
        tool: &'static str,
        /// Its message.
        reason: String,
    },
}
