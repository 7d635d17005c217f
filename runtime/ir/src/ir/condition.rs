//! What a launch must fulfil so that a bounds check can be left out: comparisons of values that are the
//! same for all threads and that the host knows.
//!
//! Values are exact integers: a kernel's own arithmetic may wrap, which makes an unsigned value only less.

use std::fmt;

use super::Scalar;
use crate::limits;

/// An integer that is known when a kernel is launched, or an unknown one that is the same wherever it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A constant.
    Const(i128),
    /// An integer that a parameter is or has.
    Param(Parameter),
    /// The length of a slice parameter, by position, with its name.
    Len(usize, String),
    /// Threads of a block along `x`, `y` or `z`.
    BlockDim(usize),
    /// Blocks of the grid along `x`, `y` or `z`.
    GridDim(usize),
    /// What only the device knows, with its greatest value.
    Unknown(usize, i128),
    /// A quantity and a constant.
    Offset(Box<Quantity>, i128),
    /// A sum.
    Sum(Box<[Quantity; 2]>),
    /// A product.
    Product(Box<[Quantity; 2]>),
    /// A quotient by a positive constant, rounded towards zero.
    Quotient(Box<Quantity>, i128),
    /// The lesser.
    Least(Box<[Quantity; 2]>),
    /// The greater.
    Greatest(Box<[Quantity; 2]>),
}

/// An integer of a kernel's parameter: the parameter itself, a field of it, or an extent of a view in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The parameter's position among all.
    pub position: usize,
    /// Where the integer is in its value, in bytes.
    pub offset: usize,
    /// Its type.
    pub scalar: Scalar,
    /// How Rust names it: `n`, `field.width`, `m.rows()`.
    pub name: String,
}

/// What a launch knows.
pub trait LaunchValues {
    /// The value of an integer of a parameter.
    fn param(&self, parameter: &Parameter) -> Option<i128>;
    /// The length of the slice parameter at a position.
    fn len(&self, position: usize) -> Option<i128>;
    /// Threads of a block.
    fn block_dim(&self) -> [u32; 3];
    /// Blocks of the grid.
    fn grid_dim(&self) -> [u32; 3];
}

impl Quantity {
    /// `self + c`
    pub fn plus(self, c: i128) -> Quantity {
        match self {
            Quantity::Const(n) => Quantity::Const(n.saturating_add(c)),
            Quantity::Offset(inner, n) if n.saturating_add(c) == 0 => *inner,
            Quantity::Offset(inner, n) => Quantity::Offset(inner, n.saturating_add(c)),
            Quantity::Least(ab) => {
                let [a, b] = *ab;
                a.plus(c).least(b.plus(c))
            }
            other if c == 0 => other,
            other => Quantity::Offset(other.into(), c),
        }
    }

    /// `self + other`
    pub fn sum(self, other: Quantity) -> Quantity {
        match (self, other) {
            (a, Quantity::Const(c)) | (Quantity::Const(c), a) => a.plus(c),
            (Quantity::Offset(a, c), b) | (b, Quantity::Offset(a, c)) => a.sum(b).plus(c),
            (a, b) => Quantity::Sum([a, b].into()),
        }
    }

    /// `self * other`
    pub fn product(self, other: Quantity) -> Quantity {
        match (self, other) {
            (Quantity::Const(a), Quantity::Const(b)) => Quantity::Const(a.saturating_mul(b)),
            (a, Quantity::Const(1)) | (Quantity::Const(1), a) => a,
            (a, b) => Quantity::Product([a, b].into()),
        }
    }

    /// `self / c` for a positive `c`.
    pub fn quotient(self, c: i128) -> Quantity {
        match self {
            Quantity::Const(n) => Quantity::Const(n / c),
            other if c == 1 => other,
            Quantity::Least(ab) => {
                let [a, b] = *ab;
                a.quotient(c).least(b.quotient(c))
            }
            other => Quantity::Quotient(other.into(), c),
        }
    }

    /// The lesser of both.
    pub fn least(self, other: Quantity) -> Quantity {
        match (self, other) {
            (Quantity::Const(a), Quantity::Const(b)) => Quantity::Const(a.min(b)),
            (a, Quantity::Const(c)) | (Quantity::Const(c), a) if a.most() <= c => a,
            (Quantity::Least(ab), Quantity::Const(c)) | (Quantity::Const(c), Quantity::Least(ab))
                if ab.iter().any(|a| a.as_const().is_some()) =>
            {
                let [a, b] = *ab;
                let (a, b) = if a.as_const().is_some() { (b, a) } else { (a, b) };
                b.least(Quantity::Const(c)).least(a)
            }
            (a, b) if a == b => a,
            (a, b) => Quantity::Least([a, b].into()),
        }
    }

