//! The shuffle exercises against the course's own result tables.

use warpsmith::{Buffer, Device, Kernel};

use super::data::same;
use super::{Case, Scale, module, print, text};
use crate::shuffles::{
    shfl_broadcast, shfl_butterfly, shfl_shift_down, shfl_shift_up, shfl_swap, shfl_widths, shfl_wrap,
    shfl_xor_array,
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
            print: print::<$kernel>, module: module::<$kernel>,
            check: |device, _scale: Scale| {
                check(device, |out, input| $kernel(out, input, $($arg),+).grid(1).block($threads).launch(device), $want)
            },
        }
    };
}

macro_rules! width {
    ($name:literal, $width:literal) => {
        Case {
            name: $name,
            print: |options| shfl_widths::print(&($width,), options),
            module: || shfl_widths::module(&($width,)),
            check: |device, _scale| check_width(device, $width),
        }
    };
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case!(shfl_broadcast(2), 16u32, [2; 16]),
        case!(shfl_shift_up(2), 16u32, [0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]),
        case!(shfl_shift_down(2), 16u32, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 14, 15]),
        case!(shfl_wrap(2), 16u32, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1]),
        // Not the notes' table, which is impossible: see `NOTES_BUTTERFLY`.
        case!(shfl_butterfly(1), 16u32, [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]),
        case!(shfl_xor_array(1), 4u32, [4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11]),
        case!(shfl_swap(1, 0, 3), 4u32, [7, 1, 2, 3, 4, 5, 6, 0, 8, 9, 10, 15, 12, 13, 14, 11]),
        width!("shfl_widths@width_1", 1),
        width!("shfl_widths@width_2", 2),
        width!("shfl_widths@width_4", 4),
        width!("shfl_widths@width_8", 8),
        width!("shfl_widths@width_16", 16),
        width!("shfl_widths@width_32", 32),
    ]
}

/// All four exchanges of a warp in groups of `width`, by each distance in a warp.
fn check_width(device: &Device, width: u32) -> Result<(), String> {
    let input: Vec<i32> = (100..132).collect();
    let data = device.upload(&input).map_err(text)?;
    for by in 0..32 {
        let mut out = device.upload(&[-1i32; 128]).map_err(text)?;
        shfl_widths(&mut out, &data, by, width).grid(1).block(32).launch(device).map_err(text)?;
        let want: Vec<i32> =
            (0..32).flat_map(|lane| sources(lane, by, width)).map(|l| input[l as usize]).collect();
        same(&device.download(&out).map_err(text)?, &want).map_err(|e| format!("by {by}: {e}"))?;
    }
    Ok(())
}

/// The lanes that a lane reads: by index, from below, from above, by exclusive or.
fn sources(lane: u32, by: u32, width: u32) -> [u32; 4] {
    let (first, at) = (lane / width * width, lane % width);
    let up = if at >= by { lane - by } else { lane };
    let down = if at + by < width { lane + by } else { lane };
    // A group of a lower number may be read, one of a higher number may not.
    let xor = if (lane ^ by) < first + width { lane ^ by } else { lane };
    [first + by % width, up, down, xor]
}
