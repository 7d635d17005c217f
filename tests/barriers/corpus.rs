//! Each barrier, fence, wait and memory ordering of the corpus, removed in turn.

use corpus::cases::{self, Scale};
use warpsmith::Device;
use warpsmith::checks::BarrierLog;
use warpsmith::simulator::Settings;

#[test]
fn explore() {
    let log = BarrierLog::new();
    let device = Device::simulator_with_barrier_log(Settings::default(), &log);
    for case in cases::all() {
        let start = std::time::Instant::now();
        let outcome = (case.check)(&device, Scale::Small);
        println!("case {} {:?} {outcome:?}", case.name, start.elapsed());
    }
    println!("{log}");
}
