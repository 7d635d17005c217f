//! Kernels that do wrong, by the twin and by the interpreter: both say the same of what both check.

use warpsmith::Result;
use warpsmith::prelude::*;
use warpsmith::simulator::{
    BarrierProblem, Executor, MaskProblem, Missing, Misuse, RankProblem, Settings, SimFault,
};

/// The fault of a launch by both executors, which must be one.
pub(crate) fn alike(settings: Settings, launch: impl Fn(&Device) -> Result<()>) -> SimFault {
    let faults = [Executor::Twin, Executor::Interpreter].map(|executor| {
        let outcome = launch(&Device::simulator_with(Settings { executor, ..settings.clone() }));
        match outcome {
            Err(warpsmith::Error::Simulator(fault)) => *fault,
            other => panic!("no fault by {executor:?}: {other:?}"),
        }
    });
    let [twin, interpreter] = faults;
    assert_eq!(twin, interpreter, "\n{twin}\n{interpreter}");
    twin
}

/// The fault of a launch by the interpreter, which alone tells of every access.
pub(crate) fn alone(launch: impl Fn(&Device) -> Result<()>) -> SimFault {
    alone_with(Settings::default(), launch)
}

/// The same, with other settings.
pub(crate) fn alone_with(settings: Settings, launch: impl Fn(&Device) -> Result<()>) -> SimFault {
    let settings = Settings { executor: Executor::Interpreter, ..settings };
    match launch(&Device::simulator_with(settings)) {
        Err(warpsmith::Error::Simulator(fault)) => *fault,
        other => panic!("no fault: {other:?}"),
    }
}

/// The rule of GPUs before compute capability 7.0, which portable code keeps.
fn strict() -> Settings {
    Settings { returned_threads_pass: false, ..Settings::default() }
}

#[gpu_kernel(allow(divergent_barriers))]
#[allow(clippy::if_same_then_else, reason = "the same barrier at two places is the mistake")]
fn meetings(y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    match how {
        0 => {
            if t < 40 {
                sync_threads();
            }
        }
        1 => {
            if t < 40 {
                sync_threads();
            } else {
                sync_threads();
            }
        }
        2 => {
            if t == 3 {
                return;
            }
            sync_threads();
        }
        3 => {
            if t < 40 {
                cluster_sync();
            } else {
                sync_threads();
            }
        }
        _ => {
            if t < 7 {
                sync_warp();
            } else {
                sync_threads();
            }
        }
    }
    y[t] = 1;
}

fn meet(how: u32) -> impl Fn(&Device) -> Result<()> {
    move |device| {
        let mut y = device.alloc_zeroed::<u32>(64)?;
        meetings(&mut y, how).grid(1).block(64).launch(device)
    }
}

#[test]
fn barriers_that_not_all_threads_reach() {
    let left = |fault: &SimFault, wanted: u32| matches!(fault, SimFault::BarrierNotReached { other: Missing::Left { count, .. }, .. } if *count == wanted);
    let fault = alike(strict(), meet(0));
    assert!(left(&fault, 24), "{fault}");
    let fault = alike(Settings::default(), meet(1));
    assert!(
        matches!(&fault, SimFault::BarrierMismatch { line, other_line, .. } if line != other_line),
        "{fault}"
    );
    let fault = alike(strict(), meet(2));
    assert!(left(&fault, 1), "{fault}");
    let fault = alike(Settings::default(), meet(3));
    assert!(matches!(&fault, SimFault::BarrierNotReached { other: Missing::Elsewhere(_), .. }), "{fault}");
    let fault = alike(Settings::default(), meet(4));
    let SimFault::Deadlock { waiting, .. } = &fault else { panic!("{fault}") };
    let who: Vec<_> = waiting.iter().map(|wait| (wait.operation, wait.count)).collect();
    assert_eq!(who, [("sync_warp", 7), ("sync_threads", 57)]);
}

#[test]
fn threads_that_have_returned_pass_as_on_a_gpu() -> Result<()> {
    for executor in [Executor::Twin, Executor::Interpreter] {
        let device = Device::simulator_with(Settings { executor, ..Settings::default() });
        meet(0)(&device)?;
        meet(2)(&device)?;
    }
    Ok(())
}

