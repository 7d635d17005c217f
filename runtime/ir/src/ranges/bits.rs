//! Ranges of what bits make up.

use std::collections::HashSet;

use super::known::{Known, same, strip};
use super::range::{Range, integer, joined as joined_needs};
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Block, Expr, ExprKind, Quantity, StmtKind, VarId, ones, visit};

/// The greatest value of `a | b` and of `a ^ b`, where neither is negative: no bit is above the highest of
/// both, and no value above their sum.
pub(crate) fn joined(a: Quantity, b: Quantity) -> Quantity {
    let bits = a.clone().greatest(b.clone()).ones();
    a.sum(b).least(Quantity::Const(ones(bits.most()))).least(bits)
}

/// Variables that begin as a power of two, a bit or one of each other, and are only doubled and halved: each is a power of two or zero
/// all along.
pub(super) fn powers(body: &Block, untracked: &HashSet<VarId>) -> HashSet<VarId> {
    let (mut begun, mut others) = (Vec::new(), untracked.clone());
    visit::stmts(body, &mut |stmt| match &stmt.kind {
        StmtKind::Let { var, init: Some(init) } => begun.push((*var, init)),
        StmtKind::Let { var, .. } => drop(others.insert(*var)),
        StmtKind::For { range, .. } => drop(others.insert(range.var)),
        StmtKind::Assign { place: Expr { kind: ExprKind::Var(var), .. }, op, value } => {
            let (op, by) = match (&value.kind, op) {
                (_, Some(op)) => (*op, value),
                (ExprKind::Binary(op, of, by), None) if matches!(of.kind, ExprKind::Var(own) if own == *var) => {
                    (*op, &**by)
                }
                _ => {
                    others.insert(*var);
                    return;
                }
            };
            others.extend((!keeps_power(op, by)).then_some(*var));
        }
        _ => {}
    });
    let mut powers: HashSet<VarId> =
        begun.iter().map(|(var, _)| *var).filter(|var| !others.contains(var)).collect();
    loop {
        let lost: Vec<VarId> = begun
            .iter()
            .filter(|(var, init)| powers.contains(var) && !begins_as_power(init, &powers))
            .map(|(var, _)| *var)
            .collect();
        if lost.is_empty() {
            return powers;
        }
        powers.retain(|var| !lost.contains(var));
    }
}

/// Returns whether a power of two or zero is one afterwards.
fn keeps_power(op: BinaryOp, by: &Expr) -> bool {
    match op {
        BinaryOp::Mul | BinaryOp::Div => is_power(by),
        BinaryOp::Shl | BinaryOp::Shr => true,
        _ => false,
    }
}

fn begins_as_power(init: &Expr, powers: &HashSet<VarId>) -> bool {
    match &strip(init).kind {
        ExprKind::Var(var) => powers.contains(var),
        ExprKind::Binary(op, of, by) if keeps_power(*op, by) => is_bit(init) || begins_as_power(of, powers),
        _ => is_power(init) || is_bit(init),
    }
}

/// `1 << n`, which may be the highest bit of a signed number.
fn is_bit(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Binary(BinaryOp::Shl, one, _) if one.as_int() == Some(1))
}

fn is_power(e: &Expr) -> bool {
    e.as_int().is_some_and(|n| n > 0 && n.count_ones() == 1)
}

