//! Expressions as `int`s, and the conditions that this rests on.

use super::{Narrowing, place_of};
use crate::ir::{BinaryOp, Condition, ConstValue, Expr, ExprKind, Quantity, RangeLoop, Scalar, Type};
use crate::passes::elide::Walk;
use crate::ranges::{Range, integer, joined};

/// One more than the greatest `int`.
pub(super) const LIMIT: i128 = 1 << 31;

/// An expression as an `int`, which is congruent to it in the bits of its type.
pub(super) struct Narrow {
    pub e: Expr,
    low: Quantity,
    high: Quantity,
    /// The conditions that all of this rests on.
    pub needs: Vec<Condition>,
    /// Whether it is not negative, and so the value of the expression itself.
    pub is_positive: bool,
}

fn int(kind: ExprKind) -> Expr {
    Expr { kind, ty: Type::Scalar(Scalar::I32) }
}

impl Walk<'_> {
    /// The conditions under which an integer is not negative and fits an `int`; for a signed one, under which it fits.
    pub(super) fn fits(&self, e: &Expr) -> Option<Vec<Condition>> {
        let scalar = integer(e)?;
        let range = self.scope.range(e, &self.known);
        let Some(below) = self.scope.ensure(range.high.clone(), Quantity::Const(LIMIT)) else {
            // A part of a slice is no longer than the slice.
            return self.scope.whole_length(e).and_then(|whole| self.fits(&whole));
        };
        let needs = joined(&range.needs, &below);
        match scalar.is_unsigned() {
            true => Some(needs),
            false => Some(joined(&needs, &self.scope.ensure_least(&range, 0)?)),
        }
    }

    /// The conditions under which a loop's counter fits up to the first number past its end.
    pub(super) fn counts_exactly(&self, range: &RangeLoop) -> Option<Vec<Condition>> {
        let mut needs = [self.fits(&range.start)?, self.fits(&range.end)?].concat();
        if range.step.is_none() && !range.inclusive {
            return Some(needs);
        }
        let step = match &range.step {
            Some(step) => self.scope.range(step, &self.known),
            None => Range::numbers(1, 1),
        };
        let end = self.scope.range(&range.end, &self.known);
        let past = end.high.sum(step.high).plus(i128::from(range.inclusive) - 1);
        needs.extend(self.scope.ensure(past, Quantity::Const(LIMIT))?);
        Some(joined(&needs, &step.needs))
    }

    /// An integer expression as an `int`.
    pub(super) fn narrow(&self, e: &Expr, known: &Narrowing) -> Option<Narrow> {
        let scalar = integer(e)?;
        if let Some(n) = e.as_int() {
            return constant(e, n);
        }
        match &e.kind {
            ExprKind::Var(var) if known.narrowed.contains(var) => {
                let range = self.scope.range(e, &self.known);
                let is_short = range.high.is_short();
                let high = if is_short { range.high } else { Quantity::Const(LIMIT - 1) };
                let needs = if is_short { range.needs } else { Vec::new() };
                let (low, e) = (Quantity::Const(0), int(ExprKind::Var(*var)));
                Some(Narrow { e, low, high, needs, is_positive: true })
            }
            ExprKind::Cast(inner) if integer(inner).is_some() && scalar.bits() >= 32 => {
                let from = integer(inner)?;
                // A number that stands for one that wrapped has no more bits than that.
                let keeps =
                    |new: &Narrow| new.is_positive || from.is_signed() || scalar.bits() <= from.bits();
                self.narrow(inner, known).filter(keeps).or_else(|| self.leaf(e, scalar, known))
            }
            ExprKind::Binary(op, a, b) => {
                self.narrow_binary((*op, a, b), e, known, false).or_else(|| self.leaf(e, scalar, known))
            }
            ExprKind::Builtin { op, args, .. } if op.facts.result.is_choice() => {
                self.narrow_choice(e, args, known).or_else(|| self.leaf(e, scalar, known))
            }
            _ => self.leaf(e, scalar, known),
        }
    }

    /// The lesser or the greater of numbers that are not negative.
    fn narrow_choice(&self, e: &Expr, args: &[Expr], known: &Narrowing) -> Option<Narrow> {
        integer(e).filter(|scalar| *scalar != Scalar::I32)?;
        let (mut new, mut needs) = (e.clone(), Vec::new());
        for (at, arg) in args.iter().enumerate() {
            let arg =
                self.narrow(arg, known).filter(|arg| arg.is_positive && known.may_rely_on(&arg.needs))?;
            needs = joined(&needs, &arg.needs);
            *new.operands_mut().into_iter().nth(at)? = arg.e;
        }
        let range = self.scope.range(e, &self.known);
        let (high, needs) = match range.high.is_short() {
            true => (range.high, joined(&needs, &range.needs)),
            false => (Quantity::Const(LIMIT - 1), needs),
        };
        Some(Narrow { e: int(new.kind), low: Quantity::Const(0), high, needs, is_positive: true })
    }

    /// `a op b`, which `whole` is, or whose type and place it has; `fits` says that its value is known to fit.
    pub(super) fn narrow_binary(
        &self,
        (op, a, b): (BinaryOp, &Expr, &Expr),
        whole: &Expr,
        known: &Narrowing,
        fits: bool,
    ) -> Option<Narrow> {
        let scalar = integer(whole).filter(|scalar| scalar.bits() >= 32)?;
        let kind = ExprKind::Binary(op, a.clone().into(), b.clone().into());
        let whole = Expr { kind, ty: whole.ty.clone() };
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                let fits = if fits { Some(Vec::new()) } else { self.fits(&whole) };
                self.ring(op, (self.narrow(a, known)?, self.narrow(b, known)?), &whole, (known, fits))
            }
            BinaryOp::Div | BinaryOp::Rem if matches!(scalar, Scalar::U64 | Scalar::I32) => {
                self.divided(op, (a, b), &whole, known)
            }
            BinaryOp::BitAnd | BinaryOp::Shr if scalar == Scalar::U64 => {
                self.divided(op, (a, b), &whole, known)
            }
            _ => None,
        }
    }

    /// A sum, a difference or a product of `int`s that is none that overflows.
    fn ring(
        &self,
        op: BinaryOp,
        (a, b): (Narrow, Narrow),
        whole: &Expr,
        (known, fits): (&Narrowing, Option<Vec<Condition>>),
    ) -> Option<Narrow> {
        let scalar = integer(whole)?;
        let positive = a.is_positive && b.is_positive;
        let needs = joined(&a.needs, &b.needs);
        let is_difference = op == BinaryOp::Sub && positive;
        // If the operands fit, the bits of the type leave only one value below the limit for the exact result.
        let is_one = scalar.bits() == 64 || op != BinaryOp::Mul && positive && scalar.is_unsigned();
        let told = fits.filter(|told| is_one && known.may_rely_on(told));
        let (low, high) = match op {
            BinaryOp::Add => (a.low.sum(b.low), a.high.sum(b.high)),
            BinaryOp::Sub => (a.low.sum(b.high.negated()), a.high.sum(b.low.negated())),
            _ if positive => (a.low.product(b.low), a.high.product(b.high)),
            _ => (Quantity::Const(-LIMIT * LIMIT), Quantity::Const(LIMIT * LIMIT)),
        };
        let e = int(ExprKind::Exact(int(ExprKind::Binary(op, a.e.into(), b.e.into())).into()));
        let own = self.scope.exact(Range::new(low.clone(), high.clone()), Scalar::I32);
        let own = if is_difference { Some(Vec::new()) } else { own.map(|range| range.all_needs()) };
        let least = low.minimum();
        match (told, own) {
            (Some(told), own) if own.as_ref().is_none_or(|own| !own.is_empty() || least < 0) => {
                let range = self.scope.range(whole, &self.known);
                let is_short = range.high.is_short();
                let high = if is_short { range.high } else { Quantity::Const(LIMIT - 1) };
                let needs = joined(&needs, &told);
                Some(Narrow { e, low: Quantity::Const(0), high, needs, is_positive: true })
            }
            (_, Some(own)) => {
                let needs = joined(&needs, &own);
                let is_short = low.is_short() && high.is_short();
                let ends = (Quantity::Const(-LIMIT), Quantity::Const(LIMIT - 1));
                let (low, high) = if is_short { (low, high) } else { ends };
                Some(Narrow { e, low, high, needs, is_positive: least >= 0 })
            }
            _ => None,
        }
    }

    /// Division and bits of numbers that are not negative, in 32 bits instead of 64, and without a sign.
    pub(super) fn divided(
        &self,
        op: BinaryOp,
        (a, b): (&Expr, &Expr),
        whole: &Expr,
        known: &Narrowing,
    ) -> Option<Narrow> {
        let by = self.scope.range(b, &self.known);
        let sound = match op {
            BinaryOp::Div | BinaryOp::Rem => self.scope.ensure_least(&by, 1)?,
            BinaryOp::Shr => b.as_int().filter(|n| (0..32).contains(n)).map(|_| Vec::new())?,
            _ => Vec::new(),
        };
        let both = (self.narrow(a, known)?, self.narrow(b, known)?);
        let fits = match integer(whole)? {
            // A quotient of two `int`s is one, and what it is divided by is positive.
            Scalar::I32 => self.scope.ensure_least(&self.scope.range(a, &self.known), 0)?,
            _ if both.0.is_positive && both.1.is_positive => self.fits(whole)?,
            _ => return None,
        };
        let needs = [&both.0.needs, &both.1.needs, &sound, &fits];
        let needs = needs.into_iter().fold(Vec::new(), |all, more| joined(&all, more));
        let range = self.scope.range(whole, &self.known);
        let kind = ExprKind::Binary(op, unsigned(both.0.e).into(), unsigned(both.1.e).into());
        let e = int(ExprKind::Cast(Expr { kind, ty: Type::Scalar(Scalar::U32) }.into()));
        Some(Narrow { e, low: Quantity::Const(0), high: range.high, needs, is_positive: true })
    }

    /// An expression as it is, cast.
    fn leaf(&self, e: &Expr, scalar: Scalar, known: &Narrowing) -> Option<Narrow> {
        let range = self.scope.range(e, &self.known);
        let new = known.as_int(known.rewritten(e));
        if scalar == Scalar::I32 {
            let needs = range.all_needs();
            let is_positive = range.low.minimum() >= 0;
            return Some(Narrow { e: new, low: range.low, high: range.high, needs, is_positive });
        }
        let needs = self.fits(e)?;
        Some(Narrow { e: new, low: Quantity::Const(0), high: range.high, needs, is_positive: true })
    }
}

