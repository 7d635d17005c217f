//! Products of matrices and vectors: any extents, strides, orders and alignments, against sums in `f64`.

use proptest::prelude::{Just, ProptestConfig, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::argument::matrix;
use warpsmith_kernels::number::Number;
use warpsmith_kernels::products::gemv;
use warpsmith_kernels::products::gemv::{BLOCK, HostBlock, Q4_0, Q8_0, gemv_quantized};

use crate::devices::{self, devices, shuffled};
use crate::matrices::{Place, Placed};
use crate::numbers::{Tested, close, some};

/// A product: its extents, how the matrix lies, and where the vectors begin.
#[derive(Clone, Copy, Debug)]
struct Case {
    rows: usize,
    cols: usize,
    gap: usize,
    transposed: bool,
    offsets: [usize; 3],
    beta: i32,
}

/// A dense product whose memory is aligned.
fn dense(rows: usize, cols: usize) -> Case {
    Case { rows, cols, gap: 0, transposed: false, offsets: [0; 3], beta: 0 }
}

/// Compares a product with the reference. Elements are exact to `rounding`, and their sums to `of_sum`.
fn check<T: Tested + Number<Total: From<i8> + Tested>>(
    device: &Device,
    case: Case,
    seed: u64,
    rounding: f64,
    of_sum: f64,
) {
    let Case { rows, cols, gap, transposed, offsets, beta } = case;
    let (a, x, before) = (some::<T>(seed, rows * cols), some::<T>(seed + 1, cols), some::<T>(seed + 2, rows));
    let (down, along) = if transposed { (cols, rows) } else { (rows, cols) };
    let padding = T::MOST;
    let placed = Placed::new(device, Place { rows: down, cols: along, gap, offset: offsets[0] }, &a, padding);
    let at = |r: usize, c: usize| a[if transposed { c * rows + r } else { r * cols + c }].exact();
    let xs = devices::Placed::new(device, offsets[1], &x, padding);
    let mut ys = devices::Placed::new(device, offsets[2], &before, padding);
    let matrix = if transposed { placed.matrix().t() } else { placed.matrix() };
    let call = gemv(device, matrix, xs.part(), ys.part_mut()).alpha(T::Total::from(2));
    let call = if beta == 0 { call } else { call.beta(T::Total::from(beta as i8)) };
    call.run().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    for (r, y) in ys.read(device).into_iter().enumerate() {
        let products = (0..cols).map(|c| at(r, c) * x[c].exact());
        let (sum, size) = products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + f64::abs(p)));
        let want = 2.0 * sum + f64::from(beta) * before[r].exact();
        // Sums have `cols` roundings at most, and those of random signs far fewer.
        close(y.exact(), want, rounding, of_sum / rounding * size, &format!("{case:?}, row {r}"));
    }
}

fn check_all(device: &Device, case: Case, seed: u64) {
    let of_sum = 1e-6;
    check::<f32>(device, case, seed, 1e-6, of_sum);
    check::<f16>(device, case, seed, 1.0 / 1024.0, of_sum);
    check::<bf16>(device, case, seed, 1.0 / 128.0, of_sum);
    check::<f64>(device, case, seed, 1e-14, 1e-14);
}

#[test]
fn vectors_are_multiplied_in_every_way() {
    for device in devices() {
        for (seed, (rows, cols)) in
            [(1, 1), (3, 5), (64, 64), (600, 33), (4, 1000), (33, 300), (1, 9000)].into_iter().enumerate()
        {
            let case = dense(rows, cols);
            check_all(&device, case, seed as u64);
            check_all(&device, Case { transposed: true, beta: 3, ..case }, seed as u64);
            check_all(&device, Case { gap: 16, offsets: [16, 32, 1], beta: -1, ..case }, seed as u64);
            check_all(&device, Case { gap: 3, offsets: [1, 0, 2], ..case }, seed as u64);
        }
    }
}

#[test]
fn each_kernel_is_chosen() {
    let device = Device::simulator();
    let a = device.upload(&vec![0.5f32; 1 << 16]).expect("memory");
    let x = device.upload(&vec![2.0f32; 1 << 15]).expect("memory");
    let mut y = device.alloc_zeroed::<f32>(1 << 12).expect("memory");
    for (rows, cols, turned, kernel) in [
        (1 << 12, 16, false, "gemv_rows"),
        (2, 1 << 15, false, "gemv_long_rows"),
        (16, 1 << 12, true, "gemv_columns"),
    ] {
        let of = if turned { (cols, rows) } else { (rows, cols) };
        let a = matrix(&a, of.0, of.1).expect("it fits");
        let a = if turned { a.t() } else { a };
        let (x, y) = (x.slice(..cols).expect("a part"), y.slice_mut(..rows).expect("a part"));
        assert_eq!(gemv(&device, a, x, y).plan().expect("a plan").kernel, kernel);
    }
}

