//! Every kernel of the corpus on the simulator, against host references.

use corpus::cases::{self, Scale};
use warpsmith::Device;

#[test]
fn every_kernel_is_right_on_the_simulator() {
    let device = Device::simulator();
    let failures: Vec<String> = cases::all()
        .iter()
        .filter_map(|case| (case.check)(&device, Scale::Small).err().map(|e| format!("{}: {e}", case.name)))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
