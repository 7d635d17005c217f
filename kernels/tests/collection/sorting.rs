//! Sorts of keys and of pairs against the host's stable sort.

use std::cmp::Ordering;

use proptest::prelude::{Just, ProptestConfig, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::Call;
use warpsmith_kernels::sorting::{Key, Sort, Value, sort, sort_in_place, sort_pairs, sort_pairs_in_place};

use crate::devices::{Placed, Random, devices, scale, shuffled};

/// A key of the tests: its bits, and its order.
pub trait Bits: Key + std::fmt::Debug {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
    fn order(self, other: Self) -> Ordering;
}

macro_rules! bits {
    ($($t:ty: |$bits:ident| $of:expr, |$key:ident| $to:expr, $order:expr;)+) => {$(
        impl Bits for $t {
            fn of($bits: u64) -> Self {
                $of
            }
            fn bits(self) -> u64 {
                let $key = self;
                $to
            }
            fn order(self, other: Self) -> Ordering {
                $order(&self, &other)
            }
        }
    )+};
}

bits! {
    u32: |bits| bits as u32, |key| u64::from(key), Ord::cmp;
    i32: |bits| bits as i32, |key| u64::from(key as u32), Ord::cmp;
    f32: |bits| f32::from_bits(bits as u32), |key| u64::from(key.to_bits()), f32::total_cmp;
    u64: |bits| bits, |key| key, Ord::cmp;
    i64: |bits| bits as i64, |key| key as u64, Ord::cmp;
    f64: |bits| f64::from_bits(bits), |key| key.to_bits(), f64::total_cmp;
}

/// How keys are distributed.
#[derive(Clone, Copy, Debug)]
pub enum Keys {
    /// Any bits: of floats, NaNs and infinities too.
    Any,
    Equal,
    Ascending,
    Descending,
    /// Of five values, two of which differ in the sign alone.
    Few,
}

pub const KEYS: [Keys; 5] = [Keys::Any, Keys::Equal, Keys::Ascending, Keys::Descending, Keys::Few];

pub fn keys<K: Bits>(of: Keys, len: usize, seed: u64) -> Vec<K> {
    let mut random = Random::new(seed);
    let sign = 1u64 << (size_of::<K>() * 8 - 1);
    let of = |i: usize| match of {
        Keys::Any => random.next() << 13 ^ random.next(),
        Keys::Equal => 0x1234_5678_9abc_def0,
        Keys::Ascending => i as u64 * 3,
        Keys::Descending => (len - i) as u64 * 70_001,
        Keys::Few => [0, sign, 5, u64::MAX, 1 << 20][random.below(5)],
    };
    (0..len).map(of).map(K::of).collect()
}

/// What a test sorts, and how.
#[derive(Clone, Copy, Debug)]
struct Case {
    of: Keys,
    len: usize,
    offset: usize,
    descending: bool,
    in_place: bool,
}

fn run<K: Key, V: Value>(call: Call<'_, Sort<'_, K, V>>, case: Case) {
    let call = if case.descending { call.descending() } else { call };
    let mut call = call.prepare().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    // The words of the first launch are nothing to the next.
    for _ in 0..if case.len < 5000 { 2 } else { 1 } {
        call.launch().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    }
}

/// Sorts keys by themselves.
fn check<K: Bits>(device: &Device, case: Case, seed: u64) {
    let Case { of, len, offset, descending, in_place } = case;
    let x = keys::<K>(of, len, seed);
    let mut want = x.clone();
    want.sort_by(|a, b| if descending { b.order(*a) } else { a.order(*b) });
    let mut placed = Placed::new(device, offset, &x, K::of(7));
    let mut y = Placed::new(device, offset, &vec![K::of(9); len], K::of(9));
    let got = if in_place {
        run(sort_in_place(device, placed.part_mut()), case);
        placed.read(device)
    } else {
        run(sort(device, placed.part(), y.part_mut()), case);
        y.read(device)
    };
    let bits = |keys: &[K]| keys.iter().map(|key| key.bits()).collect::<Vec<_>>();
    assert!(bits(&got) == bits(&want), "{case:?} of {} bytes", size_of::<K>());
}

/// Sorts keys with the numbers of their places.
fn check_pairs<K: Bits, V: Value>(
    device: &Device,
    case: Case,
    seed: u64,
    value: fn(usize) -> V,
    number: fn(V) -> usize,
) {
    let Case { of, len, offset, descending, in_place } = case;
    let x = keys::<K>(of, len, seed);
    let mut want: Vec<(u64, usize)> = Vec::new();
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|a, b| if descending { x[*b].order(x[*a]) } else { x[*a].order(x[*b]) });
    want.extend(order.into_iter().map(|i| (x[i].bits(), i)));
    let values: Vec<V> = (0..len).map(value).collect();
    let mut placed = Placed::new(device, offset, &x, K::of(7));
    let mut placed_values = Placed::new(device, offset, &values, value(7));
    let mut y = Placed::new(device, 0, &x, K::of(9));
    let mut y_values = Placed::new(device, 0, &values, value(9));
    let (got, got_values) = if in_place {
        // A second launch sorts sorted pairs, which changes nothing.
        run(sort_pairs_in_place(device, placed.part_mut(), placed_values.part_mut()), case);
        (placed.read(device), placed_values.read(device))
    } else {
        let to = (y.part_mut(), y_values.part_mut());
        run(sort_pairs(device, placed.part(), placed_values.part(), to.0, to.1), case);
        (y.read(device), y_values.read(device))
    };
    let got: Vec<_> =
        got.into_iter().zip(got_values).map(|(key, value)| (key.bits(), number(value))).collect();
    assert!(got == want, "{case:?}");
}

