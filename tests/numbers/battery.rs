//! Inputs, tolerances, and the macro that makes a kernel, its reference and a test of a table.

pub use harness::devices;
use warpsmith::nvrtc::Arch;

/// Rows of edge values that a battery of several arguments starts with.
const EDGE_ROWS: usize = 1024;
/// Random rows after them.
const RANDOM_ROWS: usize = 10_000;

/// Compiles printed CUDA for compute capabilities; says so where NVRTC is missing.
pub fn compiles_for(name: &str, code: &str, capabilities: &[(u32, u32)]) {
    let arch = |&(major, minor): &(u32, u32)| Arch { major, minor, specific: false };
    harness::compiles_for(name, code, &capabilities.iter().map(arch).collect::<Vec<_>>());
}

/// Compiles printed CUDA for three architectures; says so where NVRTC is missing.
pub fn compiles(name: &str, code: &str) {
    compiles_for(name, code, &[(8, 0), (9, 0), (10, 0)]);
}

/// The allowed distance of a result from its reference: in ulp, or absolutely. `None`: not compared.
pub type Tolerance = Option<(f64, f64)>;

/// Bit for bit, but for the bits of NaN.
pub fn exact() -> Tolerance {
    Some((0.0, -1.0))
}

/// The same as [`exact`], with zeros of both signs equal.
pub fn equal() -> Tolerance {
    Some((0.0, 0.0))
}

/// A documented bound, with one ulp for the reference.
pub fn ulps(bound: impl Into<f64>) -> Tolerance {
    Some((bound.into() + 1.0, 0.0))
}

/// Within a bound in ulp or an absolute one.
pub fn close(bound: impl Into<f64>, absolute: f64) -> Tolerance {
    Some((bound.into() + 1.0, absolute))
}

/// A tolerance where a condition holds; elsewhere nothing is compared.
pub fn only(condition: bool, tolerance: Tolerance) -> Tolerance {
    tolerance.filter(|_| condition)
}

/// A type of results.
pub trait Compare: Copy + std::fmt::Debug {
    /// Returns whether a result is near enough to its reference.
    fn near(self, want: Self, tolerance: (f64, f64)) -> bool;
}

macro_rules! compare {
    (ints: $($i:ty)+; floats: $($f:ty as $bits:ty),+) => {
        $(impl Compare for $i {
            fn near(self, want: Self, _tolerance: (f64, f64)) -> bool {
                self == want
            }
        })+
        $(impl Compare for $f {
            fn near(self, want: Self, (ulps, absolute): (f64, f64)) -> bool {
                if self.is_nan() || want.is_nan() {
                    return self.is_nan() && want.is_nan();
                }
                if absolute < 0.0 {
                    return self.to_bits() == want.to_bits();
                }
                // Places on the line of floats; both zeros are at 0.
                let place = |v: $f| {
                    let magnitude = i128::from(v.abs().to_bits());
                    if v.is_sign_negative() { -magnitude } else { magnitude }
                };
                let apart = (place(self) - place(want)).unsigned_abs() as f64;
                apart <= ulps || (f64::from(self) - f64::from(want)).abs() <= absolute
            }
        })+
    };
}

compare! { ints: u8 u16 u32 u64 i8 i16 i32 i64 bool; floats: f32 as u32, f64 as u64 }

/// A random generator: Weyl's sequence through a mixer.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// A type of arguments.
pub trait Sample: Copy {
    /// Zeros, ends, halves and what is next to them; at most 32.
    fn edges() -> Vec<Self>;
    /// Any value, sizes being about equally likely.
    fn random(from: &mut Random) -> Self;
}

macro_rules! sample_integers {
    ($($t:ty)+) => {$(
        impl Sample for $t {
            fn edges() -> Vec<Self> {
                let signed = [<$t>::MIN, <$t>::MIN + 1, <$t>::MAX, <$t>::MAX - 1, <$t>::MAX / 2, <$t>::MIN / 2];
                let small = [0, 1, 2, 3, 5, 7, 8, 10, 16, 31, 32, 33, 63, 64, 65, 100, 127];
                signed.into_iter().chain(small).chain([!0, !1, !7, <$t>::MAX / 3, 99]).collect()
            }

            fn random(from: &mut Random) -> Self {
                let value = from.next();
                (value as $t) >> (from.next() % u64::from(<$t>::BITS))
            }
        }
    )+};
}

sample_integers! { u8 u16 u32 u64 i8 i16 i32 i64 }

