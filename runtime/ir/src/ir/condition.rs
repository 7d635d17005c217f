//! The conditions of a launch under which a bounds check can be left out: comparisons of values that are the same for all
//! threads and that the host knows.
//!
//! Values are exact integers: a kernel's own arithmetic may wrap, which makes an unsigned value only less.

use std::fmt;

use super::quantity::{Parameter, Quantity};

/// The values that a launch knows.
pub trait LaunchValues {
    /// The value of an integer of a parameter.
    fn param(&self, parameter: &Parameter) -> Option<i128>;
    /// The length of the slice parameter at a position.
    fn len(&self, position: usize) -> Option<i128>;
    /// Threads of a block.
    fn block_dim(&self) -> [u32; 3];
    /// Blocks of the grid.
    fn grid_dim(&self) -> [u32; 3];
    /// Bytes of dynamic shared memory.
    fn shared_bytes(&self) -> u32;
    /// The address of the slice parameter at a position.
    fn address(&self, position: usize) -> Option<u64>;
}

/// A width that values are computed in; what does not fit it is nothing.
pub(super) trait Whole: Copy + Ord + From<u32> {
    fn of(n: i128) -> Option<Self>;
    fn plus(self, other: Self) -> Option<Self>;
    fn times(self, other: Self) -> Option<Self>;
    fn over(self, other: Self) -> Option<Self>;
}

macro_rules! whole {
    ($($t:ty),+) => {$(
        impl Whole for $t {
            fn of(n: i128) -> Option<Self> {
                Self::try_from(n).ok()
            }
            fn plus(self, other: Self) -> Option<Self> {
                self.checked_add(other)
            }
            fn times(self, other: Self) -> Option<Self> {
                self.checked_mul(other)
            }
            fn over(self, other: Self) -> Option<Self> {
                self.checked_div(other)
            }
        }
    )+};
}

whole! { i64, i128 }

/// `below < limit`, to be compared when a kernel is launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The side that must be less.
    pub below: Quantity,
    /// Than what.
    pub limit: Quantity,
}

impl Condition {
    /// Returns whether a launch fulfils it; one that cannot be computed is not fulfilled.
    ///
    /// Each launch asks: nearly all values have 64 bits, in which it takes a fraction of the time.
    pub fn holds(&self, launch: &impl LaunchValues) -> bool {
        self.holds_in::<i64>(launch).or_else(|| self.holds_in::<i128>(launch)).unwrap_or(false)
    }

    fn holds_in<N: Whole>(&self, launch: &impl LaunchValues) -> Option<bool> {
        Some(self.below.value::<N>(launch)? < self.limit.value::<N>(launch)?)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} < {}", self.below, self.limit)
    }
}
