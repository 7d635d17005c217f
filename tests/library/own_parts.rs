//! Methods of a user's type that are named as those which give parts of slices.

use core::ops::Range;

use warpsmith::prelude::*;

use super::{everywhere, written};

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Grid {
    n: u32,
}

#[gpu_impl]
impl Grid {
    fn chunks(&self, by: u32) -> Range<u32> {
        0..self.n / by
    }

    fn windows(&self, by: u32) -> [u32; 3] {
        [by, self.n, 7]
    }
}

#[gpu_trait]
trait Parts {
    fn chunks_exact(&self, by: u32) -> Range<u32>;
}

#[gpu_impl]
impl Parts for Grid {
    fn chunks_exact(&self, by: u32) -> Range<u32> {
        by..self.n
    }
}

#[gpu_fn]
fn squares<P: Parts>(p: &P) -> u32 {
    let mut sum = 0;
    for i in p.chunks_exact(2) {
        sum += i * i;
    }
    sum
}

#[gpu_kernel]
fn owned(x: &[i32], out: &mut [i32]) {
    let grid = Grid { n: 10 };
    for i in grid.chunks(2) {
        out[0] += i as i32;
    }
    for (k, v) in grid.windows(4).into_iter().enumerate() {
        out[1] += v as i32 * k as i32;
    }
    out[2] = squares(&grid) as i32;
    out[3] = grid.chunks(3).map(|i| i + 1).sum::<u32>() as i32;
    for part in x.chunks(3) {
        for i in grid.chunks(part.len() as u32) {
            out[4] += i as i32;
        }
    }
    let mut local = [1, 2, 3, 4, 5];
    for part in local.chunks_mut(2) {
        part[0] *= 10;
    }
    for pair in local[1..].chunks_exact(2) {
        out[5] += pair[0] * pair[1];
    }
    for (i, part) in out[8..].chunks_exact_mut(4).enumerate() {
        part[0] = i as i32 + 1;
    }
}

#[test]
fn a_method_of_the_users_is_walked_as_what_it_gives() {
    everywhere::<owned>(&(), |gpu| {
        let x = gpu.upload(&[1, 2, 3, 4, 5, 6, 7, 8]).expect("memory");
        let out = written(gpu, (16, 0), |out| owned(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, [10, 24, 284, 6, 16, 260, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
    });
}
