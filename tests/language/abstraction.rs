//! Abstraction: traits with constants, types and defaults; generic structs; constants of struct type;
//! tuples and arrays as results; half floats in generic code.

use core::marker::PhantomData;

use warpsmith::prelude::*;

use super::{everywhere, written};

/// How values are joined over many elements.
#[gpu_trait]
trait Fold {
    type Value: Num;
    type State: Copy + GpuType;
    const FIRST: Self::Value;
    const STRIDE: usize;

    fn begin(first: Self::Value) -> Self::State;
    fn add(state: Self::State, value: Self::Value) -> Self::State;
    fn end(state: Self::State) -> Self::Value;

    /// One more value than once.
    fn add_twice(state: Self::State, value: Self::Value) -> Self::State {
        Self::add(Self::add(state, value), value)
    }
}

/// Mean and count.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Mean<T> {
    sum: T,
    count: T,
}

/// Folds to the mean.
struct Average<T> {
    _value: PhantomData<T>,
}

#[gpu_impl]
impl<T: Num> Fold for Average<T> {
    type Value = T;
    type State = Mean<T>;
    const FIRST: T = T::ONE;
    const STRIDE: usize = 2;

    fn begin(first: T) -> Mean<T> {
        Mean { sum: first, count: T::ONE }
    }

    fn add(state: Mean<T>, value: T) -> Mean<T> {
        Mean { sum: state.sum + value, count: state.count + T::ONE }
    }

    fn end(state: Mean<T>) -> T {
        state.sum / state.count
    }
}

/// Folds to the largest.
struct Largest;

#[gpu_impl]
impl Fold for Largest {
    type Value = i32;
    type State = i32;
    const FIRST: i32 = i32::MIN;
    const STRIDE: usize = 1;

    fn begin(first: i32) -> i32 {
        first
    }

    fn add(state: i32, value: i32) -> i32 {
        if value > state { value } else { state }
    }

    fn end(state: i32) -> i32 {
        state
    }

    fn add_twice(state: i32, value: i32) -> i32 {
        Self::add(state, value) - 1
    }
}

#[gpu_kernel(fmad = false)]
fn folded<F: Fold>(x: &[F::Value], out: &mut [F::Value]) {
    let i = global_id();
    if i < out.len() {
        let mut state = F::begin(F::FIRST);
        for k in (i..x.len()).step_by(F::STRIDE) {
            state = F::add(state, x[k]);
        }
        out[i] = F::end(F::add_twice(state, x[0]));
    }
}

fn folds<F: Fold + 'static>(values: Vec<F::Value>, poison: F::Value, want: impl Fn(&[F::Value]) -> F::Value) {
    everywhere::<folded<F>>(&(), |device| {
        let input = device.upload(&values).expect("memory");
        let out = written(device, (4, poison), |out| folded::<F>(&input, out).over(4).launch(device));
        for i in 0..4 {
            let taken: Vec<F::Value> = values[i..].iter().copied().step_by(F::STRIDE).collect();
            let mut all = vec![values[0]];
            all.extend(taken);
            assert_eq!(out[i], want(&all), "{i} on {}", device.name());
        }
    });
}

macro_rules! average {
    ($t:ty, $of:expr) => {
        folds::<Average<$t>>(
            (0..9).map(|i| $of(i as f32 * 1.25 - 3.0)).collect(),
            <$t as Num>::HIGHEST,
            |all| {
                let one = <$t as Num>::ONE;
                let (mut sum, mut count) = (one, one);
                all[1..]
                    .iter()
                    .chain([&all[0], &all[0]])
                    .for_each(|v| (sum, count) = (sum + *v, count + one));
                sum / count
            },
        );
    };
}

#[test]
fn traits_have_types_constants_and_defaults() {
    average!(f32, |v: f32| v);
    average!(f64, |v: f32| f64::from(v));
    average!(f16, f16::from_f32);
    average!(bf16, bf16::from_f32);
    average!(i64, |v: f32| v as i64 * 100);
    folds::<Largest>(vec![-5, 3, 9, -1, 2, 0], 77, |all| {
        all[1..].iter().copied().max().expect("values").max(all[0]) - 1
    });
}

/// A value with a unit that has no bytes.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Quantity<T, U> {
    value: T,
    _unit: PhantomData<U>,
}

#[derive(Clone, Copy, Debug)]
struct Metres;

/// Factors of a unit.
trait Unit {
    const FACTOR: f32;
}

impl Unit for Metres {
    const FACTOR: f32 = 0.5;
}

#[gpu_impl]
impl<T: Float, U: Unit + Copy + 'static> Quantity<T, U> {
    const TWICE: f32 = U::FACTOR * 2.0;

    const fn new(value: T) -> Self {
        Quantity { value, _unit: PhantomData }
    }

    /// Converts by the unit's factor, and adds what `more` says.
    fn converted<R: Num>(self, more: impl Fn(T) -> R) -> R {
        let scaled = self.value * U::FACTOR.cast::<T>() + Self::TWICE.cast::<T>();
        scaled.cast::<R>() + more(self.value)
    }

    fn clamp_all<const N: usize>(values: [T; N], low: T) -> [T; N] {
        let mut out = values;
        for v in out.iter_mut() {
            *v = v.max(low);
        }
        out
    }
}

