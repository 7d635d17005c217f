use warpsmith::prelude::*;

#[gpu_kernel]
pub fn built(#[cfg(all())] out: &mut [u32]) {
    #[cfg(frob(x))]
    {
        out[0] = 1;
    }
    out[1] = 3;
    #[cfg(all(any(), not(true), feature = "a", debug_assertions,))]
    {
        out[0] = 2;
    }
}

fn main() {}
