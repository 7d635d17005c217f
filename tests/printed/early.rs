//! Checks that are printed before loads, and loops with cursors that are tried: the faults are the twin's.

use harness::needs_cxx;
use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

fn checked<K: Kernel<Comptime = ()>>() -> String {
    K::print(&(), &PrintOptions { checks: Checks::All, line_directives: false }).expect("a kernel").code
}

/// The first line of a run's report, which is the same on all executors.
fn fault(run: impl Fn(Executor) -> Result<Vec<i32>, String>) -> String {
    let faults = [Executor::Twin, Executor::Interpreter, Executor::Printed].map(|executor| {
        let fault = run(executor).expect_err("a fault");
        super::first_line(fault)
    });
    assert_eq!([&faults[0], &faults[0]], [&faults[1], &faults[2]]);
    faults[0].clone()
}

fn device(executor: Executor) -> Device {
    Device::simulator_with(Settings { executor, ..Settings::default() })
}

/// Reads in a row, an index that is itself read, a place that is read again, a store, and reads after it.
#[gpu_kernel]
fn blends(names: &[u32], x: &[i32], y: &[i32], out: &mut [i32], from: u32, to: u32, again: u32) {
    let a = x[from + 1];
    let doubled = a.wrapping_mul(2);
    let b = y[names[to]];
    let mut sum = doubled.wrapping_add(b);
    let index = from + to;
    sum = sum.wrapping_add(x[index]).wrapping_sub(y[names[to + 1]]);
    let picked = if sum > 0 { x[from + 1] } else { y[again] };
    out[index] = picked.wrapping_add(x[index]);
    let last = out[index].wrapping_add(y[again]);
    out[again] = last.wrapping_mul(x[from + 1]);
}

#[derive(Clone, Copy)]
struct Blend {
    names: [u32; 4],
    lengths: [usize; 3],
    from: u32,
    to: u32,
    again: u32,
}

const PLAIN: Blend = Blend { names: [3, 1, 0, 2], lengths: [6, 5, 7], from: 2, to: 1, again: 4 };

impl Blend {
    fn run(&self, executor: Executor) -> Result<Vec<i32>, String> {
        let device = device(executor);
        let names = device.upload(&self.names).expect("memory");
        let values = |n: usize, by: i32| (0..n as i32).map(|i| i * by - 7).collect::<Vec<_>>();
        let [x, y] =
            [(0, 5), (1, 3)].map(|(i, by)| device.upload(&values(self.lengths[i], by)).expect("memory"));
        let mut out = device.upload(&vec![0i32; self.lengths[2]]).expect("memory");
        let launch = blends(&names, &x, &y, &mut out, self.from, self.to, self.again).grid(1).block(1);
        launch.launch(&device).map_err(|fault| fault.to_string())?;
        Ok(device.download(&out).expect("memory"))
    }
}

