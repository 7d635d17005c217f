//! The intermediate representation: one recorded kernel and every device function it reaches.
//!
//! The emitters record a [`Module`], and `validate` takes it. This module depends on `std` alone: it knows no user tokens,
//! no CUDA text and no simulator.
//!
//! # Semantics
//!
//! **Values and places.** An [`Expr`] is a tree. [`ExprKind::Var`], [`ExprKind::Field`],
//! [`ExprKind::Index`], [`ExprKind::Deref`] and [`ExprKind::Global`] denote *places*. Used as an operand, a place is
//! read; under [`ExprKind::Ref`] and on the left of an assignment its address is taken. Every expression carries the
//! type that rustc inferred for it. Device types are `Copy`, so reading a place never moves out of it.
//!
//! A place has a *moment*: its address is computed where the statement that contains it stands, and its value is read
//! there too. Rust's moment is often earlier, since a later operand, a loop's body or a closure may change what the
//! place means. The recorder then evaluates it in a statement before: it *pins* an address by binding the indices,
//! pointers and slices in it, and *holds* a value by binding all of it. What is evaluated when:
//!
//! - Operands, arguments, fields of a literal: from left to right. An operand that a later one may change is held at its
//!   own position; the base of an index and a receiver taken by reference are pinned there.
//! - `place = value`: the value, then the place. `place op= value`: the same for the language's own numbers; where a
//!   trait implements the operator (vectors, halves, user types, generic parameters), the place and then the value.
//! - `(a, b) = value`: all parts of the value; then each place just before it is written.
//! - `S { field: value, ..base }`: the values, then the fields that are left of the base.
//! - The head of a [`StmtKind::For`], its step too, and the source of an iterator: once, before the first iteration. An
//!   iterator over a slice keeps the slice that it began with.
//! - Names of a pattern: copies of the parts when the pattern has matched; below a reference, references to the parts.
//! - A `move` closure: copies of what it names, where it is written. Given on by value, it is copied with them.
//!
//! **Evaluation order.** C++ leaves the order of operands open, so the recorder guarantees that *in any one expression
//! tree no operand can observe the effect of another*: an operand with an effect (a call of a function or builtin that
//! writes memory, synchronises or prints), or one that reads what another operand's effect may change, stands in a
//! temporary of its own, bound by a [`StmtKind::Let`] before. The place of an assignment and the parts of an
//! [`ExprKind::Index`] have no effect. A printer may therefore print a tree as one C++ expression, and a place more than
//! once. `&&`, `||` and [`ExprKind::Select`] evaluate lazily, as in C++. `validate` refuses a module that breaks this.
//!
//! **Arithmetic.** `+`, `-`, `*` and negation on integers wrap at the width of their type. `<<`
//! and `>>` take the count modulo the width; `>>` on a signed integer is arithmetic. `/` and `%`
//! truncate towards zero; by zero they are undefined. A cast from float to integer truncates,
//! saturates, and turns NaN into zero; between integers it truncates or extends by the source's
//! signedness; to a float it rounds to nearest even. Comparisons of floats are IEEE's.
//!
//! **Scopes.** A [`Block`] is a scope. A variable is visible from its `Let` to the end of its
//! block; [`VarId`]s are unique in a function, names are not (shadowing), and the printer renames.
//! A [`StmtKind::Shared`] array exists once a block whatever control flow surrounds it.
//!
//! **Control flow** is structured: `Break` and `Continue` name their loop by [`LoopId`]. The start, end and step of a
//! [`StmtKind::For`] are evaluated once, before the first iteration, so a printer binds what it reads again; the
//! variable is fresh in each iteration. Statements after a `Break`, `Continue` or `Return` in a block do not exist.
//!
//! **Uniformity.** A value is *uniform* over a scope (warp, block, grid) when every thread of that
//! scope that computes it at the same point computes the same value. Builtins declare the
//! [`Variance`] they introduce; `validate::uniformity` propagates it. A builtin whose
//! [`Effect`] is [`Effect::Sync`] must be reached by every thread of its scope or by none.
//!
//! **Constants.** A value that rustc or the host knows (const generics, associated consts, comptime arguments) is a
//! [`Const`] by the time it is recorded. It keeps its spelling for the reader: its name, its radix, or the constants that
//! it was computed from.

