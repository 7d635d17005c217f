//! A range of integers: its ends in terms of what a launch knows, and what each rests on.

use crate::ir::{Condition, Expr, Quantity, Scalar};

/// Conditions that an end of a range may rest on.
const MOST_NEEDS: usize = 48;

/// The least value, the greatest, and what a launch must fulfil for each.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub low: Quantity,
    pub high: Quantity,
    /// The conditions that the greatest value rests on.
    pub needs: Vec<Condition>,
    /// The conditions that the least value rests on.
    pub low_needs: Vec<Condition>,
}

impl Range {
    /// From one quantity to another, whatever the launch.
    pub fn new(low: Quantity, high: Quantity) -> Self {
        Self { low, high, needs: Vec::new(), low_needs: Vec::new() }
    }

    /// All values of a type.
    pub fn of_type(scalar: Scalar) -> Self {
        let (low, high) = scalar.int_range().unwrap_or((i128::MIN, i128::MAX));
        Self::numbers(low, high)
    }

    /// From one number to another.
    pub(crate) fn numbers(low: i128, high: i128) -> Self {
        Self::new(Quantity::Const(low), Quantity::Const(high))
    }

    /// One value.
    pub(crate) fn exactly(value: Quantity) -> Self {
        Self::new(value.clone(), value)
    }

    /// From 0 to one less than a quantity.
    pub(crate) fn below(limit: Quantity) -> Self {
        Self::new(Quantity::Const(0), limit.plus(-1))
    }

    /// The range up to a number, from the minimum of a type.
    pub(crate) fn at_most(scalar: Scalar, high: Quantity, needs: Vec<Condition>) -> Self {
        Self { high, needs, ..Self::of_type(scalar) }
    }

    /// The range from a number on, up to the maximum of a type.
    pub(crate) fn at_least(scalar: Scalar, low: Quantity, low_needs: Vec<Condition>) -> Self {
        Self { low, low_needs, ..Self::of_type(scalar) }
    }

    /// The one value that there is, if a launch knows it, with what that rests on.
    pub fn value(&self) -> Option<(Quantity, Vec<Condition>)> {
        let is_one = self.low == self.high && self.high.is_known();
        is_one.then(|| (self.high.clone(), joined(&self.needs, &self.low_needs)))
    }

    /// The intersection.
    pub fn meet(self, other: &Range) -> Self {
        let (low, low_needs) =
            tighter((self.low, self.low_needs), (&other.low, &other.low_needs), Quantity::greatest);
        let (high, needs) = tighter((self.high, self.needs), (&other.high, &other.needs), Quantity::least);
        Self { low, high, needs, low_needs }
    }

    /// The range of an exact sum.
    pub fn plus(&self, other: &Range) -> Self {
        Self {
            low: self.low.clone().sum(other.low.clone()),
            high: self.high.clone().sum(other.high.clone()),
            needs: joined(&self.needs, &other.needs),
            low_needs: joined(&self.low_needs, &other.low_needs),
        }
    }

    /// The range of `times * self + offset`, exactly; `times` is above zero.
    pub(super) fn on_line(&self, times: i128, offset: i128) -> Self {
        let at = |of: &Quantity| of.clone().product(Quantity::Const(times)).plus(offset);
        Self { low: at(&self.low), high: at(&self.high), ..self.clone() }
    }

    /// The range of a number that is also known to be above zero.
    pub fn above_zero(self) -> Self {
        match self.low.as_const() {
            Some(low) if low >= 1 => self,
            Some(_) => Self { low: Quantity::Const(1), ..self },
            None => Self { low: self.low.greatest(Quantity::Const(1)), ..self },
        }
    }

    /// The smallest range that holds both.
    pub fn hull(self, other: &Range) -> Self {
        Self {
            low: self.low.least(other.low.clone()),
            high: self.high.greatest(other.high.clone()),
            needs: joined(&self.needs, &other.needs),
            low_needs: joined(&self.low_needs, &other.low_needs),
        }
    }

    /// The same, without an end that is too long to be worth anything.
    pub(super) fn trimmed(self, all: &Range) -> Self {
        let is_short = |of: &Quantity, needs: &[Condition]| of.is_short() && needs.len() <= MOST_NEEDS;
        let (low, low_needs) = match is_short(&self.low, &self.low_needs) {
            true => (self.low, self.low_needs),
            false => (all.low.clone(), Vec::new()),
        };
        let (high, needs) = match is_short(&self.high, &self.needs) {
            true => (self.high, self.needs),
            false => (all.high.clone(), Vec::new()),
        };
        Self { low, high, needs, low_needs }
    }

    /// The same, if this holds too.
    pub fn needing(self, needs: &[Condition]) -> Self {
        let (high, low) = (joined(&self.needs, needs), joined(&self.low_needs, needs));
        Self { needs: high, low_needs: low, ..self }
    }

    /// All that both ends rest on.
    pub fn all_needs(&self) -> Vec<Condition> {
        joined(&self.needs, &self.low_needs)
    }

    /// The same range without numbers that only the device knows; their bounds stand in their place.
    pub fn lasting(self) -> Self {
        self.without(&|_| true)
    }

    /// The same range without some numbers that only the device knows.
    pub fn without(self, is_such: &dyn Fn(usize) -> bool) -> Self {
        let (low, high) = (self.low.without(is_such, false), self.high.without(is_such, true));
        Self { low, high, ..self }
    }
}

/// Conditions of both, each once.
pub(crate) fn joined(a: &[Condition], b: &[Condition]) -> Vec<Condition> {
    let mut all = a.to_vec();
    for need in b {
        if !all.contains(need) {
            all.push(need.clone());
        }
    }
    all
}

/// The tighter of two bounds with what it rests on; both, if that cannot be told.
fn tighter(
    (a, of_a): (Quantity, Vec<Condition>),
    (b, of_b): (&Quantity, &[Condition]),
    meet: fn(Quantity, Quantity) -> Quantity,
) -> (Quantity, Vec<Condition>) {
    let both = meet(a.clone(), b.clone());
    if both == a && (a != *b || of_a.len() <= of_b.len()) {
        return (a, of_a);
    }
    if both == *b {
        return (both, of_b.to_vec());
    }
    (both, joined(&of_a, of_b))
}

/// The lesser of two values.
pub(super) fn lesser(a: Range, b: Range) -> Range {
    let hull = a.clone().hull(&b);
    let Range { high, needs, .. } = a.meet(&b);
    Range { high, needs, ..hull }
}

/// The greater of two values.
pub(super) fn greater(a: Range, b: Range) -> Range {
    let hull = a.clone().hull(&b);
    let Range { low, low_needs, .. } = a.meet(&b);
    Range { low, low_needs, ..hull }
}

/// The integer type of an expression.
pub(crate) fn integer(e: &Expr) -> Option<Scalar> {
    e.ty.scalar().filter(|scalar| scalar.is_int())
}