fn small(value: usize) -> u32 {
    value as u32
}

fn large(value: usize) -> f64 {
    value as f64
}

fn at_lengths<K: Bits>(lengths: &[usize]) {
    for device in devices() {
        for (k, len) in lengths.iter().enumerate() {
            let len = len * scale(&device);
            let case = |of: usize| Case {
                of: KEYS[of % KEYS.len()],
                len,
                offset: k % 3,
                descending: of % 2 == 1,
                in_place: k % 3 == 0,
            };
            check::<K>(&device, case(k), k as u64);
            check_pairs::<K, u32>(&device, case(k + 2), k as u64, small, |v| v as usize);
            if k < 4 {
                check_pairs::<K, f64>(&device, case(k + 4), k as u64, large, |v| v as usize);
            }
        }
    }
}

#[test]
fn keys_of_32_bits_are_sorted() {
    // Of no tile, of parts of one, and of two.
    at_lengths::<u32>(&[0, 1, 33, 1000, 10_001]);
    // Only the order of the bits differs.
    at_lengths::<i32>(&[33, 600]);
    at_lengths::<f32>(&[33, 600]);
}

#[test]
fn keys_of_64_bits_are_sorted() {
    // Tiles have half as many of them.
    at_lengths::<u64>(&[0, 1, 33, 1000, 4999]);
    at_lengths::<i64>(&[33, 600]);
    at_lengths::<f64>(&[33, 600]);
}

#[test]
fn nan_and_zeros_are_in_the_order_of_total_cmp() {
    let device = Device::simulator();
    let x = [f32::NAN, 0.0, f32::INFINITY, -0.0, -f32::NAN, 1.0, f32::NEG_INFINITY];
    let x = device.upload(&x).expect("device memory");
    let mut y = device.alloc_zeroed::<f32>(7).expect("device memory");
    sort(&device, &x, &mut y).run().expect("it runs");
    let y = device.download(&y).expect("no fault");
    assert!(y[0].is_nan() && y[0].is_sign_negative() && y[6].is_nan() && y[6].is_sign_positive());
    assert_eq!(y[1..6], [f32::NEG_INFINITY, -0.0, 0.0, 1.0, f32::INFINITY]);
    assert!(y[2].is_sign_negative() && y[3].is_sign_positive());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn keys_of_any_kind_and_number(
        of in prop_oneof![
            Just(Keys::Any),
            Just(Keys::Equal),
            Just(Keys::Ascending),
            Just(Keys::Descending),
            Just(Keys::Few),
        ],
        len in prop_oneof![4 => 0usize..600, 3 => 0usize..3000, 1 => 9000usize..12_000],
        offset in 0usize..5,
        (descending, in_place, is_wide, has_values) in any::<(bool, bool, bool, bool)>(),
        seed in 0u64..1000,
    ) {
        let device = shuffled(seed);
        let case = Case { of, len, offset, descending, in_place };
        match (is_wide, has_values) {
            (false, false) => check::<i32>(&device, case, seed),
            (false, true) => check_pairs::<f32, u32>(&device, case, seed, small, |v| v as usize),
            (true, false) => check::<f64>(&device, case, seed),
            (true, true) => check_pairs::<u64, f64>(&device, case, seed, large, |v| v as usize),
        }
    }
}
