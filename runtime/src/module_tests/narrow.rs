//! The text of one launch: index arithmetic that fits `int`, and slices that nothing writes.

use crate::args::{KernelArg, SliceArg, SliceMutArg};
use crate::prelude::*;

#[gpu_kernel]
fn rows(x: &[f32], weights: &[f32], y: &mut [f32], stride: usize) {
    let i = global_id();
    if i < y.len() {
        let mut sum = 0.0;
        for k in 0..=i {
            sum += x[i * stride + k] * weights[k];
        }
        y[i] = sum;
    }
}

#[gpu_kernel]
fn strided(x: &[i32], y: &mut [i32], n: i32) {
    let mut i = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let stride = (grid_dim().x * block_dim().x) as i32;
    let mut sum = 0;
    while i < n {
        sum += x[i];
        i += stride;
    }
    y[0] = sum;
}

#[gpu_kernel]
fn backwards(x: &[f32], y: &mut [f32]) {
    let mut sum = 0.0;
    for k in (0..=x.len() - 1).rev() {
        sum = sum * 0.5 + x[k];
    }
    y[0] = sum;
}

fn memory() -> (Buffer<f32>, Buffer<f32>, Buffer<f32>) {
    let device = Device::simulator();
    let floats = |n: usize| device.upload(&vec![1.0f32; n]).expect("memory");
    (floats(4096), floats(64), floats(64))
}

#[test]
fn indices_are_ints_where_the_launch_shows_that_they_fit() {
    let (x, weights, mut y) = memory();
    let text = rows(&x, &weights, &mut y, 64).over(64).cuda_source().expect("it prints");
    assert!(text.contains("for (int k = 0; k <= i; ++k) {"), "{text}");
    assert!(text.contains("x[i * (int)stride + k] * weights[k]"), "{text}");
}

#[test]
fn indices_are_as_wide_as_in_rust_where_the_launch_does_not() {
    let (x, weights, mut y) = memory();
    for stride in [1 << 31, usize::MAX] {
        let text = rows(&x, &weights, &mut y, stride).over(64).cuda_source().expect("it prints");
        assert!(!text.contains("i * (int)stride"), "{text}");
        assert!(text.contains("* stride"), "{text}");
    }
    let explained = rows(&x, &weights, &mut y, 1 << 31).over(64).explain().expect("it is valid");
    assert!(explained.wide.iter().any(|failed| failed == "stride < 2147483648"), "{explained}");
    assert!(explained.to_string().contains("would fit `int` if "), "{explained}");
    let explained = rows(&x, &weights, &mut y, 64).over(64).explain().expect("it is valid");
    assert!(explained.wide.is_empty(), "{explained}");
    // A product of numbers that fit may not.
    let text = rows(&x, &weights, &mut y, 1 << 26).over(64).cuda_source().expect("it prints");
    assert!(!text.contains("i * (int)stride"), "{text}");
}

#[test]
fn a_counter_of_a_while_loop_is_raised_as_it_stands_where_it_cannot_overflow() {
    let device = Device::simulator();
    let x = device.upload(&[1i32; 100]).expect("memory");
    let mut y = device.upload(&[0i32; 1]).expect("memory");
    let mut text_of = |n: i32| strided(&x, &mut y, n).grid(2).block(32).cuda_source().expect("it prints");
    let plain = text_of(100);
    assert!(plain.contains("i += stride;"), "{plain}");
    let most = text_of(i32::MAX - 62);
    assert!(most.contains("i = (int)((unsigned int)i + stride);"), "{most}");
    let fits = text_of(i32::MAX - 63);
    assert!(fits.contains("i += stride;"), "{fits}");
}

#[test]
fn a_loop_from_the_last_element_of_nothing_is_not_narrowed() {
    let device = Device::simulator();
    let mut y = device.upload(&[0.0f32; 1]).expect("memory");
    let mut text_of = |n: usize| {
        let x = device.upload(&vec![0.0f32; n]).expect("memory");
        backwards(&x, &mut y).grid(1).block(1).cuda_source().expect("it prints")
    };
    let some = text_of(5);
    assert!(some.contains("for (int k = ((int)x_len - 1); k >= 0; --k) {"), "{some}");
    let none = text_of(0);
    assert!(!none.contains("int k"), "{none}");
}