#[test]
fn checks_in_a_row_leave_by_one_branch() {
    let text = checked::<blends>();
    assert!(text.contains("ws_inside(ws_fault, at, x_len, 0, to, names_len, 1);"), "{text}");
    // An index that was checked is not checked again.
    assert!(text.contains("out[index] = picked + x[index];") || text.contains("x[index]);"), "{text}");
    assert_eq!(text.matches("index, out_len").count(), 1, "{text}");
    assert!(!blends::cuda_source().expect("a kernel").contains("ws_inside"));
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn checks_in_a_row_do_what_the_twin_does() {
    needs_cxx();
    for blend in [PLAIN, Blend { names: [0; 4], ..PLAIN }, Blend { from: 0, to: 0, again: 0, ..PLAIN }] {
        blend.run(Executor::All).expect("no fault, and no difference");
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn the_first_of_several_failed_checks_is_told() {
    needs_cxx();
    let far = 4_000_000_000;
    let cases = [
        // All of them fail, and the first is that of `x[from + 1]`.
        (
            Blend { names: [9; 4], from: far, to: 8, again: 9, ..PLAIN },
            "index 4000000001 is out of bounds for length 6",
        ),
        (Blend { names: [9; 4], to: 8, again: 9, ..PLAIN }, "index 8 is out of bounds for length 4"),
        (Blend { names: [9; 4], again: 9, ..PLAIN }, "index 9 is out of bounds for length 5"),
        (Blend { to: 3, lengths: [5, 5, 4], ..PLAIN }, "index 5 is out of bounds for length 5"),
        (Blend { to: 3, lengths: [9, 5, 4], ..PLAIN }, "index 4 is out of bounds for length 4"),
        (Blend { names: [3, 1, 7, 2], lengths: [6, 5, 2], ..PLAIN }, "index 7 is out of bounds for length 5"),
        (Blend { lengths: [6, 5, 3], ..PLAIN }, "index 3 is out of bounds for length 3"),
        (Blend { lengths: [6, 5, 4], ..PLAIN }, "index 4 is out of bounds for length 4"),
        (Blend { again: 6, lengths: [6, 5, 7], ..PLAIN }, "index 6 is out of bounds for length 5"),
    ];
    for (blend, said) in cases {
        let fault = fault(|executor| blend.run(executor));
        assert!(fault.contains(said), "{said}: {fault}");
    }
}

/// Sums of what rows name, by cursors.
#[gpu_kernel]
fn walks(starts: &[u32], names: &[u32], x: &[i32], sums: &mut [i32]) {
    let row = thread_idx().x;
    let mut at = starts[row];
    let end = starts[row + 1];
    let mut sum = 3i32;
    while at < end {
        sum = sum.wrapping_mul(3).wrapping_add(x[names[at]]);
        at += 1;
    }
    sums[row] = sum.wrapping_add(at as i32);
}

fn walk(executor: Executor, starts: [u32; 4], names: &[u32]) -> Result<Vec<i32>, String> {
    let device = device(executor);
    let up = |values: &[u32]| device.upload(values).expect("memory");
    let (starts, names) = (up(&starts), up(names));
    let x = device.upload(&[4, -3, 9, 2]).expect("memory");
    let mut sums = device.upload(&[0i32; 3]).expect("memory");
    let launch = walks(&starts, &names, &x, &mut sums).grid(1).block(3);
    launch.launch(&device).map_err(|fault| fault.to_string())?;
    Ok(device.download(&sums).expect("memory"))
}

#[test]
fn a_loop_with_a_cursor_is_tried() {
    let text = checked::<walks>();
    let call = "ws_try_while(at, end, x_len > 0 ? names_len : 0ull, ws_fault, [&](auto check, auto at) {";
    assert!(text.contains(call), "{text}");
    assert!(text.contains("x[check.any(names[check(at, names_len, "), "{text}");
    assert!(text.contains("}, sum);"), "{text}");
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_loop_with_a_cursor_does_what_its_twin_does() {
    needs_cxx();
    let names = [1, 0, 3, 2, 2, 1, 0];
    // A cursor may start at the end, or beyond it.
    for starts in [[0, 3, 3, 7], [7, 7, 0, 7], [5, 2, 7, 4]] {
        walk(Executor::All, starts, &names).expect("no fault, and no difference");
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn the_step_of_a_cursor_that_is_out_of_bounds_is_told() {
    needs_cxx();
    let names = [1, 0, 3, 2, 9, 1, 0];
    let fault = |starts| fault(|executor| walk(executor, starts, &names));
    assert!(fault([0, 3, 3, 7]).contains("index 9 is out of bounds for length 4"));
    assert!(fault([0, 2, 2, 2_000_000_000]).contains("index 9 is out of bounds for length 4"));
    assert!(fault([5, 8, 9, 9]).contains("index 7 is out of bounds for length 7"));
}

/// Products of rows that memory names, by a counter that is widened to an index.
#[gpu_kernel]
fn dots(rows: &[u32], a: &[i32], sums: &mut [i32], width: usize, first: i32, end: i32) {
    let t = thread_idx().x as usize;
    let row = rows[t] as usize;
    let mut sum = 1i32;
    for i in first..end {
        sum = sum.wrapping_mul(5).wrapping_add(a[row * width + i as usize]);
    }
    for i in 0..width {
        sum = sum.wrapping_mul(3).wrapping_add(a[row * width + i]);
    }
    sums[t] = sum;
}

fn dot(executor: Executor, rows: [u32; 2], width: usize, first: i32, end: i32) -> Result<Vec<i32>, String> {
    let device = device(executor);
    let rows = device.upload(&rows).expect("memory");
    let a = device.upload(&[4, -3, 9, 2, 7, -6]).expect("memory");
    let mut sums = device.upload(&[0i32; 2]).expect("memory");
    let launch = dots(&rows, &a, &mut sums, width, first, end).grid(1).block(2);
    launch.launch(&device).map_err(|fault| fault.to_string())?;
    Ok(device.download(&sums).expect("memory"))
}

#[test]
fn a_counter_that_is_widened_runs_along_a_slice() {
    let text = checked::<dots>();
    assert!(text.contains("(first, end, first >= 0 && ws_fits(row * width, end, a_len), "), "{text}");
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_counter_that_is_widened_does_what_its_twin_does() {
    needs_cxx();
    // An empty range indexes nothing.
    for (rows, first, end) in [([0, 1], 0, 3), ([1, 1], 2, 3), ([1, 0], 9, 3), ([0, 0], -5, -5)] {
        dot(Executor::All, rows, 3, first, end).expect("no fault, and no difference");
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_counter_that_leaves_a_slice_is_told() {
    needs_cxx();
    let cases = [
        ([0, 1], 3, 0, 4, "index 6 is out of bounds for length 6"),
        ([0, 2], 3, 0, 0, "index 6 is out of bounds for length 6"),
        ([0, 0], 3, -1, 1, "index -1 is out of bounds for length 6"),
    ];
    for (rows, width, first, end, said) in cases {
        let fault = fault(|executor| dot(executor, rows, width, first, end));
        assert!(fault.contains(said), "{said}: {fault}");
    }
}
