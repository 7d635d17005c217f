use warpsmith::prelude::*;

#[gpu_kernel]
fn k(y: &mut [f32]) {
    let ring = shared!(RowRing<f32, 32, 2>);
    ring.init(1);
    let mut reader = ring.reader();
    let filled = reader.wait();
    let row = filled.row();
    filled.release();
    y[0] = row[0];
}

fn main() {}
