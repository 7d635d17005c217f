//! Bounds: structs that bound their parameters, traits with constants of their own type, traits of arrays.

use core::ops::{Add, AddAssign, Index, IndexMut, Mul};

use warpsmith::prelude::*;

use harness::agree;

/// Two numbers.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct V2<T: Num> {
    x: T,
    y: T,
}

#[gpu_impl]
impl<T: Num> Add for V2<T> {
    type Output = V2<T>;
    fn add(self, o: Self) -> Self {
        V2 { x: self.x + o.x, y: self.y + o.y }
    }
}

#[gpu_impl]
impl<T: Num> Mul<T> for V2<T> {
    type Output = Self;
    fn mul(self, k: T) -> Self {
        Self { x: self.x * k, y: self.y * k }
    }
}

#[gpu_impl]
impl<T: Num> AddAssign for V2<T> {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

#[gpu_impl]
impl<T: Num> Index<usize> for V2<T> {
    type Output = T;
    fn index(&self, i: usize) -> &T {
        if i == 0 { &self.x } else { &self.y }
    }
}

#[gpu_impl]
impl<T: Num> IndexMut<usize> for V2<T> {
    fn index_mut(&mut self, i: usize) -> &mut T {
        match i {
            0 => &mut self.x,
            _ => &mut self.y,
        }
    }
}

#[gpu_impl]
impl<T: Num> V2<T> {
    fn new(x: T, y: T) -> Self {
        Self { x, y }
    }
    fn map<U: Num>(self, f: impl Fn(T) -> U) -> V2<U> {
        V2 { x: f(self.x), y: f(self.y) }
    }
}

#[gpu_kernel]
fn parameters_of_structs(x: &[u64], out: &mut [u64]) {
    let a = V2::new(x[1], x[2]);
    let mut b = a + V2 { x: 3, y: 4 } * x[2];
    b += a * 2;
    b[0] += b[1];
    b[x[1] as usize] *= 3;
    out[0] = b.x * 100 + b.y;
    out[1] = b.map(|v| v as f32 * 0.5).x.to_bits() as u64;
}

/// Values that can be summed.
#[gpu_trait]
trait Monoid: Copy {
    const ZERO: Self;
    fn join(self, other: Self) -> Self;
    fn times(self, n: u64) -> Self {
        let mut all = Self::ZERO;
        for _ in 0..n {
            all = all.join(self);
        }
        all
    }
    fn all(s: &[Self]) -> Self
    where
        Self: GpuType,
    {
        let mut all = Self::ZERO;
        for v in s {
            all = all.join(*v);
        }
        all
    }
}

/// Digits, and how many.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Digits {
    v: u64,
    n: u64,
}

#[gpu_impl]
impl Monoid for Digits {
    const ZERO: Digits = Digits { v: 0, n: 0 };
    fn join(self, other: Digits) -> Digits {
        Digits { v: self.v * 10u64.pow(other.n as u32) + other.v, n: self.n + other.n }
    }
}

#[gpu_impl]
impl Monoid for u64 {
    const ZERO: u64 = 0;
    fn join(self, other: u64) -> u64 {
        self + other
    }
}

#[gpu_impl]
impl<T: Num> Monoid for V2<T> {
    const ZERO: V2<T> = V2 { x: T::ZERO, y: T::ZERO };
    fn join(self, other: Self) -> Self {
        self + other
    }
}

/// The last sum.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Ring<M: Monoid + GpuType, const N: usize> {
    all: [M; N],
    n: u64,
}

#[gpu_impl]
impl<M: Monoid + GpuType, const N: usize> Ring<M, N> {
    fn new() -> Self {
        Ring { all: [M::ZERO; N], n: 0 }
    }
    fn push(&mut self, v: M) -> &mut Self {
        let at = self.n as usize % N;
        self.all[at] = self.all[at].join(v);
        self.n += 1;
        self
    }
}

#[gpu_fn]
fn prefix<M: Monoid + GpuType, const N: usize>(a: &mut [M; N]) -> M {
    let mut all = M::ZERO;
    for v in a.iter_mut() {
        all = all.join(*v);
        *v = all;
    }
    all
}

#[gpu_fn]
fn ring<M: Monoid + GpuType, const N: usize>(v: M) -> Ring<M, N> {
    let mut ring = Ring::<M, N>::new();
    ring.push(v).push(v.join(v)).push(v);
    ring
}

#[gpu_kernel]
fn constants_of_the_type_itself(x: &[u64], out: &mut [u64]) {
    let mut digits = [Digits { v: x[1], n: 1 }, Digits { v: x[12], n: 2 }, Digits { v: x[3], n: 1 }];
    out[0] = prefix(&mut digits).v;
    out[1] = digits[1].v * 10 + digits[1].n;
    let mut numbers = [x[1], x[2], x[3], x[4]];
    out[2] = prefix(&mut numbers) + numbers[2] * 100;
    out[3] = digits[0].times(3).v + x[5].times(4) * 1000;
    out[4] = Digits::all(&digits[1..]).v + u64::all(x);
    out[5] = ring::<_, 2>(V2::new(x[2], 7)).all[0].y + ring::<u64, 3>(x[4]).all[1] * 100;
}

/// A collection with a total.
#[gpu_trait]
trait Stats {
    fn total(&self) -> u64;
    fn clear(&mut self) {}
}

#[gpu_impl]
impl<const N: usize> Stats for [u64; N] {
    fn total(&self) -> u64 {
        self.iter().sum::<u64>() + N as u64
    }
    fn clear(&mut self) {
        for v in self.iter_mut() {
            *v = 1;
        }
    }
}

#[gpu_impl]
impl Stats for (u64, f32) {
    fn total(&self) -> u64 {
        self.0 + self.1 as u64
    }
}

#[gpu_kernel]
fn traits_of_arrays_and_tuples(x: &[u64], out: &mut [u64]) {
    let mut a = [x[1], x[2], x[3]];
    out[0] = a.total() + (x[4], 2.5f32).total() * 100;
    a.clear();
    out[1] = a.total() * 10 + a[2];
}

agree! { parameters_of_structs constants_of_the_type_itself traits_of_arrays_and_tuples }
