//! Divergent barriers are refused, uniform ones pass; each kernel is one case.

use crate::prelude::*;
use crate::validate::{ValidateError, Warning, validate};

fn check<K: Kernel<Comptime = ()>>() -> Result<Vec<Warning>, ValidateError> {
    let module = K::record(&()).expect("the kernel records");
    validate(module).map(|valid| valid.warnings().to_vec())
}

#[gpu_kernel]
fn barrier_under_thread_index(x: &mut [f32]) {
    if thread_idx().x < 16 {
        sync_threads();
    }
    x[thread_idx().x] = 0.0;
}

#[gpu_kernel]
fn barrier_under_first_warp(x: &mut [f32]) {
    let tid = thread_idx().x;
    if tid < 32 {
        sync_threads();
    }
    x[tid] = 0.0;
}

#[gpu_kernel]
fn barrier_in_thread_loop(x: &mut [f32]) {
    let mut n = thread_idx().x;
    while n > 0 {
        sync_threads();
        n -= 1;
    }
    x[0] = 0.0;
}

#[gpu_fn]
fn sync_in_function() {
    sync_threads();
}

#[gpu_kernel]
fn barrier_in_called_function(x: &mut [f32]) {
    if thread_idx().x == 3 {
        sync_in_function();
    }
    x[0] = 0.0;
}

#[test]
fn barriers_that_depend_on_the_thread_are_refused() {
    assert!(
        matches!(check::<barrier_under_thread_index>(), Err(ValidateError::DivergentBarrier { cause, .. }) if cause == "thread_idx()")
    );
    assert!(
        matches!(check::<barrier_under_first_warp>(), Err(ValidateError::DivergentBarrier { cause, .. }) if cause == "tid")
    );
    assert!(
        matches!(check::<barrier_in_thread_loop>(), Err(ValidateError::DivergentBarrier { cause, .. }) if cause == "n")
    );
    assert!(matches!(check::<barrier_in_called_function>(), Err(ValidateError::DivergentBarrier { .. })));
}

#[gpu_kernel]
fn shuffle_below_thread_16(x: &mut [u32]) {
    let tid = thread_idx().x;
    if tid < 16 {
        x[tid] = shfl(tid, 0);
    }
}

#[gpu_kernel]
fn shuffle_below_thread_32(x: &mut [u32]) {
    let tid = thread_idx().x;
    if tid < 32 {
        x[tid] = shfl(tid, 0);
    }
}

#[test]
fn a_shuffle_where_a_warp_is_cut_in_two_is_refused() {
    assert!(matches!(check::<shuffle_below_thread_16>(), Err(ValidateError::DivergentWarp { .. })));
    assert!(check::<shuffle_below_thread_32>().is_ok());
}

#[gpu_kernel]
fn barrier_under_block_index(x: &mut [f32], n: u32) {
    if block_idx().x < n {
        sync_threads();
    }
    for _ in 0..n {
        sync_threads();
    }
    x[0] = 0.0;
}

#[gpu_kernel]
fn loop_steered_by_shared_flag(x: &mut [f32]) {
    let mut flag = shared!([u32; 1]);
    flag[0] = 0;
    sync_threads();
    while flag[0] == 0 {
        sync_threads();
        if thread_idx().x == 0 {
            flag[0] = 1;
        }
        sync_threads();
    }
    x[0] = 0.0;
}

#[gpu_kernel]
fn author_overrules(x: &mut [f32], n: u32) {
    if uniform(x[thread_idx().x] as u32) < n {
        sync_threads();
    }
}

#[gpu_kernel(allow(divergent_barriers))]
fn kernel_allows(x: &mut [f32]) {
    if thread_idx().x < 16 {
        sync_threads();
    }
    x[0] = 0.0;
}

#[test]
fn uniform_conditions_pass() {
    assert_eq!(check::<barrier_under_block_index>(), Ok(vec![]));
    assert_eq!(check::<loop_steered_by_shared_flag>(), Ok(vec![]));
    assert_eq!(check::<author_overrules>(), Ok(vec![]));
    assert_eq!(check::<kernel_allows>(), Ok(vec![]));
}

#[gpu_kernel]
fn shuffle_in_half_a_warp(x: &mut [i32]) {
    if lane_id() < 16 {
        x[0] = shfl_xor(x[1], 1);
    }
}

#[gpu_kernel]
fn shuffle_in_a_branch_of_a_value(x: &mut [i32]) {
    let lane = lane_id();
    x[lane] = if lane & 1 == 0 { shfl(x[lane], 0) } else { 0 };
}

#[gpu_kernel]
fn shuffle_in_a_part_of_each_warp(x: &mut [i32]) {
    let lane = thread_idx().x & 31;
    if lane < 7 {
        x[lane] = shfl_xor(x[lane], 8);
    }
}

