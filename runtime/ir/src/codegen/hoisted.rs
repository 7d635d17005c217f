//! Checks of a loop that a comparison before it makes needless.
//!
//! If a loop indexes with its counter, or with a sum of its counter and values that the loop does not change, no index is
//! out of bounds unless the last one is. Such a loop is printed twice: without these checks, for the case that one
//! comparison proves them, and with them, for the fault at the iteration where Rust fails.

use super::Printer;
use super::known_inside::{Along, is_one_of};
use super::loop_head::Head;
use super::precedence::UNARY;
use crate::ir::{
    BinaryOp, Block, Effect, Expr, ExprKind, LoopId, RangeLoop, Scalar, StmtKind, Type, VarId, visit,
};
use crate::ranges::{integer, same};

/// Comparisons before a loop at most.
const MOST_COMPARISONS: usize = 6;

impl Printer<'_> {
    /// Prints a loop once without checks that leave, or with fewer of them, and once with all; whether it was printed.
    pub(super) fn twice(&mut self, id: LoopId, range: &RangeLoop, body: &Block) -> bool {
        // If the counter alone is checked, no loop has to be tried.
        (self.is_all_along(range, body) && self.hoisted(id, range, body))
            || self.tried(id, range, body)
            || self.hoisted(id, range, body)
    }

    /// Returns whether a counter runs along all checked indices of a loop's body.
    fn is_all_along(&self, range: &RangeLoop, body: &Block) -> bool {
        let along = self.along(range, body);
        let mut all = true;
        visit::exprs(body, &mut |e| match &e.kind {
            ExprKind::Index { base, index, .. } if self.is_checked_index(e) => {
                all &= is_one_of(&along, base, index)
            }
            _ => all &= !self.is_checked_index(e),
        });
        all
    }

    /// Prints a loop twice, if comparisons before it make some of its checks needless; whether it was printed.
    pub(super) fn hoisted(&mut self, id: LoopId, range: &RangeLoop, body: &Block) -> bool {
        let along = self.along(range, body);
        if along.is_empty() || !self.function.along.is_empty() || !self.may_be_twice(id, body) {
            return false;
        }
        self.function.open("{");
        self.function.open_scope();
        let Head { start, end, scalar, .. } = self.pinned(range);
        let form = self.form(range, scalar, true);
        let step = range.step.as_ref().map(|step| (step, self.once(step, "step")));
        let head = Head { form, start, end, step, scalar };
        let inside = self.are_inside(&along, range, &head);
        self.function.open(&format!("if ({}) {{", inside.join(" && ")));
        self.function.along = along;
        self.range_loop(id, range, body, &head);
        self.function.along = Vec::new();
        self.function.close("} else {");
        self.function.deepen();
        self.range_loop(id, range, body, &head);
        self.function.close("}");
        self.function.close_scope();
        self.function.close("}");
        true
    }

    /// The checked indices of a loop's body that its counter runs along, each once.
    pub(super) fn along(&self, range: &RangeLoop, body: &Block) -> Vec<Along> {
        let is_plain = !range.inclusive && !range.reversed && !self.function.var(range.var).mutable;
        let is_asked = self.checks() && !self.gpu_checks().any() && self.module.coarsened.is_none();
        if !is_plain || !is_asked || self.function.trial.is_some() {
            return Vec::new();
        }
        let mut all: Vec<Along> = Vec::new();
        visit::exprs(body, &mut |e| {
            let ExprKind::Index { base, index, .. } = &e.kind else { return };
            let ExprKind::Var(slice) = base.kind else { return };
            let is_slice = matches!(&base.ty, Type::Ref { to, .. } if matches!(**to, Type::Slice(_)));
            if !is_slice || self.function.var(slice).mutable || !self.is_checked_index(e) {
                return;
            }
            let Some((offset, is_widened)) = self.runs_along(range.var, index) else { return };
            if !all.iter().any(|own| own.slice == slice && same(&own.index, index)) {
                all.push(Along { slice, index: (**index).clone(), offset, is_widened });
            }
        });
        all.truncate(MOST_COMPARISONS);
        all
    }

    /// The number that is added to a counter to make an index, and whether the counter is widened first; `None` for any
    /// other index.
    fn runs_along(&self, counter: VarId, index: &Expr) -> Option<(Option<Expr>, bool)> {
        let scalar = integer(index).filter(|scalar| scalar.bits() >= 32)?;
        let is_own = |e: &Expr| matches!(e.kind, ExprKind::Var(var) if var == counter);
        let is_wide = |e: &Expr| match &e.kind {
            ExprKind::Cast(inner) => is_own(inner) && integer(inner).is_some_and(|from| from.bits() == 32),
            _ => false,
        };
        let is_counter = |e: &Expr| is_own(e) || scalar == Scalar::U64 && is_wide(e);
        let (sum, is_exact) = match &index.kind {
            _ if is_counter(index) => return Some((None, !is_own(index))),
            ExprKind::Exact(sum) => (&**sum, true),
            _ => (index, scalar.is_unsigned()),
        };
        let ExprKind::Binary(BinaryOp::Add, a, b) = &sum.kind else { return None };
        let (own, offset) = match (is_counter(a), is_counter(b)) {
            (true, false) => (a, b),
            (false, true) => (b, a),
            _ => return None,
        };
        let is_told = is_exact && self.is_fixed(offset) && scalar != Scalar::I64;
        is_told.then(|| (Some((**offset).clone()), !is_own(own)))
    }

    /// Comparisons that say that no index is out of bounds. A sum that wraps is less than what is compared.
    pub(super) fn are_inside(&mut self, along: &[Along], range: &RangeLoop, head: &Head<'_>) -> Vec<String> {
        let is_signed = !head.scalar.is_unsigned();
        let wide = if is_signed { "(long long)" } else { "(unsigned long long)" };
        let [start, end] = [&head.start, &head.end].map(|part| part.clone().at(UNARY));
        let mut all: Vec<String> = Vec::new();
        let starts_below = is_signed && range.start.as_int().is_none_or(|n| n < 0);
        for Along { slice, offset, is_widened, .. } in along {
            let len = format!("{}_len", self.var(*slice));
            let own = match offset {
                // As an unsigned number of 64 bits, a negative one is more than any length.
                _ if *is_widened => {
                    let offset = offset.as_ref().map(|offset| self.expr(offset).at(UNARY));
                    let wide_end = format!("(unsigned long long){end}");
                    let end = format!("{wide_end} <= {len}");
                    let least = starts_below.then(|| format!("{start} >= 0"));
                    let most = match offset {
                        Some(offset) => format!("{end} && {offset} <= {len} - {wide_end}"),
                        None => end,
                    };
                    [least, Some(most)]
                }
                None => {
                    let least = starts_below.then(|| format!("{start} >= 0"));
                    let most = match is_signed {
                        true => format!("{wide}{end} <= (long long){len}"),
                        false => format!("{end} <= {len}"),
                    };
                    [least, Some(most)]
                }
                Some(offset) if is_signed => {
                    let offset = self.expr(offset).at(UNARY);
                    [
                        Some(format!("{wide}{offset} + {start} >= 0")),
                        Some(format!("{wide}{offset} + {end} <= (long long){len}")),
                    ]
                }
                Some(offset) if head.scalar == Scalar::U64 => {
                    let offset = self.expr(offset).at(UNARY);
                    [Some(format!("{end} <= {len}")), Some(format!("{offset} <= {len} - {end}"))]
                }
                Some(offset) => {
                    let offset = self.expr(offset).at(UNARY);
                    [None, Some(format!("{wide}{offset} + {end} <= {len}"))]
                }
            };
            for comparison in own.into_iter().flatten() {
                if !all.contains(&comparison) {
                    all.push(comparison);
                }
            }
        }
        all
    }

    /// Returns whether an index is one that a comparison before the loop has shown to be in bounds.
    pub(super) fn is_along(&self, base: &Expr, index: &Expr) -> bool {
        is_one_of(&self.function.along, base, index)
    }

    /// Returns whether a body holds nothing that threads do together, nothing that has a place of its own, and no loop.
    fn may_be_twice(&self, id: LoopId, body: &Block) -> bool {
        let mut is_plain = true;
        visit::stmts(body, &mut |stmt| {
            is_plain &= match &stmt.kind {
                StmtKind::Let { .. } | StmtKind::Assign { .. } | StmtKind::Expr(_) => true,
                StmtKind::If { .. } | StmtKind::Block(_) => true,
                StmtKind::Break(of) | StmtKind::Continue(of) => *of == id,
                _ => false,
            };
        });
        visit::exprs(body, &mut |e| {
            is_plain &= match &e.kind {
                ExprKind::Builtin { op, .. } => op.effect == Effect::Pure && !op.facts.waits,
                ExprKind::Call { effect, .. } => *effect == Effect::Pure,
                ExprKind::Closure(_) | ExprKind::CallClosure { .. } => false,
                _ => true,
            };
        });
        is_plain
    }
}
