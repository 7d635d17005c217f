//! Transposes, permutations and copies, of elements of every size.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::movement::{copy, permute, transpose};

use crate::devices::{Random, devices, shuffled};
use crate::matrices::{Place, Placed};

/// An element whose bits are random.
pub trait Bits: GpuType + PartialEq + std::fmt::Debug {
    fn of(bits: u64) -> Self;
}

macro_rules! bits {
    ($($t:ty: |$bits:ident| $of:expr;)+) => {$(
        impl Bits for $t {
            fn of($bits: u64) -> Self {
                $of
            }
        }
    )+};
}

bits! {
    u8: |bits| bits as u8;
    u16: |bits| bits as u16;
    u32: |bits| bits as u32;
    f32: |bits| (bits % 1000) as f32;
    u64: |bits| bits;
    U32x3: |bits| U32x3::new(bits as u32, (bits >> 10) as u32, (bits >> 20) as u32);
    F64x2: |bits| F64x2::new((bits % 999) as f64, (bits % 77) as f64);
}

pub fn elements<T: Bits>(seed: u64, len: usize) -> Vec<T> {
    let mut random = Random::new(seed);
    (0..len).map(|_| T::of(random.next())).collect()
}

/// Where the sides of a matrix lie, and how.
#[derive(Clone, Copy, Debug)]
struct Case {
    rows: usize,
    cols: usize,
    gaps: (usize, usize),
    offsets: (usize, usize),
    band: u32,
}

/// Transposes a matrix, and copies it to one of the other order.
fn check<T: Bits>(device: &Device, case: Case, seed: u64) {
    let Case { rows, cols, gaps, offsets, band } = case;
    let x = elements::<T>(seed, rows * cols);
    let padding = T::of(0);
    let from = Place { rows, cols, gap: gaps.0, offset: offsets.0 };
    let to = Place { rows: cols, cols: rows, gap: gaps.1, offset: offsets.1 };
    let placed = Placed::new(device, from, &x, padding);
    let want: Vec<T> =
        (0..cols).flat_map(|c| (0..rows).map(move |r| (r, c))).map(|(r, c)| x[r * cols + c]).collect();
    let mut y = Placed::new(device, to, &vec![padding; rows * cols], padding);
    let run = |call: warpsmith_kernels::Call<'_, warpsmith_kernels::movement::Movement<'_, T>>| {
        call.band(band).run().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    };
    run(transpose(device, placed.matrix(), y.matrix_mut()));
    assert_eq!(y.read(device, padding), want, "{case:?}");
    let mut y = Placed::new(device, to, &vec![padding; rows * cols], padding);
    run(copy(device, placed.matrix(), y.matrix_mut().t()));
    assert_eq!(y.read(device, padding), want, "{case:?}, as a copy");
    let same = Place { gap: gaps.1, offset: offsets.1, ..from };
    let mut y = Placed::new(device, same, &vec![padding; rows * cols], padding);
    run(copy(device, placed.matrix(), y.matrix_mut()));
    assert_eq!(y.read(device, padding), x, "{case:?}, in the same order");
}

fn at_every_shape<T: Bits>() {
    let shapes =
        [(0, 3), (3, 0), (1, 1), (1, 70), (5, 300), (16, 16), (64, 64), (33, 70), (160, 96), (144, 272)];
    for device in devices() {
        for (k, (rows, cols)) in shapes.into_iter().enumerate() {
            for (gaps, offsets) in [((0, 0), (0, 0)), ((16, 32), (0, 0)), ((1, 0), (0, 3))] {
                check::<T>(&device, Case { rows, cols, gaps, offsets, band: k as u32 % 3 }, k as u64);
            }
        }
    }
}

#[test]
fn elements_of_every_size_are_transposed() {
    at_every_shape::<u8>();
    at_every_shape::<u16>();
    at_every_shape::<u32>();
    at_every_shape::<u64>();
}

#[test]
fn larger_elements_are_moved_as_rows_of_words() {
    at_every_shape::<U32x3>();
    at_every_shape::<F64x2>();
}

/// The permuted array, by the indices of its elements.
fn permuted<T: Copy>(x: &[T], extents: &[usize], axes: &[usize]) -> Vec<T> {
    let strides: Vec<usize> = (0..extents.len()).map(|k| extents[k + 1..].iter().product()).collect();
    (0..x.len())
        .map(|i| {
            let mut rest = i;
            let mut from = 0;
            for axis in axes.iter().rev() {
                from += rest % extents[*axis] * strides[*axis];
                rest /= extents[*axis];
            }
            x[from]
        })
        .collect()
}

fn check_permuted<T: Bits>(device: &Device, extents: &[usize], axes: &[usize], seed: u64) {
    let x = elements::<T>(seed, extents.iter().product());
    let buffer = device.upload(&x).expect("device memory");
    let mut y = device.upload(&vec![T::of(0); x.len()]).expect("device memory");
    permute(device, &buffer, extents, axes, &mut y)
        .run()
        .unwrap_or_else(|e| panic!("{extents:?} {axes:?}: {e}"));
    assert_eq!(device.download(&y).expect("no fault"), permuted(&x, extents, axes), "{extents:?} {axes:?}");
}

#[test]
fn batches_are_transposed_and_axes_joined() {
    for device in devices() {
        check_permuted::<f32>(&device, &[3, 64, 128], &[0, 2, 1], 1);
        check_permuted::<u16>(&device, &[2, 3, 32, 40], &[1, 0, 3, 2], 2);
        check_permuted::<u8>(&device, &[2, 20, 3, 32], &[0, 2, 1, 3], 3);
        check_permuted::<u32>(&device, &[2, 3, 4, 2, 3, 5], &[5, 4, 3, 2, 1, 0], 4);
        check_permuted::<u64>(&device, &[7], &[0], 5);
        check_permuted::<u64>(&device, &[], &[], 6);
        check_permuted::<f32>(&device, &[40, 3, 500], &[2, 1, 0], 7);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn matrices_of_any_shape(
        (rows, cols) in prop_oneof![(0usize..90, 0usize..90), (0usize..12, 0usize..12).prop_map(|(r, c)| (r * 16, c * 16))],
        gaps in prop_oneof![Just((0, 0)), Just((16, 16)), (0usize..20, 0usize..20)],
        offsets in prop_oneof![Just((0, 0)), (0usize..17, 0usize..17)],
        band in prop_oneof![0u32..5, Just(1 << 31), Just(u32::MAX)],
        is_word in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let case = Case { rows, cols, gaps, offsets, band };
        if is_word {
            check::<u32>(&shuffled(seed), case, seed);
        } else {
            check::<u16>(&shuffled(seed), case, seed);
        }
    }

    #[test]
    fn arrays_in_any_order_of_axes(
        (extents, axes) in (0usize..=6).prop_flat_map(|n| (
            proptest::collection::vec(1usize..=7, n),
            Just((0..n).collect::<Vec<_>>()).prop_shuffle(),
        )),
        long in 0usize..6,
        by in 1usize..12,
        seed in 0u64..1000,
    ) {
        let mut extents = extents;
        if let Some(extent) = extents.get_mut(long) {
            *extent *= by;
        }
        check_permuted::<u32>(&shuffled(seed), &extents, &axes, seed);
    }
}
