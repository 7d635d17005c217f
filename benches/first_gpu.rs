//! The GPU that a bench measures.

use warpsmith::Device;

/// Opens the first GPU and prints its name. Without a GPU, it prints why the bench is skipped, and returns `None`.
pub fn first_gpu() -> Option<Device> {
    match Device::gpu(0) {
        Ok(device) => {
            println!("device {}", device.name());
            Some(device)
        }
        Err(missing) => {
            println!("skipped: {missing}");
            None
        }
    }
}
