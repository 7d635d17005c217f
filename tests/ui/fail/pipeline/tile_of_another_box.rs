use warpsmith::prelude::*;

#[derive(Stage)]
struct Step<'a> {
    a: Tile<'a, f32, 64, 32, Unswizzled>,
}

#[gpu_kernel]
fn kernel(x: &TensorMap<f32, 32, 32, Unswizzled>) {
    let ring = shared!(Pipeline<Step, 2>);
    let mut load = ring.producer();
    let slot = load.acquire();
    slot.load(slot.tiles().a, x, [0, 0]);
    load.commit(slot);
}

fn main() {}
