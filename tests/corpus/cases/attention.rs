//! Attention.

use warpsmith::Device;
use warpsmith::prelude::*;

use super::data::Random;
use super::{Case, Scale, module, print, text};
use crate::attention::{Heads, ROWS, THREADS, attention};

pub(super) fn cases() -> Vec<Case> {
    macro_rules! attention {
        ($name:literal, $d:literal, $causal:literal) => {
            Case {
                name: $name,
                print: print::<attention<$d, $causal>>,
                module: module::<attention<$d, $causal>>,
                check: check::<$d, $causal>,
            }
        };
    }
    vec![
        attention!("attention@64", 64, false),
        attention!("attention@64_causal", 64, true),
        attention!("attention@128", 128, false),
        attention!("attention@128_causal", 128, true),
    ]
}

/// Three heads of queries, of which two share a head of keys, by blocks that have several tiles each; some keys are much larger than
/// others.
fn check<const D: usize, const CAUSAL: bool>(device: &Device, scale: Scale) -> Result<(), String> {
    let tokens = scale.pick(if D == 64 && CAUSAL { 3 } else { 2 } * ROWS, 2048);
    let heads = Heads { count: 3, sharing: 2, near: 2, tokens: tokens as u32 };
    let mut random = Random::new("attention");
    let mut matrix = |heads: usize| -> Vec<bf16> {
        let numbers = random.floats(heads * tokens * D).into_iter();
        numbers.enumerate().map(|(i, x)| bf16::from_f32(x * (1 + i / D % 4) as f32)).collect()
    };
    let (q, k, v) = (matrix(3), matrix(2), matrix(2));
    let upload = |x: &[bf16]| device.upload(x).map_err(text);
    let (dq, dk, dv) = (upload(&q)?, upload(&k)?, upload(&v)?);
    let mut o = upload(&vec![bf16::from_f32(f32::NAN); 3 * tokens * D])?;
    let mut lse = device.upload(&vec![f32::NAN; 3 * tokens]).map_err(text)?;
    let mut next = device.upload(&[0u32]).map_err(text)?;
    let softmax_scale = 1.0 / (D as f32).sqrt();
    // The second launch finds `next` as the first one left it.
    for _ in 0..scale.pick(1, 2) {
        let (x, y, z) = (
            dq.tensor_map(3 * tokens, D).map_err(text)?,
            dk.tensor_map(2 * tokens, D).map_err(text)?,
            dv.tensor_map(2 * tokens, D).map_err(text)?,
        );
        let mut to = o.tensor_map_mut(3 * tokens, D).map_err(text)?;
        attention::<D, CAUSAL>(&x, &y, &z, &mut to, &mut lse, &mut next, heads, softmax_scale)
            .grid(scale.pick(2, 132))
            .block(THREADS)
            .launch(device)
            .map_err(text)?;
    }
    if device.download(&next).map_err(text)? != [0] {
        return Err("`next` is not ready for a launch".to_owned());
    }
    let (got, got_lse) = (device.download(&o).map_err(text)?, device.download(&lse).map_err(text)?);
    let exact = |x: &[bf16]| -> Vec<f64> { x.iter().map(|x| f64::from(x.to_f32())).collect() };
    let (q, k, v) = (exact(&q), exact(&k), exact(&v));
    for row in (0..3 * tokens).step_by(scale.pick(7, 97)) {
        let (head, token) = (row / tokens, row % tokens);
        let first = head / 2 * tokens;
        let keys = first..first + if CAUSAL { token + 1 } else { tokens };
        let query = &q[row * D..][..D];
        let scores: Vec<f64> = keys
            .clone()
            .map(|j| k[j * D..].iter().zip(query).map(|(a, b)| a * b).sum::<f64>() * f64::from(softmax_scale))
            .collect();
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - top).exp()).sum();
        let near = (top + sum.ln() - f64::from(got_lse[row])).abs() < 1e-3;
        if !near {
            return Err(format!("lse[{row}] is {}, not {}", got_lse[row], top + sum.ln()));
        }
        let (mut wanted, mut size) = (vec![0.0; D], vec![0.0; D]);
        for (score, j) in scores.iter().zip(keys) {
            let weight = (score - top).exp() / sum;
            for (i, x) in v[j * D..][..D].iter().enumerate() {
                wanted[i] += weight * x;
                size[i] += weight * x.abs();
            }
        }
        for i in 0..D {
            let x = f64::from(got[row * D + i].to_f32());
            // Weights and the result are rounded to eight bits.
            let near = (x - wanted[i]).abs() <= size[i] / 128.0 + wanted[i].abs() / 200.0 + 1e-6;
            if !near {
                return Err(format!("o[{row}][{i}] is {x}, not {}", wanted[i]));
            }
        }
    }
    Ok(())
}
