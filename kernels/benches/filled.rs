//! Device memory of hashed numbers, which the host knows too.

use warpsmith::prelude::*;

use crate::function::{Result, hashed, kept};

/// Element `i` of an argument whose first number is `from`.
#[gpu_fn]
pub fn element(i: usize, from: usize) -> bf16 {
    bf16::from_f32(hashed(i + from))
}

#[gpu_kernel]
fn fill(x: &mut [bf16], from: usize) {
    let i = global_id();
    if i < x.len() {
        x[i] = element(i, from);
    }
}

/// `len` of these elements.
pub fn filled(device: &Device, len: usize, from: usize) -> Result<&'static Buffer<bf16>> {
    let x = kept(device.alloc_zeroed::<bf16>(len)?);
    fill(&mut *x, from).over(len).block(256).launch(device)?;
    Ok(x)
}
