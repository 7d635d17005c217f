//! What may watch a simulated launch: the seam for race detection and metrics.

use std::panic::Location;

use super::{SimLaunch, SimReport};

/// Watches a launch.
///
/// Every method has an empty default. Methods but [`on_launch`](Observer::on_launch) and
/// [`on_finish`](Observer::on_finish) may be called on the small stack of a simulated thread, so
/// they should record rather than print. A launch without observers pays one test of an empty list
/// for each event, none for each thread.
pub trait Observer {
    /// The launch begins.
    fn on_launch(&self, _launch: &SimLaunch<'_>) {}

    /// The block at this index begins.
    fn on_block(&self, _block: [u32; 3]) {}

    /// All threads of the block, or of the cluster that holds it, have reached the barrier.
    fn on_barrier(&self, _barrier: &'static str, _block: [u32; 3], _at: &'static Location<'static>) {}

    /// All lanes of `mask` that exist have reached the warp operation.
    fn on_exchange(
        &self,
        _operation: &'static str,
        _block: [u32; 3],
        _mask: u32,
        _at: &'static Location<'static>,
    ) {
    }

    /// The launch has ended without a fault.
    fn on_finish(&self, _report: &SimReport) {}
}
