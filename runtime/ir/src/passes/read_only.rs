//! Slices that nothing writes while a kernel runs, if they overlap none that it writes.
//!
//! Rust lends `&[T]` for as long as the kernel runs. Neither the host nor another launch writes it meanwhile, because
//! launches that conflict are ordered. The kernel itself remains. It writes through its mutable slices, which a launch
//! compares with the others, and through nothing else: in kernels with pointers, views, statics, functions in CUDA C++,
//! launches of kernels, or reads that see the writes of other threads, no slice counts as read-only. A kernel gains nothing
//! by slices of bytes that it reads before it writes; they do not count either.

use std::collections::HashSet;

use crate::ir::{
    ArgumentAccess, Block, Effect, Expr, ExprKind, Function, Module, Stmt, StmtKind, Type, VarId, visit,
};

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
        lent(&kernel.var(id).ty) && (!is_of_bytes(&kernel.var(id).ty) || is_read_late(kernel, id))
    };
    positions.filter(|(_, id)| gains(**id)).fold(0, |bits, (at, _)| bits | 1 << at)
}

/// Returns whether each load of a slice has eight bits. Such a load takes one instruction more if the slice is read-only.
fn is_of_bytes(ty: &Type) -> bool {
    matches!(ty, Type::Ref { to, .. } if to.element().is_some_and(|elem| elem.size() == 1))
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
        let reads = visit::operands(stmt).into_iter().any(|e| self.names_it(e));
        if let StmtKind::Let { var, init: Some(init) } = &stmt.kind
            && reads
            && !matches!(init.ty, Type::Scalar(_) | Type::Vector(..))
        {
            self.names.insert(*var);
        }
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

    fn names_it(&self, e: &Expr) -> bool {
        let mut names_it = false;
        visit::expr(e, &mut |e| {
            names_it |= matches!(e.kind, ExprKind::Var(var) if self.names.contains(&var))
        });
        names_it
    }
}

/// Whether a statement itself may write memory or order it, and whether it holds a closure.
fn writes(stmt: &Stmt) -> (bool, bool) {
    let (mut writes, mut has_closure) = (false, false);
    if let StmtKind::Assign { place, .. } = &stmt.kind {
        writes = !place.is_in_variable();
    }
    for e in visit::operands(stmt) {
        visit::expr(e, &mut |e| match &e.kind {
            ExprKind::Builtin { op, .. } => writes |= op.effect != Effect::Pure,
            ExprKind::Call { effect, .. } => writes |= *effect != Effect::Pure,
            ExprKind::Closure(_) | ExprKind::CallClosure { .. } => has_closure = true,
            _ => {}
        });
    }
    (writes, has_closure)
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
