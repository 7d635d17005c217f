//! The transpose ladder, from the copies that bound it on.

use warpsmith::{Buffer, Device};

use super::data::{Random, same};
use super::{Case, Scale, module, print, text};
use crate::tensor_transpose::{SIDE, THREADS, transpose_tma};
use crate::transpose::{
    BDIMX, BDIMY, PAD, TILE_DIM, copy_col, copy_row, transpose_diagonal_col, transpose_diagonal_row,
    transpose_naive_col, transpose_naive_row, transpose_smem, transpose_smem_dyn, transpose_smem_pad,
    transpose_smem_pad_dyn, transpose_smem_unroll_pad, transpose_unroll4_col, transpose_unroll4_row,
};

/// A kernel whose blocks have a shape and cover `$over` elements in each dimension.
macro_rules! case {
    ($kernel:ident, $block:expr, $covers:expr, |$nx:ident, $ny:ident| $over:expr, $shared:expr, $ragged:literal, $host:ident) => {
        Case {
            name: stringify!($kernel),
            print: print::<$kernel>,
            module: module::<$kernel>,
            check: |device, scale| {
                check(device, scale, $ragged, $host, |out, input, [$nx, $ny]| {
                    let ([width, height], [x, y]): ([u32; 2], [u32; 2]) = ($over, $covers);
                    $kernel(out, input, $nx, $ny)
                        .grid([width.div_ceil(x), height.div_ceil(y)])
                        .block($block)
                        .dynamic_shared($shared as usize)
                        .launch(device)
                })
            },
        }
    };
}

const BLOCK: [u32; 2] = [32, 8];
const TILE: [u32; 2] = [TILE_DIM, TILE_DIM];
const UNROLLED: [u32; 2] = [16, 16];
const PAIR: [u32; 2] = [BDIMX * 2, BDIMY];

pub(super) fn cases() -> Vec<Case> {
    vec![
        case!(copy_row, BLOCK, BLOCK, |nx, ny| [nx, ny], 0, true, copied),
        case!(copy_col, BLOCK, BLOCK, |nx, ny| [nx, ny], 0, true, copied),
        case!(transpose_naive_row, BLOCK, BLOCK, |nx, ny| [nx, ny], 0, true, transposed),
        case!(transpose_naive_col, BLOCK, BLOCK, |nx, ny| [ny, nx], 0, true, transposed),
        case!(transpose_unroll4_row, UNROLLED, [64, 16], |nx, ny| [nx, ny], 0, false, transposed),
        case!(transpose_unroll4_col, UNROLLED, [64, 16], |nx, ny| [ny, nx], 0, false, transposed),
        case!(transpose_diagonal_row, BLOCK, BLOCK, |nx, ny| [nx, ny], 0, true, transposed),
        case!(transpose_diagonal_col, BLOCK, BLOCK, |nx, ny| [ny, nx], 0, true, transposed),
        case!(transpose_smem, BLOCK, TILE, |nx, ny| [nx, ny], 0, true, transposed),
        case!(transpose_smem_pad, BLOCK, TILE, |nx, ny| [nx, ny], 0, true, transposed),
        case!(transpose_smem_dyn, [32, 16], [32, 16], |nx, ny| [nx, ny], 4 * 32 * 16, true, transposed),
        case!(
            transpose_smem_pad_dyn,
            [32, 16],
            [32, 16],
            |nx, ny| [nx, ny],
            4 * (32 + PAD) * 16,
            true,
            transposed
        ),
        case!(transpose_smem_unroll_pad, [BDIMX, BDIMY], PAIR, |nx, ny| [nx, ny], 0, true, transposed),
        Case {
            name: "transpose_tma",
            print: print::<transpose_tma>,
            module: module::<transpose_tma>,
            check: check_tma,
        },
    ]
}

/// On matrices whose rows are a multiple of 16 bytes, of whole tiles and ragged.
fn check_tma(device: &Device, scale: Scale) -> Result<(), String> {
    for [nx, ny] in [scale.pick([64, 96], [16_384, 8_192]), scale.pick([44, 72], [8_188, 4_100])] {
        let input = Random::new("transpose_tma").floats(nx * ny);
        let device_input = device.upload(&input).map_err(text)?;
        let mut out = device.upload(&vec![f32::NAN; nx * ny]).map_err(text)?;
        let from = device_input.tensor_map(ny, nx).map_err(text)?;
        transpose_tma(&from, out.tensor_map_mut(nx, ny).map_err(text)?)
            .grid([nx.div_ceil(SIDE) as u32, ny.div_ceil(SIDE) as u32])
            .block(THREADS)
            .launch(device)
            .map_err(text)?;
        same(&device.download(&out).map_err(text)?, &transposed(&input, [nx, ny]))
            .map_err(|e| format!("{nx} by {ny}: {e}"))?;
    }
    Ok(())
}

fn copied(input: &[f32], _: [usize; 2]) -> Vec<f32> {
    input.to_vec()
}

fn transposed(input: &[f32], [nx, ny]: [usize; 2]) -> Vec<f32> {
    let mut out = vec![0.0; nx * ny];
    for y in 0..ny {
        for x in 0..nx {
            out[x * ny + y] = input[y * nx + x];
        }
    }
    out
}

/// On a matrix of whole blocks, and on a ragged one if the kernel takes that.
fn check(
    device: &Device,
    scale: Scale,
    ragged: bool,
    host: fn(&[f32], [usize; 2]) -> Vec<f32>,
    launch: impl Fn(&mut Buffer<f32>, &Buffer<f32>, [u32; 2]) -> warpsmith::Result<()>,
) -> Result<(), String> {
    let ragged = ragged.then_some(scale.pick([97, 61], [8_191, 4_099]));
    for [nx, ny] in [scale.pick([128, 64], [16_384, 8_192])].into_iter().chain(ragged) {
        let input = Random::new("transpose").floats(nx * ny);
        let device_input = device.upload(&input).map_err(text)?;
        let mut out = device.upload(&vec![f32::NAN; nx * ny]).map_err(text)?;
        launch(&mut out, &device_input, [nx as u32, ny as u32]).map_err(text)?;
        same(&device.download(&out).map_err(text)?, &host(&input, [nx, ny]))
            .map_err(|e| format!("{nx} by {ny}: {e}"))?;
    }
    Ok(())
}
