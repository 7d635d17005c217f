use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let p = (y[0], y[1]);
    y[0] = match (p, p, p, p, p, p, p) {
        ((0, a) | (a, 0), (0, b) | (b, 0), (0, c) | (c, 0), (0, d) | (d, 0), (0, e) | (e, 0), (0, f) | (f, 0), (0, g) | (g, 0))
            if a + b + c + d > e + f + g =>
        {
            a
        }
        _ => 0,
    };
}

fn main() {}