mod asked;
mod builtin;
mod coarsened;
mod condition;
mod condition_set;
mod constant;
mod difference;
mod display;
mod expr;
mod extremes;
mod facts;
mod image;
mod instances;
mod launch;
mod layout;
mod quantity;
mod quantity_text;
mod stmt;
mod tensor_map;
mod ty;
pub mod visit;

pub use builtin::{Builtin, CudaText, Effect, Meaning, Name, Prelude, SyncScope, Variance};
pub use coarsened::{CoarsenFactor, CoarsenNeeds, Coarsened, WideArgument};
pub use condition::{Condition, LaunchValues};
pub use condition_set::{ConditionSet, FulfilledConditions};
pub use constant::{Const, ConstValue, Extent, Spelling};
pub use expr::{BinaryOp, Closure, Expr, ExprKind, FnId, Lazy, Proof, UnaryOp, VarId};
pub use facts::{
    ArgumentAccess, Cost, Facts, Form, Lanes, Ordered, Orders, Position, ResultRange, TensorFormat,
};
pub use image::{ImageShape, ImageType};
pub use instances::{ArrayId, ClosureType, DeclaredShared, InstanceId, Instances, TooManyInstances};
pub use launch::{KernelId, LaunchOrder, LaunchedKernel, NestedGrid, NestedLaunch};
pub use layout::ValueLayout;
pub(crate) use quantity::ones;
pub use quantity::{Parameter, Quantity};
pub use stmt::{AssertFailure, Block, FormatPiece, FormatSpec, LoopId, RangeLoop, Stmt, StmtKind};
pub use tensor_map::TensorMapType;
pub use ty::{EnumType, FieldType, Scalar, StructType, Type, VariantType};

use std::sync::Arc;

/// A place in the user's Rust source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The path as `file!()` gives it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
}

/// Returns whether a file is in one of the folders, with both as `file!()` gives them.
pub fn is_in(folders: &[&str], file: &str) -> bool {
    folders.iter().any(|folder| file.starts_with(folder))
}

/// A kernel with every device function it calls, callees before callers, and every kernel it launches.
#[derive(Clone, Debug)]
pub struct Module {
    /// Device functions, indexed by [`FnId`]; a function calls only functions before it.
    pub functions: Vec<Function>,
    /// The kernel itself.
    pub kernel: Function,
    /// The settings of the kernel's attribute.
    pub attributes: KernelAttributes,
    /// The conditions of a launch under which indices with a [`Proof::Launch`] are in bounds; at most 64.
    pub conditions: Vec<Condition>,
    /// The conditions of a launch under which index arithmetic fits `int`; at most 64.
    pub fits: Vec<Condition>,
    /// Slice parameters that nothing writes while the kernel runs, a bit for each position.
    pub read_only: u64,
    /// Slice parameters whose lengths fit `int`, a bit for each position.
    pub short: u64,
    /// The kernels that it launches, and those that they launch.
    pub launched: Vec<LaunchedKernel>,
    /// The coarsened kernel, if each of its threads does the work of several.
    pub coarsened: Option<Coarsened>,
}

impl Module {
    /// Every kernel with its attributes, by [`KernelId`]; the first is the module's own.
    pub fn kernels(&self) -> impl Iterator<Item = (&Function, &KernelAttributes)> {
        let launched = self.launched.iter().map(|kernel| (&kernel.function, &kernel.attributes));
        std::iter::once((&self.kernel, &self.attributes)).chain(launched)
    }

    /// Every function: those of the device, and the kernels.
    pub fn all_functions(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().chain(self.kernels().map(|(function, _)| function))
    }

