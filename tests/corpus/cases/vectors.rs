//! Element-wise kernels.

use warpsmith::Device;

use super::data::{Random, close, same};
use super::{Case, Scale, module, print, text};
use crate::vectors::{doubled, fill, saxpy, sum_matrix_2d};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case { name: "saxpy", print: print::<saxpy>, module: module::<saxpy>, check: check_saxpy },
        Case { name: "fill", print: print::<fill>, module: module::<fill>, check: check_fill },
        Case { name: "doubled", print: print::<doubled>, module: module::<doubled>, check: check_doubled },
        Case {
            name: "sum_matrix_2d",
            print: print::<sum_matrix_2d>,
            module: module::<sum_matrix_2d>,
            check: check_sum_matrix,
        },
    ]
}

fn check_saxpy(device: &Device, scale: Scale) -> Result<(), String> {
    let n = scale.pick(10_007, 1 << 28);
    let mut random = Random::new("saxpy");
    let (xs, ys) = (random.floats(n), random.floats(n));
    let x = device.upload(&xs).map_err(text)?;
    let mut y = device.upload(&ys).map_err(text)?;
    saxpy(2.5, &x, &mut y).over(n).block(256).launch(device).map_err(text)?;
    let got = device.download(&y).map_err(text)?;
    close(&got, |i| 2.5 * f64::from(xs[i]) + f64::from(ys[i]), 1e-6)
}

fn check_fill(device: &Device, scale: Scale) -> Result<(), String> {
    let n = scale.pick(10_007, 1 << 28);
    let mut y = device.upload(&vec![0u32; n]).map_err(text)?;
    fill(&mut y, 7).over(n).block(256).launch(device).map_err(text)?;
    same(&device.download(&y).map_err(text)?, &vec![7; n])
}

fn check_doubled(device: &Device, scale: Scale) -> Result<(), String> {
    let n = scale.pick(10_007, 1 << 28);
    let xs: Vec<u32> = Random::new("doubled").words(n).into_iter().map(|x| x >> 1).collect();
    let mut x = device.upload(&xs).map_err(text)?;
    doubled(&mut x).over(n).block(256).launch(device).map_err(text)?;
    let want: Vec<u32> = xs.iter().map(|x| 2 * x).collect();
    same(&device.download(&x).map_err(text)?, &want)
}

fn check_sum_matrix(device: &Device, scale: Scale) -> Result<(), String> {
    let (nx, ny) = scale.pick((97, 61), (16_384, 16_384));
    let mut random = Random::new("sum_matrix_2d");
    let (a, b) = (random.floats(nx * ny), random.floats(nx * ny));
    let (da, db) = (device.upload(&a).map_err(text)?, device.upload(&b).map_err(text)?);
    let mut dc = device.upload(&vec![f32::NAN; nx * ny]).map_err(text)?;
    sum_matrix_2d(&da, &db, &mut dc, nx as u32, ny as u32)
        .over_2d([nx, ny])
        .block([32, 16])
        .launch(device)
        .map_err(text)?;
    let got = device.download(&dc).map_err(text)?;
    close(&got, |i| f64::from(a[i]) + f64::from(b[i]), 1e-6)
}
