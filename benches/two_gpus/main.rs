//! Two GPUs of one host: fences of our kernel, in the default memory synchronization domain, beside stores
//! to the other GPU's memory and beside NCCL's all-reduce, which NCCL launches in the remote domain, unless
//! `NCCL_MEM_SYNC_DOMAIN=0`; the map of NCCL's stream says which physical domain that is.
//!
//! Prints `figure NAME VALUE UNIT` lines; `two_gpus.sh` finds NCCL and runs it. The sums are checked.

#[path = "../domains/mod.rs"]
mod domains;

use cudarc::driver::CudaSlice;
use cudarc::nccl::result::NcclError;
use cudarc::nccl::safe::{Comm, ReduceOp, group_end, group_start};
use domains::{Fencing, KINDS, covered, median};
use warpsmith::prelude::*;
use warpsmith::{Error, Event, Stream, driver::DriverError};

/// Elements of the all-reduce: 256 MiB.
const N: usize = 1 << 26;
/// All-reduces that are queued behind each other.
const REPEATS: usize = 40;
/// Runs of each case, of which the median is printed.
const ROUNDS: usize = 7;
/// The physical domains of NCCL's stream for the logical domains default and remote.
const MAPS: [(&str, [u8; 2]); 3] =
    [("remote_in_1", [0, 1]), ("remote_in_0", [0, 0]), ("remote_in_3", [0, 3])];

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome {
    // SAFETY: no other thread runs yet. Multicast over NVLink is switched off: where the machine's GPUs are
    // shared with others, it can put them out of service.
    unsafe { std::env::set_var("NCCL_NVLS_ENABLE", "0") };
    let Some([first, second]) = two()? else { return Ok(()) };
    println!("device {} and {}", first.name(), second.name());
    if first.can_access_peer(&second)? {
        first.enable_peer_access(&second)?;
        println!("figure peer_atomics {} native", u8::from(first.has_peer_atomics(&second)?));
        domains::run(&first, Some(&second))?;
    } else {
        println!("skipped: the GPUs do not reach each other");
    }
    // SAFETY: opens and closes the library by name; its initialisers are NVIDIA's.
    if !unsafe { cudarc::nccl::sys::is_culib_present() } {
        println!("skipped: libnccl.so is not on the library path; benches/two_gpus.sh finds it");
        return Ok(());
    }
    beside_nccl(&first, &second)
}

fn two() -> Outcome<Option<[Device; 2]>> {
    match (Device::gpu(0), Device::gpu(1)) {
        (Ok(first), Ok(second)) => Ok(Some([first, second])),
        (Err(missing @ Error::Driver(DriverError::Missing | DriverError::NoDevice { .. })), _)
        | (_, Err(missing @ Error::Driver(DriverError::NoDevice { .. }))) => {
            println!("skipped: {missing}");
            Ok(None)
        }
        (Err(error), _) | (_, Err(error)) => Err(error.into()),
    }
}

/// One GPU's side of the all-reduce.
struct Rank {
    device: Device,
    stream: Stream,
    comm: Comm,
    input: CudaSlice<f32>,
    sums: CudaSlice<f32>,
}

fn nccl(call: &'static str) -> impl Fn(NcclError) -> String {
    move |error| format!("{call}: {:?}", error.0)
}

/// Small integers, whose sums are exact.
fn element(rank: usize, i: usize) -> f32 {
    ((i + 1) * (rank + 3) % 1021) as f32
}

