//! Checks of a launch on the host, each with the argument, the limit and the way out.

use super::{LaunchError, LaunchShape, check_attributes};
use crate::argument::Order;
use crate::argument::{KernelArg, MemoryPlace};
use crate::codegen::Needs;
use crate::compile::kernel::AnyKernel;
use crate::driver::{Attributes, Limits, is_everywhere};
use crate::host::device::{Backend, Device};
use crate::ir::{KernelAttributes, Module, Roles};
use crate::limits;
use crate::shape::MAX_ARGUMENTS;

/// Every extent is at least one.
pub(super) fn positive(
    kernel: &'static str,
    what: &'static str,
    extents: [u32; 3],
) -> Result<(), LaunchError> {
    if extents.contains(&0) { Err(LaunchError::Zero { kernel, what, extents }) } else { Ok(()) }
}

/// Blocks that cover the items; at least one in each dimension.
pub(super) fn covering(items: [u64; 3], block: [u32; 3]) -> [u32; 3] {
    let mut grid = [1; 3];
    for axis in 0..3 {
        let blocks = items[axis].div_ceil(u64::from(block[axis])).max(1);
        grid[axis] = u32::try_from(blocks).unwrap_or(u32::MAX);
    }
    grid
}

/// Checks the rules of every device.
pub(super) fn shape(kernel: &'static str, shape: &LaunchShape) -> Result<(), LaunchError> {
    let threads: u128 = shape.block.iter().map(|n| u128::from(*n)).product();
    if threads > u128::from(limits::BLOCK_THREADS) {
        let (block, limit) = (shape.block, limits::BLOCK_THREADS);
        return Err(LaunchError::Block { kernel, block, threads, limit, whose: "of every device" });
    }
    extents(kernel, "grid", shape.grid, limits::GRID)?;
    extents(kernel, "block", shape.block, limits::BLOCK)?;
    let Some(cluster) = shape.cluster else { return Ok(()) };
    positive(kernel, "cluster", cluster)?;
    let blocks: u64 = cluster.iter().map(|n| u64::from(*n)).product();
    if blocks > u64::from(limits::CLUSTER) {
        return Err(LaunchError::ClusterSize { kernel, blocks, limit: limits::CLUSTER });
    }
    if (0..3).any(|axis| !shape.grid[axis].is_multiple_of(cluster[axis])) {
        return Err(LaunchError::ClusterGrid { kernel, cluster, grid: shape.grid });
    }
    Ok(())
}

fn extents(
    kernel: &'static str,
    what: &'static str,
    extents: [u32; 3],
    limits: [u32; 3],
) -> Result<(), LaunchError> {
    for (axis, name) in ['x', 'y', 'z'].into_iter().enumerate() {
        if extents[axis] > limits[axis] {
            let (extent, limit) = (extents[axis], limits[axis]);
            return Err(LaunchError::Extent { kernel, what, axis: name, extent, limit });
        }
    }
    Ok(())
}

/// There are not too many arguments, and the device reaches the memory of every slice and has every image.
pub(super) fn arguments(of: &dyn AnyKernel, args: &[KernelArg], device: &Device) -> Result<(), LaunchError> {
    let kernel = of.name();
    if args.len() > MAX_ARGUMENTS {
        return Err(LaunchError::Arguments { kernel, count: args.len(), limit: MAX_ARGUMENTS });
    }
    let own = device.place();
    for (arg, argument) in args.iter().zip(of.params()) {
        match arg {
            KernelArg::Slice { place, order, .. } if *place != own => {
                elsewhere(kernel, argument, *place, order, device)?;
            }
            // An object is of one device, and no other's kernels know it.
            KernelArg::Image { access, .. } if access.get().place != own => {
                let memory = access.get().place;
                return Err(LaunchError::Argument { kernel, argument, memory, device: own });
            }
            KernelArg::TensorMap { map, .. } if map.place != own => {
                let memory = map.place;
                return Err(LaunchError::Argument { kernel, argument, memory, device: own });
            }
            _ => {}
        }
    }
    Ok(())
}

