//! Launches of kernels with tensor cores and the copy engine whose metrics are predicted, and measured by Nsight Compute.

use warpsmith::prelude::*;

use crate::attention::{self as heads, Heads, attention};
use crate::bulk_rows::{BULK_THREADS, rms_norm_bulk};
use crate::hopper::{self, gemm_sm90};
use crate::measured::{How, Measured, done};
use crate::tensor_cores::{self, gemm_sm80};
use crate::tensor_transpose::{self, transpose_tma};

fn ones(device: &Device, count: usize) -> warpsmith::Result<Buffer<bf16>> {
    device.upload(&vec![bf16::ONE; count])
}

/// Counts or runs attention of one head by one block, which uses each stage more than once.
fn attend<const CAUSAL: bool, const TOKENS: usize>(
    device: &Device,
    how: How,
) -> warpsmith::Result<Option<warpsmith::metrics::Report>> {
    let [q, k, v] = [(); 3].map(|()| ones(device, TOKENS * 64));
    let (q, k, v, mut o) = (q?, k?, v?, ones(device, TOKENS * 64)?);
    let (mut lse, mut next) = (device.upload(&[0.0f32; TOKENS])?, device.upload(&[0u32])?);
    let of = Heads { count: 1, sharing: 1, near: 1, tokens: TOKENS as u32 };
    let launch = attention::<64, CAUSAL>(
        q.tensor_map(TOKENS, 64)?,
        k.tensor_map(TOKENS, 64)?,
        v.tensor_map(TOKENS, 64)?,
        o.tensor_map_mut(TOKENS, 64)?,
        &mut lse,
        &mut next,
        of,
        0.125,
    );
    done(device, how, launch.grid(1).block(heads::THREADS))
}

/// Every launch, in the order in which a profiler is to see them.
pub fn all() -> Vec<Measured> {
    vec![
        Measured { name: "transpose_tma@whole", launch: |device, how| transposed(device, how, [96, 64]) },
        // Rows of 176 bytes: boxes at the right and at the bottom reach over the edge.
        Measured { name: "transpose_tma@ragged", launch: |device, how| transposed(device, how, [72, 44]) },
        Measured {
            name: "rms_norm_bulk",
            launch: |device, how| {
                let (x, weight) = (vec![F32x4::splat(1.0); 11 * 512], vec![F32x4::splat(1.0); 512]);
                let (from, weight, mut y) = (device.upload(&x)?, device.upload(&weight)?, device.upload(&x)?);
                let launch = rms_norm_bulk::<512, 4>(&from, &weight, &mut y, 11, 1e-5);
                done(device, how, launch.grid(2).block(BULK_THREADS))
            },
        },
        Measured {
            name: "gemm_sm80",
            launch: |device, how| {
                let (a, b, mut c) =
                    (ones(device, 256 * 64)?, ones(device, 128 * 64)?, ones(device, 256 * 128)?);
                let of = |x: Option<_>| x.expect("as many elements as rows and columns");
                let (a, b) = (a.view2(256, 64), b.view2(128, 64));
                let launch = gemm_sm80::<bf16>(of(a), of(b), c.view2_mut(256, 128).expect("256 rows"));
                done(device, how, launch.grid([1, 2]).block(tensor_cores::THREADS))
            },
        },
        Measured {
            name: "gemm_sm90",
            launch: |device, how| {
                let (a, b, mut c) =
                    (ones(device, 256 * 128)?, ones(device, 256 * 128)?, ones(device, 256 * 256)?);
                let (a, b, c) =
                    (a.tensor_map(256, 128)?, b.tensor_map(256, 128)?, c.tensor_map_mut(256, 256)?);
                let launch = gemm_sm90::<false>(a, b, c, 2, 1, 1);
                done(device, how, launch.grid(2).block(hopper::THREADS))
            },
        },
        Measured { name: "attention@64", launch: attend::<false, 256> },
        Measured { name: "attention@64_causal", launch: attend::<true, 384> },
    ]
}

/// Counts or runs the transpose of a matrix of these rows and columns.
fn transposed(
    device: &Device,
    how: How,
    [rows, cols]: [usize; 2],
) -> warpsmith::Result<Option<warpsmith::metrics::Report>> {
    let x = device.upload(&vec![1.0f32; rows * cols])?;
    let mut y = device.upload(&vec![0.0f32; rows * cols])?;
    let launch = transpose_tma(x.tensor_map(rows, cols)?, y.tensor_map_mut(cols, rows)?);
    let side = tensor_transpose::SIDE;
    let grid = [cols.div_ceil(side) as u32, rows.div_ceil(side) as u32];
    done(device, how, launch.grid(grid).block(tensor_transpose::THREADS))
}
