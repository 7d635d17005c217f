//! A page about a launch: `cargo run --example report`, then open `transpose.html`.
//!
//! The launch runs on the simulator, which counts what it costs by Rust line. Where there is a GPU, the same
//! launch is timed there, and the page shows what it achieved beside what the device allows.

use std::time::Duration;

use warpsmith::prelude::*;
use warpsmith::report::Ceilings;

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

fn main() -> warpsmith::Result<()> {
    let simulator = Device::simulator();
    let grid = (SIDE / TILE) as u32;
    let x = simulator.upload(&vec![1.0f32; SIDE * SIDE])?;
    let mut y = simulator.alloc_zeroed::<f32>(SIDE * SIDE)?;
    let launch = scaled_transpose(2.0, &x, &mut y).grid([grid, grid]).block([32, 32]);
    let mut page = launch.report(&simulator)?;

    let device = Device::open()?;
    if !device.is_simulator() {
        page = page.with_time(Ceilings::measure(&device)?, time_on(&device)?);
    }
    println!("{page}");
    let path = "transpose.html";
    page.write(path)?;
    println!("\nwritten to {path}");
    Ok(())
}

/// How long the launch takes on a GPU, the second time.
fn time_on(device: &Device) -> warpsmith::Result<Duration> {
    let grid = (SIDE / TILE) as u32;
    let x = device.upload(&vec![1.0f32; SIDE * SIDE])?;
    let mut y = device.alloc_zeroed::<f32>(SIDE * SIDE)?;
    let stream = device.default_stream();
    let mut run = || scaled_transpose(2.0, &x, &mut y).grid([grid, grid]).block([32, 32]).launch(device);
    run()?;
    let before = stream.record()?;
    run()?;
    let after = stream.record()?;
    before.elapsed(&after)
}
