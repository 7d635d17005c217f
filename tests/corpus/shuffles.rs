//! The shuffle exercises: one block of 16 threads, groups of 16 lanes.
//!
//! The result tables are those of the notes, but for the butterfly's, [`NOTES_BUTTERFLY`], which no launch can give.

use warpsmith::prelude::*;

/// Threads of the block, and lanes of a shuffle group.
pub const WIDTH: u32 = 16;
/// Elements that a thread of the array exercises holds.
pub const SEGMENT: u32 = 4;
/// All lanes.
const MASK: u32 = 0xffff_ffff;

/// Every lane gets the value of lane `src_lane`.
#[gpu_kernel]
pub fn shfl_broadcast(d_out: &mut [i32], d_in: &[i32], src_lane: u32) {
    let mut value = d_in[thread_idx().x];
    value = shfl_sync(MASK, value, src_lane, WIDTH);
    d_out[thread_idx().x] = value;
}

/// Every lane gets the value of the lane `delta` below.
#[gpu_kernel]
pub fn shfl_shift_up(d_out: &mut [i32], d_in: &[i32], delta: u32) {
    let mut value = d_in[thread_idx().x];
    value = shfl_up_sync(MASK, value, delta, WIDTH);
    d_out[thread_idx().x] = value;
}

/// Every lane gets the value of the lane `delta` above.
#[gpu_kernel]
pub fn shfl_shift_down(d_out: &mut [i32], d_in: &[i32], delta: u32) {
    let mut value = d_in[thread_idx().x];
    value = shfl_down_sync(MASK, value, delta, WIDTH);
    d_out[thread_idx().x] = value;
}

/// Every lane gets the value of the lane `delta` above, around the end.
#[gpu_kernel]
pub fn shfl_wrap(d_out: &mut [i32], d_in: &[i32], delta: u32) {
    let mut value = d_in[thread_idx().x];
    value = shfl_sync(MASK, value, thread_idx().x + delta, WIDTH);
    d_out[thread_idx().x] = value;
}

/// The result of [`shfl_butterfly()`] of `0..16` with a `lane_mask` of 1, by the notes.
///
/// It cannot. Lane `i` receives the value of lane `i ^ lane_mask`, and one mask holds for all lanes. In this table lanes 2
/// and 3 keep their own values, so the mask would be 0; every other lane has its neighbour's, so it would be 1. With a
/// mask of 1 lanes 2 and 3 exchange like the others, and hold 3 and 2.
pub const NOTES_BUTTERFLY: [i32; WIDTH as usize] = [1, 0, 2, 3, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14];

/// Lanes whose numbers differ by `lane_mask` exchange values.
#[gpu_kernel]
pub fn shfl_butterfly(d_out: &mut [i32], d_in: &[i32], lane_mask: u32) {
    let mut value = d_in[thread_idx().x];
    value = shfl_xor_sync(MASK, value, lane_mask, WIDTH);
    d_out[thread_idx().x] = value;
}

/// Lanes exchange arrays of four.
#[gpu_kernel]
pub fn shfl_xor_array(d_out: &mut [i32], d_in: &[i32], lane_mask: u32) {
    let idx = thread_idx().x * SEGMENT;
    let mut value = [0; SEGMENT as usize];
    for i in 0..SEGMENT {
        value[i] = d_in[idx + i];
    }
    value[0] = shfl_xor_sync(MASK, value[0], lane_mask, WIDTH);
    value[1] = shfl_xor_sync(MASK, value[1], lane_mask, WIDTH);
    value[2] = shfl_xor_sync(MASK, value[2], lane_mask, WIDTH);
    value[3] = shfl_xor_sync(MASK, value[3], lane_mask, WIDTH);
    for i in 0..SEGMENT {
        d_out[idx + i] = value[i];
    }
}

/// Exchanges element `second` of the lanes of each pair, but `first` of the lanes below `lane_mask`.
#[gpu_fn]
fn swap(value: &mut [i32; SEGMENT as usize], lane: u32, lane_mask: u32, first: u32, second: u32) {
    let pred = lane / lane_mask + 1 == 1;
    if pred {
        let tmp = value[first];
        value[first] = value[second];
        value[second] = tmp;
    }
    value[second] = shfl_xor_sync(MASK, value[second], lane_mask, WIDTH);
    if pred {
        let tmp = value[first];
        value[first] = value[second];
        value[second] = tmp;
    }
}

/// Lanes exchange elements of different indices.
#[gpu_kernel]
pub fn shfl_swap(d_out: &mut [i32], d_in: &[i32], lane_mask: u32, first: u32, second: u32) {
    let idx = thread_idx().x * SEGMENT;
    let mut value = [0; SEGMENT as usize];
    for i in 0..SEGMENT {
        value[i] = d_in[idx + i];
    }
    swap(&mut value, thread_idx().x, lane_mask, first, second);
    for i in 0..SEGMENT {
        d_out[idx + i] = value[i];
    }
}

/// The results of the four exchanges in groups of `width` lanes, one after the other.
#[gpu_kernel]
pub fn shfl_widths(d_out: &mut [i32], d_in: &[i32], by: u32, #[comptime] width: u32) {
    let value = d_in[thread_idx().x];
    let idx = 4 * thread_idx().x;
    d_out[idx] = shfl_sync(MASK, value, by, width);
    d_out[idx + 1] = shfl_up_sync(MASK, value, by, width);
    d_out[idx + 2] = shfl_down_sync(MASK, value, by, width);
    d_out[idx + 3] = shfl_xor_sync(MASK, value, by, width);
}
