//! A launch repeated on a GPU from the same memory, and timed.

use std::sync::Arc;
use std::time::Duration;

use super::Launch;
use super::copied::Copies;
use crate::device::Device;
use crate::driver::Gpu;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::report::Timing;

/// Launches that are timed at most.
const MOST: usize = 10;
/// Launches that are timed however long they take.
const LEAST: usize = 3;
/// Time of all launches after which no other is begun.
const ENOUGH: Duration = Duration::from_secs(1);

impl<K: Kernel> Launch<'_, K> {
    /// Times some launches, each from the memory that was copied; at the end it is that of one launch.
    ///
    /// Before each a fill of twice the L2 cache is queued: the caches hold nothing of the launch, as the ceilings assume,
    /// and the GPU has no time to wait for the host between the events.
    pub(super) fn timed(self, device: &Device, gpu: &Arc<Gpu>, copies: &Copies) -> Result<Timing> {
        let (prepared, args) = self.split(device)?;
        let stream = prepared.stream().unwrap_or(gpu.stream());
        let scratch = gpu.alloc(2 * gpu.limits().l2)?;
        let once = || {
            copies.restore(gpu)?;
            gpu.fill(stream, &scratch, 0)?;
            let time = gpu.timed(Some(stream), || prepared.launch_args(args.as_ref()))?;
            gpu.take_fault()?;
            Ok::<_, crate::Error>(time)
        };
        // The first makes the driver load the code.
        once()?;
        let mut times = Vec::new();
        while times.len() < LEAST || times.len() < MOST && times.iter().sum::<Duration>() < ENOUGH {
            times.push(once()?);
        }
        Ok(Timing::new(device.name(), times))
    }
}
