//! The register-tiled product.

use warpsmith::Device;

use super::data::{Random, components};
use super::matrices::check_product;
use super::{Case, Scale, module, print, text};
use crate::gemm::{THREADS, TILE, sgemm};
use warpsmith::prelude::F32x4;

pub(super) fn cases() -> Vec<Case> {
    vec![Case { name: "sgemm", print: print::<sgemm>, module: module::<sgemm>, check: check_sgemm }]
}

fn check_sgemm(device: &Device, scale: Scale) -> Result<(), String> {
    let [m, k, n] = scale.pick([128, 24, 256], [4096, 4096, 4096]);
    let mut random = Random::new("sgemm");
    let (a, b) = (random.vectors(m * k / 4), random.vectors(k * n / 4));
    let (da, db) = (device.upload(&a).map_err(text)?, device.upload(&b).map_err(text)?);
    let mut dc = device.upload(&vec![F32x4::splat(f32::NAN); m * n / 4]).map_err(text)?;
    sgemm(&da, &db, &mut dc, k as u32, n as u32)
        .grid([n as u32 / TILE, m as u32 / TILE])
        .block(THREADS)
        .launch(device)
        .map_err(text)?;
    let got = device.download(&dc).map_err(text)?;
    check_product(&components(&got), &components(&a), &components(&b), [m, k, n])
}
