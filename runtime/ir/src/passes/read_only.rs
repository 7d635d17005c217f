//! Slices that nothing writes while a kernel runs, if they overlap none that it writes.
//!
//! Rust lends `&[T]` for as long as the kernel runs. Neither the host nor another launch writes it meanwhile, because
//! launches that conflict are ordered. The kernel itself remains. It writes through its mutable slices, which a launch
//! compares with the others, and through nothing else: in kernels with pointers, views, statics, functions in CUDA C++,
//! launches of kernels, or reads that see the writes of other threads, no slice counts as read-only. A kernel gains nothing
//! by slices of bytes that it reads before it writes, nor by numbers that it reads once for each turn of an inner loop; they do
//! not count either.

use std::collections::HashSet;

use crate::ir::{
    ArgumentAccess, Block, ExprKind, Function, Module, Scalar, Stmt, StmtKind, Type, VarId, visit,
};
use crate::ranges::writes;

/// The slice parameters that may be read-only, a bit for each position.
pub(super) fn candidates(module: &Module) -> u64 {
    let is_plain = module.launched.is_empty()
        && module.functions.iter().all(|function| function.foreign.is_none())
        && module.globals().iter().all(|global| global.is_constant())
        && module.all_functions().all(|function| is_plain_code(&function.body))
        && has_plain_parameters(&module.kernel);
    if !is_plain {
        return 0;
    }
    let lent = |ty: &Type| matches!(ty, Type::Ref { mutable: false, .. });
    let kernel = &module.kernel;
    let positions = kernel.params.iter().take(64).enumerate();
    let gains = |id: VarId| {
        let ty = &kernel.var(id).ty;
        lent(ty)
            && (!is_of_bytes(ty) || is_read_late(kernel, id))
            && !(is_of_integers(ty) && is_read_around_loops(kernel, id))
    };
    positions.filter(|(_, id)| gains(**id)).fold(0, |bits, (at, _)| bits | 1 << at)
}

/// Returns whether each load of a slice has eight bits. Such a load takes one instruction more if the slice is read-only.
fn is_of_bytes(ty: &Type) -> bool {
    matches!(ty, Type::Ref { to, .. } if to.element().is_some_and(|elem| elem.size() == 1))
}

fn is_of_integers(ty: &Type) -> bool {
    matches!(ty, Type::Ref { to, .. } if to.element().is_some_and(|elem| elem.scalar().is_some_and(Scalar::is_int)))
}

/// Returns whether a slice is read in loops, and only around other loops: mostly it holds their ends.
///
/// Were it read-only, compilers would compute the turns of the inner loop once, before the outer one, and hold all of it in registers,
/// which costs more than the loads.
fn is_read_around_loops(kernel: &Function, slice: VarId) -> bool {
    let mut places = ReadPlaces { names: HashSet::from([slice]), around: false, innermost: false };
    places.block(&kernel.body, None);
    places.around && !places.innermost
}

/// The loops in which a slice is read, by any of its names.
struct ReadPlaces {
    names: HashSet<VarId>,
    /// In a loop that has another.
    around: bool,
    /// In a loop that has none.
    innermost: bool,
}

impl ReadPlaces {
    /// Looks at the statements of a loop, if it is one, that has another loop or not.
    fn block(&mut self, block: &Block, around: Option<bool>) {
        for stmt in &block.stmts {
            let body = match &stmt.kind {
                StmtKind::While { body, .. } | StmtKind::For { body, .. } => Some(has_loop(body)),
                _ => None,
            };
            // A condition is computed in each turn of its own loop.
            let here = if matches!(stmt.kind, StmtKind::While { .. }) { body } else { around };
            if reads(stmt, &mut self.names) {
                self.around |= here == Some(true);
                self.innermost |= here == Some(false);
            }
            visit::blocks(stmt).into_iter().for_each(|inner| self.block(inner, body.or(around)));
        }
    }
}

/// Returns whether a block has a loop that turns as often as the kernel says when it runs; others may be unrolled wholly.
fn has_loop(block: &Block) -> bool {
    let mut has_loop = false;
    visit::stmts(block, &mut |stmt| {
        has_loop |= match &stmt.kind {
            StmtKind::While { .. } => true,
            StmtKind::For { range, .. } => [&range.start, &range.end].iter().any(|e| e.as_int().is_none()),
            _ => false,
        };
    });
    has_loop
}

/// Returns whether a statement itself reads a slice that has one of some names; what it calls the slice is one of them.
fn reads(stmt: &Stmt, names: &mut HashSet<VarId>) -> bool {
    let mut reads = false;
    for e in visit::operands(stmt) {
        visit::expr(e, &mut |e| reads |= matches!(e.kind, ExprKind::Var(var) if names.contains(&var)));
    }
    if let StmtKind::Let { var, init: Some(init) } = &stmt.kind
        && reads
        && !matches!(init.ty, Type::Scalar(_) | Type::Vector(..))
    {
        names.insert(*var);
    }
    reads
}

/// Returns whether a slice may be read after a write; as a read-only load, it could be moved before that.
fn is_read_late(kernel: &Function, slice: VarId) -> bool {
    Reads { names: HashSet::from([slice]), has_written: false }.are_late(&kernel.body)
}

/// The reads of a slice, by any of its names.
struct Reads {
    names: HashSet<VarId>,
    has_written: bool,
}

impl Reads {
    fn are_late(&mut self, block: &Block) -> bool {
        block.stmts.iter().any(|stmt| self.is_late(stmt))
    }

    fn is_late(&mut self, stmt: &Stmt) -> bool {
        let reads = reads(stmt, &mut self.names);
        let (writes, has_closure) = writes(stmt);
        let loops = matches!(stmt.kind, StmtKind::While { .. } | StmtKind::For { .. });
        let is_late = reads && (self.has_written || has_closure || writes && calls(stmt));
        self.has_written |= writes;
        // The writes of one iteration come before the reads of the next.
        let turns = if loops { 2 } else { 1 };
        is_late
            || (0..turns).any(|_| visit::blocks(stmt).into_iter().any(|inner| self.are_late(inner)))
            || loops && reads && self.has_written
    }
}

/// Whether a statement calls a function, which may read after it writes.
fn calls(stmt: &Stmt) -> bool {
    let mut calls = false;
    for e in visit::operands(stmt) {
        visit::expr(e, &mut |e| calls |= matches!(e.kind, ExprKind::Call { .. }));
    }
    calls
}

/// Returns whether no address reaches a kernel but those of its slices.
fn has_plain_parameters(kernel: &Function) -> bool {
    kernel.params.iter().all(|id| match &kernel.var(*id).ty {
        Type::Ref { to, .. } => matches!(&**to, Type::Slice(elem) if !elem.holds_address()),
        Type::Image(_) => false,
        ty => !ty.holds_address(),
    })
}

fn is_plain_code(body: &Block) -> bool {
    let mut is_plain = true;
    visit::stmts(body, &mut |stmt| is_plain &= !matches!(stmt.kind, StmtKind::Launch(_)));
    visit::exprs(body, &mut |e| {
        is_plain &= !matches!(e.ty, Type::Ptr { .. });
        if let ExprKind::Builtin { op, .. } = &e.kind {
            is_plain &= !(op.facts.waits && op.facts.accesses == [ArgumentAccess::Read]);
        }
    });
    is_plain
}