macro_rules! sample_floats {
    ($($t:ident, $word:ty;)+) => {$(
        impl Sample for $t {
            fn edges() -> Vec<Self> {
                let positive = [
                    0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 8.0, 0.1, 1e-3, $t::EPSILON, 1.0 - $t::EPSILON, $t::MAX,
                    $t::MIN_POSITIVE, $t::from_bits(1), $t::INFINITY,
                ];
                positive.iter().flat_map(|v| [*v, -*v]).take(31).chain([$t::NAN]).collect()
            }

            fn random(from: &mut Random) -> Self {
                let bits = from.next();
                let unit = (from.next() >> 11) as f64 / (1u64 << 53) as f64;
                match from.next() % 4 {
                    0 => $t::from_bits((bits >> (64 - <$word>::BITS)) as $word),
                    1 => (unit * 200.0 - 100.0) as $t,
                    2 => (unit * 20.0 - 10.0) as $t,
                    _ => (unit * 2.0 - 1.0) as $t,
                }
            }
        }
    )+};
}

sample_floats! { f32, u32; f64, u64; }

/// Argument number `place` of every row of a battery.
pub fn column<T: Sample>(place: usize) -> Vec<T> {
    let edges = T::edges();
    assert!(edges.len() <= 32);
    let mut random = Random(place as u64 * 1_000_003);
    let edge = |row: usize| match place {
        0 => row / 32,
        1 => row % 32,
        _ => row * 7 + row / 11 * place,
    };
    (0..EDGE_ROWS)
        .map(|row| edges[edge(row) % edges.len()])
        .chain((0..RANDOM_ROWS).map(|_| T::random(&mut random)))
        .collect()
}

/// A kernel that computes each left side of a row of arguments, and a test that each is the right
/// side, computed on the host, within the tolerance.
macro_rules! battery {
    ($module:ident($($x:ident: $t:ty),+) -> $r:ty {
        $({ $($device:tt)+ } = { $($host:tt)+ }, $tolerance:expr;)+
    }) => {
        mod $module {
            #[allow(unused_imports)]
            use super::*;
            use $crate::battery::*;
            use warpsmith::prelude::*;

            const COUNT: usize = [$(stringify!($($device)+)),+].len();

            #[allow(unused_assignments, unused_variables, clippy::all)]
            #[gpu_kernel(fmad = false)]
            fn kernel($($x: &[$t],)+ results: &mut [$r]) {
                let row = global_id();
                if row * COUNT < results.len() {
                    let mut place = row * COUNT;
                    $(let $x = $x[row];)+
                    $(
                        results[place] = { $($device)+ };
                        place += 1;
                    )+
                }
            }

            #[test]
            #[allow(unused_variables, clippy::all)]
            fn agrees_with_the_host() {
                harness::has_meanings::<kernel>(&());
                compiles("kernel", &kernel::checked_cuda_source_for(&()).expect("the kernel prints"));
                let mut number = 0..;
                let columns = ($({ let $x = column::<$t>(number.next().expect("endless")); $x }),+,);
                let ($($x),+,) = columns;
                let rows = [$($x.len()),+][0];
                for device in devices() {
                    let mut out = device.alloc_zeroed::<$r>(rows * COUNT).expect("memory");
                    {
                        $(let $x = device.upload(&$x).expect("memory");)+
                        kernel($(&$x,)+ &mut out).over(rows).block(128).launch(&device).expect("the kernel runs");
                    }
                    let got = device.download(&out).expect("memory");
                    let mut failures = Vec::new();
                    for (row, got) in got.chunks(COUNT).enumerate() {
                        $(let $x = $x[row];)+
                        let wants: [$r; COUNT] = [$({ $($host)+ }),+];
                        let tolerances: [Tolerance; COUNT] = [$($tolerance),+];
                        let names = [$(stringify!($($device)+)),+];
                        for op in 0..COUNT {
                            let near = tolerances[op].is_none_or(|t| got[op].near(wants[op], t));
                            if !near && failures.len() < 20 {
                                let args = [$(format!("{:?}", $x)),+].join(", ");
                                let (name, got, want) = (names[op], got[op], wants[op]);
                                failures.push(format!("{name} at ({args}) is {got:?} instead of {want:?}"));
                            }
                        }
                    }
                    assert!(failures.is_empty(), "on {}:\n{}", device.name(), failures.join("\n"));
                }
            }
        }
    };
}

pub(crate) use battery;
