//! Products of a warpgroup: every executor against the host, what is refused, and mistakes in their use.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Swizzle128};

use super::everywhere;

/// Numbers that look random, small enough for every type, with exact sums.
fn random(seed: u32) -> impl FnMut() -> f32 {
    let mut state = seed.wrapping_mul(2_654_435_769) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state % 7) as f32 - 2.0
    }
}

/// The place of byte `byte` of a matrix that is swizzled within 128 bytes.
#[gpu_fn]
fn swizzled(byte: usize) -> usize {
    byte ^ (byte / 128 % 8 * 16)
}

/// `c = a * b + c` of 64 × 128 by 128 × 8C, where rows of `a` and columns of `b` have their elements along K side by side.
#[gpu_kernel]
fn product<T: WgmmaElement, const C: usize>(a: &[T], b: &[T], c: &mut [[[T::Sum; 4]; C]])
where
    T: Copy,
{
    let mut left = shared!([T; 8192], align = 1024);
    let mut right = shared!([T; 32768], align = 1024);
    let t = thread_idx().x as usize;
    let size = size_of::<T>();
    let row = 128 / size;
    for i in (t..64 * row).step_by(128) {
        left[swizzled(i * size) / size] = a[i];
    }
    for i in (t..8 * C * row).step_by(128) {
        right[swizzled(i * size) / size] = b[i];
    }
    fence_proxy_async();
    sync_threads();
    let mut sums = c[t];
    wgmma_fence();
    let (from_a, from_b) =
        (matrix_descriptor(&left[0], 16, 1024, 1), matrix_descriptor(&right[0], 16, 1024, 1));
    #[unroll]
    for k in 0..4u64 {
        wgmma::<T, _, false, false>(&mut sums, from_a + 2 * k, from_b + 2 * k, true);
    }
    wgmma_commit();
    wgmma_wait::<0>();
    c[t] = sums;
}

/// Row and column of a thread's sum.
fn place(thread: usize, i: usize) -> (usize, usize) {
    let (warp, lane) = (thread / 32, thread % 32);
    (warp * 16 + lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2)
}

macro_rules! products {
    ($($test:ident: $t:ty, $sum:ty, $c:literal, $from:expr;)+) => {$(
        #[test]
        fn $test() {
            const C: usize = $c;
            let row = 128 / size_of::<$t>();
            let mut next = random($c);
            let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| next()).collect() };
            let (a, b) = (numbers(64 * row), numbers(8 * C * row));
            let cast = |x: &[f32]| -> Vec<$t> { x.iter().map(|x| $from(*x)).collect() };
            let mut wanted = vec![[[<$sum>::default(); 4]; C]; 128];
            for (thread, sums) in wanted.iter_mut().enumerate() {
                for (i, sum) in sums.as_flattened_mut().iter_mut().enumerate() {
                    let (m, n) = place(thread, i);
                    let total: f32 = (0..row).map(|k| a[m * row + k] * b[n * row + k]).sum();
                    *sum = (total + (thread + i) as f32).cast::<$sum>();
                }
            }
            let (a, b) = (cast(&a), cast(&b));
            everywhere::<product::<$t, C>>(&(), |device| {
                let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
                let start = |t: usize| {
                    std::array::from_fn(|j| std::array::from_fn(|i| ((t + 4 * j + i) as f32).cast::<$sum>()))
                };
                let start: Vec<[[$sum; 4]; C]> = (0..128).map(start).collect();
                let mut c = device.upload(&start).unwrap();
                product::<$t, C>(&a, &b, &mut c).grid(1).block(128).launch(device).unwrap();
                assert_eq!(device.download(&c).unwrap(), wanted);
            });
        }
    )+};
}

products! {
    bf16_by_64_columns: bf16, f32, 8, bf16::from_f32;
    bf16_by_8_columns: bf16, f32, 1, bf16::from_f32;
    bf16_by_256_columns: bf16, f32, 32, bf16::from_f32;
    f16_by_24_columns: f16, f32, 3, f16::from_f32;
    tf32_by_40_columns: f32, f32, 5, |x: f32| x;
    s8_by_48_columns: i8, i32, 6, |x: f32| x as i8;
    e4m3_by_16_columns: F8E4M3, f32, 2, F8E4M3::from_f32;
    e5m2_by_32_columns: F8E5M2, f32, 4, F8E5M2::from_f32;
}

