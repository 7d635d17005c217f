//! Loops that only read, which the checked text tries first.

use harness::needs_cxx;
use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

use super::fault_of_all;

/// The least and the sum of what each row names; a row begins where the one before it ends.
#[gpu_kernel]
fn gathers(starts: &[u32], names: &[u32], x: &[i32], least: &mut [i32], sums: &mut [i32]) {
    let row = global_id();
    if row < least.len() {
        let (mut lowest, mut sum) = (i32::MAX, 7);
        for at in starts[row]..starts[row + 1] {
            let value = x[names[at]];
            if value < lowest {
                lowest = value;
            }
            sum += value;
        }
        least[row] = lowest;
        sums[row] = sum;
    }
}

struct Rows {
    starts: [u32; 5],
    names: Vec<u32>,
}

impl Rows {
    fn new() -> Self {
        Self { starts: [0, 3, 3, 8, 12], names: (0..12).map(|at| at * 5 % 9).collect() }
    }

    fn run(&self, executor: Executor) -> Result<Vec<i32>, String> {
        let device = Device::simulator_with(Settings { executor, ..Settings::default() });
        let up = |values: &[u32]| device.upload(values).expect("memory");
        let (starts, names) = (up(&self.starts), up(&self.names));
        let x = device.upload(&[4, -3, 9, 2, 8, 1, -7, 5, 6]).expect("memory");
        let [mut least, mut sums] = [(); 2].map(|()| device.upload(&[0i32; 4]).expect("memory"));
        let launch = gathers(&starts, &names, &x, &mut least, &mut sums).grid(1).block(4);
        launch.launch(&device).map_err(|fault| fault.to_string())?;
        Ok([least, sums].iter().flat_map(|of| device.download(of).expect("memory")).collect())
    }

    fn fault(&self) -> String {
        fault_of_all(|executor| self.run(executor))
    }
}

#[test]
fn a_loop_that_only_reads_is_tried() {
    let options = PrintOptions { checks: Checks::All, line_directives: false };
    let text = gathers::print(&(), &options).expect("a kernel").code;
    let call = "ws_try_each<unsigned int>(start, end, x_len > 0 ? names_len : 0ull, ws_fault, [&](auto check, auto at) {";
    assert!(text.contains(call), "{text}");
    assert!(text.contains("int value = x[check.any(names[check(at, names_len, "), "{text}");
    assert!(text.contains("}, lowest, sum);"), "{text}");
    assert!(!gathers::cuda_source().expect("a kernel").contains("ws_try"));
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_trial_that_fails_leaves_no_trace() {
    needs_cxx();
    let rows = Rows::new();
    let want: Vec<i32> = (0..4)
        .map(|row| (rows.starts[row] as usize, rows.starts[row + 1] as usize))
        .map(|(from, to)| rows.names[from..to].to_vec())
        .map(|names| names.iter().map(|at| [4, -3, 9, 2, 8, 1, -7, 5, 6][*at as usize]).collect::<Vec<i32>>())
        .flat_map(|row| [row.iter().copied().min().unwrap_or(i32::MAX), 7 + row.iter().sum::<i32>()])
        .collect();
    let got = rows.run(Executor::All).expect("no fault");
    let paired: Vec<i32> = (0..4).flat_map(|row| [got[row], got[4 + row]]).collect();
    assert_eq!(paired, want);
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn what_is_out_of_bounds_is_told_as_by_the_twin() {
    needs_cxx();
    // An element that is not there, in the last but one iteration of the third row.
    let fault = Rows { names: [0, 1, 2, 3, 4, 5, 99, 7, 8, 0, 1, 2].into(), ..Rows::new() }.fault();
    assert!(
        fault.starts_with("index 99 is out of bounds for length 9 at tests/printed/tried.rs:"),
        "{fault}"
    );
    // A row that runs past its names, and one that would run almost for ever.
    for end in [13, u32::MAX] {
        let fault = Rows { starts: [0, 3, 3, 8, end], ..Rows::new() }.fault();
        assert!(
            fault.starts_with("index 12 is out of bounds for length 12 at tests/printed/tried.rs:"),
            "{fault}"
        );
    }
}
