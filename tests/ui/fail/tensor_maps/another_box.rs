use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &TensorMap<f32, 8, 32, Unswizzled>) {
    let tile = shared!(Tile<f32, 8, 16, Unswizzled>);
    let full = shared!(Barrier);
    warpsmith::ptx::tma_load(tile, x, [0, 0], full);
}

fn main() {}
