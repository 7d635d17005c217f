//! Launching allocates nothing after the first time: counted, not believed.

#![allow(clippy::too_many_arguments, reason = "how many there are is what is measured")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use warpsmith::prelude::*;

/// The system's allocator, which counts what each thread asks for.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does everything; a counter without a destructor is added to.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) };
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Allocations of this thread in `work`.
fn allocations<T>(work: impl FnOnce() -> T) -> usize {
    let before = COUNT.get();
    work();
    COUNT.get() - before
}

#[gpu_kernel]
fn nothing() {}

#[gpu_kernel]
fn four(a: &[f32], b: &mut [f32], n: u32, s: f64, #[comptime] twice: bool) {
    let i = global_id();
    if i < b.len() && i < a.len() && i < n as usize {
        b[i] = a[i] * s as f32 * if twice { 2.0 } else { 1.0 };
    }
}

#[gpu_kernel]
fn with_a_large_value(values: [u64; 64], b: &mut [u64]) {
    let i = global_id();
    if i < b.len() {
        b[i] = values[i % 64];
    }
}

#[gpu_kernel]
fn sixteen(
    a: &[f32],
    b: &[f32],
    c: &[f32],
    d: &mut [f32],
    e: u32,
    f: u32,
    g: u32,
    h: u32,
    i: u64,
    j: u64,
    k: u64,
    l: u64,
    m: f32,
    n: f32,
    o: f32,
    p: f32,
) {
    let t = global_id();
    if t < a.len() && t < b.len() && t < c.len() && t < d.len() {
        let ints = (e + f + g + h) as u64 + i + j + k + l;
        d[t] = a[t] + b[t] + c[t] + ints as f32 + m + n + o + p;
    }
}

#[gpu_kernel]
fn of_images(from: &Texture2<f32>, to: &mut Surface2<f32>) {
    let (x, y) = (thread_idx().x, thread_idx().y);
    to.write(x, y, from.fetch(x, y));
}

/// Launches each kind of kernel once by `launch`.
fn each(device: &Device, memory: &mut Memory, checks: bool) {
    let Memory { a, b, words, images: [from, to] } = memory;
    fn go<K: Kernel>(launch: Launch<'_, K>, device: &Device, checks: bool) {
        // SAFETY: the kernels guard their indices.
        let done = if checks { launch.launch(device) } else { unsafe { launch.launch_unchecked(device) } };
        done.expect("a right launch");
    }
    go(nothing().grid(1), device, checks);
    go(four(&*a, &mut *b, 100, 1.0, true).over(100).priority(-1), device, checks);
    go(with_a_large_value([7; 64], &mut *words).over(64).dynamic_shared(60_000), device, checks);
    let (from, to) = (from.texture(Sampler::new()).expect("one"), to.surface().expect("one"));
    go(of_images(from, to).grid(1).block([16, 8]), device, checks);
    let last = sixteen(&*a, &*a, &*a, &mut *b, 1, 2, 3, 4, 5, 6, 7, 8, 1.0, 2.0, 3.0, 4.0);
    go(last.grid(4).block(64).cluster(2).mem_sync_domain(MemSyncDomain::Remote), device, checks);
    let cooperative = four(&*a, &mut *b, 100, 1.0, false).grid(4).cooperative();
    go(cooperative.shared_carveout(warpsmith::launch::Carveout::MaxL1), device, checks);
}

struct Memory {
    a: Buffer<f32>,
    b: Buffer<f32>,
    words: Buffer<u64>,
    images: [Image2<f32>; 2],
}

impl Memory {
    fn new(device: &Device) -> Self {
        let floats = || device.upload(&[1.0f32; 256]).expect("memory");
        let image = || Image2::zeroed(device, [16, 8]).expect("an image");
        let words = device.upload(&[0u64; 64]).expect("memory");
        Self { a: floats(), b: floats(), words, images: [image(), image()] }
    }
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| Box::new(1)), 1);
}

#[test]
fn building_a_launch_allocates_nothing() {
    let device = Device::simulator();
    let Memory { a, mut b, mut words, .. } = Memory::new(&device);
    let build = |b: &mut Buffer<f32>, words: &mut Buffer<u64>| {
        drop(nothing().grid(1));
        drop(four(&a, &mut *b, 100, 1.0, true).over(100).block(64).cluster(2).priority(0).cooperative());
        drop(sixteen(&a, &a, &a, b, 1, 2, 3, 4, 5, 6, 7, 8, 1.0, 2.0, 3.0, 4.0).over(100));
        drop(with_a_large_value([7; 64], words).over(64));
    };
    build(&mut b, &mut words);
    assert_eq!(allocations(|| build(&mut b, &mut words)), 0);
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn launching_again_allocates_nothing() {
    let gpu = harness::needs_gpu();
    let mut memory = Memory::new(&gpu);
    for checks in [true, false] {
        each(&gpu, &mut memory, checks);
        let count = allocations(|| (0..100).for_each(|_| each(&gpu, &mut memory, checks)));
        assert_eq!(count, 0, "with checks: {checks}");
    }
    gpu.synchronize().expect("no fault");
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn launching_what_is_prepared_allocates_nothing() {
    let gpu = harness::needs_gpu();
    let Memory { a, mut b, mut words, .. } = Memory::new(&gpu);
    let small = four(&a, &mut b, 100, 1.0, true).over(100).prepare(&gpu).expect("a right launch");
    let large = with_a_large_value([7; 64], &mut words).over(64).prepare(&gpu).expect("a right launch");
    let mut both = || {
        small.launch(four(&a, &mut b, 99, 2.0, true)).expect("prepared");
        large.launch(with_a_large_value([8; 64], &mut words)).expect("prepared");
    };
    both();
    assert_eq!(allocations(|| (0..100).for_each(|_| both())), 0);
    gpu.synchronize().expect("no fault");
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn starting_a_graph_again_allocates_nothing() {
    let gpu = harness::needs_gpu();
    let Memory { a, b, .. } = Memory::new(&gpu);
    let mut graph = Graph::new(&gpu);
    let (a, b) = (graph.hold(a).expect("its own"), graph.hold(b).expect("its own"));
    graph.add(|m| Ok(four(m.read(a)?, m.write(b)?, 100, 1.0, true).over(100))).expect("a right launch");
    graph.launch().expect("it runs");
    assert_eq!(allocations(|| (0..100).for_each(|_| graph.launch().expect("it runs"))), 0);
    gpu.synchronize().expect("no fault");
}
