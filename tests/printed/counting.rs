//! Loops with a condition that count up to an end in memory, which is read once before the loop.

use harness::needs_cxx;
use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

use super::Dice;

/// A node of a tree.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Node {
    keys: [i32; 4],
    values: [i32; 6],
    count: i32,
}

/// The place of a key in a node, the values up to its count, and the sum of what a row names.
#[gpu_kernel]
fn walks(
    nodes: &[Node],
    which: &[u32],
    from: &[i32],
    rows: &[u32],
    names: &[u32],
    x: &[i32],
    found: &mut [i32],
) {
    let node = which[0];
    let key = from[1];
    let mut k = 0;
    while k < nodes[node].count && nodes[node].keys[k as usize] < key {
        k += 1;
    }
    found[0] = k;
    let mut sum = 0;
    let mut at = from[0];
    while at < nodes[node].count {
        sum += nodes[node].values[at as usize];
        at += 1;
    }
    found[1] = sum;
    let mut name = rows[0];
    while name < rows[1] {
        sum += x[names[name]];
        name += 1;
    }
    found[2] = sum;
}

/// The end is read again after each iteration, which writes it.
#[gpu_kernel]
fn shrinks(ends: &mut [u32], text: &mut [u32]) {
    let mut at = 0u32;
    while at < ends[0] {
        text[at] += ends[0];
        ends[0] -= 1;
        at += 1;
    }
}

/// Each iteration looks at another end.
#[gpu_kernel]
fn follows(ends: &[u32], text: &[u32], sum: &mut [u32]) {
    let (mut at, mut which, mut total) = (0u32, 0u32, 0u32);
    while at < ends[which] {
        total += text[at];
        which += 2;
        at += 1;
    }
    sum[0] = total;
}

/// Two sums of elements that are further apart than one: by a counter without a sign, and by one with it.
#[gpu_kernel]
fn strides(numbers: &[u32], text: &[u32], sums: &mut [u32], rows: &[u32]) {
    let (end, from, by) = (numbers[0], numbers[1], numbers[2]);
    let (mut at, mut total) = (numbers[3], 0);
    while at < end {
        total += text[at + from] + rows[at];
        at += by;
    }
    sums[0] = total;
    let mut row = thread_idx().x as i32;
    while row < end as i32 {
        total += rows[row];
        row += block_dim().x as i32;
    }
    sums[1] = total;
}

#[derive(Clone, Debug)]
struct Walk {
    count: i32,
    which: u32,
    from: [i32; 2],
    rows: [u32; 2],
    names: [u32; 5],
}

const PLAIN: Walk = Walk { count: 4, which: 1, from: [0, 25], rows: [1, 5], names: [0, 2, 1, 2, 0] };

impl Walk {
    fn random(dice: &mut Dice) -> Self {
        let mut pick = |all: &[i32]| all[dice.below(all.len())];
        Walk {
            count: pick(&[0, 3, 4, 4, 5, 6, 7, -1, i32::MAX]),
            which: pick(&[0, 1, 1, 1, 2, -1]) as u32,
            from: [pick(&[0, 0, 1, 5, 6, -1, i32::MIN]), pick(&[0, 15, 25, 100])],
            rows: [pick(&[0, 1, 4, 5, 6]) as u32, pick(&[0, 3, 5, 5, 6, -1]) as u32],
            names: [0; 5].map(|_| pick(&[0, 1, 2, 2, 1, 0, 0, 1, 3, -1]) as u32),
        }
    }

    fn run(&self, executor: Executor) -> Result<Vec<i32>, String> {
        let device = Device::simulator_with(Settings { executor, ..Settings::default() });
        let empty = Node { keys: [0; 4], values: [0; 6], count: 0 };
        let node = Node { keys: [10, 20, 30, 40], values: [1, 2, 4, 8, 16, 32], count: self.count };
        let nodes = device.upload(&[empty, node]).expect("memory");
        let up = |values: &[u32]| device.upload(values).expect("memory");
        let (which, rows, names) = (up(&[self.which]), up(&self.rows), up(&self.names));
        let (from, x) =
            (device.upload(&self.from).expect("memory"), device.upload(&[5, 6, 7]).expect("memory"));
        let mut found = device.upload(&[-1; 3]).expect("memory");
        let launch = walks(&nodes, &which, &from, &rows, &names, &x, &mut found).grid(1).block(1);
        launch.launch(&device).map_err(super::first_line)?;
        Ok(device.download(&found).expect("memory"))
    }
}

