use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    let &mut [a, ..] = y;
    y[0] = a;
    if let [b, ..] = &x[2..5] {
        y[1] = *b;
    }
    y[2] = match x {
        [] => 0,
        [c, _] => *c,
    };
}

fn main() {}