#[gpu_kernel(allow(divergent_barriers))]
fn masks(y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    let mut found = 0;
    match how {
        0 => sync_warp_mask(0xffff),
        1 => found = shfl_sync(0xffff, t, 0, 32),
        2 => found = ballot_sync(0xffff, true),
        3 => found = reduce_add_sync(0xffff, t),
        4 => {
            if t < 16 {
                found = any_sync(u32::MAX, true) as u32;
            } else {
                found = all_sync(u32::MAX, true) as u32;
            }
        }
        5 => {
            if t < 16 {
                sync_warp_mask(0x1_ffff);
            } else {
                sync_warp_mask(0xffff_8000);
            }
        }
        6 => {
            if t < 16 {
                found = shfl(t, 0);
            } else {
                found = shfl(t, 1);
            }
        }
        _ => {
            if t == 5 {
                return;
            }
            found = shfl_xor(t, 1);
        }
    }
    y[t] = found;
}

#[test]
fn masks_that_are_wrong() {
    let run = |how: u32| {
        move |device: &Device| {
            let mut y = device.alloc_zeroed::<u32>(32)?;
            masks(&mut y, how).grid(1).block(32).launch(device)
        }
    };
    for how in 0..4 {
        let fault = alike(Settings::default(), run(how));
        let missing = MaskProblem::CallerMissing { lane: 16 };
        assert!(matches!(&fault, SimFault::ShuffleMask { problem, .. } if *problem == missing), "{fault}");
    }
    for how in 4..7 {
        let fault = alike(Settings::default(), run(how));
        let SimFault::ShuffleMask { problem: MaskProblem::LaneElsewhere { at, .. }, line, .. } = &fault
        else {
            panic!("{fault}");
        };
        assert!(at.line != *line && at.count > 0, "{fault}");
    }
    let fault = alike(strict(), run(7));
    let gone = MaskProblem::LaneLeft { lane: 5 };
    assert!(matches!(&fault, SimFault::ShuffleMask { problem, .. } if *problem == gone), "{fault}");
}

#[gpu_kernel(allow(divergent_barriers))]
fn uses(y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    match how {
        0 => named_barrier_sync(0, 64),
        1 => named_barrier_arrive(16, 64),
        2 => named_barrier_sync(1, 48),
        3 => named_barrier_sync(1, 0),
        4 => named_barrier_sync(1, 96),
        5 => {
            if t < 32 {
                named_barrier_sync(1, 64);
            } else {
                named_barrier_sync(1, 32);
            }
        }
        6 => {
            if t < 32 {
                named_barrier_sync(1, 64);
            }
        }
        7 => cluster_wait(),
        8 => {
            cluster_arrive();
            cluster_arrive();
            cluster_wait();
        }
        _ => {
            cluster_arrive();
            cluster_sync();
            cluster_wait();
        }
    }
    y[t] = 1;
}

#[test]
fn named_barriers_and_halves_that_are_used_wrongly() {
    let run = |how: u32| {
        move |device: &Device| {
            let mut y = device.alloc_zeroed::<u32>(64)?;
            uses(&mut y, how).grid(1).block(64).launch(device)
        }
    };
    let wrong = [
        BarrierProblem::Number { number: 0 },
        BarrierProblem::Number { number: 16 },
        BarrierProblem::Count { threads: 48 },
        BarrierProblem::Count { threads: 0 },
        BarrierProblem::Beyond { threads: 96, block: 64 },
        BarrierProblem::Differs { threads: 32, others: 64 },
    ];
    for (how, wrong) in wrong.into_iter().enumerate() {
        let fault = alike(Settings::default(), run(how as u32));
        assert!(
            matches!(&fault, SimFault::Misuse { problem, .. } if **problem == Misuse::Barrier(wrong)),
            "{fault}"
        );
    }
    let fault = alike(Settings::default(), run(6));
    let SimFault::Deadlock { waiting, .. } = &fault else { panic!("{fault}") };
    assert_eq!((waiting[0].operation, waiting[0].count), ("named_barrier_sync", 32));
    let halves = [BarrierProblem::NotArrived, BarrierProblem::ArrivedTwice, BarrierProblem::ArrivedTwice];
    for (how, wrong) in (7..).zip(halves) {
        let fault = alike(Settings::default(), run(how));
        assert!(
            matches!(&fault, SimFault::Misuse { problem, line, .. } if **problem == Misuse::Barrier(wrong) && *line > 0),
            "{fault}"
        );
        assert!(fault.to_string().contains("faults.rs"), "{fault}");
    }
}

