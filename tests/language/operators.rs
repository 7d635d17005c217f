//! Operators that device types overload, and generic code over them.

use core::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub};

use warpsmith::prelude::*;

use super::{everywhere, written};

/// A complex number.
#[derive(Clone, Copy, Debug, GpuType)]
#[gpu(PartialEq)]
#[repr(C)]
struct Complex<T> {
    re: T,
    im: T,
}

#[gpu_impl]
impl<T: Num> Add for Complex<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self::Output {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

#[gpu_impl]
impl<T: Num> Sub for Complex<T> {
    type Output = Complex<T>;
    fn sub(self, other: Self) -> Complex<T> {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

#[gpu_impl]
impl<T: Num> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let re = self.re * other.re - self.im * other.im;
        Self { re, im: self.re * other.im + self.im * other.re }
    }
}

#[gpu_impl]
impl Mul<Complex<f32>> for f32 {
    type Output = Complex<f32>;
    fn mul(self, other: Complex<f32>) -> Complex<f32> {
        Complex { re: self * other.re, im: self * other.im }
    }
}

#[gpu_impl]
impl<T: Num + Neg<Output = T>> Neg for Complex<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Complex { re: -self.re, im: -self.im }
    }
}

#[gpu_impl]
impl<T: Num> AddAssign for Complex<T> {
    fn add_assign(&mut self, other: Self) {
        self.re += other.re;
        self.im += other.im;
    }
}

#[gpu_impl]
impl Default for Complex<f32> {
    fn default() -> Self {
        Self { re: 0.0, im: 0.0 }
    }
}

#[gpu_impl]
impl From<f32> for Complex<f32> {
    fn from(re: f32) -> Self {
        Complex { re, im: 0.0 }
    }
}

/// The sum of two equal terms and a third, of any type that adds.
#[gpu_fn]
fn weigh<T: Copy + GpuType + Add<Output = T> + Mul<Output = T>>(a: T, b: T) -> T {
    a * b + a + b
}

#[gpu_kernel(fmad = false)]
fn complex(x: &[Complex<f32>], out: &mut [Complex<f32>]) {
    let i = global_id();
    if i < x.len() && i < out.len() {
        let z = x[i];
        let mut sum = Complex::default();
        sum += z * z;
        sum += 2.0 * z - Complex::from(1.0);
        let one: Complex<f32> = 1.0.into();
        out[i] = weigh(sum, one) + -z;
        if z == one || z != x[i] {
            out[i] += Complex { re: 1000.0, im: weigh(1.0, 2.0) };
        }
    }
}

#[test]
fn operators_of_structs_call_their_functions() {
    everywhere::<complex>(&(), |device| {
        let x =
            [Complex { re: 1.5f32, im: -2.0 }, Complex { re: 1.0, im: 0.0 }, Complex { re: -3.0, im: 0.25 }];
        let input = device.upload(&x).expect("memory");
        let fill = Complex { re: f32::NAN, im: 0.0 };
        let out = written(device, (3, fill), |out| complex(&input, out).over(3).launch(device));
        let one = Complex { re: 1.0, im: 0.0 };
        for (z, got) in x.iter().zip(&out) {
            let sum = *z * *z + (2.0 * *z - one);
            let mut want = weigh(sum, one) + -*z;
            if *z == one {
                want += Complex { re: 1000.0, im: 5.0 };
            }
            assert_eq!(*got, want, "on {}", device.name());
        }
    });
}

/// A 3×3 matrix, indexed by row and column.
#[derive(Clone, Copy, Debug, Default, GpuType)]
#[repr(C)]
struct Matrix3 {
    cells: [f32; 9],
}

#[gpu_impl]
impl Index<(usize, usize)> for Matrix3 {
    type Output = f32;
    fn index(&self, (row, col): (usize, usize)) -> &f32 {
        &self.cells[row * 3 + col]
    }
}

#[gpu_impl]
impl IndexMut<(usize, usize)> for Matrix3 {
    fn index_mut(&mut self, at: (usize, usize)) -> &mut f32 {
        &mut self.cells[at.0 * 3 + at.1]
    }
}

#[gpu_kernel]
fn transposed(x: &[Matrix3], out: &mut [Matrix3]) {
    let i = global_id();
    if i < x.len() && i < out.len() {
        let m = x[i];
        let mut t = Matrix3 { cells: [0.0; 9] };
        for r in 0..3u32 {
            for c in 0..3u32 {
                t[(c, r)] = m[(r, c)];
                t[(c, r)] += 1.0;
            }
        }
        out[i] = t;
    }
}

#[test]
fn an_overloaded_index_reads_and_writes() {
    everywhere::<transposed>(&(), |device| {
        let mut m = Matrix3::default();
        (0..9).for_each(|i| m.cells[i] = i as f32);
        let input = device.upload(&[m]).expect("memory");
        let out =
            written(device, (1, Matrix3::default()), |out| transposed(&input, out).over(1).launch(device));
        assert_eq!(out[0].cells, [1.0, 4.0, 7.0, 2.0, 5.0, 8.0, 3.0, 6.0, 9.0]);
    });
}

#[gpu_kernel]
fn in_ranges(x: &[i32], y: &[f32], out: &mut [u32]) {
    let i = global_id();
    if (0..x.len()).contains(&i) && (..out.len()).contains(&i) {
        let (low, value) = (-2, y[i]);
        out[i] = (low..=3).contains(&x[i]) as u32
            + (low + 1..3).contains(&x[i]) as u32 * 10
            + (0.5..).contains(&value) as u32 * 100
            + !(..=value).contains(&2.0) as u32 * 1000;
    }
}

