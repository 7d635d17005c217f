//! Arrays where slices are asked for: by functions, methods, closures and written types.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_fn]
fn sum(x: &[i32]) -> i32 {
    let mut total = 0;
    for v in x {
        total += *v;
    }
    total
}

#[gpu_fn]
fn scale(x: &mut [i32], by: i32) {
    for v in x.iter_mut() {
        *v *= by;
    }
}

#[gpu_fn]
fn dot<T: Num>(a: &[T], b: &[T]) -> T {
    let mut sum = T::ZERO;
    for i in 0..a.len() {
        sum += a[i] * b[i];
    }
    sum
}

#[gpu_fn]
fn four(v: i32) -> [i32; 4] {
    [v, v, v, v]
}

/// Parameters that take an array as it is.
#[gpu_fn]
fn copied<T: GpuType>(x: &T) -> T {
    *x
}

#[gpu_fn]
fn first_and_length<const N: usize>(x: &[i32; N]) -> i32 {
    x[0] + N as i32
}

#[gpu_fn]
fn pick(x: &[i32], i: usize) -> &i32 {
    &x[i]
}

#[gpu_fn]
fn apply(x: &mut [i32], f: impl Fn(i32) -> i32) {
    for i in 0..x.len() {
        x[i] = f(x[i]);
    }
}

