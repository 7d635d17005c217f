use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let f = {
        let k = y[0];
        move |v: u32| v + k
    };
    y[1] = f(3);
}

fn main() {}
