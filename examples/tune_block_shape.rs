//! The fastest shape of a block for adding two matrices: 2^14 × 2^14 elements on a GPU.
//!
//! On the simulator the matrices are small and nothing is timed. A second run finds what the first kept.

use warpsmith::Tuner;
use warpsmith::prelude::*;

/// c[iy][ix] = a[iy][ix] + b[iy][ix]
#[gpu_kernel]
fn sum_matrix(a: &[f32], b: &[f32], c: &mut [f32], nx: u32, ny: u32) {
    let ix = block_idx().x * block_dim().x + thread_idx().x;
    let iy = block_idx().y * block_dim().y + thread_idx().y;
    let idx = iy as usize * nx as usize + ix as usize;
    if ix < nx && iy < ny {
        c[idx] = a[idx] + b[idx];
    }
}

fn main() -> warpsmith::Result<()> {
    let device = Device::open()?;
    let side: usize = if device.is_simulator() { 100 } else { 1 << 14 };
    let a = device.upload(&vec![1.0f32; side * side])?;
    let b = device.upload(&vec![2.0f32; side * side])?;
    let mut c = device.alloc_zeroed::<f32>(side * side)?;
    let (nx, ny) = (side as u32, side as u32);

    let mut tuner = Tuner::new("sum_matrix").bytes(3 * 4 * (side * side) as u64);
    let x = tuner.axis("x", [16u32, 32, 64, 128, 256]);
    let y = tuner.axis("y", [1u32, 2, 4, 8, 16, 32]);
    let tuner =
        tuner.only("fewer than 64 threads", move |candidate| Ok(candidate.get(x)? * candidate.get(y)? >= 64));
    let outcome = tuner.tune(&device, |candidate, trial| {
        let block = [candidate.get(x)?, candidate.get(y)?];
        trial.launch(sum_matrix(&a, &b, &mut c, nx, ny).over_2d([side, side]).block(block))
    })?;
    println!("{outcome}");

    let best = [outcome.best().get(x)?, outcome.best().get(y)?];
    sum_matrix(&a, &b, &mut c, nx, ny).over_2d([side, side]).block(best).launch(&device)?;
    assert!(device.download(&c)?.iter().all(|sum| *sum == 3.0));
    Ok(())
}
