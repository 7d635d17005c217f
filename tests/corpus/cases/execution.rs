//! Divergent branches, and a kernel that one thread can run.

use warpsmith::Device;

use super::data::{Random, same};
use super::{Case, Scale, module, print, text};
use crate::checking::integer_roots;
use crate::divergence::{
    long_math_kernel1, long_math_kernel2, long_math_kernel3, math_kernel1, math_kernel2, math_kernel3,
};

macro_rules! divergent {
    ($kernel:ident, $run:literal) => {
        Case {
            name: stringify!($kernel),
            print: print::<$kernel>,
            module: module::<$kernel>,
            check: |device, scale| {
                let n = scale.pick(1 << 10, 1 << 26);
                let want: Vec<f32> = (0..n).map(|i| [100.0, 200.0][i / $run % 2]).collect();
                let mut c = device.upload(&vec![f32::NAN; n]).map_err(text)?;
                $kernel(&mut c).over(n).block(64).launch(device).map_err(text)?;
                same(&device.download(&c).map_err(text)?, &want)
            },
        }
    };
}

/// Rounds of the loops.
const ROUNDS: u32 = 6;

macro_rules! long {
    ($kernel:ident, $run:literal) => {
        Case {
            name: stringify!($kernel),
            print: print::<$kernel>,
            module: module::<$kernel>,
            check: |device, scale| {
                let n = scale.pick(1 << 10, 1 << 26);
                let near = |part: f32, step: f32| (0..ROUNDS).fold(0.0f32, |x, _| x * part + step);
                let sides = [near(0.5, 50.0), near(0.25, 150.0)];
                let want: Vec<f32> = (0..n).map(|i| sides[i / $run % 2]).collect();
                let mut c = device.upload(&vec![f32::NAN; n]).map_err(text)?;
                $kernel(&mut c, ROUNDS).over(n).block(64).launch(device).map_err(text)?;
                same(&device.download(&c).map_err(text)?, &want)
            },
        }
    };
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        divergent!(math_kernel1, 1),
        divergent!(math_kernel2, 32),
        divergent!(math_kernel3, 1),
        long!(long_math_kernel1, 1),
        long!(long_math_kernel2, 32),
        long!(long_math_kernel3, 1),
        Case {
            name: "integer_roots",
            print: print::<integer_roots>,
            module: module::<integer_roots>,
            check: check_roots,
        },
    ]
}

/// By one thread alone, and by many.
fn check_roots(device: &Device, scale: Scale) -> Result<(), String> {
    let n = scale.pick(300, 100_000);
    let x: Vec<u32> = Random::new("integer_roots").ints(n, 0, 10_000).iter().map(|v| *v as u32).collect();
    let want: Vec<u32> = x.iter().map(|v| v.isqrt()).collect();
    let input = device.upload(&x).map_err(text)?;
    for [grid, block] in [[1u32, 1u32], [7, 64]] {
        let mut roots = device.upload(&vec![u32::MAX; n]).map_err(text)?;
        integer_roots(&input, &mut roots).grid(grid).block(block).launch(device).map_err(text)?;
        same(&device.download(&roots).map_err(text)?, &want)?;
    }
    Ok(())
}
