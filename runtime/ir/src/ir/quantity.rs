//! Integers known at a launch: lengths, parameters, extents, and numbers computed from them.
//!
//! Values are exact: nothing wraps. Independent of expressions and kernels. Copies share their parts: proofs make many.

use std::sync::Arc;

use super::Scalar;
use super::condition::{LaunchValues, Whole};
use super::difference::Difference;
use crate::limits;

/// An integer that is known when a kernel is launched, or an unknown one that is the same wherever it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A constant.
    Const(i128),
    /// An integer that a parameter is or has.
    Param(Parameter),
    /// The length of a slice parameter, by position, with its name.
    Len(usize, Arc<str>),
    /// Threads of a block along `x`, `y` or `z`.
    BlockDim(usize),
    /// Blocks of the grid along `x`, `y` or `z`.
    GridDim(usize),
    /// Bytes of the launch's dynamic shared memory.
    SharedBytes,
    /// The address of a slice parameter, by position, modulo a number of bytes.
    Misalignment(usize, u32, Arc<str>),
    /// A number that only the device knows, with its minimum and maximum.
    Unknown(usize, [i128; 2]),
    /// A quantity and a constant.
    Offset(Arc<Quantity>, i128),
    /// A sum.
    Sum(Arc<[Quantity; 2]>),
    /// A product.
    Product(Arc<[Quantity; 2]>),
    /// A quotient by a positive constant, rounded towards zero.
    Quotient(Arc<Quantity>, i128),
    /// The quotient of a number that is not negative by a positive one; no number otherwise.
    Ratio(Arc<[Quantity; 2]>),
    /// Two to the power of a number from 0 to 62; no number otherwise.
    Power(Arc<Quantity>),
    /// The least number whose bits are all ones that is no less than a number which is not negative; no number otherwise.
    Ones(Arc<Quantity>),
    /// The number below zero.
    Negated(Arc<Quantity>),
    /// The lesser.
    Least(Arc<[Quantity; 2]>),
    /// The greater.
    Greatest(Arc<[Quantity; 2]>),
}

/// An integer of a kernel's parameter: the parameter itself, a field of it, or an extent of a view in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The parameter's position among all.
    pub position: usize,
    /// The offset of the integer in its value, in bytes.
    pub offset: usize,
    /// Its type.
    pub scalar: Scalar,
    /// How Rust names it: `n`, `field.width`, `m.rows()`.
    pub name: Arc<str>,
}

/// Parts of two quantities that are compared at most to tell which is less.
const COMPARISONS: usize = 50;

impl Quantity {
    /// `self + c`
    pub fn plus(self, c: i128) -> Quantity {
        match self {
            Quantity::Const(n) => Quantity::Const(n.saturating_add(c)),
            Quantity::Offset(inner, n) if n.saturating_add(c) == 0 => Arc::unwrap_or_clone(inner),
            Quantity::Offset(inner, n) => Quantity::Offset(inner, n.saturating_add(c)),
            Quantity::Least(ab) => {
                let [a, b] = Arc::unwrap_or_clone(ab);
                a.plus(c).least(b.plus(c))
            }
            Quantity::Greatest(ab) => {
                let [a, b] = Arc::unwrap_or_clone(ab);
                a.plus(c).greatest(b.plus(c))
            }
            other if c == 0 => other,
            other => Quantity::Offset(other.into(), c),
        }
    }

    /// `self + other`
    pub fn sum(self, other: Quantity) -> Quantity {
        match (self, other) {
            (a, Quantity::Const(c)) | (Quantity::Const(c), a) => a.plus(c),
            (Quantity::Offset(a, c), b) | (b, Quantity::Offset(a, c)) => {
                Arc::unwrap_or_clone(a).sum(b).plus(c)
            }
            (Quantity::Negated(a), b) | (b, Quantity::Negated(a)) if *a == b => Quantity::Const(0),
            (a, b) => Quantity::Sum([a, b].into()),
        }
    }

    /// Returns whether it is written as a multiple of a number.
    pub fn is_multiple_of(&self, n: i128) -> bool {
        match self {
            Quantity::Const(c) => c % n == 0,
            Quantity::Offset(a, c) => c % n == 0 && a.is_multiple_of(n),
            Quantity::Negated(a) => a.is_multiple_of(n),
            Quantity::Sum(ab) => ab.iter().all(|a| a.is_multiple_of(n)),
            Quantity::Product(ab) => ab.iter().any(|a| a.is_multiple_of(n)),
            _ => false,
        }
    }

