//! Why the host does not run printed CUDA.

/// Why printed CUDA is not run on the host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// There is no C++ compiler.
    #[error(
        "no C++ compiler was found: {0}; install one (`apt install g++`), or name one by `WARPSMITH_CXX`"
    )]
    NoCompiler(String),
    /// A PTX instruction that the shim does not have.
    #[error("the host does not run the PTX `{0}`; use another executor")]
    Instruction(String),
    /// The compiler refused the text, or what it made does not load.
    #[error("the printed CUDA does not compile as C++: {0}")]
    NotCompiled(String),
    /// The kernel cannot be recorded or validated.
    #[error("{0}")]
    NotPrinted(String),
}
