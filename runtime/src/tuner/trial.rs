//! One launch of one candidate: inspected, or run and timed.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use xxhash_rust::xxh3::Xxh3;

use super::{Candidate, TunerError};
use crate::argument::KernelArg;
use crate::codegen::{Checks, PrintOptions};
use crate::compile::kernel::Kernel;
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::launch::Launch;

/// How long a round of a short kernel should be: an event is exact to half a microsecond.
const ROUND: Duration = Duration::from_micros(500);
/// Launches of a round at most.
const MANY: u32 = 200;

/// Launches the candidate, for the closure of a search.
pub struct Trial<'a> {
    device: &'a Device,
    mode: Mode<'a>,
    launches: u32,
    time: Option<Duration>,
}

enum Mode<'a> {
    /// Nothing is launched.
    Look(&'a mut Look),
    /// This many launches, timed together.
    Run(u32),
}

/// The observations of all candidates.
#[derive(Default)]
pub(super) struct Look {
    seen: HashSet<u64>,
    source: Xxh3,
    /// Bytes of the largest launch's slices and images.
    pub bytes: u64,
}

impl Look {
    /// A name for the CUDA of all candidates.
    pub fn sources(&self) -> String {
        format!("{:032x}", self.source.digest128())
    }

    fn add<K: Kernel>(&mut self, launch: &Launch<'_, K>, checks: bool) -> Result<()> {
        let slices = launch.args().iter().filter_map(KernelArg::memory);
        let slices = slices.map(|memory| memory.range.end - memory.range.start);
        self.bytes = self.bytes.max(slices.sum());
        let mut hasher = DefaultHasher::new();
        launch.any().kernel.hash(&mut hasher);
        (checks, launch.elements()).hash(&mut hasher);
        if self.seen.insert(hasher.finish()) {
            let checks = if checks { Checks::All } else { Checks::None };
            let source = launch.print(&PrintOptions { checks, line_directives: false })?;
            let code = source.complete();
            self.source.update(&(code.len() as u64).to_le_bytes());
            self.source.update(code.as_bytes());
        }
        Ok(())
    }
}

impl<'a> Trial<'a> {
    pub(super) fn look(device: &'a Device, look: &'a mut Look) -> Self {
        Self { device, mode: Mode::Look(look), launches: 0, time: None }
    }

    pub(super) fn run(device: &'a Device, launches: u32) -> Self {
        Self { device, mode: Mode::Run(launches), launches: 0, time: None }
    }

    /// Returns whether the launch really runs. It does not while the search only looks for a kept result.
    ///
    /// A closure that resets memory may skip that where nothing runs.
    pub fn runs(&self) -> bool {
        matches!(self.mode, Mode::Run(_))
    }

    /// Launches the candidate and waits for it. Call it once.
    ///
    /// # Errors
    /// The errors of [`Launch::launch`]. Return the error from the closure: a candidate that the device refuses is skipped.
    pub fn launch<K: Kernel>(&mut self, launch: Launch<'_, K>) -> Result<()> {
        self.start(launch, true)
    }

    /// Like [`Trial::launch`], but without bounds checks on a GPU.
    ///
    /// # Safety
    /// Every index of the kernel is in bounds.
    ///
    /// # Errors
    /// The errors of [`Trial::launch`].
    pub unsafe fn launch_unchecked<K: Kernel>(&mut self, launch: Launch<'_, K>) -> Result<()> {
        self.start(launch, false)
    }

    fn start<K: Kernel>(&mut self, launch: Launch<'_, K>, checks: bool) -> Result<()> {
        self.launches += 1;
        match &mut self.mode {
            Mode::Look(look) => look.add(&launch, checks),
            Mode::Run(launches) => {
                let launches = *launches;
                let (prepared, args) = launch.split_with(self.device, checks)?;
                let each = || prepared.launch_args(args.as_ref());
                let Backend::Gpu(gpu) = self.device.backend() else { return each() };
                let time = gpu.timed(prepared.stream(), || (0..launches).try_for_each(|_| each()))?;
                gpu.take_fault()?;
                self.time = Some(time / launches.max(1));
                Ok(())
            }
        }
    }

    /// The time of one launch; `None` on the simulator.
    pub(super) fn time(self, candidate: &Candidate) -> Result<Option<Duration>> {
        if self.launches != 1 {
            let candidate = candidate.to_string();
            return Err(TunerError::Launches { candidate, launches: self.launches }.into());
        }
        Ok(self.time)
    }
}

/// Launches of a round, for a kernel that takes so long.
pub(super) fn launches(time: Duration) -> u32 {
    let fit = ROUND.as_nanos() / time.as_nanos().max(1);
    u32::try_from(fit).unwrap_or(MANY).clamp(1, MANY)
}
