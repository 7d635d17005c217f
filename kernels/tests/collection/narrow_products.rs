//! Products of 8-bit elements, with factors, and of `f32` as `tf32`, against sums in `f64`.

use proptest::prelude::{ProptestConfig, any, proptest};
use warpsmith::args::SliceArg;
use warpsmith::prelude::*;
use warpsmith::tensor::Swizzle128;
use warpsmith_kernels::argument::{Matrix, matrix, matrix_mut};
use warpsmith_kernels::products::finish::Finish;
use warpsmith_kernels::products::scales::{BY_BLOCK, ScaleStrides};
use warpsmith_kernels::products::shape::Shape;
use warpsmith_kernels::products::tensor_cores::warpgroups::{Lines, gemm_warpgroups, stages};
use warpsmith_kernels::products::{Gemm, Precision, ProductElement, Scales, Unchanged, gemm};
use warpsmith_kernels::{Call, KernelError, Plan};

use crate::devices::shuffled;

/// A number with its value in `f64`.
trait Value: Copy {
    fn of(x: f64) -> Self;
    fn value(self) -> f64;
    /// The value that tensor cores read.
    fn multiplied(self) -> f64 {
        self.value()
    }
    /// The relative error of rounding to it.
    const ROUNDING: f64;
    /// The error of a sum of products of these elements, relative to the sum of their magnitudes, on a GPU.
    const SUM: f64 = 1e-6;
}

macro_rules! values {
    ($($t:ty: $of:expr, $value:expr, $bits:literal, $sum:expr;)+) => {$(
        impl Value for $t {
            fn of(x: f64) -> Self {
                $of(x)
            }
            fn value(self) -> f64 {
                $value(self)
            }
            const ROUNDING: f64 = 1.0 / (1u64 << $bits) as f64;
            const SUM: f64 = $sum;
        }
    )+};
}

values! {
    bf16: bf16::from_f64, bf16::to_f64, 8, 1e-6;
    // Tensor cores add 8-bit floats with 13 bits behind the point of the largest.
    F8E4M3: |x| F8E4M3::from_f32(x as f32), |x: F8E4M3| f64::from(x.to_f32()), 4, 1e-3;
    F8E5M2: |x| F8E5M2::from_f32(x as f32), |x: F8E5M2| f64::from(x.to_f32()), 3, 1e-3;
    i8: |x: f64| (x * 100.0) as i8, f64::from, 8, 0.0;
    i32: |x: f64| x as i32, f64::from, 40, 0.0;
}

impl Value for f32 {
    fn of(x: f64) -> Self {
        x as f32
    }
    fn value(self) -> f64 {
        self.into()
    }
    fn multiplied(self) -> f64 {
        f32::from_bits(self.to_bits() & !0x1fff).into()
    }
    const ROUNDING: f64 = 1.0 / (1u64 << 24) as f64;
}

/// Random numbers of [-1, 1).
fn some<T: Value>(seed: u32, len: usize) -> Vec<T> {
    let hash = |i: usize| {
        let h = (i as u32).wrapping_mul(2_654_435_761) ^ seed.wrapping_mul(0x9e37_79b9);
        let h = (h ^ (h >> 15)).wrapping_mul(2_246_822_519);
        (h ^ (h >> 13)) >> 8
    };
    (0..len).map(|i| T::of(f64::from(hash(i)) / f64::from(1 << 23) - 1.0)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Factors {
    None,
    Tensors,
    Lines,
    Blocks,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    extents: [usize; 3],
    /// Elements behind each row of `a`, each column of `b` and each row of `c`.
    padding: [usize; 3],
    factors: Factors,
    /// `alpha`, `beta`, a bias and an epilogue.
    is_finished: bool,
    is_turned: bool,
    tile: Option<[usize; 2]>,
}

const PLAIN: Case = Case {
    extents: [20, 40, 144],
    padding: [0; 3],
    factors: Factors::None,
    is_finished: false,
    is_turned: false,
    tile: None,
};

/// A GPU if there is one, or a simulator.
fn device(seed: u64) -> Device {
    harness::gpu().unwrap_or_else(|| shuffled(seed))
}

/// Lines of `along` elements, as a matrix.
fn lines<'a, T>(memory: impl SliceArg<'a, T>, count: usize, along: usize, padding: usize) -> Matrix<'a, T> {
    matrix(memory, count, along).unwrap().stride(along + padding).unwrap()
}

