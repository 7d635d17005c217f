//! Values that stand for memory, shared arrays and maps of tensors: moved into variables, tuples, functions and closures, and exchanged.

use warpsmith::prelude::*;
use warpsmith::ptx::{fence_mbarrier_init, fence_proxy_async};
use warpsmith::types::Shared;

use super::{everywhere, written};

#[gpu_fn]
fn bumped(mut array: Shared<u32>, t: usize) -> u32 {
    array[t] += 1;
    array[t] + array.len() as u32
}

#[gpu_kernel]
fn chosen(out: &mut [u32], first: bool) {
    let mut a = shared!([u32; 32]);
    let mut b = shared!([u32; 64]);
    let t = thread_idx().x as usize;
    (a[t], b[t]) = (1, 2);
    let chosen = if first { a } else { b };
    let mut found = loop {
        if t < 32 {
            break chosen;
        }
    };
    found[t] += 10;
    let pair = (found, 100);
    let read = pair.0[t] + pair.1;
    let (inner, _) = pair;
    out[t] = bumped(inner, t) * 1000 + read;
}

#[gpu_kernel]
#[allow(clippy::needless_late_init)]
fn late(out: &mut [u32], first: bool) {
    let mut a = shared!([u32; 32]);
    let mut b = shared!([u32; 64]);
    let t = thread_idx().x as usize;
    (a[t], b[t]) = (1, 2);
    let late;
    if first {
        late = a;
    } else {
        late = b;
    }
    let add = |mut array: Shared<u32>| array[t] += 5;
    let kept = late;
    let read = kept[t] + kept.len() as u32;
    add(kept);
    out[t] = read;
}

/// Each element of `out` becomes the one `steps` places further, less the steps.
#[gpu_kernel]
fn passed_on(out: &mut [u32], steps: u32) {
    let mut a = shared!([u32; 32]);
    let b = shared!([u32; 32]);
    let t = thread_idx().x as usize;
    a[t] = out[t];
    sync_warp();
    let (mut from, mut to) = (a, b);
    for _ in 0..steps {
        to[t] = from[(t + 1) % 32] - 1;
        sync_warp();
        (from, to) = (to, from);
    }
    out[t] = from[t];
}

#[gpu_kernel]
fn matrices_passed_on(out: &mut [u32], steps: u32) {
    let mut a = shared!([[u32; 8]; 4]);
    let mut b = shared!([[u32; 8]; 4]);
    let t = thread_idx().x as usize;
    let (row, col) = (t / 8, t % 8);
    a[row][col] = out[t];
    sync_warp();
    let (mut from, mut to) = (&mut a, &mut b);
    for _ in 0..steps {
        to[row][col] = from[(row + 1) % 4][col] - 1;
        sync_warp();
        core::mem::swap(&mut from, &mut to);
    }
    out[t] = from[row][col];
}

#[test]
fn arrays_are_chosen_and_moved() {
    everywhere::<chosen>(&(), |device| {
        for (first, value, len) in [(true, 11, 32), (false, 12, 64)] {
            let out = written(device, (32, 7), |out| chosen(out, first).grid(1).block(32).launch(device));
            assert_eq!(out, [(value + 1 + len) * 1000 + value + 100; 32], "on {}", device.name());
        }
    });
    everywhere::<late>(&(), |device| {
        for (first, want) in [(true, 33), (false, 66)] {
            let out = written(device, (32, 7), |out| late(out, first).grid(1).block(32).launch(device));
            assert_eq!(out, [want; 32], "on {}", device.name());
        }
    });
}

#[test]
fn arrays_are_exchanged_by_references() {
    everywhere::<passed_on>(&(), |device| {
        let out = written(device, (32, 50), |out| passed_on(out, 3).grid(1).block(32).launch(device));
        assert_eq!(out, [47; 32], "on {}", device.name());
    });
    everywhere::<matrices_passed_on>(&(), |device| {
        let out =
            written(device, (32, 50), |out| matrices_passed_on(out, 3).grid(1).block(32).launch(device));
        assert_eq!(out, [47; 32], "on {}", device.name());
    });
}

