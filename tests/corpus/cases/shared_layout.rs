//! Layouts of a tile in shared memory: what comes out is the tile's indices, or their transpose.

use warpsmith::Device;

use super::data::same;
use super::{Case, Scale, module, print, text};
use crate::shared_layout::{
    BDIMX, BDIMY, PAD, RECT_BDIMY, set_col_read_col, set_col_read_col_rect, set_row_read_col,
    set_row_read_col_dyn, set_row_read_col_dyn_pad, set_row_read_col_dyn_rect, set_row_read_col_pad,
    set_row_read_col_pad_rect, set_row_read_col_rect, set_row_read_row, set_row_read_row_rect,
};

/// The same at every scale: one block, that of the course.
macro_rules! case {
    ($kernel:ident, $rows:expr, $row_length:expr, $transposed:literal) => {
        Case {
            name: stringify!($kernel),
            print: print::<$kernel>,
            module: module::<$kernel>,
            check: |device: &Device, _scale: Scale| {
                let mut out = device.upload(&vec![u32::MAX; (BDIMX * $rows) as usize]).map_err(text)?;
                $kernel(&mut out)
                    .grid(1)
                    .block([BDIMX, $rows])
                    .dynamic_shared(($row_length * $rows * 4) as usize)
                    .launch(device)
                    .map_err(text)?;
                same(&device.download(&out).map_err(text)?, &indices($rows, $transposed))
            },
        }
    };
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case!(set_row_read_row, BDIMY, 0, false),
        case!(set_col_read_col, BDIMY, 0, false),
        case!(set_row_read_col, BDIMY, 0, true),
        case!(set_row_read_col_dyn, BDIMY, BDIMX, true),
        case!(set_row_read_col_pad, BDIMY, 0, true),
        case!(set_row_read_col_dyn_pad, BDIMY, BDIMX + PAD, true),
        case!(set_row_read_row_rect, RECT_BDIMY, 0, false),
        case!(set_col_read_col_rect, RECT_BDIMY, 0, false),
        case!(set_row_read_col_rect, RECT_BDIMY, 0, true),
        case!(set_row_read_col_dyn_rect, RECT_BDIMY, BDIMX, true),
        case!(set_row_read_col_pad_rect, RECT_BDIMY, 0, true),
    ]
}

/// The numbers of a tile's elements in the order of its rows, or of its columns.
fn indices(rows: u32, transposed: bool) -> Vec<u32> {
    if transposed {
        (0..BDIMX).flat_map(|col| (0..rows).map(move |row| row * BDIMX + col)).collect()
    } else {
        (0..BDIMX * rows).collect()
    }
}