type Product<'a, T, C> = Call<'a, Gemm<'a, T, C, Unchanged>>;

/// Compares a product with sums in `f64`. `set` is a setting of the call.
fn check<T: Value + ProductElement<C>, C: Value + Num>(
    device: &Device,
    case: Case,
    set: impl for<'a> Fn(Product<'a, T, C>) -> Product<'a, T, C>,
) {
    let Case { extents: [m, n, k], padding: [of_a, of_b, of_c], factors, is_finished, is_turned, tile } =
        case;
    let (a, b) = (some::<T>(1, m * (k + of_a)), some::<T>(2, n * (k + of_b)));
    let (c_rows, c_cols) = if is_turned { (n, m) } else { (m, n) };
    let before = some::<C>(3, c_rows * (c_cols + of_c));
    let bias = some::<C>(4, n);
    let blocks = [m, n].map(|lines| if factors == Factors::Blocks { lines.div_ceil(128) } else { lines });
    let (rows, steps) = (if factors == Factors::Blocks { m } else { blocks[0] }, k.div_ceil(128));
    let count = |lines: usize| match factors {
        Factors::None | Factors::Tensors => 1,
        Factors::Lines => lines,
        Factors::Blocks => lines * steps,
    };
    let (x, y) = (some::<f32>(5, count(rows)), some::<f32>(6, count(blocks[1])));
    let [in_a, in_b] = [&a, &b].map(|of| device.upload(of).unwrap());
    let [in_x, in_y] = [&x, &y].map(|of| device.upload(of).unwrap());
    let (in_bias, mut in_c) = (device.upload(&bias).unwrap(), device.upload(&before).unwrap());
    let to = matrix_mut(&mut in_c, c_rows, c_cols).unwrap().stride(c_cols + of_c).unwrap();
    let call = gemm(
        device,
        lines(&in_a, m, k, of_a),
        lines(&in_b, n, k, of_b).t(),
        if is_turned { to.t() } else { to },
    );
    let call = set(match factors {
        Factors::None => call,
        Factors::Tensors => call.scales(Scales::of_tensors(&in_x, &in_y)),
        Factors::Lines => call.scales(Scales::of_lines(&in_x, &in_y)),
        // The factors of a block of `k` lie side by side.
        Factors::Blocks => call.scales(Scales::of_blocks(
            matrix(&in_x, steps, m).unwrap().t(),
            matrix(&in_y, blocks[1], steps).unwrap().t(),
        )),
    });
    let call = if is_finished { call.alpha(0.5).beta(-2.0).bias(&in_bias) } else { call };
    let call = if let Some([rows, cols]) = tile { call.tile(rows, cols) } else { call };
    call.run().unwrap_or_else(|error| panic!("{case:?}: {error}"));
    let got = device.download(&in_c).unwrap();
    let factor = |row: usize, col: usize, i: usize| match factors {
        Factors::None => 1.0,
        Factors::Tensors => f64::from(x[0]) * f64::from(y[0]),
        Factors::Lines => f64::from(x[row]) * f64::from(y[col]),
        Factors::Blocks => f64::from(x[i / 128 * m + row]) * f64::from(y[col / 128 * steps + i / 128]),
    };
    for (at, got) in got.iter().enumerate() {
        let (line, place) = (at / (c_cols + of_c), at % (c_cols + of_c));
        if place >= c_cols {
            assert_eq!(got.value(), before[at].value(), "{case:?}: element {at} is not of `c`");
            continue;
        }
        let (row, col) = if is_turned { (place, line) } else { (line, place) };
        let term = |i: usize| {
            a[row * (k + of_a) + i].multiplied() * b[col * (k + of_b) + i].multiplied() * factor(row, col, i)
        };
        let (sum, size) = (0..k).map(term).fold((0.0, 0.0), |(sum, size), x: f64| (sum + x, size + x.abs()));
        let want = if is_finished { 0.5 * sum - 2.0 * before[at].value() + bias[col].value() } else { sum };
        let bound = C::ROUNDING * want.abs() + (T::SUM + 1e-6) * size;
        assert!(
            (got.value() - want).abs() <= bound,
            "{case:?} at ({row}, {col}): {} instead of {want}",
            got.value()
        );
    }
}

