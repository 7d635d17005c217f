//! Checks of a launch's attributes on the host; none is dropped.

use super::{LaunchError, LaunchShape, Limits};
use crate::argument::MemoryPlace;
use crate::driver::{Attributes, check_carveout, check_domain_map, check_window};
use crate::limits::CLUSTER;

/// Checks the limits of a device. `fixed` is the cluster that the kernel was compiled for.
pub(super) fn check(
    kernel: &'static str,
    shape: &LaunchShape,
    attributes: &Attributes,
    limits: &Limits,
    fixed: Option<[u32; 3]>,
) -> Result<(), LaunchError> {
    if attributes.cooperative && !limits.cooperative {
        return Err(LaunchError::NoCooperative { kernel });
    }
    if let Some(priority) = attributes.priority {
        let [least, greatest] = limits.priorities;
        if !(greatest..=least).contains(&priority) {
            return Err(LaunchError::Priority { kernel, priority, least, greatest });
        }
    }
    if let Some(map) = attributes.domain_map {
        check_domain_map(map, limits)?;
    }
    if let Some(window) = &attributes.access_window {
        check_window(kernel, window, limits.access_policy_window)?;
    }
    if let Some(carveout) = attributes.carveout {
        check_carveout(kernel, carveout)?;
    }
    // The simulator, which has no driver, takes every hint.
    if attributes.nvlink_utilisation && (1..13_000).contains(&limits.driver_version) {
        return Err(LaunchError::OldDriver { kernel, what: "nvlink_utilisation", since: "13.0" });
    }
    clusters(kernel, shape, attributes, limits, fixed)
}

/// Cluster attributes require a cluster size; a preferred size must be a multiple of it.
fn clusters(
    kernel: &'static str,
    shape: &LaunchShape,
    attributes: &Attributes,
    limits: &Limits,
    fixed: Option<[u32; 3]>,
) -> Result<(), LaunchError> {
    let cluster = shape.cluster.or(fixed);
    if attributes.cluster_scheduling.is_some() && cluster.is_none() {
        return Err(LaunchError::NoCluster { kernel, what: "cluster_scheduling" });
    }
    let Some(preferred) = attributes.preferred_cluster else { return Ok(()) };
    let Some(cluster) = cluster else {
        return Err(LaunchError::NoCluster { kernel, what: "preferred_cluster" });
    };
    let fits = |axis: usize| {
        preferred[axis] != 0
            && preferred[axis].is_multiple_of(cluster[axis])
            && shape.grid[axis].is_multiple_of(preferred[axis])
    };
    if !(0..3).all(fits) {
        return Err(LaunchError::PreferredCluster { kernel, preferred, cluster, grid: shape.grid });
    }
    let blocks = preferred.iter().map(|n| u64::from(*n)).product();
    if blocks > u64::from(CLUSTER) {
        return Err(LaunchError::ClusterSize { kernel, blocks, limit: CLUSTER });
    }
    if limits.compute < (10, 0) {
        return Err(LaunchError::Compute { kernel, needs: (10, 0), has: limits.compute });
    }
    Ok(())
}

/// Checks that a stream and events belong to the GPU of the launch.
pub(super) fn owner(
    kernel: &'static str,
    attributes: &Attributes,
    ordinal: usize,
) -> Result<(), LaunchError> {
    let stream = attributes.stream.as_ref().and_then(|stream| stream.0.as_ref());
    let stream = stream.map(|stream| ("stream", stream.context().ordinal()));
    let event = attributes.programmatic_event.as_ref().map(|(event, _)| ("event", event.context().ordinal()));
    let completion = attributes.completion_event.as_ref().map(|e| ("event", e.context().ordinal()));
    for (what, owner) in [stream, event, completion].into_iter().flatten() {
        if owner != ordinal {
            let device = MemoryPlace::Gpu(ordinal);
            return Err(LaunchError::Owner { kernel, what, owner, device });
        }
    }
    Ok(())
}

/// A launch on the simulator has no stream and no events of a GPU.
pub(super) fn no_owner(kernel: &'static str, attributes: &Attributes) -> Result<(), LaunchError> {
    owner(kernel, attributes, usize::MAX).map_err(|error| match error {
        LaunchError::Owner { kernel, what, owner, .. } => {
            LaunchError::Owner { kernel, what, owner, device: MemoryPlace::Simulator }
        }
        other => other,
    })
}
