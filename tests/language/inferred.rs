//! Type parameters that rustc infers from references alone, also from references to arrays, which functions may take as slices.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_trait]
trait Sample: Num {
    type Sum: Float;
    fn sum(self) -> Self::Sum;
}

#[gpu_impl]
impl Sample for f32 {
    type Sum = f32;
    fn sum(self) -> f32 {
        self
    }
}

#[gpu_impl]
impl Sample for i32 {
    type Sum = f64;
    fn sum(self) -> f64 {
        self as f64
    }
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Pack<T, const N: usize>([T; N]);

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Row<T> {
    cells: [T; 3],
    one: T,
}

#[gpu_fn]
fn value<T: GpuType>(x: &T) -> T {
    *x
}

#[gpu_fn]
fn same<T: GpuType>(a: &T, b: &T) -> [T; 2] {
    [*a, *b]
}

#[gpu_fn]
fn bound<T: Float>(x: &T) -> T {
    x.abs()
}

#[gpu_fn]
fn at<T: GpuType>(x: &[T], i: usize) -> T {
    x[i]
}

#[gpu_fn]
fn at_of<T: GpuType, const N: usize>(x: &[T; N], i: usize) -> T {
    x[N - 1 - i]
}

#[gpu_fn]
fn packed<T: Float>(x: &[Pack<T, 2>; 2], i: usize) -> T {
    x[i / 2].0[i % 2]
}

#[gpu_fn]
fn nested<T: GpuType, const N: usize, const M: usize>(x: &[[T; N]; M], i: usize) -> T {
    x[i / N][i % N]
}

#[gpu_fn]
fn cell<T: GpuType>(x: &Row<T>) -> T {
    x.cells[1]
}

#[gpu_fn]
fn put<T: GpuType>(x: &mut T, v: T) -> T {
    let old = *x;
    *x = v;
    old
}

#[gpu_fn]
fn put_at<T: GpuType>(x: &mut [T], i: usize, v: T) {
    x[i] = v;
}

#[gpu_fn]
fn through<T: GpuType, R: GpuType>(x: &T, f: impl Fn(&T) -> R) -> R {
    f(x)
}

#[gpu_fn]
fn folded<T: GpuType>(x: &[T], f: impl Fn(T, T) -> T) -> T {
    let mut all = x[0];
    for i in 1..x.len() {
        all = f(all, x[i]);
    }
    all
}

#[gpu_fn]
fn summed<T: Sample>(x: &[T]) -> T::Sum {
    let mut sum = T::Sum::ZERO;
    for v in x {
        sum += v.sum();
    }
    sum
}

#[gpu_fn]
fn is_less<T: PartialOrd + GpuType>(a: &T, b: &T) -> bool {
    *a < *b
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Gain {
    by: f32,
}

#[gpu_impl]
impl Gain {
    fn value<T: GpuType>(&self, x: &T) -> T {
        *x
    }

    fn at<T: GpuType>(&self, x: &[T], i: usize) -> T {
        x[i]
    }

    fn last<T: GpuType, const N: usize>(&self, x: &[T; N]) -> T {
        x[N - 1]
    }

    fn put<T: GpuType>(&mut self, x: &mut T, v: T) {
        self.by += 1.0;
        *x = v;
    }

    fn scaled(&self, x: &[f32; 3]) -> f32 {
        x[1] * self.by
    }

    fn of<T: GpuType>(x: &T) -> T {
        *x
    }
}

#[gpu_kernel]
fn functions(x: &[f32], out: &mut [f32]) {
    let mut grid = [[x[0], x[1], x[2]], [x[3], x[4], x[5]]];
    let packs = [[Pack([x[0], x[1]]), Pack([x[2], x[3]])]; 2];
    let mut row = Row { cells: [x[6], x[7], x[8]], one: x[9] };
    let i = 1;
    // A variable of the name of a function, in another place.
    for c in 0..2 {
        let value = c as f32 * 0.0;
        out[15] += value;
    }
    // Operators and methods of the result, whose type the argument alone tells.
    out[0] = value(&grid[i])[2].abs() - x[1];
    out[1] = value(&grid)[1][0].sqrt() + value(&row.cells)[0].sqrt();
    out[2] = (bound(&grid[i][0]) - x[0]).mul_add(bound(&row.one), x[3]);
    out[3] = (at(&grid[i], 1) - at(&row.cells, 1)).abs();
    out[4] = (at(&grid, 1)[2] - x[0]).abs();
    out[5] = (at_of(&grid[i], 0) - at_of(&row.cells, 1)).abs() + at_of(&grid, 1)[0].abs();
    out[6] = (packed(&packs[i], 2) - packed(&packs[0], 3)).abs();
    out[7] = (nested(&grid, 4) - nested(&[[x[1]; 2]; 2], 1)).abs();
    out[8] = (cell(&row) + cell(&Row { cells: [1.0, 2.0, 3.0], one: 4.0 })).abs();
    out[9] = (put(&mut grid[0], [7.0, 8.0, 9.0])[1] - put(&mut row.one, 2.5)).abs();
    put_at(&mut grid[1], 0, 3.5);
    put_at(&mut row.cells, 2, 4.5);
    put_at(&mut grid, 0, [1.5; 3]);
    out[10] = grid[0][2] + grid[1][0] * 10.0 + row.cells[2] * 100.0 + row.one * 1000.0;
    out[11] = (same(&grid[0], &grid[1])[1][0] - same(&x[0], &row.one)[0]).abs();
    out[12] = (summed(&grid[1]) - summed(&[1, 2, 3]) as f32).abs();
    out[13] = (summed(&x[..3]) - summed(x) + summed(&x)).abs();
    out[14] = is_less(&grid[0][1], &grid[1][1]) as u32 as f32 + value(&1.5) + value(&[0.5; 2])[1];
}

#[gpu_kernel]
fn methods(x: &[f32], out: &mut [f32]) {
    let mut grid = [[x[0], x[1], x[2]], [x[3], x[4], x[5]]];
    let mut gain = Gain { by: x[2] };
    out[0] = value(&gain.value(&grid))[1][0] - x[0];
    let whole = gain.value(&grid[1]);
    out[1] = (gain.at(&grid[1], 2) - gain.at(&grid, 0)[1]).abs() + whole[0];
    out[2] = (gain.last(&grid[0]) - gain.last(&grid)[0]).abs();
    gain.put(&mut grid[0], [5.0; 3]);
    gain.put(&mut grid[1][2], 6.0);
    out[3] = grid[0][0] + grid[1][2] * 10.0 + gain.by * 100.0;
    out[4] = gain.scaled(&grid[0]) - Gain::of(&grid[1])[0].abs() + Gain::of(&x[1]).abs();
    let copy: [[f32; 3]; 2] = gain.value(&grid);
    out[5] = copy[1][2];
}

#[gpu_kernel]
fn closures(x: &[f32], out: &mut [f32]) {
    let grid = [[x[0], x[1], x[2]], [x[3], x[4], x[5]]];
    out[0] = (through(&grid[1], |r| r[0] + r[2]) - through(&x[1], |v| *v * 2.0)).abs();
    out[1] = through(&grid, |g| through(&g[1], |r| r[1])).abs();
    out[2] = folded(&grid[0], |a, b| a * 10.0 + b).abs();
    out[3] = folded(&grid, |a, b| [a[0] + b[0], a[1] * b[1], a[2].max(b[2])])[1].abs();
    let second = |r: &[f32; 3]| r[1];
    let first = |r: &[f32]| at(r, 0).abs();
    let own = |r: &[[f32; 3]; 2], i: usize| (value(&r[i])[0] - at(&r[i], 1)).abs();
    out[4] = second(&grid[0]) * 100.0 + first(&grid[1]) * 10.0 + own(&grid, 0);
}

#[gpu_kernel]
fn shared_memory(x: &[f32], out: &mut [f32]) {
    let mut tile = shared!([f32; 8]);
    let mut rows = shared!([[f32; 4]; 2]);
    let t = thread_idx().x as usize;
    tile[t] = x[t];
    rows[t / 4][t % 4] = x[t] * 2.0;
    sync_threads();
    if t == 0 {
        out[0] = (at(&tile, 3) - value(&tile[1])).abs();
        out[1] = (at(&rows[1], 3) - at(&rows[1], 0)).abs();
        out[2] = (value(&rows[0][3]) - summed(&rows[1])).abs();
        out[3] = (summed(&tile) - summed(&tile[2..4])).abs();
    }
}

#[gpu_kernel]
fn generic<T: Sample>(x: &[T], out: &mut [T::Sum]) {
    let mut sums = [[T::Sum::ZERO; 2]; 2];
    for i in 0..4 {
        sums[i / 2][i % 2] = x[i].sum();
    }
    let row = [x[1], x[2], x[3]];
    for i in 0..2 {
        let at = i;
        let by = value(&sums[i])[1] - bound(&sums[0][at]);
        out[i] = by.mul_add(by, summed(&row));
    }
    out[2] = at_of(&sums[1], 0).abs() + at(&row, 0).sum().abs();
}

#[test]
fn functions_take_their_types_from_references() {
    everywhere::<functions>(&(), |gpu| {
        let x = gpu.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 9.0, 8.0, 7.0, 10.0]).expect("memory");
        let out = written(gpu, (16, 0.0), |out| functions(&x, out).grid(1).block(1).launch(gpu));
        let sums = [4.0, 5.0, 34.0, 3.0, 5.0, 2.0 + 1.0, 1.0, 3.0, 10.0, 8.0];
        let rest = [1.5 + 35.0 + 450.0 + 2500.0, 2.5, 14.5 - 6.0, 6.0, 1.0 + 1.5 + 0.5, 0.0];
        assert_eq!(out, [&sums[..], &rest[..]].concat());
    });
}

