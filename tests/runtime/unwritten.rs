//! Unwritten memory: the reads that are allowed, and the operations that write it.

use corpus::vectors::fill;
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings, SimFault, UnwrittenMemory};
use warpsmith::{Error, Pitched2, driver::DriverError};

#[gpu_kernel]
fn shifted(x: &[u32], y: &mut [u32], by: u32) {
    let i = global_id();
    if i < y.len() {
        y[i] = x[i + by as usize];
    }
}
const READ: u32 = line!() - 3;

#[gpu_kernel]
fn count(y: &mut [u32]) {
    atomic(&mut y[0]).fetch_add(1, Ordering::Relaxed);
}

#[gpu_kernel]
fn store(y: &mut [u32]) {
    atomic(&mut y[global_id()]).store(7, Ordering::Relaxed);
}

#[gpu_kernel]
fn low_halves(x: &mut [u32]) {
    let i = global_id();
    let len = x.len();
    let halves = x.reinterpret_mut::<u16>();
    if i < len {
        halves[2 * i] = 1;
    }
}

#[gpu_kernel]
fn fill_view(mut y: ViewMut2<'_, u32>) {
    let (row, col) = (block_idx().x as usize, thread_idx().x as usize);
    if row < y.rows() && col < y.cols() {
        y[(row, col)] = 3;
    }
}

#[gpu_kernel]
fn add_views(x: View2<'_, u32>, mut y: ViewMut2<'_, u32>) {
    let (row, col) = (block_idx().x as usize, thread_idx().x as usize);
    if row < y.rows() && col < y.cols() {
        y[(row, col)] = x[(row, col)] + 1;
    }
}

#[gpu_kernel]
fn staged(x: &[u32], y: &mut [u32]) {
    let mut tile = shared!([u32; 32]);
    let t = thread_idx().x;
    copy_async(&mut tile[t], &x[t as usize]);
    copy_async_commit();
    copy_async_wait::<0>();
    y[t] = tile[t];
}

fn interpreter() -> Device {
    Device::simulator_with(Settings { executor: Executor::Interpreter, ..Settings::default() })
}

fn twin() -> Device {
    Device::simulator_with(Settings { executor: Executor::Twin, ..Settings::default() })
}

/// The fault of a read of unwritten memory.
#[track_caller]
fn unwritten(outcome: warpsmith::Result<()>) -> SimFault {
    match outcome {
        Err(Error::Simulator(fault)) if matches!(*fault, SimFault::Uninitialised { .. }) => *fault,
        other => panic!("no read of what nobody wrote, but {other:?}"),
    }
}

fn all_written(device: &Device, buffer: &Buffer<u32>) {
    assert_eq!(device.first_unwritten(buffer), Ok(None));
}

#[test]
fn a_read_of_what_nobody_wrote_names_the_line_the_thread_and_the_buffer() {
    let device = interpreter();
    let mut x = device.alloc_uninit::<u32>(8).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(4).expect("memory");
    let four = device.upload(&[1u32, 2, 3, 4]).expect("memory");
    let stream = device.stream().expect("a stream");
    stream.copy(&four, x.slice_mut(..4).expect("within")).expect("a copy");
    assert_eq!(device.first_unwritten(&x), Ok(Some(4)));
    shifted(&x, &mut y, 0).over(4).block(2).launch(&device).expect("the first four are written");
    let fault = unwritten(shifted(&x, &mut y, 2).over(4).block(2).launch(&device));
    let SimFault::Uninitialised { memory, bytes, byte, line, block, thread, .. } = &fault else {
        unreachable!()
    };
    assert_eq!(*memory, UnwrittenMemory::Global { buffer: Some("x".into()) });
    assert_eq!((*bytes, *byte, *line, *block, *thread), (4, 0, READ, [1, 0, 0], [0, 0, 0]));
    let message = fault.to_string();
    assert!(message.starts_with("a read of 4 bytes of global memory, of `x`, finds byte 0 "), "{message}");
    assert!(message.contains("or allocate it by `alloc_zeroed`"), "{message}");
}

