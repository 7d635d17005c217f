//! Matrices and volumes of padded rows.

use warpsmith::Device;

use super::data::{Random, same};
use super::{Case, Scale, module, print, text};
use crate::pitched::{scale_pitched, scale_pitched_3d};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "scale_pitched",
            print: print::<scale_pitched>,
            module: module::<scale_pitched>,
            check: check_matrix,
        },
        Case {
            name: "scale_pitched_3d",
            print: print::<scale_pitched_3d>,
            module: module::<scale_pitched_3d>,
            check: check_volume,
        },
    ]
}

/// A power of two, by which a product is exact.
const FACTOR: f32 = 0.25;

/// Rows end at bytes that no alignment divides, so every row is padded.
fn padded(pitch: usize, cols: usize) -> Result<(), String> {
    if pitch > cols * size_of::<f32>() {
        Ok(())
    } else {
        Err(format!("rows of {pitch} bytes are not padded"))
    }
}

fn check_matrix(device: &Device, scale: Scale) -> Result<(), String> {
    let [rows, cols] = scale.pick([37, 113], [8191, 8209]);
    let input = Random::new("scale_pitched").floats(rows * cols);
    let want: Vec<f32> = input.iter().map(|x| x * FACTOR).collect();
    let mut matrix = device.alloc_pitched::<f32>(rows, cols).map_err(text)?;
    padded(matrix.pitch(), cols)?;
    matrix.write(&input).map_err(text)?;
    let [grid, block] = scale.pick([5u32, 64], [100, 512]);
    scale_pitched(matrix.view2_mut(), FACTOR).grid(grid).block(block).launch(device).map_err(text)?;
    same(&matrix.to_vec().map_err(text)?, &want)
}

fn check_volume(device: &Device, scale: Scale) -> Result<(), String> {
    let [planes, rows, cols] = scale.pick([5, 7, 61], [129, 511, 1021]);
    let input = Random::new("scale_pitched_3d").floats(planes * rows * cols);
    let want: Vec<f32> = input.iter().map(|x| x * FACTOR).collect();
    let mut volume = device.alloc_pitched_3d::<f32>(planes, rows, cols).map_err(text)?;
    padded(volume.pitch(), cols)?;
    volume.write(&input).map_err(text)?;
    let [grid, block] = scale.pick([3u32, 32], [100, 512]);
    let grid = [grid, planes as u32];
    scale_pitched_3d(volume.view3_mut(), FACTOR).grid(grid).block(block).launch(device).map_err(text)?;
    same(&volume.to_vec().map_err(text)?, &want)
}