#[test]
fn an_end_in_memory_is_read_before_the_loop() {
    let options = PrintOptions { checks: Checks::All, line_directives: false };
    let text = walks::print(&(), &options).expect("a kernel").code;
    for line in [
        "ws_twice(k >= 0 && (unsigned long long)end <= 4ull, ws_fault, [&](auto check) {",
        "while (k < end && nodes[node].keys[check((unsigned long long)k, 4ull, ",
        "ws_twice(at >= 0 && (unsigned long long)end_1 <= 6ull, ws_fault, [&](auto check) {",
        " nodes[node].values[check((unsigned long long)at, 6ull, ",
        "ws_try_while(name, rows[",
        ", x_len > 0 ? names_len : 0ull, ws_fault, [&](auto check, auto name) {",
        "x[check.any(names[check(name, names_len, ",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let text = shrinks::print(&(), &options).expect("a kernel").code;
    assert!(text.contains("while (at < ends[") && !text.contains(" end = "), "{text}");
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn loops_to_an_end_in_memory_do_what_their_twins_do() {
    needs_cxx();
    assert_eq!(PLAIN.run(Executor::All).expect("no fault, and no difference"), [2, 15, 15 + 7 + 6 + 7 + 5]);
    let (mut dice, mut faults) = (Dice(7), 0);
    for _ in 0..400 {
        let walk = Walk::random(&mut dice);
        let [twin, interpreter, printed] =
            [Executor::Twin, Executor::Interpreter, Executor::Printed].map(|executor| walk.run(executor));
        assert_eq!((&twin, &twin), (&interpreter, &printed), "{walk:?}");
        faults += usize::from(twin.is_err());
    }
    assert!((80..360).contains(&faults), "{faults} of 400");
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn an_end_that_the_loop_changes_is_read_again() {
    needs_cxx();
    let device = Device::simulator_with(Settings { executor: Executor::All, ..Settings::default() });
    let mut ends = device.upload(&[6u32]).expect("memory");
    let mut text = device.upload(&[0u32; 4]).expect("memory");
    shrinks(&mut ends, &mut text).grid(1).block(1).launch(&device).expect("no fault");
    assert_eq!(device.download(&text).expect("memory"), [6, 5, 4, 0]);
    let ends = device.upload(&[4u32, 0, 4, 0, 2, 0, 9]).expect("memory");
    let (text, mut sum) =
        (device.upload(&[9u32; 4]).expect("memory"), device.upload(&[0u32]).expect("memory"));
    follows(&ends, &text, &mut sum).grid(1).block(1).launch(&device).expect("no fault");
    assert_eq!(device.download(&sum).expect("memory"), [18]);
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_counter_that_grows_by_more_than_one_is_compared_before_the_loop() {
    needs_cxx();
    let text = strides::print(&(), &PrintOptions { checks: Checks::All, line_directives: false });
    let text = text.expect("a kernel").code;
    assert!(text.contains("ws_twice(ws_fits(from, end, text_len) && end <= rows_len, ws_fault, "), "{text}");
    let run = |executor, numbers: [u32; 4], wrong: u32| {
        let device = Device::simulator_with(Settings { executor, ..Settings::default() });
        let up = |values: &[u32]| device.upload(values).expect("memory");
        let (numbers, text, rows) = (up(&numbers), up(&[5; 8]), up(&[7, 6, wrong, 4, 3, 2, 1, 0]));
        let mut sums = up(&[0; 2]);
        let launch = strides(&numbers, &text, &mut sums, &rows).grid(1).block(1);
        launch.launch(&device).map_err(super::first_line)?;
        Ok::<_, String>(device.download(&sums).expect("memory"))
    };
    let mut faults = 0;
    for end in [0, 3, 6, 8, 9] {
        for from in [0, 2] {
            for (first, by, wrong) in [(0, 1, 5), (7, 4, 5), (1, 3, 5), (0, 2, 8)] {
                let executors = [Executor::Twin, Executor::Interpreter, Executor::Printed];
                let [twin, interpreter, printed] =
                    executors.map(|executor| run(executor, [end, from, by, first], wrong));
                assert_eq!((&twin, &twin), (&interpreter, &printed), "{end} {from} {by}");
                faults += usize::from(twin.is_err());
            }
        }
    }
    assert!((8..32).contains(&faults), "{faults} of 40");
}