#[test]
fn what_a_kernel_writes_the_next_one_may_read() {
    let device = interpreter();
    let mut x = device.alloc_uninit::<u32>(100).expect("memory");
    let mut y = device.alloc_uninit::<u32>(100).expect("memory");
    fill(x.slice_mut(..60).expect("within"), 5).over(60).launch(&device).expect("a launch");
    assert_eq!(device.first_unwritten(&x), Ok(Some(60)));
    shifted(&x, y.slice_mut(..60).expect("within"), 0).over(60).launch(&device).expect("all written");
    unwritten(shifted(&x, &mut y, 0).over(100).launch(&device));
    fill(x.slice_mut(60..).expect("within"), 6).over(40).launch(&device).expect("a launch");
    shifted(&x, &mut y, 0).over(100).launch(&device).expect("all written");
    all_written(&device, &y);
    assert_eq!(device.download(&y).expect("a copy")[59..61], [5, 6]);
}

#[test]
fn atomics_read_unless_they_only_store() {
    let device = interpreter();
    let mut x = device.alloc_uninit::<u32>(32).expect("memory");
    unwritten(count(&mut x).grid(1).block(32).launch(&device));
    store(&mut x).grid(1).block(32).launch(&device).expect("stores");
    count(&mut x).grid(1).block(32).launch(&device).expect("written");
    assert_eq!(device.download(&x).expect("a copy")[..2], [39, 7]);
}

#[test]
fn memory_is_written_byte_by_byte() {
    let device = interpreter();
    let mut x = device.alloc_uninit::<u32>(16).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(16).expect("memory");
    low_halves(&mut x).over(16).launch(&device).expect("stores");
    let fault = unwritten(shifted(&x, &mut y, 0).over(16).launch(&device));
    let SimFault::Uninitialised { bytes: 4, byte: 2, .. } = fault else { panic!("{fault}") };
}

#[test]
fn an_asynchronous_copy_reads() {
    let device = interpreter();
    let x = device.alloc_uninit::<u32>(32).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(32).expect("memory");
    let fault = unwritten(staged(&x, &mut y).grid(1).block(32).launch(&device));
    assert!(fault.to_string().contains("of `x`"), "{fault}");
}

#[test]
fn the_host_writes_and_copies_carry_what_nobody_wrote() {
    let device = interpreter();
    let stream = device.stream().expect("a stream");
    let mut x = device.alloc_uninit::<u32>(8).expect("memory");
    let mut y = device.alloc_zeroed::<u32>(8).expect("memory");
    stream.copy(x.slice(2..4).expect("within"), y.slice_mut(6..).expect("within")).expect("a copy");
    assert_eq!(device.first_unwritten(&y), Ok(Some(6)));
    device.write(&mut x, &[9; 8]).expect("a copy");
    all_written(&device, &x);
    stream.copy(&x, &mut y).expect("a copy");
    all_written(&device, &y);

    let unwritten = device.alloc_uninit::<u32>(8).expect("memory");
    let mut pinned = device.alloc_pinned::<u32>(8, Default::default()).expect("memory");
    stream.copy(&unwritten, &mut pinned).expect("a copy");
    stream.copy(&pinned, &mut y).expect("a copy");
    assert_eq!(device.first_unwritten(&y), Ok(Some(0)));
    pinned.host_mut().expect("the host's").fill(1);
    stream.copy(&pinned, &mut y).expect("a copy");
    all_written(&device, &y);
}