#[test]
fn slices_that_nothing_writes_are_restrict_and_others_are_not() {
    let (x, weights, mut y) = memory();
    let text = rows(&x, &weights, &mut y, 64).over(64).cuda_source().expect("it prints");
    for lent in ["const float* __restrict__ x,", "const float* __restrict__ weights,", " float* y,"] {
        assert!(text.contains(lent), "{text}");
    }
}

#[test]
fn a_slice_that_overlaps_one_that_is_written_is_not_restrict() {
    let device = Device::simulator();
    let all = device.upload(&[1.0f32; 8192]).expect("memory");
    let weights = device.upload(&[1.0f32; 64]).expect("memory");
    let mut y = device.upload(&[1.0f32; 64]).expect("memory");
    // The last element of the one, and the first of the other.
    for (start, is_apart) in [(0, false), (100, false), (4095, false), (4096, true)] {
        let x = Moved::new(<&Buffer<f32> as SliceArg<f32>>::into_arg(&all), 0, 4096);
        let other = Moved::new(<&Buffer<f32> as SliceArg<f32>>::into_arg(&all), start, 64);
        let KernelArg::Slice { ptr: target, .. } = other.0 else { unreachable!("a buffer is a slice") };
        let launch = rows(x, &weights, Written(target, &mut y), 64).over(64);
        let text = launch.cuda_source().expect("it prints");
        assert_eq!(text.contains("__restrict__ x,"), is_apart, "{text}");
        assert!(text.contains("__restrict__ weights,"), "{text}");
    }
}

/// A part of a slice, as raw addresses make one.
struct Moved(KernelArg);

impl Moved {
    fn new(mut arg: KernelArg, start: u64, count: u64) -> Self {
        if let KernelArg::Slice { ptr, len, bytes, .. } = &mut arg {
            (*ptr, *len, *bytes) = (*ptr + 4 * start, count, 4 * count);
        }
        Self(arg)
    }
}

// SAFETY: what it is made for is never launched.
unsafe impl SliceArg<'_, f32> for Moved {
    fn into_arg(self) -> KernelArg {
        self.0
    }
}

/// A slice that is written, at another address.
struct Written<'a>(u64, &'a mut Buffer<f32>);

// SAFETY: as above.
unsafe impl<'a> SliceMutArg<'a, f32> for Written<'a> {
    fn into_arg(self) -> KernelArg {
        let mut arg = SliceMutArg::into_arg(self.1);
        if let KernelArg::Slice { ptr, .. } = &mut arg {
            *ptr = self.0;
        }
        arg
    }
}

#[test]
fn a_launch_that_starts_early_has_no_slice_that_nothing_writes() {
    let (x, weights, mut y) = memory();
    let launch = rows(&x, &weights, &mut y, 64).over(64).programmatic_serialization();
    let text = launch.cuda_source().expect("it prints");
    assert!(!text.contains("__restrict__"), "{text}");
}

#[gpu_static]
static TOTAL: [f32; 4] = [0.0; 4];

#[gpu_kernel]
fn counted(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() && i < x.len() {
        y[i] = x[i];
        atomic_add(&mut TOTAL.get_mut()[0], x[i]);
    }
}

#[gpu_kernel]
fn viewed(x: &[f32], mut y: ViewMut<f32>) {
    let i = global_id();
    if i < y.len() && i < x.len() {
        y[i] = x[i];
    }
}

#[test]
fn memory_that_is_reached_otherwise_leaves_no_slice_restrict() {
    let (x, _, mut y) = memory();
    let text = counted(&x, &mut y).over(64).cuda_source().expect("it prints");
    assert!(!text.contains("__restrict__"), "{text}");
    let text = viewed(&x, y.view_mut()).over(64).cuda_source().expect("it prints");
    assert!(!text.contains("__restrict__"), "{text}");
}