#[test]
fn ranges_contain_values() {
    everywhere::<in_ranges>(&(), |device| {
        let (x, y) = ([-3, -2, -1, 2, 3, 4], [0.5f32, 0.25, f32::NAN, 2.0, 3.0, -1.0]);
        let (dx, dy) = (device.upload(&x).expect("memory"), device.upload(&y).expect("memory"));
        let out = written(device, (6, 7), |out| in_ranges(&dx, &dy, out).grid(1).block(32).launch(device));
        for i in 0..6 {
            let want = u32::from((-2..=3).contains(&x[i]))
                + u32::from((-1..3).contains(&x[i])) * 10
                + u32::from((0.5..).contains(&y[i])) * 100
                + u32::from(!(..=y[i]).contains(&2.0)) * 1000;
            assert_eq!(out[i], want, "{i} on {}", device.name());
        }
    });
}

/// Three numbers and eight marks.
#[derive(Clone, Copy, Debug, GpuType)]
#[gpu(PartialEq)]
#[repr(C)]
struct Row {
    at: [f32; 3],
    marks: [u8; 8],
}

#[gpu_impl]
impl Index<usize> for Row {
    type Output = f32;
    fn index(&self, i: usize) -> &f32 {
        &self.at[i]
    }
}

#[gpu_impl]
impl IndexMut<usize> for Row {
    fn index_mut(&mut self, i: usize) -> &mut f32 {
        &mut self.at[i]
    }
}

#[gpu_impl]
impl Row {
    fn first(&self) -> f32 {
        self[0] + self[1] * 10.0
    }

    fn doubled(&self) -> Row {
        Row { at: [self[0] * 2.0, self[1] * 2.0, self[2] * 2.0], marks: self.marks }
    }
}

#[gpu_kernel]
fn rows(rows: &[Row], k: u32, out: &mut [f32]) {
    let mut row = rows[0];
    row[1] = 7.0;
    row[2] += 1.0;
    out[0] = row.first();
    out[1] = row.doubled()[2];
    out[2] = row.doubled()[k];
    let marks = [1u8, 2, 3, 4, 5, 6, 7, 8];
    let same = [row == rows[0], rows[1] == rows[0], rows[0].marks == marks, row.at != rows[1].at];
    for (i, same) in same.iter().enumerate() {
        out[3 + i] = *same as i32 as f32;
    }
    out[7] = (k == 1 && rows[1].marks != marks) as i32 as f32;
}

#[test]
fn indices_are_overloaded_by_literals_and_of_calls_and_arrays_are_compared() {
    everywhere::<rows>(&(), |device| {
        let marks = [1, 2, 3, 4, 5, 6, 7, 8];
        let mut other = Row { at: [1.0, 2.0, 3.0], marks };
        let first = other;
        other.marks[7] = 9;
        let given = device.upload(&[first, other]).expect("memory");
        let out = written(device, (8, -1.0), |out| rows(&given, 1, out).grid(1).block(1).launch(device));
        assert_eq!(out, [71.0, 8.0, 14.0, 0.0, 0.0, 1.0, 1.0, 1.0], "on {}", device.name());
    });
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Flags {
    either: bool,
    both: bool,
}

#[derive(Clone, Copy, GpuType)]
enum Mark {
    One(bool),
    Two { flags: [bool; 2] },
}

#[gpu_fn]
fn with_sign(a: bool, b: bool) -> (bool, i32) {
    (a ^ b, -1)
}

/// C computes `&`, `|` and `^` of two `bool`s in `int`, which braces do not narrow.
#[gpu_kernel]
fn braced(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    let (a, b) = (x[i] & 1 == 0, x[i] > 1);
    let flags = Flags { either: a | b, both: if a { a & b } else { b } };
    let nested = (a ^ b, [a | b, !a & b], Some(a & b));
    let mark = if a { Mark::One(a ^ b) } else { Mark::Two { flags: [a | b, a & b] } };
    let marked = match mark {
        Mark::One(flag) => flag,
        Mark::Two { flags } => flags[0] & !flags[1],
    };
    let all = [
        flags.either,
        flags.both,
        nested.0,
        nested.1[0],
        nested.1[1],
        nested.2.unwrap_or(false),
        marked,
        with_sign(a, b).0,
    ];
    out[i] = all.iter().rev().fold(0, |bits, flag| bits * 2 + *flag as u32);
}

#[test]
fn operations_on_bools_are_parts_of_values() {
    everywhere::<braced>(&(), |device| {
        let x = [0u32, 1, 2, 3];
        let given = device.upload(&x).expect("memory");
        let out = written(device, (4, 99), |out| braced(&given, out).grid(1).block(4).launch(device));
        let wanted = x.map(|x| {
            let (a, b) = (x & 1 == 0, x > 1);
            let marked = if a { a ^ b } else { (a | b) & !(a & b) };
            let all = [a | b, if a { a & b } else { b }, a ^ b, a | b, !a & b, a & b, marked, a ^ b];
            all.iter().rev().fold(0, |bits, flag| bits * 2 + *flag as u32)
        });
        assert_eq!(out, wanted, "on {}", device.name());
    });
}