#[test]
fn integers_wrap() {
    for device in devices() {
        let a = device.upload(&[i32::MAX, 3, -2, 7]).expect("memory");
        let x = device.upload(&[2i32, 5]).expect("memory");
        let mut y = device.alloc_zeroed::<i32>(2).expect("memory");
        gemv(&device, matrix(&a, 2, 2).expect("it fits"), &x, &mut y).run().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(device.download(&y).expect("no fault"), [i32::MAX.wrapping_mul(2).wrapping_add(15), 31]);
    }
}

#[test]
fn empty_sums_are_zero_and_nan_stays() {
    for device in devices() {
        let x = device.upload(&[1.0f32, f32::NAN]).expect("memory");
        let mut y = device.upload(&[f32::NAN; 3]).expect("memory");
        let none = matrix(x.slice(..0).expect("a part"), 3, 0).expect("it fits");
        gemv(&device, none, x.slice(..0).expect("a part"), &mut y).run().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(device.download(&y).expect("no fault"), [0.0; 3]);
        let none = matrix(x.slice(..0).expect("a part"), 0, 2).expect("it fits");
        gemv(&device, none, &x, y.slice_mut(..0).expect("a part")).run().unwrap_or_else(|e| panic!("{e}"));
        let a = device.upload(&[1.0f32, 0.0, f32::INFINITY, 1.0]).expect("memory");
        let (a, y) = (matrix(&a, 2, 2).expect("it fits"), &mut y);
        gemv(&device, a, &x, y.slice_mut(..2).expect("a part")).run().unwrap_or_else(|e| panic!("{e}"));
        assert!(device.download(y).expect("no fault")[..2].iter().all(|y| y.is_nan()));
    }
}

#[test]
fn products_with_vectors_that_do_not_fit_are_refused() {
    let device = Device::simulator();
    let memory = device.upload(&[1.0f32; 12]).expect("memory");
    let x = device.upload(&[1.0f32; 4]).expect("memory");
    let mut y = device.alloc_zeroed::<f32>(4).expect("memory");
    let text = |result: Result<(), KernelError>| result.expect_err("refused").to_string();
    let a = || matrix(&memory, 4, 3).expect("it fits");
    assert_eq!(
        text(gemv(&device, a(), &x, &mut y).run()),
        "`x` has 4 elements, but needs 3, the columns of `a`; \
         pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`"
    );
    assert_eq!(
        text(gemv(&device, a().t(), &x, &mut y).run()),
        "`y` has 4 elements, but needs 3, the rows of `a`; \
         pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`"
    );
}

/// Compares a product of random blocks with the reference: `rows` rows of `blocks` blocks, `gap` blocks apart, `offset` blocks behind
/// an aligned address.
fn check_quantized<B: HostBlock + PartialEq + std::fmt::Debug>(
    device: &Device,
    [rows, blocks, gap, offset]: [usize; 4],
    beta: f32,
    seed: u64,
) {
    let (numbers, x) = (some::<f32>(seed, rows * blocks * BLOCK), some::<f32>(seed + 1, blocks * BLOCK));
    let a: Vec<B> = numbers.as_chunks::<BLOCK>().0.iter().map(B::of).collect();
    let place = Place { rows, cols: blocks, gap, offset };
    let placed = Placed::new(device, place, &a, B::of(&[1e4; BLOCK]));
    let xs = devices::Placed::new(device, offset, &x, f32::NAN);
    let before = some::<f32>(seed + 2, rows);
    let mut ys = devices::Placed::new(device, 1, &before, 7.0);
    let call = gemv_quantized(device, placed.matrix(), xs.part(), ys.part_mut()).alpha(0.5);
    let call = if beta == 0.0 { call } else { call.beta(beta) };
    call.run().unwrap_or_else(|e| panic!("{place:?}: {e}"));
    for (r, y) in ys.read(device).into_iter().enumerate() {
        let row = a[r * blocks..][..blocks].iter().flat_map(HostBlock::numbers).map(f64::from);
        let products = row.zip(&x).map(|(a, x)| a * f64::from(*x));
        let (sum, size) = products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + f64::abs(p)));
        let want = 0.5 * sum + f64::from(beta * before[r]);
        close(f64::from(y), want, 1e-6, size, &format!("{place:?}, row {r}"));
    }
}

#[test]
fn quantised_rows_are_multiplied() {
    for device in devices() {
        for (seed, shape) in [
            [1, 1, 0, 0],
            [5, 8, 0, 0],
            [5, 8, 8, 8],
            [3, 7, 2, 1],
            [600, 9, 0, 0],
            [2, 264, 0, 0],
            [1, 16, 3, 0],
            [1, 300, 0, 3],
        ]
        .into_iter()
        .enumerate()
        {
            check_quantized::<Q8_0>(&device, shape, 0.0, seed as u64);
            check_quantized::<Q4_0>(&device, shape, -1.5, seed as u64);
        }
    }
}

