//! Launches whose metrics are predicted on the simulator and measured by Nsight Compute; see `ncu.sh`.
//!
//! `predictions predict` prints `predicted NAME KERNEL METRIC VALUE` for each launch in turn; `predictions run` makes the
//! same launches on the GPU, in the same order, and no other.

use corpus::measured::{self, How};
use warpsmith::Device;

fn main() -> warpsmith::Result<()> {
    match std::env::args().skip(1).find(|argument| !argument.starts_with('-')).as_deref() {
        Some("predict") => predict(),
        Some("run") => run(&Device::gpu(0)?),
        _ => {
            println!("skipped: say `predict` or `run`");
            Ok(())
        }
    }
}

fn predict() -> warpsmith::Result<()> {
    for launch in measured::all() {
        let report = launch.predict()?;
        for (metric, value) in report.total.profiler() {
            println!("predicted {} {} {metric} {value}", launch.name, report.kernel);
        }
    }
    Ok(())
}

fn run(device: &Device) -> warpsmith::Result<()> {
    for launch in measured::all() {
        (launch.launch)(device, How::Run)?;
        device.synchronize()?;
    }
    Ok(())
}