/// Coefficients that rustc computes.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Cubic {
    c: [f32; 4],
    range: [i32; 2],
}

const fn power(base: i32, n: u32) -> i32 {
    let mut result = 1;
    let mut i = 0;
    while i < n {
        result *= base;
        i += 1;
    }
    result
}

const CUBIC: Cubic = Cubic { c: [1.0, -0.5, 0.25, power(2, 3) as f32], range: [-power(3, 2), power(3, 2)] };
const GRID: [[[u8; 2]; 2]; 2] = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]];

#[gpu_impl]
impl Cubic {
    fn at(&self, x: f32) -> f32 {
        let mut y = 0.0;
        for k in (0..4usize).rev() {
            y = y * x + self.c[k];
        }
        y
    }
}

/// Quotient, remainder, and both again in an array.
#[gpu_fn]
fn divided(a: i32, b: i32) -> (i32, i32, [i32; 2]) {
    let (q, r) = (a / b, a % b);
    (q, r, [r, q])
}

/// The corners of a box, one inside the other.
#[gpu_fn]
fn corners(at: [[i32; 2]; 2]) -> [[i32; 2]; 4] {
    let [[x0, y0], [x1, y1]] = at;
    [[x0, y0], [x1, y0], [x0, y1], [x1, y1]]
}

#[gpu_kernel(fmad = false)]
fn composed(x: &[i32], out: &mut [f32]) {
    let i = global_id();
    if i >= x.len() || (i + 1) * 6 > out.len() {
        return;
    }
    let v = x[i];
    let o = &mut out[i * 6..i * 6 + 6];
    let quantity = Quantity::<f32, Metres>::new(v as f32);
    o[0] = quantity.converted(|value| value * 10.0);
    o[1] = Quantity::<f64, Metres>::new(v as f64).converted(|_| 3i32) as f32;
    let clamped =
        Quantity::<f16, Metres>::clamp_all([f16::from_f32(v as f32), f16::ONE, -f16::ONE], f16::ZERO);
    o[2] = clamped[0].to_f32() + clamped[1].to_f32() * 100.0 + clamped[2].to_f32();
    o[3] = CUBIC.at(v as f32) + (v > CUBIC.range[0] && v < CUBIC.range[1]) as u32 as f32;
    let (q, r, [again, _]) = divided(v, 7);
    let nested = corners([[q, r], [v, again]]);
    let mut sum = 0;
    for k in 0..4usize {
        sum += nested[k][0] * (k as i32 + 1) - nested[k][1];
    }
    o[4] = sum as f32;
    let cell = GRID[(v & 1) as usize][(v >> 1 & 1) as usize][(v >> 2 & 1) as usize];
    o[5] = cell as f32 + divided(v, 3).2[1] as f32 * 100.0;
}

#[test]
fn generic_structs_constants_and_results_compose() {
    everywhere::<composed>(&(), |device| {
        let x = [0, 1, -1, 6, 13, -20, 9, 8];
        let input = device.upload(&x).expect("memory");
        let out = written(device, (48, f32::NAN), |out| composed(&input, out).over(8).launch(device));
        for (v, got) in x.iter().zip(out.chunks(6)) {
            let f = *v as f32;
            let scaled = f * 0.5 + 1.0;
            let cubic = ((8.0 * f + 0.25) * f - 0.5) * f + 1.0;
            let (q, r) = (v / 7, v % 7);
            let sum = (q + v * 2 + q * 3 + v * 4) - (r * 4);
            let cell = 1 + (v >> 2 & 1) + 2 * (v >> 1 & 1) + 4 * (v & 1);
            let want = [
                scaled + f * 10.0,
                (f64::from(*v) * 0.5 + 1.0) as i32 as f32 + 3.0,
                f.max(0.0) + 100.0,
                cubic + f32::from(u8::from(*v > -9 && *v < 9)),
                sum as f32,
                cell as f32 + (v / 3) as f32 * 100.0,
            ];
            assert_eq!(got, want, "{v} on {}", device.name());
        }
    });
}

/// The index of the nearest element, if any is within a distance.
#[gpu_fn]
fn nearest<T: Float>(x: &[T], at: T, within: T) -> Option<usize> {
    let mut best: Option<(usize, T)> = None;
    for i in 0..x.len() {
        let distance = (x[i] - at).abs();
        if distance <= best.map_or(within, |(_, d)| d) {
            best = Some((i, distance));
        }
    }
    best.map(|(i, _)| i)
}

#[gpu_kernel]
fn looked_up<T: Float>(x: &[T], queries: &[T], out: &mut [i32]) {
    let i = global_id();
    if i >= queries.len() || i >= out.len() {
        return;
    }
    let found = nearest(x, queries[i], T::ONE);
    let fallback = nearest(x, queries[i], T::HIGHEST).ok_or(5u8);
    let both = found.and_then(|a| fallback.ok().map(|b| a + b));
    out[i] = found.map_or(-1, |at| at as i32)
        + both.unwrap_or(50) as i32 * 100
        + found.is_some_and(|at| at == 0) as i32 * 10_000
        + fallback.map_err(|code| code as i32 + 1).is_err() as i32 * 100_000
        + found.or(Some(7)).unwrap() as i32 * 1_000_000;
}

