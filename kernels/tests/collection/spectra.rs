//! Transforms of every length against sums and transforms in `f64`.

use proptest::prelude::{Just, ProptestConfig, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::fft::{Complex32, fft, ifft, irfft, rfft};

use crate::devices::{Placed, Random, devices, scale, shuffled};

const NAN: Complex32 = Complex32 { re: f32::NAN, im: f32::NAN };

fn random(seed: u64, len: usize) -> Vec<Complex32> {
    let mut random = Random::new(seed);
    (0..len).map(|_| Complex32 { re: random.unit() as f32, im: random.unit() as f32 }).collect()
}

/// The transform in `f64`, by halves.
fn spectrum(x: &[(f64, f64)], sign: f64) -> Vec<(f64, f64)> {
    if x.len() == 1 {
        return x.to_vec();
    }
    let half = |first| spectrum(&x.iter().skip(first).step_by(2).copied().collect::<Vec<_>>(), sign);
    let (even, odd) = (half(0), half(1));
    let turned = odd.iter().enumerate().map(|(k, (re, im))| {
        let (sine, cosine) = (sign * std::f64::consts::TAU * k as f64 / x.len() as f64).sin_cos();
        (re * cosine - im * sine, re * sine + im * cosine)
    });
    let pairs: Vec<_> = even.iter().copied().zip(turned).collect();
    let sums = pairs.iter().map(|(a, b)| (a.0 + b.0, a.1 + b.1));
    sums.chain(pairs.iter().map(|(a, b)| (a.0 - b.0, a.1 - b.1))).collect()
}

/// Compares the transforms of rows, `gap` elements apart and `offset` elements behind an aligned address.
fn check(device: &Device, [batch, log, gap, offset]: [usize; 4], is_inverse: bool, seed: u64) {
    let len = 1usize << log;
    let stride = len + gap;
    let x = random(seed, batch * stride);
    let xs = Placed::new(device, offset, &x, NAN);
    let mut ys = Placed::new(device, offset, &vec![Complex32 { re: 3.0, im: 4.0 }; batch * stride], NAN);
    let from = matrix(xs.part(), batch, len).and_then(|x| x.stride(stride)).expect("it fits");
    let to = matrix_mut(ys.part_mut(), batch, len).and_then(|y| y.stride(stride)).expect("it fits");
    let call = if is_inverse { ifft(device, from, to) } else { fft(device, from, to) };
    call.workspace(2 * len * size_of::<Complex32>())
        .run()
        .unwrap_or_else(|e| panic!("{batch} rows of {len}: {e}"));
    compare(&x, &ys.read(device), [batch, log, stride], is_inverse);
}

/// Compares transforms with the reference; behind each row, nothing has changed.
fn compare(x: &[Complex32], y: &[Complex32], [batch, log, stride]: [usize; 3], is_inverse: bool) {
    let len = 1usize << log;
    let (sign, factor) = if is_inverse { (1.0, 1.0 / len as f64) } else { (-1.0, 1.0) };
    for b in 0..batch {
        let row: Vec<_> = x[b * stride..][..len].iter().map(|x| (f64::from(x.re), f64::from(x.im))).collect();
        let want = spectrum(&row, sign);
        let (got, behind) = y[b * stride..][..stride].split_at(len);
        assert!(behind.iter().all(|y| (y.re, y.im) == (3.0, 4.0)), "behind row {b} of {batch} x {len}");
        let (mut error, mut size) = (0.0, 0.0);
        for (y, (re, im)) in got.iter().zip(want) {
            let (re, im) = (re * factor, im * factor);
            error += (f64::from(y.re) - re).powi(2) + (f64::from(y.im) - im).powi(2);
            size += re * re + im * im;
        }
        let relative = f64::sqrt(error / size);
        assert!(relative <= 1e-7 * log.max(1) as f64, "row {b} of {batch} x {len}: an error of {relative}");
    }
}

/// Compares the halves of spectra of real rows, and the real rows of such halves, of other distances.
fn check_real(device: &Device, extents: [usize; 4], seed: u64) {
    check_real_in(device, extents, usize::MAX, seed);
}

/// The same, with that many bytes of workspace.
fn check_real_in(device: &Device, [batch, log, gap, offset]: [usize; 4], workspace: usize, seed: u64) {
    let len = 1usize << log;
    let (stride, half) = (len + gap, len / 2 + 1);
    let apart = half + gap;
    let x: Vec<f32> = random(seed, batch * stride).iter().map(|x| x.re).collect();
    let row = |b: usize| x[b * stride..][..len].iter().map(|x| (f64::from(*x), 0.0)).collect::<Vec<_>>();
    let xs = Placed::new(device, offset, &x, f32::NAN);
    let mut ys = Placed::new(device, offset, &vec![NAN; batch * apart], NAN);
    let from = matrix(xs.part(), batch, len).and_then(|x| x.stride(stride)).expect("it fits");
    let to = matrix_mut(ys.part_mut(), batch, half).and_then(|y| y.stride(apart)).expect("it fits");
    let call = rfft(device, from, to).workspace(workspace);
    call.run().unwrap_or_else(|e| panic!("{batch} rows of {len}: {e}"));
    let got = ys.read(device);
    let mut halves = vec![NAN; batch * apart];
    for b in 0..batch {
        let want = spectrum(&row(b), -1.0);
        let (mut error, mut size) = (0.0, 0.0);
        for (k, (re, im)) in want.into_iter().take(half).enumerate() {
            let y = got[b * apart + k];
            error += (f64::from(y.re) - re).powi(2) + (f64::from(y.im) - im).powi(2);
            size += re * re + im * im;
            // Nothing reads the imaginary parts at both ends.
            let im = if k == 0 || k + 1 == half { f32::NAN } else { im as f32 };
            halves[b * apart + k] = Complex32 { re: re as f32, im };
        }
        assert!(
            got[b * apart + half..][..gap].iter().all(|y| y.re.is_nan()),
            "behind row {b} of {batch} x {len}"
        );
        let relative = f64::sqrt(error / size);
        assert!(relative <= 1e-7 * (log + 1) as f64, "row {b} of {batch} x {len}: an error of {relative}");
    }
    let halves = Placed::new(device, offset, &halves, NAN);
    let mut backs = Placed::new(device, offset, &vec![f32::NAN; batch * stride], f32::NAN);
    let from = matrix(halves.part(), batch, half).and_then(|x| x.stride(apart)).expect("it fits");
    let to = matrix_mut(backs.part_mut(), batch, len).and_then(|y| y.stride(stride)).expect("it fits");
    let call = irfft(device, from, to).workspace(workspace);
    call.run().unwrap_or_else(|e| panic!("{batch} rows of {len}, back: {e}"));
    let (mut error, mut size) = (0.0, 0.0);
    for (i, y) in backs.read(device).into_iter().enumerate() {
        if i % stride < len {
            error += (f64::from(y) - f64::from(x[i])).powi(2);
            size += f64::from(x[i]).powi(2);
        } else {
            assert!(y.is_nan(), "behind a row of {batch} x {len}");
        }
    }
    let relative = f64::sqrt(error / size);
    assert!(relative <= 1e-7 * (log + 1) as f64, "{batch} x {len}, back: an error of {relative}");
}

#[test]
fn real_rows_are_transformed_and_back() {
    for device in devices() {
        for log in 1..=8 {
            check_real(&device, [3, log, 0, 0], log as u64);
            check_real(&device, [2, log, 3, 1], log as u64);
        }
        // Blocks that take several rows, one of them a few alone, and rows of two and three passes.
        check_real(&device, [600, 2, 0, 0], 6);
        check_real(&device, [260, 4, 2, 2], 7);
        check_real(&device, [260, 5, 0, 0], 8);
        check_real(&device, [150, 6, 2, 2], 9);
        check_real(&device, [70, 7, 2, 0], 11);
        check_real(&device, [35, 8, 4, 0], 10);
        for log in [9, 12, 14, 15] {
            check_real(&device, [2, log, 0, 0], log as u64);
        }
        if scale(&device) > 1 {
            for log in 9..=20 {
                check_real(&device, [3, log, 1, 1], log as u64);
                check_real(&device, [200, log.min(16), 2, 0], log as u64);
            }
        }
    }
}

/// Rows that are matrices, two of three at once, and copied first, as they do not begin at a pair.
#[test]
fn long_real_rows_are_transformed_and_back() {
    for device in devices() {
        check_real_in(&device, [3, 16, 1, 1], 2 << 18, 1);
        check_real(&device, [1, 17, 0, 0], 2);
    }
}

#[test]
fn real_rows_take_the_launches_of_their_length() {
    let device = Device::simulator();
    for (len, kernel) in [
        (2usize, "rfft_short_rows"),
        (16, "rfft_short_rows"),
        (32, "rfft_rows"),
        (1 << 15, "rfft_rows"),
        (1 << 16, "rfft_join_rows"),
    ] {
        let mut x = device.alloc_zeroed::<f32>(3 * len).expect("memory");
        let mut y = device.alloc_zeroed::<Complex32>(3 * (len / 2 + 1)).expect("memory");
        let from = matrix(&x, 3, len).expect("it fits");
        let plan = rfft(&device, from, matrix_mut(&mut y, 3, len / 2 + 1).expect("it fits")).plan();
        assert_eq!(plan.expect("it is valid").kernel, kernel);
        let from = matrix(&y, 3, len / 2 + 1).expect("it fits");
        let plan = irfft(&device, from, matrix_mut(&mut x, 3, len).expect("it fits")).plan();
        let inverse = if kernel == "rfft_join_rows" { "irfft_split_columns" } else { &format!("i{kernel}") };
        assert_eq!(plan.expect("it is valid").kernel, inverse);
    }
}

/// A transposed column is a row, whose distance from the next one is 1.
#[test]
fn transposed_columns_are_transformed() {
    let (device, x) = (Device::simulator(), [1.0f32, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
    let reals = device.upload(&x).expect("memory");
    let mut spectrum = device.alloc_zeroed::<Complex32>(5).expect("memory");
    let mut back = device.alloc_zeroed::<f32>(8).expect("memory");
    let to = matrix_mut(&mut spectrum, 5, 1).expect("it fits").t();
    rfft(&device, matrix(&reals, 8, 1).expect("it fits").t(), to).run().unwrap_or_else(|e| panic!("{e}"));
    let from = matrix(&spectrum, 5, 1).expect("it fits").t();
    let to = matrix_mut(&mut back, 8, 1).expect("it fits").t();
    irfft(&device, from, to).run().unwrap_or_else(|e| panic!("{e}"));
    let got = device.download(&back).expect("no fault");
    assert!(got.iter().zip(x).all(|(y, x)| (y - x).abs() < 1e-6), "{got:?}");
    let complex = device.upload(&random(1, 8)).expect("memory");
    let mut y = device.alloc_zeroed::<Complex32>(8).expect("memory");
    let to = matrix_mut(&mut y, 8, 1).expect("it fits").t();
    let call = fft(&device, matrix(&complex, 8, 1).expect("it fits").t(), to);
    let plan = call.plan().expect("a plan");
    assert_eq!((plan.kernel, plan.shared), ("fft_short_rows", 256 * 16 * size_of::<Complex32>()));
    call.run().unwrap_or_else(|e| panic!("{e}"));
    compare(&random(1, 8), &device.download(&y).expect("no fault"), [1, 3, 8], false);
}

#[test]
fn rows_of_every_short_length_are_transformed() {
    for device in devices() {
        for log in 0..=10 {
            check(&device, [3, log, 0, 0], false, log as u64);
            check(&device, [17 >> (log / 2), log, 5, 1], true, log as u64);
        }
        // More rows than a warp has, two numbers at a time.
        for log in 1..=6 {
            check(&device, [(700 >> log) + 1, log, 4, 2], true, log as u64);
        }
    }
}

#[test]
fn long_rows_are_transformed() {
    for device in devices() {
        check(&device, [1, 13, 0, 0], true, 1);
        check(&device, [3, 14, 3, 0], false, 2);
        check(&device, [1, 15, 0, 1], true, 3);
        if scale(&device) > 1 {
            for log in 11..=20 {
                check(&device, [3, log, 1, 1], false, log as u64);
                check(&device, [2, log, 0, 0], true, log as u64);
            }
        }
    }
}

/// A wave through a row that takes two launches, in memory for all rows, times a factor.
#[test]
fn spectra_are_scaled_and_workspaces_are_for_all_rows() {
    let (device, len) = (Device::simulator(), 1usize << 14);
    let wave = |j: usize| (std::f64::consts::TAU * (3 * j % len) as f64 / len as f64).cos() as f32;
    let host: Vec<_> = (0..2 * len).map(|i| Complex32 { re: wave(i), im: 0.0 }).collect();
    let x = device.upload(&host).expect("memory");
    let (mut y, mut z) = (device.upload(&host).expect("memory"), device.upload(&host).expect("memory"));
    let rows = |x| matrix(x, 2, len).expect("it fits");
    let spectra = matrix_mut(&mut y, 2, len).expect("it fits");
    fft(&device, rows(&x), spectra).scale(0.5).run().unwrap_or_else(|e| panic!("{e}"));
    let got = device.download(&y).expect("no fault");
    for (k, y) in got.iter().enumerate() {
        let want = if [3, len - 3].contains(&(k % len)) { len as f32 / 4.0 } else { 0.0 };
        assert!((y.re - want).abs() < 0.05 && y.im.abs() < 0.05, "{k}: {y:?}");
    }
    let back = matrix_mut(&mut z, 2, len).expect("it fits");
    ifft(&device, rows(&y), back).scale(2.0).run().unwrap_or_else(|e| panic!("{e}"));
    let got = device.download(&z).expect("no fault");
    assert!(got.iter().zip(&host).all(|(z, x)| (z.re - x.re).abs() < 1e-5 && z.im.abs() < 1e-5));
}

#[test]
fn transforms_that_do_not_fit_are_refused() {
    let device = Device::simulator();
    let x = device.upload(&random(1, 12)).expect("memory");
    let mut y = device.alloc_zeroed::<Complex32>(12).expect("memory");
    let text = |result: Result<(), KernelError>| result.expect_err("refused").to_string();
    let rows = |rows, cols| matrix(&x, rows, cols).expect("it fits");
    assert_eq!(
        text(fft(&device, rows(2, 6), matrix_mut(&mut y, 2, 6).expect("it fits")).run()),
        "`x` has 6 columns, but needs a power of two of them, up to 1048576; \
         fill rows up with zeros, or transform their parts"
    );
    assert_eq!(
        text(fft(&device, rows(3, 4), matrix_mut(&mut y, 2, 4).expect("it fits")).run()),
        "`y` has 2 rows and 4 columns, but needs the 3 rows and 4 columns of `x`; pass matrices of the same extents"
    );
    fft(&device, rows(0, 4), matrix_mut(&mut y, 0, 4).expect("it fits")).run().expect("nothing to do");
    let reals = device.upload(&[0.0f32; 12]).expect("memory");
    let reals = |rows, cols| matrix(&reals, rows, cols).expect("it fits");
    assert_eq!(
        text(rfft(&device, reals(2, 1), matrix_mut(&mut y, 2, 1).expect("it fits")).run()),
        "`x` has 1 columns, but needs a power of two of them, from 2 to 1048576; \
         fill rows up with zeros, or transform their parts"
    );
    assert_eq!(
        text(rfft(&device, reals(2, 4), matrix_mut(&mut y, 2, 4).expect("it fits")).run()),
        "`y` has 2 rows and 4 columns, but needs 2 rows and 3 columns, one more than half of the columns of `x`; \
         pass matrices whose extents agree"
    );
    rfft(&device, reals(0, 4), matrix_mut(&mut y, 0, 3).expect("it fits")).run().expect("nothing to do");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_rows_are_transformed(
        batch in 1usize..5,
        log in 0usize..12,
        gap in prop_oneof![Just(0usize), 0usize..4],
        offset in 0usize..3,
        is_inverse in prop_oneof![Just(false), Just(true)],
        seed in 0u64..1000,
    ) {
        check(&shuffled(seed), [batch, log, gap, offset], is_inverse, seed);
        check_real(&shuffled(seed), [batch, log.min(9) + 1, gap, offset], seed);
    }
}
