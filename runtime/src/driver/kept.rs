//! The attributes of a launch that the driver keeps, read back from a node of a graph.

use std::ptr;

use cudarc::driver::sys::{self, CUlaunchAttributeID as Id, CUlaunchAttributeValue as Value, CUresult};

use super::graph::{Captured, Step};
use super::memory::driver;
use super::{
    AccessWindow, Attributes, Carveout, ClusterScheduling, DriverError, Gpu, MemSyncDomain, attributes,
};
use crate::error::LaunchError;

/// The attributes of a launch that the driver keeps. A field is `None` if this driver does not report it.
///
/// Source: CUDA Driver API, `cuGraphKernelNodeGetAttribute`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct KeptAttributes {
    /// Blocks of a cluster, `[1, 1, 1]` without clusters.
    pub cluster: Option<[u32; 3]>,
    /// How clusters are spread over the device.
    pub cluster_scheduling: Option<ClusterScheduling>,
    /// Whether all blocks are resident at once.
    pub cooperative: Option<bool>,
    /// The priority; lower numbers run first.
    pub priority: Option<i32>,
    /// The logical memory synchronization domain.
    pub mem_sync_domain: Option<MemSyncDomain>,
    /// The physical domains of the logical domains default and remote.
    pub mem_sync_domain_map: Option<[u8; 2]>,
    /// How accesses to a stretch of memory use the L2 cache.
    pub access_window: Option<AccessWindow>,
    /// The requested part of a multiprocessor's memory that is shared memory; the driver does not report the part that a
    /// launch gets. CUDA documents the attribute for launches alone, so a driver may keep none for a node.
    pub shared_carveout: Option<Carveout>,
}

impl Gpu {
    /// Captures a launch, which does not run it, and asks the captured node.
    pub(crate) fn kept_attributes(&self, step: Step<'_>) -> Result<KeptAttributes, LaunchError> {
        let (loaded, shape, attributes, args) = step;
        self.bind()?;
        loaded.ready(shape, attributes)?;
        let attributes = of_nodes(attributes);
        let graph = self.capture(std::iter::once((loaded, shape, &attributes, args)))?;
        Ok(read(only_node(&graph)?)?)
    }
}

/// Without what orders a launch with others, which a node does not keep.
fn of_nodes(attributes: &Attributes) -> Attributes {
    Attributes {
        stream: None,
        programmatic: false,
        programmatic_event: None,
        completion_event: None,
        ..attributes.clone()
    }
}

fn only_node(graph: &Captured) -> Result<sys::CUgraphNode, DriverError> {
    let (mut node, mut count) = (ptr::null_mut(), 1);
    // SAFETY: the graph is alive, and there is room for one node.
    let result = unsafe { sys::cuGraphGetNodes(graph.handle(), &raw mut node, &raw mut count) };
    driver("cuGraphGetNodes", result)?;
    Ok(node)
}

// SAFETY, of the reads below: the driver wrote the member of the union that the attribute has, over
// zeros, and any bits are a number.
fn read(node: sys::CUgraphNode) -> Result<KeptAttributes, DriverError> {
    let get = |id| get(node, id);
    Ok(KeptAttributes {
        cluster: get(Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)?.map(|value| {
            // SAFETY: as above.
            let dim = unsafe { value.clusterDim };
            [dim.x, dim.y, dim.z].map(|extent| extent.max(1))
        }),
        cluster_scheduling: get(Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)?
            .map(|value| attributes::scheduling_from_driver(number(&value))),
        cooperative: get(Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE)?.map(|value| number(&value) != 0),
        priority: get(Id::CU_LAUNCH_ATTRIBUTE_PRIORITY)?.map(|value| number(&value) as i32),
        mem_sync_domain: get(Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN)?
            .map(|value| attributes::domain_from_driver(number(&value))),
        mem_sync_domain_map: get(Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP)?.map(|value| {
            // SAFETY: as above.
            let map = unsafe { value.memSyncDomainMap };
            [map.default_, map.remote]
        }),
        access_window: get(Id::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)?
            // SAFETY: as above; the driver writes properties that there are.
            .map(|value| AccessWindow::from_driver(unsafe { value.accessPolicyWindow })),
        shared_carveout: get(Id::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)?
            .map(|value| carveout(number(&value) as i32)),
    })
}

/// The attribute of a node, if the driver has it for nodes.
fn get(node: sys::CUgraphNode, id: Id) -> Result<Option<Value>, DriverError> {
    let mut value = Value { pad: [0; 64] };
    // SAFETY: the node is of a graph that is alive, a kernel's, and `value` is writable.
    match unsafe { sys::cuGraphKernelNodeGetAttribute(node, id, &raw mut value) } {
        CUresult::CUDA_ERROR_INVALID_VALUE | CUresult::CUDA_ERROR_NOT_SUPPORTED => Ok(None),
        result => driver("cuGraphKernelNodeGetAttribute", result).map(|()| Some(value)),
    }
}

/// The value as the number that an enum or a flag is.
fn number(value: &Value) -> u32 {
    // SAFETY: any bits are a number, and the value was initialised whole.
    unsafe { value.sharedMemCarveout }
}

fn carveout(percent: i32) -> Carveout {
    match percent {
        0 => Carveout::MaxL1,
        100 => Carveout::MaxShared,
        percent => u8::try_from(percent).map_or(Carveout::Default, Carveout::Percent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carveouts_are_read_as_they_are_written() {
        for given in [Carveout::Default, Carveout::MaxL1, Carveout::MaxShared, Carveout::Percent(37)] {
            assert_eq!(carveout(attributes::percent(given) as i32), given);
        }
    }
}
