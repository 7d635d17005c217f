//! Functions with a device body that say what they touch, and those that do not.

use warpsmith::Result;
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings, SimFault};

#[gpu_fn(cuda = "return *p;", reads(p))]
unsafe fn load(p: *const u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { *p }
}

#[gpu_fn(cuda = "return p[0] + p[n - 1];", reads(p[..n]))]
unsafe fn ends(p: *const u32, n: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { *p + *p.add(n as usize - 1) }
}

#[gpu_fn(cuda = "p[i] = v;", writes(p[i]))]
unsafe fn store(p: *mut u32, i: u32, v: u32) {
    // SAFETY: the caller's.
    unsafe { *p.add(i as usize) = v };
}

#[gpu_fn(cuda = "*to = *from;", reads(from), writes(to))]
fn copy(to: &mut u32, from: &u32) {
    *to = *from;
}

#[gpu_fn(cuda = "*p = v;")]
unsafe fn store_unsaid(p: *mut u32, v: u32) {
    // SAFETY: the caller's.
    unsafe { *p = v };
}

#[gpu_kernel]
fn tiles(y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    let mut sum = 0;
    for k in 0..2 {
        let place = &mut tile[t];
        match how {
            2 | 12 => unsafe { store(place as *mut u32, 0, t + k) },
            3 | 13 => copy(place, &(t + k)),
            _ => *place = t + k,
        }
        sync_threads();
        let from = &tile[63 - t];
        sum += match how {
            0 | 10 => unsafe { load(from as *const u32) },
            1 | 11 => unsafe { ends(&tile[t & 32] as *const u32, 32) },
            _ => *from,
        };
        if how >= 10 {
            sync_threads();
        }
    }
    y[t] = sum;
}

fn launch(settings: Settings, how: u32) -> Result<()> {
    let device = Device::simulator_with(settings);
    tiles(&mut device.alloc_zeroed::<u32>(64)?, how).grid(1).block(64).launch(&device)
}

fn fault(outcome: Result<()>) -> SimFault {
    match outcome {
        Err(warpsmith::Error::Simulator(fault)) => *fault,
        other => panic!("no fault: {other:?}"),
    }
}

#[test]
fn what_a_function_says_that_it_touches_is_checked_for_races() -> Result<()> {
    for how in 0..4 {
        for seed in [0, 1, 7] {
            let found = fault(launch(Settings { seed, ..Settings::default() }, how));
            assert!(matches!(found.found(), SimFault::DataRace(_)), "{how}: {found}");
            launch(Settings { seed, ..Settings::default() }, 10 + how)?;
        }
    }
    Ok(())
}

#[gpu_kernel]
fn unwritten(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 4]);
    let p = (&mut tile[0]) as *mut u32;
    // SAFETY: elements of the tile and of the slices.
    unsafe {
        match how {
            0 => y[0] = load(p),
            1 => {
                store(p, 1, 7);
                y[0] = ends(p, 2);
            }
            2 => y[0] = load(x.as_ptr()),
            3 => {
                store(p, 1, 7);
                y[0] = tile[1];
            }
            4 => {
                store_unsaid(p.add(2), 7);
                y[0] = tile[2];
            }
            5 => {
                store_unsaid(x.as_mut_ptr(), 7);
                y[0] = x[0];
            }
            _ => {
                store(x.as_mut_ptr(), 2, 7);
                y[0] = x[2];
            }
        }
    }
}

#[test]
fn what_it_reads_must_be_written_and_what_it_writes_is() -> Result<()> {
    let run = |how| {
        let device =
            Device::simulator_with(Settings { executor: Executor::Interpreter, ..Settings::default() });
        let (mut x, mut y) = (device.alloc_uninit::<u32>(4)?, device.alloc_zeroed::<u32>(1)?);
        unwritten(&mut x, &mut y, how).grid(1).block(1).launch(&device)?;
        Ok(device.download(&y)?[0])
    };
    for how in 0..3 {
        let found = fault(run(how).map(|_| ()));
        assert!(matches!(found, SimFault::Uninitialised { .. }), "{how}: {found}");
    }
    (3..7).try_for_each(|how| run(how).map(|value| assert_eq!(value, 7, "{how}")))
}
