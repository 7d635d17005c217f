//! Sums of a warpgroup that products borrow: both majors, operands in registers, rows of sums, and chains that overlap.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Fragment, LeftOperand, Panels};

use super::everywhere;

/// Small numbers, whose sums of products are exact.
fn numbers(count: usize, seed: usize) -> Vec<bf16> {
    (0..count).map(|i| bf16::from_f32(((i * 7 + i / 5 + seed) % 9) as f32 - 4.0)).collect()
}

fn wide(x: &[bf16]) -> Vec<f32> {
    x.iter().map(|x| x.to_f32()).collect()
}

/// `c = a * b`, where `b` is 32 × 192 in three panels, and `a` 64 × 64 of which half is multiplied.
#[gpu_kernel]
fn by_columns(a: View2<bf16>, b: View2<bf16>, c: ViewMut2<f32>) {
    let rows = shared!(Tile<bf16, 64, 64, Swizzle128>);
    let cols = shared!(Tile<bf16, 64, 192, Panels<64>>);
    rows.load(a, 0, 0, bf16::ZERO);
    cols.load(b, 0, 0, bf16::ZERO);
    fence_proxy_async();
    sync_threads();
    let mut sums = Accumulator::<f32, 192>::zero();
    sums.mma_ab(rows, cols, false);
    sums.store(c, 0, 0, |sum| sum);
}

#[test]
fn the_right_operand_may_have_its_columns_side_by_side() {
    let (a, b) = (numbers(64 * 64, 1), numbers(64 * 192, 2));
    let (x, y) = (wide(&a), wide(&b));
    everywhere::<by_columns>(&(), |device| {
        let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
        let mut c = device.upload(&vec![f32::NAN; 64 * 192]).unwrap();
        let (left, right) = (a.view2(64, 64).unwrap(), b.view2(64, 192).unwrap());
        by_columns(left, right, c.view2_mut(64, 192).unwrap()).grid(1).block(128).launch(device).unwrap();
        for (i, sum) in device.download(&c).unwrap().into_iter().enumerate() {
            let (m, n) = (i / 192, i % 192);
            assert_eq!(sum, (0..64).map(|k| x[m * 64 + k] * y[k * 192 + n]).sum::<f32>(), "{m} {n}");
        }
    });
}

/// `c = aᵀ * b`, rounded in registers, and `d`, the same by a tile.
#[gpu_kernel]
fn turned(a: View2<bf16>, b: View2<bf16>, c: ViewMut2<f32>, d: ViewMut2<f32>) {
    let rows = shared!(Tile<bf16, 48, 64, Swizzle128>);
    let cols = shared!(Tile<bf16, 48, 64, Swizzle128>);
    let stored = shared!(Tile<bf16, 64, 64, Swizzle128>);
    rows.load(a, 0, 0, bf16::ZERO);
    cols.load(b, 0, 0, bf16::ZERO);
    fence_proxy_async();
    sync_threads();
    let mut sums = Accumulator::<f32, 64>::zero();
    let mut chain = sums.chain();
    chain.start_atb(rows, cols, true);
    chain.finish();
    let rounded = sums.to_operand::<bf16>();
    rounded.store(stored);
    sync_threads();
    #[unroll]
    for i in 0..16usize {
        let pair = rounded.pair(i);
        sums.set(2 * i, pair[0]);
        sums.set(2 * i + 1, pair[1]);
    }
    sums.store(c, 0, 0, |sum| sum);
    let (mut d, row) = (d, thread_idx().x as usize / 2);
    for col in thread_idx().x as usize % 2 * 32..thread_idx().x as usize % 2 * 32 + 32 {
        d[(row, col)] = stored[(row, col)].to_f32();
    }
}

#[test]
fn the_left_operand_may_have_its_rows_side_by_side_and_rounded_sums_become_a_tile() {
    let (a, b) = (numbers(48 * 64, 3), numbers(48 * 64, 4));
    let (x, y) = (wide(&a), wide(&b));
    everywhere::<turned>(&(), |device| {
        let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
        let [mut c, mut d] = [0; 2].map(|_| device.upload(&vec![f32::NAN; 64 * 64]).unwrap());
        let (left, right) = (a.view2(48, 64).unwrap(), b.view2(48, 64).unwrap());
        turned(left, right, c.view2_mut(64, 64).unwrap(), d.view2_mut(64, 64).unwrap())
            .grid(1)
            .block(128)
            .launch(device)
            .unwrap();
        let (c, d) = (device.download(&c).unwrap(), device.download(&d).unwrap());
        for (i, (by_registers, by_tile)) in c.into_iter().zip(d).enumerate() {
            let (m, n) = (i / 64, i % 64);
            let sum = (0..48).map(|k| x[k * 64 + m] * y[k * 64 + n]).sum::<f32>();
            assert_eq!([by_registers, by_tile], [bf16::from_f32(sum).to_f32(); 2], "{m} {n}");
        }
    });
}

/// `c = a * bᵀ` of 128 columns, two panels of either.
#[gpu_kernel]
fn by_panels(a: View2<f16>, b: View2<f16>, c: ViewMut2<f32>) {
    let rows = shared!(Tile<f16, 64, 128, Panels<64>>);
    let cols = shared!(Tile<f16, 40, 128, Panels<40>>);
    rows.load(a, 0, 0, f16::ZERO);
    cols.load(b, 0, 0, f16::ZERO);
    fence_proxy_async();
    sync_threads();
    let mut sums = Accumulator::<f32, 40>::zero();
    sums.mma_abt(rows, cols, true);
    sums.store(c, 0, 0, |sum| sum);
}

