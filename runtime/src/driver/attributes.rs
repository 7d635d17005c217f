//! The attributes of a launch beyond its shape, and the list of them that the driver reads.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::Arc;

use cudarc::driver::CudaEvent;
use cudarc::driver::sys::{self, CUlaunchAttributeID as Id, CUlaunchAttributeValue as Value};

use super::LaunchStream;
use crate::shape::LaunchShape;

/// A logical memory synchronization domain.
///
/// Source: CUDA Driver API, `CUlaunchMemSyncDomain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemSyncDomain {
    /// For compute.
    Default,
    /// For communication with other devices.
    Remote,
}

/// How clusters are spread over the device.
///
/// Source: CUDA Driver API, `CUclusterSchedulingPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClusterScheduling {
    /// The driver's choice.
    Default,
    /// The blocks of a cluster on different multiprocessors.
    Spread,
    /// The hardware balances the blocks of a cluster.
    LoadBalancing,
}

/// The part of a multiprocessor's memory that is shared memory; the rest is L1 cache. A hint, not a limit.
///
/// Source: CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Carveout {
    /// The driver's choice.
    Default,
    /// The least shared memory that the kernel needs.
    MaxL1,
    /// The most shared memory.
    MaxShared,
    /// Percent of the maximum, from 0 to 100.
    Percent(u8),
}

/// Whether a kernel prefers more L1 cache or more shared memory.
///
/// Source: CUDA Driver API, `CUfunc_cache`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CachePreference {
    /// No preference.
    None,
    /// More shared memory.
    Shared,
    /// More L1 cache.
    L1,
    /// Equal parts.
    Equal,
}

/// How the L2 cache treats lines.
///
/// Source: CUDA Driver API, `CUaccessProperty`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccessProperty {
    /// The usual treatment.
    Normal,
    /// Evicted first.
    Streaming,
    /// Kept in the part of the cache that is set aside.
    Persisting,
}

/// How accesses to one stretch of memory use the L2 cache. Advice: results are the same without it.
///
/// ```
/// use warpsmith::launch::{AccessProperty, AccessWindow};
/// # use warpsmith::prelude::*;
/// # fn main() -> warpsmith::Result<()> {
/// let device = Device::simulator();
/// let table = device.upload(&[0u32; 1000])?;
/// let window = AccessWindow::over(&table).hit_ratio(0.5).miss(AccessProperty::Streaming);
/// # assert_eq!(window.bytes(), 4000);
/// # Ok(()) }
/// ```
///
/// Source: CUDA Driver API, `CUaccessPolicyWindow`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccessWindow {
    pub(crate) address: u64,
    pub(crate) bytes: usize,
    pub(crate) hit_ratio: f32,
    pub(crate) hit: AccessProperty,
    pub(crate) miss: AccessProperty,
}

impl AccessWindow {
    /// Accesses to this number of bytes from an address persist in the L2 cache.
    pub(crate) fn of(address: u64, bytes: usize) -> Self {
        let (hit, miss) = (AccessProperty::Persisting, AccessProperty::Streaming);
        Self { address, bytes, hit_ratio: 1.0, hit, miss }
    }

    /// No window: the setting that ends a stream's window.
    pub fn none() -> Self {
        let (hit, miss) = (AccessProperty::Normal, AccessProperty::Normal);
        Self { address: 0, bytes: 0, hit_ratio: 0.0, hit, miss }
    }

    /// Sets the part of the accesses that is treated by `hit`, from 0.0 to 1.0. Default: 1.0.
    pub fn hit_ratio(mut self, ratio: f32) -> Self {
        self.hit_ratio = ratio;
        self
    }

    /// Sets the treatment of the accesses that are hits. Default: persisting.
    pub fn hit(mut self, property: AccessProperty) -> Self {
        self.hit = property;
        self
    }

    /// Sets the treatment of the others: normal or streaming. Default: streaming.
    pub fn miss(mut self, property: AccessProperty) -> Self {
        self.miss = property;
        self
    }

    /// Its length in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn to_driver(self) -> sys::CUaccessPolicyWindow {
        sys::CUaccessPolicyWindow {
            base_ptr: self.address as *mut c_void,
            num_bytes: self.bytes,
            hitRatio: self.hit_ratio,
            hitProp: property_to_driver(self.hit),
            missProp: property_to_driver(self.miss),
        }
    }

    pub(super) fn from_driver(window: sys::CUaccessPolicyWindow) -> Self {
        Self {
            address: window.base_ptr as u64,
            bytes: window.num_bytes,
            hit_ratio: window.hitRatio,
            hit: property_from_driver(window.hitProp),
            miss: property_from_driver(window.missProp),
        }
    }
}

