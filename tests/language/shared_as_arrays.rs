//! Shared arrays and rows of them where a function takes an array.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_fn]
fn total(x: &[i32; 4]) -> i32 {
    let [first, rest @ ..] = x;
    *first * 100 + rest.iter().sum::<i32>()
}

#[gpu_fn]
fn store(x: &mut [i32; 4], t: i32) {
    for i in 0..4 {
        x[i] = t * 4 + i;
    }
    x[3] += 1;
}

#[gpu_fn]
fn last<T: Copy, const N: usize>(x: &[T; N]) -> T {
    x[N - 1]
}

#[gpu_fn]
fn sum(x: &[i32]) -> i32 {
    x.iter().sum()
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Scaled {
    by: i32,
}

#[gpu_impl]
impl Scaled {
    fn of(&self, x: &[i32; 4]) -> i32 {
        x[1] * self.by
    }

    fn element(x: &mut [i32; 4], i: usize) -> &mut i32 {
        &mut x[i]
    }
}

#[gpu_kernel]
fn rows(out: &mut [i32]) {
    let mut tile = shared!([[i32; 4]; 4]);
    let mut cube = shared!([[[i32; 4]; 2]; 4]);
    let mut line = shared!([i32; 4]);
    let t = thread_idx().x as usize;
    store(&mut tile[t], t as i32);
    store(&mut cube[t][1], 10 + t as i32);
    *Scaled::element(&mut cube[t][0], 2) = 5;
    line[t] = t as i32 + 1;
    sync_threads();
    let next = (t + 1) % 4;
    out[8 * t] = total(&tile[next]);
    out[8 * t + 1] = total(&line) + sum(&line) + sum(&tile[next]);
    out[8 * t + 2] = last::<_, 4>(&tile[next]) + last::<i32, 4>(&line);
    out[8 * t + 3] = Scaled { by: 3 }.of(&cube[next][1]) + cube[next][0][2];
    let of = |x: &[i32; 4]| x[2] + x[0];
    out[8 * t + 4] = of(&tile[next]) + of(&[1, 2, 3, 4]);
    let whole: i32 = (0..4).map(|i| total(&tile[i])).sum();
    out[8 * t + 5] = whole;
}

#[gpu_kernel]
fn other_length(out: &mut [i32]) {
    let mut tile = shared!([[i32; 8]; 4]);
    store(&mut tile[0], 1);
    out[0] = tile[0][0];
}

#[gpu_fn]
fn given(tile: &warpsmith::types::Shared2<i32>) -> i32 {
    total(&tile[0])
}

#[gpu_kernel]
fn unknown_length(out: &mut [i32]) {
    let mut tile = shared!([[i32; 4]; 4]);
    tile[0][0] = 1;
    out[0] = given(&tile);
}

#[test]
fn a_row_is_an_array_where_one_is_asked_for() {
    everywhere::<rows>(&(), |gpu| {
        let out = written(gpu, (32, 0), |out| rows(out).grid(1).block(4).launch(gpu));
        let row = |t: i32| [4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 4];
        let total = |x: [i32; 4]| x[0] * 100 + x[1..].iter().sum::<i32>();
        for (t, out) in out.chunks(8).enumerate() {
            let next = (t as i32 + 1) % 4;
            assert_eq!(out[0], total(row(next)), "thread {t}");
            assert_eq!(out[1], 109 + 10 + row(next).iter().sum::<i32>());
            assert_eq!(out[2], row(next)[3] + 4);
            assert_eq!(out[3], 3 * row(10 + next)[1] + 5);
            assert_eq!(out[4], row(next)[2] + row(next)[0] + 4);
            assert_eq!(out[5], (0..4).map(|i| total(row(i))).sum::<i32>());
        }
    });
}

#[test]
fn an_array_of_another_length_is_refused() {
    let refused = |source: warpsmith::Result<String>| source.expect_err("no CUDA").to_string();
    let words = "a shared array, or a row of one, is taken as `[i32; 4]` where it is declared, with this length; take a \
                 slice: `&[i32]`";
    for refused in [refused(other_length::cuda_source()), refused(unknown_length::cuda_source())] {
        assert!(refused.contains(words), "{refused}");
    }
}

/// Rows and planes are walked as the arrays of an array are.
#[gpu_kernel]
fn walked(out: &mut [i32]) {
    let mut tile = shared!([[i32; 4]; 3]);
    let mut cube = shared!([[[i32; 2]; 3]; 2]);
    for (r, row) in tile.iter_mut().enumerate() {
        for (c, v) in row.iter_mut().enumerate() {
            *v = (r * 10 + c) as i32;
        }
    }
    for plane in &mut cube {
        for row in plane.iter_mut() {
            row[0] = 3;
            row[1] = 2;
        }
        plane[2][1] = 5;
    }
    out[0] = tile.iter().map(|row| row[1]).sum();
    for row in tile.iter().rev().skip(1) {
        out[1] = out[1] * 100 + sum(row);
    }
    for plane in cube.iter() {
        for row in plane {
            out[2] += row[0] * row[1];
        }
    }
    let mut rows = tile.iter();
    rows.next();
    out[3] = rows.next().map_or(0, |row| row[2]);
    out[4] = tile.iter().position(|row| row.contains(&21)).map_or(-1, |r| r as i32);
    for (row, plane) in tile.iter_mut().zip(&cube) {
        row[0] = plane[2][1];
    }
    out[5] = tile[1][0] * 100 + tile[2][0];
    for row in &mut tile {
        row.fill(7);
    }
    out[6] = tile.iter().flat_map(|row| row.iter()).sum();
    out[7] = tile.iter().count() as i32;
}

#[test]
fn rows_and_planes_are_walked() {
    everywhere::<walked>(&(), |gpu| {
        let got = written(gpu, (8, 0), |out| walked(out).grid(1).block(1).launch(gpu));
        assert_eq!(got, [33, 4606, 54, 12, 2, 520, 84, 3]);
    });
}
