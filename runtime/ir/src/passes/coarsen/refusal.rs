//! Why a kernel cannot be coarsened.

use std::fmt;

use crate::ir::{
    Block, Builtin, Effect, ExprKind, Form, Function, Location, Module, Position, StmtKind, Type, visit,
};

/// The reasons against coarsening a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CoarsenRefusal {
    /// A call that other threads notice.
    Effect {
        /// The builtin.
        builtin: &'static str,
    },
    /// Shared memory.
    Shared,
    /// A launch in the kernel.
    Launch,
    /// Text that the kernel prints.
    Print,
    /// A use of the shape or of a place in it beyond the thread's own number.
    Position {
        /// The builtin.
        builtin: &'static str,
    },
    /// CUDA by hand.
    Foreign {
        /// The device function.
        function: String,
    },
    /// A slice that is written, and not used at the thread's own element alone.
    Elsewhere {
        /// The parameter.
        slice: String,
    },
    /// A parameter by which memory can be written that is no slice.
    Writable {
        /// The parameter.
        param: String,
    },
    /// A device static that is written.
    Global {
        /// The static.
        global: &'static str,
    },
    /// Blocks of a cluster.
    Cluster,
    /// No slice is touched by every thread at its own element.
    NothingWide,
}

impl fmt::Display for CoarsenRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Effect { builtin } => {
                write!(f, "`{builtin}` is noticed by other threads, and a coarsened kernel is elementwise")
            }
            Self::Shared => f.write_str("shared memory belongs to the whole block, and a coarsened kernel is elementwise"),
            Self::Launch => f.write_str("it launches a kernel, and a coarsened kernel is elementwise"),
            Self::Print => f.write_str("it prints, and the lines of its threads would come in another order"),
            Self::Position { builtin } => write!(
                f,
                "`{builtin}` is used other than for the thread's number; take `global_id()`, or \
                 `block_idx().x * block_dim().x + thread_idx().x`"
            ),
            Self::Foreign { function } => write!(f, "`{function}` is CUDA by hand, which may do anything"),
            Self::Elsewhere { slice } => write!(
                f,
                "`{slice}` can be written, and is used other than by `{slice}[i]` at the thread's own number `i` and by its length"
            ),
            Self::Writable { param } => {
                write!(f, "`{param}` can write memory that is no slice; take a `&mut [T]` or a `ViewMut<T>`")
            }
            Self::Global { global } => write!(f, "the static `{global}` is written, which other threads notice"),
            Self::Cluster => f.write_str("its blocks form clusters, whose number coarsening would change"),
            Self::NothingWide => f.write_str(
                "no slice is read or written at the thread's own number in every thread that passes the guards, with \
                 elements of 1, 2, 4 or 8 bytes",
            ),
        }
    }
}

/// A kernel that cannot be coarsened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCoarsened {
    /// The kernel.
    pub kernel: String,
    /// Why.
    pub why: CoarsenRefusal,
    /// The location in the Rust source.
    pub at: Location,
}

impl fmt::Display for NotCoarsened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, why, at } = self;
        write!(
            f,
            "{}:{}: kernel `{kernel}` cannot be coarsened: {why}; or leave out `coarsen`",
            at.file, at.line
        )
    }
}

impl std::error::Error for NotCoarsened {}

/// The reasons against coarsening a kernel that do not depend on its slices.
pub(super) fn check(module: &Module) -> Result<(), NotCoarsened> {
    let kernel = &module.kernel;
    if module.attributes.cluster.is_some() {
        return Err(NotCoarsened {
            kernel: kernel.name.clone(),
            why: CoarsenRefusal::Cluster,
            at: kernel.at,
        });
    }
    for param in &kernel.params {
        let var = kernel.var(*param);
        if is_writable(&var.ty) && !is_slice(&var.ty) {
            let param = var.name.clone();
            return Err(NotCoarsened {
                kernel: kernel.name.clone(),
                why: CoarsenRefusal::Writable { param },
                at: kernel.at,
            });
        }
    }
    for function in module.functions.iter() {
        if function.foreign.is_some() {
            let why = CoarsenRefusal::Foreign { function: function.name.clone() };
            return Err(NotCoarsened { kernel: kernel.name.clone(), why, at: function.at });
        }
        if let Some((builtin, at)) = own_position(&function.body) {
            return Err(NotCoarsened {
                kernel: kernel.name.clone(),
                why: CoarsenRefusal::Position { builtin },
                at,
            });
        }
    }
    module.all_functions().try_for_each(|function| check_effects(kernel, &function.body))
}

/// Only the thread's number may depend on the shape, and a coarsened kernel has replaced it.
pub(super) fn check_positions(coarsened: &Module) -> Result<(), NotCoarsened> {
    let kernel = &coarsened.kernel;
    match own_position(&kernel.body) {
        Some((builtin, at)) => {
            Err(NotCoarsened { kernel: kernel.name.clone(), why: CoarsenRefusal::Position { builtin }, at })
        }
        None => Ok(()),
    }
}