#[test]
fn options_are_chained_in_registers() {
    macro_rules! check {
        ($t:ty, $of:expr) => {
            everywhere::<looked_up<$t>>(&(), |device| {
                let x = [0.0f32, 3.0, 3.5, 10.0].map($of);
                let queries = [0.25f32, 3.25, -4.0, 11.0, 100.0].map($of);
                let (dx, dq) = (device.upload(&x).expect("memory"), device.upload(&queries).expect("memory"));
                let out = written(device, (5, 9), |out| looked_up(&dx, &dq, out).over(5).launch(device));
                let found = |got: i32| got + 2 * got * 100 + (got == 0) as i32 * 10_000 + got * 1_000_000;
                let none = -1 + 5000 + 7_000_000;
                assert_eq!(out, [found(0), found(2), none, found(3), none], "on {}", device.name());
            });
        };
    }
    check!(f32, |v| v);
    check!(f64, |v| f64::from(v));
    check!(f16, f16::from_f32);
    check!(bf16, bf16::from_f32);
}

#[gpu_kernel]
fn unwrapped(x: &[i32], out: &mut [i32]) {
    let found = if x[0] > 0 { Some(x[0]) } else { None };
    out[0] = found.unwrap();
}

#[test]
fn an_unwrapped_none_is_a_fault() {
    everywhere::<unwrapped>(&(), |device| {
        let run = |v: i32| {
            let x = device.upload(&[v]).expect("memory");
            let mut out = device.upload(&[0]).expect("memory");
            unwrapped(&x, &mut out).grid(1).block(1).launch(device)?;
            device.download(&out)
        };
        assert_eq!(run(5).expect("there is one"), [5]);
        let message = run(-5).expect_err("there is none").to_string();
        assert!(message.contains("Option::unwrap()"), "{message}");
    });
}

/// Numbers in fewer bits; which type holds them depends on the code.
#[gpu_trait]
trait Code {
    type Word: Copy;
    fn code(v: f32) -> Self::Word;
    fn decode(word: Self::Word) -> f32;
}

#[derive(Clone, Copy)]
struct Eighths;

#[derive(Clone, Copy)]
struct Twice<C>(PhantomData<C>);

#[gpu_impl]
impl Code for Eighths {
    type Word = u16;
    fn code(v: f32) -> u16 {
        (v * 8.0) as u16
    }
    fn decode(word: u16) -> f32 {
        word as f32 / 8.0
    }
}

#[gpu_impl]
impl<C: Code + Copy> Code for Twice<C> {
    type Word = [C::Word; 2];
    fn code(v: f32) -> [C::Word; 2] {
        [C::code(v), C::code(v + 1.0)]
    }
    fn decode(word: [C::Word; 2]) -> f32 {
        C::decode(word[0]) + C::decode(word[1])
    }
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Two<T> {
    a: T,
    b: T,
}

#[gpu_impl]
impl<T: Copy> Two<T> {
    fn new(a: T, b: T) -> Self {
        Self { a, b }
    }
    fn map<U: Copy>(self, f: impl Fn(T) -> U) -> Two<U> {
        Two { a: f(self.a), b: f(self.b) }
    }
}

#[gpu_fn]
fn kept<C: Code + Copy>(v: f32) -> f32 {
    let word = C::code(v);
    C::decode(word)
}

#[gpu_fn]
fn one_of<T>(two: Two<T>, first: bool) -> T
where
    T: Copy,
{
    if first { two.a } else { two.b }
}

#[gpu_fn]
fn again<T: Copy, F: Fn(T) -> T + Copy>(f: F, v: T) -> T {
    f(f(v))
}

#[gpu_kernel]
fn copied<T: Copy>(x: &[T], last: T, y: &mut [T], z: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = one_of(Two::new(if i + 1 < x.len() { x[i + 1] } else { last }, last), true);
        z[i] = kept::<Eighths>(0.3) + kept::<Twice<Eighths>>(i as f32);
        z[i] += again(|v| v * 3.0, Two::new(i as u8, 1).map(|v| v as f32).b);
    }
}

#[test]
fn what_is_copy_is_a_value_of_the_device() {
    everywhere::<copied<i16>>(&(), |device| {
        let x = device.upload(&[5i16, 6, 7]).expect("memory");
        let (mut y, mut z) =
            (device.upload(&[0i16; 3]).expect("memory"), device.upload(&[0f32; 3]).expect("memory"));
        copied(&x, -1, &mut y, &mut z).over(3).launch(device).expect("the kernel runs");
        assert_eq!(device.download(&y).expect("memory"), [6, 7, -1]);
        assert_eq!(device.download(&z).expect("memory"), [10.25, 12.25, 14.25]);
    });
}