#[gpu_fn]
fn give(f: impl Fn(&[i32]) -> i32) -> i32 {
    let own = [3, 4];
    f(&own) + f(&own[1..])
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct State {
    weights: [i32; 4],
    bias: i32,
}

#[gpu_impl]
impl State {
    fn total(&self) -> i32 {
        sum(&self.weights) + self.bias
    }

    fn grow(&mut self) {
        scale(&mut self.weights, 3);
    }

    fn store(&mut self, from: &[i32]) {
        for i in 0..4 {
            self.weights[i] = from[i];
        }
    }

    fn kept(&mut self, from: &[i32; 4]) -> i32 {
        self.weights = *from;
        from[3]
    }

    fn joined(a: &[i32], b: &[i32]) -> i32 {
        sum(a) * 100 + sum(b)
    }
}

#[gpu_fn]
fn bump(x: &mut [i32]) {
    x[0] += 1;
}

#[gpu_fn]
fn of_array(x: &[i32; 3]) -> i32 {
    sum(x)
}

#[gpu_fn]
fn bumped_twice(x: &mut [i32; 3]) -> i32 {
    bump(x);
    bump(x);
    sum(x)
}

#[gpu_fn]
#[allow(clippy::too_many_arguments)]
fn many(
    a: &[i32],
    b: i32,
    c: i32,
    d: i32,
    e: i32,
    f: i32,
    g: i32,
    h: i32,
    i: i32,
    j: i32,
    k: &mut [i32],
) -> i32 {
    k[0] = a[1] + b + c * d + e * f + g * h + i * j;
    sum(a)
}

#[gpu_fn]
fn add(x: &mut u32, y: u32) {
    *x += y;
}

#[gpu_fn]
fn length(x: &u32) -> u32 {
    *x + 1
}

#[gpu_kernel]
fn functions(x: &[i32], out: &mut [i32]) {
    let mut local = [x[0], 2, 3];
    out[0] = sum(&local);
    scale(&mut local, 10);
    out[1] = local[0] + local[1] + local[2];
    out[2] = dot(&local, &[1, 2, 3]);
    let grid = [[1, 2], [3, 4]];
    out[3] = sum(&grid[1]) + sum(&four(5));
    let whole = copied(&local);
    out[4] = whole[2] + first_and_length(&local) + first_and_length(&[7; 9]);
    apply(&mut local, |v| v.pow(2));
    out[5] = local[0] + *pick(&local, 1);
    out[6] = sum(x) + sum(&x);
}

#[gpu_kernel]
fn methods(out: &mut [i32]) {
    let mut state = State { weights: [1, 2, 3, 4], bias: 5 };
    out[0] = sum(&state.weights) + state.total();
    state.grow();
    out[1] = state.total();
    state.store(&four(7));
    out[2] = state.total();
    let ones = [1, 1, 1, 1];
    state.store(&ones);
    out[3] = state.total() + State::joined(&ones, &[2, 3]);
    out[4] = state.kept(&[9, 8, 7, 6]) + state.total();
}

#[gpu_kernel]
fn closures(x: &[i32], out: &mut [i32]) {
    let mut local = [x[0], x[1]];
    let mut longer = [4, 5, 6];
    out[0] = give(|s| s[0] * 10 + s.len() as i32);
    let total = |s: &[i32]| sum(s) + s.len() as i32;
    out[1] = total(&local) * 100 + total(&longer);
    let mut calls = 0;
    let mut fill = |s: &mut [i32], v: i32| {
        calls += 1;
        s[0] = v + calls;
    };
    fill(&mut local, 5);
    fill(&mut longer, 50);
    out[2] = local[0] + longer[0] + calls;
}

#[gpu_kernel]
fn written_types(x: &[i32], out: &mut [i32]) {
    let mut local = [x[0], 20, 30];
    let pair = [x[1], x[2]];
    let all: &[i32] = &local;
    let (a, b): (&[i32], &[i32]) = (&pair, &[9, 8, 7, 6]);
    let either: &[i32] = if x[0] > 0 { &local } else { &pair };
    let some: Option<&[i32]> = Some(&pair);
    out[0] = all[2] + all.len() as i32;
    out[1] = a.len() as i32 * 10 + b.len() as i32 + b[3];
    out[2] = either.len() as i32 + some.map_or(0, |s| s[1]);
    let part: &mut [i32] = &mut local;
    part[1] += 1;
    out[3] = local[1];
}

#[gpu_kernel]
fn variables(x: &[i32], out: &mut [i32]) {
    let local = [x[0], x[1], x[2]];
    let mut own = [x[1], x[2], x[3]];
    let r = &local;
    out[0] = sum(r) + of_array(r) + dot(r, &own);
    let m = &mut own;
    bump(m);
    scale(m, 2);
    out[1] = sum(m) + bumped_twice(m);
    let all: &[i32] = r;
    let part: &mut [i32] = m;
    part[2] = all.len() as i32;
    let q = r;
    out[2] = own[2] + sum(q);
    {
        let r = 7;
        out[3] = length(&r) as i32;
    }
    out[4] = many(r, 1, 2, 3, 4, 5, 6, 7, 8, 9, &mut own) + own[0];
}

#[gpu_kernel]
fn items(x: &[i32], out: &mut [i32]) {
    let mut grid = [[x[0], x[1]], [x[2], x[3]]];
    for row in &grid {
        out[0] += sum(row);
    }
    for (i, row) in grid.iter().enumerate() {
        out[1] += sum(row) * i as i32;
    }
    for row in &mut grid {
        bump(row);
        scale(row, 2);
    }
    for row in grid.iter_mut() {
        bump(row);
    }
    out[2] = grid[0][0] * 100 + grid[1][0];
    out[3] = grid.iter().map(|row| sum(row)).sum();
    out[4] = grid.iter().any(|row| sum(row) == 13) as i32;
    if let Some(row) = grid.last() {
        out[5] = sum(row);
    }
    out[6] = grid.first().map_or(0, |row| row[0]);
    // The items of a slice are what functions take, or lead there.
    for v in x.iter() {
        let v = *v as u32;
        out[7] += length(&v) as i32;
    }
}

#[gpu_kernel]
fn found_types(x: &[i32], out: &mut [i32]) {
    let mut acc = Default::default();
    add(&mut acc, x[3] as u32);
    let next = |v| length(&v) + length(&v);
    let total = x.iter().map(|v| *v as u32).sum();
    out[0] = acc as i32 + next(7) as i32 + length(&total) as i32;
}

#[test]
fn a_variable_that_refers_to_an_array_is_lent() {
    everywhere::<variables>(&(), |gpu| {
        let x = gpu.upload(&[1, 2, 3, 4]).expect("memory");
        let out = written(gpu, (5, 0), |out| variables(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [12 + 20, 20 + 22, 9, 8, 6 + 143]);
    });
}

#[test]
fn items_that_are_arrays_are_lent() {
    everywhere::<items>(&(), |gpu| {
        let x = gpu.upload(&[1, 2, 3, 4]).expect("memory");
        let out = written(gpu, (8, 0), |out| items(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [10, 7, 509, 9 + 17, 0, 17, 5, 14]);
    });
}

#[test]
fn what_a_function_takes_tells_the_type_of_a_variable() {
    everywhere::<found_types>(&(), |gpu| {
        let x = gpu.upload(&[1, 2, 3, 4]).expect("memory");
        let out = written(gpu, (1, 0), |out| found_types(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [4 + 16 + 11]);
    });
}

#[test]
fn an_array_is_lent_where_a_function_takes_a_slice() {
    everywhere::<functions>(&(), |gpu| {
        let x = gpu.upload(&[1, 2, 3, 4]).expect("memory");
        let out = written(gpu, (7, 0), |out| functions(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [6, 60, 140, 27, 30 + 13 + 16, 500, 20]);
    });
}

#[test]
fn an_array_is_lent_where_a_method_takes_a_slice() {
    everywhere::<methods>(&(), |gpu| {
        let out = written(gpu, (5, 0), |out| methods(out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [25, 35, 33, 9 + 405, 6 + 35]);
    });
}

#[test]
fn an_array_is_lent_where_a_closure_takes_a_slice() {
    everywhere::<closures>(&(), |gpu| {
        let x = gpu.upload(&[1, 2, 3, 4]).expect("memory");
        let out = written(gpu, (3, 0), |out| closures(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [32 + 41, 500 + 18, 6 + 52 + 2]);
    });
}

#[gpu_fn]
fn of_pairs((a, n): (&[i32; 3], i32), other: (i32, &mut [i32; 2])) -> i32 {
    bump(other.1);
    sum(a) * n + sum(other.1) * other.0
}

#[gpu_kernel]
fn fields(x: &[i32], out: &mut [i32]) {
    let (mut local, mut other) = ([x[0], 2, 3], [4, 5]);
    let pair = (&local, (7, [8, 9]));
    out[0] = sum(pair.0) + first_and_length(pair.0) + copied(pair.0)[1] + pair.1.0 + sum(&pair.1.1);
    let part = pair.0;
    out[1] = sum(part) * 10 + State::joined(pair.0, &pair.1.1);
    let mut written = (&mut local, 2);
    scale(written.0, written.1);
    bump(written.0);
    written.1 += sum(written.0);
    out[2] = written.1;
    let (first, second) = (&mut local, (&other, 3));
    bump(first);
    out[3] = sum(first) * 100 + sum(second.0) * second.1;
    let typed: (&[i32; 2], usize) = (&other, 1);
    out[4] = sum(typed.0) + pick(typed.0, typed.1);
    out[5] = of_pairs((&local, 2), (10, &mut other)) + sum(&other);
    {
        let pair = (x, 1);
        out[6] = sum(pair.0) + pair.1;
    }
    let pair = (1, 2);
    out[7] = pair.0 + pair.1;
}

#[test]
fn fields_of_tuples_that_refer_to_arrays_are_lent() {
    everywhere::<fields>(&(), |gpu| {
        let x = gpu.upload(&[1, 2, 3, 4]).expect("memory");
        let out = written(gpu, (8, 0), |out| fields(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [6 + 4 + 2 + 7 + 17, 60 + 617, 2 + 13, 1400 + 27, 9 + 5, 28 + 100 + 10, 11, 3]);
    });
}

#[test]
fn an_array_is_lent_where_a_slice_is_written() {
    everywhere::<written_types>(&(), |gpu| {
        let x = gpu.upload(&[1, 2, 3, 4]).expect("memory");
        let out = written(gpu, (4, 0), |out| written_types(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [33, 30, 3 + 3, 21]);
    });
}