    /// The greater of both.
    pub fn greatest(self, other: Quantity) -> Quantity {
        match (self, other) {
            (Quantity::Const(a), Quantity::Const(b)) => Quantity::Const(a.max(b)),
            (Quantity::Param(n), Quantity::Const(0)) if n.scalar.is_unsigned() => Quantity::Param(n),
            (a, b) if a == b => a,
            (a, b) => Quantity::Greatest([a, b].into()),
        }
    }

    /// The constant, if it is one.
    pub fn as_const(&self) -> Option<i128> {
        match self {
            Quantity::Const(n) => Some(*n),
            _ => None,
        }
    }

    /// What it never exceeds, whatever the launch.
    pub fn most(&self) -> i128 {
        match self {
            Quantity::Const(n) => *n,
            Quantity::Param(parameter) => parameter.scalar.int_range().map_or(i128::MAX, |(_, most)| most),
            Quantity::Unknown(_, most) => *most,
            Quantity::Len(..) => limits::ELEMENTS,
            Quantity::BlockDim(axis) => limits::BLOCK[*axis].into(),
            Quantity::GridDim(axis) => limits::GRID[*axis].into(),
            Quantity::Offset(a, c) => a.most().saturating_add(*c),
            Quantity::Sum(ab) => ab[0].most().saturating_add(ab[1].most()),
            Quantity::Product(_) => self.most_of_product(),
            Quantity::Quotient(a, c) => a.most() / c,
            Quantity::Least(ab) => ab[0].most().min(ab[1].most()),
            Quantity::Greatest(ab) => ab[0].most().max(ab[1].most()),
        }
    }

    /// A product with extents of a block in it has no more threads than a block, if each stands there once.
    fn most_of_product(&self) -> i128 {
        let mut parts = Factors::default();
        self.multiply(&mut parts);
        let threads =
            if parts.twice { parts.threads } else { parts.threads.min(limits::BLOCK_THREADS.into()) };
        threads.saturating_mul(parts.others)
    }

    fn multiply(&self, parts: &mut Factors) {
        match self {
            Quantity::Product(ab) => ab.iter().for_each(|of| of.multiply(parts)),
            Quantity::BlockDim(axis) => {
                parts.twice |= std::mem::replace(&mut parts.seen[*axis], true);
                parts.threads = parts.threads.saturating_mul(self.most());
            }
            other => parts.others = parts.others.saturating_mul(other.most()),
        }
    }

    /// Whether it is below another, whatever the launch.
    pub fn is_below(&self, other: &Quantity) -> bool {
        match (self, other) {
            (Quantity::Least(ab), _) => ab.iter().any(|a| a.is_below(other)),
            (Quantity::Greatest(ab), _) => ab.iter().all(|a| a.is_below(other)),
            (Quantity::Offset(a, c), Quantity::Offset(b, d)) if a == b => c < d,
            (Quantity::Offset(a, c), b) if **a == *b => *c < 0,
            (_, Quantity::Const(n)) => self.most() < *n,
            _ => false,
        }
    }

    /// Its value at a launch; nothing where it is unknown, or where a part of it is beyond the bits of `N`.
    fn value<N: Whole>(&self, launch: &impl LaunchValues) -> Option<N> {
        let both = |ab: &[Quantity; 2]| Some((ab[0].value::<N>(launch)?, ab[1].value::<N>(launch)?));
        match self {
            Quantity::Const(n) => N::of(*n),
            Quantity::Param(parameter) => N::of(launch.param(parameter)?),
            Quantity::Len(position, _) => N::of(launch.len(*position)?),
            Quantity::BlockDim(axis) => Some(launch.block_dim()[*axis].into()),
            Quantity::GridDim(axis) => Some(launch.grid_dim()[*axis].into()),
            Quantity::Unknown(..) => None,
            Quantity::Offset(a, c) => a.value::<N>(launch)?.plus(N::of(*c)?),
            Quantity::Sum(ab) => both(ab).and_then(|(a, b)| a.plus(b)),
            Quantity::Product(ab) => both(ab).and_then(|(a, b)| a.times(b)),
            Quantity::Quotient(a, c) => a.value::<N>(launch)?.over(N::of(*c)?),
            Quantity::Least(ab) => both(ab).map(|(a, b)| a.min(b)),
            Quantity::Greatest(ab) => both(ab).map(|(a, b)| a.max(b)),
        }
    }

