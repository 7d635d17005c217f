//! Checks the IR's promises about evaluation order: a recorder's mistake is an error and not another result.
//!
//! In one expression no operand may observe the effect of another, since C++ leaves their order open: where an operand
//! has an effect, the others must be constants, addresses, or variables that nothing else can write. The place of an
//! assignment and the parts of an index have no effect, because printers may repeat them.
//!
//! Whether a call has an effect is read from the function that it calls, so a function that is marked as pure must have
//! no statement whose effect its caller could see.

use std::collections::HashSet;

use super::ValidateError;
use crate::ir::{Effect, Expr, ExprKind, Function, Location, Module, Stmt, StmtKind, Type, VarId, visit};

/// Checks every expression of a module.
pub fn check(module: &Module) -> Result<(), ValidateError> {
    module.all_functions().try_for_each(of_function)
}

fn of_function(function: &Function) -> Result<(), ValidateError> {
    let order = Order { lent: lent(function) };
    let is_pure = function.effect == Effect::Pure;
    let mut broken: Option<Location> = None;
    visit::stmts(&function.body, &mut |stmt| {
        if broken.is_none() && (!order.holds(stmt) || is_pure && acts(stmt)) {
            broken = Some(stmt.at);
        }
    });
    match broken {
        None => Ok(()),
        Some(at) => Err(ValidateError::Order { function: function.name.clone(), at }),
    }
}

/// Returns whether a statement does what its function's callers can see.
fn acts(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Assert { debug: false, .. } | StmtKind::Print { .. } | StmtKind::Launch { .. } => true,
        StmtKind::Assign { place, .. } if !place.is_in_variable() => true,
        _ => visit::operands(stmt).into_iter().any(Expr::has_effect),
    }
}

/// The facts about a function's variables.
struct Order {
    /// Variables that something else than an assignment to their name may write.
    lent: HashSet<VarId>,
}

impl Order {
    fn holds(&self, stmt: &Stmt) -> bool {
        let operands = visit::operands(stmt);
        let mut holds = match &stmt.kind {
            // The value comes before the place, in C++ too.
            StmtKind::Assign { place, .. } => !place.has_effect(),
            _ => self.are_independent(&operands),
        };
        for operand in operands {
            visit::expr(operand, &mut |e| holds &= self.is_ordered(e));
        }
        holds
    }

    /// Returns whether the direct operands of an expression may be evaluated in any order.
    fn is_ordered(&self, e: &Expr) -> bool {
        match &e.kind {
            // Lazy, in C++ too.
            _ if e.lazy().is_some() => true,
            ExprKind::Index { base, index, .. } => !base.has_effect() && !index.has_effect(),
            ExprKind::Builtin { op, args, .. } if op.by_reference => match args.split_first() {
                Some((place, rest)) => {
                    let acts = rest.iter().any(Expr::has_effect);
                    let rest: Vec<&Expr> = rest.iter().collect();
                    self.are_independent(&rest) && !(acts && self.moves(place))
                }
                None => true,
            },
            _ => self.are_independent(&e.operands()),
        }
    }

    fn are_independent(&self, operands: &[&Expr]) -> bool {
        let acting: Vec<usize> = (0..operands.len()).filter(|i| operands[*i].has_effect()).collect();
        match acting.as_slice() {
            [] => true,
            [one] => operands.iter().enumerate().all(|(i, operand)| i == *one || !self.changes(operand)),
            _ => false,
        }
    }

    /// Returns whether an effect may change the value of an expression.
    fn changes(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Const(_) | ExprKind::Unit | ExprKind::Table { .. } | ExprKind::Closure(_) => false,
            ExprKind::Var(var) => self.lent.contains(var) && !matches!(e.ty, Type::Shared { .. }),
            ExprKind::Ref(place) => self.moves(place),
            ExprKind::Global(_) | ExprKind::Deref(_) => true,
            ExprKind::Call { .. } | ExprKind::CallClosure { .. } => true,
            ExprKind::Len(of) if matches!(of.ty, Type::Array(..) | Type::Shared { .. }) => false,
            ExprKind::Index { base, index, .. } => {
                !matches!(base.ty, Type::Array(..) | Type::Vector(..))
                    || self.changes(base)
                    || self.changes(index)
            }
            ExprKind::SubSlice { base, start, end, .. } => {
                self.moves_base(base) || [start, end].into_iter().flatten().any(|e| self.changes(e))
            }
            _ => e.any_operand(|operand| self.changes(operand)),
        }
    }

    /// Returns whether an effect may change the address of a place.
    fn moves(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Var(_) | ExprKind::Global(_) | ExprKind::Table { .. } => false,
            ExprKind::Field(base, _) => self.moves(base),
            ExprKind::Deref(pointer) => self.changes(pointer),
            ExprKind::Index { base, index, .. } => self.moves_base(base) || self.changes(index),
            _ => self.changes(place),
        }
    }

    fn moves_base(&self, base: &Expr) -> bool {
        match base.ty {
            Type::Ref { .. } | Type::View { .. } | Type::Ptr { .. } => self.changes(base),
            _ => self.moves(base),
        }
    }
}