#[gpu_kernel]
fn replaced(out: &mut [u32]) {
    let mut a = shared!([u32; 32]);
    let mut b = shared!([u32; 32]);
    let t = thread_idx().x as usize;
    (a[t], b[t]) = (1, 2);
    (a, b) = (b, a);
    out[t] = a[t] * 10 + b[t];
}

#[gpu_kernel]
fn swapped(out: &mut [u32]) {
    let mut a = shared!([u32; 32]);
    let mut b = shared!([u32; 32]);
    let t = thread_idx().x as usize;
    (a[t], b[t]) = (1, 2);
    core::mem::swap(&mut a, &mut b);
    out[t] = a[t] * 10 + b[t];
}

#[gpu_kernel]
fn matrices_in_a_tuple(out: &mut [u32]) {
    let mut a = shared!([[u32; 8]; 4]);
    let mut b = shared!([[u32; 8]; 4]);
    let pair = (&mut a, &mut b);
    pair.0[0][0] = 1;
    pair.1[0][0] = 2;
    out[0] = pair.0[0][0];
}

#[gpu_kernel]
fn perhaps(out: &mut [u32]) {
    let a = shared!([u32; 32]);
    let array = if out.len() > 3 { Some(a) } else { None };
    if let Some(mut array) = array {
        array[0] = 1;
        out[0] = array[0];
    }
}

#[test]
fn an_array_stays_in_its_memory_and_its_extents_in_a_variable() {
    for source in [replaced::cuda_source(), swapped::cuda_source()] {
        let message = source.expect_err("`a` names the memory").to_string();
        assert!(message.contains("take references to them"), "{message}");
    }
    for (source, name) in [(matrices_in_a_tuple::cuda_source(), "pair"), (perhaps::cuda_source(), "array")] {
        let message = source.expect_err("a tuple and an enum hold no extents").to_string();
        assert!(message.contains(&format!("`{name}` holds a shared array")), "{message}");
    }
}

/// The first row of each matrix in turn, as digits; the last map goes through a tuple and a closure.
#[gpu_kernel]
fn maps_in_turn<'a>(
    a: &'a TensorMap<u32, 4, 32, Unswizzled>,
    b: &'a TensorMap<u32, 4, 32, Unswizzled>,
    out: &mut [u32],
    a_first: bool,
) {
    let tile = shared!(Tile<u32, 4, 32, Unswizzled>);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    sync_threads();
    let load = |map: &TensorMap<u32, 4, 32, Unswizzled>| {
        if t == 0 {
            full.load_tile(tile, map, [0, 0]);
            full.arrive();
        }
    };
    let mut phase = Phase::first();
    let (mut now, mut next) = if a_first { (a, b) } else { (b, a) };
    let mut digits = 0;
    for _ in 0..3 {
        load(now);
        full.wait(&mut phase);
        digits = digits * 10 + tile[(0, t)];
        fence_proxy_async();
        sync_threads();
        (now, next) = (next, now);
    }
    let pair = (now, 1000);
    load(pair.0);
    full.wait(&mut phase);
    out[t as usize] = digits + pair.1 * tile[(0, t)];
}

#[test]
fn maps_are_chosen_and_passed_on() {
    everywhere::<maps_in_turn>(&(), |device| {
        let ones = device.upload(&[1u32; 128]).expect("memory");
        let twos = device.upload(&[2u32; 128]).expect("memory");
        for (a_first, want) in [(true, 2121), (false, 1212)] {
            let out = written(device, (32, 7), |out| {
                let (a, b) = (ones.tensor_map(4, 32)?, twos.tensor_map(4, 32)?);
                maps_in_turn(a, b, out, a_first).grid(1).block(32).launch(device)
            });
            assert_eq!(out, [want; 32], "on {}", device.name());
        }
    });
}
