//! Doubles become floats of sixteen bits in one rounding: at every tie, beside it, in constants and in fused multiply-adds.

use warpsmith::prelude::*;

use super::battery::{compiles, devices};

/// A half that is just above a tie: the crate `half` rounds it down.
const ABOVE_A_TIE: f64 = 1.0 + 1.0 / 2048.0 + 1.0 / (1u64 << 44) as f64;

#[gpu_kernel]
fn rounded(x: &[f64], halves: &mut [u16], brains: &mut [u16]) {
    let i = global_id();
    if i < x.len() {
        halves[2 * i] = f16::from_f64(x[i]).to_bits();
        halves[2 * i + 1] = x[i].cast::<f16>().to_bits();
        brains[2 * i] = bf16::from_f64(x[i]).to_bits();
        brains[2 * i + 1] = x[i].cast::<bf16>().to_bits();
    }
}

#[gpu_kernel]
fn of_integers(x: &[u64], brains: &mut [u16]) {
    let i = global_id();
    if i < x.len() {
        brains[2 * i] = x[i].cast::<bf16>().to_bits();
        brains[2 * i + 1] = (x[i] as i64).wrapping_neg().cast::<bf16>().to_bits();
    }
}

#[gpu_kernel]
fn constants(out: &mut [u16]) {
    out[0] = f16::from_f64(ABOVE_A_TIE).to_bits();
    out[1] = ABOVE_A_TIE.cast::<f16>().to_bits();
    out[2] = bf16::from_f64(1.0 + 1.0 / 256.0 + 1.0 / 1_099_511_627_776.0).to_bits();
    // The product is 2⁻²¹ less than the tie of 1 and 1 + 2⁻¹⁰, the sum 2⁻²⁴ more.
    let (near, factor) = (f16::from_bits(0x3c01), f16::from_bits(0x3bff));
    out[3] = near.mul_add(factor, f16::from_bits(9)).to_bits();
    out[4] = ((1u64 << 60) + (1 << 52) + 1).cast::<bf16>().to_bits();
}

/// The ties between neighbours of a sign, each with the doubles beside it, and what the three become.
fn ties(infinity: u16, widen: impl Fn(u16) -> f64) -> impl Iterator<Item = (f64, u16)> {
    (0..infinity - 1).step_by(3).flat_map(move |low| {
        let tie = (widen(low) + widen(low + 1)) / 2.0;
        [(tie.next_down(), low), (-tie, 0x8000 | (low + low % 2)), (tie.next_up(), low + 1)]
    })
}

/// Integers of 64 bits at ties of `bf16` and beside them, and what they become.
fn integer_ties() -> impl Iterator<Item = (u64, u16)> {
    (40..63u32).flat_map(|exponent| {
        (0..128u64).flat_map(move |fraction| {
            let (unit, bits) = (1u64 << (exponent - 7), ((exponent as u16 + 127) << 7) + fraction as u16);
            let tie = (128 + fraction) * unit + unit / 2;
            [(tie - 1, bits), (tie, bits + bits % 2), (tie + 1, bits + 1)]
        })
    })
}

/// The results of both ways, which must be equal.
fn both_ways(bits: &[u16]) -> Vec<u16> {
    bits.chunks(2)
        .map(|pair| {
            assert_eq!(pair[0], pair[1]);
            pair[0]
        })
        .collect()
}

#[test]
fn doubles_are_rounded_to_halves_once() {
    compiles("rounded", &rounded::cuda_source().unwrap());
    let (halves, half_bits): (Vec<f64>, Vec<u16>) = ties(0x7c00, |b| f16::from_bits(b).to_f64()).unzip();
    let (brains, brain_bits): (Vec<f64>, Vec<u16>) = ties(0x7f80, |b| bf16::from_bits(b).to_f64()).unzip();
    for gpu in devices() {
        let x = gpu.upload(&[halves.clone(), brains.clone()].concat()).unwrap();
        let mut to_half = gpu.alloc_zeroed::<u16>(2 * x.len()).unwrap();
        let mut to_brain = gpu.alloc_zeroed::<u16>(2 * x.len()).unwrap();
        rounded(&x, &mut to_half, &mut to_brain).over(x.len()).block(256).launch(&gpu).unwrap();
        assert_eq!(both_ways(&gpu.download(&to_half).unwrap())[..halves.len()], half_bits);
        assert_eq!(both_ways(&gpu.download(&to_brain).unwrap())[halves.len()..], brain_bits);
    }
}

#[test]
fn integers_of_64_bits_are_rounded_to_bf16_once() {
    compiles("of_integers", &of_integers::cuda_source().unwrap());
    let (integers, bits): (Vec<u64>, Vec<u16>) = integer_ties().unzip();
    let want: Vec<u16> = bits.iter().flat_map(|bits| [*bits, *bits | 0x8000]).collect();
    for gpu in devices() {
        let x = gpu.upload(&integers).unwrap();
        let mut brains = gpu.alloc_zeroed::<u16>(2 * x.len()).unwrap();
        of_integers(&x, &mut brains).over(x.len()).block(256).launch(&gpu).unwrap();
        assert_eq!(gpu.download(&brains).unwrap(), want);
    }
}

#[test]
fn constants_and_fused_sums_are_rounded_to_halves_once() {
    for gpu in devices() {
        let mut out = gpu.alloc_zeroed::<u16>(5).unwrap();
        constants(&mut out).grid(1).block(1).launch(&gpu).unwrap();
        assert_eq!(gpu.download(&out).unwrap(), [0x3c01, 0x3c01, 0x3f81, 0x3c01, 0x5d81]);
    }
}