#[test]
fn methods_take_their_types_from_references() {
    everywhere::<methods>(&(), |gpu| {
        let x = gpu.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("memory");
        let out = written(gpu, (6, 0.0), |out| methods(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [3.0, 4.0 + 4.0, 1.0, 5.0 + 60.0 + 500.0, 25.0 - 4.0 + 2.0, 6.0]);
    });
}

#[test]
fn closures_take_their_types_from_references() {
    everywhere::<closures>(&(), |gpu| {
        let x = gpu.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("memory");
        let out = written(gpu, (5, 0.0), |out| closures(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [6.0, 5.0, 123.0, 10.0, 241.0]);
    });
}

#[test]
fn functions_take_their_types_from_shared_memory() {
    everywhere::<shared_memory>(&(), |gpu| {
        let x = gpu.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]).expect("memory");
        let out = written(gpu, (4, 0.0), |out| shared_memory(&x, out).grid(1).block(8).launch(gpu));
        assert_eq!(out, [2.0, 6.0, 44.0, 29.0]);
    });
}

#[test]
fn functions_take_associated_types_from_references() {
    everywhere::<generic<i32>>(&(), |gpu| {
        let x = gpu.upload(&[1, 3, 7, 9]).expect("memory");
        let out = written(gpu, (3, 0.0), |out| generic(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [4.0 + 19.0, 36.0 + 19.0, 12.0]);
    });
}
