//! Shared memory: arrays of structs, vectors and halves, of two and three dimensions, and dynamic memory.

use warpsmith::prelude::*;

use super::{everywhere, written};

/// A weighted position.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
struct Body {
    at: F32x3,
    mass: f32,
    id: u8,
}

#[gpu_kernel(fmad = false)]
fn bodies(x: &[Body], out: &mut [Body]) {
    let mut kept = shared!([Body; 64]);
    let mut corners = shared!([F32x4; 64]);
    let mut flags = shared!([bool; 64]);
    let t = thread_idx().x;
    let mut mine = x[t];
    mine.mass *= 2.0;
    kept[t] = mine;
    corners[t] = F32x4::new(mine.at.x, mine.at.y, mine.at.z, 1.0);
    corners[t].w += mine.mass;
    flags[t] = mine.id % 3 == 0;
    sync_threads();
    let other = 63 - t;
    let mut result = kept[other];
    result.at.y = corners[(t + 1) % 64].w;
    result.id = if flags[other] { kept[other].id } else { 255 };
    out[t] = result;
}

#[test]
fn structs_and_vectors_are_shared() {
    everywhere::<bodies>(&(), |device| {
        let body = |i: u32| Body { at: F32x3::new(i as f32, -1.0, 0.5), mass: i as f32 * 0.25, id: i as u8 };
        let x: Vec<Body> = (0..64).map(body).collect();
        let input = device.upload(&x).expect("memory");
        let fill = Body { at: F32x3::splat(f32::NAN), mass: f32::NAN, id: 9 };
        let out = written(device, (64, fill), |out| bodies(&input, out).grid(1).block(64).launch(device));
        for t in 0..64 {
            let mut want = x[63 - t];
            want.mass *= 2.0;
            want.at.y = 1.0 + x[(t + 1) % 64].mass * 2.0;
            want.id = if want.id % 3 == 0 { want.id } else { 255 };
            assert_eq!(out[t], want, "on {}", device.name());
        }
    });
}

#[gpu_fn]
fn row_sum(row: &[f16]) -> f32 {
    let mut sum = 0.0;
    for v in row {
        sum += v.to_f32();
    }
    sum
}

#[gpu_kernel]
fn planes<const P: usize, const R: usize>(x: &[f16], out: &mut [f32]) {
    let mut cube = shared!([[[f16; 8]; R]; P]);
    let mut sums = shared!([[f32; R + 1]; P]);
    let t = thread_idx();
    let (p, r, c) = (t.z as usize, t.y as usize, t.x as usize);
    cube[p][r][c] = x[(p * R + r) * 8 + c];
    sync_threads();
    if c == 0 {
        sums[p][r] = row_sum(&cube[p][r][..]);
    }
    sync_threads();
    if c == 0 && r == 0 {
        sums[p][R] = 0.0;
        for i in 0..R {
            sums[p][R] += sums[p][i];
        }
        out[p] = sums[p][R] + cube[P - 1 - p][R - 1][7].to_f32();
    }
}

#[test]
fn shared_arrays_have_up_to_three_dimensions() {
    everywhere::<planes<3, 4>>(&(), |device| {
        let x: Vec<f16> = (0..96).map(|i| f16::from_f32(i as f32 * 0.5 - 11.0)).collect();
        let input = device.upload(&x).expect("memory");
        let out = written(device, (3, f32::NAN), |out| {
            planes::<3, 4>(&input, out).grid(1).block([8, 4, 3]).launch(device)
        });
        for (p, got) in out.iter().enumerate() {
            let sum: f32 = x[p * 32..p * 32 + 32].iter().map(|v| v.to_f32()).sum();
            assert_eq!(*got, sum + x[(2 - p) * 32 + 31].to_f32(), "on {}", device.name());
        }
    });
}

/// Dynamic memory in parts: `n` doubles, `n` integers, `n` bytes.
#[gpu_kernel]
fn in_parts(x: &[f64], n: u32, out: &mut [f64]) {
    let mut all = dynamic_shared::<u8>();
    let (front, rest) = all.split_at_mut(8 * n);
    let (middle, bytes) = rest.split_at_mut(4 * n);
    let doubles = front.reinterpret_mut::<f64>();
    let ints = middle.reinterpret_mut::<i32>();
    let t = thread_idx().x;
    if t < n {
        doubles[t] = x[t];
        ints[t] = x[t] as i32;
        bytes[t] = (t * 3) as u8;
    }
    sync_threads();
    if t < n {
        let other = n - 1 - t;
        out[t] = doubles[other] * 100.0 + ints[other] as f64 + bytes[other] as f64 * 0.001;
    }
    if t == 0 {
        out[n] = (doubles.len() * 10_000 + ints.len() * 100 + bytes.len()) as f64;
    }
}

#[test]
fn dynamic_memory_holds_arrays_of_several_types() {
    everywhere::<in_parts>(&(), |device| {
        let n = 20usize;
        let x: Vec<f64> = (0..n).map(|i| i as f64 * 1.5 - 7.0).collect();
        let input = device.upload(&x).expect("memory");
        let out = written(device, (n + 1, f64::NAN), |out| {
            in_parts(&input, n as u32, out).grid(1).block(32).dynamic_shared(13 * n).launch(device)
        });
        for t in 0..n {
            let o = n - 1 - t;
            let want = x[o] * 100.0 + f64::from(x[o] as i32) + f64::from((o * 3) as u8) * 0.001;
            assert_eq!(out[t], want, "on {}", device.name());
        }
        assert_eq!(out[n], 202_020.0);
    });
}

#[test]
fn dynamic_memory_that_is_too_small_is_a_fault() {
    everywhere::<in_parts>(&(), |device| {
        let input = device.upload(&[0.0f64; 8]).expect("memory");
        let mut out = device.upload(&[0.0f64; 9]).expect("memory");
        let outcome =
            in_parts(&input, 8, &mut out).grid(1).block(32).dynamic_shared(12 * 8 - 1).launch(device);
        let message = outcome.and_then(|()| device.synchronize()).expect_err("too small").to_string();
        assert!(message.contains("shared_memory.rs"), "{message}");
    });
}

#[gpu_kernel]
fn renamed(out: &mut [u32]) {
    let mut tile = shared!([[u32; 4]; 4]);
    if thread_idx().x == 0 {
        tile[1][3] = 7;
    }
    sync_threads();
    let last = tile[1][3];
    let tile: [u32; 4] = [last; 4];
    let mut tile: [[u32; 4]; 2] = [tile; 2];
    tile[1] = [5; 4];
    for tile in [[[1u32; 4]; 2], [[2; 4]; 2]] {
        let mut tile = tile;
        tile[0] = [3; 4];
        out[tile[1][0] as usize] = tile[0][0];
    }
    out[0] = tile[0][0] * 10 + tile[1][0];
}

#[test]
fn a_name_of_a_shared_array_may_become_anothers() {
    everywhere::<renamed>(&(), |device| {
        let out = written(device, (3, 0), |out| renamed(out).grid(1).block(1).launch(device));
        assert_eq!(out, [75, 3, 3], "on {}", device.name());
    });
}