/// Attributes of a launch beyond its shape.
#[derive(Clone, Default)]
pub struct Attributes {
    pub(crate) stream: Option<LaunchStream>,
    pub(crate) cooperative: bool,
    pub(crate) preferred_cluster: Option<[u32; 3]>,
    pub(crate) cluster_scheduling: Option<ClusterScheduling>,
    pub(crate) priority: Option<i32>,
    pub(crate) domain: Option<MemSyncDomain>,
    pub(crate) domain_map: Option<[u8; 2]>,
    pub(crate) programmatic: bool,
    pub(crate) programmatic_event: Option<(Arc<CudaEvent>, bool)>,
    pub(crate) completion_event: Option<Arc<CudaEvent>>,
    pub(crate) access_window: Option<AccessWindow>,
    pub(crate) carveout: Option<Carveout>,
    pub(crate) nvlink_utilisation: bool,
    pub(crate) cache: Option<CachePreference>,
}

/// Attributes of one launch at most.
const MAX_ATTRIBUTES: usize = 13;

/// The attribute list that the driver reads.
pub(super) struct List {
    items: [MaybeUninit<sys::CUlaunchAttribute>; MAX_ATTRIBUTES],
    len: usize,
}

impl List {
    /// A shape and attributes in the driver's form.
    pub fn new(shape: &LaunchShape, attributes: &Attributes) -> Self {
        let mut list = Self { items: [const { MaybeUninit::uninit() }; MAX_ATTRIBUTES], len: 0 };
        list.clusters(shape, attributes);
        list.scheduling(attributes);
        list.events(attributes);
        list.memory(attributes);
        list
    }

    /// The list for `CUlaunchConfig`.
    pub fn as_mut_ptr(&mut self) -> *mut sys::CUlaunchAttribute {
        self.items.as_mut_ptr().cast()
    }

    /// The number of attributes.
    pub fn len(&self) -> u32 {
        self.len as u32
    }

    /// Cluster sizes and where the blocks of clusters go.
    fn clusters(&mut self, shape: &LaunchShape, attributes: &Attributes) {
        if let Some([x, y, z]) = shape.cluster {
            let dim = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z };
            self.push(Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, |v| v.clusterDim = dim);
        }
        if let Some([x, y, z]) = attributes.preferred_cluster {
            let dim = sys::CUlaunchAttributeValue_union__bindgen_ty_4 { x, y, z };
            self.push(Id::CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, |v| v.preferredClusterDim = dim);
        }
        if let Some(policy) = attributes.cluster_scheduling {
            self.push(Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, |v| {
                v.clusterSchedulingPolicyPreference = scheduling_to_driver(policy);
            });
        }
    }

    fn scheduling(&mut self, attributes: &Attributes) {
        if attributes.cooperative {
            self.push(Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, |v| v.cooperative = 1);
        }
        if let Some(priority) = attributes.priority {
            self.push(Id::CU_LAUNCH_ATTRIBUTE_PRIORITY, |v| v.priority = priority);
        }
        if attributes.nvlink_utilisation {
            self.push(Id::CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING, |v| {
                v.nvlinkUtilCentricScheduling = 1;
            });
        }
        if attributes.programmatic {
            self.push(Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, |v| {
                v.programmaticStreamSerializationAllowed = 1;
            });
        }
    }

    fn events(&mut self, attributes: &Attributes) {
        if let Some((event, at_block_start)) = &attributes.programmatic_event {
            let value = sys::CUlaunchAttributeValue_union__bindgen_ty_2 {
                event: event.cu_event(),
                flags: 0,
                triggerAtBlockStart: i32::from(*at_block_start),
            };
            self.push(Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, |v| v.programmaticEvent = value);
        }
        if let Some(event) = &attributes.completion_event {
            let value = sys::CUlaunchAttributeValue_union__bindgen_ty_3 { event: event.cu_event(), flags: 0 };
            self.push(Id::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, |v| v.launchCompletionEvent = value);
        }
    }

    fn memory(&mut self, attributes: &Attributes) {
        if let Some(domain) = attributes.domain {
            let domain = domain_to_driver(domain);
            self.push(Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, |v| v.memSyncDomain = domain);
        }
        if let Some([default_, remote]) = attributes.domain_map {
            let map = sys::CUlaunchMemSyncDomainMap { default_, remote };
            self.push(Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, |v| v.memSyncDomainMap = map);
        }
        if let Some(window) = attributes.access_window {
            let window = window.to_driver();
            self.push(Id::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, |v| v.accessPolicyWindow = window);
        }
        if let Some(carveout) = attributes.carveout {
            let percent = percent(carveout);
            self.push(Id::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, |v| {
                v.sharedMemCarveout = percent;
            });
        }
    }

    fn push(&mut self, id: Id, set: impl FnOnce(&mut Value)) {
        let mut attribute = sys::CUlaunchAttribute { id, pad: [0; 4], value: Value { pad: [0; 64] } };
        set(&mut attribute.value);
        self.items[self.len].write(attribute);
        self.len += 1;
    }
}