fn ranks(devices: [&Device; 2]) -> Outcome<Vec<Rank>> {
    let streams = devices.iter().map(|device| device.stream()).collect::<Result<Vec<_>, _>>()?;
    let handles = streams.iter().filter_map(|stream| stream.as_cuda().cloned()).collect();
    let comms = Comm::from_devices(handles).map_err(nccl("ncclCommInitAll"))?;
    let version = cudarc::nccl::result::get_nccl_version().map_err(nccl("ncclGetVersion"))?;
    println!("figure nccl_version {version} number");
    let mut ranks = Vec::new();
    for (rank, ((stream, comm), device)) in streams.into_iter().zip(comms).zip(devices).enumerate() {
        let elements: Vec<f32> = (0..N).map(|i| element(rank, i)).collect();
        let (input, sums) = (comm.stream().clone_htod(&elements)?, comm.stream().alloc_zeros(N)?);
        ranks.push(Rank { device: device.clone(), stream, comm, input, sums });
    }
    Ok(ranks)
}

/// Queues all-reduces on both GPUs; the events stand before and after those of the first.
fn reduce(ranks: &mut [Rank]) -> Outcome<[Event; 2]> {
    let start = ranks[0].stream.record()?;
    for _ in 0..REPEATS {
        group_start().map_err(nccl("ncclGroupStart"))?;
        for rank in ranks.iter_mut() {
            let reduced = rank.comm.all_reduce(&rank.input, &mut rank.sums, &ReduceOp::Sum);
            reduced.map_err(nccl("ncclAllReduce"))?;
        }
        group_end().map_err(nccl("ncclGroupEnd"))?;
    }
    Ok([start, ranks[0].stream.record()?])
}

fn check(ranks: &[Rank]) -> Outcome {
    for rank in ranks {
        let sums = rank.comm.stream().clone_dtoh(&rank.sums)?;
        let wrong = (0..N).find(|i| sums[*i] != element(0, *i) + element(1, *i));
        if let Some(i) = wrong {
            return Err(format!("the all-reduce is wrong at {i}: {}", sums[i]).into());
        }
    }
    println!("figure all_reduce_right {N} elements");
    Ok(())
}

/// The fences' cycles beside the all-reduces, and which part of their kernel's time those covered.
fn round(ranks: &mut [Rank], fencing: &mut Fencing, kind: u32) -> Outcome<(f64, f64)> {
    let device = ranks[0].device.clone();
    let zero = fencing.stream.record()?;
    let reducing = reduce(ranks)?;
    let start = fencing.stream.record()?;
    fencing.launch(&device, kind)?;
    let end = fencing.stream.record()?;
    let (cycles, _) = fencing.result(&device)?;
    let at = |event: &Event| Ok::<u64, Error>(zero.elapsed(event)?.as_nanos() as u64);
    let covered = covered([at(&start)?, at(&end)?], [at(&reducing[0])?, at(&reducing[1])?]);
    for rank in ranks.iter() {
        rank.stream.synchronize()?;
    }
    Ok((cycles, covered))
}

fn beside_nccl(first: &Device, second: &Device) -> Outcome {
    let mut ranks = ranks([first, second])?;
    let mut fencing = Fencing::new(first)?;
    // Everything is loaded and warm before anything is timed.
    for (_, kind) in KINDS {
        fencing.launch(first, kind)?;
    }
    let [start, end] = reduce(&mut ranks)?;
    let seconds = start.elapsed(&end)?.as_secs_f64();
    check(&ranks)?;
    let [start, end] = reduce(&mut ranks)?;
    println!("figure all_reduces_first {:.3} ms", seconds * 1e3);
    println!("figure all_reduces_alone {:.3} ms", start.elapsed(&end)?.as_secs_f64() * 1e3);
    for (map, [default, remote]) in MAPS {
        for rank in &ranks {
            rank.stream.set_mem_sync_domain_map(default, remote)?;
            assert_eq!(rank.stream.mem_sync_domain_map()?, [default, remote]);
        }
        for (fence, kind) in KINDS {
            let rounds = (0..ROUNDS).map(|_| round(&mut ranks, &mut fencing, kind));
            let (cycles, covered) = median(rounds.collect::<Outcome<Vec<_>>>()?);
            println!("figure nccl_{fence}_{map} {cycles:.1} cycles {covered:.3} covered");
        }
    }
    check(&ranks)
}
