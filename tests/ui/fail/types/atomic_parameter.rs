use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(bins: &[std::sync::atomic::AtomicU32], y: &mut [u32]) {
    bins[y[0]].fetch_add(1, Ordering::Relaxed);
}

fn main() {}
