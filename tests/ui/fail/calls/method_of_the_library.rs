use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [i32]) {
    let most = Some(y[0]);
    let _ = most.inspect(|v| y[1] = *v);
    y[1] = most.unwrap();
}

fn main() {}
