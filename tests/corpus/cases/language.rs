//! Kernels that exercise the language.

use warpsmith::Device;

use super::data::{Random, close, same};
use super::{Case, Scale, module, print, text};
use crate::language::{Body, Max, Sum, Vec2, collatz, fold, move_bodies, potpourri, potpourri_on_host, talk};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "move_bodies",
            print: print::<move_bodies>,
            module: module::<move_bodies>,
            check: check_bodies,
        },
        Case {
            name: "fold@sum",
            print: print::<fold<Sum, 128>>,
            module: module::<fold<Sum, 128>>,
            check: check_sum,
        },
        Case {
            name: "fold@max",
            print: print::<fold<Max, 64>>,
            module: module::<fold<Max, 64>>,
            check: check_max,
        },
        Case { name: "talk", print: print::<talk>, module: module::<talk>, check: check_talk },
        Case { name: "collatz", print: print::<collatz>, module: module::<collatz>, check: check_collatz },
        Case {
            name: "potpourri",
            print: print::<potpourri>,
            module: module::<potpourri>,
            check: check_potpourri,
        },
    ]
}

fn check_bodies(device: &Device, scale: Scale) -> Result<(), String> {
    let n = scale.pick(301, 1 << 20);
    let numbers = Random::new("move_bodies").floats(n * 5);
    let bodies: Vec<Body> = numbers
        .chunks(5)
        .map(|c| Body {
            position: Vec2 { x: c[0], y: c[1] },
            velocity: Vec2 { x: c[2], y: c[3] },
            mass: c[4],
        })
        .collect();
    let mut moved = device.upload(&bodies).map_err(text)?;
    let mut energy = device.upload(&vec![f32::NAN; n]).map_err(text)?;
    move_bodies(&mut moved, &mut energy, 0.25).over(n).launch(device).map_err(text)?;
    let wanted = |b: &Body| {
        let half = if b.mass > 0.0 { 0.5 * f64::from(b.mass) } else { 0.0 };
        half * (f64::from(b.velocity.x).powi(2) + f64::from(b.velocity.y).powi(2))
    };
    close(&device.download(&energy).map_err(text)?, |i| wanted(&bodies[i]), 1e-5)?;
    let xs: Vec<f32> = device.download(&moved).map_err(text)?.iter().map(|b| b.position.x).collect();
    close(&xs, |i| f64::from(bodies[i].position.x) + 0.25 * f64::from(bodies[i].velocity.x), 1e-6)
}

fn check_sum(device: &Device, scale: Scale) -> Result<(), String> {
    let n = scale.pick(1000, 1 << 24);
    let x: Vec<f32> = Random::new("fold").ints(n, -50, 50).iter().map(|v| *v as f32).collect();
    let want: Vec<f32> = x.chunks(128).map(|c| 2.0 * c.iter().sum::<f32>()).collect();
    let input = device.upload(&x).map_err(text)?;
    let mut out = device.upload(&vec![f32::NAN; want.len()]).map_err(text)?;
    fold::<Sum, 128>(&input, &mut out).over(n).block(128).launch(device).map_err(text)?;
    same(&device.download(&out).map_err(text)?, &want)
}

fn check_max(device: &Device, scale: Scale) -> Result<(), String> {
    let n = scale.pick(1000, 1 << 24);
    let x = Random::new("fold").floats(n);
    let want: Vec<f32> = x.chunks(64).map(|c| c.iter().copied().fold(f32::NEG_INFINITY, f32::max)).collect();
    let input = device.upload(&x).map_err(text)?;
    let mut out = device.upload(&vec![f32::NAN; want.len()]).map_err(text)?;
    fold::<Max, 64>(&input, &mut out).over(n).block(64).launch(device).map_err(text)?;
    same(&device.download(&out).map_err(text)?, &want)
}

fn check_potpourri(device: &Device, scale: Scale) -> Result<(), String> {
    let x = Random::new("potpourri").ints(scale.pick(400, 1 << 20), -200, 200);
    let want: Vec<i32> = x.iter().enumerate().flat_map(|(i, v)| potpourri_on_host(i, *v)).collect();
    let input = device.upload(&x).map_err(text)?;
    let mut out = device.upload(&vec![i32::MIN; want.len()]).map_err(text)?;
    potpourri(&input, &mut out).over(x.len()).launch(device).map_err(text)?;
    same(&device.download(&out).map_err(text)?, &want)
}

/// The same at every scale: one line is printed.
fn check_talk(device: &Device, _scale: Scale) -> Result<(), String> {
    let x = device.upload(&[0.5f32, 1.5, 2.5]).map_err(text)?;
    let mut out = device.upload(&[0u32; 3]).map_err(text)?;
    talk(&x, &mut out).over(3).launch(device).map_err(text)?;
    same(&device.download(&out).map_err(text)?, &[0.5f32.to_bits(), 1.5f32.to_bits(), 2.5f32.to_bits()])
}

fn check_collatz(device: &Device, scale: Scale) -> Result<(), String> {
    let x: Vec<u32> = (2..scale.pick(300, 10_000)).collect();
    let steps = |start: &u32| {
        let (mut v, mut n) = (*start, 0u16);
        while v != 1 {
            v = if v % 2 == 0 { v / 2 } else { 3 * v + 1 };
            n += 1;
        }
        n - 1
    };
    // Numbers of more than 255 steps would overflow the counter, which is a fault of the twin.
    let x: Vec<u32> = x.into_iter().filter(|v| steps(v) <= 255).collect();
    let want: Vec<u8> = x.iter().map(|v| steps(v) as u8).collect();
    let input = device.upload(&x).map_err(text)?;
    let mut out = device.upload(&vec![0xa5u8; x.len()]).map_err(text)?;
    collatz(&input, &mut out).over(x.len()).launch(device).map_err(text)?;
    same(&device.download(&out).map_err(text)?, &want)
}
