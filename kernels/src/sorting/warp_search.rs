//! A search by all lanes of a warp: 32 places at a time.

use warpsmith::prelude::*;

/// The first number from `least` up to `most` for which a condition does not hold; `most` if it holds for all before. From there on it holds for
/// none. Whole warps call it with the same bounds.
#[gpu_fn]
pub fn first_without(least: u32, most: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let lane = thread_idx().x % 32;
    let (mut least, mut most) = (least, most);
    while least < most {
        let step = (most - least).div_ceil(32);
        let at = least + lane * step;
        let held = ballot(at < most && holds(at)).count_ones();
        if held == 0 {
            most = least;
        } else {
            most = most.min(least + held * step);
            least += (held - 1) * step + 1;
        }
    }
    least
}