/// The same as `product` of `bf16` with 128 columns, where columns of `b` lie side by side, 64 and 64.
#[gpu_kernel]
fn turned(a: &[bf16], b: &[bf16], c: &mut [[[f32; 4]; 16]]) {
    let mut left = shared!([bf16; 4096], align = 1024);
    let mut right = shared!([bf16; 8192], align = 1024);
    let t = thread_idx().x as usize;
    for i in (t..4096).step_by(128) {
        left[swizzled(i * 2) / 2] = a[i];
    }
    for i in (t..8192).step_by(128) {
        let (k, n) = (i / 128, i % 128);
        right[swizzled(n / 64 * 8192 + k * 128 + n % 64 * 2) / 2] = b[i];
    }
    fence_proxy_async();
    sync_threads();
    let mut sums = [[0.0f32; 4]; 16];
    wgmma_fence();
    let (from_a, from_b) =
        (matrix_descriptor(&left[0], 16, 1024, 1), matrix_descriptor(&right[0], 8192, 1024, 1));
    #[unroll]
    for k in 0..4u64 {
        wgmma::<bf16, _, false, true>(&mut sums, from_a + 2 * k, from_b + 128 * k, k > 0);
        wgmma_commit();
    }
    wgmma_wait::<0>();
    c[t] = sums;
}

#[test]
fn columns_of_b_may_lie_side_by_side() {
    let mut next = random(77);
    let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| next()).collect() };
    let (a, b) = (numbers(64 * 64), numbers(64 * 128));
    let cast = |x: &[f32]| -> Vec<bf16> { x.iter().map(|x| bf16::from_f32(*x)).collect() };
    everywhere::<turned>(&(), |device| {
        let (x, y) = (device.upload(&cast(&a)).unwrap(), device.upload(&cast(&b)).unwrap());
        let mut c = device.upload(&vec![[[f32::NAN; 4]; 16]; 128]).unwrap();
        turned(&x, &y, &mut c).grid(1).block(128).launch(device).unwrap();
        for (thread, sums) in device.download(&c).unwrap().iter().enumerate() {
            for (i, sum) in sums.as_flattened().iter().enumerate() {
                let (m, n) = place(thread, i);
                assert_eq!(*sum, (0..64).map(|k| a[m * 64 + k] * b[k * 128 + n]).sum::<f32>());
            }
        }
    });
}

/// Two steps along K by both warpgroups of a block, 64 rows each, the left operand of the second step in registers.
#[gpu_kernel]
fn by_tiles(a: View2<bf16>, b: View2<bf16>, c: ViewMut2<f32>) {
    let rows = shared!(Tile<bf16, 128, 64, Swizzle128>);
    let cols = shared!(Tile<bf16, 72, 64, Swizzle128>);
    let group = warpgroup_id() as usize;
    let mut sums = Accumulator::<f32, 72>::zero();
    for step in 0..2usize {
        rows.load(a, 0, step * 64, bf16::ZERO);
        cols.load(b, 0, step * 64, bf16::ZERO);
        fence_proxy_async();
        sync_threads();
        sums.mma_abt(rows.rows(group * 64), cols, step > 0);
        sync_threads();
    }
    sums.map(|_, _, sum| 2.0 * sum);
    sums.store(c, group * 64, 0, |sum| sum);
}

#[test]
fn accumulators_add_up_products_of_tiles() {
    let mut next = random(5);
    let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| next()).collect() };
    let (a, b) = (numbers(128 * 128), numbers(72 * 128));
    let cast = |x: &[f32]| -> Vec<bf16> { x.iter().map(|x| bf16::from_f32(*x)).collect() };
    everywhere::<by_tiles>(&(), |device| {
        let (x, y) = (device.upload(&cast(&a)).unwrap(), device.upload(&cast(&b)).unwrap());
        let mut c = device.upload(&vec![f32::NAN; 128 * 72]).unwrap();
        let (left, right) = (x.view2(128, 128).unwrap(), y.view2(72, 128).unwrap());
        by_tiles(left, right, c.view2_mut(128, 72).unwrap()).grid(1).block(256).launch(device).unwrap();
        for (i, sum) in device.download(&c).unwrap().into_iter().enumerate() {
            let (m, n) = (i / 72, i % 72);
            assert_eq!(sum, 2.0 * (0..128).map(|k| a[m * 128 + k] * b[n * 128 + k]).sum::<f32>(), "{m} {n}");
        }
    });
}

/// A left operand in registers: row `r` of `a` has `r` at every place of 16, and `b` is all ones.
#[gpu_kernel]
fn from_registers(c: &mut [[[f32; 4]; 1]]) {
    let mut right = shared!([bf16; 128], align = 1024);
    let t = thread_idx().x;
    right[t] = bf16::from_f32(1.0);
    fence_proxy_async();
    sync_threads();
    let row = t / 32 * 16 + t % 32 / 4;
    let pair = |row: u32| -> u32 { bf16::from_f32(row as f32).to_bits() as u32 * 0x10001 };
    let a = [pair(row), pair(row + 8), pair(row), pair(row + 8)];
    let mut sums = [[0.0f32; 4]; 1];
    wgmma_fence();
    wgmma_rs::<bf16, _, false>(&mut sums, a, matrix_descriptor(&right[0], 128, 128, 0), false);
    wgmma_commit();
    wgmma_wait::<0>();
    c[t] = sums;
}

