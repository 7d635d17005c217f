//! The builder's methods for attributes beyond the shape of a launch.

use std::sync::Arc;

use super::{AccessWindow, CachePreference, Carveout, ClusterScheduling, Dim3, Launch, MemSyncDomain};
use crate::compile::kernel::Kernel;
use crate::driver::CudaEvent;
use crate::driver::LaunchStream;

/// Attributes beyond the shape. If a launch does not set one, its stream's applies.
impl<K: Kernel> Launch<'_, K> {
    /// All blocks are resident at once. If they do not fit, the error names the largest grid that does.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`.
    pub fn cooperative(self) -> Self {
        self.set(|setup| setup.attributes.cooperative = true)
    }

    /// Uses clusters of this size where the device has room for them, and otherwise clusters of the size set by
    /// `.cluster(…)`.
    ///
    /// Must be a multiple of `.cluster(…)` and divide the grid. Compute capability 10.0.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION`.
    pub fn preferred_cluster(self, blocks: impl Into<Dim3>) -> Self {
        self.set(|setup| setup.attributes.preferred_cluster = Some(blocks.into().0))
    }

    /// How clusters are spread over the device. Requires a cluster size.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE`.
    pub fn cluster_scheduling(self, policy: ClusterScheduling) -> Self {
        self.set(|setup| setup.attributes.cluster_scheduling = Some(policy))
    }

    /// Priority; lower numbers run first. [`Limits::priorities`](crate::driver::Limits::priorities) has the range.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_PRIORITY`.
    pub fn priority(self, priority: i32) -> Self {
        self.set(|setup| setup.attributes.priority = Some(priority))
    }

    /// The logical memory synchronization domain.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN`.
    pub fn mem_sync_domain(self, domain: MemSyncDomain) -> Self {
        self.set(|setup| setup.attributes.domain = Some(domain))
    }

    /// The physical domains of the logical domains `default` and `remote`.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP`.
    pub fn mem_sync_domain_map(self, default: u8, remote: u8) -> Self {
        self.set(|setup| setup.attributes.domain_map = Some([default, remote]))
    }

    /// May start before the previous kernel of the stream has ended: once all its blocks have called
    /// [`launch_dependents`](crate::device_api::dependency::launch_dependents) or ended.
    ///
    /// This kernel may read that kernel's results only after
    /// [`grid_dependency_wait`](crate::device_api::dependency::grid_dependency_wait). The simulator runs one launch after
    /// the other.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`.
    pub fn programmatic_serialization(self) -> Self {
        self.set(|setup| setup.attributes.programmatic = true)
    }

    /// Records an event once all blocks have called `launch_dependents` or ended; with
    /// `at_block_start`, once all blocks have started.
    ///
    /// The event has no timing. A stream that waits for it may continue before this kernel's writes are visible.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT`.
    pub fn programmatic_event(self, event: &Arc<CudaEvent>, at_block_start: bool) -> Self {
        self.set(|setup| setup.attributes.programmatic_event = Some((event.clone(), at_block_start)))
    }

    /// Records an event once all blocks have started. The event has no timing.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT`.
    pub fn launch_completion_event(self, event: &Arc<CudaEvent>) -> Self {
        self.set(|setup| setup.attributes.completion_event = Some(event.clone()))
    }

    /// How accesses to one stretch of memory use the L2 cache.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW`.
    pub fn access_policy_window(self, window: AccessWindow) -> Self {
        self.set(|setup| setup.attributes.access_window = Some(window))
    }

    /// Sets the part of a multiprocessor's memory that should be shared memory, for this launch. It overrides
    /// [`Loaded::set_shared_carveout`](crate::driver::Loaded::set_shared_carveout). It is a hint: the driver may choose
    /// differently, and does not report its choice.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`.
    pub fn shared_carveout(self, carveout: Carveout) -> Self {
        self.set(|setup| setup.attributes.carveout = Some(carveout))
    }

    /// Hints that the launch should make the most of NVLink: the driver then assumes that all blocks cause as much traffic
    /// to other devices, and may adjust the launch. It guarantees nothing.
    ///
    /// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING`, since CUDA 13.0.
    pub fn nvlink_utilisation(self) -> Self {
        self.set(|setup| setup.attributes.nvlink_utilisation = true)
    }

    /// Whether the kernel prefers more L1 cache or more shared memory.
    ///
    /// The preference stays with the kernel until a launch sets another. The driver cannot read it back:
    /// [`Loaded::cache_preference`](crate::driver::Loaded::cache_preference) returns the last one that this library set.
    ///
    /// Source: CUDA Driver API, `cuFuncSetCacheConfig`.
    pub fn cache_preference(self, preference: CachePreference) -> Self {
        self.set(|setup| setup.attributes.cache = Some(preference))
    }

    /// Launches on a stream, a `&Stream` or cudarc's `&Arc<CudaStream>`, instead of the device's own.
    ///
    /// The launch waits for earlier writes of its arguments, and for earlier reads of those that it writes, on
    /// whichever streams they are; see [`Stream`](crate::Stream). A kernel that takes views inside other values, or uses
    /// device statics, also waits for the device's own stream, and that stream waits for it.
    pub fn on(self, stream: impl Into<LaunchStream>) -> Self {
        self.set(|setup| setup.attributes.stream = Some(stream.into()))
    }
}
