//! Reductions of whole slices, of every type, length and alignment.

use warpsmith::prelude::*;
use warpsmith_kernels::number::{Number, Real};
use warpsmith_kernels::reduction::{
    All, Any, ArgMax, ArgMin, Count, L1, L2, Max, Mean, Min, Product, Reduction, Sum, Variance, dot, reduce,
};

use crate::devices::{Placed, Random, devices, scale, shuffled};
use crate::numbers::{Tested, added, close, some, with_edges};

/// Lengths around those at which another path of the kernel begins.
const LENGTHS: [usize; 14] = [0, 1, 3, 4, 5, 31, 32, 33, 255, 257, 1024, 4099, 16_387, 40_000];

/// The result of a reduction of `x`, which begins `offset` elements behind an aligned address.
pub fn reduced<R: Reduction>(
    device: &Device,
    x: &[R::Element],
    offset: usize,
    padding: R::Element,
) -> R::Output {
    let x = Placed::new(device, offset, x, padding);
    let mut y = device.alloc_zeroed::<R::Output>(1).expect("device memory");
    reduce::<R>(device, x.part(), &mut y).run().unwrap_or_else(|e| panic!("{e}"));
    device.download(&y).expect("no fault")[0]
}

/// Runs `check` with random numbers of every length, at a random alignment.
fn at_every_length<T: Tested>(make: fn(u64, usize) -> Vec<T>, check: impl Fn(&Device, &[T], usize)) {
    for device in devices() {
        let mut random = Random::new(7);
        for (seed, length) in LENGTHS.into_iter().enumerate() {
            let x = make(seed as u64, length * scale(&device));
            check(&device, &x, random.below(17));
        }
    }
}

fn sums_of_integers<T: Tested + Into<i128>>()
where
    T::Total: Into<i128>,
{
    at_every_length::<T>(with_edges, |device, x, offset| {
        let want: i128 = x.iter().map(|x| (*x).into()).sum();
        let got: i128 = reduced::<Sum<T>>(device, x, offset, T::MOST).into();
        assert_eq!(got as u64, want as u64, "sum of {} from {offset} on", x.len());
    });
}

#[test]
fn sums_of_integers_are_exact() {
    sums_of_integers::<u8>();
    sums_of_integers::<i8>();
    sums_of_integers::<i16>();
    sums_of_integers::<u16>();
    sums_of_integers::<u32>();
    sums_of_integers::<i32>();
    sums_of_integers::<i64>();
    sums_of_integers::<u64>();
}

fn sums_of_floats<T: Tested>(by: f64)
where
    T::Total: Into<f64>,
{
    at_every_length::<T>(some, |device, x, offset| {
        let want: f64 = x.iter().map(|x| x.exact()).sum();
        let size: f64 = x.iter().map(|x| x.exact().abs()).sum();
        let got = reduced::<Sum<T>>(device, x, offset, T::MOST).into();
        close(got, want, by, size, &format!("sum of {}", x.len()));
    });
}

#[test]
fn sums_of_floats_are_near() {
    sums_of_floats::<f32>(1e-6);
    sums_of_floats::<f64>(1e-14);
    sums_of_floats::<f16>(1e-6);
    sums_of_floats::<bf16>(1e-6);
}

#[test]
fn products_are_near() {
    at_every_length::<u32>(with_edges, |device, x, offset| {
        let want = x.iter().fold(1u64, |all, x| all.wrapping_mul(u64::from(*x)));
        assert_eq!(reduced::<Product<u32>>(device, x, offset, 7), want);
    });
    let x: Vec<f32> = (0..1000).map(|i| 1.0 + (i % 3) as f32 * 1e-3).collect();
    let want: f64 = x.iter().map(|x| f64::from(*x)).product();
    for device in devices() {
        close(reduced::<Product<f32>>(&device, &x, 1, 0.0).into(), want, 1e-5, 0.0, "product");
    }
}

fn extremes<T: Tested>() {
    at_every_length::<T>(with_edges, |device, x, offset| {
        // Of numbers of few values several are the least.
        let least = x.iter().fold(T::MOST, |a, b| if *b < a { *b } else { a });
        let greatest = x.iter().fold(T::LEAST, |a, b| if *b > a { *b } else { a });
        assert!(reduced::<Min<T>>(device, x, offset, T::LEAST) == least);
        assert!(reduced::<Max<T>>(device, x, offset, T::MOST) == greatest);
        let at = |value: T| x.iter().position(|x| *x == value).map_or(u64::MAX, |at| at as u64);
        assert_eq!(reduced::<ArgMin<T>>(device, x, offset, T::LEAST), at(least));
        assert_eq!(reduced::<ArgMax<T>>(device, x, offset, T::MOST), at(greatest));
    });
}

