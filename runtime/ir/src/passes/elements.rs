//! What local arrays of integers hold: no element ever leaves the ranges of the values that are stored in its array.
//!
//! A queue of indices is such an array: what is read of it was an index before. A walk over the function collects the values that
//! are stored, without knowing anything about elements; then all other walks know their ranges, wherever they are read.

use std::collections::HashMap;

use super::elide::Walk;
use crate::ir::{BinaryOp, Block, Expr, ExprKind, Quantity, Scalar, StmtKind, Type, VarId, visit};
use crate::ranges::{FunctionScope, Range, integer, root, strip};

/// The values that were stored in arrays so far.
pub(super) type Stored = HashMap<VarId, Range>;

/// Looks at a body for the values that it stores in local arrays, and tells its scope.
pub(super) fn learn_elements<'a>(scope: FunctionScope<'a>, body: &Block) -> FunctionScope<'a> {
    let filled = filled(&scope, body);
    if filled.is_empty() {
        return scope;
    }
    let mut walk = Walk::new(scope);
    walk.stored = Some(filled);
    walk.block(&mut body.clone());
    let stored = walk.stored.take().unwrap_or_default();
    walk.scope.undefine(body);
    walk.scope.stored = stored;
    walk.scope
}

/// Arrays of integers that a body makes of constants, and then changes by elements alone, with the ranges of the constants.
fn filled(scope: &FunctionScope, body: &Block) -> Stored {
    let mut made = Stored::new();
    let mut others: Vec<VarId> = scope.untracked.iter().copied().collect();
    visit::stmts(body, &mut |stmt| match &stmt.kind {
        StmtKind::Let { var, init: Some(init) } if scope.is_mutable(*var) => {
            let items: Vec<&Expr> = match &init.kind {
                ExprKind::ArrayList(items) => items.iter().collect(),
                ExprKind::ArrayRepeat(item, _) => vec![&**item],
                _ => Vec::new(),
            };
            let numbers: Option<Vec<i128>> = items.into_iter().map(Expr::as_int).collect();
            let ends = numbers.and_then(|of| Some((of.iter().min().copied()?, of.iter().max().copied()?)));
            made.extend(ends.map(|(least, most)| (*var, Range::numbers(least, most))));
        }
        StmtKind::Assign { place, .. } if element(place).is_none() => others.extend(root(place)),
        _ => {}
    });
    made.retain(|var, _| !others.contains(var));
    made
}

/// The array of which a place is an element.
fn element(place: &Expr) -> Option<VarId> {
    let ExprKind::Index { base, .. } = &place.kind else { return None };
    let ExprKind::Var(var) = base.kind else { return None };
    (matches!(base.ty, Type::Array(..)) && integer(place).is_some()).then_some(var)
}

impl Walk<'_> {
    /// Notes a value that is stored in an array, if the walk looks for those.
    pub(super) fn store(&mut self, place: &Expr, op: Option<BinaryOp>, value: &Expr) {
        // The values of the walks that look for invariants would only make the range larger.
        if self.assigned.is_some() || self.stored.is_none() {
            return;
        }
        let Some(var) = element(place) else { return };
        let range = match op {
            Some(op) => self.scope.range(&Expr::binary(op, place.clone(), value.clone()), &self.known),
            None => self.scope.range(value, &self.known),
        };
        // A sum may be thought to be more than its type holds, from which it was widened.
        let most = integer(strip(value)).and_then(Scalar::int_range).map(|(_, most)| most);
        let range = match (range.high.as_const(), most) {
            (Some(high), Some(most)) if high > most && op.is_none() => {
                Range { high: Quantity::Const(most), needs: Vec::new(), ..range }
            }
            _ => range,
        };
        if let Some(own) = self.stored.as_mut().and_then(|stored| stored.get_mut(&var)) {
            *own = own.clone().hull(&range.lasting());
        }
    }
}
