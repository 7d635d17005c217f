use warpsmith::prelude::*;

#[gpu_fn]
fn checked(v: i32) -> i32 {
    assert!({
        #[cfg(debug_assertions)]
        let v = v + 1;
        v > 0
    });
    v
}

fn main() {}