/// A number that fits `int` and is not negative, without a sign.
pub(super) fn unsigned(e: Expr) -> Expr {
    let ty = Type::Scalar(Scalar::U32);
    match (e.as_int(), e.kind) {
        (Some(n), _) => Expr::constant(ConstValue::Int(n), ty),
        (None, ExprKind::Cast(inner)) if inner.ty == ty => *inner,
        // Both casts keep the value.
        (None, ExprKind::Cast(inner)) if integer(&inner).is_some() => {
            Expr { kind: ExprKind::Cast(inner), ty }
        }
        (None, kind) => Expr { kind: ExprKind::Cast(Expr { kind, ty: e.ty }.into()), ty },
    }
}

fn constant(e: &Expr, n: i128) -> Option<Narrow> {
    let (least, most) = Scalar::I32.int_range()?;
    let value = Expr::constant(ConstValue::Int(n), Type::Scalar(Scalar::I32));
    let e = match (e.is_spelled(), e.ty == value.ty) {
        (true, true) => e.clone(),
        (true, false) => int(ExprKind::Cast(e.clone().into())),
        _ => value,
    };
    let (low, high) = (Quantity::Const(n), Quantity::Const(n));
    (least <= n && n <= most).then(|| Narrow { e, low, high, needs: Vec::new(), is_positive: n >= 0 })
}

