//! Coarsened kernels.

use warpsmith::Device;
use warpsmith::prelude::bf16;

use super::data::{Random, same};
use super::{Case, Scale, module, print, text};
use crate::coarsening::*;

macro_rules! case {
    ($kernel:ident, $check:ident) => {
        Case { name: stringify!($kernel), print: print::<$kernel>, module: module::<$kernel>, check: $check }
    };
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case!(saxpy_wide, check_saxpy),
        case!(add_wide, check_add),
        case!(copy_wide, check_copy),
        case!(widen_wide, check_widen),
        case!(narrow_wide, check_narrow),
        case!(bytes_wide, check_bytes),
        case!(scale_bf16_wide, check_scale),
        case!(particles_wide, check_particles),
        case!(positive_wide, check_positive),
        case!(steps_wide, check_steps),
        case!(smooth_wide, check_smooth),
        case!(inner_wide, check_inner),
        case!(squares_wide, check_squares),
        case!(estimates_wide, check_estimates),
        case!(cloud_wide, check_cloud),
    ]
}

/// Elements: an odd number, which leaves some over for the last thread.
fn elements(scale: Scale) -> usize {
    scale.pick(10_007, (1 << 26) + 7)
}

/// `a * b + c` as GPUs and the simulator may have it: contracted or not.
fn is_sum(got: &[f32], a: impl Fn(usize) -> (f32, f32, f32)) -> Result<(), String> {
    let wrong = |(i, got): (usize, &f32)| {
        let (a, b, c) = a(i);
        (*got != a * b + c && *got != a.mul_add(b, c)).then(|| format!("element {i} is {got}"))
    };
    got.iter().enumerate().find_map(wrong).map_or(Ok(()), Err)
}

fn check_saxpy(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let mut random = Random::new("saxpy_wide");
    let (xs, ys) = (random.floats(n), random.floats(n));
    let x = device.upload(&xs).map_err(text)?;
    let mut y = device.upload(&ys).map_err(text)?;
    saxpy_wide(2.5, &x, &mut y).over(n).launch(device).map_err(text)?;
    is_sum(&device.download(&y).map_err(text)?, |i| (2.5, xs[i], ys[i]))
}

fn check_add(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let mut random = Random::new("add_wide");
    let (xs, ys) = (random.floats(n), random.floats(n));
    let (a, b) = (device.upload(&xs).map_err(text)?, device.upload(&ys).map_err(text)?);
    let mut c = device.upload(&vec![f32::NAN; n]).map_err(text)?;
    add_wide(n as u32, &a, &b, &mut c).over(n).launch(device).map_err(text)?;
    let want: Vec<f32> = xs.iter().zip(&ys).map(|(a, b)| a + b).collect();
    same(&device.download(&c).map_err(text)?, &want)
}

fn check_copy(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let xs = Random::new("copy_wide").floats(n);
    let x = device.upload(&xs).map_err(text)?;
    let mut y = device.upload(&vec![f32::NAN; n]).map_err(text)?;
    copy_wide(&x, &mut y).over(n).block(96).launch(device).map_err(text)?;
    same(&device.download(&y).map_err(text)?, &xs)
}

fn bytes(name: &str, n: usize) -> Vec<u8> {
    Random::new(name).words(n).into_iter().map(|word| (word >> 24) as u8).collect()
}

fn check_widen(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let xs = bytes("widen_wide", n);
    let x = device.upload(&xs).map_err(text)?;
    let mut y = device.upload(&vec![f32::NAN; n]).map_err(text)?;
    widen_wide(&x, &mut y).over(n).launch(device).map_err(text)?;
    same(&device.download(&y).map_err(text)?, &xs.iter().map(|x| f32::from(*x)).collect::<Vec<_>>())
}

fn check_narrow(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let xs = Random::new("narrow_wide").floats(n);
    let x = device.upload(&xs).map_err(text)?;
    let mut y = device.upload(&vec![bf16::NAN; n]).map_err(text)?;
    narrow_wide(&x, &mut y).over(n).launch(device).map_err(text)?;
    same(&device.download(&y).map_err(text)?, &xs.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>())
}

fn check_bytes(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let xs = bytes("bytes_wide", n);
    let x = device.upload(&xs).map_err(text)?;
    let mut y = device.upload(&vec![0u8; n]).map_err(text)?;
    bytes_wide(&x, &mut y).over(n).launch(device).map_err(text)?;
    let want: Vec<u8> = xs.iter().map(|v| (v ^ 0x5a).wrapping_mul(3).wrapping_add(v >> 4)).collect();
    same(&device.download(&y).map_err(text)?, &want)
}

fn check_scale(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let a = bf16::from_f32(0.7);
    let xs: Vec<bf16> = Random::new("scale_bf16_wide").floats(n).into_iter().map(bf16::from_f32).collect();
    let mut x = device.upload(&xs).map_err(text)?;
    scale_bf16_wide(a, &mut x).over(n).launch(device).map_err(text)?;
    same(&device.download(&x).map_err(text)?, &xs.iter().map(|x| a * *x).collect::<Vec<_>>())
}

fn check_particles(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let mut random = Random::new("particles_wide");
    let (places, speeds) = (random.floats(n), random.floats(n));
    let up = |values: &[f32]| device.upload(values).map_err(text);
    let (mut x, mut y, mut z) = (up(&places)?, up(&speeds)?, up(&places)?);
    let (vx, vy, vz) = (up(&speeds)?, up(&places)?, up(&places)?);
    particles_wide(0.5, &mut x, &mut y, &mut z, &vx, &vy, &vz).over(n).launch(device).map_err(text)?;
    is_sum(&device.download(&x).map_err(text)?, |i| (0.5, speeds[i], places[i]))?;
    is_sum(&device.download(&y).map_err(text)?, |i| (0.5, places[i], speeds[i]))?;
    is_sum(&device.download(&z).map_err(text)?, |i| (0.5, places[i], places[i]))
}

