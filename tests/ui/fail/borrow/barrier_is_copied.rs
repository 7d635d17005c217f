use warpsmith::prelude::*;

#[gpu_kernel]
fn k(y: &mut [f32]) {
    let full = shared!([Barrier; 2]);
    let mine = full[1];
    mine.arrive();
    y[0] = 1.0;
}

fn main() {}
