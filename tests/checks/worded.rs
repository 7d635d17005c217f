//! Each fault that a kernel's own checks find has the same text from the twin, the interpreter, printed CUDA, and a GPU.

use warpsmith::error::Error;
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings, SimFault};

/// The failures of a launch on all available executors, and on a GPU if there is one.
fn texts(launch: impl Fn(&Device) -> warpsmith::Result<()>) -> Vec<(String, String)> {
    let executors = [Executor::Twin, Executor::Interpreter, Executor::Printed];
    let there = &executors[..if cfg!(cxx) { 3 } else { 2 }];
    let simulators = there.iter().map(|executor| {
        let settings = Settings { executor: *executor, ..Settings::default() };
        (format!("{executor:?}"), Device::simulator_with(settings))
    });
    let gpu = harness::gpu().map(|gpu| ("a GPU".to_owned(), gpu));
    let devices = simulators.chain(gpu);
    devices
        .map(|(name, device)| {
            let fault = launch(&device).and_then(|()| device.synchronize()).expect_err(&name);
            (name, said(fault))
        })
        .collect()
}

/// The text of a fault, without the seed that runs the threads of a simulator again.
fn said(fault: Error) -> String {
    match fault {
        Error::Simulator(fault) => match *fault {
            SimFault::Seeded { fault, .. } => fault.to_string(),
            fault => fault.to_string(),
        },
        other => other.to_string(),
    }
}

/// Asserts that all executors report the same text, which begins with this and names this line.
#[track_caller]
pub fn says(begins: &str, line: u32, launch: impl Fn(&Device) -> warpsmith::Result<()>) {
    let file = std::panic::Location::caller().file();
    let all = texts(launch);
    for (name, text) in &all {
        assert_eq!(text, &all[0].1, "{name} and {}", all[0].0);
        assert!(text.starts_with(begins), "{name}: {text}");
        let place = format!(" at {file}:{line}, in block (0, 0, 0), thread (1, 0, 0) of kernel `");
        assert!(text.contains(&place), "{name}, not{place}: {text}");
    }
}

/// The line of `wrong` with this position among its cases.
const FIRST: u32 = line!() + 12;

#[gpu_kernel]
fn wrong(x: &[f32], v: View<f32>, m: View2<f32>, y: &mut [f32], how: u32, n: i64) {
    let mut own = [1.0f32; 4];
    let mut tile = shared!([[f32; 4]; 8]);
    let t = thread_idx().x;
    tile[t % 8][0] = 1.0;
    own[1] = n as f32;
    let mut f = F32x4::splat(1.0);
    let at = if t == 1 { n } else { 0 };
    let out = match how {
        0 => x[at],
        1 => v[at as usize],
        2 => own[at as usize],
        3 => tile[at as usize][0],
        4 => tile[0][at as usize],
        5 => m[(at as u32, 0u32)],
        6 => m[(0u32, at as u32)],
        7 => x[at as usize..].len() as f32,
        8 => x[..at as usize].len() as f32,
        9 => x[at as usize..2].len() as f32,
        10 => v.offset(at as usize).len() as f32,
        11 => v.offset(at as u32).len() as f32,
        12 => f[at as usize],
        13 => x[at as i32],
        14 => x[at as u64],
        15 => x[..4][at as usize],
        16 => own[at as usize..].len() as f32,
        17 => own[at as usize..2].len() as f32,
        _ => 0.0,
    };
    f.x = out;
    assert!(how != 18 || t != 1);
    assert!(how != 19 || t != 1, "all threads");
    assert_eq!(if how == 20 && t == 1 { 3 } else { 2 }, 2);
    assert_eq!(if how == 21 && t == 1 { 3 } else { 2 }, 2, "two of them");
    assert_ne!(if how == 22 && t == 1 { 3 } else { 2 }, 3);
    if how == 23 && t == 1 {
        panic!("no way");
    }
    if how == 24 && t == 1 {
        unreachable!("no way");
    }
    debug_assert!(how != 25 || t != 1, "once more");
    let at = at as usize;
    let mut staged = shared!(Tile<f32, 4, 8, Padded>);
    staged[(t % 4, t % 8)] = 1.0;
    f.x += match how {
        26 => m.row(at)[0],
        27 => m.part(at, 0, 1, 1).rows() as f32,
        28 => m.part(0, at, 1, 1).rows() as f32,
        29 => m.tile(at, 0, 1, 1).rows() as f32,
        30 => m.tile(0, at, 1, 2).rows() as f32,
        31 => View2::new(x, at, 2).rows() as f32,
        32 => View3::new(x, 1, 2, at).rows() as f32,
        33 => View3::new(x, 1, 2, 3).plane(at).rows() as f32,
        34 => staged[(at, 0)],
        35 => staged[(0, at)],
        36 => second_of(&x[at..]),
        _ => 0.0,
    };
    y[t] = f.x;
}

