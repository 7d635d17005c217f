//! Device functions that every generated kernel may call: hashing, closures, generics, methods.

#![allow(
    clippy::suspicious_arithmetic_impl,
    clippy::suspicious_op_assign_impl,
    reason = "operators whose operands cannot be exchanged unseen"
)]

use core::ops::{Add, AddAssign, Index, IndexMut, Mul, MulAssign, Sub, SubAssign};

use warpsmith::prelude::*;

/// Folds a word into a hash.
#[gpu_fn]
pub fn mix(h: u64, v: u64) -> u64 {
    (h ^ v).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// The bits of a number; one pattern for every NaN, whose bits Rust leaves open.
#[gpu_fn]
pub fn bits32(x: f32) -> u32 {
    if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }
}

/// The bits of a number; one pattern for every NaN.
#[gpu_fn]
pub fn bits64(x: f64) -> u64 {
    if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() }
}

/// The number, or 1.5 instead of a NaN, whose sign Rust leaves open.
#[gpu_fn]
pub fn real32(x: f32) -> f32 {
    if x.is_nan() { 1.5 } else { x }
}

/// The number, or 1.5 instead of a NaN.
#[gpu_fn]
pub fn real64(x: f64) -> f64 {
    if x.is_nan() { 1.5 } else { x }
}

/// A polynomial on any number type.
#[gpu_fn]
pub fn poly<T: Num>(a: T, b: T) -> T {
    let mut sum = a * b;
    sum += a;
    if sum > b { sum - T::ONE } else { sum * b + a }
}

/// `f` applied `n` times.
#[gpu_fn]
pub fn iterate<T: Num, F: Fn(T) -> T>(start: T, n: u32, f: F) -> T {
    let mut value = start;
    for _ in 0..n {
        value = f(value);
    }
    value
}

/// Calls `f` with each number below `n`.
#[gpu_fn]
pub fn each<F: FnMut(u32)>(n: u32, mut f: F) {
    for i in 0..n {
        f(i);
    }
}

/// One of two closures, on two arguments.
#[gpu_fn]
pub fn choose<T: Num, F: Fn(T, u32) -> T, G: Fn(T, u32) -> T>(first: bool, x: T, n: u32, f: F, g: G) -> T {
    if first {
        return f(x, n);
    }
    g(x, n + 1)
}

/// Two numbers.
#[derive(Clone, Copy, Debug, Default, GpuType)]
#[repr(C)]
pub struct Pair<T> {
    /// The first.
    pub x: T,
    /// The second.
    pub y: T,
}

#[gpu_impl]
impl<T: Num> Pair<T> {
    /// Scalar product.
    pub fn dot(self, other: Pair<T>) -> T {
        self.x * other.x + self.y * other.y
    }

    /// Sum of the numbers.
    pub fn sum(&self) -> T {
        self.x + self.y
    }

    /// Adds to both, and gives the first as it was.
    pub fn shift(&mut self, by: T) -> T {
        let old = self.x;
        self.x += by;
        self.y -= by;
        old
    }

    /// Exchanges the numbers.
    #[allow(clippy::manual_swap, reason = "`std::mem::swap` is no device function")]
    pub fn swap(&mut self) {
        let x = self.x;
        self.x = self.y;
        self.y = x;
    }
}

/// A struct of arrays and structs, as elements of a buffer and as variables.
#[derive(Clone, Copy, Debug, Default, GpuType)]
#[repr(C)]
pub struct Body {
    /// Floats.
    pub at: [f32; 2],
    /// Counts the calls of `me`.
    pub n: u32,
    /// A struct within.
    pub q: Pair<i32>,
    /// Wide integers.
    pub d: [u64; 4],
}

#[gpu_impl]
impl Body {
    /// Itself, counted.
    pub fn me(&mut self) -> &mut Self {
        self.n = self.n.wrapping_add(1);
        self
    }

    /// The struct within.
    pub fn part(&mut self) -> &mut Pair<i32> {
        &mut self.q
    }