    /// `-self`
    pub fn negated(self) -> Quantity {
        match self {
            Quantity::Const(n) => Quantity::Const(n.saturating_neg()),
            Quantity::Offset(a, c) => Arc::unwrap_or_clone(a).negated().plus(c.saturating_neg()),
            Quantity::Negated(a) => Arc::unwrap_or_clone(a),
            other => Quantity::Negated(other.into()),
        }
    }

    /// `self * other`
    pub fn product(self, other: Quantity) -> Quantity {
        match (self, other) {
            (Quantity::Const(a), Quantity::Const(b)) => Quantity::Const(a.saturating_mul(b)),
            (a, Quantity::Const(1)) | (Quantity::Const(1), a) => a,
            (_, Quantity::Const(0)) | (Quantity::Const(0), _) => Quantity::Const(0),
            (a, b) => Quantity::Product([a, b].into()),
        }
    }

    /// `self / c` for a positive `c`.
    pub fn quotient(self, c: i128) -> Quantity {
        match self {
            Quantity::Const(n) => Quantity::Const(n / c),
            other if c == 1 => other,
            Quantity::Least(ab) => {
                let [a, b] = Arc::unwrap_or_clone(ab);
                a.quotient(c).least(b.quotient(c))
            }
            other => Quantity::Quotient(other.into(), c),
        }
    }

    /// Two to the power of this.
    pub fn power(self) -> Quantity {
        match self {
            Quantity::Const(n) if (0..63).contains(&n) => Quantity::Const(1 << n),
            other => Quantity::Power(other.into()),
        }
    }

    /// The least number whose bits are all ones that is no less than this.
    pub fn ones(self) -> Quantity {
        match self {
            Quantity::Const(n) => Quantity::Const(ones(n)),
            other => Quantity::Ones(other.into()),
        }
    }

    /// `self / other`, where one is not negative and the other is positive.
    pub fn ratio(self, other: Quantity) -> Quantity {
        match other {
            Quantity::Const(c) if c > 0 => self.quotient(c),
            _ => Quantity::Ratio([self, other].into()),
        }
    }

    /// The exact quotient by another quantity that is one of its factors.
    pub fn over(&self, by: &Quantity) -> Option<Quantity> {
        match (self, by) {
            _ if self == by => Some(Quantity::Const(1)),
            (Quantity::Product(ab), _) if ab.iter().any(|a| a.over(by).is_some()) => {
                let [a, b] = &**ab;
                a.over(by)
                    .map(|rest| rest.product(b.clone()))
                    .or_else(|| Some(a.clone().product(b.over(by)?)))
            }
            (_, Quantity::Product(ab)) => self.over(&ab[0])?.over(&ab[1]),
            _ => None,
        }
    }

    /// The constant, if it is one.
    pub fn as_const(&self) -> Option<i128> {
        match self {
            Quantity::Const(n) => Some(*n),
            _ => None,
        }
    }

    /// The upper bound, whatever the launch.
    pub fn most(&self) -> i128 {
        match self {
            Quantity::Const(n) => *n,
            Quantity::Param(parameter) => parameter.scalar.int_range().map_or(i128::MAX, |(_, most)| most),
            Quantity::Unknown(_, [_, most]) => *most,
            Quantity::Len(..) => limits::ELEMENTS,
            Quantity::BlockDim(axis) => limits::BLOCK[*axis].into(),
            Quantity::GridDim(axis) => limits::GRID[*axis].into(),
            Quantity::SharedBytes => u32::MAX.into(),
            Quantity::Misalignment(_, bytes, _) => i128::from(*bytes) - 1,
            Quantity::Offset(a, c) => a.most().saturating_add(*c),
            Quantity::Sum(ab) => ab[0].most().saturating_add(ab[1].most()),
            Quantity::Negated(a) => a.minimum().saturating_neg(),
            Quantity::Product(ab) if ab.iter().all(|a| a.minimum() >= 0) => self.most_of_product(),
            Quantity::Product(ab) => ends(ab).into_iter().max().unwrap_or(i128::MAX),
            Quantity::Quotient(a, c) => a.most() / c,
            Quantity::Ratio(ab) => ab[0].most().max(0) / ab[1].minimum().max(1),
            Quantity::Power(a) => 1 << a.most().clamp(0, 62),
            Quantity::Ones(a) => ones(a.most()),
            Quantity::Least(ab) => ab[0].most().min(ab[1].most()),
            Quantity::Greatest(ab) => ab[0].most().max(ab[1].most()),
        }
    }

