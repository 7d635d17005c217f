//! Slices that nothing writes while a kernel runs, if they overlap none that it writes.
//!
//! Rust lends `&[T]` for as long as the kernel runs. Neither the host nor another launch writes it meanwhile, because
//! launches that conflict are ordered. The kernel itself remains. It writes through its mutable slices, which a launch
//! compares with the others, and through nothing else: in kernels with pointers, views, statics, functions in CUDA C++,
//! launches of kernels, or reads that see the writes of other threads, no slice counts as read-only.

use crate::ir::{ArgumentAccess, Block, ExprKind, Function, Module, StmtKind, Type, visit};

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
    positions.filter(|(_, id)| lent(&kernel.var(**id).ty)).fold(0, |bits, (at, _)| bits | 1 << at)
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
