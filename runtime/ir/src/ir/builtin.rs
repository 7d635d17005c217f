//! A builtin: its name, its CUDA text, its effect, the variance it introduces, and its [`Facts`].

use std::fmt;

use super::{Facts, Position, Type};

/// A set of threads that execute together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SyncScope {
    /// 32 lanes.
    Warp,
    /// Four warps, whose first has a number that is a multiple of four.
    Warpgroup,
    /// A thread block.
    Block,
    /// A cluster of blocks.
    Cluster,
    /// The whole grid.
    Grid,
}

impl SyncScope {
    /// What the threads are called together.
    pub fn threads(self) -> &'static str {
        match self {
            Self::Warp => "warp",
            Self::Warpgroup => "warpgroup",
            Self::Block => "block",
            Self::Cluster => "cluster",
            Self::Grid => "grid",
        }
    }
}

/// The effect of a call besides its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// No effect: it may be evaluated at any time between its operands and its use.
    Pure,
    /// Writes memory, prints, or must not be moved or repeated.
    Writes,
    /// Meets the other threads of a scope; all of them must reach it.
    Sync(SyncScope),
}

/// How a result may differ between threads, given operands that do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variance {
    /// The same in the whole grid (`block_dim()`).
    Uniform,
    /// The same in a block (`block_idx()`).
    PerBlock,
    /// The same in a warpgroup (`warpgroup_id()`, `thread_idx().x / 128`).
    PerWarpgroup,
    /// The same in a warp (`warp_id()`, a ballot).
    PerWarp,
    /// May differ in every thread (`thread_idx()`).
    PerThread,
}

/// The CUDA of a call, given the types of its arguments and those arguments that are constants.
pub type CudaByConstant = fn(&[Type], &[Option<i128>]) -> CudaText;

/// The Rust name of a builtin, for its readers.
///
/// It can be shown and cannot be compared: what a builtin does is in its [`Facts`], and which one it is, is its address.
///
/// ```compile_fail
/// # use warpsmith_ir::ir::Name;
/// assert!(Name::new("sqrt") == "sqrt");
/// ```
#[derive(Clone, Copy)]
pub struct Name(&'static str);

impl Name {
    /// The name of a builtin, where it is defined.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The text, for messages and lists that hold one; `tests/facts.rs` names the files that may ask for it.
    pub const fn shown(self) -> &'static str {
        self.0
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A builtin function of the kernel language: two are the same if their addresses are.
pub struct Builtin {
    /// Its Rust name.
    pub name: Name,
    /// The CUDA expression of a call, given argument types and the result type.
    pub cuda: fn(&[Type], &Type) -> CudaText,
    /// The same where constant arguments decide, such as memory orderings; it is used instead of `cuda`.
    pub by_constant: Option<CudaByConstant>,
    /// The effect of a call besides its result.
    pub effect: Effect,
    /// How the result may differ between threads, besides what its operands bring.
    pub variance: Variance,
    /// Whether `variance` replaces that of the operands (a ballot, `uniform(x)`) instead of joining it.
    pub fixes_variance: bool,
    /// Whether arguments that are references are passed as pointers rather than read.
    pub by_reference: bool,
    /// The accesses, results, costs and orders of a call.
    pub facts: Facts,
    /// Whether it never returns.
    pub diverges: bool,
    /// Smallest compute capability, `(major, minor)`.
    pub min_compute: (u32, u32),
    /// Whether only the architecture of that very capability has it (`sm_90a`), and none after it.
    pub arch_specific: bool,
}

impl Builtin {
    /// A builtin without effects whose result varies as its operands do, and without further facts.
    pub const fn pure(name: Name, cuda: fn(&[Type], &Type) -> CudaText) -> Self {
        Self {
            name,
            cuda,
            by_constant: None,
            effect: Effect::Pure,
            variance: Variance::Uniform,
            fixes_variance: false,
            by_reference: false,
            facts: Facts::NONE,
            diverges: false,
            min_compute: (7, 0),
            arch_specific: false,
        }
    }

    /// The position of the thread that a call gives, if it gives one.
    pub fn position(&self) -> Option<Position> {
        self.facts.position
    }

    /// Returns whether a call does more than to compute: it meets other threads, or uses memory.
    pub fn acts(&self) -> bool {
        self.effect != Effect::Pure || self.by_reference
    }

    /// Returns whether this is the builtin itself, and not another one of its kind.
    pub fn is(&self, other: &Builtin) -> bool {
        std::ptr::eq(self, other)
    }
}

impl fmt::Debug for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.name, f)
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

impl fmt::Debug for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
