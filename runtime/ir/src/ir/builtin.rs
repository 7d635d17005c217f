//! What the IR knows of a builtin: its CUDA text, its effect, the variance it introduces.

use super::Type;

/// A set of threads that execute together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// 32 lanes.
    Warp,
    /// A thread block.
    Block,
    /// A cluster of blocks.
    Cluster,
    /// The whole grid.
    Grid,
}

/// What a call does besides giving a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing: it may be evaluated at any time between its operands and its use.
    Pure,
    /// Writes memory, prints, or must not be moved or repeated.
    Writes,
    /// Meets the other threads of a scope; all of them must reach it.
    Sync(Scope),
}

/// How a result may differ between threads, given operands that do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variance {
    /// The same in the whole grid (`block_dim()`).
    Uniform,
    /// The same in a block (`block_idx()`).
    PerBlock,
    /// The same in a warp (`warp_id()`, a ballot).
    PerWarp,
    /// May differ in every thread (`thread_idx()`).
    PerThread,
}

/// What a call does to the memory that an argument refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Nothing: it passes the address on, or hints at it.
    None,
    /// Reads it.
    Read,
    /// Writes it, whatever was there.
    Write,
    /// Both: what was there is part of what is written, or of the result.
    Update,
}

/// What a builtin does to memory, said once where it is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Facts {
    /// What it does through each of its first arguments, which are then addresses; nothing through the others.
    pub accesses: &'static [Access],
    /// Whether it reads what other threads may write meanwhile: a loop may wait for them by it.
    pub waits: bool,
}

impl Facts {
    /// Of what touches no memory.
    pub const NONE: Self = Self { accesses: &[], waits: false };
    /// Of a plain read through the first argument.
    pub const READS: Self = Self { accesses: &[Access::Read], waits: false };
    /// Of a write through the first argument.
    pub const WRITES: Self = Self { accesses: &[Access::Write], waits: false };
    /// Of a read through the first argument that sees what other threads write.
    pub const OBSERVES: Self = Self { accesses: &[Access::Read], waits: true };
    /// Of an atomic read-modify-write through the first argument.
    pub const UPDATES: Self = Self { accesses: &[Access::Update], waits: true };

    /// What a call does through the argument at a position.
    pub fn access(&self, position: usize) -> Access {
        self.accesses.get(position).copied().unwrap_or(Access::None)
    }
}

/// The CUDA of a call, given the types of its arguments and those arguments that are constants.
pub type CudaByConstant = fn(&[Type], &[Option<i128>]) -> CudaText;

/// A builtin function of the device language.
pub struct Builtin {
    /// Its Rust name.
    pub name: &'static str,
    /// The CUDA expression of a call, given argument types and the result type.
    pub cuda: fn(&[Type], &Type) -> CudaText,
    /// The same where constant arguments decide, such as memory orderings; it is used instead of `cuda`.
    pub by_constant: Option<CudaByConstant>,
    /// What a call does besides its result.
    pub effect: Effect,
    /// How the result may differ between threads, besides what its operands bring.
    pub variance: Variance,
    /// Whether `variance` replaces that of the operands (a ballot, `uniform(x)`) instead of joining it.
    pub fixes_variance: bool,
    /// Whether arguments that are references are passed as pointers rather than read.
    pub by_reference: bool,
    /// What a call does to memory.
    pub facts: Facts,
    /// Whether it never returns.
    pub diverges: bool,
    /// Smallest compute capability, `(major, minor)`.
    pub min_compute: (u32, u32),
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// CUDA for one call.
#[derive(Clone, Debug)]
pub struct CudaText {
    /// A primary or postfix expression with `{0}`, `{1}`, … for the arguments and `{ret}` for the
    /// type of the result.
    pub template: String,
    /// Definitions it needs before the first function.
    pub prelude: Vec<&'static Prelude>,
    /// Definitions that depend on the types or constants of the call.
    pub definitions: Vec<String>,
}

impl CudaText {
    /// A text that needs one piece of the prelude.
    pub fn with(template: impl Into<String>, prelude: &'static Prelude) -> Self {
        Self { prelude: vec![prelude], ..Self::new(template) }
    }

    /// A text that needs no prelude.
    pub fn new(template: impl Into<String>) -> Self {
        Self { template: template.into(), prelude: Vec::new(), definitions: Vec::new() }
    }
}

/// A builtin's meaning: its Rust code, for values whose types are not known when Rust is compiled.
///
/// # Safety
/// Called with the addresses of arguments of the types that it was made for, and of memory for its
/// result; the values have the IR's layout.
#[derive(Clone, Copy)]
pub struct Meaning(pub unsafe fn(args: *const *const u8, ret: *mut u8));

impl std::fmt::Debug for Meaning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rust")
    }
}

/// A piece of CUDA printed once when something needs it.
#[derive(Debug)]
pub struct Prelude {
    /// Unique name; pieces print in the order of first need.
    pub name: &'static str,
    /// The text, ending in a newline.
    pub code: &'static str,
    /// Pieces that must stand before.
    pub needs: &'static [&'static Prelude],
}
