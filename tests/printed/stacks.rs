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

/// Adds up the leaves of a tree, whose nodes each have children that follow each other.
#[gpu_kernel]
fn leaves(first: &[u32], count: &[u32], sum: &mut [u64]) {
    let mut stack = [0usize; 16];
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let node = stack[depth];
        if count[node] == 0 {
            sum[0] += node as u64;
        }
        for child in first[node]..first[node] + count[node] {
            stack[depth] = child as usize;
            depth += 1;
        }
    }
}

/// Elements that are read, added to and compared, and one that is cut to the 32 bits that it has anyway.
#[gpu_kernel]
fn elements(x: &[u32], out: &mut [u64]) {
    let mut own = [7usize, 0, 1, 2];
    for (k, &v) in x.iter().enumerate() {
        own[k % 4] = (v as usize + own[(k + 1) % 4]) % 1000;
        own[(k + 3) % 4] = (own[(k + 3) % 4] + 1) % 990;
        own[(k + 3) % 4] %= 100;
        if own[k % 4] > own[3] {
            own[2] = own[3] & 0xff;
        }
    }
    for k in 0..4 {
        out[k] = own[k] as u64 * 0x1_0000_0001 + (own[own[k] % 4] as u32 as u64);
    }
}

/// Elements that do not fit, because of a product, because a function is given the array, and because one is lent.
#[gpu_kernel]
fn wide(x: &[u32], out: &mut [u64]) {
    #[gpu_fn]
    fn widened(of: &mut [usize; 2], by: usize) {
        of[0] = of[1] << by;
    }
    let (mut squares, mut given, mut lent) = ([0usize; 2], [1usize; 2], [2usize; 2]);
    for (k, &v) in x.iter().enumerate() {
        squares[k % 2] = v as usize * v as usize;
        widened(&mut given, 40);
        let place = &mut lent[k % 2];
        *place = (v as usize) << 32;
    }
    for k in 0..2 {
        out[k] = (squares[k] ^ given[k] ^ lent[k]) as u64;
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn indices_on_a_stack_have_32_bits_where_they_fit() {
    needs_cxx();
    let device = Device::simulator_with(Settings { executor: Executor::All, ..Settings::default() });
    let (first, count) = ([1u32, 4, 5, 6, 0, 0, 0], [3u32, 1, 1, 1, 0, 0, 0]);
    let (first, count) = (device.upload(&first).expect("memory"), device.upload(&count).expect("memory"));
    let mut sum = device.upload(&[0u64]).expect("memory");
    let call = leaves(&first, &count, &mut sum).grid(1).block(1);
    let text = call.cuda_source().expect("a kernel");
    assert!(text.contains("unsigned int stack[16] = {};") && text.contains("int depth = 1;"), "{text}");
    call.launch(&device).expect("a launch");
    assert_eq!(device.download(&sum).expect("memory"), [15]);

    let x: Vec<u32> = (0..23).map(|k| u32::MAX - k * 0x0765_4321).collect();
    let data = device.upload(&x).expect("memory");
    let mut out = device.upload(&[0u64; 4]).expect("memory");
    let call = elements(&data, &mut out).grid(1).block(1);
    let text = call.cuda_source().expect("a kernel");
    assert!(text.contains("unsigned int own[4] = {7u, 0u, 1u, 2u};"), "{text}");
    call.launch(&device).expect("a launch");
    let mut own = [7usize, 0, 1, 2];
    for (k, &v) in x.iter().enumerate() {
        own[k % 4] = (v as usize + own[(k + 1) % 4]) % 1000;
        own[(k + 3) % 4] = (own[(k + 3) % 4] + 1) % 990;
        own[(k + 3) % 4] %= 100;
        if own[k % 4] > own[3] {
            own[2] = own[3] & 0xff;
        }
    }
    let want: Vec<u64> =
        own.iter().map(|&v| v as u64 * 0x1_0000_0001 + u64::from(own[v % 4] as u32)).collect();
    assert_eq!(device.download(&out).expect("memory"), want);

    let mut out = device.upload(&[0u64; 2]).expect("memory");
    let call = wide(&data, &mut out).grid(1).block(1);
    let text = call.cuda_source().expect("a kernel");
    assert!(!text.contains("unsigned int squares[") && !text.contains("unsigned int given["), "{text}");
    assert!(!text.contains("unsigned int lent["), "{text}");
    call.launch(&device).expect("a launch");
    let last = |k: usize| u64::from(x[x.len() - 1 - (x.len() - 1 - k) % 2]);
    let given = |k: usize| if k == 0 { 1 << 40 } else { 1 };
    let want: Vec<u64> = (0..2).map(|k| (last(k) * last(k)) ^ given(k) ^ (last(k) << 32)).collect();
    assert_eq!(device.download(&out).expect("memory"), want);
}
