//! How long a GPU takes for some work, and which GPU it was.

use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::CudaStream;
use cudarc::driver::sys::CUevent_flags;

use super::{DriverError, Gpu};
use crate::error::Result;

impl Gpu {
    /// The time between events before and after some work, which queues on a stream or the device's own.
    ///
    /// Returns once the work is done.
    pub(crate) fn timed(
        &self,
        stream: Option<&Arc<CudaStream>>,
        work: impl FnOnce() -> Result<()>,
    ) -> Result<Duration> {
        let stream = stream.unwrap_or(&self.stream);
        let flags = Some(CUevent_flags::CU_EVENT_DEFAULT);
        let record = || stream.record_event(flags).map_err(|e| DriverError::cuda("cuEventRecord", &e));
        let before = record()?;
        work()?;
        let after = record()?;
        super::required::later("cuEventElapsedTime_v2")?;
        let milliseconds =
            before.elapsed_ms(&after).map_err(|e| DriverError::cuda("cuEventElapsedTime", &e))?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3))
    }

    /// The identity of this GPU and its driver: name, UUID, compute capability, driver version.
    pub(crate) fn identity(&self) -> std::result::Result<String, DriverError> {
        let uuid = self.context.uuid().map_err(|e| DriverError::cuda("cuDeviceGetUuid", &e))?;
        let uuid: String = uuid.bytes.iter().map(|byte| format!("{:02x}", *byte as u8)).collect();
        let ((major, minor), driver) = (self.limits.compute, self.limits.driver_version);
        Ok(format!("{} {uuid} {major}.{minor} {driver}", self.name))
    }
}