fn launched(device: &Device, how: u32, n: i64) -> warpsmith::Result<()> {
    let x = device.upload(&[1.0f32; 6])?;
    let mut y = device.upload(&[0.0f32; 32])?;
    let (v, m) = (x.view(), x.view2(2, 3).expect("it fits"));
    wrong(&x, v, m, &mut y, how, n).grid(1).block(32).launch(device)
}

/// As in Rust, its fault is one of the line that calls it.
#[gpu_fn]
#[track_caller]
fn second_of(x: &[f32]) -> f32 {
    let second = 1;
    x[second]
}

/// The line of a case of the second match.
fn later(how: u32) -> u32 {
    FIRST + how + 11
}

#[test]
fn what_the_library_checks_is_a_fault_of_the_line_that_calls_it() {
    for (how, n, text) in [
        (26, 2, "index 2 is out of bounds for length 2"),
        (27, 2, "range bound 3 is beyond 2"),
        (28, 4, "range bound 5 is beyond 3"),
        (29, 2, "index 2 is out of bounds for length 2"),
        (30, 2, "index 4 is out of bounds for length 3"),
        (31, 4, "range bound 8 is beyond 6"),
        (32, 5, "range bound 10 is beyond 6"),
        (33, 1, "index 1 is out of bounds for length 1"),
        (34, 4, "index 4 is out of bounds for length 4"),
        (35, 8, "index 8 is out of bounds for length 8"),
        (36, 5, "index 1 is out of bounds for length 1"),
    ] {
        says(text, later(how), |device| launched(device, how, n));
    }
}

#[test]
fn an_index_has_one_text() {
    for (how, n, len) in [
        (0, 6, 6),
        (0, -1, 6),
        (1, 9, 6),
        (2, 4, 4),
        (3, 8, 8),
        (4, 5, 4),
        (5, 2, 2),
        (6, 3, 3),
        (12, 4, 4),
        (13, -3, 6),
        (14, 1 << 40, 6),
        (15, 4, 4),
    ] {
        let text = format!("index {n} is out of bounds for length {len}");
        says(&text, FIRST + how, |device| launched(device, how, n));
    }
}

#[test]
fn a_bound_of_a_range_has_one_text() {
    for (how, n, limit) in
        [(7, 7, 6), (8, 7, 6), (9, 3, 2), (10, 7, 6), (11, 1 << 31, 6), (16, 5, 4), (17, 3, 2)]
    {
        let text = format!("range bound {n} is beyond {limit}");
        says(&text, FIRST + how, |device| launched(device, how, n));
    }
}

#[test]
fn an_assertion_has_one_text() {
    // Behind the match, its other arm and the line that uses it.
    let line = |how: u32| match how {
        18..=22 => FIRST + how + 3,
        23 => FIRST + 27,
        24 => FIRST + 30,
        _ => FIRST + 32,
    };
    for (how, text) in [
        (18, "assertion failed: how != 18 || t != 1 at"),
        (19, "all threads at"),
        (20, "assertion `left == right` failed at"),
        (21, "assertion `left == right` failed: two of them at"),
        (22, "assertion `left != right` failed at"),
        (23, "no way at"),
        (24, "internal error: entered unreachable code: no way at"),
        (25, "once more at"),
    ] {
        says(text, line(how), |device| launched(device, how, 0));
    }
}
