//! Products of tiles in shared memory, of every element and layout.

use warpsmith::prelude::*;
use warpsmith::tensor::{Swizzle32, Swizzle64, Swizzle128, TensorElement, WarpAccumulator};

use super::random;
use crate::everywhere;

/// `c = a * bᵀ` of 32 × 32 sums by two warps, over 64 bytes of each row.
#[gpu_kernel]
fn by_tiles<T: TensorElement + Num, L: Layout, const K: usize>(
    a: View2<T>,
    b: View2<T>,
    c: ViewMut2<T::Sum>,
) {
    let rows = shared!(Tile<T, 32, K, L>);
    let cols = shared!(Tile<T, 32, K, L>);
    rows.load(a, 0, 0, T::ZERO);
    cols.load(b, 0, 0, T::ZERO);
    sync_threads();
    let row = warp_id() as usize * 16;
    let mut sums = WarpAccumulator::<T::Sum, 1, 4>::zero();
    for k in 0..2usize {
        sums.mma(&rows.operand_a::<1>(row, k * (K / 2)), &cols.operand_bt::<4>(0, k * (K / 2)));
    }
    sums.store(c, row, 0, |sum| sum);
}

fn multiplies<T: TensorElement<Sum: Num> + Num, L: Layout, const K: usize>()
where
    by_tiles<T, L, K>: Kernel<Comptime = ()>,
{
    everywhere::<by_tiles<T, L, K>>(&(), |device| {
        let mut next = random(K as u32);
        let mut matrix = || -> Vec<T> { (0..32 * K).map(|_| (next() % 15).cast::<T>()).collect() };
        let (a, b) = (matrix(), matrix());
        let (da, db) = (device.upload(&a).expect("memory"), device.upload(&b).expect("memory"));
        let mut dc = device.upload(&[T::Sum::ZERO; 30 * 31]).expect("memory");
        let (va, vb) = (da.view2(32, K).unwrap(), db.view2(32, K).unwrap());
        // Elements outside `c` are not stored.
        by_tiles::<T, L, K>(va, vb, dc.view2_mut(30, 31).unwrap())
            .grid(1)
            .block(64)
            .launch(device)
            .expect("a launch");
        for (i, got) in device.download(&dc).expect("no fault").into_iter().enumerate() {
            let (row, col) = (i / 31, i % 31);
            let product = |k: usize| a[row * K + k].cast::<u32>() * b[col * K + k].cast::<u32>();
            assert_eq!(
                got.cast::<u32>(),
                (0..K).map(product).sum::<u32>(),
                "({row}, {col}) on {}",
                device.name()
            );
        }
    });
}

#[test]
fn tiles_of_every_element_and_layout_are_multiplied() {
    multiplies::<f16, Swizzle64, 32>();
    multiplies::<bf16, RowMajor, 32>();
    multiplies::<f16, Padded<8>, 32>();
    multiplies::<bf16, Swizzle128, 32>();
    multiplies::<f16, Swizzled<8>, 32>();
    multiplies::<f32, Swizzle64<4>, 16>();
    multiplies::<i8, Swizzle64<16>, 64>();
    multiplies::<u8, Swizzle32<16>, 64>();
}

/// `c = a * b` of 16 × 16 sums, each twice and one more in rows of odd numbers; the largest sum of each lane.
#[gpu_kernel]
fn untransposed<T: TensorElement<Sum = f32>>(
    a: View2<T>,
    b: View2<T>,
    fill: T,
    c: ViewMut2<f32>,
    largest: &mut [f32],
) {
    let rows = shared!(Tile<T, 16, 32, Swizzle64>);
    let down = shared!(Tile<T, 32, 16, Swizzle32>);
    rows.load(a, 0, 0, fill);
    down.load(b, 0, 0, fill);
    sync_threads();
    let mut sums = WarpAccumulator::<f32, 1, 2>::zero();
    for k in 0..2usize {
        sums.mma(&rows.operand_a::<1>(0, k * 16), &down.operand_b::<2>(k * 16, 0));
    }
    sums.map(|row, _, sum| sum * 2.0 + (row % 2) as f32);
    let most = &mut largest[thread_idx().x];
    sums.for_each(|_, _, sum| {
        if sum > *most {
            *most = sum;
        }
    });
    sums.store(c, 0, 0, |sum| sum);
}

