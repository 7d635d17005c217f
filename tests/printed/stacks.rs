//! Stacks in local arrays: an index that was in bounds tells of those after it, and the fault at the top is the twin's.

use harness::needs_cxx;
use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

/// The sum of what each closing number finds on the stack, which has eight places and begins with a zero.
#[gpu_kernel]
fn nested(text: &[i32], sum: &mut [i32]) {
    let mut open = [0i32; 8];
    let mut twice = [0i32; 8];
    let mut top = 0i32;
    let mut total = 0i32;
    let mut k = 0;
    while top >= 0 && k < text.len() {
        let d = top as usize;
        let last = open[d];
        if text[k] > 0 {
            open[d + 1] = text[k];
            twice[d + 1] = open[d + 1].wrapping_mul(2);
            top += 1;
        } else {
            total = total.wrapping_add(last).wrapping_add(twice[d]);
            top -= 1;
        }
        k += 1;
    }
    if !sum.is_empty() {
        sum[0] = total;
    }
}

#[test]
fn a_stack_is_compared_where_it_grows() {
    let text = nested::print(&(), &PrintOptions { checks: Checks::All, line_directives: false });
    let text = text.expect("a kernel").code;
    assert_eq!(text.matches("ws_at").count(), 1, "{text}");
    assert!(text.contains(" = ws_at(d + 1ull, 8ull, 0, ws_fault);"), "{text}");
}

fn run(executor: Executor, text: &[i32]) -> Result<Vec<i32>, String> {
    let device = Device::simulator_with(Settings { executor, ..Settings::default() });
    let text = device.upload(text).expect("memory");
    let mut sum = device.upload(&[0i32]).expect("memory");
    nested(&text, &mut sum).grid(1).block(1).launch(&device).map_err(|fault| fault.to_string())?;
    Ok(device.download(&sum).expect("memory"))
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_full_stack_is_told_and_others_do_what_the_twin_does() {
    needs_cxx();
    assert_eq!(run(Executor::All, &[1, 2, 0, 3, 0, 0, 0]), Ok(vec![18]));
    let full = [[7; 7], [0; 7]].concat();
    assert_eq!(run(Executor::All, &full), Ok(vec![147]));
    for executor in [Executor::Twin, Executor::Interpreter, Executor::Printed] {
        let fault = super::first_line(run(executor, &[7; 8]).expect_err("a fault"));
        assert!(fault.contains("index 8 is out of bounds for length 8"), "{fault}");
    }
}
