//! What is known of a value: the range of the integer that it is or holds.

use super::range::Range;

/// What an enum with one integer holds.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// No integer: it is another variant.
    Nothing,
    /// An integer in a range, or nothing.
    Within(Range),
}

impl Held {
    /// What either of two enums holds.
    pub fn hull(self, other: Self) -> Self {
        match (self, other) {
            (Held::Within(a), Held::Within(b)) => Held::Within(a.hull(&b)),
            (own @ Held::Within(_), Held::Nothing) | (Held::Nothing, own) => own,
        }
    }

    /// The range of the integer, if there may be one.
    pub fn range(self) -> Option<Range> {
        match self {
            Held::Nothing => None,
            Held::Within(range) => Some(range),
        }
    }

    /// The same without numbers that only the device knows.
    pub fn lasting(self) -> Self {
        self.without(&|_| true)
    }

    /// The same without some numbers that only the device knows.
    pub fn without(self, is_such: &dyn Fn(usize) -> bool) -> Self {
        match self {
            Held::Nothing => Held::Nothing,
            Held::Within(range) => Held::Within(range.without(is_such)),
        }
    }
}
