use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &TensorMap3<f32, 2, 4, 32, Unswizzled>) {
    let tile = shared!(Tile<f32, 8, 32, Unswizzled>);
    let full = shared!(Barrier);
    full.load_tile(tile, x, [0, 0]);
}

fn main() {}