#[gpu_kernel]
fn shuffle_by_a_remainder(x: &mut [i32]) {
    if thread_idx().x as usize % 32 >= 20 {
        x[0] = shfl_down(x[1], 8);
    }
}

#[gpu_kernel]
fn shuffle_in_some_warps(x: &mut [i32]) {
    if thread_idx().x & 63 < 32 {
        x[0] = shfl_xor(x[1], 1);
    }
}

#[gpu_kernel]
fn shuffle_in_first_warp(x: &mut [i32]) {
    let tid = thread_idx().x;
    if tid < 32 {
        x[tid] = shfl_xor(x[tid], 1);
    }
}

#[gpu_kernel]
fn shuffle_with_a_mask(x: &mut [i32]) {
    if lane_id() < 16 {
        x[0] = shfl_xor_sync(0xffff, x[1], 1, 16);
    }
}

#[gpu_kernel]
fn shuffle_under_length(x: &mut [i32]) {
    let i = global_id();
    if i < x.len() {
        x[i] = shfl_xor(x[i], 1);
    }
}

#[test]
fn warp_operations_are_refused_only_where_lanes_provably_part() {
    assert!(
        matches!(check::<shuffle_in_half_a_warp>(), Err(ValidateError::DivergentWarp { cause, .. }) if cause == "lane_id()")
    );
    assert!(
        matches!(check::<shuffle_in_a_branch_of_a_value>(), Err(ValidateError::DivergentWarp { cause, .. }) if cause == "lane")
    );
    let parted = |outcome| matches!(outcome, Err(ValidateError::DivergentWarp { .. }));
    assert!(parted(check::<shuffle_in_a_part_of_each_warp>()));
    assert!(parted(check::<shuffle_by_a_remainder>()));
    assert_eq!(check::<shuffle_in_some_warps>(), Ok(vec![]));
    assert_eq!(check::<shuffle_in_first_warp>(), Ok(vec![]));
    assert_eq!(check::<shuffle_with_a_mask>(), Ok(vec![]));
    assert_eq!(check::<shuffle_under_length>(), Ok(vec![]));
}

#[gpu_kernel]
fn early_return(x: &mut [f32]) {
    let i = global_id();
    if i >= x.len() {
        return;
    }
    sync_threads();
    x[i] = 0.0;
}

#[test]
fn a_return_before_a_barrier_is_a_warning() {
    let warnings = check::<early_return>().expect("only a warning");
    assert!(matches!(warnings.as_slice(), [Warning::EarlyReturn { .. }]), "{warnings:?}");
}

#[gpu_kernel]
fn too_much_shared(x: &mut [f32]) {
    let mut tile = shared!([f32; 60000]);
    tile[thread_idx().x] = 1.0;
    x[0] = tile[0];
}

#[test]
fn shared_memory_has_a_limit() {
    assert!(matches!(
        check::<too_much_shared>(),
        Err(ValidateError::SharedMemory { bytes: 240000, limit: 232448, .. })
    ));
}

/// The threads that go on with the next round come to its first barrier with all others.
#[gpu_kernel]
fn continue_after_the_barriers(x: &[u32], y: &mut [u32], n: u32) {
    let mut tile = shared!([u32; 32]);
    let t = thread_idx().x;
    let active = t < n;
    let mut sum = 0u32;
    for k in 0..4 {
        sync_threads();
        tile[t] = x[k * 32 + t];
        sync_threads();
        if !active {
            continue;
        }
        sum += tile[31 - t];
    }
    y[t] = sum;
}

#[gpu_kernel]
fn continue_of_an_outer_loop(y: &mut [u32]) {
    let t = thread_idx().x;
    'rounds: for k in 0..4 {
        sync_threads();
        for j in 0..k {
            if t > j {
                continue 'rounds;
            }
            y[t] += j;
        }
    }
}

#[gpu_kernel]
fn labelled_block_after_a_barrier(y: &mut [u32]) {
    let t = thread_idx().x;
    'work: {
        sync_threads();
        if t > 5 {
            break 'work;
        }
        y[t] = t;
    }
    sync_threads();
}

#[gpu_kernel]
fn continue_out_of_a_block(y: &mut [u32]) {
    let t = thread_idx().x;
    'rounds: for k in 0..4 {
        'work: {
            sync_threads();
            if t > k + 1 {
                break 'work;
            }
            if t > k {
                continue 'rounds;
            }
            y[t] = k;
        }
        y[t] += 1;
    }
}

#[gpu_kernel]
fn continue_in_the_other_branch(y: &mut [u32], n: u32) {
    let t = thread_idx().x;
    for k in 0..n {
        if k % 2 == 0 {
            if t > k {
                continue;
            }
            y[t] = t;
        } else {
            sync_threads();
        }
    }
}

