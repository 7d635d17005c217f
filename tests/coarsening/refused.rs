//! The reasons against coarsening a kernel, each at its line.

use warpsmith::Kernel;
use warpsmith::error::CoarsenRefusal;
use warpsmith::ir::CoarsenFactor;
use warpsmith::prelude::*;

fn why<K: Kernel<Comptime = ()>>() -> CoarsenRefusal {
    match K::coarsened_cuda_source_for(&(), CoarsenFactor::Widest) {
        Err(warpsmith::Error::Coarsen(error)) => {
            assert!(error.to_string().contains("tests/coarsening/refused.rs:"), "{error}");
            error.why
        }
        other => panic!("{}: {other:?}", K::NAME),
    }
}

#[gpu_kernel]
fn sums(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    if i < x.len() {
        atomic(&mut out[0]).fetch_add(x[i], Ordering::Relaxed);
    }
}

#[gpu_kernel]
fn waits(x: &mut [u32]) {
    let i = global_id();
    x[i] = 1;
    sync_threads();
}

#[gpu_kernel]
fn shares(x: &mut [u32]) {
    let mut tile = shared!([u32; 64]);
    tile[thread_idx().x] = 1;
    x[global_id()] = tile[thread_idx().x];
}

#[gpu_kernel]
fn prints(x: &mut [u32]) {
    let i = global_id();
    x[i] = 1;
    println!("{}", i);
}

#[gpu_kernel]
fn strides(x: &[f32], y: &mut [f32]) {
    for i in (global_id()..x.len()).step_by(global_size()) {
        y[i] = x[i];
    }
}

#[gpu_kernel]
fn lanes(y: &mut [u32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = lane_id();
    }
}

#[gpu_kernel]
fn reverses(x: &mut [u32]) {
    let i = global_id();
    let other = x.len() - 1 - i;
    x[i] = x[other];
}

#[gpu_fn]
fn put(x: &mut [u32], i: usize) {
    x[i] = 1;
}

#[gpu_kernel]
fn hands_over(x: &mut [u32]) {
    put(x, global_id());
}

#[gpu_kernel]
fn planes(mut x: ViewMut2<u32>) {
    x[(0, global_id())] = 1;
}

#[gpu_fn(cuda = "return x + 1;")]
fn foreign(x: u32) -> u32 {
    x + 1
}

#[gpu_kernel]
fn calls(x: &mut [u32]) {
    let i = global_id();
    x[i] = foreign(x[i]);
}

#[gpu_static]
static COUNT: u32 = 0;

#[gpu_kernel]
fn counts(x: &mut [u32]) {
    let i = global_id();
    x[i] = 1;
    if i == 0 {
        *COUNT.get_mut() = 1;
    }
}

#[gpu_kernel]
fn lends(x: &mut [u32]) {
    let i = global_id();
    let count = COUNT.get_mut();
    x[i] = *count;
    *count = 7;
}

#[gpu_kernel(cluster(2))]
fn clustered(x: &mut [u32]) {
    let i = global_id();
    x[i] = 1;
}

#[gpu_kernel]
fn rarely(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < x.len() && i.is_multiple_of(3) {
        y[i] = x[i];
    }
}

#[gpu_kernel]
fn wide_already(x: &mut [F32x4]) {
    let i = global_id();
    x[i] = x[i] + x[i];
}

#[gpu_kernel]
fn launches(x: &mut [f32]) {
    let i = global_id();
    x[i] = 1.0;
    if i == 0 {
        inner(x).grid(1).block(1).launch();
    }
}

#[gpu_kernel]
fn inner(x: &mut [f32]) {
    x[0] = 2.0;
}

#[test]
fn each_for_its_reason() {
    let slice = |name: &str| CoarsenRefusal::Elsewhere { slice: name.into() };
    let position = |builtin| CoarsenRefusal::Position { builtin };
    assert_eq!(why::<sums>(), CoarsenRefusal::Effect { builtin: "fetch_add" });
    assert_eq!(why::<waits>(), CoarsenRefusal::Effect { builtin: "sync_threads" });
    assert_eq!(why::<shares>(), CoarsenRefusal::Shared);
    assert_eq!(why::<prints>(), CoarsenRefusal::Print);
    assert_eq!(why::<strides>(), slice("y"));
    assert_eq!(why::<lanes>(), position("lane_id"));
    assert_eq!(why::<reverses>(), slice("x"));
    assert_eq!(why::<hands_over>(), slice("x"));
    assert_eq!(why::<planes>(), CoarsenRefusal::Writable { param: "x".into() });
    assert_eq!(why::<calls>(), CoarsenRefusal::Foreign { function: "foreign".into() });
    assert_eq!(why::<clustered>(), CoarsenRefusal::Cluster);
    assert_eq!(why::<rarely>(), CoarsenRefusal::NothingWide);
    assert_eq!(why::<wide_already>(), CoarsenRefusal::NothingWide);
    assert_eq!(why::<launches>(), CoarsenRefusal::Launch);
    assert_eq!(why::<counts>(), CoarsenRefusal::Global { global: "COUNT" });
    assert_eq!(why::<lends>(), CoarsenRefusal::Global { global: "COUNT" });
}

#[test]
fn a_launch_says_why_too() {
    let device = Device::simulator();
    let mut x = device.upload(&[1u32; 8]).expect("memory");
    let error = reverses(&mut x).over(8).coarsen(4).launch(&device).expect_err("no elementwise kernel");
    assert!(
        error.to_string().contains("kernel `reverses` cannot be coarsened: `x` can be written"),
        "{error}"
    );
    let error = reverses(&mut x).over(8).coarsen(3).launch(&device).expect_err("no number of elements");
    assert!(error.to_string().contains("`.coarsen(3)`"), "{error}");
}

#[gpu_kernel(coarsen)]
fn asked(x: &mut [u32]) {
    let i = global_id();
    x[i / 2] = 1;
}

#[test]
fn an_attribute_that_cannot_be_met_is_an_error_of_every_use() {
    let device = Device::simulator();
    let mut x = device.upload(&[1u32; 8]).expect("memory");
    for error in [
        asked(&mut x).over(8).launch(&device).expect_err("no elementwise kernel"),
        asked::cuda_source().expect_err("no elementwise kernel"),
        asked(&mut x).over(8).coarsen(1).launch(&device).expect_err("no elementwise kernel"),
    ] {
        assert!(matches!(error, warpsmith::Error::Coarsen(_)), "{error}");
    }
}
