//! Attributes of a stream. They apply to launches on it that do not set their own.

use std::sync::Arc;

use cudarc::driver::CudaStream;
use cudarc::driver::sys::{self, CUlaunchAttributeID as Id, CUlaunchAttributeValue as Value};

use super::attribute_checks::{check_domain_map, check_window};
use super::{AccessWindow, DriverError, Gpu, MemSyncDomain, attributes};
use crate::error::LaunchError;

/// How a host thread waits for a stream.
///
/// Source: CUDA Driver API, `CUsynchronizationPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncPolicy {
    /// The driver's choice.
    Auto,
    /// It spins.
    Spin,
    /// It yields to other threads.
    Yield,
    /// It blocks.
    Blocking,
}

impl Gpu {
    /// Sets how launches on a stream use the L2 cache; [`AccessWindow::none`] takes it back.
    ///
    /// # Errors
    /// [`LaunchError::AccessWindow`] or [`LaunchError::HitRatio`] for a wrong window, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamSetAttribute`, `CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW`.
    pub fn set_access_window(
        &self,
        stream: &Arc<CudaStream>,
        window: AccessWindow,
    ) -> Result<(), LaunchError> {
        check_window("the stream", &window, self.limits.access_policy_window)?;
        let value = Value { accessPolicyWindow: window.to_driver() };
        Ok(self.set_attribute(stream, Id::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value)?)
    }

    /// How launches on a stream use the L2 cache.
    ///
    /// # Errors
    /// A driver error.
    pub fn access_window(&self, stream: &Arc<CudaStream>) -> Result<AccessWindow, DriverError> {
        let value = self.get_attribute(stream, Id::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)?;
        // SAFETY: the driver wrote this member of the union, all of whose bits it defines.
        Ok(AccessWindow::from_driver(unsafe { value.accessPolicyWindow }))
    }

    /// Sets the physical domains of the logical domains `default` and `remote` on a stream.
    ///
    /// # Errors
    /// [`LaunchError::Domain`] beyond the device's domains, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamSetAttribute`, `CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP`.
    pub fn set_mem_sync_domain_map(
        &self,
        stream: &Arc<CudaStream>,
        default: u8,
        remote: u8,
    ) -> Result<(), LaunchError> {
        check_domain_map([default, remote], &self.limits)?;
        let value = Value { memSyncDomainMap: sys::CUlaunchMemSyncDomainMap { default_: default, remote } };
        Ok(self.set_attribute(stream, Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &value)?)
    }

    /// The physical domains of the logical domains `default` and `remote` of a stream.
    ///
    /// # Errors
    /// A driver error.
    pub fn mem_sync_domain_map(&self, stream: &Arc<CudaStream>) -> Result<[u8; 2], DriverError> {
        let value = self.get_attribute(stream, Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP)?;
        // SAFETY: as in `access_window`.
        let map = unsafe { value.memSyncDomainMap };
        Ok([map.default_, map.remote])
    }

    /// Sets the logical memory synchronization domain of launches on a stream.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamSetAttribute`, `CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN`.
    pub fn set_mem_sync_domain(
        &self,
        stream: &Arc<CudaStream>,
        domain: MemSyncDomain,
    ) -> Result<(), DriverError> {
        let value = Value { memSyncDomain: attributes::domain_to_driver(domain) };
        self.set_attribute(stream, Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &value)
    }

    /// The logical memory synchronization domain of launches on a stream.
    ///
    /// # Errors
    /// A driver error.
    pub fn mem_sync_domain(&self, stream: &Arc<CudaStream>) -> Result<MemSyncDomain, DriverError> {
        let value = self.get_attribute(stream, Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN)?;
        Ok(attributes::domain_from_driver(number(value)))
    }

    /// Sets how a host thread waits for a stream.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamSetAttribute`, `CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY`.
    pub fn set_sync_policy(&self, stream: &Arc<CudaStream>, policy: SyncPolicy) -> Result<(), DriverError> {
        let value = Value { syncPolicy: policy_to_driver(policy) };
        self.set_attribute(stream, Id::CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value)
    }

    /// How a host thread waits for a stream.
    ///
    /// # Errors
    /// A driver error.
    pub fn sync_policy(&self, stream: &Arc<CudaStream>) -> Result<SyncPolicy, DriverError> {
        let value = self.get_attribute(stream, Id::CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)?;
        let known = [SyncPolicy::Spin, SyncPolicy::Yield, SyncPolicy::Blocking];
        let same = |policy: &SyncPolicy| policy_to_driver(*policy) as u32 == number(value);
        Ok(known.into_iter().find(same).unwrap_or(SyncPolicy::Auto))
    }

    /// The priority of a stream, which it was made with; lower numbers are greater priorities.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamGetPriority`.
    pub fn stream_priority(&self, stream: &Arc<CudaStream>) -> Result<i32, DriverError> {
        self.check_stream(stream)?;
        self.bind()?;
        let mut priority = 0;
        // SAFETY: a context is bound, the stream is alive and `priority` writable.
        unsafe { sys::cuStreamGetPriority(stream.cu_stream(), &raw mut priority) }
            .result()
            .map_err(|e| DriverError::cuda("cuStreamGetPriority", &e))?;
        Ok(priority)
    }

    fn set_attribute(&self, stream: &CudaStream, id: Id, value: &Value) -> Result<(), DriverError> {
        self.check_stream(stream)?;
        self.bind()?;
        // SAFETY: a context is bound, the stream is alive, and the value is of the attribute's kind.
        unsafe { sys::cuStreamSetAttribute(stream.cu_stream(), id, std::ptr::from_ref(value)) }
            .result()
            .map_err(|e| DriverError::cuda("cuStreamSetAttribute", &e))
    }

    fn get_attribute(&self, stream: &CudaStream, id: Id) -> Result<Value, DriverError> {
        self.check_stream(stream)?;
        self.bind()?;
        let mut value = Value { pad: [0; 64] };
        // SAFETY: as above; `value` is writable.
        unsafe { sys::cuStreamGetAttribute(stream.cu_stream(), id, &raw mut value) }
            .result()
            .map_err(|e| DriverError::cuda("cuStreamGetAttribute", &e))?;
        Ok(value)
    }

    fn check_stream(&self, stream: &CudaStream) -> Result<(), DriverError> {
        let (stream, device) = (stream.context().ordinal(), self.ordinal);
        if stream == device { Ok(()) } else { Err(DriverError::WrongStream { stream, device }) }
    }
}

/// The value as the number that an enum is; the driver may know more of them than we do.
fn number(value: Value) -> u32 {
    // SAFETY: any bits are a number, and the value was initialised whole.
    unsafe { value.sharedMemCarveout }
}

fn policy_to_driver(policy: SyncPolicy) -> sys::CUsynchronizationPolicy {
    match policy {
        SyncPolicy::Auto => sys::CUsynchronizationPolicy::CU_SYNC_POLICY_AUTO,
        SyncPolicy::Spin => sys::CUsynchronizationPolicy::CU_SYNC_POLICY_SPIN,
        SyncPolicy::Yield => sys::CUsynchronizationPolicy::CU_SYNC_POLICY_YIELD,
        SyncPolicy::Blocking => sys::CUsynchronizationPolicy::CU_SYNC_POLICY_BLOCKING_SYNC,
    }
}