    /// One of the wide integers.
    pub fn slot(&mut self, i: u32) -> &mut u64 {
        self.n ^= i;
        &mut self.d[i & 3]
    }

    /// As a builder: sets a field, and gives itself.
    pub fn with(&mut self, n: u32) -> &mut Self {
        self.d[n & 3] = self.d[n & 3].wrapping_add(1);
        self.n = n;
        self
    }
}

/// The body given, through a function.
#[gpu_fn]
pub fn body_of(body: &mut Body) -> &mut Body {
    body.n = body.n.wrapping_mul(3);
    body
}

/// A table whose elements are indexed through `Index` and `IndexMut`, which counts.
#[derive(Clone, Copy, Debug, Default, GpuType)]
#[repr(C)]
pub struct Bank {
    /// The elements.
    pub rows: [[u32; 4]; 4],
    /// How often `index_mut` was called.
    pub writes: u32,
}

#[gpu_impl]
impl Index<usize> for Bank {
    type Output = [u32; 4];
    fn index(&self, row: usize) -> &[u32; 4] {
        &self.rows[row & 3]
    }
}

#[gpu_impl]
impl IndexMut<usize> for Bank {
    fn index_mut(&mut self, row: usize) -> &mut [u32; 4] {
        self.writes = self.writes.wrapping_mul(5).wrapping_add(row as u32 + 1);
        &mut self.rows[row & 3]
    }
}

/// A number whose operators are overloaded; they read and write the thread's slot.
#[derive(Clone, Copy, Debug, Default, GpuType)]
#[gpu(PartialEq)]
#[repr(C)]
pub struct Ring {
    /// The number.
    pub v: u32,
}

#[gpu_impl]
impl Add for Ring {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Ring { v: self.v.wrapping_mul(3).wrapping_add(other.v) }
    }
}

#[gpu_impl]
impl Sub for Ring {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Ring { v: self.v.wrapping_sub(other.v) ^ SLOTS.get()[global_id()] as u32 }
    }
}

#[gpu_impl]
impl Mul for Ring {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let before = SLOTS.get()[global_id()];
        SLOTS.get_mut()[global_id()] = before.wrapping_mul(3) ^ other.v as u64;
        Ring { v: self.v.wrapping_mul(other.v | 1) ^ before as u32 }
    }
}

#[gpu_impl]
impl AddAssign for Ring {
    fn add_assign(&mut self, other: Self) {
        self.v = self.v.wrapping_mul(3).wrapping_add(other.v);
    }
}

#[gpu_impl]
impl SubAssign for Ring {
    fn sub_assign(&mut self, other: Self) {
        self.v = self.v.wrapping_sub(other.v) ^ 5;
    }
}

#[gpu_impl]
impl MulAssign for Ring {
    fn mul_assign(&mut self, other: Self) {
        self.v = self.v.wrapping_mul(other.v | 1);
    }
}

/// An enum with fields of every form.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub enum Shape {
    /// Without fields.
    Empty,
    /// A number.
    Dot(u32),
    /// Two numbers by name.
    Line {
        /// The one.
        from: i32,
        /// The other.
        to: i64,
    },
    /// A struct.
    Both(Pair<u32>),
}

/// A shape as one word.
#[gpu_fn]
pub fn shape_bits(shape: &Shape) -> u64 {
    match shape {
        Shape::Empty => 11,
        Shape::Dot(v) => mix(1, *v as u64),
        Shape::Line { from, to } => mix(*from as u64, *to as u64),
        Shape::Both(pair) => mix(pair.x as u64, pair.y as u64),
    }
}

/// An enum without fields.
#[derive(Clone, Copy, Debug, GpuType)]
#[gpu(PartialEq)]
#[repr(u8)]
pub enum Light {
    /// The first.
    Red,
    /// One with a number of its own.
    Green = 4,
    /// The last.
    Blue,
}

/// The bits of a half float; one pattern for every NaN.
#[gpu_fn]
pub fn bits16(x: f16) -> u16 {
    if x.is_nan() { 0x7e00 } else { x.to_bits() }
}