    /// The same functions in the same order, to be changed.
    pub fn all_functions_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        let launched = self.launched.iter_mut().map(|kernel| &mut kernel.function);
        self.functions.iter_mut().chain([&mut self.kernel]).chain(launched)
    }

    /// The device statics and constants that the module names, once each.
    pub fn globals(&self) -> Vec<&'static Global> {
        let mut all: Vec<&'static Global> = Vec::new();
        for function in self.all_functions() {
            visit::exprs(&function.body, &mut |e| {
                if let ExprKind::Global(global) = &e.kind
                    && !all.iter().any(|known| std::ptr::eq(*known, *global))
                {
                    all.push(global);
                }
            });
        }
        all
    }

    /// Returns whether a kernel of the module launches the module's own.
    pub fn is_relaunched(&self) -> bool {
        let mut found = false;
        for (kernel, _) in self.kernels() {
            visit::stmts(&kernel.body, &mut |stmt| {
                found |= matches!(&stmt.kind, StmtKind::Launch(launch) if launch.kernel == KernelId(0));
            });
        }
        found
    }
}

impl Module {
    /// Bytes of the kernel's parameters in CUDA; a slice is an address and a length, an image an object and extents, a map
    /// of a tensor what the driver made.
    pub fn parameter_bytes(&self) -> usize {
        let types = self.kernel.params.iter().map(|id| &self.kernel.var(*id).ty);
        types.fold(0, |end, ty| match ty {
            Type::Ref { to, .. } if matches!(**to, Type::TensorMap(_)) => {
                end.next_multiple_of(TensorMapType::ALIGN) + TensorMapType::SIZE
            }
            Type::Ref { to, .. } => {
                end.next_multiple_of(8)
                    + match &**to {
                        Type::Slice(_) => 16,
                        Type::Image(image) => image.size(),
                        _ => 8,
                    }
            }
            ty => end.next_multiple_of(ty.align().max(1)) + ty.size(),
        })
    }
}

/// Arguments of `#[gpu_kernel(...)]` that reach the compiler.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelAttributes {
    /// Whether `a * b + c` may be contracted to a fused multiply-add.
    pub fmad: bool,
    /// Largest number of threads in a block, for `__launch_bounds__`.
    pub max_threads: Option<u32>,
    /// Least number of resident blocks a multiprocessor, for `__launch_bounds__`.
    pub min_blocks: Option<u32>,
    /// Most registers of a thread, for `__maxnreg__`.
    pub max_registers: Option<u32>,
    /// Blocks of a cluster, for `__cluster_dims__`.
    pub cluster: Option<[u32; 3]>,
    /// Slices do not overlap: their pointers are `__restrict__`, and a launch makes sure of it.
    pub noalias: bool,
    /// The author overrules the refusal of barriers in divergent control flow.
    pub allow_divergent_barriers: bool,
    /// Each thread does several elements.
    pub coarsen: Option<CoarsenFactor>,
    /// The requirements on the compiled code.
    pub requires: Requirements,
    /// The roles of its warpgroups: the registers of each.
    pub roles: Option<Roles>,
}

/// The registers of each warpgroup of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Roles {
    /// Registers of a thread in each warpgroup; 0 past the last.
    pub registers: [u32; 8],
    /// Warpgroups of a block.
    pub warpgroups: u32,
}

impl Roles {
    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        128 * self.warpgroups
    }

    /// Registers that each thread has when the block starts.
    pub fn at_start(&self) -> u32 {
        (65_536 / self.threads() / 8 * 8).min(256)
    }

    /// The registers of the warpgroups, in order.
    pub fn of_warpgroups(&self) -> &[u32] {
        &self.registers[..self.warpgroups as usize]
    }
}

/// The demands of a kernel's author on its machine code; a kernel that does not fulfil them does not compile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Requirements {
    /// No register is spilled to local memory.
    pub no_spills: bool,
    /// No local memory at all: no spills, and no array that is indexed at run time.
    pub no_local_memory: bool,
    /// Tensor cores of warpgroups run beside the other instructions, and their registers are as many as `setmaxnreg` says.
    pub async_wgmma: bool,
}

