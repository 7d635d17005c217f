//! The number of resident blocks and clusters of a kernel, by the driver's own count.

use std::sync::PoisonError;

use cudarc::driver::sys;

use super::attributes::List;
use super::launch::config;
use super::{Attributes, DriverError, Gpu, Loaded};
use crate::error::LaunchError;
use crate::shape::LaunchShape;

/// The counts for one shape of a kernel.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    block: [u32; 3],
    cluster: Option<[u32; 3]>,
    dynamic_shared: u32,
    /// Clusters that are resident on the device, or blocks where there are no clusters.
    resident: u32,
}

impl Gpu {
    /// Refuses a cluster that no part of the device can hold, and a cooperative grid that does not fit.
    ///
    /// The driver is asked once for each shape of a block and a cluster.
    pub(crate) fn check_occupancy(
        &self,
        loaded: &Loaded,
        shape: &LaunchShape,
        attributes: &Attributes,
    ) -> Result<(), LaunchError> {
        let cluster = shape.cluster.or(loaded.needs().cluster);
        if cluster.is_none() && !attributes.cooperative {
            return Ok(());
        }
        let kernel = loaded.name();
        let resident = self.resident(loaded, &LaunchShape { cluster, ..*shape })?;
        if let Some(cluster) = cluster
            && resident == 0
        {
            let largest = self.largest_cluster(loaded, shape)?;
            return Err(LaunchError::ClusterOccupancy { kernel, cluster, block: shape.block, largest });
        }
        let blocks: u64 = shape.grid.iter().map(|n| u64::from(*n)).product();
        let limit = u64::from(resident) * cluster.map_or(1, blocks_of);
        if attributes.cooperative && blocks > limit {
            return Err(LaunchError::CooperativeGrid { kernel, blocks, limit });
        }
        Ok(())
    }

    /// Clusters, or blocks without clusters, that are resident on the device at once.
    pub(crate) fn resident(&self, loaded: &Loaded, shape: &LaunchShape) -> Result<u32, LaunchError> {
        let (block, cluster, dynamic_shared) = (shape.block, shape.cluster, shape.dynamic_shared);
        let same =
            |c: &&Counted| c.block == block && c.cluster == cluster && c.dynamic_shared == dynamic_shared;
        let known = loaded.counted.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(counted) = known.iter().find(same) {
            return Ok(counted.resident);
        }
        drop(known);
        self.bind()?;
        loaded.ready(shape, &Attributes::default())?;
        let resident = match cluster {
            Some(_) => active_clusters(loaded, shape)?,
            None => active_blocks(loaded, shape)? * self.limits.multiprocessors,
        };
        let mut known = loaded.counted.write().unwrap_or_else(PoisonError::into_inner);
        known.push(Counted { block, cluster, dynamic_shared, resident });
        Ok(resident)
    }

    /// Blocks of the largest cluster of this shape that the device can hold.
    fn largest_cluster(&self, loaded: &Loaded, shape: &LaunchShape) -> Result<u32, LaunchError> {
        let plain = LaunchShape { cluster: None, ..*shape };
        let mut list = List::new(&plain, &Attributes::default());
        let config = config(&plain, &mut list, std::ptr::null_mut());
        let mut blocks = 0;
        // SAFETY: the context is bound, the function loaded in it, and `blocks` writable.
        unsafe {
            sys::cuOccupancyMaxPotentialClusterSize(&raw mut blocks, loaded.function(), &raw const config)
        }
        .result()
        .map_err(|e| DriverError::cuda("cuOccupancyMaxPotentialClusterSize", &e))?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }
}

fn blocks_of(cluster: [u32; 3]) -> u64 {
    cluster.iter().map(|n| u64::from(*n)).product()
}

fn active_clusters(loaded: &Loaded, shape: &LaunchShape) -> Result<u32, DriverError> {
    let mut list = List::new(shape, &Attributes::default());
    let config = config(shape, &mut list, std::ptr::null_mut());
    let mut clusters = 0;
    // SAFETY: as in `largest_cluster`; the list outlives the call.
    let result =
        unsafe { sys::cuOccupancyMaxActiveClusters(&raw mut clusters, loaded.function(), &raw const config) };
    match result {
        // The driver's word for a cluster that fits nowhere.
        sys::CUresult::CUDA_ERROR_INVALID_CLUSTER_SIZE => Ok(0),
        result => {
            result.result().map_err(|e| DriverError::cuda("cuOccupancyMaxActiveClusters", &e))?;
            Ok(u32::try_from(clusters).unwrap_or(0))
        }
    }
}

/// Blocks of a multiprocessor.
fn active_blocks(loaded: &Loaded, shape: &LaunchShape) -> Result<u32, DriverError> {
    let threads: u32 = shape.block.iter().product();
    let mut blocks = 0;
    // SAFETY: as above.
    unsafe {
        sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &raw mut blocks,
            loaded.function(),
            threads as i32,
            shape.dynamic_shared as usize,
        )
    }
    .result()
    .map_err(|e| DriverError::cuda("cuOccupancyMaxActiveBlocksPerMultiprocessor", &e))?;
    Ok(u32::try_from(blocks).unwrap_or(0))
}
