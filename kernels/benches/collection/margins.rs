//! Arrays that are put side by side, and planes that are padded.

use warpsmith::prelude::*;
use warpsmith_kernels::argument::array;
use warpsmith_kernels::images::Border;
use warpsmith_kernels::movement::{concat, pad};

use crate::function::Work::Bytes;
use crate::function::{Function, Result, Run, check, kept, launches, word};

/// The side of a plane that is padded.
const PLANE: usize = 512;

/// Sizes are numbers of elements of the input. Bytes are those of the input, read and written.
pub const FUNCTIONS: &[Function] = &[
    Function::new("concat_f32", Bytes(8.0), |d, n| joined(d, n, 2, 1)),
    Function::new("concat_rows_f32", Bytes(8.0), |d, n| joined(d, n, 8, 0)),
    Function::new("pad_f32", Bytes(8.0), |d, n| padded(d, n, 1, Border::Zero)),
    Function::new("pad_reflect_f32", Bytes(8.0), |d, n| padded(d, n, 4, Border::Reflect)),
];

fn words(n: usize, first: usize) -> Vec<u32> {
    (first..first + n).map(word).collect()
}

/// Matrices of 4096 columns, side by side or below each other.
fn joined(device: &Device, n: usize, count: usize, axis: usize) -> Result<Run<'static>> {
    let cols = 4096;
    let rows = n / count / cols;
    let mut parts: Vec<&'static Buffer<u32>> = Vec::new();
    for k in 0..count {
        parts.push(kept(device.upload(&words(rows * cols, k << 24))?));
    }
    let y = kept(device.alloc_zeroed::<u32>(rows * cols * count)?);
    let arrays =
        || parts.iter().map(|part| array(*part, &[rows, cols])).collect::<std::result::Result<Vec<_>, _>>();
    concat(device, arrays()?, axis, &mut *y).run()?;
    let got = device.download(y)?;
    let from = |i: usize| match axis {
        0 => (i / (rows * cols), i % (rows * cols)),
        _ => (i / cols % count, i / cols / count * cols + i % cols),
    };
    let is_right = (0..got.len()).step_by(61).all(|i| got[i] == word((from(i).0 << 24) + from(i).1));
    check(is_right, || "an element in a wrong place".to_owned())?;
    launches(device, concat(device, arrays()?, axis, y))
}

/// Planes with a margin on each side.
fn padded(device: &Device, n: usize, margin: usize, border: Border) -> Result<Run<'static>> {
    let (planes, side) = (n / (PLANE * PLANE), PLANE + 2 * margin);
    let x = kept(device.upload(&words(planes * PLANE * PLANE, 0))?);
    let y = kept(device.alloc_zeroed::<u32>(planes * side * side)?);
    let extents = [planes, PLANE, PLANE];
    let margins = [[0, 0], [margin; 2], [margin; 2]];
    pad(device, &*x, &extents, &margins, &mut *y).border(border).run()?;
    let got = device.download(y)?;
    let inside = |i: usize| (margin..margin + PLANE).contains(&i).then(|| i - margin);
    let is_right = (0..got.len()).step_by(61).all(|i| {
        let (plane, row, col) = (i / side / side, inside(i / side % side), inside(i % side));
        row.zip(col).is_none_or(|(row, col)| got[i] == word((plane * PLANE + row) * PLANE + col))
    });
    check(is_right, || "an element in a wrong place".to_owned())?;
    launches(device, pad(device, &*x, &extents, &margins, y).border(border))
}