impl Requirements {
    /// No demand.
    pub const NONE: Self = Self { no_spills: false, no_local_memory: false, async_wgmma: false };

    /// Returns whether there is any.
    pub fn any(self) -> bool {
        self != Self::NONE
    }
}

impl KernelAttributes {
    /// The attributes of a kernel without options.
    pub const NONE: Self = Self {
        fmad: true,
        max_threads: None,
        min_blocks: None,
        max_registers: None,
        cluster: None,
        noalias: false,
        allow_divergent_barriers: false,
        coarsen: None,
        requires: Requirements::NONE,
        roles: None,
    };
}

impl Default for KernelAttributes {
    fn default() -> Self {
        Self::NONE
    }
}

/// A kernel or a device function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The Rust name; the printer makes it unique.
    pub name: String,
    /// Parameters in order, each described in `vars`.
    pub params: Vec<VarId>,
    /// Result type; [`Type::Unit`] for a kernel.
    pub ret: Type,
    /// Every variable of the function, indexed by [`VarId`].
    pub vars: Vec<Variable>,
    /// The statements.
    pub body: Block,
    /// The body in CUDA C++, of a function that is not Rust on the device; `body` is empty then.
    pub foreign: Option<&'static str>,
    /// `#[inline(always)]` (`Some(true)`), `#[inline(never)]`.
    pub inline: Option<bool>,
    /// The Rust body beside `foreign`, if there is one.
    pub meaning: Option<Meaning>,
    /// Whether a call can be observed other than by its result.
    pub effect: Effect,
    /// The location of its definition.
    pub at: Location,
}

impl Function {
    /// The variable behind an id.
    pub fn var(&self, id: VarId) -> &Variable {
        &self.vars[id.0 as usize]
    }
}

/// A parameter or local variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The Rust name; empty for a temporary of the recorder.
    pub name: String,
    /// Its type; for a shared array [`Type::Shared`] with its extents in `kind`.
    pub ty: Type,
    /// Whether it is assigned after its initialisation.
    pub mutable: bool,
    /// The memory that holds it.
    pub kind: VarKind,
}

/// The memory that holds a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum VarKind {
    /// A parameter of the function.
    Param,
    /// A local of one thread.
    Local,
    /// A static shared array, row-major, outermost extent first.
    Shared {
        /// Extents, outermost first; their number is the rank.
        extents: Vec<Extent>,
        /// Alignment in bytes, where it is more than the element's own.
        align: Option<u32>,
    },
    /// The block's dynamic shared memory, its length set by the launch.
    DynamicShared,
    /// A field of a local struct or tuple, only while a pass looks at the function.
    Field {
        /// The variable of the struct.
        of: VarId,
        /// The names of the fields that lead to it, the outermost first.
        path: Vec<String>,
    },
}

/// A static of the device: every kernel that names it sees the same memory.
#[derive(Debug)]
pub struct Global {
    /// Its Rust name.
    pub name: &'static str,
    /// The crate and module that declare it, which tell two statics of one name apart.
    pub path: &'static str,
    /// Its type.
    pub ty: fn() -> Type,
    /// The extents of an array, outermost first, as they are spelled.
    pub extents: fn() -> Vec<Extent>,
    /// The bytes that it begins with.
    pub initial: fn() -> Vec<u8>,
    /// Its address on the simulated device that the OS thread runs.
    pub address: fn() -> *mut u8,
    /// The memory that it is in.
    pub space: GlobalSpace,
}

impl Global {
    /// Returns whether kernels can only read it.
    pub fn is_constant(&self) -> bool {
        self.space == GlobalSpace::Constant
    }
}

/// The memory of a static.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalSpace {
    /// Constant memory; each module has its own.
    Constant,
    /// The device's memory.
    Device,
    /// Managed memory, which the host reaches at the same address.
    Managed,
}

/// A struct type shared between the values that have it.
pub type StructRef = Arc<StructType>;
