//! Pairs of variables of which a loop multiplies one and divides the other: what their product is at most.

use super::elide::Walk;
use crate::ir::{Block, Expr, LoopId, StmtKind, visit};
use crate::ranges::{Known, Product, integer, joined, root, scaled};

/// A variable that each iteration of a loop multiplies or divides.
struct Scaled<'b> {
    place: &'b Expr,
    grows: bool,
}

impl Walk<'_> {
    /// Learns the products of variables where an iteration of a loop begins; `entry` holds before the loop.
    pub(super) fn products(&mut self, id: LoopId, cond: Option<&Expr>, body: &Block, entry: &Known) {
        if visit::continues(body, id) {
            return;
        }
        let all = self.scaled_in(body);
        let pairs = all.iter().flat_map(|p| all.iter().map(move |q| (p, q)));
        for (p, q) in pairs.filter(|(p, q)| p.grows && !q.grows) {
            let claim = self.claim([p.place, q.place], entry);
            let kept = claim.and_then(|claim| self.kept_product(cond, body, claim));
            self.known.learn_products(kept.into_iter().collect());
        }
    }

    /// The variables that each iteration multiplies or divides once, and changes in no other way.
    fn scaled_in<'b>(&self, body: &'b Block) -> Vec<Scaled<'b>> {
        let scaled_by = |kind: &'b StmtKind| {
            let StmtKind::Assign { place, op, value } = kind else { return None };
            let (grows, _) = scaled(place, *op, value)?;
            let var = root(place).filter(|var| place.is_in_variable() && !self.untracked.contains(var))?;
            let mut changes = 0;
            visit::stmts(body, &mut |stmt| {
                let place = if let StmtKind::Assign { place, .. } = &stmt.kind { root(place) } else { None };
                changes += usize::from(place == Some(var));
            });
            (changes == 1 && integer(place).is_some()).then_some(Scaled { place, grows })
        };
        body.stmts.iter().filter_map(|stmt| scaled_by(&stmt.kind)).collect()
    }

    /// The claim that the product of two variables stays below what it is before a loop.
    fn claim(&self, factors: [&Expr; 2], entry: &Known) -> Option<Product> {
        let [p, q] = factors.map(|e| self.scope.range(e, entry).lasting());
        let positive =
            [self.scope.ensure_positive(factors[0], &p)?, self.scope.ensure_positive(factors[1], &q)?];
        let is_told = p.high.is_telling() && q.high.is_telling();
        let needs = [&p.needs, &q.needs, &positive[1]]
            .into_iter()
            .fold(positive[0].clone(), |all, more| joined(&all, more));
        let most = p.high.product(q.high);
        let factors = factors.map(Clone::clone);
        is_told.then_some(Product { factors, most, times: 1, over: 1, needs })
    }

    /// The claim, if one iteration keeps it, with all that this rests on.
    fn kept_product(&mut self, cond: Option<&Expr>, body: &Block, claim: Product) -> Option<Product> {
        if self.is_spent() {
            return None;
        }
        let begins = |known: &mut Known| known.learn_products(vec![claim.clone()]);
        let [p, q] = &claim.factors;
        let needs = self.after_iteration(cond, body, begins, |walk| {
            walk.known.product(p, q).filter(|end| end.times <= end.over).map(|end| end.needs.clone())
        });
        needs.map(|needs| Product { needs, ..claim })
    }
}
