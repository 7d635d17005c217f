//! Numbers as the references compute with them.

use warpsmith::prelude::*;
use warpsmith_kernels::number::{Number, Real};

use crate::devices::Random;

/// A number of a test: made of a random one, and exact in `f64` or an integer of 128 bits.
pub trait Tested: Number + Real {
    /// A moderate number.
    fn some(random: &mut Random) -> Self;
    /// The exact value.
    fn exact(self) -> f64;
    /// Numbers at the edges of the type.
    const EDGES: &'static [Self];
}

macro_rules! floats {
    ($($t:ty: $make:expr, $exact:expr;)+) => {$(
        impl Tested for $t {
            fn some(random: &mut Random) -> Self {
                $make(random.unit())
            }
            fn exact(self) -> f64 {
                $exact(self)
            }
            const EDGES: &'static [Self] = &[
                <$t>::INFINITY,
                <$t>::NEG_INFINITY,
                <$t>::MAX,
                <$t>::MIN,
                <$t>::MIN_POSITIVE,
                <$t as Num>::ZERO,
            ];
        }
    )+};
}

floats! {
    f16: f16::from_f64, f16::to_f64;
    bf16: bf16::from_f64, bf16::to_f64;
    f32: |x| x as f32, f64::from;
    f64: |x| x, |x: f64| x;
}

macro_rules! integers {
    ($($t:ty)+) => {$(
        impl Tested for $t {
            fn some(random: &mut Random) -> Self {
                random.next() as $t
            }
            fn exact(self) -> f64 {
                self as f64
            }
            const EDGES: &'static [Self] = &[<$t>::MAX, <$t>::MIN, 0, 1];
        }
    )+};
}

integers! { i8 i16 i32 i64 u8 u16 u32 u64 }

/// Random numbers.
pub fn some<T: Tested>(seed: u64, len: usize) -> Vec<T> {
    let mut random = Random::new(seed);
    (0..len).map(|_| T::some(&mut random)).collect()
}

/// Numbers of which every eighth is at an edge of the type.
pub fn with_edges<T: Tested>(seed: u64, len: usize) -> Vec<T> {
    let mut random = Random::new(seed);
    let edge = |random: &mut Random| T::EDGES[random.below(T::EDGES.len())];
    (0..len).map(|_| if random.below(8) == 0 { edge(&mut random) } else { T::some(&mut random) }).collect()
}

/// The sum, with what each addition rounds away added at the end (A. Neumaier, 1974): its error does not grow with the count.
pub fn added(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, lost) = numbers.fold((0.0f64, 0.0), |(sum, lost), x| {
        let next = sum + x;
        let rounded = if sum.abs() >= x.abs() { sum - next + x } else { x - next + sum };
        (next, lost + rounded)
    });
    sum + lost
}

/// Whether `got` is `want` up to `by` parts, and an error of adding `scale`.
#[track_caller]
pub fn close(got: f64, want: f64, by: f64, scale: f64, what: &str) {
    let within =
        (got - want).abs() <= by * (scale + want.abs()) || got == want || got.is_nan() && want.is_nan();
    assert!(within, "{what}: {got} instead of {want}");
}
