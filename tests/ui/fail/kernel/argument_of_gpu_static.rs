use warpsmith::prelude::*;

#[gpu_static(unified)]
static COUNT: u32 = 0;

fn main() {
    let _ = COUNT.read(&Device::simulator());
}