/// The first use of a place in the shape that coarsening changes.
fn own_position(body: &Block) -> Option<(&'static str, Location)> {
    let mut found = None;
    visit::exprs(body, &mut |e| {
        if let ExprKind::Builtin { op, at, .. } = &e.kind
            && !super::wide::is_own(op)
            && op.position().is_some_and(is_changed)
        {
            found = found.or(Some((op.name.shown(), *at)));
        }
    });
    found
}

/// Returns whether coarsening changes a position.
fn is_changed(position: Position) -> bool {
    !matches!(position, Position::BlockExtent | Position::BlockSize | Position::WarpSize)
}

fn check_effects(kernel: &Function, body: &Block) -> Result<(), NotCoarsened> {
    let mut found = None;
    visit::stmts(body, &mut |stmt| {
        let why = match &stmt.kind {
            StmtKind::Shared(_) | StmtKind::DynamicShared(_) => Some(CoarsenRefusal::Shared),
            StmtKind::Launch(_) => Some(CoarsenRefusal::Launch),
            StmtKind::Print { .. } => Some(CoarsenRefusal::Print),
            StmtKind::Assign { place, .. } => {
                written_global(place).map(|global| CoarsenRefusal::Global { global })
            }
            _ => None,
        };
        if let (Some(why), None) = (why, &found) {
            found = Some(NotCoarsened { kernel: kernel.name.clone(), why, at: stmt.at });
        }
    });
    visit::exprs(body, &mut |e| {
        let why = match &e.kind {
            ExprKind::Builtin { op, at, .. } if is_noticed(op) => {
                Some((CoarsenRefusal::Effect { builtin: op.name.shown() }, *at))
            }
            _ => None,
        };
        if let (Some((why, at)), None) = (why, &found) {
            found = Some(NotCoarsened { kernel: kernel.name.clone(), why, at });
        }
    });
    visit::stmts(body, &mut |stmt| {
        for e in visit::operands(stmt) {
            visit::expr(e, &mut |e| {
                let lent =
                    if matches!(e.ty, Type::Ref { mutable: true, .. }) { written_global(e) } else { None };
                if let (Some(global), None) = (lent, &found) {
                    let why = CoarsenRefusal::Global { global };
                    found = Some(NotCoarsened { kernel: kernel.name.clone(), why, at: stmt.at });
                }
            });
        }
    });
    found.map_or(Ok(()), Err)
}

/// Returns whether other threads notice a call, or the call what other threads do.
fn is_noticed(op: &Builtin) -> bool {
    op.facts.waits
        || op.facts.form == Form::OtherBlock
        || op.effect != Effect::Pure && op.facts.form != Form::Assumption
}

/// The device static that a place is in.
fn written_global(place: &crate::ir::Expr) -> Option<&'static str> {
    match &place.kind {
        ExprKind::Global(global) => Some(global.name),
        ExprKind::Field(base, _)
        | ExprKind::Index { base, .. }
        | ExprKind::SubSlice { base, .. }
        | ExprKind::Ref(base)
        | ExprKind::Deref(base) => written_global(base),
        _ => None,
    }
}

/// Returns whether all memory that a parameter gives to be written is of slices.
fn is_slice(ty: &Type) -> bool {
    match ty {
        Type::Ref { to, .. } => matches!(&**to, Type::Slice(elem) if !is_writable(elem)),
        Type::View { elem, rank: 1, .. } => !is_writable(elem),
        Type::Struct(def) => def.fields.iter().all(|field| {
            !is_writable(&field.ty)
                || matches!(&field.ty, Type::View { elem, rank: 1, .. } if !is_writable(elem))
        }),
        _ => false,
    }
}

/// Returns whether a value of a type gives writable memory.
fn is_writable(ty: &Type) -> bool {
    match ty {
        Type::View { elem, mutable, .. } => *mutable || is_writable(elem),
        Type::Ptr { to, mutable } | Type::Ref { to, mutable } => *mutable || is_writable(to),
        Type::Array(elem, _) | Type::Slice(elem) | Type::Shared { elem, .. } => is_writable(elem),
        Type::Tuple(items) => items.iter().any(is_writable),
        Type::Struct(def) => def.fields.iter().any(|field| is_writable(&field.ty)),
        Type::Enum(def) => def.variants.iter().flat_map(|v| &v.fields).any(|(_, ty)| is_writable(ty)),
        Type::Image(_)
        | Type::TensorMap(_)
        | Type::Unit
        | Type::Never
        | Type::Scalar(_)
        | Type::Vector(..)
        | Type::Closure => false,
    }
}
