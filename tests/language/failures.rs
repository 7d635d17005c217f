//! Mistakes of kernels, and the places that they name: barriers in divergent code, assertions.

// The kernels keep the form of the course notes that they come from.
#![allow(clippy::if_same_then_else, clippy::manual_is_multiple_of)]

use warpsmith::prelude::*;

use super::{compiles, everywhere};

/// Line of the first barrier of `parted`.
const BARRIER: u32 = line!() + 7;

#[gpu_kernel]
fn parted(out: &mut [u32]) {
    let thread_id = thread_idx().x;
    out[thread_id] = thread_id;
    if thread_id % 2 == 0 {
        sync_threads();
    } else {
        sync_threads();
    }
}

#[test]
fn a_barrier_in_divergent_code_is_refused_with_its_line() {
    let refused = parted::cuda_source().expect_err("half of the threads wait at each barrier").to_string();
    let place = format!("{}:{BARRIER}: barrier in divergent control flow", file!());
    assert!(refused.contains(&place) && refused.contains("`thread_id`"), "{refused}");
    let device = Device::simulator();
    let mut out = device.upload(&[0; 64]).expect("memory");
    let launched = parted(&mut out).grid(1).block(64).launch(&device);
    assert_eq!(launched.expect_err("the same on every device").to_string(), refused);
}

#[gpu_fn]
fn own_rank(x: &[u32]) -> u32 {
    let t = thread_idx().x;
    if x[t] == 0 {
        return 0;
    }
    t
}

#[gpu_kernel]
fn met_by_calls(x: &[u32], out: &mut [u32]) {
    let first = uniform(own_rank(x) + 1);
    if first > 0 {
        sync_threads();
    }
    let second = first + uniform(own_rank(x).max(own_rank(x)));
    if second < 100 {
        sync_threads();
    }
    out[thread_idx().x] = first;
}

#[gpu_kernel]
fn parted_beside_uniform(x: &[u32], out: &mut [u32]) {
    let rank = uniform(own_rank(x)) + own_rank(x);
    if rank > 0 {
        sync_threads();
    }
    out[thread_idx().x] = rank;
}

#[test]
fn uniform_holds_for_the_result_of_a_call_within_it_alone() {
    compiles::<met_by_calls>(&());
    let refused = parted_beside_uniform::cuda_source().expect_err("threads part").to_string();
    assert!(refused.contains("barrier in divergent control flow") && refused.contains("`rank`"), "{refused}");
}

#[gpu_fn]
fn element(x: &mut [u32], i: usize) -> &mut u32 {
    &mut x[i]
}

#[gpu_fn]
fn store(x: &mut [u32], value: u32) {
    x[0] = value;
}

macro_rules! parted_by {
    ($($name:ident |$kept:ident, $value:ident| $write:expr;)+) => {
        $(
            #[gpu_kernel]
            fn $name(out: &mut [u32]) {
                let $value = thread_idx().x;
                let mut $kept = [0; 4];
                $kept[1] = 7;
                $write;
                if $kept[0] > 3 {
                    sync_threads();
                }
                out[$value] = $kept[1];
            }
        )+

        #[test]
        fn what_a_thread_writes_through_a_reference_parts_it_from_others() {
            $(
                let refused = $name::cuda_source().expect_err("threads part").to_string();
                assert!(refused.contains("barrier in divergent control flow"), "{refused}");
                assert!(refused.contains("depends on `kept`"), "{refused}");
            )+
        }
    };
}

parted_by! {
    by_a_reference |kept, i| { let first = &mut kept[0]; *first = i };
    by_a_part |kept, i| { let part = &mut kept[..2]; part[0] = i };
    by_the_parts |kept, i| { let (low, high) = kept.split_at_mut(2); low[0] = i + high[0] };
    by_items |kept, i| for v in kept.iter_mut() { *v += i };
    by_what_a_function_gives |kept, i| *element(&mut kept, 0) = i;
    by_a_function |kept, i| store(&mut kept, i);
    by_a_method |kept, i| kept.fill(i);
}

/// Line of the first barrier of `parted_on_purpose`.
const ALLOWED: u32 = line!() + 6;

#[gpu_kernel(allow(divergent_barriers))]
fn parted_on_purpose(out: &mut [u32]) {
    let thread_id = thread_idx().x;
    if thread_id % 2 == 0 {
        sync_threads();
    } else {
        sync_threads();
    }
    out[thread_id] = thread_id;
}

#[test]
fn threads_at_different_barriers_are_a_fault_of_the_simulator() {
    compiles::<parted_on_purpose>(&());
    let device = Device::simulator();
    let mut out = device.upload(&[0; 64]).expect("memory");
    let fault = parted_on_purpose(&mut out).grid(1).block(64).launch(&device);
    let fault = fault.expect_err("half of the threads wait at each barrier").to_string();
    assert!(fault.contains("wait at two different barriers at once"), "{fault}");
    assert!(
        fault.contains(&format!("{}:{ALLOWED}", file!()))
            && fault.contains(&format!("{}:{}", file!(), ALLOWED + 2)),
        "{fault}"
    );
}

/// Line of the assertion of `positive`.
const ASSERTION: u32 = line!() + 6;

#[gpu_kernel]
fn positive(x: &[i32], out: &mut [i32]) {
    let i = global_id();
    if i < x.len() {
        assert!(x[i] > 0, "x must be positive");
        out[i] = x[i];
    }
}

#[test]
fn a_failed_assertion_is_an_error_that_says_where_and_which_thread() {
    everywhere::<positive>(&(), |device| {
        let x = device.upload(&[1, 2, -3, 4]).expect("memory");
        let mut out = device.upload(&[0; 4]).expect("memory");
        let launched = positive(&x, &mut out).grid(1).block(32).launch(device);
        let error = launched.and_then(|()| device.synchronize()).expect_err("x[2] is negative").to_string();
        assert!(error.contains("x must be positive"), "{error}");
        assert!(error.contains(&format!("{}:{ASSERTION}", file!())), "{error}");
        assert!(error.contains("(2, 0, 0)"), "{error}");
    });
}