#[test]
fn the_least_and_the_greatest_are_found_where_they_are_first() {
    extremes::<f32>();
    extremes::<f16>();
    extremes::<i8>();
    extremes::<u64>();
}

#[test]
fn nan_is_passed_over_by_extremes_and_kept_by_sums() {
    let x = [f32::NAN, 3.0, f32::NAN, -1.0, 3.0];
    for device in devices() {
        let device = &device;
        assert_eq!(reduced::<Min<f32>>(device, &x, 0, 0.0), -1.0);
        assert_eq!(reduced::<Max<f32>>(device, &x, 0, 0.0), 3.0);
        assert_eq!(reduced::<ArgMin<f32>>(device, &x, 0, 0.0), 3);
        assert_eq!(reduced::<ArgMax<f32>>(device, &x, 0, 0.0), 1);
        assert!(reduced::<Sum<f32>>(device, &x, 0, 0.0).is_nan());
        assert!(reduced::<Mean<f32>>(device, &x, 0, 0.0).is_nan());
        assert!(reduced::<Variance<f32>>(device, &x, 0, 0.0).is_nan());
        let none = [f32::NAN; 9];
        assert_eq!(reduced::<ArgMax<f32>>(device, &none, 0, 0.0), u64::MAX);
        assert_eq!(reduced::<Min<f32>>(device, &none, 0, 0.0), f32::INFINITY);
        // Infinity is the value that nothing begins with, and still found.
        assert_eq!(reduced::<ArgMin<f32>>(device, &[f32::NAN, f32::INFINITY], 0, 0.0), 1);
        assert_eq!(reduced::<ArgMax<f32>>(device, &[f32::NEG_INFINITY; 3], 0, 0.0), 0);
    }
}

fn moments<T: Tested>(by: f64)
where
    <T as Real>::Float: Into<f64>,
{
    at_every_length::<T>(some, |device, x, offset| {
        let n = x.len() as f64;
        let mean = added(x.iter().map(|x| x.exact())) / n;
        let squares = added(x.iter().map(|x| (x.exact() - mean).powi(2)));
        let l1 = added(x.iter().map(|x| x.exact().abs()));
        close(reduced::<Mean<T>>(device, x, offset, T::MOST).into(), mean, by, l1 / n, "mean");
        close(reduced::<Variance<T>>(device, x, offset, T::MOST).into(), squares / n, by, 0.0, "variance");
        let less = squares / (n - 1.0).max(0.0);
        close(
            reduced::<Variance<T, 1>>(device, x, offset, T::MOST).into(),
            less,
            by,
            0.0,
            "variance by n - 1",
        );
        close(reduced::<L1<T>>(device, x, offset, T::MOST).into(), l1, by, 0.0, "L1");
        let l2 = added(x.iter().map(|x| x.exact().powi(2))).sqrt();
        close(reduced::<L2<T>>(device, x, offset, T::MOST).into(), l2, by, 0.0, "L2");
    });
}

#[test]
fn means_variances_and_norms_are_near() {
    moments::<f32>(1e-5);
    moments::<f64>(1e-12);
    moments::<bf16>(1e-5);
    moments::<i32>(1e-12);
}

#[test]
fn a_large_mean_leaves_the_variance_exact() {
    let x: Vec<f32> = (0..10_000).map(|i| 4096.0 + (i % 4) as f32).collect();
    for device in devices() {
        close(reduced::<Variance<f32>>(&device, &x, 0, 0.0).into(), 1.25, 1e-3, 0.0, "variance");
    }
}

#[test]
fn truth_is_found_wherever_it_is() {
    for device in devices() {
        for at in [0, 77, 40_001] {
            let mut x = vec![false; 40_002];
            assert!(!reduced::<Any<bool>>(&device, &x, 3, true));
            x[at] = true;
            assert!(reduced::<Any<bool>>(&device, &x, 3, false));
            assert_eq!(reduced::<Count<bool>>(&device, &x, 1, true), 1);
            let zero_at: Vec<u16> = x.iter().map(|x| u16::from(!*x)).collect();
            assert!(!reduced::<All<u16>>(&device, &zero_at, 5, 1));
            assert_eq!(reduced::<Count<u16>>(&device, &zero_at, 5, 1), 40_001);
        }
        assert!(reduced::<All<u16>>(&device, &[3; 1000], 5, 0));
        assert!(reduced::<All<u16>>(&device, &[], 0, 0));
        assert!(!reduced::<Any<u16>>(&device, &[], 0, 0));
    }
}