impl FunctionScope<'_> {
    /// The greatest value of the sum of numbers that have no bit in common, as guards tell.
    pub(super) fn most_of_disjoint(
        &self,
        (a, b): (&Expr, &Expr),
        known: &Known,
        fuel: &mut usize,
    ) -> Option<Range> {
        let is_told = known.ranges().any(|(e, fact)| {
            let is_zero = fact.high.as_const() == Some(0) && fact.needs.is_empty();
            is_zero
                && match &e.kind {
                    ExprKind::Binary(BinaryOp::BitAnd, x, y) => {
                        self.alike(x, a) && self.alike(y, b) || self.alike(x, b) && self.alike(y, a)
                    }
                    ExprKind::Binary(BinaryOp::Rem, x, n) => {
                        self.alike(x, a) && self.is_double(n, b, known)
                            || self.alike(x, b) && self.is_double(n, a, known)
                    }
                    _ => false,
                }
        });
        if !is_told {
            return None;
        }
        let (of_a, of_b) = (self.within(a, known, fuel), self.within(b, known, fuel));
        let positive = joined_needs(&self.ensure_positive(a, &of_a)?, &self.ensure_positive(b, &of_b)?);
        let most = ones(of_a.high.most().max(of_b.high.most()));
        let needs = joined_needs(&joined_needs(&of_a.needs, &of_b.needs), &positive);
        Some(Range::new(Quantity::Const(0), Quantity::Const(most)).needing(&needs))
    }

    /// Returns whether `n` is twice `part`, which is a power of two or zero, or one and its half.
    fn is_double(&self, n: &Expr, part: &Expr, known: &Known) -> bool {
        if self.is_half(part, n, known) {
            return true;
        }
        let n = self.latest(n, known);
        let by = match &n.kind {
            ExprKind::Binary(BinaryOp::Mul, a, b) if a.as_int() == Some(2) => b,
            ExprKind::Binary(BinaryOp::Mul, a, b) if b.as_int() == Some(2) => a,
            ExprKind::Binary(BinaryOp::Shl, a, b) if b.as_int() == Some(1) => a,
            _ => return false,
        };
        self.is_power(part) && self.alike(by, part)
    }

    /// Returns whether `part` is `n / 2` of a power of two or zero.
    fn is_half(&self, part: &Expr, n: &Expr, known: &Known) -> bool {
        let part = self.latest(part, known);
        match &part.kind {
            ExprKind::Binary(BinaryOp::Div, whole, two) if two.as_int() == Some(2) => {
                self.is_power(whole) && self.alike(whole, n)
            }
            ExprKind::Binary(BinaryOp::Shr, whole, one) if one.as_int() == Some(1) => {
                self.is_power(whole) && self.alike(whole, n)
            }
            _ => false,
        }
    }

    /// Returns whether a number is a power of two or zero. The least number of a signed type counts as one: its bit is the highest.
    pub(super) fn is_power(&self, e: &Expr) -> bool {
        match &self.look(e).kind {
            ExprKind::Var(var) => self.powers.contains(var),
            _ => is_power(e) || is_bit(self.look(e)),
        }
    }

    /// An expression, or what the variable that it is was initialised with.
    pub(crate) fn look<'e>(&'e self, e: &'e Expr) -> &'e Expr {
        match &strip(e).kind {
            ExprKind::Var(var) => self.definitions.get(var).map_or(strip(e), strip),
            _ => strip(e),
        }
    }

    /// An expression, or what the variable that it is was last given.
    pub(super) fn latest<'e>(&'e self, e: &'e Expr, known: &'e Known) -> &'e Expr {
        known.alias(strip(e)).map_or_else(|| self.look(e), strip)
    }

    /// The operands of an operation.
    fn operands_of<'e>(&'e self, e: &'e Expr, op: BinaryOp) -> Option<[&'e Expr; 2]> {
        match &self.look(e).kind {
            ExprKind::Binary(own, a, b) if *own == op => Some([a, b]),
            _ => None,
        }
    }

    /// Returns whether two expressions are the same, where variables stand for what they were initialised with.
    pub(super) fn alike(&self, a: &Expr, b: &Expr) -> bool {
        same(strip(a), strip(b)) || same(self.look(a), self.look(b))
    }

    /// How often an expression has another one as a factor, as a constant.
    fn multiple(&self, e: &Expr, of: &Expr) -> Option<i128> {
        if self.alike(e, of) {
            return Some(1);
        }
        let [a, b] = self.operands_of(e, BinaryOp::Mul)?;
        let by = if self.alike(b, of) { a } else { self.alike(a, of).then_some(b)? };
        by.as_int().filter(|n| *n > 0)
    }

    /// Returns whether `part` is some bits of an unsigned value, and `whole` that value or a multiple of it.
    pub fn is_part(&self, part: &Expr, whole: &Expr, known: &Known, fuel: &mut usize) -> bool {
        // The remainder of a division is at most the dividend.
        if let Some([value, n]) = self.operands_of(part, BinaryOp::Rem) {
            let is_unsigned = integer(part).is_some_and(crate::ir::Scalar::is_unsigned);
            let n = self.within(n, known, fuel);
            let divides = n.low.minimum() > 0 && n.low_needs.is_empty();
            return is_unsigned && divides && self.alike(value, whole);
        }
        let Some(operands) = self.operands_of(part, BinaryOp::BitAnd) else { return false };
        let Some((0, most)) = self.modulus(whole).and_then(crate::ir::Scalar::int_range) else {
            return false;
        };
        operands.into_iter().any(|value| {
            let Some(times) = self.multiple(whole, value) else { return false };
            let value = self.within(value, known, fuel);
            value.needs.is_empty() && value.high.most().saturating_mul(times) <= most
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_bits_are_never_more() {
        for a_most in 0..40 {
            for b_most in 0..40 {
                let most = joined(Quantity::Const(a_most), Quantity::Const(b_most)).most();
                for (a, b) in (0..=a_most).flat_map(|a| (0..=b_most).map(move |b| (a, b))) {
                    assert!((a | b) <= most && (a ^ b) <= most, "{a} {b} {most}");
                }
            }
        }
        assert_eq!(joined(Quantity::Const(31), Quantity::Const(31)).most(), 31);
        assert_eq!(joined(Quantity::Const(0), Quantity::Const(9)).most(), 9);
    }
}