#[test]
fn the_left_operand_can_be_in_registers() {
    everywhere::<from_registers>(&(), |device| {
        let mut c = device.upload(&vec![[[f32::NAN; 4]; 1]; 128]).unwrap();
        from_registers(&mut c).grid(1).block(128).launch(device).unwrap();
        for (thread, sums) in device.download(&c).unwrap().iter().enumerate() {
            for (i, sum) in sums[0].iter().enumerate() {
                assert_eq!(*sum, 16.0 * place(thread, i).0 as f32);
            }
        }
    });
}

/// A product that is used wrongly, as `mistake` says.
#[gpu_kernel]
fn wrong(mistake: u32, c: &mut [[[f32; 4]; 1]]) {
    let mut tile = shared!([bf16; 1024], align = 1024);
    let t = thread_idx().x;
    for i in 0..8 {
        tile[t * 8 + i] = bf16::from_f32(1.0);
    }
    if mistake != 6 {
        fence_proxy_async();
    }
    if mistake != 7 {
        sync_threads();
    }
    let mut sums = [[0.0f32; 4]; 1];
    if mistake != 1 {
        wgmma_fence();
    }
    let a = matrix_descriptor(&tile[0], 16, if mistake == 2 { 2048 } else { 128 }, 0);
    let b = matrix_descriptor(&tile[0], 16, 128, 0) + if mistake == 3 { t as u64 / 64 } else { 0 };
    wgmma::<bf16, _, false, false>(&mut sums, a, b, false);
    wgmma_commit();
    if mistake == 4 {
        sums[0][2] = 1.0;
    }
    if mistake == 8 {
        tile[t] = bf16::from_f32(2.0);
    }
    if mistake != 5 {
        wgmma_wait::<0>();
    }
    c[t] = sums;
}

fn outcome(mistake: u32, block: u32) -> Result<Vec<[[f32; 4]; 1]>, String> {
    let device = warpsmith::Device::simulator();
    let mut c = device.upload(&vec![[[0.0; 4]; 1]; 128]).unwrap();
    wrong(mistake, &mut c).grid(1).block(block).launch(&device).map_err(|error| error.to_string())?;
    Ok(device.download(&c).unwrap())
}

#[test]
fn mistakes_are_named() {
    assert!(outcome(0, 128).unwrap().as_flattened().as_flattened().iter().all(|sum| *sum == 16.0));
    for (mistake, wanted) in [
        (1, "call `wgmma_fence()` before"),
        (2, "reads the operand `a` outside of a shared array"),
        (3, "differs in the descriptor of `b` from the call of thread"),
        (4, "writes register 2 of sums that the product at"),
        (5, "reads register 0 of sums that the product at"),
        (6, "fence_proxy_async"),
        (7, "sync_threads"),
        (8, "nothing orders"),
    ] {
        let said = outcome(mistake, 128).expect_err(wanted);
        assert!(said.contains("tensors/wgmma.rs:") && said.contains(wanted), "{said}");
    }
    let said = outcome(0, 64).expect_err("a warpgroup has 128 threads");
    assert!(said.contains("is in a block of 64 threads that ends within the thread's warpgroup"), "{said}");
}

macro_rules! branches {
    ($($kernel:ident: $cond:expr;)+) => {$(
        #[gpu_kernel]
        fn $kernel(x: &mut [u32]) {
            if $cond {
                wgmma_fence();
            }
            x[0] = 1;
        }
    )+};
}

branches! {
    of_a_warpgroup: thread_idx().x / 128 == 1;
    of_a_shift: thread_idx().x >> 7 == 1;
    of_warps: warp_id() / 4 == 1;
    of_its_number: warpgroup_id() > 0;
    of_the_first: thread_idx().x < 128;
    of_a_warp: thread_idx().x / 32 == 1;
    of_the_first_warp: warp_id() == 0;
    of_64: thread_idx().x < 64;
    of_both: warpgroup_id() == 0 && thread_idx().x < 32;
}

#[test]
fn operations_of_a_warpgroup_stand_in_branches_of_warpgroups_alone() {
    use warpsmith::Kernel;
    assert!(of_a_warpgroup::cuda_source().is_ok());
    assert!(of_a_shift::cuda_source().is_ok());
    assert!(of_warps::cuda_source().is_ok());
    assert!(of_its_number::cuda_source().is_ok());
    assert!(of_the_first::cuda_source().is_ok());
    for refused in [
        of_a_warp::cuda_source(),
        of_the_first_warp::cuda_source(),
        of_64::cuda_source(),
        of_both::cuda_source(),
    ] {
        let said = refused.expect_err("threads of a warpgroup part").to_string();
        assert!(
            said.contains(
                "`wgmma_fence` needs all 128 threads of a warpgroup, but whether it is reached depends on"
            ),
            "{said}"
        );
    }
}
