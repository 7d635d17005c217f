//! Loops that are tried with short loops and arrays in them, and those that count and index with 64 bits.

use harness::needs_cxx;
use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

use super::Dice;

/// A row of blocks of four numbers, times the pairs that they name; and the sum of numbers that a list of `i64` names.
#[gpu_kernel]
fn blocks(rows: &[u32], names: &[u32], values: &[i32], x: &[i32], list: &[i64], y: &mut [i32]) {
    let mut sums = [100, 200];
    for block in rows[0]..rows[1] {
        let name = names[block];
        for i in 0..2u32 {
            for j in 0..2u32 {
                sums[i as usize] += values[block * 4 + i * 2 + j] * x[name * 2 + j];
            }
        }
    }
    y[0] = sums[0];
    y[1] = sums[1];
    let mut sum = 0;
    for at in list[0]..list[1] {
        sum += x[list[at as usize] as usize];
    }
    y[2] = sum;
}

/// Too many iterations in an iteration.
#[gpu_kernel]
fn long_blocks(rows: &[u32], names: &[u32], x: &[i32], y: &mut [i32]) {
    let mut sum = 0;
    for block in rows[0]..rows[1] {
        for i in 0..65u32 {
            sum += x[names[block] + i];
        }
    }
    y[0] = sum;
}

#[test]
fn loops_with_short_loops_in_them_are_tried() {
    let options = PrintOptions { checks: Checks::All, line_directives: false };
    let printed = blocks::print(&(), &options).expect("a kernel").code;
    for line in ["ws_try_each<unsigned int>(", "}, sums);", "ws_try_each<long long>(", "list[check((unsigned"]
    {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    let printed = long_blocks::print(&(), &options).expect("a kernel").code;
    assert!(!printed.contains("ws_try_each<unsigned int>(rows["), "{printed}");
}

fn run(rows: [u32; 2], names: &[u32; 3], list: &[i64; 5], executor: Executor) -> Result<Vec<i32>, String> {
    let device = Device::simulator_with(Settings { executor, ..Settings::default() });
    let (rows, names) = (device.upload(&rows).expect("memory"), device.upload(names).expect("memory"));
    let up = |values: &[i32]| device.upload(values).expect("memory");
    let values = up(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    let (x, list) = (up(&[1, 10, 2, 20, 3]), device.upload(list).expect("memory"));
    let mut y = up(&[0; 3]);
    let launch = blocks(&rows, &names, &values, &x, &list, &mut y).grid(1).block(1);
    launch.launch(&device).map_err(super::first_line)?;
    Ok(device.download(&y).expect("memory"))
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn loops_that_are_tried_with_arrays_do_what_their_twins_do() {
    needs_cxx();
    let first = run([0, 2], &[1, 0, 9], &[2, 5, 3, 4, 0], Executor::All);
    assert_eq!(first.expect("no fault"), [100 + 42 + 65, 200 + 86 + 87, 24]);
    let (mut dice, mut faults) = (Dice(5), 0);
    for _ in 0..300 {
        let mut pick = |all: &[i64]| all[dice.below(all.len())];
        let rows = [pick(&[0, 0, 1, 2]) as u32, pick(&[0, 1, 2, 2, 3, 3, 4]) as u32];
        let names = [0; 3].map(|_| pick(&[0, 0, 1, 1, 1, 2, 1 << 29]) as u32);
        let mut list = [0; 5].map(|_| pick(&[0, 1, 1, 2, 3, 4, 4, 0, 3, 5, 1 << 32, -1]));
        (list[0], list[1]) = (pick(&[0, 2, 2, 3, -1, 5]), pick(&[0, 2, 4, 5, 5, 6, -2]));
        let [twin, interpreter, printed] = [Executor::Twin, Executor::Interpreter, Executor::Printed]
            .map(|executor| run(rows, &names, &list, executor));
        assert_eq!((&twin, &twin), (&interpreter, &printed), "{rows:?} {names:?} {list:?}");
        faults += usize::from(twin.is_err());
    }
    assert!((90..270).contains(&faults), "{faults} of 300");
}
