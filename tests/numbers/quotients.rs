//! Quotients of signed numbers, whose CUDA divides without a sign where a launch has no negative numbers.

use harness::{everywhere, written};
use warpsmith::prelude::*;

/// Divides the number of each thread, less another number, by a parameter.
#[gpu_kernel]
fn quotients(out: &mut [i32], less: i32, by: i32) {
    let i = global_id() as i32 - less;
    if by != 0 && global_id() < out.len() / 2 {
        out[2 * global_id()] = i / by;
        out[2 * global_id() + 1] = i % by;
    }
}

#[test]
fn quotients_have_a_sign_where_a_launch_may_have_negative_numbers() {
    everywhere::<quotients>(&(), |gpu| {
        for (less, by) in
            [(0, 3), (0, -3), (5, 3), (5, -3), (0, 1), (5, -1), (i32::MIN + 40, 7), (0, i32::MIN)]
        {
            let expected: Vec<i32> = (0i32..32).flat_map(|i| [(i - less) / by, (i - less) % by]).collect();
            let out = written(gpu, (64, 0), |out| quotients(out, less, by).grid(1).block(32).launch(gpu));
            assert_eq!(out, expected, "{less} {by}");
        }
    });
}
