//! The lesser and the greater of two quantities, as short as their forms allow.

use std::sync::Arc;

use super::Quantity;

impl Quantity {
    /// How much more it is than another quantity, if their forms alone tell that.
    fn apart(&self, other: &Quantity) -> Option<i128> {
        fn parts(of: &Quantity) -> (&Quantity, i128) {
            match of {
                Quantity::Offset(a, c) => (a, *c),
                own => (own, 0),
            }
        }
        match (self, other) {
            (Quantity::Const(a), Quantity::Const(b)) => Some(a.saturating_sub(*b)),
            // What is added to the lesser or the greater of two was added to both.
            (Quantity::Least(ab), Quantity::Least(cd)) | (Quantity::Greatest(ab), Quantity::Greatest(cd)) => {
                let first = ab[0].apart(&cd[0])?;
                ab[1].apart(&cd[1]).filter(|second| *second == first)
            }
            _ => {
                let ((a, c), (b, d)) = (parts(self), parts(other));
                (a == b).then(|| c.saturating_sub(d))
            }
        }
    }

    /// The quantities of which it is the least.
    pub fn bounds(&self) -> Vec<&Quantity> {
        match self {
            Quantity::Least(ab) => ab.iter().flat_map(Quantity::bounds).collect(),
            own => vec![own],
        }
    }

    /// The lesser of both.
    pub fn least(self, other: Quantity) -> Quantity {
        match (self, other) {
            (Quantity::Const(a), Quantity::Const(b)) => Quantity::Const(a.min(b)),
            (a, Quantity::Const(c)) | (Quantity::Const(c), a) if a.most() <= c => a,
            (a, Quantity::Const(c)) | (Quantity::Const(c), a) if a.minimum() >= c => Quantity::Const(c),
            (Quantity::Least(ab), Quantity::Const(c)) | (Quantity::Const(c), Quantity::Least(ab))
                if ab.iter().any(|a| a.as_const().is_some()) =>
            {
                let [a, b] = Arc::unwrap_or_clone(ab);
                let (a, b) = if a.as_const().is_some() { (b, a) } else { (a, b) };
                b.least(Quantity::Const(c)).least(a)
            }
            (a, b) if let Some(apart) = a.apart(&b) => {
                if apart < 0 {
                    a
                } else {
                    b
                }
            }
            (Quantity::Least(ab), c) | (c, Quantity::Least(ab))
                if ab.iter().any(|a| a.apart(&c).is_some()) =>
            {
                let [a, b] = Arc::unwrap_or_clone(ab);
                if a.apart(&c).is_some() { a.least(c).least(b) } else { a.least(b.least(c)) }
            }
            (a, b) => Quantity::Least([a, b].into()),
        }
    }

    /// The greater of both.
    pub fn greatest(self, other: Quantity) -> Quantity {
        match (self, other) {
            (Quantity::Const(a), Quantity::Const(b)) => Quantity::Const(a.max(b)),
            (a, Quantity::Const(c)) | (Quantity::Const(c), a) if a.minimum() >= c => a,
            (a, Quantity::Const(c)) | (Quantity::Const(c), a) if a.most() <= c => Quantity::Const(c),
            (Quantity::Greatest(ab), Quantity::Const(c)) | (Quantity::Const(c), Quantity::Greatest(ab))
                if ab.iter().any(|a| a.as_const().is_some()) =>
            {
                let [a, b] = Arc::unwrap_or_clone(ab);
                let (a, b) = if a.as_const().is_some() { (b, a) } else { (a, b) };
                b.greatest(Quantity::Const(c)).greatest(a)
            }
            (a, b) if let Some(apart) = a.apart(&b) => {
                if apart > 0 {
                    a
                } else {
                    b
                }
            }
            (Quantity::Greatest(ab), c) | (c, Quantity::Greatest(ab))
                if ab.iter().any(|a| a.apart(&c).is_some()) =>
            {
                let [a, b] = Arc::unwrap_or_clone(ab);
                if a.apart(&c).is_some() { a.greatest(c).greatest(b) } else { a.greatest(b.greatest(c)) }
            }
            (a, b) => Quantity::Greatest([a, b].into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is below `0` and what is not, and the same number on.
    fn on(by: i128) -> Quantity {
        Quantity::GridDim(0).plus(-5).greatest(Quantity::Const(0)).plus(by)
    }

    #[test]
    fn of_two_that_are_a_number_apart_one_is_the_greater() {
        assert_eq!(on(7).greatest(on(3)), on(7));
        assert_eq!(on(7).least(on(3)), on(3));
        assert_eq!(on(3).greatest(on(3)), on(3));
        // Which of the two is the greater is left open.
        let other = Quantity::GridDim(1);
        assert_eq!(on(3).greatest(other.clone()).greatest(on(7)), on(7).greatest(other.clone()));
        assert_eq!(on(7).least(other.clone()).least(on(3)), on(3).least(other));
    }

    #[test]
    fn of_two_whose_parts_are_different_numbers_apart_neither_is_the_greater() {
        let close = Quantity::GridDim(0).greatest(Quantity::GridDim(1));
        let apart = Quantity::GridDim(0).plus(-1).greatest(Quantity::GridDim(1).plus(2));
        assert_eq!(close.clone().greatest(apart.clone()), Quantity::Greatest([close, apart].into()));
    }
}