#[test]
fn tiles_wider_than_a_swizzle_are_panels() {
    let cast = |x: &[bf16]| -> Vec<f16> { x.iter().map(|x| f16::from_f32(x.to_f32())).collect() };
    let (a, b) = (numbers(64 * 128, 3), numbers(40 * 128, 4));
    let (x, y) = (wide(&a), wide(&b));
    everywhere::<by_panels>(&(), |device| {
        let (a, b) = (device.upload(&cast(&a)).unwrap(), device.upload(&cast(&b)).unwrap());
        let mut c = device.upload(&vec![f32::NAN; 64 * 40]).unwrap();
        let (left, right) = (a.view2(64, 128).unwrap(), b.view2(40, 128).unwrap());
        by_panels(left, right, c.view2_mut(64, 40).unwrap()).grid(1).block(128).launch(device).unwrap();
        for (i, sum) in device.download(&c).unwrap().into_iter().enumerate() {
            let (m, n) = (i / 40, i % 40);
            assert_eq!(sum, (0..128).map(|k| x[m * 128 + k] * y[n * 128 + k]).sum::<f32>(), "{m} {n}");
        }
    });
}

/// `out = softmax(q * kᵀ) * v`, scaled row by row: the steps of attention.
///
/// The second product takes its left operand from the sums of the first; a product of `q` in registers runs at the same time.
#[gpu_kernel]
fn attend(q: View2<bf16>, k: View2<bf16>, v: View2<bf16>, out: ViewMut2<f32>, again: ViewMut2<f32>) {
    let queries = shared!(Tile<bf16, 64, 64, Swizzle128>);
    let keys = shared!(Tile<bf16, 32, 64, Swizzle128>);
    let values = shared!(Tile<bf16, 32, 128, Panels<32>>);
    queries.load(q, 0, 0, bf16::ZERO);
    keys.load(k, 0, 0, bf16::ZERO);
    values.load(v, 0, 0, bf16::ZERO);
    fence_proxy_async();
    sync_threads();
    let in_registers = LeftOperand::load(queries);
    let mut scores = Accumulator::<f32, 32>::zero();
    let mut chain = scores.chain();
    chain.start_rs_abt(&in_registers, keys, false);
    chain.finish();
    let most = scores.row_max();
    scores.map_rows(most, |score, most| (score - most).exp2());
    let total = scores.row_sum();
    let weights = scores.to_operand::<bf16>();
    let mut mean = Accumulator::<f32, 128>::zero();
    let mut first = mean.chain();
    first.start_rs_ab(&weights, values, false);
    let mut second = scores.chain();
    second.start_abt(queries, keys, false);
    first.finish_before::<1>();
    mean.scale_rows([1.0 / total[0], 1.0 / total[1]]);
    second.finish();
    mean.store(out, 0, 0, |sum| sum);
    scores.store(again, 0, 0, |sum| sum);
}

#[test]
fn sums_become_operands_and_have_rows() {
    let (q, k, v) = (numbers(64 * 64, 5), numbers(32 * 64, 6), numbers(32 * 128, 7));
    let (x, y, z) = (wide(&q), wide(&k), wide(&v));
    let score = |m: usize, n: usize| (0..64).map(|i| x[m * 64 + i] * y[n * 64 + i]).sum::<f32>();
    everywhere::<attend>(&(), |device| {
        let (q, k, v) = (device.upload(&q).unwrap(), device.upload(&k).unwrap(), device.upload(&v).unwrap());
        let mut out = device.upload(&vec![f32::NAN; 64 * 128]).unwrap();
        let mut again = device.upload(&vec![f32::NAN; 64 * 32]).unwrap();
        attend(
            q.view2(64, 64).unwrap(),
            k.view2(32, 64).unwrap(),
            v.view2(32, 128).unwrap(),
            out.view2_mut(64, 128).unwrap(),
            again.view2_mut(64, 32).unwrap(),
        )
        .grid(1)
        .block(128)
        .launch(device)
        .unwrap();
        let (out, again) = (device.download(&out).unwrap(), device.download(&again).unwrap());
        for m in 0..64 {
            let most = (0..32).map(|n| score(m, n)).fold(f32::NEG_INFINITY, f32::max);
            let weights: Vec<f32> = (0..32).map(|n| (score(m, n) - most).exp2()).collect();
            let total: f32 = weights.iter().sum();
            for d in 0..128 {
                let wanted: f32 = (0..32).map(|n| bf16::from_f32(weights[n]).to_f32() * z[n * 128 + d]).sum();
                let (wanted, found) = (wanted / total, out[m * 128 + d]);
                assert!((wanted - found).abs() < 1e-4, "{m} {d}: {found} for {wanted}");
            }
            for n in 0..32 {
                assert_eq!(again[m * 32 + n], score(m, n));
            }
        }
    });
}

/// Sums that are read before the product that is under way is done: the number of later ones is too large.
#[gpu_kernel]
fn too_early(out: &mut [f32]) {
    let mut tile = shared!(Tile<bf16, 64, 64, Swizzle128>);
    for i in (thread_idx().x as usize..4096).step_by(128) {
        tile[(i / 64, i % 64)] = bf16::ONE;
    }
    fence_proxy_async();
    sync_threads();
    let mut sums = Accumulator::<f32, 64>::zero();
    let mut chain = sums.chain();
    chain.start_abt(tile, tile, false);
    chain.finish_before::<1>();
    out[thread_idx().x] = sums.row_sum()[0];
}

#[test]
fn sums_that_are_not_there_are_a_fault() {
    let device = warpsmith::Device::simulator();
    let mut out = device.upload(&[0.0f32; 128]).unwrap();
    let fault = too_early(&mut out).grid(1).block(128).launch(&device).unwrap_err().to_string();
    assert!(fault.contains("sums that the product at") && fault.contains("wait for its group"), "{fault}");
}
