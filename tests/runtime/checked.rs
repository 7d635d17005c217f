//! The checks of a GPU on request: they find the same as the simulator, at the same lines.

use corpus::cases::{self, Scale};
use warpsmith::Error;
use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::launch::{GpuChecks, LaunchError};
use warpsmith::nvrtc::Arch;
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

/// The simulator's interpreter, and a GPU that checks as it does.
pub(super) fn devices() -> Vec<Device> {
    let settings = Settings { executor: Executor::Interpreter, ..Settings::default() };
    let gpu = harness::gpu().map(|gpu| gpu.with_gpu_checks(GpuChecks::ALL));
    [Device::simulator_with(settings)].into_iter().chain(gpu).collect()
}

/// Launches on each device: the fault there is at this line, of this thread, and says this.
#[track_caller]
pub(super) fn finds<K>(
    line: u32,
    thread: u32,
    says: &str,
    run: impl for<'a> Fn(&'a Device) -> warpsmith::Result<()>,
) where
    K: Kernel<Comptime = ()>,
{
    compiles::<K>();
    let file = std::panic::Location::caller().file();
    for device in devices() {
        let fault = run(&device).and_then(|()| device.synchronize()).expect_err(device.name());
        let message = fault.to_string();
        assert!(message.contains(says), "on {}: {message}", device.name());
        let place = format!("{file}:{line}");
        assert!(message.contains(&place), "on {}, not at {place}: {message}", device.name());
        if let Error::Launch(LaunchError::Fault { line: at, thread: of, .. }) = fault {
            assert_eq!((at, of), (line, [thread, 0, 0]));
        }
    }
}

/// Launches on each device without a fault; what was written there.
pub(super) fn runs<K>(out: &[u32], run: impl Fn(&Device, &mut Buffer<u32>) -> warpsmith::Result<()>)
where
    K: Kernel<Comptime = ()>,
{
    compiles::<K>();
    for device in devices() {
        let mut y = device.alloc_zeroed::<u32>(out.len()).expect("memory");
        run(&device, &mut y).expect("the launch is right");
        assert_eq!(device.download(&y).expect("no fault"), out, "on {}", device.name());
    }
}

/// The checked CUDA compiles without a warning.
pub(super) fn compiles<K: Kernel<Comptime = ()>>() {
    let options = PrintOptions { checks: Checks::Also(GpuChecks::ALL), line_directives: false };
    let source = K::print(&(), &options).expect("it prints");
    harness::compiles_for(K::NAME, &source.code, &[Arch { major: 9, minor: 0, specific: true }]);
}

const CAST: u32 = line!() + 6;

#[gpu_kernel]
fn pair_by_pointer(x: &[u32], y: &mut [u32], first: u32) {
    let i = thread_idx().x;
    // SAFETY: within `x`; the alignment is what the test is about.
    let pair = unsafe { x.as_ptr().add(first as usize).cast::<u64>().read() };
    y[i] = pair as u32;
}

#[test]
fn a_raw_pointer_must_be_aligned_for_what_is_read() {
    finds::<pair_by_pointer>(CAST, 0, "4 bytes beyond a multiple of 8", |device| {
        let (x, mut y) = (device.upload(&[1u32; 8])?, device.alloc_zeroed::<u32>(1)?);
        pair_by_pointer(&x, &mut y, 1).grid(1).block(1).launch(device)
    });
    runs::<pair_by_pointer>(&[3], |device, y| {
        let x = device.upload(&[1u32, 2, 3, 4])?;
        pair_by_pointer(&x, y, 2).grid(1).block(1).launch(device)
    });
}

/// Sixteen bytes that are aligned to four.
#[derive(Clone, Copy, GpuType)]
#[gpu(AnyBits)]
#[repr(C)]
struct Four {
    a: u32,
    b: u32,
    c: u32,
    d: u32,
}

const COPY: u32 = line!() + 7;

#[gpu_kernel]
fn staged_fours(x: &[u32], y: &mut [u32], first: u32) {
    let mut tile = shared!([Four; 8]);
    let t = thread_idx().x;
    let fours = &x[first as usize..];
    copy_async(&mut tile[t], &fours.reinterpret::<Four>()[t]);
    copy_async_commit();
    copy_async_wait::<0>();
    y[t] = tile[t].d;
}

#[test]
fn an_asynchronous_copy_needs_the_alignment_of_its_size() {
    finds::<staged_fours>(COPY, 0, "16", |device| {
        let (x, mut y) = (device.upload(&[1u32; 8])?, device.alloc_zeroed::<u32>(1)?);
        staged_fours(&x, &mut y, 1).grid(1).block(1).launch(device)
    });
    let x: Vec<u32> = (0..36).collect();
    runs::<staged_fours>(&[7, 11, 15, 19, 23, 27, 31, 35], |device, y| {
        staged_fours(&device.upload(&x)?, y, 4).grid(1).block(8).launch(device)
    });
}