/// A block that leaves arrivals behind, which the next one must not find.
#[gpu_kernel]
fn left_behind(y: &mut [u32]) {
    if uniform(warp_id()) == 0 {
        named_barrier_arrive(1, 64);
    }
    cluster_arrive();
    if thread_idx().x == 0 {
        y[block_idx().x] = 1;
    }
}

#[test]
fn arrivals_end_with_their_block() -> Result<()> {
    for executor in [Executor::Twin, Executor::Interpreter] {
        let device = Device::simulator_with(Settings { executor, ..Settings::default() });
        let mut y = device.alloc_zeroed::<u32>(3)?;
        left_behind(&mut y).grid(3).block(64).launch(&device)?;
        assert_eq!(device.download(&y)?, [1; 3]);
    }
    Ok(())
}

#[gpu_kernel]
fn spins(flag: &mut [u32], #[comptime] how: u32) {
    if how == 0 {
        while atomic(&mut flag[0]).load(Ordering::Relaxed) == 0 {}
    } else {
        while volatile_load(&flag[0]) == 0 {}
    }
}

#[test]
fn a_spin_that_nobody_ends_says_who_spins_where() {
    for how in 0..2 {
        let settings = Settings { atomic_budget: 1 << 12, ..Settings::default() };
        let fault = alike(settings, |device| {
            let mut flag = device.alloc_zeroed::<u32>(1)?;
            spins(&mut flag, how).grid(1).block(2).launch(device)
        });
        let SimFault::Deadlock { waiting, .. } = &fault else { panic!("{fault}") };
        assert!(waiting.iter().all(|wait| wait.operation == "a loop of atomics" && wait.line > 0), "{fault}");
    }
}

#[gpu_kernel]
fn indices(x: &mut [u32], i: u32, #[comptime] how: u32) {
    let mut tile = shared!([[u32; 4]; 3]);
    let mut own = [0u32; 4];
    match how {
        0 => x[i] = 1,
        1 => x[0] = x[i],
        2 => tile[i][0] = 1,
        3 => tile[0][i] = 1,
        4 => own[i] = 1,
        5 => x[i..].fill(1),
        6 => x[1..i].fill(1),
        7 => own[i..].fill(1),
        8 => own[1..i].fill(1),
        9 => x[i..2].fill(1),
        _ => own[i..2].fill(1),
    }
    x[0] = own[0];
}

#[test]
fn indices_out_of_bounds() {
    let lens = [4, 4, 3, 4, 4, 4, 4, 4, 4, 2, 2];
    for (how, len) in (0..).zip(lens) {
        let fault = alike(Settings::default(), |device| {
            let mut x = device.alloc_zeroed::<u32>(4)?;
            indices(&mut x, 9, how).grid(1).block(1).launch(device)
        });
        let (index, limit) = match fault {
            SimFault::OutOfBounds { index, len, .. } if how < 5 => (index, len),
            SimFault::Range { bound, limit, .. } if how >= 5 => (bound, limit),
            other => panic!("{how}: {other}"),
        };
        assert_eq!((index, limit), (9, len), "{how}");
    }
}

#[gpu_kernel]
fn views(mut x: ViewMut2<'_, u32>, row: u32, col: u32) {
    x[(row, col)] = 1;
}

#[test]
fn indices_of_views_out_of_bounds() {
    for (row, col, wanted) in [(2, 0, (2, 2)), (0, 3, (3, 3))] {
        let fault = alike(Settings::default(), |device| {
            let mut x = device.alloc_zeroed::<u32>(6)?;
            let view = x.view2_mut(2, 3).expect("six elements");
            views(view, row, col).grid(1).block(1).launch(device)
        });
        assert!(
            matches!(&fault, SimFault::OutOfBounds { index, len, .. } if (*index, *len) == wanted),
            "{fault}"
        );
    }
}

