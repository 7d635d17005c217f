use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [i32]) {
    let mut most = Some(y[0]);
    most.insert(3);
    y[1] = most.unwrap();
}

fn main() {}