const EARLY: u32 = line!() + 10;

#[gpu_kernel]
fn reversed(y: &mut [u32], filled: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    if t < filled {
        tile[t] = t;
    }
    sync_threads();
    y[t] = tile[63 - t];
}

#[test]
fn a_shared_array_is_written_before_it_is_read() {
    let says = "a read of 4 bytes of shared memory finds byte 0 of them unwritten";
    finds::<reversed>(EARLY, 0, says, |device| {
        let mut y = device.alloc_zeroed::<u32>(64)?;
        reversed(&mut y, 63).grid(1).block(64).launch(device)
    });
    let backwards: Vec<u32> = (0..64).rev().collect();
    runs::<reversed>(&backwards, |device, y| reversed(y, 64).grid(1).block(64).launch(device));
}

const HALF: u32 = line!() + 10;

#[gpu_kernel]
fn half_written(y: &mut [u32]) {
    let mut memory = dynamic_shared::<u32>();
    let t = thread_idx().x;
    y[32 + t] = memory.len() as u32;
    let halves = memory.reinterpret_mut::<u16>();
    halves[2 * t] = 1;
    sync_threads();
    y[t] = memory[t];
}

#[test]
fn dynamic_shared_memory_is_known_byte_by_byte_and_keeps_its_length() {
    let says = "finds byte 2 of them unwritten";
    finds::<half_written>(HALF, 0, says, |device| {
        let mut y = device.alloc_zeroed::<u32>(64)?;
        half_written(&mut y).grid(1).block(1).dynamic_shared(128).launch(device)
    });
}

#[gpu_kernel]
fn lengths(y: &mut [u32]) {
    let mut memory = dynamic_shared::<u32>();
    let (t, len) = (thread_idx().x, memory.len());
    memory[t] = len as u32;
    y[t] = memory[t];
}

#[test]
fn dynamic_shared_memory_has_the_length_that_was_asked_for() {
    runs::<lengths>(&[48; 32], |device, y| lengths(y).grid(1).block(32).dynamic_shared(192).launch(device));
    // More than 48 KiB with what the checks take.
    runs::<lengths>(&[8192; 32], |device, y| {
        lengths(y).grid(1).block(32).dynamic_shared(32 << 10).launch(device)
    });
}

const COUNT: u32 = line!() + 9;

#[gpu_kernel]
fn counted(y: &mut [u32], cleared: u32) {
    let mut count = shared!([u32; 1]);
    if thread_idx().x < cleared {
        atomic_block(&mut count[0]).store(0, Ordering::Relaxed);
    }
    sync_threads();
    atomic_block(&mut count[0]).fetch_add(1, Ordering::Relaxed);
    sync_threads();
    y[thread_idx().x] = atomic_block(&mut count[0]).load(Ordering::Relaxed);
}

#[test]
fn atomics_read_and_write_shared_memory() {
    finds::<counted>(COUNT, 0, "of shared memory finds byte 0 of them unwritten", |device| {
        let mut y = device.alloc_zeroed::<u32>(1)?;
        counted(&mut y, 0).grid(1).block(1).launch(device)
    });
    runs::<counted>(&[40; 40], |device, y| counted(y, 1).grid(1).block(40).launch(device));
}

const NEXT: u32 = line!() + 12;

#[gpu_kernel]
fn passed_on(y: &mut [u32], writes: u32) {
    let mut own = shared!([u32; 32]);
    let (t, rank) = (thread_idx().x, cluster_block_rank());
    let mut next = map_shared_rank(&mut own, (rank + 1) % cluster_size());
    if rank < writes {
        next[t] = 100 * rank + t;
    }
    cluster_sync();
    if rank == 1 {
        let sum = own[t];
        y[t] = sum;
    }
    cluster_sync();
}

#[test]
fn a_block_of_a_cluster_writes_the_shared_memory_of_another() {
    finds::<passed_on>(NEXT, 0, "of shared memory finds byte 0 of them unwritten", |device| {
        let mut y = device.alloc_zeroed::<u32>(1)?;
        passed_on(&mut y, 0).grid(2).block(1).cluster(2).launch(device)
    });
    let own: Vec<u32> = (0..32).collect();
    runs::<passed_on>(&own, |device, y| passed_on(y, 1).grid(2).block(32).cluster(2).launch(device));
}

const UNWRITTEN: u32 = line!() + 6;

#[gpu_kernel]
fn copied(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i < x.len() && i < y.len() {
        y[i] = x[i];
    }
}