/// Variables that are borrowed to be written, or that a closure assigns.
fn lent(function: &Function) -> HashSet<VarId> {
    let mut lent = HashSet::new();
    visit::exprs(&function.body, &mut |e| match &e.kind {
        ExprKind::Ref(place) if matches!(e.ty, Type::Ref { mutable: true, .. }) => lent.extend(root(place)),
        ExprKind::SubSlice { base, .. } => lent.extend(root(base)),
        ExprKind::Builtin { op, args, .. } if op.by_reference => lent.extend(args.first().and_then(root)),
        ExprKind::Closure(closure) => visit::stmts(&closure.body, &mut |stmt| {
            if let StmtKind::Assign { place, .. } = &stmt.kind {
                lent.extend(root(place));
            }
        }),
        _ => {}
    });
    // A part of what never changes is read alone.
    lent.retain(|var| function.var(*var).mutable);
    lent
}

/// The variable whose memory a place is in.
fn root(place: &Expr) -> Option<VarId> {
    match &place.kind {
        ExprKind::Var(var) => Some(*var),
        ExprKind::Field(base, _) | ExprKind::Ref(base) => root(base),
        ExprKind::Index { base, .. } if matches!(base.ty, Type::Array(..) | Type::Vector(..)) => root(base),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BinaryOp, FnId, Global, GlobalSpace, Proof, Scalar};

    const U64: Type = Type::U64;
    static GLOBAL: Global = Global {
        name: "TABLE",
        path: "",
        ty: || Type::Array(U64.into(), 4),
        initial: || vec![0; 32],
        address: std::ptr::null_mut,
        extents: || vec![4.into()],
        space: GlobalSpace::Device,
    };

    fn var(id: u32, ty: Type) -> Expr {
        Expr { kind: ExprKind::Var(VarId(id)), ty }
    }

    fn acting() -> Expr {
        Expr { kind: ExprKind::Call { function: FnId(0), args: Vec::new(), effect: Effect::Writes }, ty: U64 }
    }

    fn reference() -> Type {
        Type::Ref { to: U64.into(), mutable: true }
    }

    fn slice() -> Type {
        Type::Ref { to: Type::Slice(U64.into()).into(), mutable: false }
    }

    fn deref(pointer: Expr) -> Expr {
        Expr { kind: ExprKind::Deref(pointer.into()), ty: U64 }
    }

    fn index(base: Expr, index: Expr) -> Expr {
        let at = Location { file: "", line: 1 };
        Expr {
            kind: ExprKind::Index { base: base.into(), index: index.into(), at, proof: Proof::Open },
            ty: U64,
        }
    }

    fn sum(op: BinaryOp, a: Expr, b: Expr) -> Expr {
        let ty = if op == BinaryOp::And { Type::Scalar(Scalar::Bool) } else { U64 };
        Expr { kind: ExprKind::Binary(op, a.into(), b.into()), ty }
    }

    fn holds(kind: StmtKind) -> bool {
        let order = Order { lent: HashSet::from([VarId(7)]) };
        order.holds(&Stmt { kind, at: Location { file: "", line: 1 } })
    }

    fn value(e: Expr) -> StmtKind {
        StmtKind::Expr(e)
    }

    #[test]
    fn what_an_effect_may_change_stands_in_no_tree_with_it() {
        let array = Type::Array(U64.into(), 4);
        let unstable = [
            deref(var(0, reference())),
            index(var(0, slice()), var(1, U64)),
            var(7, U64),
            index(var(7, array.clone()), var(1, U64)),
            index(var(0, array), var(7, U64)),
            Expr { kind: ExprKind::Len(var(7, slice()).into()), ty: U64 },
            acting(),
        ];
        for operand in unstable {
            for pair in [[operand.clone(), acting()], [acting(), operand]] {
                let [a, b] = pair;
                assert!(!holds(value(sum(BinaryOp::Add, a.clone(), b.clone()))), "{a:?} + {b:?}");
                assert!(holds(value(sum(BinaryOp::And, a.clone(), b.clone()))), "{a:?} && {b:?}");
                assert!(!holds(value(Expr { kind: ExprKind::Tuple(vec![a, b]), ty: Type::Unit })));
            }
        }
    }

    #[test]
    fn what_nothing_changes_may_stand_beside_an_effect() {
        let address = Expr { kind: ExprKind::Ref(var(7, U64).into()), ty: reference() };
        let length = Expr { kind: ExprKind::Len(var(0, slice()).into()), ty: U64 };
        for operand in [var(0, U64), address, length, sum(BinaryOp::Mul, var(0, U64), var(1, U64))] {
            assert!(holds(value(sum(BinaryOp::Add, operand.clone(), acting()))), "{operand:?}");
        }
    }

    #[test]
    fn what_others_see_is_an_effect() {
        let acts = |kind| acts(&Stmt { kind, at: Location { file: "", line: 1 } });
        let assign = |place| acts(StmtKind::Assign { place, op: None, value: var(1, U64) });
        let array = Type::Array(U64.into(), 4);
        let global = Expr { kind: ExprKind::Global(&GLOBAL), ty: array.clone() };
        assert!(assign(deref(var(0, reference()))) && assign(index(var(0, slice()), var(1, U64))));
        assert!(assign(global.clone()) && assign(index(global, var(1, U64))));
        assert!(!assign(var(2, U64)) && !assign(index(var(2, array), var(1, U64))));
        assert!(acts(value(acting())) && !acts(value(var(1, U64))));
    }

    #[test]
    fn places_have_no_effect() {
        let place = index(var(0, slice()), acting());
        assert!(!holds(StmtKind::Assign { place: place.clone(), op: None, value: var(0, U64) }));
        assert!(!holds(value(place)));
        let place = index(var(0, slice()), var(1, U64));
        assert!(holds(StmtKind::Assign { place, op: None, value: acting() }));
    }
}