#[gpu_kernel]
fn misread(x: &mut [u32], #[comptime] how: u32) {
    if how == 0 {
        x[0] = x[1..].reinterpret::<u64>()[0] as u32;
    } else {
        let p = x.as_mut_ptr();
        // SAFETY: within the buffer.
        unsafe {
            let wide = p.add(1).cast::<U32x2>();
            let pair = *wide;
            x[0] = pair.x;
        }
    }
}

#[test]
fn accesses_that_are_misaligned_or_misread() {
    let run = |how: u32| {
        move |device: &Device| {
            let mut x = device.alloc_zeroed::<u32>(4)?;
            misread(&mut x, how).grid(1).block(1).launch(device)
        }
    };
    for executor in [Executor::Twin, Executor::Interpreter] {
        let outcome = run(0)(&Device::simulator_with(Settings { executor, ..Settings::default() }));
        let fault = outcome.expect_err("4 is no multiple of 8").to_string();
        assert!(fault.contains("faults.rs") && fault.contains("aligned to 8 bytes"), "{fault}");
    }
    let fault = alone(run(1));
    assert!(matches!(&fault, SimFault::Misaligned { align: 8, beyond: 4, memory: "global", .. }), "{fault}");
}

#[gpu_kernel]
fn numbers(x: &mut [i32], u: &mut [u8], #[comptime] how: u32) {
    match how {
        0 => x[0] = x[1] + x[2],
        1 => x[0] = x[3] - x[2],
        2 => x[0] = x[1] * x[1],
        3 => x[0] = -x[3],
        4 => x[0] = x[1] / x[4],
        5 => x[0] = x[1] % x[4],
        6 => x[0] = x[3] / x[5],
        7 => x[0] = x[3] % x[5],
        8 => x[0] = x[2] << x[6],
        9 => x[0] = x[2] >> x[6],
        10 => u[0] = u[1] + u[2],
        11 => u[0] = u[2] - u[1],
        12 => x[1] += x[2],
        13 => x[2] <<= x[6],
        14 => x[0] = x[4].ilog2() as i32,
        15 => x[0] = x[5].isqrt(),
        16 => x[0] = x[2].clamp(x[1], x[4]),
        _ => u[1] = u[1].div_ceil(u[0]),
    }
}

#[test]
fn arithmetic_that_rust_refuses() {
    let said = [
        "attempt to add with overflow",
        "attempt to subtract with overflow",
        "attempt to multiply with overflow",
        "attempt to negate with overflow",
        "attempt to divide by zero",
        "attempt to calculate the remainder with a divisor of zero",
        "attempt to divide with overflow",
        "attempt to calculate the remainder with overflow",
        "attempt to shift left with overflow",
        "attempt to shift right with overflow",
        "attempt to add with overflow",
        "attempt to subtract with overflow",
        "attempt to add with overflow",
        "attempt to shift left with overflow",
        "argument of integer logarithm must be positive",
        "argument of integer square root cannot be negative",
        "min > max. min = 2147483647, max = 0",
        "attempt to divide by zero",
    ];
    for (how, said) in (0..).zip(said) {
        let fault = alike(Settings::default(), |device| {
            let mut x = device.upload(&[0, i32::MAX, 1, i32::MIN, 0, -1, 32])?;
            let mut u = device.upload(&[0u8, 255, 1])?;
            numbers(&mut x, &mut u, how).grid(1).block(1).launch(device)
        });
        assert!(
            matches!(&fault, SimFault::Panic { message, line, .. } if message == said && *line > 0),
            "{fault}"
        );
    }
}

#[gpu_kernel]
fn ranks(y: &mut [u32], rank: u32) {
    let mut tile = shared!([u32; 4]);
    map_shared_rank(&mut tile, rank)[0] = 1;
    y[0] = 1;
}

#[test]
fn a_rank_beyond_the_cluster() {
    let fault = alike(Settings::default(), |device| {
        let mut y = device.alloc_zeroed::<u32>(1)?;
        ranks(&mut y, 2).grid(2).block(1).cluster(2).launch(device)
    });
    assert!(
        matches!(&fault, SimFault::SharedRank { problem: RankProblem::Beyond { size: 2 }, .. }),
        "{fault}"
    );
}
