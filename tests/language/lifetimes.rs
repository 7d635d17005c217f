//! Lifetimes as Rust writes them: on kernels, functions, methods, `impl` blocks and traits.

use warpsmith::prelude::*;

use super::{everywhere, written};

/// A part of a slice, held with its lifetime.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Window<'a> {
    view: View<'a, u32>,
    shift: u32,
}

#[gpu_impl]
impl<'a> Window<'a> {
    fn at<'b>(&'b self, i: usize) -> &'b u32
    where
        'a: 'b,
    {
        let view: &'b View<'a, u32> = &self.view;
        &view[i]
    }

    fn shifted(&self, i: usize) -> u32 {
        *self.at(i) + self.shift
    }
}

#[gpu_trait]
trait Reads<'a, T> {
    fn first(&self) -> T;
    fn twice(&self) -> u32;
}

#[gpu_impl]
impl<'a> Reads<'a, u32> for Window<'a> {
    fn first(&self) -> u32 {
        *self.at(0)
    }
    fn twice(&self) -> u32 {
        self.shift * 2
    }
}

#[gpu_impl]
impl Window<'_> {
    fn length(self) -> usize {
        self.view.len()
    }
}

#[gpu_fn]
fn larger<'a, T: Num + 'a>(a: &'a T, b: &'a T) -> &'a T {
    let chosen: &'a T = if *a < *b { b } else { a };
    chosen
}

#[gpu_fn]
fn last<'long: 'short, 'short, T>(x: &'long [T], _y: &'short [T]) -> &'short T
where
    T: GpuType + 'long,
{
    &x[x.len() - 1]
}

#[gpu_fn(cuda = "return *a + (*b)[0];")]
fn added<'a>(a: &'a u32, b: &'a [u32; 2]) -> u32 {
    *a + b[0]
}

#[gpu_fn]
fn elided(x: &'_ [u32]) -> &'_ u32 {
    &x[0]
}

#[gpu_kernel]
fn borrowed<'a, 'b: 'a, const N: usize>(x: &'b [u32], y: &'a [u32], mut a: &'a [u32], out: &'a mut [u32])
where
    'b: 'a,
{
    let t: usize = global_id();
    let s: &'a [u32] = x;
    // SAFETY: the elements of a slice.
    let w: Window<'_> = Window { view: unsafe { View::from_raw_parts(s.as_ptr(), s.len()) }, shift: 3 };
    let swap = t % 2 == 1;
    if swap {
        a = y;
    }
    out[t * 8] = *larger::<u32>(&x[t], &y[t]);
    out[t * 8 + 1] = *last(s, y);
    out[t * 8 + 2] = w.shifted(t);
    out[t * 8 + 3] = w.first() + w.twice();
    out[t * 8 + 4] = w.length() as u32 + N as u32;
    out[t * 8 + 5] = added(&x[t], &[y[0], 1]);
    out[t * 8 + 6] = *elided(y);
    out[t * 8 + 7] = a[t];
}

#[test]
fn lifetimes_mean_what_they_mean_in_rust() {
    everywhere::<borrowed<5>>(&(), |device| {
        let (x, y) = ([1, 20, 3, 40], [10, 2, 30, 4]);
        let (dx, dy) = (device.upload(&x).expect("memory"), device.upload(&y).expect("memory"));
        let out =
            written(device, (32, 0), |out| borrowed::<5>(&dx, &dy, &dx, out).over(4).block(4).launch(device));
        for t in 0..4 {
            let swapped = if t % 2 == 1 { y[t] } else { x[t] };
            let want = [x[t].max(y[t]), 40, x[t] + 3, 7, 9, x[t] + 10, 10, swapped];
            assert_eq!(out[t * 8..t * 8 + 8], want);
        }
    });
}

/// Two buffers that change places with each pass.
#[gpu_kernel]
fn ping_pong<'a>(mut from: &'a mut [u32], mut to: &'a mut [u32], passes: u32) {
    use core::mem::swap;
    let t = thread_idx().x;
    for _ in 0..passes {
        to[t] = from[t] * 2 + 1;
        swap(&mut from, &mut to);
    }
    from[t] += 100;
}

#[test]
fn slices_are_swapped() {
    everywhere::<ping_pong>(&(), |device| {
        let mut a = device.upload(&[1u32, 2, 3, 4]).expect("memory");
        let b = written(device, (4, 0), |b| ping_pong(&mut a, b, 3).grid(1).block(4).launch(device));
        assert_eq!(device.download(&a).expect("memory"), [7, 11, 15, 19]);
        assert_eq!(b, [115, 123, 131, 139]);
    });
}

/// A reader whose parts outlive each step that it makes.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Reader<'a> {
    data: View<'a, u32>,
    at: usize,
}

#[gpu_impl]
impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u32]> {
        let part = self.data.get(self.at..)?.get(..n)?;
        self.at += n;
        Some(part)
    }

    fn pair(&self) -> Option<&'a [u32]> {
        self.data.get(self.at..self.at + 2)
    }
}

#[gpu_kernel]
fn read_in_parts(x: &[u32], out: &mut [u32]) {
    let mut reader = Reader { data: View::new(x), at: 0 };
    let (Some(first), Some(second)) = (reader.take(2), reader.take(3)) else { return };
    let pair = reader.pair();
    let none = reader.take(4).is_none();
    out[0] = first[1] * 100 + second[2] * 10 + none as u32;
    out[1] = pair.map_or(0, |pair| pair[1]);
}

#[test]
fn a_part_of_a_view_outlives_a_reference_to_the_view() {
    everywhere::<read_in_parts>(&(), |device| {
        let x = device.upload(&[1u32, 2, 3, 4, 5, 6, 7]).expect("memory");
        let out = written(device, (2, 0), |out| read_in_parts(&x, out).grid(1).block(1).launch(device));
        assert_eq!(out, [251, 7]);
    });
}
