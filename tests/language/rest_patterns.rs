//! `name @ ..` in patterns of arrays.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_fn]
fn sum(x: &[i32]) -> i32 {
    x.iter().sum()
}

#[gpu_fn]
fn tail(x: &[i32; 4]) -> i32 {
    let [first, rest @ ..] = x;
    *first * 100 + sum(&rest[..]) + rest.len() as i32
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct P {
    c: [i32; 3],
    w: i32,
}

#[gpu_kernel]
fn rests(x: &[i32], out: &mut [i32]) {
    let arr = [x[0], x[1], x[2], x[3]];
    let [a, b, ..] = arr;
    let [first, rest @ ..] = arr;
    let [init @ .., last] = arr;
    let [p, mid @ .., q] = &arr;
    out[0] = a * 10 + b;
    out[1] = first * 1000 + sum(&rest) * 10 + rest[2];
    out[2] = last * 100 + init[0] + init.len() as i32;
    out[3] = *p * 1000 + sum(&mid[..]) + *q;
    out[4] = tail(&arr);
    out[5] = match arr {
        [1, 2, more @ ..] => more[1],
        [_, _, ..] => -1,
    };
    out[6] = match arr {
        [9, ..] => 0,
        [.., 4] => 44,
        _ => 1,
    };
    out[7] = if let [1, mut tail @ ..] = arr {
        tail[0] += 5;
        tail[0] + tail[1]
    } else {
        0
    };
    let P { c: [u, others @ ..], w } = P { c: [7, 8, 9], w: 2 };
    out[8] = u + others[1] * w;
    let grid = [[1, 2], [3, 4], [5, 6]];
    let [top, below @ ..] = grid;
    out[9] = top[1] * 100 + below[1][0];
    let Some([h, t @ ..]) = Some(arr) else { return };
    out[10] = h + t[0];
    for [l, r @ ..] in grid {
        out[11] += l * r[0];
    }
}

/// What has a name is a copy.
#[gpu_kernel]
fn kept(x: &[i32], out: &mut [i32]) {
    let mut local = [x[0], x[1], x[2]];
    let [_, rest @ ..] = local;
    local[1] = 50;
    out[0] = rest[0] + local[1];
    match local {
        [first, others @ ..] if first > 0 => {
            local[2] = 70;
            out[1] = others[1] + local[2];
        }
        _ => {}
    }
}

#[gpu_fn]
fn shift(x: &mut [i32; 4], by: i32) -> i32 {
    let [first, rest @ ..] = x;
    *first += by;
    for v in rest.iter_mut() {
        *v -= by;
    }
    rest[2]
}

#[gpu_fn]
fn ends(x: &mut [i32; 4]) -> (&mut i32, &mut [i32; 2]) {
    let [first, middle @ .., _] = x;
    (first, middle)
}

/// The rest of an array that is borrowed to be written is a part of that array.
#[gpu_kernel]
fn written_rests(x: &[i32], out: &mut [i32]) {
    let t = thread_idx().x as usize;
    let out = &mut out[8 * t..8 * t + 8];
    let mut local = [x[t], 2, 3, 4];
    let [first, rest @ ..] = &mut local;
    rest[0] = 7 + *first;
    *first = rest[1] + rest.len() as i32;
    out[0] = local[0] * 100 + local[1];
    out[1] = shift(&mut local, 5) * 100 + local[2];
    let mut p = P { c: [1, 2, x[t]], w: 3 };
    if let P { c: [1, middle @ ..], w } = &mut p {
        middle.swap(0, 1);
        middle[t % 2] += 10;
        *w += sum(&middle[..]);
    }
    out[2] = p.c[1] * 100 + p.c[2];
    out[3] = p.w;
    let mut grid = [[1, 2, 3], [4, 5, 6]];
    for [head, tail @ ..] in &mut grid {
        *head += tail[1];
        tail[0] = *head;
    }
    let [_, below @ ..] = &mut grid;
    below[0][t % 3] *= 2;
    out[4] = grid[0][1] * 1000 + grid[1][0] * 100 + grid[1][1] * 10 + grid[1][2];
    match &mut local {
        [a, others @ ..] if *a > 9 => {
            others[2] = *a;
            *a = 0;
        }
        [init @ .., last] => {
            *last += init[0];
            init[1] = 1;
        }
    }
    out[5] = local[0] * 1000 + local[1] * 10 + local[3];
    let (one, two) = ends(&mut local);
    *one += two[0];
    two[1] = *one;
    out[6] = local[2];
    if let Some([_, kept @ ..]) = Some(&mut local) {
        kept[0] = 1;
    }
    out[7] = local[1];
}

#[test]
fn the_rest_of_an_array_has_a_name() {
    everywhere::<rests>(&(), |gpu| {
        let x = gpu.upload(&[1, 2, 3, 4]).expect("memory");
        let out = written(gpu, (12, 0), |out| rests(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [12, 1094, 404, 1009, 112, 4, 44, 10, 25, 205, 3, 44]);
    });
    everywhere::<kept>(&(), |gpu| {
        let x = gpu.upload(&[1, 2, 3]).expect("memory");
        let out = written(gpu, (2, 0), |out| kept(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [52, 73]);
    });
}

#[gpu_kernel]
fn nothing_left(out: &mut [i32]) {
    let mut local = [1, 2];
    let [a, _, none @ ..] = &mut local;
    *a += none.len() as i32;
    out[0] = local[0];
}

#[test]
fn the_rest_of_an_array_is_written_where_it_is() {
    everywhere::<written_rests>(&(), |gpu| {
        let x = gpu.upload(&[1, 20, 3, 4]).expect("memory");
        let out = written(gpu, (32, 0), |out| written_rests(&x, out).grid(1).block(4).launch(gpu));
        let (mut all, x) = (vec![0; 32], [1, 20, 3, 4]);
        for t in 0..4 {
            on_the_host(&x, t, &mut all[8 * t..][..8]);
        }
        assert_eq!(out, all);
    });
    let error = nothing_left::cuda_source().expect_err("it is refused").to_string();
    assert!(error.contains("`name @ ..` cannot take no elements; write `..`"), "{error}");
}

/// The same in Rust's own words, with indices.
fn on_the_host(x: &[i32], t: usize, out: &mut [i32]) {
    let mut local = [6, 7 + x[t], 3, 4];
    out[0] = local[0] * 100 + local[1];
    local = [local[0] + 5, local[1] - 5, local[2] - 5, local[3] - 5];
    out[1] = local[3] * 100 + local[2];
    let mut c = [1, x[t], 2];
    c[1 + t % 2] += 10;
    (out[2], out[3]) = (c[1] * 100 + c[2], 3 + c[1] + c[2]);
    let mut below = [10, 10, 6];
    below[t % 3] *= 2;
    out[4] = 4000 + below[0] * 100 + below[1] * 10 + below[2];
    local = [0, local[1], local[2], local[0]];
    out[5] = local[1] * 10 + local[3];
    local[2] = local[1];
    out[6] = local[2];
    out[7] = 1;
}
