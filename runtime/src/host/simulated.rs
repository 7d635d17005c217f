//! Devices that are simulators, and their settings.

use std::sync::Arc;

use super::device::{Backend, Device};
use crate::checks::BarrierLog;
use crate::driver::DriverError;
use crate::error::Result;
use crate::simulator::Settings;

/// The settings given to a simulator; the environment determines the others.
#[derive(Clone, Default)]
pub(super) struct Given {
    settings: Option<Arc<Settings>>,
    /// The log in which launches report which barriers they need.
    barriers: Option<BarrierLog>,
}

impl Device {
    /// The simulator, where there is no GPU.
    pub(super) fn instead_of_a_gpu(_why: DriverError) -> Result<Self> {
        Ok(Self::simulator())
    }

    /// A simulator. It interprets kernels with all checks, then runs their own Rust code on the same input and compares the results.
    /// Environment variables such as `WARPSMITH_SIM` change that; they are read at each launch.
    ///
    /// `WARPSMITH_SIM=interpreter` skips the comparison, and `WARPSMITH_SIM=twin` runs only the Rust code, unchecked, for debuggers,
    /// coverage and long runs. [`Device::simulator_with`] sets [`Settings::executor`] for one device. Each simulator has its own device
    /// statics, which begin as declared; clones share them.
    pub fn simulator() -> Self {
        Self::of(Backend::Simulator, Given::default())
    }

    /// The simulator with the given settings; environment variables are ignored.
    pub fn simulator_with(settings: Settings) -> Self {
        Self::of(Backend::Simulator, Given { settings: Some(settings.into()), barriers: None })
    }

    /// A simulator on which every launch also determines which of its barriers it needs, as [`Launch::barriers`](crate::Launch::barriers)
    /// does, and records that in a log: for a whole test suite.
    ///
    /// Each launch then takes some tens of times as long.
    ///
    /// ```
    /// use warpsmith::checks::BarrierLog;
    /// use warpsmith::prelude::*;
    /// use warpsmith::simulator::Settings;
    ///
    /// #[gpu_kernel]
    /// fn turned_round(x: &mut [u32]) {
    ///     let mut tile = shared!([u32; 64]);
    ///     let t = thread_idx().x;
    ///     tile[t] = x[t];
    ///     sync_threads();
    ///     x[t] = tile[63 - t];
    /// }
    ///
    /// # fn main() -> warpsmith::Result<()> {
    /// let log = BarrierLog::new();
    /// let device = Device::simulator_with_barrier_log(Settings::default(), &log);
    /// for start in [0u32, 100] {
    ///     let mut x = device.upload(&(start..start + 64).collect::<Vec<_>>())?;
    ///     turned_round(&mut x).grid(1).block(64).launch(&device)?;
    /// }
    /// let reports = log.reports();
    /// assert_eq!((reports.len(), reports[0].launches), (1, 2));
    /// assert_eq!(reports[0].redundant().count(), 0);
    /// # Ok(()) }
    /// ```
    pub fn simulator_with_barrier_log(settings: Settings, log: &BarrierLog) -> Self {
        let given = Given { settings: Some(settings.into()), barriers: Some(log.clone()) };
        Self::of(Backend::Simulator, given)
    }

    /// The log in which launches report which barriers they need.
    pub(crate) fn barrier_log(&self) -> Option<&BarrierLog> {
        self.given.barriers.as_ref()
    }

    /// The settings of launches on this simulator.
    pub(crate) fn simulator_settings(&self) -> Result<Settings> {
        match &self.given.settings {
            Some(settings) => Ok((**settings).clone()),
            None => Ok(Settings::from_env()?),
        }
    }
}