/// An argument that is not on the device is on a GPU that the device has access to, or is everywhere.
fn elsewhere(
    kernel: &'static str,
    argument: &'static str,
    memory: MemoryPlace,
    order: &Order,
    device: &Device,
) -> Result<(), LaunchError> {
    match (device.backend(), memory) {
        (Backend::Gpu(gpu), MemoryPlace::Gpu(ordinal)) if is_everywhere(order) || gpu.reaches(ordinal) => {
            Ok(())
        }
        (Backend::Gpu(_), MemoryPlace::Gpu(_)) => {
            Err(LaunchError::PeerArgument { kernel, argument, memory, device: device.place() })
        }
        _ => Err(LaunchError::Argument { kernel, argument, memory, device: device.place() }),
    }
}

/// No slice or mapped matrix that a kernel writes overlaps another.
pub(super) fn overlap(of: &dyn AnyKernel, args: &[KernelArg]) -> Result<(), LaunchError> {
    let Some([first, second]) = overlapping(args) else { return Ok(()) };
    let (first, second) = (of.params()[first], of.params()[second]);
    Err(LaunchError::Overlap { kernel: of.name(), first, second })
}

/// The positions of a slice or mapped matrix that is written, and of another that it overlaps.
pub(super) fn overlapping(args: &[KernelArg]) -> Option<[usize; 2]> {
    let range = |i: usize| match args.get(i)? {
        KernelArg::Slice { ptr, bytes, mutable, .. } if *bytes > 0 => Some((*ptr, *ptr + *bytes, *mutable)),
        KernelArg::TensorMap { map, mutable } => {
            let range = map.range();
            Some((range.start, range.end, *mutable))
        }
        _ => None,
    };
    for i in 0..args.len() {
        for j in i + 1..args.len() {
            if let (Some((a, a_end, writes_a)), Some((b, b_end, writes_b))) = (range(i), range(j))
                && (writes_a || writes_b)
                && a < b_end
                && b < a_end
            {
                return Some([i, j]);
            }
        }
    }
    None
}

/// The greatest number of written slices whose ranges are collected once, before the others are compared with them.
const FEW: usize = 8;

/// Returns which of the wanted slices overlap no written slice, one bit for each position.
pub(super) fn unwritten(wanted: u64, args: &[KernelArg]) -> u64 {
    let range = |arg: &KernelArg| match arg {
        KernelArg::Slice { ptr, bytes, mutable, .. } => Some((*ptr, ptr.saturating_add(*bytes), *mutable)),
        _ => None,
    };
    let written = || args.iter().filter_map(range).filter(|(_, _, mutable)| *mutable);
    let (mut few, mut count) = ([(0, 0); FEW], 0);
    for (start, end, _) in if wanted == 0 { return 0 } else { written() } {
        few.get_mut(count).into_iter().for_each(|own| *own = (start, end));
        count += 1;
    }
    let is_apart = |start: u64, end: u64| match few.get(..count) {
        Some(few) => few.iter().all(|(from, to)| end <= *from || *to <= start),
        None => written().all(|(from, to, _)| end <= from || to <= start),
    };
    let (mut left, mut bits) = (wanted, 0);
    while left != 0 {
        let at = left.trailing_zeros();
        left &= left - 1;
        if let Some((start, end, false)) = args.get(at as usize).and_then(range) {
            bits |= u64::from(is_apart(start, end)) << at;
        }
    }
    bits
}

/// Checks the rules of this GPU for this kernel.
pub(super) fn device(
    of: &dyn AnyKernel,
    shape: &LaunchShape,
    limits: &Limits,
    needs: &Needs,
    attributes: &Attributes,
) -> Result<(), LaunchError> {
    let kernel = of.name();
    block(kernel, shape, limits.threads_per_block, "the device's")?;
    LaunchError::check_parameter_bytes(kernel, needs.parameter_bytes, limits.parameter_bytes)?;
    promises(kernel, shape, needs.max_threads, needs.cluster)?;
    roles(kernel, shape, of.attributes().roles)?;
    if shape.cluster.is_some() && !limits.clusters {
        return Err(LaunchError::Compute { kernel, needs: (9, 0), has: limits.compute });
    }
    if needs.uses_grid && !attributes.cooperative {
        return Err(LaunchError::NotCooperative { kernel });
    }
    let own = OwnShared {
        fixed: needs.static_shared_bytes,
        large: needs.large_shared_bytes,
        shadow: needs.shadow_bytes,
    };
    shared(kernel, shape, own, limits.shared_opt_in)
}

