//! A launch repeated on a GPU from the same memory, and timed.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::copied::Copies;
use crate::argument::KernelArg;
use crate::compile;
use crate::compile::kernel::Kernel;
use crate::driver::{Gpu, LaunchStream};
use crate::error::{Error, Result};
use crate::explained::{CheckTimes, Explanation};
use crate::host::device::Backend;
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

/// The times of two forms of a launch, in rounds in which each is launched.
fn in_turn(rounds: usize, launch: &dyn Fn(usize) -> Result<Duration>) -> Result<[Vec<Duration>; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..=rounds {
        for (form, times) in times.iter_mut().enumerate() {
            let time = launch(form)?;
            // The first makes the driver load the code.
            times.extend((round > 0).then_some(time));
        }
    }
    Ok(times)
}

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
    pub(super) fn timed(self, device: &Device, gpu: &Arc<Gpu>, copies: &Copies) -> Result<Timing> {
        let timer = Timer::new(device, gpu, copies, self.setup.attributes.stream.as_ref())?;
        let (prepared, args) = self.split(device)?;
        let once = || timer.once(&prepared, args.as_ref());
        // The first makes the driver load the code.
        once()?;
        let mut times = Vec::new();
        while times.len() < LEAST || times.len() < MOST && times.iter().sum::<Duration>() < ENOUGH {
            times.push(once()?);
        }
        Ok(Timing::new(device.name(), times))
    }

    /// [`Launch::explain_on`] a GPU, with the time of the launch with its checks and without.
    ///
    /// In each of `rounds` rounds, both forms are launched in turn. Each launch starts from the memory before the call, of which the host
    /// keeps a copy, and with flushed caches; at the end the memory is restored. Each launch prints the kernel's output. The times are
    /// medians; the first launch of each form is not timed. The simulator does not time.
    ///
    /// ```
    /// use warpsmith::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn gathered(x: &[f32], order: &[u32], y: &mut [f32]) {
    ///     let i = global_id();
    ///     if i < order.len() && i < y.len() {
    ///         y[i] = x[order[i]];
    ///     }
    /// }
    ///
    /// # fn main() -> warpsmith::Result<()> {
    /// let device = Device::open()?;
    /// let (x, order) = (device.upload(&[1.0f32; 1000])?, device.upload(&[3u32; 1000])?);
    /// let mut y = device.alloc_zeroed::<f32>(1000)?;
    /// let launch = gathered(&x, &order, &mut y).over(1000);
    /// // SAFETY: each of `order` is an index of `x`.
    /// let explained = unsafe { launch.explain_timed(&device, 20)? };
    /// println!("{explained}");
    /// # Ok(()) }
    /// ```
    ///
    /// # Safety
    /// The promise of [`Launch::launch_unchecked`]: every index of the kernel is in bounds.
    ///
    /// # Errors
    /// The errors of [`Launch::launch`] and [`Launch::explain`]; [`LaunchError::NotCopied`](crate::launch::LaunchError) for memory that the
    /// host cannot copy.
    pub unsafe fn explain_timed(self, device: &Device, rounds: usize) -> Result<Explanation> {
        let explanation = self.explain_on(device)?;
        let Backend::Gpu(gpu) = device.backend() else { return Ok(explanation) };
        self.any().check_for_copies(device)?;
        gpu.take_fault()?;
        let copies =
            Copies::new(gpu, &self.kernel, compile::module(&self.kernel)?.module(), self.args.as_ref())?;
        let timer = Timer::new(device, gpu, &copies, self.setup.attributes.stream.as_ref())?;
        let (kernel, args, setup) = (self.kernel.clone(), self.args.clone(), self.setup.clone());
        let same = Launch { kernel, args, setup, said: self.said, _borrows: PhantomData };
        let forms = [self.split(device)?, same.split_with(device, false)?];
        let times = in_turn(rounds, &|form| {
            let (prepared, args) = &forms[form];
            timer.once(prepared, args.as_ref())
        });
        copies.restore(gpu)?;
        let [checked, unchecked] = times?;
        Ok(explanation.with_times(CheckTimes::new(device.name(), checked, unchecked)))
    }
}

/// Times launches that each begin with the memory that was copied.
///
/// Before each, memory of twice the L2 cache is read: the caches hold nothing of the launch, as the ceilings assume,
/// and while the GPU reads, the host queues the launch, so its own time is not measured.
struct Timer<'a> {
    gpu: &'a Arc<Gpu>,
    copies: &'a Copies,
    flush: Option<PreparedFlush>,
    /// The memory that the flush reads and writes.
    _memory: (Buffer<F32x4>, Buffer<f32>),
}

/// The kernel that reads through the caches, with its arguments.
type PreparedFlush = (Prepared<read_through>, <read_through as KernelDefinition>::Args);

impl<'a> Timer<'a> {
    fn new(
        device: &Device,
        gpu: &'a Arc<Gpu>,
        copies: &'a Copies,
        stream: Option<&LaunchStream>,
    ) -> Result<Self> {
        let count = 2 * gpu.limits().l2 / size_of::<F32x4>();
        let zeros = device.alloc_zeroed::<F32x4>(count)?;
        let mut sum = device.alloc_zeroed::<f32>(1)?;
        let mut flush = read_through(&zeros, &mut sum).over(count);
        flush.setup.attributes.stream = stream.cloned();
        let flush = available(flush.split(device))?;
        Ok(Self { gpu, copies, flush, _memory: (zeros, sum) })
    }

    /// The time of one launch.
    fn once<K: Kernel>(&self, prepared: &Prepared<K>, args: &[KernelArg]) -> Result<Duration> {
        self.copies.restore(self.gpu)?;
        if let Some((flush, memory)) = &self.flush {
            flush.launch_args(memory.as_ref())?;
        }
        let time = self.gpu.timed(prepared.stream(), || prepared.launch_args(args))?;
        self.gpu.take_fault()?;
        Ok(time)
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
