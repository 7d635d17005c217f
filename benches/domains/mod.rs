//! Memory synchronization domains: what a fence of one kernel costs beside another that streams stores to
//! host memory, to this GPU's memory or to another GPU's, in the same domain and in others.
//!
//! The two kernels stand on two streams, use no memory in common, and have a few blocks each, so that they
//! run beside each other; which part of the fences' time the stores covered is printed too.

use warpsmith::host_memory::{Pinned, PinnedBuffer};
use warpsmith::prelude::*;
use warpsmith::{PartMut, Stream};

/// Words that are streamed to, over and over.
const WORDS: usize = 1 << 24;
/// Blocks and threads that fence.
const BLOCKS: u32 = 16;
const THREADS: u32 = 32;
/// Fences of a thread.
pub const FENCES: u64 = 100;
/// How long the fencing kernel lets the other fill its queues, in nanoseconds.
const DELAY: u64 = 2_000_000;
/// How long the streaming kernel streams, in nanoseconds.
const STREAMING: u64 = 30_000_000;
/// Runs of each case, of which the median is printed.
const ROUNDS: usize = 5;

/// Writes memory until this number of nanoseconds has passed.
#[gpu_kernel]
fn stream_out(target: &mut [u64], times: &mut [u64], nanoseconds: u64) {
    let start = global_timer();
    let mut round = 0u64;
    while global_timer() - start < nanoseconds {
        for i in (global_id()..target.len()).step_by(global_size() * 64) {
            store_streaming(&mut target[i], round);
        }
        round += 1;
    }
    if global_id() == 0 {
        times[0] = start;
        times[1] = global_timer();
    }
}

/// Cycles of a store to device memory and what `kind` says after it: 0 nothing, 1 a fence for the
/// block, 2 one for the device, 3 one for the system.
#[gpu_kernel]
fn fences(
    scratch: &mut [u64],
    cycles: &mut [u64],
    times: &mut [u64],
    delay: u64,
    count: u64,
    #[comptime] kind: u32,
) {
    let i = global_id();
    let start = global_timer();
    while global_timer() - start < delay {}
    let began = global_timer();
    let mut sum = 0u64;
    for k in 0..count {
        let before = clock();
        volatile_store(&mut scratch[i], k);
        if kind == 1 {
            fence_block();
        } else if kind == 2 {
            fence_device();
        } else if kind == 3 {
            fence_system();
        }
        sum += clock() - before;
    }
    cycles[i] = sum;
    if i == 0 {
        times[0] = began;
        times[1] = global_timer();
    }
}

/// The fences, by what the kernel calls them.
pub const KINDS: [(&str, u32); 4] =
    [("no_fence", 0), ("fence_block", 1), ("fence_device", 2), ("fence_system", 3)];

/// A kernel that fences, on a stream of its own.
pub struct Fencing {
    pub stream: Stream,
    scratch: Buffer<u64>,
    cycles: Buffer<u64>,
    times: Buffer<u64>,
}

impl Fencing {
    pub fn new(device: &Device) -> warpsmith::Result<Self> {
        let threads = (BLOCKS * THREADS) as usize;
        Ok(Self {
            stream: device.stream()?,
            scratch: device.alloc_zeroed(threads)?,
            cycles: device.alloc_zeroed(threads)?,
            times: device.alloc_zeroed(2)?,
        })
    }

    /// Queues the kernel, in the default domain.
    pub fn launch(&mut self, device: &Device, kind: u32) -> warpsmith::Result<()> {
        let (scratch, cycles, times) = (&mut self.scratch, &mut self.cycles, &mut self.times);
        let launch = fences(scratch, cycles, times, DELAY, FENCES, kind).grid(BLOCKS).block(THREADS);
        launch.mem_sync_domain(MemSyncDomain::Default).on(&self.stream).launch(device)
    }

    /// Median cycles of a store and its fence, and when the fences began and ended, in nanoseconds.
    pub fn result(&self, device: &Device) -> warpsmith::Result<(f64, [u64; 2])> {
        let mut cycles = device.download(&self.cycles)?;
        cycles.sort_unstable();
        let times = device.download(&self.times)?;
        Ok((cycles[cycles.len() / 2] as f64 / FENCES as f64, [times[0], times[1]]))
    }
}

/// The memory that the streaming kernel writes.
enum Target {
    Host(PinnedBuffer<u64>),
    Device(Buffer<u64>),
}

impl Target {
    fn part(&mut self) -> PartMut<'_, u64> {
        match self {
            Target::Host(memory) => memory.part_mut(),
            Target::Device(memory) => PartMut::from(memory),
        }
    }
}