pub(super) fn scheduling_to_driver(policy: ClusterScheduling) -> sys::CUclusterSchedulingPolicy {
    match policy {
        ClusterScheduling::Default => sys::CUclusterSchedulingPolicy::CU_CLUSTER_SCHEDULING_POLICY_DEFAULT,
        ClusterScheduling::Spread => sys::CUclusterSchedulingPolicy::CU_CLUSTER_SCHEDULING_POLICY_SPREAD,
        ClusterScheduling::LoadBalancing => {
            sys::CUclusterSchedulingPolicy::CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING
        }
    }
}

pub(super) fn scheduling_from_driver(policy: u32) -> ClusterScheduling {
    let known = [ClusterScheduling::Spread, ClusterScheduling::LoadBalancing];
    let same = |known: &ClusterScheduling| scheduling_to_driver(*known) as u32 == policy;
    known.into_iter().find(same).unwrap_or(ClusterScheduling::Default)
}

/// The driver's number of a carveout: -1 is its default.
pub(super) fn percent(carveout: Carveout) -> u32 {
    match carveout {
        Carveout::Default => u32::MAX,
        Carveout::MaxL1 => 0,
        Carveout::MaxShared => 100,
        Carveout::Percent(percent) => u32::from(percent),
    }
}

pub(super) fn domain_to_driver(domain: MemSyncDomain) -> sys::CUlaunchMemSyncDomain {
    match domain {
        MemSyncDomain::Default => sys::CUlaunchMemSyncDomain::CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT,
        MemSyncDomain::Remote => sys::CUlaunchMemSyncDomain::CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE,
    }
}

pub(super) fn domain_from_driver(domain: u32) -> MemSyncDomain {
    let remote = sys::CUlaunchMemSyncDomain::CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
    if domain == remote as u32 { MemSyncDomain::Remote } else { MemSyncDomain::Default }
}

pub(super) fn cache_to_driver(preference: CachePreference) -> sys::CUfunc_cache {
    match preference {
        CachePreference::None => sys::CUfunc_cache::CU_FUNC_CACHE_PREFER_NONE,
        CachePreference::Shared => sys::CUfunc_cache::CU_FUNC_CACHE_PREFER_SHARED,
        CachePreference::L1 => sys::CUfunc_cache::CU_FUNC_CACHE_PREFER_L1,
        CachePreference::Equal => sys::CUfunc_cache::CU_FUNC_CACHE_PREFER_EQUAL,
    }
}

pub(super) fn cache_from_driver(preference: u32) -> CachePreference {
    let known = [CachePreference::Shared, CachePreference::L1, CachePreference::Equal];
    let same = |known: &CachePreference| cache_to_driver(*known) as u32 == preference;
    known.into_iter().find(same).unwrap_or(CachePreference::None)
}

fn property_to_driver(property: AccessProperty) -> sys::CUaccessProperty {
    match property {
        AccessProperty::Normal => sys::CUaccessProperty::CU_ACCESS_PROPERTY_NORMAL,
        AccessProperty::Streaming => sys::CUaccessProperty::CU_ACCESS_PROPERTY_STREAMING,
        AccessProperty::Persisting => sys::CUaccessProperty::CU_ACCESS_PROPERTY_PERSISTING,
    }
}

fn property_from_driver(property: sys::CUaccessProperty) -> AccessProperty {
    match property {
        sys::CUaccessProperty::CU_ACCESS_PROPERTY_NORMAL => AccessProperty::Normal,
        sys::CUaccessProperty::CU_ACCESS_PROPERTY_STREAMING => AccessProperty::Streaming,
        sys::CUaccessProperty::CU_ACCESS_PROPERTY_PERSISTING => AccessProperty::Persisting,
    }
}