fn multiplies_untransposed<T: TensorElement<Sum = f32> + Num>()
where
    untransposed<T>: Kernel<Comptime = ()>,
{
    everywhere::<untransposed<T>>(&(), |device| {
        let mut next = random(9);
        let mut matrix = || -> Vec<T> { (0..16 * 32).map(|_| (next() % 15).cast::<T>()).collect() };
        let (a, b) = (matrix(), matrix());
        let (da, db) = (device.upload(&a).expect("memory"), device.upload(&b).expect("memory"));
        let mut dc = device.upload(&[0.0f32; 256]).expect("memory");
        let mut most = device.upload(&[-1.0f32; 32]).expect("memory");
        let (va, vb) = (da.view2(16, 32).unwrap(), db.view2(32, 16).unwrap());
        let launch = untransposed::<T>(va, vb, T::ZERO, dc.view2_mut(16, 16).unwrap(), &mut most);
        launch.grid(1).block(32).launch(device).expect("a launch");
        let got = device.download(&dc).expect("no fault");
        for (i, got) in got.iter().enumerate() {
            let product = |k: usize| a[i / 16 * 32 + k].cast::<f32>() * b[k * 16 + i % 16].cast::<f32>();
            let want = (0..32).map(product).sum::<f32>() * 2.0 + (i / 16 % 2) as f32;
            assert_eq!(*got, want, "{i} on {}", device.name());
        }
        let largest = device.download(&most).expect("no fault").into_iter().fold(0.0, f32::max);
        assert_eq!(largest, got.into_iter().fold(0.0, f32::max));
    });
}

#[test]
fn columns_are_transposed_while_they_are_loaded() {
    multiplies_untransposed::<f16>();
    multiplies_untransposed::<bf16>();
}

/// The same as [`by_tiles`] for elements that are no numbers elsewhere, made of whole ones.
#[gpu_kernel]
fn by_tiles_of_eighths(a: View2<f32>, b: View2<f32>, c: ViewMut2<f32>) {
    let mut rows = shared!(Tile<F8E4M3, 16, 32, Swizzle32<16>>);
    let mut cols = shared!(Tile<F8E4M3, 16, 32, Swizzle32<16>>);
    for i in 0..16usize {
        rows[(i, lane_id())] = F8E4M3::from_f32(a[(i, lane_id())]);
        cols[(i, lane_id())] = F8E4M3::from_f32(b[(i, lane_id())]);
    }
    sync_threads();
    let mut sums = WarpAccumulator::<f32, 1, 2>::zero();
    sums.mma(&rows.operand_a::<1>(0, 0), &cols.operand_bt::<2>(0, 0));
    sums.store(c, 0, 0, |sum| sum);
}

#[test]
fn floats_of_eight_bits_are_multiplied() {
    everywhere::<by_tiles_of_eighths>(&(), |device| {
        let mut next = random(3);
        let mut matrix = || -> Vec<f32> { (0..512).map(|_| (next() % 9) as f32 - 4.0).collect() };
        let (a, b) = (matrix(), matrix());
        let (da, db) = (device.upload(&a).expect("memory"), device.upload(&b).expect("memory"));
        let mut dc = device.upload(&[f32::NAN; 256]).expect("memory");
        let (va, vb) = (da.view2(16, 32).unwrap(), db.view2(16, 32).unwrap());
        by_tiles_of_eighths(va, vb, dc.view2_mut(16, 16).unwrap())
            .grid(1)
            .block(32)
            .launch(device)
            .expect("a launch");
        for (i, got) in device.download(&dc).expect("no fault").into_iter().enumerate() {
            let product = |k: usize| a[i / 16 * 32 + k] * b[i % 16 * 32 + k];
            assert_eq!(got, (0..32).map(product).sum::<f32>(), "{i} on {}", device.name());
        }
    });
}