#[test]
fn boxes_and_views_keep_what_is_written() {
    let device = interpreter();
    let mut x = device.alloc_pitched_uninit::<u32>(4, 8).expect("memory");
    let mut y = device.alloc_pitched::<u32>(4, 8).expect("memory");
    x.part_mut(..2, ..4).expect("within").write(&[1; 8]).expect("a copy");
    let corner = |y: &mut Pitched2<u32>, rows: usize, cols: usize| {
        let mut part = device.alloc_zeroed::<u32>(rows * cols).expect("memory");
        let stream = device.stream().expect("a stream");
        let to = part.slice_mut(..).expect("all").volume(1, rows, cols).expect("all");
        stream.copy_box(y.part(..rows, ..cols).expect("within"), to).expect("a copy");
        device.first_unwritten(&part).expect("the simulator")
    };
    assert_eq!([corner(&mut x, 2, 4), corner(&mut x, 2, 5)], [None, Some(4)]);
    let fault = unwritten(add_views(x.view2(), y.view2_mut()).grid(4).block(8).launch(&device));
    assert!(fault.to_string().starts_with("a read of 4 bytes of global memory finds"), "{fault}");
    fill_view(x.view2_mut()).grid(4).block(8).launch(&device).expect("stores");
    add_views(x.view2(), y.view2_mut()).grid(4).block(8).launch(&device).expect("all written");
    let volume = device.alloc_pitched_3d_uninit::<u32>(2, 2, 3).expect("memory");
    assert_eq!(volume.part(.., .., ..).expect("all").extents(), [2, 2, 3]);
}

#[test]
fn what_nobody_watches_counts_as_writing_all_that_it_may() {
    let (device, twin) = (interpreter(), twin());
    let mut x = device.alloc_uninit::<u32>(8).expect("memory");
    let mut z = device.alloc_uninit::<u32>(8).expect("memory");
    fill(x.slice_mut(..4).expect("within"), 1).over(4).launch(&twin).expect("the twin");
    assert_eq!([&x, &z].map(|of| device.first_unwritten(of)), [Ok(Some(4)), Ok(Some(0))]);
    fill_view(z.view2_mut(2, 4).expect("as many")).grid(2).block(4).launch(&twin).expect("the twin");
    all_written(&device, &z);
}

#[test]
fn prepared_launches_keep_what_is_written() {
    let device = interpreter();
    let mut x = device.alloc_uninit::<u32>(8).expect("memory");
    let mut y = device.alloc_uninit::<u32>(8).expect("memory");
    let prepared = fill(&mut x, 0).over(8).prepare(&device).expect("prepared");
    all_unwritten(&device, &x);
    prepared.launch(fill(&mut y, 2)).expect("a launch");
    all_unwritten(&device, &x);
    all_written(&device, &y);
}

fn all_unwritten(device: &Device, buffer: &Buffer<u32>) {
    assert_eq!(device.first_unwritten(buffer), Ok(Some(0)));
}

#[test]
fn memory_that_nobody_wrote_is_visibly_not_zero_on_the_simulator() {
    let device = Device::simulator();
    let x = device.alloc_uninit::<u32>(3).expect("memory");
    assert_eq!(device.download(&x), Ok(vec![0xa5a5_a5a5; 3]));
    assert_eq!(device.alloc_uninit::<u64>(0).expect("no memory").len(), 0);
    let too_large = device.alloc_uninit::<u32>(usize::MAX).map(|_| ());
    assert_eq!(too_large, Err(DriverError::TooLarge { elements: usize::MAX }.into()));
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_gpu_writes_memory_that_nobody_wrote() {
    let gpu = harness::needs_gpu();
    let mut x = gpu.alloc_uninit::<u32>(1000).expect("memory");
    fill(&mut x, 5).over(1000).launch(&gpu).expect("a launch");
    assert_eq!(gpu.download(&x), Ok(vec![5; 1000]));
    let mut m = gpu.alloc_pitched_uninit::<u32>(3, 33).expect("memory");
    fill_view(m.view2_mut()).grid(3).block(33).launch(&gpu).expect("a launch");
    assert_eq!(m.to_vec(), Ok(vec![3; 99]));
    assert!(matches!(gpu.first_unwritten(&x), Err(Error::Driver(DriverError::Unavailable { .. }))));
}