    /// The lower bound, whatever the launch.
    pub fn minimum(&self) -> i128 {
        match self {
            Quantity::Const(n) => *n,
            Quantity::Param(parameter) => parameter.scalar.int_range().map_or(i128::MIN, |(least, _)| least),
            Quantity::Unknown(_, [least, _]) => *least,
            Quantity::BlockDim(_) | Quantity::GridDim(_) => 1,
            Quantity::Power(a) => 1 << a.minimum().clamp(0, 62),
            Quantity::Ones(a) => ones(a.minimum()),
            Quantity::Len(..) | Quantity::SharedBytes | Quantity::Misalignment(..) | Quantity::Ratio(_) => 0,
            Quantity::Offset(a, c) => a.minimum().saturating_add(*c),
            Quantity::Sum(ab) => ab[0].minimum().saturating_add(ab[1].minimum()),
            Quantity::Negated(a) => a.most().saturating_neg(),
            Quantity::Product(ab) => ends(ab).into_iter().min().unwrap_or(i128::MIN),
            Quantity::Quotient(a, c) => a.minimum() / c,
            Quantity::Least(ab) => ab[0].minimum().min(ab[1].minimum()),
            Quantity::Greatest(ab) => ab[0].minimum().max(ab[1].minimum()),
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

    /// Returns whether it is below another, whatever the launch.
    pub fn is_below(&self, other: &Quantity) -> bool {
        self.is_less(other, &mut COMPARISONS.clone())
    }

    fn is_less(&self, other: &Quantity, left: &mut usize) -> bool {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return false;
        }
        match (self, other) {
            // What has to hold for each comes first: then one of two may do for the one, and the other for the other.
            (_, Quantity::Least(ab)) => ab.iter().all(|b| self.is_less(b, left)),
            (Quantity::Greatest(ab), _) => ab.iter().all(|a| a.is_less(other, left)),
            (Quantity::Least(ab), _) if ab.iter().any(|a| a.is_less(other, left)) => true,
            (_, Quantity::Greatest(ab)) if ab.iter().any(|b| self.is_less(b, left)) => true,
            // A part of what is no more is less, unless that is zero.
            (Quantity::Quotient(a, c), Quantity::Greatest(ab))
                if *c > 1 && a.minimum() >= 0 && ab.iter().any(|b| b.as_const().is_some_and(|b| b > 0)) =>
            {
                a.is_less(&other.clone().plus(1), left)
            }
            (Quantity::Quotient(a, _), _) if a.minimum() >= 0 && a.is_less(other, left) => true,
            _ => Difference::new(self, other).most() < 0,
        }
    }

    /// Its value at a launch; nothing where it is unknown, or where a part of it is beyond the bits of `N`.
    pub(super) fn value<N: Whole>(&self, launch: &impl LaunchValues) -> Option<N> {
        let both = |ab: &[Quantity; 2]| Some((ab[0].value::<N>(launch)?, ab[1].value::<N>(launch)?));
        match self {
            Quantity::Const(n) => N::of(*n),
            Quantity::Param(parameter) => N::of(launch.param(parameter)?),
            Quantity::Len(position, _) => N::of(launch.len(*position)?),
            Quantity::BlockDim(axis) => Some(launch.block_dim()[*axis].into()),
            Quantity::GridDim(axis) => Some(launch.grid_dim()[*axis].into()),
            Quantity::SharedBytes => Some(launch.shared_bytes().into()),
            Quantity::Misalignment(position, bytes, _) => {
                N::of(i128::from(launch.address(*position)? % u64::from(*bytes)))
            }
            Quantity::Unknown(..) => None,
            Quantity::Offset(a, c) => a.value::<N>(launch)?.plus(N::of(*c)?),
            Quantity::Sum(ab) => both(ab).and_then(|(a, b)| a.plus(b)),
            Quantity::Negated(a) => a.value::<N>(launch)?.times(N::of(-1)?),
            Quantity::Product(ab) => both(ab).and_then(|(a, b)| a.times(b)),
            Quantity::Quotient(a, c) => a.value::<N>(launch)?.over(N::of(*c)?),
            Quantity::Ratio(ab) => {
                let (a, b) = both(ab)?;
                if a < 0.into() || b < 1.into() { None } else { a.over(b) }
            }
            Quantity::Power(a) => {
                let by = a.value::<N>(launch)?;
                let bit = (0..63).find(|bit| by == N::from(*bit))?;
                N::of(1 << bit)
            }
            Quantity::Ones(a) => {
                let value = a.value::<N>(launch).filter(|value| *value >= 0.into())?;
                let bit = (0..63).find(|bit| N::of(1 << *bit).is_none_or(|past| value < past))?;
                N::of((1 << bit) - 1)
            }
            Quantity::Least(ab) => both(ab).map(|(a, b)| a.min(b)),
            Quantity::Greatest(ab) => both(ab).map(|(a, b)| a.max(b)),
        }
    }

    /// Adds the numbers of a launch in it to `all`, each once.
    pub(super) fn numbers(&self, all: &mut Vec<Quantity>) {
        let parts = self.parts();
        parts.iter().for_each(|part| part.numbers(all));
        if parts.is_empty() && self.as_const().is_none() && !all.contains(self) {
            all.push(self.clone());
        }
    }

    /// Returns whether the host knows all of it.
    pub fn is_known(&self) -> bool {
        !self.has_unknown(&|_| true)
    }

    /// Returns whether the extent of the grid is a part of it.
    pub fn has_grid(&self) -> bool {
        self.has(&|part| matches!(part, Quantity::GridDim(_)))
    }

    /// Returns whether a number below zero is a part of it.
    pub fn has_negated(&self) -> bool {
        self.has(&|part| matches!(part, Quantity::Negated(_)))
    }

    /// Returns whether it is made of numbers and extents of the block alone.
    pub fn is_of_block(&self) -> bool {
        match self {
            Quantity::Const(_) | Quantity::BlockDim(_) => true,
            _ => !self.parts().is_empty() && self.parts().iter().all(Quantity::is_of_block),
        }
    }

    /// Returns whether it is made of an unknown whose number is of some kind.
    pub fn has_unknown(&self, is_such: &dyn Fn(usize) -> bool) -> bool {
        self.has(&|part| matches!(part, Quantity::Unknown(id, _) if is_such(*id)))
    }

    /// A quantity without some unknown ones that is not less, if `upper`, or else not more.
    pub fn without(&self, is_such: &dyn Fn(usize) -> bool, upper: bool) -> Quantity {
        let both = |ab: &[Quantity; 2]| [0, 1].map(|at| ab[at].without(is_such, upper));
        match self {
            _ if !self.has_unknown(is_such) => self.clone(),
            Quantity::Offset(a, c) => a.without(is_such, upper).plus(*c),
            Quantity::Least(ab) => {
                let [a, b] = both(ab);
                a.least(b)
            }
            Quantity::Greatest(ab) => {
                let [a, b] = both(ab);
                a.greatest(b)
            }
            _ => Quantity::Const(if upper { self.most() } else { self.minimum() }),
        }
    }

    fn has(&self, is_such: &dyn Fn(&Quantity) -> bool) -> bool {
        is_such(self) || self.parts().iter().any(|part| part.has(is_such))
    }

    /// The quantities that it is computed of.
    pub(super) fn parts(&self) -> &[Quantity] {
        match self {
            Quantity::Offset(a, _)
            | Quantity::Quotient(a, _)
            | Quantity::Negated(a)
            | Quantity::Power(a)
            | Quantity::Ones(a) => std::slice::from_ref(a),
            Quantity::Sum(ab)
            | Quantity::Product(ab)
            | Quantity::Ratio(ab)
            | Quantity::Least(ab)
            | Quantity::Greatest(ab) => &**ab,
            Quantity::Const(_)
            | Quantity::Param(_)
            | Quantity::Len(..)
            | Quantity::BlockDim(_)
            | Quantity::GridDim(_)
            | Quantity::SharedBytes
            | Quantity::Misalignment(..)
            | Quantity::Unknown(..) => &[],
        }
    }
}

/// The products of the ends of two ranges.
fn ends([a, b]: &[Quantity; 2]) -> [i128; 4] {
    let (a, b) = ([a.minimum(), a.most()], [b.minimum(), b.most()]);
    [0, 1, 2, 3].map(|i| a[i & 1].saturating_mul(b[i >> 1]))
}

/// The factors of a product, by their greatest values.
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

/// The least number of ones, as bits, that is not below a value.
pub(crate) fn ones(value: i128) -> i128 {
    let width = i128::BITS - value.max(0).leading_zeros();
    if width >= i128::BITS - 1 { i128::MAX } else { (1 << width) - 1 }
}
