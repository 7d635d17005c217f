//! The quantities that a launch can be asked about.

use std::sync::Arc;

use super::quantity::Quantity;

/// Parts of a condition at most: a launch computes each of them, and a person reads them in an explanation.
const MOST_PARTS: usize = 128;
/// Numbers from here on come of the ends of a type, and not of what somebody wrote.
const TELLING: i128 = 1 << 26;

impl Quantity {
    /// Returns whether a launch knows it, and it is not made of the greatest or the least value of a type.
    pub fn is_telling(&self) -> bool {
        let own = match self {
            Quantity::Const(n) | Quantity::Offset(_, n) => n.abs() < TELLING,
            Quantity::Unknown(..) => false,
            _ => true,
        };
        own && self.parts().iter().all(Quantity::is_telling)
    }

    /// Returns whether a launch computes it in no time.
    pub fn is_short(&self) -> bool {
        fn count(of: &Quantity, left: &mut usize) -> bool {
            *left = left.saturating_sub(1);
            *left > 0 && of.parts().iter().all(|part| count(part, left))
        }
        count(self, &mut MOST_PARTS.clone())
    }

    /// An upper bound of this quantity that a launch can be asked to keep below a limit. It leaves out bounds that only the
    /// device knows, and bounds that say no more than a 32-bit type does. Of a byte or a short number that the device reads,
    /// the bound is the greatest value of its type.
    pub fn askable(self) -> Option<Quantity> {
        self.bound(true)
    }

    /// A lower bound of this quantity that a launch can be asked to keep above a limit; compare [`Quantity::askable`].
    pub fn askable_least(self) -> Option<Quantity> {
        self.bound(false)
    }

    /// A known quantity that is not less, or not more. Factors are not negative.
    fn bound(self, upper: bool) -> Option<Quantity> {
        let both = |ab: Arc<[Quantity; 2]>, join: fn(Quantity, Quantity) -> Quantity| {
            let [a, b] = Arc::unwrap_or_clone(ab);
            Some(join(a.bound(upper)?, b.bound(upper)?))
        };
        let either = |ab: Arc<[Quantity; 2]>, join: fn(Quantity, Quantity) -> Quantity| {
            let [a, b] = Arc::unwrap_or_clone(ab);
            match (a.bound(upper), b.bound(upper)) {
                (Some(a), Some(b)) => Some(join(a, b)),
                (a, b) => a.or(b),
            }
        };
        let own = Arc::<Quantity>::unwrap_or_clone;
        let is_said = |n: i128| if upper { n < i128::from(i32::MAX) } else { n > i128::from(i32::MIN) };
        match self {
            // A byte or a short number that the device reads is no more than its type holds.
            Quantity::Unknown(_, [least, most]) => {
                let end = if upper { most } else { least };
                is_said(end).then_some(Quantity::Const(end))
            }
            Quantity::Const(n) => is_said(n).then_some(self),
            Quantity::Offset(a, c) => is_said(c).then_some(own(a).bound(upper)?.plus(c)),
            Quantity::Quotient(a, c) => Some(own(a).bound(upper)?.quotient(c)),
            Quantity::Negated(a) => Some(own(a).bound(!upper)?.negated()),
            Quantity::Power(a) => Some(own(a).bound(upper)?.power()),
            Quantity::Ones(a) => Some(own(a).bound(upper)?.ones()),
            Quantity::Ratio(ab) => {
                let [a, b] = Arc::unwrap_or_clone(ab);
                // A number divided is not one that says nothing.
                let a = if a.as_const().is_some() { a } else { a.bound(upper)? };
                let b = b.bound(!upper).filter(|b| b.as_const().is_none_or(|b| b > 0))?;
                Some(a.ratio(b))
            }
            Quantity::Sum(ab) => both(ab, Quantity::sum),
            Quantity::Product(ab) => both(ab, Quantity::product),
            Quantity::Least(ab) if upper => either(ab, Quantity::least),
            Quantity::Least(ab) => both(ab, Quantity::least),
            Quantity::Greatest(ab) if upper => both(ab, Quantity::greatest),
            Quantity::Greatest(ab) => either(ab, Quantity::greatest),
            known => Some(known),
        }
    }
}
