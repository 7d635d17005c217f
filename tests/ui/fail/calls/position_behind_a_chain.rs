use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [u32]) {
    let at = x.iter().take_while(|v| **v > 0.0).chain(x).position(|v| *v == 3.0);
    y[0] = at.map_or(0, |at| at as u32);
}

fn main() {}
