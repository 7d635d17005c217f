//! Softmax and RMS normalisation of rows.

use warpsmith::Device;
use warpsmith::prelude::F32x4;

use super::data::{Random, close, components};
use super::{Case, Scale, module, print, text};
use crate::bulk_rows::{BULK_THREADS, rms_norm_bulk};
use crate::rows::{ROW_THREADS, rms_norm, softmax};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case { name: "softmax", print: print::<softmax>, module: module::<softmax>, check: check_softmax },
        Case {
            name: "rms_norm@vectors_2",
            print: print::<rms_norm<2>>,
            module: module::<rms_norm<2>>,
            check: check_rms_norm::<2>,
        },
        Case {
            name: "rms_norm@vectors_8",
            print: print::<rms_norm<8>>,
            module: module::<rms_norm<8>>,
            check: check_rms_norm::<8>,
        },
        Case {
            name: "rms_norm_bulk@vectors_512",
            print: print::<rms_norm_bulk<512, 4>>,
            module: module::<rms_norm_bulk<512, 4>>,
            check: check_rms_norm_bulk::<512, 4>,
        },
    ]
}

fn check_softmax(device: &Device, scale: Scale) -> Result<(), String> {
    let (rows, width) = scale.pick((3, 1412), (16_384, 8192));
    let x: Vec<F32x4> = Random::new("softmax").vectors(rows * width / 4).iter().map(|v| *v * 20.0).collect();
    let dx = device.upload(&x).map_err(text)?;
    let mut dy = device.upload(&vec![F32x4::splat(f32::NAN); x.len()]).map_err(text)?;
    softmax(&dx, &mut dy, width as u32).grid(rows).block(ROW_THREADS).launch(device).map_err(text)?;
    let got = components(&device.download(&dy).map_err(text)?);
    let x = components(&x);
    let largest = |row: &[f32]| row.iter().copied().fold(f32::MIN, f32::max);
    let sums: Vec<(f64, f64)> = x
        .chunks(width)
        .map(|row| (f64::from(largest(row)), row))
        .map(|(max, row)| (max, row.iter().map(|v| (f64::from(*v) - max).exp()).sum()))
        .collect();
    let want = |i: usize| {
        let (max, sum) = sums[i / width];
        (f64::from(x[i]) - max).exp() / sum
    };
    close(&got, want, 2e-6)
}

fn check_rms_norm<const VECTORS: usize>(device: &Device, scale: Scale) -> Result<(), String> {
    const EPSILON: f32 = 1e-5;
    let width = 1024 * VECTORS;
    let rows = scale.pick(2, 16_384);
    let mut random = Random::new("rms_norm");
    let (x, weight) = (random.vectors(rows * width / 4), random.vectors(width / 4));
    let (dx, dw) = (device.upload(&x).map_err(text)?, device.upload(&weight).map_err(text)?);
    let mut dy = device.upload(&vec![F32x4::splat(f32::NAN); x.len()]).map_err(text)?;
    rms_norm::<VECTORS>(&dx, &dw, &mut dy, EPSILON)
        .grid(rows)
        .block(ROW_THREADS)
        .launch(device)
        .map_err(text)?;
    check_norms(&device.download(&dy).map_err(text)?, &x, &weight, EPSILON)
}

fn check_rms_norm_bulk<const VECTORS: usize, const STAGES: usize>(
    device: &Device,
    scale: Scale,
) -> Result<(), String> {
    const EPSILON: f32 = 1e-5;
    let (rows, blocks) = scale.pick((11, 2), (16_384, 528));
    let mut random = Random::new("rms_norm_bulk");
    let (x, weight) = (random.vectors(rows * VECTORS), random.vectors(VECTORS));
    let (dx, dw) = (device.upload(&x).map_err(text)?, device.upload(&weight).map_err(text)?);
    let mut dy = device.upload(&vec![F32x4::splat(f32::NAN); x.len()]).map_err(text)?;
    rms_norm_bulk::<VECTORS, STAGES>(&dx, &dw, &mut dy, rows, EPSILON)
        .grid(blocks)
        .block(BULK_THREADS)
        .launch(device)
        .map_err(text)?;
    check_norms(&device.download(&dy).map_err(text)?, &x, &weight, EPSILON)
}

/// Whether these are the norms of rows as long as the weights.
fn check_norms(got: &[F32x4], x: &[F32x4], weight: &[F32x4], epsilon: f32) -> Result<(), String> {
    let (got, x, weight) = (components(got), components(x), components(weight));
    let width = weight.len();
    let square = |v: &f32| f64::from(*v) * f64::from(*v);
    let scales: Vec<f64> = x
        .chunks(width)
        .map(|row| row.iter().map(square).sum::<f64>() / width as f64)
        .map(|mean| (mean + f64::from(epsilon)).sqrt().recip())
        .collect();
    close(&got, |i| f64::from(x[i]) * scales[i / width] * f64::from(weight[i % width]), 1e-5)
}
