//! The effect of a stream's priority: how long a kernel of one block takes, from its launch to the host's return from
//! waiting for it, while a kernel of many more blocks than fit runs on a stream of the lowest priority.

use std::time::{Duration, Instant};

use warpsmith::prelude::*;

use super::measure::{Bench, median};

/// Waits for so long in each block, and counts the blocks that have.
#[gpu_kernel]
fn long_kernel(blocks: &mut [u32], nanoseconds: u64) {
    let start = global_timer();
    while global_timer() - start < nanoseconds {}
    if thread_idx().x == 0 {
        atomic(&mut blocks[0]).fetch_add(1, Ordering::Relaxed);
    }
}

/// Adds one to each element.
#[gpu_kernel]
fn small_kernel(x: &mut [u32]) {
    let i = global_id();
    if i < x.len() {
        x[i] += 1;
    }
}

/// Rounds of which the median is printed.
const ROUNDS: usize = 21;
/// Threads of a block of the long kernel; two fill a multiprocessor, with no room for a third block.
const THREADS: u32 = 1024;
/// How long the long kernel has run when the small one is launched.
const AHEAD: Duration = Duration::from_micros(300);

/// The long kernel on its stream.
struct Long {
    stream: Stream,
    blocks: Buffer<u32>,
    grid: u32,
    nanoseconds: u64,
}

impl Long {
    fn launch(&mut self, bench: &Bench) -> warpsmith::Result<()> {
        let launch = long_kernel(&mut self.blocks, self.nanoseconds).grid(self.grid).block(THREADS);
        launch.on(&self.stream).launch(&bench.device)
    }
}

/// The small kernel on its stream.
struct Small {
    stream: Stream,
    x: Buffer<u32>,
}

impl Small {
    fn new(bench: &Bench, priority: i32) -> warpsmith::Result<Self> {
        let stream = bench.device.stream_with_priority(priority)?;
        assert_eq!(stream.priority()?, priority);
        Ok(Self { stream, x: bench.device.alloc_zeroed(32)? })
    }

    /// From the launch until the host has waited for it.
    fn latency(&mut self, bench: &Bench) -> warpsmith::Result<Duration> {
        let begun = Instant::now();
        small_kernel(&mut self.x).grid(1).block(32).on(&self.stream).launch(&bench.device)?;
        self.stream.synchronize()?;
        Ok(begun.elapsed())
    }
}

pub fn run(bench: &Bench) -> warpsmith::Result<()> {
    let (least, greatest) = bench.device.stream_priorities()?;
    println!("figure priority_range {least} to {greatest}");
    // A hundred waves of 20 microseconds on 132 multiprocessors.
    let (grid, nanoseconds) = bench.scale.pick((3, 0), (2 * 132 * 100, 20_000));
    let stream = bench.device.stream_with_priority(least)?;
    let mut long = Long { stream, blocks: bench.device.alloc_zeroed(1)?, grid, nanoseconds };
    let mut expected = 0;
    for (name, priority, beside) in [
        ("small_kernel_alone", least, false),
        ("small_kernel_beside_long_low_priority", least, true),
        ("small_kernel_beside_long_high_priority", greatest, true),
    ] {
        let times = latencies(bench, &mut long, &mut Small::new(bench, priority)?, beside)?;
        expected += if beside { times.len() as u32 * grid } else { 0 };
        assert_eq!(bench.device.download(&long.blocks)?, [expected], "blocks of the long kernel");
        bench.microseconds(name, median(times));
    }
    let begun = Instant::now();
    long.launch(bench)?;
    long.stream.synchronize()?;
    bench.microseconds("long_kernel", begun.elapsed().as_secs_f64() * 1e6);
    Ok(())
}

/// Microseconds of the small kernel in each round, beside the long one or alone.
fn latencies(bench: &Bench, long: &mut Long, small: &mut Small, beside: bool) -> warpsmith::Result<Vec<f64>> {
    let rounds = bench.scale.pick(2, ROUNDS);
    small.latency(bench)?;
    let mut times = Vec::new();
    for _ in 0..rounds {
        bench.device.synchronize()?;
        if beside {
            long.launch(bench)?;
            let launched = Instant::now();
            while launched.elapsed() < AHEAD {}
            assert!(bench.device.is_simulator() || !long.stream.is_done()?, "the long kernel is too short");
        }
        times.push(small.latency(bench)?.as_secs_f64() * 1e6);
    }
    bench.device.synchronize()?;
    assert_eq!(bench.device.download(&small.x)?, [rounds as u32 + 1; 32], "the small kernel");
    Ok(times)
}