/// The kernels that a task may have: shared tiles, warpgroups' tiles, and those of warps for rows that begin anywhere.
fn by_every_kernel<T: Value + ProductElement<C>, C: Value + Num>(
    factors: Factors,
    set: impl for<'a> Fn(Product<'a, T, C>) -> Product<'a, T, C>,
) {
    let device = device(1);
    let case = Case { factors, ..PLAIN };
    check::<T, C>(&device, case, &set);
    check::<T, C>(&device, Case { extents: [136, 72, 144], tile: Some([256, 128]), ..case }, &set);
    check::<T, C>(&device, Case { extents: [9, 12, 21], padding: [1, 3, 1], ..case }, &set);
}

#[test]
fn floats_of_eight_bits_by_every_kernel() {
    by_every_kernel::<F8E4M3, bf16>(Factors::Lines, |call| call);
    let case = Case { factors: Factors::Tensors, is_finished: true, ..PLAIN };
    check::<F8E4M3, bf16>(&device(2), case, |call| call);
    let case = Case { extents: [136, 264, 144], tile: Some([256, 256]), ..case };
    check::<F8E4M3, bf16>(&device(2), Case { is_finished: false, is_turned: true, ..case }, |call| call);
}

#[test]
fn factors_of_blocks_are_multiplied_step_by_step() {
    // The last blocks of factors are not full.
    let case = Case { extents: [130, 136, 304], factors: Factors::Blocks, ..PLAIN };
    check::<F8E5M2, f32>(&device(1), case, |call| call);
    check::<F8E4M3, bf16>(&device(1), Case { extents: [70, 400, 272], ..case }, |call| call.tile(256, 256));
    // Few rows, in tiles of 16 and of 64 of them, stored by threads; blocks share the steps.
    check::<F8E4M3, bf16>(&device(1), Case { extents: [5, 136, 304], is_finished: true, ..case }, |call| {
        call
    });
    check::<F8E4M3, bf16>(&device(1), Case { extents: [40, 136, 560], ..case }, |call| call);
}

/// A block goes through its second tile backwards, and so through the factors.
#[test]
fn factors_of_blocks_follow_the_order_of_the_steps() {
    let (device, [m, n, k]) = (device(1), [16usize, 256usize, 272usize]);
    let (a, b) = (some::<F8E5M2>(1, m * k), some::<F8E5M2>(2, n * k));
    let (x, y) = (some::<f32>(3, m * 3), some::<f32>(4, 2 * 3));
    let [in_a, in_b] = [&a, &b].map(|of| device.upload(of).unwrap());
    let [in_x, in_y] = [&x, &y].map(|of| device.upload(of).unwrap());
    let (none, mut c) = (device.alloc_zeroed::<f32>(0).unwrap(), device.alloc_zeroed::<f32>(m * n).unwrap());
    let maps = (device.tensor_map(&in_a, [m, k], k).unwrap(), device.tensor_map(&in_b, [n, k], k).unwrap());
    let mut to = device.tensor_map_mut(&mut c, [m, n], n).unwrap();
    let shape = Shape { m, n, k, a_stride: k, b_stride: k, batch: [0; 3] };
    let how = Finish { alpha: 1.0, c_stride: n, ..Finish::default() };
    let strides = ScaleStrides { a: [3, 1], b: [3, 1] };
    type Of = Lines<F8E5M2>;
    const STAGES: usize = stages(128, 128, 128);
    gemm_warpgroups::<F8E5M2, f32, Unchanged, Of, Swizzle128<4>, 16, 128, 128, 128, 128, 32, 64, STAGES, 2>(
        &maps.0, &maps.1, &mut to, &none, &none, &in_x, &in_y, shape, how, strides, Unchanged, true, false,
        false, BY_BLOCK, false,
    )
    .grid(2)
    .block(384)
    .cluster(2)
    .launch(&device)
    .unwrap();
    drop(to);
    for (at, got) in device.download(&c).unwrap().into_iter().enumerate() {
        let (row, col) = (at / n, at % n);
        let factor = |i: usize| f64::from(x[row * 3 + i / 128]) * f64::from(y[col / 128 * 3 + i / 128]);
        let want: f64 = (0..k).map(|i| a[row * k + i].value() * b[col * k + i].value() * factor(i)).sum();
        assert!((f64::from(got) - want).abs() < 1e-2, "({row}, {col}): {got} instead of {want}");
    }
}

