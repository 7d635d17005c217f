use warpsmith::prelude::*;

#[derive(Stage)]
struct Step<'a> {
    a: Tile<'a, bf16, 64, 64, Swizzle128>,
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let ring = shared!(Pipeline<Step, 2>);
    let mut math = ring.consumer();
    let stage = math.wait();
    math.release(stage);
    math.release(stage);
    y[0] = 1.0;
}

fn main() {}