/// A kernel that streams, on a stream of its own.
struct Streaming {
    stream: Stream,
    target: Target,
    times: Buffer<u64>,
}

impl Streaming {
    fn new(device: &Device, target: Target) -> warpsmith::Result<Self> {
        Ok(Self { stream: device.stream()?, target, times: device.alloc_zeroed(2)? })
    }

    fn launch(&mut self, device: &Device, blocks: u32, domain: &Domain) -> warpsmith::Result<()> {
        let launch = stream_out(self.target.part(), &mut self.times, STREAMING).grid(blocks).block(256);
        let [default, remote] = domain.map;
        launch
            .mem_sync_domain(domain.logical)
            .mem_sync_domain_map(default, remote)
            .on(&self.stream)
            .launch(device)
    }
}

/// The domain of the streaming kernel; the fencing kernel is in physical domain 0.
struct Domain {
    name: &'static str,
    logical: MemSyncDomain,
    map: [u8; 2],
}

const DOMAINS: [Domain; 4] = [
    Domain { name: "same_domain", logical: MemSyncDomain::Default, map: [0, 1] },
    Domain { name: "remote_domain", logical: MemSyncDomain::Remote, map: [0, 1] },
    Domain { name: "remote_mapped_to_0", logical: MemSyncDomain::Remote, map: [0, 0] },
    Domain { name: "remote_mapped_to_3", logical: MemSyncDomain::Remote, map: [0, 3] },
];

/// The middle of some runs: cycles of a fence, and which part of its time was covered.
pub fn median(mut rounds: Vec<(f64, f64)>) -> (f64, f64) {
    rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
    rounds[rounds.len() / 2]
}

/// Which part of `of` the other interval covers.
pub fn covered(of: [u64; 2], by: [u64; 2]) -> f64 {
    let common = of[1].min(by[1]).saturating_sub(of[0].max(by[0]));
    common as f64 / of[1].saturating_sub(of[0]).max(1) as f64
}

/// Prints the cycles of each fence alone.
fn alone(device: &Device, fencing: &mut Fencing) -> warpsmith::Result<()> {
    for (fence, kind) in KINDS {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            fencing.launch(device, kind)?;
            rounds.push((fencing.result(device)?.0, 0.0));
        }
        println!("figure domains_{fence}_alone {:.1} cycles", median(rounds).0);
    }
    Ok(())
}

/// Prints the cycles of each fence beside stores to a target, in every domain.
fn beside(device: &Device, fencing: &mut Fencing, name: &str, target: Target) -> warpsmith::Result<()> {
    let mut streaming = Streaming::new(device, target)?;
    for blocks in [1, 16] {
        for (fence, kind) in KINDS {
            for domain in &DOMAINS {
                let mut rounds = Vec::new();
                for _ in 0..ROUNDS {
                    streaming.launch(device, blocks, domain)?;
                    fencing.launch(device, kind)?;
                    let (cycles, fenced) = fencing.result(device)?;
                    let streamed = device.download(&streaming.times)?;
                    rounds.push((cycles, covered(fenced, [streamed[0], streamed[1]])));
                }
                let (cycles, covered) = median(rounds);
                let case = format!("{fence}_beside_{blocks}_blocks_to_{name}_{}", domain.name);
                println!("figure domains_{case} {cycles:.1} cycles {covered:.3} covered");
            }
        }
    }
    Ok(())
}

/// The experiment: stores to the memory of a peer, or without one to mapped host memory, and as a control to
/// the device's own.
pub fn run(device: &Device, peer: Option<&Device>) -> warpsmith::Result<()> {
    let Some(mut fencing) = prepared(device)? else { return Ok(()) };
    if let Some(peer) = peer {
        return beside(device, &mut fencing, "peer_memory", Target::Device(peer.alloc_zeroed(WORDS)?));
    }
    beside(device, &mut fencing, "own_memory", Target::Device(device.alloc_zeroed(WORDS)?))?;
    let host = device.alloc_pinned(WORDS, Pinned { portable: true, write_combined: false })?;
    beside(device, &mut fencing, "host_memory", Target::Host(host))
}

/// The fencing kernel, once its cost alone is printed; `None` on a device of one domain.
fn prepared(device: &Device) -> warpsmith::Result<Option<Fencing>> {
    let domains = device.limits().mem_sync_domains;
    println!("figure mem_sync_domains {domains} domains");
    if domains < 4 {
        println!("skipped: the device has fewer than four memory synchronization domains");
        return Ok(None);
    }
    let mut fencing = Fencing::new(device)?;
    alone(device, &mut fencing)?;
    Ok(Some(fencing))
}