    /// Whether the host knows all of it.
    pub fn is_known(&self) -> bool {
        !self.has_unknown(&|_| true)
    }

    /// Whether it is made of an unknown whose number is of some kind.
    pub fn has_unknown(&self, is_such: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Quantity::Unknown(id, _) => is_such(*id),
            Quantity::Offset(a, _) | Quantity::Quotient(a, _) => a.has_unknown(is_such),
            Quantity::Sum(ab) | Quantity::Product(ab) | Quantity::Least(ab) | Quantity::Greatest(ab) => {
                ab.iter().any(|a| a.has_unknown(is_such))
            }
            Quantity::Const(_)
            | Quantity::Param(_)
            | Quantity::Len(..)
            | Quantity::BlockDim(_)
            | Quantity::GridDim(_) => false,
        }
    }

    /// What a launch can be asked to keep below a limit, which is not less than this: without the bounds that
    /// only the device knows, or that say no more than the type does.
    pub fn askable(self) -> Option<Quantity> {
        match self {
            Quantity::Unknown(..) => None,
            Quantity::Const(n) => (n < i128::from(i32::MAX)).then_some(self),
            Quantity::Offset(a, c) => (c < i128::from(i32::MAX)).then_some(a.askable()?.plus(c)),
            Quantity::Quotient(a, c) => Some(a.askable()?.quotient(c)),
            Quantity::Least(ab) => {
                let [a, b] = *ab;
                match (a.askable(), b.askable()) {
                    (Some(a), Some(b)) => Some(a.least(b)),
                    (a, b) => a.or(b),
                }
            }
            Quantity::Sum(ab) => both(*ab, Quantity::sum),
            Quantity::Product(ab) => both(*ab, Quantity::product),
            Quantity::Greatest(ab) => both(*ab, Quantity::greatest),
            known => Some(known),
        }
    }
}

/// What a product is made of, by its greatest values.
struct Factors {
    /// The extents of a block in it.
    threads: i128,
    seen: [bool; 3],
    /// Whether one of them stands there twice.
    twice: bool,
    others: i128,
}

impl Default for Factors {
    fn default() -> Self {
        Self { threads: 1, seen: [false; 3], twice: false, others: 1 }
    }
}

/// A width that values are computed in; what does not fit it is nothing.
trait Whole: Copy + Ord + From<u32> {
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

fn both([a, b]: [Quantity; 2], join: fn(Quantity, Quantity) -> Quantity) -> Option<Quantity> {
    Some(join(a.askable()?, b.askable()?))
}

/// `below < limit`, to be compared when a kernel is launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What must be less.
    pub below: Quantity,
    /// Than what.
    pub limit: Quantity,
}

impl Condition {
    /// Whether a launch fulfils it; one that cannot be computed is not fulfilled.
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

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = |axis: &usize| ["x", "y", "z"][*axis];
        match self {
            Quantity::Const(n) => write!(f, "{n}"),
            Quantity::Param(parameter) => f.write_str(&parameter.name),
            Quantity::Len(_, name) => write!(f, "{name}.len()"),
            Quantity::BlockDim(a) => write!(f, "block.{}", axis(a)),
            Quantity::GridDim(a) => write!(f, "grid.{}", axis(a)),
            Quantity::Unknown(id, _) => write!(f, "?{id}"),
            Quantity::Offset(a, c) if *c < 0 => write!(f, "{a} - {}", -c),
            Quantity::Offset(a, c) => write!(f, "{a} + {c}"),
            Quantity::Sum(ab) => write!(f, "{} + {}", ab[0], ab[1]),
            Quantity::Product(ab) => write!(f, "{} * {}", Factor(&ab[0]), Factor(&ab[1])),
            Quantity::Quotient(a, c) => write!(f, "{} / {c}", Factor(a)),
            Quantity::Least(ab) => write!(f, "min({}, {})", ab[0], ab[1]),
            Quantity::Greatest(ab) => write!(f, "max({}, {})", ab[0], ab[1]),
        }
    }
}

/// A quantity as an operand of a product.
struct Factor<'a>(&'a Quantity);

impl fmt::Display for Factor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Quantity::Sum(_) | Quantity::Offset(..) | Quantity::Quotient(..) => write!(f, "({})", self.0),
            plain => write!(f, "{plain}"),
        }
    }
}
