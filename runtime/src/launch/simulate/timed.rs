//! A launch repeated on a GPU from the same memory, and timed.

use std::sync::Arc;
use std::time::Duration;

use super::copied::Copies;
use crate::compile::kernel::Kernel;
use crate::driver::Gpu;
use crate::error::{Error, Result};
use crate::launch::{Launch, Prepared};
use crate::nvrtc::NvrtcError;
use crate::prelude::*;
use crate::report::Timing;

/// Launches that are timed at most.
const MOST: usize = 10;
/// Launches that are timed however long they take.
const LEAST: usize = 3;
/// Time of all launches after which no other is begun.
const ENOUGH: Duration = Duration::from_secs(1);

/// Reads zeros through the caches, which then hold nothing else and nothing that is still to be written.
#[gpu_kernel]
fn read_through(zeros: &[F32x4], sum: &mut [f32]) {
    let i = global_id();
    if i < zeros.len() && zeros[i].x != 0.0 {
        sum[0] = zeros[i].x;
    }
}

impl<K: Kernel> Launch<'_, K> {
    /// Times some launches, each from the memory that was copied; at the end it is that of one launch.
    ///
    /// Before each launch, a kernel reads memory of twice the size of the L2 cache. The caches then hold nothing of the
    /// launch, as the ceilings assume. The host queues the launch while the GPU reads; the host's own time is therefore not
    /// measured.
    pub(super) fn timed(self, device: &Device, gpu: &Arc<Gpu>, copies: &Copies) -> Result<Timing> {
        let count = 2 * gpu.limits().l2 / size_of::<F32x4>();
        let zeros = device.alloc_zeroed::<F32x4>(count)?;
        let mut sum = device.alloc_zeroed::<f32>(1)?;
        let mut flush = read_through(&zeros, &mut sum).over(count);
        flush.setup.attributes.stream.clone_from(&self.setup.attributes.stream);
        let flush = available(flush.split(device))?;
        let (prepared, args) = self.split(device)?;
        let once = || {
            copies.restore(gpu)?;
            if let Some((flush, memory)) = &flush {
                flush.launch_args(memory.as_ref())?;
            }
            let time = gpu.timed(prepared.stream(), || prepared.launch_args(args.as_ref()))?;
            gpu.take_fault()?;
            Ok::<_, Error>(time)
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

/// A kernel of ours with its arguments; `None` where there is no NVRTC to compile it, as beside a bundle.
fn available<K: Kernel>(prepared: Result<(Prepared<K>, K::Args)>) -> Result<Option<(Prepared<K>, K::Args)>> {
    match prepared {
        Ok(prepared) => Ok(Some(prepared)),
        Err(Error::Nvrtc(NvrtcError::Missing)) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clears_the_caches_reads_all_and_writes_nothing() {
        let device = Device::simulator();
        let zeros = device.alloc_zeroed::<F32x4>(512).expect("memory");
        let mut sum = device.upload(&[7.0f32]).expect("memory");
        let metrics = read_through(&zeros, &mut sum).over(512).metrics(&device).expect("it runs");
        assert_eq!((metrics.footprint_read, metrics.footprint_written), (512 * 16, 0));
        assert_eq!(device.download(&sum).expect("memory"), [7.0]);
    }
}