impl Narrowing {
    /// An expression with what was found of its parts.
    pub(super) fn rewritten(&self, e: &Expr) -> Expr {
        if let Some(new) = self.exprs.get(&place_of(e)) {
            return new.clone();
        }
        if let ExprKind::Var(var) = e.kind
            && self.narrowed.contains(&var)
        {
            let own = int(ExprKind::Var(var));
            return Expr { kind: ExprKind::Cast(own.into()), ty: e.ty.clone() };
        }
        let parts: Vec<Expr> = e.operands().into_iter().map(|operand| self.rewritten(operand)).collect();
        let mut new = e.clone();
        for (old, part) in new.operands_mut().into_iter().zip(parts) {
            *old = part;
        }
        new
    }

    /// The value that a variable is given, with the operator of the assignment.
    pub(super) fn rewritten_with(&self, op: Option<(BinaryOp, &Expr)>, value: &Expr) -> Expr {
        let Some((op, place)) = op else { return self.rewritten(value) };
        let kind = ExprKind::Binary(op, self.rewritten(place).into(), self.rewritten(value).into());
        Expr { kind, ty: place.ty.clone() }
    }

    /// An integer cast to `int`.
    pub(super) fn as_int(&self, e: Expr) -> Expr {
        let bits = e.ty.scalar().map_or(0, Scalar::bits);
        match e.kind {
            _ if e.ty == Type::Scalar(Scalar::I32) => e,
            // A cast to fewer bits cuts some off.
            ExprKind::Cast(inner) if inner.ty == Type::Scalar(Scalar::I32) && bits >= 32 => *inner,
            // A cast that only widens says nothing more.
            ExprKind::Cast(inner) if bits > 32 && inner.ty.scalar() == Some(Scalar::U32) => {
                int(ExprKind::Cast(inner))
            }
            kind => int(ExprKind::Cast(Expr { kind, ty: e.ty }.into())),
        }
    }
}
