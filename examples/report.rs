//! A page about a launch: `cargo run --example report`, then open `transpose.html`.
//!
//! The simulator counts the launch's costs by Rust line. With a GPU, the launch is timed there, and the page shows the
//! achieved figures beside those that the device allows. With the CSV of a profile as its argument, it also shows where the
//! time goes (chapter `tools` of the reference says how to make one).

use warpsmith::prelude::*;
use warpsmith::report::Samples;

const SIDE: usize = 512;
const TILE: usize = 32;

/// Scales an `[SIDE, SIDE]` matrix and transposes it through a tile whose columns share a bank.
#[gpu_kernel]
fn scaled_transpose(scale: f32, x: &[f32], y: &mut [f32]) {
    let mut tile = shared!([[f32; TILE]; TILE]);
    let (row, col) = (thread_idx().y as usize, thread_idx().x as usize);
    let (down, right) = (block_idx().y as usize * TILE, block_idx().x as usize * TILE);
    tile[row][col] = scale * x[(down + row) * SIDE + right + col];
    sync_threads();
    y[(right + row) * SIDE + down + col] = tile[col][row];
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::open()?;
    let grid = (SIDE / TILE) as u32;
    let x = device.upload(&vec![1.0f32; SIDE * SIDE])?;
    let mut y = device.alloc_zeroed::<f32>(SIDE * SIDE)?;
    let launch = scaled_transpose(2.0, &x, &mut y).grid([grid, grid]).block([32, 32]);
    let mut page = launch.report(&device)?;
    if let Some(profile) = std::env::args().nth(1) {
        let csv = std::fs::read_to_string(profile)?;
        page = page.with_samples(Samples::of_csv(&csv, scaled_transpose::NAME)?);
    }
    println!("{page}");
    let path = "transpose.html";
    page.write(path)?;
    println!("\nwritten to {path}");
    Ok(())
}
