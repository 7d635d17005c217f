//! Waiting for another thread in a loop, by each operation that can see what it writes: free functions, and methods in
//! every scope. The waiting thread runs first, and would wait for ever if nobody noticed.

use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

/// One kernel for each way to wait: what the waiting thread repeats, what the other does, what the flag is before.
macro_rules! waits {
    ($($name:ident($flag:ident) while { $($wait:tt)+ } until { $($set:tt)+ } from $before:tt;)+) => {
        $(
            #[gpu_kernel]
            fn $name($flag: &mut [u32], out: &mut [u32]) {
                if thread_idx().x == 0 {
                    while $($wait)+ {}
                    out[0] = 1;
                } else if thread_idx().x == 32 {
                    $($set)+
                }
            }
        )+

        #[test]
        fn every_wait_ends() {
            for executor in [Executor::Twin, Executor::Interpreter] {
                let settings = Settings::from_env().expect("variables that mean something");
                let device = Device::simulator_with(Settings { executor, ..settings });
                $({
                    let (mut flag, mut out) = (
                        device.upload(&[$before as u32]).expect("memory"),
                        device.upload(&[0u32]).expect("memory"),
                    );
                    let ended = $name(&mut flag, &mut out).grid(1).block(64).launch(&device);
                    ended.unwrap_or_else(|e| panic!("{} by {executor:?}: {e}", stringify!($name)));
                    assert_eq!(device.download(&out).expect("memory"), [1], "{}", stringify!($name));
                })+
            }
        }
    };
}

#[gpu_fn]
fn is_set(flag: &mut u32) -> bool {
    atomic_or(flag, 0) != 0
}

#[gpu_fn]
fn is_set_at_last(flag: &mut u32) -> bool {
    is_set(flag)
}

mod functions {
    use super::*;

    waits! {
        add(flag) while { atomic_add(&mut flag[0], 0) == 0 } until { atomic_add(&mut flag[0], 1); } from 0;
        sub(flag) while { atomic_sub(&mut flag[0], 0) == 0 } until { atomic_sub(&mut flag[0], 1); } from 0;
        min(flag) while { atomic_min(&mut flag[0], 9) == 9 } until { atomic_min(&mut flag[0], 1); } from 9;
        max(flag) while { atomic_max(&mut flag[0], 0) == 0 } until { atomic_max(&mut flag[0], 1); } from 0;
        and(flag) while { atomic_and(&mut flag[0], 1) == 1 } until { atomic_and(&mut flag[0], 0); } from 1;
        or(flag) while { atomic_or(&mut flag[0], 0) == 0 } until { atomic_or(&mut flag[0], 1); } from 0;
        xor(flag) while { atomic_xor(&mut flag[0], 0) == 0 } until { atomic_xor(&mut flag[0], 1); } from 0;
        exchange(flag) while { atomic_exchange(&mut flag[0], 0) == 0 } until { atomic_exchange(&mut flag[0], 1); } from 0;
        compare_exchange(flag) while { atomic_compare_exchange(&mut flag[0], 0, 0) == 0 } until { atomic_compare_exchange(&mut flag[0], 0, 1); } from 0;
        inc(flag) while { atomic_inc(&mut flag[0], 0) == 0 } until { atomic_inc(&mut flag[0], 9); } from 0;
        dec(flag) while { atomic_dec(&mut flag[0], 0) == 0 } until { atomic_dec(&mut flag[0], 9); } from 0;
        volatile(flag) while { volatile_load(&flag[0]) == 0 } until { volatile_store(&mut flag[0], 1); } from 0;
        in_a_function(flag) while { !is_set(&mut flag[0]) } until { atomic_or(&mut flag[0], 1); } from 0;
        in_a_function_of_a_function(flag) while { !is_set_at_last(&mut flag[0]) } until { atomic_or(&mut flag[0], 1); } from 0;
    }
}

