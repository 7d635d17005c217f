use warpsmith::prelude::*;

#[gpu_fn]
fn find(x: &[u32], v: u32) -> Option<usize> {
    for i in 0..x.len() {
        if x[i] == v {
            return i;
        }
    }
    None
}

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    if let Some(i) = find(x, 3) {
        y[0] = i as u32;
    }
}

fn main() {}
