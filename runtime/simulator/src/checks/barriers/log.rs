//! The reports of many launches, a kernel each.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::Barriers;

/// Which barriers all launches on a device needed, by kernel. Clones are the same log.
///
/// `Device::simulator_with_barrier_log` fills it.
#[derive(Clone, Debug, Default)]
pub struct BarrierLog(Arc<Mutex<Vec<Barriers>>>);

impl BarrierLog {
    /// A log of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A report of each kernel that was launched, by name.
    pub fn reports(&self) -> Vec<Barriers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds the report of a launch to that of its kernel.
    #[doc(hidden)]
    pub fn add(&self, report: Barriers) {
        let mut reports = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match reports.binary_search_by(|known| known.kernel.cmp(&report.kernel)) {
            Ok(known) => reports[known].join(report),
            Err(place) => reports.insert(place, report),
        }
    }
}

impl fmt::Display for BarrierLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reports().iter().try_for_each(|report| write!(f, "{report}"))
    }
}
