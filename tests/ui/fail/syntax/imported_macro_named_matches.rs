use warpsmith::prelude::*;

mod own {
    macro_rules! matches {
        ($($tokens:tt)*) => {
            true
        };
    }
    pub(crate) use matches;
}

use own::matches;

#[gpu_fn]
fn tested(x: u32) -> u32 {
    if matches!(x, 1 | 2) { x } else { 4 }
}

fn main() {}