#[test]
fn products_of_vectors_are_near_however_they_are_aligned() {
    for device in devices() {
        for (n, x_at, z_at) in
            [(0, 0, 0), (1, 0, 0), (1000, 0, 0), (1000, 3, 3), (40_001, 1, 2), (100_000, 5, 1)]
        {
            let (x, z) = (some::<f32>(n as u64, n), some::<f32>(99, n));
            let want: f64 = x.iter().zip(&z).map(|(x, z)| f64::from(*x) * f64::from(*z)).sum();
            let (x, z) = (Placed::new(&device, x_at, &x, f32::NAN), Placed::new(&device, z_at, &z, f32::NAN));
            let mut y = device.alloc_zeroed::<f32>(1).expect("device memory");
            dot(&device, x.part(), z.part(), &mut y).run().expect("it runs");
            close(device.download(&y).expect("no fault")[0].into(), want, 1e-5, 1.0, "dot");
        }
    }
}

#[test]
fn the_same_bits_in_any_order_of_blocks_and_warps() {
    let x = some::<f32>(5, 150_000);
    let want = reduced::<Sum<f32>>(&Device::simulator(), &x, 1, 0.0).to_bits();
    for seed in 1..6 {
        assert_eq!(reduced::<Sum<f32>>(&shuffled(seed), &x, 1, 0.0).to_bits(), want, "seed {seed}");
    }
}

#[test]
fn a_prepared_call_sees_what_the_memory_holds() {
    for device in devices() {
        let x = device.upload(&[1u32; 200_000]).expect("device memory");
        let mut y = device.alloc_zeroed::<u64>(1).expect("device memory");
        let mut prepared = reduce::<Sum<u32>>(&device, &x, &mut y).prepare().expect("it compiles");
        assert!(prepared.plan().grid > 1, "{}", prepared.plan());
        for _ in 0..3 {
            prepared.launch().expect("it runs");
        }
        drop(prepared);
        assert_eq!(device.download(&y).expect("no fault"), [200_000]);
    }
}

#[test]
fn a_call_runs_on_a_stream() {
    for device in devices() {
        let stream = device.stream().expect("a stream");
        let x = device.upload(&[2i32; 5000]).expect("device memory");
        let mut y = device.alloc_zeroed::<i64>(1).expect("device memory");
        reduce::<Sum<i32>>(&device, &x, &mut y).on(&stream).run().expect("it runs");
        assert_eq!(device.download(&y).expect("no fault"), [10_000]);
    }
}

/// The sign of the product of all elements, times their number.
struct Sign;

#[gpu_impl]
impl Reduction for Sign {
    type Element = f32;
    type Partial = i32;
    type Output = f64;

    fn nothing() -> i32 {
        1
    }
    fn of(element: f32, _index: u64) -> i32 {
        if element < 0.0 { -1 } else { 1 }
    }
    fn join(a: i32, b: i32) -> i32 {
        a * b
    }
    fn output(partial: i32, count: u64) -> f64 {
        partial as f64 * count as f64
    }
}

/// Elements of twelve bytes, which fill no packs.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
    z: f32,
}

struct Highest;

#[gpu_impl]
impl Reduction for Highest {
    type Element = Point;
    type Partial = f32;
    type Output = f32;

    fn nothing() -> f32 {
        f32::NEG_INFINITY
    }
    fn of(element: Point, _index: u64) -> f32 {
        element.z
    }
    fn join(a: f32, b: f32) -> f32 {
        a.max(b)
    }
    fn output(partial: f32, _count: u64) -> f32 {
        partial
    }
}

#[test]
fn users_write_reductions() {
    for device in devices() {
        let x = some::<f32>(3, 5000);
        let negative = x.iter().filter(|x| **x < 0.0).count();
        let sign = if negative % 2 == 1 { -1.0 } else { 1.0 };
        assert_eq!(reduced::<Sign>(&device, &x, 1, -1.0), sign * 5000.0);
        let points: Vec<Point> = x.iter().map(|x| Point { x: 0.0, y: 0.0, z: *x }).collect();
        let want = x.iter().fold(f32::MIN, |a, b| a.max(*b));
        assert_eq!(reduced::<Highest>(&device, &points, 1, Point { x: 9.0, y: 9.0, z: 9.0 }), want);
    }
}

#[test]
fn numbers_have_the_totals_of_the_table() {
    fn total<T: Number>() -> &'static str {
        std::any::type_name::<T::Total>()
    }
    assert_eq!(
        [total::<f16>(), total::<bf16>(), total::<i8>(), total::<u32>()],
        ["f32", "f32", "i64", "u64"]
    );
}