/// Doubled where it is.
#[gpu_fn(cuda = "*p = 2.0f * *p;")]
fn double(p: &mut f32) {
    *p *= 2.0;
}

#[gpu_kernel]
fn by_cuda(x: &[f32], y: &mut [f32]) {
    y[0] = x[0];
    double(&mut y[1]);
}

#[gpu_kernel]
fn by_pointer(x: &[f32], y: &mut [f32]) {
    let p = y.as_mut_ptr();
    // SAFETY: the kernel is never launched.
    unsafe { p.add(1).write(x[0]) };
}

#[gpu_kernel]
fn by_child(x: &[f32], y: &mut [f32]) {
    y[0] = x[0];
    doubled(&mut *y).grid(1).block(32).launch();
}

/// The module has no other kernel than this one.
#[gpu_kernel]
fn by_itself(x: &[f32], y: &mut [f32], depth: u32) {
    y[0] += x[0];
    if depth > 0 {
        by_itself(x, &mut *y, depth - 1).grid(1).block(1).launch();
    }
}

#[gpu_kernel]
fn doubled(y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] *= 2.0;
    }
}

#[gpu_kernel]
fn by_element<'a>(x: &[f32], rows: &[View<'a, f32>], y: &mut [f32]) {
    y[0] = x[0] + rows[0][0];
}

#[gpu_kernel]
fn until_written(x: &[u32], y: &mut [u32]) {
    while volatile_load(&x[0]) == 0 {}
    y[0] = x[1];
}

/// What a kernel may write by other ways than its slices is not known.
#[test]
fn memory_that_is_written_by_other_ways_leaves_no_slice_restrict() {
    let device = Device::simulator();
    let (x, _, mut y) = memory();
    let words = device.upload(&[1u32; 8]).expect("memory");
    let mut counts = device.upload(&[1u32; 8]).expect("memory");
    let rows = device.upload(&[x.view()]).expect("memory");
    let texts = [
        by_cuda(&x, &mut y).over(1).cuda_source(),
        by_pointer(&x, &mut y).over(1).cuda_source(),
        by_child(&x, &mut y).over(1).cuda_source(),
        by_itself(&x, &mut y, 3).over(1).cuda_source(),
        by_element(&x, &rows, &mut y).over(1).cuda_source(),
        until_written(&words, &mut counts).over(1).cuda_source(),
    ];
    for text in texts {
        let text = text.expect("it prints");
        assert!(!text.contains("__restrict__"), "{text}");
    }
}

#[gpu_kernel]
#[rustfmt::skip]
#[allow(clippy::too_many_arguments, reason = "how many there are is what the test is about")]
fn of_nine(
    x: &[f32], a: &mut [f32], b: &mut [f32], c: &mut [f32], d: &mut [f32], e: &mut [f32], f: &mut [f32],
    g: &mut [f32], h: &mut [f32], i: &mut [f32],
) {
    a[0] = x[0]; b[0] = x[0]; c[0] = x[0]; d[0] = x[0]; e[0] = x[0];
    f[0] = x[0]; g[0] = x[0]; h[0] = x[0]; i[0] = x[0];
}

#[test]
fn every_slice_that_is_written_is_looked_at() {
    let device = Device::simulator();
    let all = device.upload(&[1.0f32; 64]).expect("memory");
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h, mut i] =
        [(); 9].map(|()| device.upload(&[1.0f32; 8]).expect("memory"));
    for (start, is_apart) in [(60, false), (64, true)] {
        let x = Moved::new(<&Buffer<f32> as SliceArg<f32>>::into_arg(&all), 0, 64);
        let other = Moved::new(<&Buffer<f32> as SliceArg<f32>>::into_arg(&all), start, 8);
        let KernelArg::Slice { ptr: target, .. } = other.0 else { unreachable!("a buffer is a slice") };
        let last = Written(target, &mut i);
        let launch = of_nine(x, &mut a, &mut b, &mut c, &mut d, &mut e, &mut f, &mut g, &mut h, last).over(1);
        let text = launch.cuda_source().expect("it prints");
        assert_eq!(text.contains("__restrict__ x,"), is_apart, "{text}");
    }
}
