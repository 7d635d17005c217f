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

#[gpu_kernel]
fn written_rest(out: &mut [i32]) {
    let mut local = [1, 2, 3];
    let [_, rest @ ..] = &mut local;
    rest[0] = 7;
    out[0] = local[1];
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

#[test]
fn the_rest_of_an_array_that_is_written_is_refused() {
    let error = written_rest::cuda_source().expect_err("it is refused").to_string();
    assert!(error.contains("`name @ ..` cannot take an array that is borrowed to be written"), "{error}");
}
