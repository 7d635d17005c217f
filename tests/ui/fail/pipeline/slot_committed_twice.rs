use warpsmith::prelude::*;

#[derive(Stage)]
struct Step<'a> {
    a: Tile<'a, bf16, 64, 64, Swizzle128>,
}

#[gpu_kernel]
fn kernel(x: &TensorMap<bf16, 64, 64, Swizzle128>) {
    let ring = shared!(Pipeline<Step, 2>);
    let mut load = ring.producer();
    let slot = load.acquire();
    slot.load(slot.tiles().a, x, [0, 0]);
    load.commit(slot);
    load.commit(slot);
}

fn main() {}