/// The methods in one scope.
macro_rules! methods {
    ($($module:ident $scope:ident)+) => {$(
        mod $module {
            use super::*;

            waits! {
                load(flag) while { $scope(&mut flag[0]).load(Ordering::Acquire) == 0 }
                    until { $scope(&mut flag[0]).store(1, Ordering::Release); } from 0;
                swap(flag) while { $scope(&mut flag[0]).swap(0, Ordering::AcqRel) == 0 }
                    until { $scope(&mut flag[0]).swap(1, Ordering::AcqRel); } from 0;
                compare_exchange(flag) while { $scope(&mut flag[0]).compare_exchange(1, 2, Ordering::AcqRel, Ordering::Acquire).is_err() }
                    until { let _ = $scope(&mut flag[0]).compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed).is_ok(); } from 0;
                compare_exchange_weak(flag) while { $scope(&mut flag[0]).compare_exchange_weak(1, 2, Ordering::AcqRel, Ordering::Acquire).is_err() }
                    until { $scope(&mut flag[0]).store(1, Ordering::Release); } from 0;
                fetch_add(flag) while { $scope(&mut flag[0]).fetch_add(0, Ordering::AcqRel) == 0 }
                    until { $scope(&mut flag[0]).fetch_add(1, Ordering::AcqRel); } from 0;
                fetch_sub(flag) while { $scope(&mut flag[0]).fetch_sub(0, Ordering::AcqRel) == 0 }
                    until { $scope(&mut flag[0]).fetch_sub(1, Ordering::AcqRel); } from 0;
                fetch_min(flag) while { $scope(&mut flag[0]).fetch_min(9, Ordering::AcqRel) == 9 }
                    until { $scope(&mut flag[0]).fetch_min(1, Ordering::AcqRel); } from 9;
                fetch_max(flag) while { $scope(&mut flag[0]).fetch_max(0, Ordering::AcqRel) == 0 }
                    until { $scope(&mut flag[0]).fetch_max(1, Ordering::AcqRel); } from 0;
                fetch_and(flag) while { $scope(&mut flag[0]).fetch_and(1, Ordering::AcqRel) == 1 }
                    until { $scope(&mut flag[0]).fetch_and(0, Ordering::AcqRel); } from 1;
                fetch_or(flag) while { $scope(&mut flag[0]).fetch_or(0, Ordering::AcqRel) == 0 }
                    until { $scope(&mut flag[0]).fetch_or(1, Ordering::AcqRel); } from 0;
                fetch_xor(flag) while { $scope(&mut flag[0]).fetch_xor(0, Ordering::AcqRel) == 0 }
                    until { $scope(&mut flag[0]).fetch_xor(1, Ordering::AcqRel); } from 0;
                fetch_inc(flag) while { $scope(&mut flag[0]).fetch_inc(0, Ordering::AcqRel) == 0 }
                    until { $scope(&mut flag[0]).fetch_inc(9, Ordering::AcqRel); } from 0;
                fetch_dec(flag) while { $scope(&mut flag[0]).fetch_dec(0, Ordering::AcqRel) == 0 }
                    until { $scope(&mut flag[0]).fetch_dec(9, Ordering::AcqRel); } from 0;
            }
        }
    )+};
}

methods! { device atomic block atomic_block cluster atomic_cluster system atomic_system }

/// A loop that counts, and is left when the flag is set.
#[gpu_kernel]
fn counting(flag: &mut [u32], out: &mut [u32]) {
    if thread_idx().x == 0 {
        for _ in 0..u64::MAX {
            if atomic_or(&mut flag[0], 0) != 0 {
                out[0] = 1;
                break;
            }
        }
    } else if thread_idx().x == 32 {
        atomic_or(&mut flag[0], 1);
    }
}

#[test]
fn a_counting_loop_that_is_left_may_wait() {
    for executor in [Executor::Twin, Executor::Interpreter] {
        let settings = Settings::from_env().expect("variables that mean something");
        let device = Device::simulator_with(Settings { executor, ..settings });
        let (mut flag, mut out) =
            (device.upload(&[0u32]).expect("memory"), device.upload(&[0u32]).expect("memory"));
        counting(&mut flag, &mut out).grid(1).block(64).launch(&device).expect("it ends");
        assert_eq!(device.download(&out).expect("memory"), [1]);
    }
}
