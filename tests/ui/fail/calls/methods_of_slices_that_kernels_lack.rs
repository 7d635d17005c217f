use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u8], y: &mut [u8]) {
    if let Some(rest) = x.strip_prefix(b"ab") {
        y[0] = rest[0];
    }
}

fn main() {}