fn check_positive(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let xs: Vec<f32> = Random::new("positive_wide").floats(n).into_iter().map(|x| x - 0.5).collect();
    let x = device.upload(&xs).map_err(text)?;
    let mut y = device.upload(&vec![-1.0f32; n]).map_err(text)?;
    positive_wide(&x, &mut y).over(n).launch(device).map_err(text)?;
    let want: Vec<f32> = xs.iter().map(|x| if *x > 0.0 { x.sqrt() } else { -1.0 }).collect();
    same(&device.download(&y).map_err(text)?, &want)
}

/// Steps and peak of one number, as the kernel counts them.
fn steps(start: u32) -> (u32, u32) {
    let (mut n, mut count, mut peak) = (start, 0, 0);
    if n == 0 {
        return (0, 0);
    }
    while n != 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { n.wrapping_mul(3) + 1 };
        peak = n.max(peak);
        count += 1;
        if count == 40 {
            return (0, u32::MAX);
        }
    }
    (count, peak)
}

fn check_steps(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let xs: Vec<u32> = Random::new("steps_wide").words(n).into_iter().map(|x| x % 1000).collect();
    let x = device.upload(&xs).map_err(text)?;
    let (mut counts, mut most) =
        (device.upload(&vec![9; n]).map_err(text)?, device.upload(&vec![9; n]).map_err(text)?);
    steps_wide(&x, &mut counts, &mut most).over(n).launch(device).map_err(text)?;
    same(&device.download(&counts).map_err(text)?, &xs.iter().map(|x| steps(*x).0).collect::<Vec<_>>())?;
    same(&device.download(&most).map_err(text)?, &xs.iter().map(|x| steps(*x).1).collect::<Vec<_>>())
}

fn check_smooth(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let xs = Random::new("smooth_wide").floats(n);
    let x = device.upload(&xs).map_err(text)?;
    let mut y = device.upload(&vec![f32::NAN; n]).map_err(text)?;
    smooth_wide(&x, &mut y).over(n).launch(device).map_err(text)?;
    let want = |i: usize| (xs[i.saturating_sub(1)] + xs[i] + xs[(i + 1).min(n - 1)]) / 3.0;
    same(&device.download(&y).map_err(text)?, &(0..n).map(want).collect::<Vec<_>>())
}

fn check_inner(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let xs = Random::new("inner_wide").floats(n);
    let x = device.upload(&xs).map_err(text)?;
    let mut y = device.upload(&vec![-1.0f32; n]).map_err(text)?;
    inner_wide(&x, &mut y).over(n).block(128).launch(device).map_err(text)?;
    let want = |i: usize| if i > 0 && i + 1 < n { xs[i - 1] + xs[i] + xs[i + 1] } else { -1.0 };
    same(&device.download(&y).map_err(text)?, &(0..n).map(want).collect::<Vec<_>>())
}

fn check_squares(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let xs: Vec<i32> =
        Random::new("squares_wide").words(n).into_iter().map(|x| (x >> 8) as i32 - 8_000_000).collect();
    let (x, mut y) = (device.upload(&xs).map_err(text)?, device.upload(&xs).map_err(text)?);
    let mut out = device.upload(&vec![1i32; n]).map_err(text)?;
    squares_wide(x.view(), y.view_mut(), &mut out).over(n).launch(device).map_err(text)?;
    same(&device.download(&out).map_err(text)?, &xs.iter().map(|x| x + 1).collect::<Vec<_>>())?;
    same(&device.download(&y).map_err(text)?, &xs.iter().map(|x| x.wrapping_mul(*x)).collect::<Vec<_>>())
}

fn check_estimates(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let mut random = Random::new("estimates_wide");
    let mut made = || -> Vec<Estimate> {
        let (values, errors) = (random.floats(n), random.floats(n));
        values.into_iter().zip(errors).map(|(value, error)| Estimate { value, error }).collect()
    };
    let (xs, ys) = (made(), made());
    let x = device.upload(&xs).map_err(text)?;
    let mut y = device.upload(&ys).map_err(text)?;
    estimates_wide(n as i32, 0.5, &x, &mut y).over(n).launch(device).map_err(text)?;
    let got = device.download(&y).map_err(text)?;
    is_sum(&got.iter().map(|e| e.value).collect::<Vec<_>>(), |i| (0.5, xs[i].value, ys[i].value))?;
    let errors: Vec<f32> = got.iter().map(|e| e.error).collect();
    same(&errors, &xs.iter().zip(&ys).map(|(x, y)| x.error.max(y.error)).collect::<Vec<_>>())
}

fn check_cloud(device: &Device, scale: Scale) -> Result<(), String> {
    let n = elements(scale);
    let mut random = Random::new("cloud_wide");
    let (places, speeds) = (random.floats(n), random.floats(n));
    let ages = bytes("cloud_wide", n);
    let mut x = device.upload(&places).map_err(text)?;
    let speed = device.upload(&speeds).map_err(text)?;
    let mut age = device.upload(&ages).map_err(text)?;
    let cloud =
        Cloud { dt: 0.25, count: n as u32, x: x.view_mut(), speed: speed.view(), age: age.view_mut() };
    cloud_wide(cloud).over(n).launch(device).map_err(text)?;
    is_sum(&device.download(&x).map_err(text)?, |i| (0.25, speeds[i], places[i]))?;
    let want: Vec<u8> = ages.iter().map(|age| age.saturating_add(1)).collect();
    same(&device.download(&age).map_err(text)?, &want)
}
