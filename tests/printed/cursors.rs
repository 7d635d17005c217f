//! Loops with a condition that compares cursors with ends, which are compared with lengths before the loop.

use harness::needs_cxx;
use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

use super::Dice;

/// Counts what two lists have in common, and sums what one of them has before the other's first element.
#[gpu_kernel]
fn common(rows: &[u32], list: &[u32], sums: &mut [u32]) {
    let (mut i, end_i) = (rows[0], rows[1]);
    let (mut j, end_j) = (rows[2], rows[3]);
    let shift = rows[4];
    let mut n = 0;
    while i < end_i && j < end_j {
        let x = list[i];
        let y = list[j + shift];
        if x == y {
            n += 1;
        }
        if x <= y {
            i += 1;
        }
        if y <= x {
            j += 1;
        }
    }
    sums[0] = n;
    let mut at = rows[0] as usize;
    let end = rows[1] as usize;
    let mut skipped = 0;
    while skipped < 3 && at < end && list[at] < 5 {
        let x = list[at];
        if x == 2 {
            at += 2;
            continue;
        }
        at += x as usize + 1;
        skipped += 1;
    }
    sums[1] = skipped;
}

/// Each number but the last is read again after the cursor has moved.
#[gpu_kernel]
fn moved(rows: &[u32], list: &[u32], sums: &mut [u32]) {
    let (mut i, end, mut sum) = (rows[0], rows[1], 0);
    while i < end {
        sum += list[i];
        if sum > 1 {
            i += 1;
            sum += list[i];
        }
        i += 1;
    }
    sums[0] = sum;
}

fn text<K: Kernel<Comptime = ()>>() -> String {
    K::print(&(), &PrintOptions { checks: Checks::All, line_directives: false }).expect("a kernel").code
}

#[test]
fn ends_of_cursors_are_compared_before_the_loop() {
    let printed = text::<common>();
    for line in [
        "ws_twice(end_i <= list_len && ws_fits(shift, end_j, list_len), ws_fault, [&](auto check) {",
        "list[check(i, list_len, ",
        "list[check(j + shift, list_len, ",
        "ws_twice(end <= list_len, ws_fault, [&](auto check) {",
        "while (skipped < 3u && at < end && list[check(at, list_len, ",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    assert!(!text::<moved>().contains("ws_twice("), "{}", text::<moved>());
}

/// The first line of a fault, or what the kernels write.
fn run(rows: &[u32; 5], list: &[u32], executor: Executor) -> Result<Vec<u32>, String> {
    let device = Device::simulator_with(Settings { executor, ..Settings::default() });
    let up = |values: &[u32]| device.upload(values).expect("memory");
    let (rows, list, mut sums, mut more) = (up(rows), up(list), up(&[0; 2]), up(&[0]));
    common(&rows, &list, &mut sums).grid(1).block(1).launch(&device).map_err(super::first_line)?;
    moved(&rows, &list, &mut more).grid(1).block(1).launch(&device).map_err(super::first_line)?;
    Ok([sums, more].iter().flat_map(|of| device.download(of).expect("memory")).collect())
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn loops_of_cursors_do_what_their_twins_do() {
    needs_cxx();
    let list = [1, 2, 2, 4, 7, 0, 2, 3, 4, 8];
    assert_eq!(run(&[0, 5, 0, 4, 6], &list, Executor::All).expect("no fault"), [2, 1, 16]);
    let (mut dice, mut faults) = (Dice(11), 0);
    for _ in 0..300 {
        let mut pick = |all: &[i32]| all[dice.below(all.len())] as u32;
        let rows = [
            pick(&[0, 0, 1, 4, 9, 10, -1]),
            pick(&[0, 4, 5, 9, 10, 10, 11, -1]),
            pick(&[0, 0, 2, 9, 1 << 30]),
            pick(&[0, 3, 5, 10, 11, -1]),
            pick(&[0, 0, 0, 5, 7, 1 << 30]),
        ];
        let [twin, interpreter, printed] = [Executor::Twin, Executor::Interpreter, Executor::Printed]
            .map(|executor| run(&rows, &list, executor));
        assert_eq!((&twin, &twin), (&interpreter, &printed), "{rows:?}");
        faults += usize::from(twin.is_err());
    }
    assert!((60..260).contains(&faults), "{faults} of 300");
}
