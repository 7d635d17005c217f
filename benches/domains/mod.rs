//! Memory synchronization domains: what a fence of a compute kernel costs beside a kernel that streams to
//! host memory, in the same domain and in another, with controls.
//!
//! The streaming kernel lets the other start at once (programmatic serialization), so both run beside
//! each other; how much of the fences' time that was is printed too.

use cudarc::driver::{result, sys};
use warpsmith::prelude::*;

/// Words of host memory that are streamed to, over and over.
const WORDS: usize = 1 << 24;
/// Blocks that stream, and blocks that fence.
const BLOCKS: usize = 32;
/// Fences of a thread.
const FENCES: u64 = 300;
/// How long the streaming kernel streams, in nanoseconds.
const STREAMING: u64 = 30_000_000;

/// Writes host memory until so many nanoseconds have passed.
#[gpu_kernel]
fn stream_out(mut host: ViewMut<'_, u64>, times: &mut [u64], nanoseconds: u64) {
    launch_dependents();
    let start = global_timer();
    let mut round = 0u64;
    while global_timer() - start < nanoseconds {
        for i in (global_id()..host.len()).step_by(global_size() * 64) {
            store_streaming(&mut host[i], round);
        }
        round += 1;
    }
    if global_id() == 0 {
        times[0] = start;
        times[1] = global_timer();
    }
}

/// Cycles of a store to device memory and what `kind` says after it: 0 nothing, 1 a fence for the
/// device, 2 one for the system.
#[gpu_kernel]
fn fences(scratch: &mut [u64], cycles: &mut [u64], times: &mut [u64], count: u64, #[comptime] kind: u32) {
    let i = global_id();
    // The streaming kernel fills its queues first.
    let start = global_timer();
    while global_timer() - start < 2_000_000 {}
    let began = global_timer();
    let mut sum = 0u64;
    for k in 0..count {
        volatile_store(&mut scratch[i], k);
        let before = clock();
        if kind == 1 {
            fence_device();
        } else if kind == 2 {
            fence_system();
        }
        sum += clock() - before;
    }
    cycles[i] = sum;
    if i == 0 {
        times[2] = began;
        times[3] = global_timer();
    }
}

/// One case: what streams, and in which domain.
#[derive(Clone, Copy)]
enum Beside {
    Nothing,
    Streaming(MemSyncDomain),
}

struct Experiment {
    host: *mut u64,
    times: Buffer<u64>,
    scratch: Buffer<u64>,
    cycles: Buffer<u64>,
}

impl Experiment {
    fn new(device: &Device) -> warpsmith::Result<Option<Self>> {
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: the device's context is current, as it just allocated. Kept until the process ends.
        let Ok(host) = (unsafe { result::malloc_host(WORDS * 8, flags) }) else { return Ok(None) };
        let words = |n: usize| device.alloc_zeroed::<u64>(n);
        let (times, scratch, cycles) = (words(4)?, words(BLOCKS * 32)?, words(BLOCKS * 32)?);
        Ok(Some(Self { host: host.cast(), times, scratch, cycles }))
    }

    /// Median cycles of a fence, and which part of the fences' time the streaming covered.
    fn run(&mut self, device: &Device, kind: u32, beside: Beside) -> warpsmith::Result<(f64, f64)> {
        device.write(&mut self.times, &[0; 4])?;
        if let Beside::Streaming(domain) = beside {
            // SAFETY: mapped host memory of that length, which has the same address on the device.
            let host = unsafe { ViewMut::from_raw_parts(self.host, WORDS) };
            let launch = stream_out(host, &mut self.times, STREAMING).grid(BLOCKS).block(256);
            launch.mem_sync_domain(domain).launch(device)?;
        }
        let launch = fences(&mut self.scratch, &mut self.cycles, &mut self.times, FENCES, kind);
        let launch = launch.grid(BLOCKS).block(32).mem_sync_domain(MemSyncDomain::Default);
        launch.programmatic_serialization().launch(device)?;
        let mut cycles = device.download(&self.cycles)?;
        cycles.sort_unstable();
        let times = device.download(&self.times)?;
        let covered = times[1].min(times[3]).saturating_sub(times[0].max(times[2]));
        let fencing = (times[3] - times[2]).max(1);
        Ok((cycles[cycles.len() / 2] as f64 / FENCES as f64, covered as f64 / fencing as f64))
    }
}

/// Prints the figures, whatever they show.
pub fn run(device: &Device) -> warpsmith::Result<()> {
    println!("ours mem_sync_domains {} domains", device.limits().mem_sync_domains);
    let Some(mut experiment) = Experiment::new(device)? else { return Ok(()) };
    let cases = [
        ("alone", Beside::Nothing),
        ("beside_streaming_same_domain", Beside::Streaming(MemSyncDomain::Default)),
        ("beside_streaming_other_domain", Beside::Streaming(MemSyncDomain::Remote)),
    ];
    for (fence, kind) in [("no_fence", 0), ("fence_device", 1), ("fence_system", 2)] {
        for (case, beside) in cases {
            let mut rounds = Vec::new();
            for _ in 0..7 {
                rounds.push(experiment.run(device, kind, beside)?);
            }
            rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (cycles, covered) = rounds[rounds.len() / 2];
            println!("ours {fence}_{case} {cycles:.1} cycles");
            println!("ours {fence}_{case}_overlap {covered:.3} of_the_time");
        }
    }
    Ok(())
}