/// No more threads in a block than a limit.
fn block(
    kernel: &'static str,
    shape: &LaunchShape,
    limit: u32,
    whose: &'static str,
) -> Result<(), LaunchError> {
    let threads: u128 = shape.block.iter().map(|n| u128::from(*n)).product();
    if threads > u128::from(limit) {
        return Err(LaunchError::Block { kernel, block: shape.block, threads, limit, whose });
    }
    Ok(())
}

/// The promises that the kernel's attributes make about every launch.
fn promises(
    kernel: &'static str,
    shape: &LaunchShape,
    max_threads: Option<u32>,
    cluster: Option<[u32; 3]>,
) -> Result<(), LaunchError> {
    if let Some(limit) = max_threads {
        block(kernel, shape, limit, "the kernel's launch bounds")?;
    }
    let Some(fixed) = cluster else { return Ok(()) };
    if let Some(cluster) = shape.cluster.filter(|cluster| *cluster != fixed) {
        return Err(LaunchError::FixedCluster { kernel, fixed, cluster });
    }
    if (0..3).any(|axis| !shape.grid[axis].is_multiple_of(fixed[axis])) {
        return Err(LaunchError::ClusterGrid { kernel, cluster: fixed, grid: shape.grid });
    }
    Ok(())
}

/// Checks that a block has the warpgroups of the kernel's roles.
fn roles(kernel: &'static str, shape: &LaunchShape, roles: Option<Roles>) -> Result<(), LaunchError> {
    match roles.filter(|roles| shape.block != [roles.threads(), 1, 1]) {
        Some(Roles { warpgroups, .. }) => Err(LaunchError::Roles { kernel, warpgroups, block: shape.block }),
        None => Ok(()),
    }
}

/// What holds on the simulator, which models a device of compute capability 9.0.
pub(super) fn simulator(
    kernel: &'static str,
    shape: &LaunchShape,
    module: &Module,
    attributes: &Attributes,
) -> Result<(), LaunchError> {
    let limits = &Limits::SIMULATOR;
    LaunchError::check_parameter_bytes(kernel, module.parameter_bytes(), limits.parameter_bytes)?;
    check_attributes::check(kernel, shape, attributes, limits, module.attributes.cluster)?;
    check_attributes::no_owner(kernel, attributes)?;
    simulated_shape(kernel, shape, &module.attributes)
}

/// Checks the simulator's rules about the shape alone, for launches by kernels too.
pub(super) fn simulated_shape(
    kernel: &'static str,
    shape: &LaunchShape,
    attributes: &KernelAttributes,
) -> Result<(), LaunchError> {
    promises(kernel, shape, attributes.max_threads, attributes.cluster)?;
    roles(kernel, shape, attributes.roles)?;
    shared(kernel, shape, OwnShared::default(), Limits::SIMULATOR.shared_opt_in)
}

/// The shared memory of a kernel besides that of its launch, in bytes.
#[derive(Clone, Copy, Default)]
struct OwnShared {
    /// Static arrays.
    fixed: usize,
    /// The launch's own part: arrays that exceed static memory.
    large: usize,
    /// The launch's own part: the memory in which checks record written bytes.
    shadow: usize,
}

fn shared(
    kernel: &'static str,
    shape: &LaunchShape,
    own: OwnShared,
    limit: usize,
) -> Result<(), LaunchError> {
    let OwnShared { fixed, large, shadow } = own;
    let bytes = shape.dynamic_shared as usize + fixed;
    if bytes > limit && bytes <= limit + shadow {
        return Err(LaunchError::ShadowMemory { kernel, bytes: bytes - shadow, shadow, limit });
    }
    if bytes > limit {
        let dynamic = shape.dynamic_shared as usize - large;
        return Err(LaunchError::SharedMemory { kernel, dynamic, fixed: fixed + large, limit });
    }
    Ok(())
}