#[test]
fn products_of_a_batch_have_the_same_factors() {
    let device = Device::simulator();
    let twos = device.upload(&[F8E4M3::from_f32(2.0); 2 * 4 * 16]).unwrap();
    let (of_a, of_b) =
        (device.upload(&[1.0f32, 2.0, 3.0, 4.0]).unwrap(), device.upload(&[0.5f32, 0.25]).unwrap());
    let mut c = device.alloc_zeroed::<f32>(2 * 4 * 2).unwrap();
    gemm(
        &device,
        matrix(&twos, 4, 16).unwrap(),
        matrix(&twos, 2, 16).unwrap().t(),
        matrix_mut(&mut c, 4, 2).unwrap(),
    )
    .scales(Scales::of_lines(&of_a, &of_b))
    .batched(2, [64, 0, 8])
    .run()
    .unwrap();
    let of_one = [32.0, 16.0, 64.0, 32.0, 96.0, 48.0, 128.0, 64.0];
    assert_eq!(device.download(&c).unwrap(), [of_one; 2].concat());
}

#[test]
fn integers_of_eight_bits_have_exact_sums() {
    by_every_kernel::<i8, i32>(Factors::None, |call| call);
    check::<i8, bf16>(&device(1), Case { factors: Factors::Lines, is_finished: true, ..PLAIN }, |call| call);
}

#[test]
fn tf32_reads_nineteen_bits_of_each_element() {
    by_every_kernel::<f32, f32>(Factors::None, |call| call.precision(Precision::TensorFloat32));
}

#[test]
fn products_without_elements_or_terms() {
    let of_blocks = Case { extents: [5, 3, 0], factors: Factors::Blocks, ..PLAIN };
    check::<F8E4M3, bf16>(&device(1), of_blocks, |call| call);
    for extents in [[0, 5, 3], [5, 0, 3], [5, 3, 0]] {
        check::<i8, i32>(&device(1), Case { extents, ..PLAIN }, |call| call);
        let case = Case { extents, factors: Factors::Lines, is_finished: true, ..PLAIN };
        check::<F8E4M3, bf16>(&device(1), case, |call| call);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_extents_and_strides(
        extents in [1usize..40, 1usize..40, 0usize..70],
        padding in [0usize..9, 0usize..9, 0usize..9],
        is_turned in any::<bool>(),
        seed in 0u64..100,
    ) {
        let case = Case { extents, padding, is_turned, ..PLAIN };
        check::<i8, i32>(&device(seed), case, |call| call);
        let case = Case { factors: Factors::Lines, is_finished: true, ..case };
        check::<F8E4M3, bf16>(&device(seed), case, |call| call);
    }
}

#[test]
fn what_tensor_cores_do_not_multiply_is_named() {
    let device = Device::simulator();
    let (x, y) = (device.alloc_zeroed::<i8>(64).unwrap(), device.alloc_zeroed::<F8E4M3>(64).unwrap());
    let (mut sums, mut c) =
        (device.alloc_zeroed::<i32>(64).unwrap(), device.alloc_zeroed::<bf16>(64).unwrap());
    let few = device.alloc_zeroed::<f32>(3).unwrap();
    let (of_x, of_y) = (|| matrix(&x, 8, 8).unwrap(), || matrix(&y, 8, 8).unwrap());
    let refused =
        |plan: Result<Plan, KernelError>, text: &str| assert_eq!(plan.unwrap_err().to_string(), text);
    refused(
        gemm(&device, of_x(), of_x(), matrix_mut(&mut sums, 8, 8).unwrap()).plan(),
        "`b` has rows whose elements lie side by side, but needs columns whose elements do: tensor cores multiply only floats of 16 bits in \
         any order; transpose it first, with `movement::transpose`, and pass the result with `.t()`",
    );
    refused(
        gemm(&device, of_x(), of_x().t(), matrix_mut(&mut sums, 8, 8).unwrap()).alpha(2.0).plan(),
        "`c` has elements of `i32`, which are sums as they are, but needs elements of `f32` or `bf16`, where sums are scaled, added to or \
         changed; leave these settings out, or pass another `c`",
    );
    refused(
        gemm(&device, of_y(), of_y().t(), matrix_mut(&mut c, 8, 8).unwrap())
            .scales(Scales::of_lines(&few, &few))
            .plan(),
        "`scales.a` has 1 × 3 factors, but needs 1 × 8 factors, one for each row of `a`, or column of `b`; pass a part of that length, \
         or a matrix of these extents",
    );
}
