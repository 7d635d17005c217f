//! The shuffle exercises against the course's own result tables.

use warpsmith::{Buffer, Device};

use super::data::same;
use super::{Case, Scale, print, text};
use crate::shuffles::{
    shfl_broadcast, shfl_butterfly, shfl_shift_down, shfl_shift_up, shfl_swap, shfl_wrap, shfl_xor_array,
};

/// Launches on `0..16` and compares with a table. The same at every scale.
fn check(
    device: &Device,
    launch: impl Fn(&mut Buffer<i32>, &Buffer<i32>) -> Shuffle,
    want: [i32; 16],
) -> Result<(), String> {
    let input = device.upload(&(0..16).collect::<Vec<i32>>()).map_err(text)?;
    let mut out = device.upload(&[-1i32; 16]).map_err(text)?;
    launch(&mut out, &input).map_err(text)?;
    same(&device.download(&out).map_err(text)?, &want)
}

type Shuffle = warpsmith::Result<()>;

macro_rules! case {
    ($kernel:ident($($arg:literal),+), $threads:literal, $want:expr) => {
        Case {
            name: stringify!($kernel),
            print: print::<$kernel>,
            check: |device, _scale: Scale| {
                check(device, |out, input| $kernel(out, input, $($arg),+).grid(1).block($threads).launch(device), $want)
            },
        }
    };
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case!(shfl_broadcast(2), 16u32, [2; 16]),
        case!(shfl_shift_up(2), 16u32, [0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]),
        case!(shfl_shift_down(2), 16u32, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 14, 15]),
        case!(shfl_wrap(2), 16u32, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1]),
        // The course's table has lanes 2 and 3 unexchanged, which an exclusive or with 1 cannot give.
        case!(shfl_butterfly(1), 16u32, [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]),
        case!(shfl_xor_array(1), 4u32, [4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11]),
        case!(shfl_swap(1, 0, 3), 4u32, [7, 1, 2, 3, 4, 5, 6, 0, 15, 9, 10, 11, 12, 13, 14, 8]),
    ]
}
