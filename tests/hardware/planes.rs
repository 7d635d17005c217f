//! Planes and rows of shared arrays, given to functions and bound to names; arrays seen as other elements.

use warpsmith::prelude::*;
use warpsmith::types::{Plane, Shared, Shared2, Shared3};

use super::{everywhere, written};

#[gpu_fn]
fn corners(p: &Shared2<u32>) -> u32 {
    p[0][0] * 100 + p[p.len() - 1][3]
}

#[gpu_fn]
fn of_plane(p: &Plane<u32>, row: u32) -> u32 {
    p[row][1] + total(&p[row])
}

#[gpu_fn]
fn total(row: &[u32]) -> u32 {
    row.iter().sum()
}

#[gpu_fn]
fn ends(row: &Shared<u32>) -> u32 {
    row[0] + row[row.len() - 1]
}

#[gpu_fn]
fn stage_of(tile: &Shared3<u32>, stage: u32) -> u32 {
    corners(&tile[stage]) + of_plane(&tile[stage], 1) + ends(&tile[stage][2])
}

#[gpu_fn]
fn raise(p: &mut Shared2<u32>, i: u32) {
    p[i / 4 % 3][i % 4] += 1000;
}

#[gpu_fn]
fn double(row: &mut [u32], i: u32) {
    row[i % 4] *= 2;
}

#[gpu_kernel]
fn planes(y: &mut [u32]) {
    let mut t = shared!([[[u32; 4]; 3]; 2]);
    let i = thread_idx().x;
    t[i / 12][i / 4 % 3][i % 4] = i;
    sync_threads();
    if i / 12 == 1 {
        raise(&mut t[1], i);
    } else {
        double(&mut t[0][i / 4], i);
    }
    sync_threads();
    let stage = i % 2;
    let plane = &t[stage];
    let row = &plane[2];
    y[i * 4] = stage_of(&t, stage);
    y[i * 4 + 1] = corners(&t[1]) + total(&t[0][1]) + ends(row);
    y[i * 4 + 2] = plane[1][i % 4] + row[i % 4] + row.len() as u32;
    sync_threads();
    let mut mine = &mut t[1][0];
    if stage == 0 {
        mine = &mut t[0][2];
    }
    if i == 3 || i == 2 {
        mine[i] += 7;
    }
    sync_threads();
    y[i * 4 + 3] = t[0][2][2] + t[1][0][3];
}

#[test]
fn parts_of_shared_arrays_are_arrays() {
    everywhere::<planes>(&(), |device| {
        let got = written(device, (96, 0), |y| planes(y).grid(1).block(24).launch(device));
        let t = |p: u32, r: u32, c: u32| {
            let i = p * 12 + r * 4 + c;
            if p == 1 { i + 1000 } else { i * 2 }
        };
        let row = |p, r| (0..4).map(|c| t(p, r, c)).sum::<u32>();
        let corners = |p| t(p, 0, 0) * 100 + t(p, 2, 3);
        let ends = |p, r| t(p, r, 0) + t(p, r, 3);
        for i in 0..24 {
            let s = i % 2;
            let want = [
                corners(s) + t(s, 1, 1) + row(s, 1) + ends(s, 2),
                corners(1) + row(0, 1) + ends(s, 2),
                t(s, 1, i % 4) + t(s, 2, i % 4) + 4,
                t(0, 2, 2) + 7 + t(1, 0, 3) + 7,
            ];
            assert_eq!(got[i as usize * 4..i as usize * 4 + 4], want, "thread {i}");
        }
    });
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Quantised {
    scale: f32,
    values: [i8; 8],
}

#[inline(always)]
#[gpu_fn]
fn lanes(mask: u32) -> u32 {
    (mask & lanemask_lt()).count_ones()
}

#[gpu_fn]
#[inline(never)]
fn all_masks() -> [u32; 5] {
    [lanemask_lt(), lanemask_le(), lanemask_eq(), lanemask_ge(), lanemask_gt()]
}

#[gpu_kernel]
fn words(q: &[Quantised], y: &mut [i32], masks: &mut [u32]) {
    let i = thread_idx().x;
    let mut own = [1u16, 2, 3, 4];
    own.reinterpret_mut::<u16>()[3] = 9;
    let w = q[0].values.reinterpret::<i32>();
    y[i] = w[i % 2] + w.len() as i32 + own[3] as i32 + q[0].scale as i32 + lanes(0xff0f) as i32;
    let found = all_masks();
    for (k, mask) in found.iter().enumerate() {
        masks[i as usize * 5 + k] = *mask;
    }
}

#[test]
fn arrays_are_seen_as_other_elements_and_lanes_as_masks() {
    everywhere::<words>(&(), |device| {
        let q = device.upload(&[Quantised { scale: 2.0, values: [1, 0, 0, 0, 0, 1, 0, 0] }]).expect("memory");
        let mut masks = device.upload(&[0u32; 160]).expect("memory");
        let y = written(device, (32, 0), |y| words(&q, y, &mut masks).grid(1).block(32).launch(device));
        for (i, y) in y.iter().enumerate() {
            let before = (0xff0fu32 & ((1 << i) - 1)).count_ones() as i32;
            assert_eq!(*y, [1, 256][i % 2] + 2 + 9 + 2 + before, "lane {i}");
        }
        let bits = |f: &dyn Fn(u32) -> bool| (0..32).filter(|l| f(*l)).fold(0u32, |m, l| m | 1 << l);
        let masks = device.download(&masks).expect("memory");
        for i in 0..32u32 {
            let want =
                [bits(&|l| l < i), bits(&|l| l <= i), bits(&|l| l == i), bits(&|l| l >= i), bits(&|l| l > i)];
            assert_eq!(masks[i as usize * 5..i as usize * 5 + 5], want, "lane {i}");
        }
        let text = words::cuda_source().expect("a kernel").to_string();
        assert!(text.contains("__device__ __forceinline__ unsigned int lanes("), "{text}");
        assert!(text.contains("__device__ __noinline__ ws_Array<unsigned int, 5> all_masks("), "{text}");
    });
}
