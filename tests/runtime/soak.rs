//! Many launches from many threads: results stay right and memory stays flat.
//!
//! `WARPSMITH_SOAK` is the number of launches in all. Default: a few thousand.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use warpsmith::driver::CudaStream;
use warpsmith::prelude::*;

/// Threads that launch at once.
const THREADS: usize = 16;
/// Streams that they share.
const STREAMS: usize = 4;
/// Elements of a buffer at most.
const MOST: usize = 3000;
/// Bytes that a run may hold at its end more than at its fifth part.
const SLACK: usize = 48 << 20;

#[gpu_kernel]
fn soak_add(x: &mut [u32], n: usize, by: u32) {
    let i = global_id();
    if i < n {
        x[i] += by;
    }
}

#[gpu_kernel]
fn soak_copy(x: &[u32], y: &mut [u32], n: usize) {
    let i = global_id();
    if i < n {
        y[i] = x[i] ^ i as u32;
    }
}

/// Each block turns its part of the array round, through shared memory.
#[gpu_kernel]
fn soak_reverse(x: &mut [u32], #[comptime] block: u32) {
    let mut tile = shared!([u32; block]);
    let (i, t) = (global_id(), thread_idx().x);
    tile[t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let whole = (block_idx().x + 1) as usize * block as usize <= x.len();
    if whole {
        x[i] = tile[block - 1 - t];
    }
}

#[gpu_kernel]
fn soak_count(x: &[u32], y: &mut [u32], of: u32) {
    let mut i = global_id();
    let mut count = 0;
    while i < x.len() {
        if x[i] % 8 == of {
            count += 1;
        }
        i += global_size();
    }
    let all = reduce_add_sync(u32::MAX, count);
    if lane_id() == 0 && !y.is_empty() {
        atomic(&mut y[0]).fetch_add(all, Ordering::Relaxed);
    }
}

/// Random numbers of one thread.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }
}

/// A buffer, and what must be in it.
struct Pair {
    device: Buffer<u32>,
    host: Vec<u32>,
}

impl Pair {
    fn new(device: &Device, dice: &mut Dice) -> Self {
        let host: Vec<u32> = (0..1 + dice.below(MOST)).map(|_| dice.below(1 << 30) as u32).collect();
        Self { device: device.upload(&host).expect("memory"), host }
    }

    fn check(&self, device: &Device) {
        assert_eq!(device.download(&self.device).expect("memory"), self.host);
    }
}

/// Launches one random kernel on the device, and does the same on the host.
fn step(device: &Device, stream: Option<&Arc<CudaStream>>, pairs: &mut [Pair; 2], dice: &mut Dice) {
    macro_rules! launch {
        ($launch:expr) => {{
            let launch = $launch;
            let launch = match stream {
                Some(stream) => launch.on(stream),
                None => launch,
            };
            launch.launch(device).expect("the kernel runs");
        }};
    }
    let block = 32 << dice.below(4);
    let [a, b] = pairs;
    match dice.below(4) {
        0 => {
            let (n, by) = (dice.below(a.host.len() + 1), dice.below(1000) as u32);
            launch!(soak_add(&mut a.device, n, by).over(n).block(block));
            a.host[..n].iter_mut().for_each(|v| *v = v.wrapping_add(by));
        }
        1 => {
            let n = dice.below(a.host.len().min(b.host.len()) + 1);
            launch!(soak_copy(&a.device, &mut b.device, n).over(n).block(block));
            (0..n).for_each(|i| b.host[i] = a.host[i] ^ i as u32);
        }
        2 => {
            launch!(soak_reverse(&mut a.device, block as u32).over(a.host.len()).block(block));
            a.host.chunks_exact_mut(block).for_each(<[u32]>::reverse);
        }
        _ => {
            let of = dice.below(8) as u32;
            launch!(soak_count(&a.device, &mut b.device, of).grid(1 + dice.below(4)).block(block));
            b.host[0] = b.host[0].wrapping_add(a.host.iter().filter(|v| **v % 8 == of).count() as u32);
        }
    }
}

/// One thread's launches; now and then a result is compared, and a buffer dropped with work in flight.
fn work(device: &Device, streams: &[Arc<CudaStream>], seed: u64, launches: usize) {
    let mut dice = Dice(seed);
    let mut pairs = [Pair::new(device, &mut dice), Pair::new(device, &mut dice)];
    for done in 0..launches {
        let stream = streams.get(dice.below(STREAMS));
        step(device, stream, &mut pairs, &mut dice);
        pairs.rotate_left(dice.below(2));
        if done % 500 == 499 {
            pairs[0].check(device);
        }
        if dice.below(200) == 0 {
            pairs[1] = Pair::new(device, &mut dice);
        }
    }
    pairs.iter().for_each(|pair| pair.check(device));
}

/// Bytes of this process that are resident.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    status.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

fn soak(device: &Device, streams: &[Arc<CudaStream>], launches: usize) {
    let held = AtomicUsize::new(0);
    let fifth = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (held, fifth) = (&held, &fifth);
            scope.spawn(move || {
                let (seed, share) = (0x9e37_79b9_7f4a_7c15 ^ (thread as u64 + 1) << 20, launches / THREADS);
                work(device, streams, seed, share / 5);
                if fifth.wait().is_leader() {
                    held.store(resident(), Ordering::Relaxed);
                }
                work(device, streams, seed + 1, share - share / 5);
            });
        }
    });
    device.synchronize().expect("every launch was right");
    let (before, after) = (held.into_inner(), resident());
    println!("figure soak_launches {launches} launches");
    println!("figure soak_memory_grown {} KiB", after.saturating_sub(before) >> 10);
    assert!(after < before + SLACK, "memory grew from {before} to {after} bytes");
}

fn launches(default: usize) -> usize {
    let Ok(text) = std::env::var("WARPSMITH_SOAK") else { return default };
    text.parse().unwrap_or_else(|_| panic!("WARPSMITH_SOAK must be a number, not `{text}`"))
}

#[test]
fn many_threads_launch_on_the_simulator() {
    soak(&Device::simulator(), &[], launches(1600).min(20_000));
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn many_threads_launch_on_streams_of_a_gpu() {
    let device = harness::needs_gpu();
    let gpu = device.as_gpu().expect("a GPU");
    let streams: Vec<_> = (0..STREAMS).map(|_| gpu.context().new_stream().expect("a stream")).collect();
    let free = || cudarc::driver::result::mem_get_info().expect("a context").0;
    soak(&device, &streams, 1600);
    let before = free();
    soak(&device, &streams, launches(20_000));
    let after = free();
    println!("figure soak_device_memory_grown {} KiB", before.saturating_sub(after) >> 10);
    assert!(after + SLACK > before, "the device's free memory fell from {before} to {after} bytes");
}