#[test]
fn quantised_rows_are_multiplied_by_elements_of_any_size() {
    let (rows, blocks) = (20, 16);
    let a: Vec<Q4_0> =
        some::<f32>(1, rows * blocks * BLOCK).as_chunks::<BLOCK>().0.iter().map(Q4_0::of).collect();
    let sizes: [fn(usize) -> f32; 5] = [
        |i| [1e-38, -1e-30, 3e-20, 1.0][i % 4],
        |i| [1e-44, 2e-42][i % 2],
        |i| if i == 300 { -1e36 } else { 1e30 },
        |i| if i == 77 { f32::NEG_INFINITY } else { 0.5 },
        |i| if i == 400 { f32::NAN } else { 0.5 },
    ];
    for (device, of) in devices().iter().flat_map(|device| sizes.map(|of| (device, of))) {
        let x: Vec<f32> = (0..blocks * BLOCK).map(of).collect();
        let (in_a, in_x) = (device.upload(&a).expect("memory"), device.upload(&x).expect("memory"));
        let mut y = device.alloc_zeroed::<f32>(rows).expect("memory");
        let matrix = matrix(&in_a, rows, blocks).expect("it fits");
        gemv_quantized(device, matrix, &in_x, &mut y).run().unwrap_or_else(|e| panic!("{e}"));
        for (r, y) in device.download(&y).expect("no fault").into_iter().enumerate() {
            let row = a[r * blocks..][..blocks].iter().flat_map(HostBlock::numbers).map(f64::from);
            let products = row.zip(&x).map(|(a, x)| a * f64::from(*x));
            let (want, size) = products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + f64::abs(p)));
            let is_right = if want.is_finite() {
                (f64::from(y) - want).abs() <= 1e-6 * size + 1e-43
            } else {
                f64::from(y) == want || y.is_nan() && want.is_nan()
            };
            assert!(is_right, "x of {}, row {r}: {y} instead of {want}", x[0]);
        }
    }
}

#[test]
fn blocks_hold_the_nearest_numbers() {
    let numbers: [f32; BLOCK] = std::array::from_fn(|i| (i as f32 - 20.0) / 20.0);
    for (x, got) in numbers.iter().zip(Q8_0::of(&numbers).numbers()) {
        assert!((x - got).abs() <= 0.51 / 127.0, "{got} instead of {x}");
    }
    for (x, got) in numbers.iter().zip(Q4_0::of(&numbers).numbers()) {
        assert!((x - got).abs() <= 0.51 / 8.0, "{got} instead of {x}");
    }
    assert_eq!(Q8_0::of(&[0.0; BLOCK]).numbers(), [0.0; BLOCK]);
    assert_eq!(Q4_0::of(&[0.0; BLOCK]).numbers(), [0.0; BLOCK]);
    assert_eq!(Q4_0::of(&[-4.0; BLOCK]), Q4_0 { scale: f16::from_f32(0.5), values: [0; BLOCK / 2] });
    assert_eq!((size_of::<Q8_0>(), size_of::<Q4_0>()), (34, 18));
}

#[test]
fn quantised_matrices_that_do_not_fit_are_refused() {
    let device = Device::simulator();
    let a = device.upload(&[Q8_0::of(&[1.0; BLOCK]); 4]).expect("memory");
    let x = device.upload(&[1.0f32; 64]).expect("memory");
    let mut y = device.alloc_zeroed::<f32>(2).expect("memory");
    let text = |result: Result<(), KernelError>| result.expect_err("refused").to_string();
    let a = || matrix(&a, 2, 2).expect("it fits");
    assert_eq!(
        text(gemv_quantized(&device, a().t(), &x, &mut y).run()),
        "`a` has blocks that lie 2 apart, but needs rows whose blocks lie side by side; quantise the transposed matrix"
    );
    assert_eq!(
        text(gemv_quantized(&device, a(), x.slice(..32).expect("a part"), &mut y).run()),
        "`x` has 32 elements, but needs 64, the numbers of a row of `a`; \
         pass a part of that length: `.slice(..n)?` or `.slice_mut(..n)?`"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_matrix_times_any_vector(
        rows in 1usize..70,
        cols in 1usize..700,
        gap in prop_oneof![Just(0), Just(8), 0usize..9],
        transposed in prop_oneof![Just(false), Just(true)],
        offsets in prop_oneof![Just([0; 3]), [0usize..9, 0usize..9, 0usize..9]],
        beta in -2i32..3,
        seed in 0u64..1000,
    ) {
        let case = Case { rows, cols, gap, transposed, offsets, beta };
        check_all(&shuffled(seed), case, seed);
    }

    #[test]
    fn any_quantised_matrix_times_any_vector(
        shape in [1usize..30, 1usize..20, 0usize..9, 0usize..9],
        beta in prop_oneof![Just(0.0f32), Just(2.0)],
        seed in 0u64..1000,
    ) {
        check_quantized::<Q8_0>(&shuffled(seed), shape, beta, seed);
        check_quantized::<Q4_0>(&shuffled(seed), shape, beta, seed);
    }
}
