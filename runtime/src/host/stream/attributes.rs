//! Attributes of streams: the defaults of launches on them, set and read back.

use std::sync::PoisonError;

use super::{Queue, SimulatedStream, Stream};
use crate::driver::{AccessWindow, Limits, MemSyncDomain, SyncPolicy, check_domain_map, check_window};
use crate::error::Result;

/// A stream's attributes on the simulator, where they have no effect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    domain: MemSyncDomain,
    map: [u8; 2],
    window: AccessWindow,
    policy: SyncPolicy,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            domain: MemSyncDomain::Default,
            map: [0, 1],
            window: AccessWindow::none(),
            policy: SyncPolicy::Auto,
        }
    }
}

impl SimulatedStream {
    fn kept(&self) -> Kept {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, change: impl FnOnce(&mut Kept)) {
        change(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Stream {
    /// Sets the logical memory synchronization domain of launches on this stream.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamSetAttribute`, `CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN`.
    pub fn set_mem_sync_domain(&self, domain: MemSyncDomain) -> Result<()> {
        match &self.queue {
            Queue::Gpu(stream) => stream.gpu.set_mem_sync_domain(&stream.stream, domain)?,
            Queue::Simulator(stream) => stream.keep(|kept| kept.domain = domain),
        }
        Ok(())
    }

    /// The logical memory synchronization domain of launches on this stream.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamGetAttribute`.
    pub fn mem_sync_domain(&self) -> Result<MemSyncDomain> {
        match &self.queue {
            Queue::Gpu(stream) => Ok(stream.gpu.mem_sync_domain(&stream.stream)?),
            Queue::Simulator(stream) => Ok(stream.kept().domain),
        }
    }

    /// Sets the physical domains of the logical domains `default` and `remote` on this stream, also for
    /// launches of libraries such as NCCL.
    ///
    /// # Errors
    /// [`LaunchError::Domain`](crate::launch::LaunchError::Domain) beyond the device's domains, or an
    /// error of the driver.
    ///
    /// Source: CUDA Driver API, `cuStreamSetAttribute`, `CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP`.
    pub fn set_mem_sync_domain_map(&self, default: u8, remote: u8) -> Result<()> {
        match &self.queue {
            Queue::Gpu(stream) => stream.gpu.set_mem_sync_domain_map(&stream.stream, default, remote)?,
            Queue::Simulator(stream) => {
                check_domain_map([default, remote], &Limits::SIMULATOR)?;
                stream.keep(|kept| kept.map = [default, remote]);
            }
        }
        Ok(())
    }

    /// The physical domains of the logical domains `default` and `remote` on this stream.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamGetAttribute`.
    pub fn mem_sync_domain_map(&self) -> Result<[u8; 2]> {
        match &self.queue {
            Queue::Gpu(stream) => Ok(stream.gpu.mem_sync_domain_map(&stream.stream)?),
            Queue::Simulator(stream) => Ok(stream.kept().map),
        }
    }

    /// Sets how launches on this stream use the L2 cache; [`AccessWindow::none`] removes the setting.
    ///
    /// # Errors
    /// [`LaunchError::AccessWindow`](crate::launch::LaunchError::AccessWindow) and the like for a window
    /// that the device does not have, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamSetAttribute`, `CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW`.
    pub fn set_access_window(&self, window: AccessWindow) -> Result<()> {
        match &self.queue {
            Queue::Gpu(stream) => stream.gpu.set_access_window(&stream.stream, window)?,
            Queue::Simulator(stream) => {
                check_window("the stream", &window, Limits::SIMULATOR.access_policy_window)?;
                stream.keep(|kept| kept.window = window);
            }
        }
        Ok(())
    }

    /// How launches on this stream use the L2 cache.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamGetAttribute`.
    pub fn access_window(&self) -> Result<AccessWindow> {
        match &self.queue {
            Queue::Gpu(stream) => Ok(stream.gpu.access_window(&stream.stream)?),
            Queue::Simulator(stream) => Ok(stream.kept().window),
        }
    }

    /// Sets how a host thread waits for this stream.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamSetAttribute`, `CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY`.
    pub fn set_sync_policy(&self, policy: SyncPolicy) -> Result<()> {
        match &self.queue {
            Queue::Gpu(stream) => stream.gpu.set_sync_policy(&stream.stream, policy)?,
            Queue::Simulator(stream) => stream.keep(|kept| kept.policy = policy),
        }
        Ok(())
    }

    /// How a host thread waits for this stream.
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamGetAttribute`.
    pub fn sync_policy(&self) -> Result<SyncPolicy> {
        match &self.queue {
            Queue::Gpu(stream) => Ok(stream.gpu.sync_policy(&stream.stream)?),
            Queue::Simulator(stream) => Ok(stream.kept().policy),
        }
    }

    /// Returns whether it keeps an implicit order with the device's default stream: that stream itself, and those
    /// of [`Device::blocking_stream`](crate::Device::blocking_stream).
    ///
    /// # Errors
    /// A driver error.
    ///
    /// Source: CUDA Driver API, `cuStreamGetFlags`.
    pub fn is_blocking(&self) -> Result<bool> {
        match &self.queue {
            Queue::Gpu(stream) => Ok(stream.is_blocking()?),
            Queue::Simulator(stream) => Ok(stream.blocking),
        }
    }
}