/// As [`bits16`], of the other half float.
#[gpu_fn]
pub fn bits_b16(x: bf16) -> u16 {
    if x.is_nan() { 0x7fc0 } else { x.to_bits() }
}

/// A trait with a constant, a required and a provided method.
#[gpu_trait]
pub trait Stepped: Copy {
    /// By how much a step goes.
    const BY: u32;

    /// One step.
    fn stepped(self, from: u32) -> Self;

    /// Two steps.
    fn stepped_twice(self) -> Self {
        self.stepped(Self::BY).stepped(Self::BY ^ 3)
    }
}

#[gpu_impl]
impl Stepped for u32 {
    const BY: u32 = 7;
    fn stepped(self, from: u32) -> Self {
        self.wrapping_mul(31).wrapping_add(from)
    }
}

#[gpu_impl]
impl Stepped for i64 {
    const BY: u32 = 0xffff_fff0;
    fn stepped(self, from: u32) -> Self {
        (self ^ from as i64).wrapping_sub(from as i32 as i64)
    }
}

#[gpu_impl]
impl Stepped for Pair<u32> {
    const BY: u32 = 2;
    fn stepped(self, from: u32) -> Self {
        Pair { x: self.y.wrapping_add(from), y: self.x }
    }
}

/// Through a trait's bound.
#[gpu_fn]
pub fn walked<T: Stepped>(start: T, again: bool) -> T {
    let mut value = start.stepped_twice();
    if again {
        value = value.stepped(T::BY);
    }
    value
}

/// Adds one to a counter, and gives what it was, below four.
#[gpu_fn]
pub fn bump(counter: &mut u32) -> usize {
    let old = *counter;
    *counter = old.wrapping_add(1);
    (old & 3) as usize
}

/// `op=` of a generic type, with effects in the place and in the value.
#[gpu_fn]
pub fn gathered<T: Num>(values: &mut [T; 4], counter: &mut u32, by: T) -> T {
    values[bump(counter)] += {
        *counter = counter.wrapping_add(1);
        by
    };
    let at = bump(counter);
    values[at] -= values[(at + 1) & 3];
    values[at]
}

/// A closure that changes what it holds, called twice.
#[gpu_fn]
pub fn called_twice<F: FnMut(u32) -> u32>(start: u32, mut f: F) -> u32 {
    let once = f(start);
    f(once)
}

/// A closure before the argument that may change what it captured.
#[gpu_fn]
pub fn applied<F: Fn(u32) -> u32>(f: F, value: u32) -> u32 {
    f(value).wrapping_add(f(1))
}

/// A slice that its function makes shorter.
#[gpu_fn]
pub fn shortened<T: Int>(mut s: &[T], by: T) -> T {
    let mut sum = by;
    for v in s.iter() {
        s = &s[s.len() / 2..];
        sum = sum * sum + (*v ^ by);
    }
    for _ in 0..s.len() {
        s = &s[..1];
        sum += by;
    }
    sum
}

/// Writes to a slice through its iterator, an index and a part of it.
#[gpu_fn]
pub fn stirred<T: Num>(s: &mut [T], by: T) -> T {
    for (i, v) in s.iter_mut().enumerate() {
        if i % 2 == 0 {
            *v += by;
        }
    }
    let middle = s.len() / 2;
    let (low, high) = s.split_at_mut(middle);
    low[0] -= high[0];
    high[0]
}

/// A pattern as a parameter, by `&mut`.
#[gpu_fn]
pub fn crossed(Pair { x, y }: &mut Pair<i32>, [a, b]: &mut [f32; 2]) -> i32 {
    *x ^= *y;
    *b = *a;
    *a = 0.5;
    *y
}

/// One word of each thread, which only it uses.
#[gpu_static]
pub static SLOTS: [u64; 128] = [0; 128];

/// A table that CUDA keeps in constant memory.
pub const PRIMES: [u32; 8] = [2, 3, 5, 7, 11, 0x8000_0000, 17, u32::MAX];