#[test]
fn memory_that_is_not_zeroed_is_written_before_it_is_read() {
    for device in devices() {
        let mut x = device.alloc_uninit::<u32>(8).expect("memory");
        let mut y = device.alloc_uninit::<u32>(8).expect("memory");
        let four = device.upload(&[1u32, 2, 3, 4]).expect("memory");
        let stream = device.stream().expect("a stream");
        stream.copy(&four, x.slice_mut(..4).expect("within")).expect("a copy");
        copied(&x, y.slice_mut(..4).expect("within")).over(4).launch(&device).expect("written by the host");
        assert_eq!([&x, &y].map(|of| device.first_unwritten(of)), [Ok(Some(4)), Ok(Some(4))]);
        device.synchronize().expect("no fault");
        let fault = copied(&x, &mut y).over(8).block(32).launch(&device).and_then(|()| device.synchronize());
        let message = fault.expect_err(device.name()).to_string();
        assert!(message.contains("a read of 4 bytes of global memory"), "{message}");
        assert!(message.contains("finds byte 0 of them unwritten"), "{message}");
        assert!(message.contains(&format!("{}:{UNWRITTEN}", file!())), "{message}");

        // A copy of unwritten bytes writes nothing; bytes that the kernel wrote, another may read.
        let mut z = device.upload(&[7u32; 8]).expect("memory");
        let mut w = device.alloc_uninit::<u32>(8).expect("memory");
        stream.copy(&x, &mut w).expect("a copy");
        copied(&w, &mut z)
            .over(8)
            .launch(&device)
            .and_then(|()| device.synchronize())
            .expect_err("half of it");
        copied(y.slice(..4).expect("within"), &mut z).over(4).launch(&device).expect("written by a kernel");
        device.write(&mut x, &[9; 8]).expect("a copy");
        copied(&x, &mut z).over(8).launch(&device).expect("written by the host");
        assert_eq!(device.download(&z), Ok(vec![9; 8]), "on {}", device.name());
    }
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_kernel_that_does_not_check_counts_as_writing_all_that_it_may() {
    let gpu = harness::needs_gpu();
    let gpu = gpu.with_gpu_checks(GpuChecks::ALL);
    let x = gpu.upload(&[5u32; 8]).expect("memory");
    let mut y = gpu.alloc_uninit::<u32>(8).expect("memory");
    let mut z = gpu.alloc_uninit::<u32>(8).expect("memory");
    copied(&x, &mut y).over(8).gpu_checks(GpuChecks::NONE).launch(&gpu).expect("a launch");
    copied(&y, &mut z).over(8).launch(&gpu).expect("a launch");
    assert_eq!(gpu.download(&z), Ok(vec![5; 8]));
    // Freed and allocated anew, it is unwritten again.
    drop((y, z));
    let mut again = gpu.alloc_zeroed::<u32>(8).expect("memory");
    let fresh = gpu.alloc_uninit::<u32>(8).expect("memory");
    copied(&fresh, &mut again).over(8).launch(&gpu).expect("the launch itself is right");
    gpu.synchronize().expect_err("nobody wrote it");
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn no_kernel_of_the_corpus_has_a_fault_with_all_checks() {
    let gpu = harness::needs_gpu();
    let all = gpu.clone().with_gpu_checks(GpuChecks::ALL);
    let alignment = gpu.with_gpu_checks(GpuChecks { initialisation: false, ..GpuChecks::ALL });
    let (mut failures, mut without_room) = (Vec::new(), Vec::new());
    for case in cases::all() {
        // These take the shared memory of a whole multiprocessor themselves.
        let takes_all = case.name.starts_with("gemm_sm90");
        let outcome = (case.check)(if takes_all { &alignment } else { &all }, Scale::Small);
        failures.extend(outcome.err().map(|e| format!("{}: {e}", case.name)));
        if takes_all {
            let refused = (case.check)(&all, Scale::Small).expect_err("no room for the record").to_string();
            assert!(refused.contains("launch it without that check"), "{refused}");
            without_room.push(case.name);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(without_room, ["gemm_sm90", "gemm_sm90@nn"]);
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn too_much_shared_memory_for_the_checks_says_so() {
    let gpu = harness::needs_gpu();
    let mut y = gpu.alloc_zeroed::<u32>(32).expect("memory");
    let most = gpu.limits().shared_opt_in;
    let unchecked = lengths(&mut y).grid(1).block(32).dynamic_shared(most).gpu_checks(GpuChecks::NONE);
    unchecked.launch(&gpu).expect("all of it");
    let checked = lengths(&mut y).grid(1).block(32).dynamic_shared(most).gpu_checks(GpuChecks::ALL);
    let refused = checked.launch(&gpu).expect_err("none is left").to_string();
    assert!(refused.contains("in which `GpuChecks::initialisation` keeps what is written"), "{refused}");
}

#[test]
fn what_is_off_leaves_no_trace() {
    for case in cases::all() {
        let print =
            |checks| (case.print)(&PrintOptions { checks, line_directives: false }).expect("it prints").code;
        assert_eq!(print(Checks::Also(GpuChecks::NONE)), print(Checks::All), "{}", case.name);
    }
}