#[test]
fn barriers_that_all_threads_meet_at_again_pass() {
    assert_eq!(check::<continue_after_the_barriers>(), Ok(vec![]));
    assert_eq!(check::<continue_of_an_outer_loop>(), Ok(vec![]));
    assert_eq!(check::<labelled_block_after_a_barrier>(), Ok(vec![]));
    assert_eq!(check::<continue_in_the_other_branch>(), Ok(vec![]));
    assert_eq!(check::<continue_out_of_a_block>(), Ok(vec![]));
}

#[gpu_kernel]
fn continue_before_the_barrier(y: &mut [u32]) {
    let t = thread_idx().x;
    for k in 0..4 {
        if t > k {
            continue;
        }
        sync_threads();
        y[t] = k;
    }
}

#[gpu_kernel]
fn continue_before_a_nested_barrier(y: &mut [u32], n: u32) {
    let t = thread_idx().x;
    for k in 0..4 {
        if n > 2 {
            y[0] = 1;
            if t > k {
                continue;
            }
        }
        for _ in 0..n {
            sync_threads();
        }
        y[t] = k;
    }
}

/// An inner loop that some threads leave for the next outer round has barriers for the others.
#[gpu_kernel]
fn barrier_in_the_loop_that_is_left(y: &mut [u32]) {
    let t = thread_idx().x;
    'rounds: for k in 0..4 {
        for j in 0..k {
            sync_threads();
            if t > j {
                continue 'rounds;
            }
            y[t] += j;
        }
    }
}

#[gpu_kernel]
fn barrier_behind_the_loop_that_is_left(y: &mut [u32]) {
    let t = thread_idx().x;
    'rounds: for k in 0..4 {
        for j in 0..k {
            if t > j {
                continue 'rounds;
            }
            y[t] += j;
        }
        sync_threads();
    }
}

#[gpu_kernel]
fn break_before_the_next_round(y: &mut [u32]) {
    let t = thread_idx().x;
    for k in 0..4 {
        sync_threads();
        if t > k {
            break;
        }
        y[t] = k;
    }
}

/// The statement that counts the rounds stands behind the `continue`: not all threads make the same number.
#[gpu_kernel]
fn continue_before_the_count(y: &mut [u32]) {
    let t = thread_idx().x;
    let mut k = 0;
    let mut rounds = 0u32;
    while k < 4 && rounds < 100 {
        sync_threads();
        rounds += 1;
        if t > rounds {
            continue;
        }
        k += 1;
    }
    y[t] = k;
}

/// A variable that is set behind the `continue` differs from thread to thread.
#[gpu_kernel]
fn barrier_by_what_was_skipped(y: &mut [u32]) {
    let t = thread_idx().x;
    let mut flag = 0u32;
    for k in 0..4 {
        if flag > 0 {
            sync_threads();
        }
        if t > k {
            continue;
        }
        flag = 1;
    }
    y[t] = flag;
}

#[gpu_kernel]
fn block_that_is_repeated(y: &mut [u32]) {
    let t = thread_idx().x;
    let mut k = 0;
    loop {
        sync_threads();
        k += 1;
        if t > k {
            break;
        }
        if k < 3 {
            continue;
        }
        break;
    }
    y[t] = k;
}

#[test]
fn barriers_that_some_threads_have_skipped_are_refused() {
    fn refused<K: Kernel<Comptime = ()>>() {
        let checked = check::<K>();
        assert!(matches!(checked, Err(ValidateError::DivergentBarrier { .. })), "{}: {checked:?}", K::NAME);
    }
    refused::<continue_before_the_barrier>();
    refused::<continue_before_a_nested_barrier>();
    refused::<barrier_in_the_loop_that_is_left>();
    refused::<barrier_behind_the_loop_that_is_left>();
    refused::<break_before_the_next_round>();
    refused::<continue_before_the_count>();
    refused::<barrier_by_what_was_skipped>();
    refused::<block_that_is_repeated>();
}

#[gpu_kernel]
fn exchange_that_releases_in_vain(x: &mut [u32]) {
    let _ = atomic(&mut x[0]).compare_exchange(0, 1, Ordering::AcqRel, Ordering::Release);
}

#[gpu_kernel]
fn exchange_of_a_failing_load(x: &mut [u32]) {
    let _ = atomic(&mut x[0]).compare_exchange(0, 1, Ordering::Release, Ordering::Acquire);
}

/// As with Rust's own: an exchange that fails has loaded, and a load cannot release.
#[test]
fn an_exchange_that_fails_cannot_release() {
    let refused = exchange_that_releases_in_vain::record(&()).expect_err("a load releases").to_string();
    assert!(refused.contains("the ordering `Release`") && refused.contains("compare_exchange"), "{refused}");
    assert!(exchange_of_a_failing_load::record(&()).is_ok());
}
