//! Launches of kernels by kernels, as the simulator makes them, and what a GPU says of those that it refuses.

use super::{Dim3, Extent, Launch, LaunchError, Shape, check};
use crate::ir::{KernelAttributes, LaunchOrder};
use crate::kernel::Kernel;
use crate::simulator::ChildOrder;
use crate::simulator::context::{self, Child};
use crate::witness::{FnProbe, Launched};

/// Dynamic shared memory of a launch by a kernel: the opt-in to more is the host's alone.
const SHARED_LIMIT: usize = crate::limits::STATIC_SHARED;

impl<K: Kernel> Launch<'_, K> {
    /// Runs after the whole grid that launches it, its other launches included; only in a kernel.
    ///
    /// What the launched kernel then reads is all that the launching grid wrote.
    ///
    /// Source: CUDA Programming Guide, `cudaStreamTailLaunch`.
    pub fn tail(self) -> Self {
        self.set(|setup| setup.order = Some(LaunchOrder::Tail))
    }

    /// Runs at any time from the launch on, ordered after no other launch; only in a kernel.
    ///
    /// Source: CUDA Programming Guide, `cudaStreamFireAndForget`.
    pub fn fire_and_forget(self) -> Self {
        self.set(|setup| setup.order = Some(LaunchOrder::Free))
    }

    /// `.launch()` in a kernel, as the simulator runs it.
    #[doc(hidden)]
    #[track_caller]
    pub fn launch_in_kernel(self) {
        let at = crate::simulator::Line::caller();
        match self.nested_shape() {
            Ok(shape) => context::launch(self.child(&shape), at),
            Err(refused) => context::fault_launch(K::NAME, refused, at),
        }
    }

    /// The shape, checked as a GPU checks it; else what is wrong with it.
    fn nested_shape(&self) -> Result<Shape, String> {
        let shape = self.setup.shape::<K>().map_err(|refused| refused.to_string())?;
        check::simulated_shape(K::NAME, &shape, &K::ATTRIBUTES).map_err(|refused| refused.to_string())?;
        within_launches(&shape)?;
        Ok(shape)
    }

    fn child(self, shape: &Shape) -> Child {
        let (comptime, args, order) = (self.comptime, self.args, self.setup.order);
        Child {
            kernel: K::NAME,
            grid: shape.grid,
            block: shape.block,
            dynamic_shared: shape.dynamic_shared as usize,
            order: match order {
                Some(LaunchOrder::Tail) => ChildOrder::Tail,
                Some(LaunchOrder::Free) => ChildOrder::Free,
                Some(LaunchOrder::Block) | None => ChildOrder::Block,
            },
            number: 0,
            thread: Box::new(move || K::run_thread(&comptime, args.as_ref())),
        }
    }

    /// An order among the launches of a kernel means nothing on the host.
    pub(super) fn refuse_order(&self) -> Result<(), LaunchError> {
        let method = match self.setup.order {
            Some(LaunchOrder::Tail) => "tail",
            Some(LaunchOrder::Free) => "fire_and_forget",
            Some(LaunchOrder::Block) | None => return Ok(()),
        };
        Err(LaunchError::OnlyInKernels { kernel: K::NAME, method })
    }
}

/// The grid and the dynamic shared memory of a launch that the interpreter makes for a kernel; else what is
/// wrong with it, as a GPU says it.
pub(crate) fn nested_shape(
    kernel: &'static str,
    attributes: &KernelAttributes,
    (grid, items): (Option<[u32; 3]>, u64),
    block: [u32; 3],
    dynamic_shared: u32,
) -> Result<([u32; 3], usize), String> {
    let grid = grid.map_or(Extent::Items([items, 1, 1]), Extent::Blocks);
    let shape =
        super::shape_of(kernel, (grid, block, None, dynamic_shared as usize)).map_err(|e| e.to_string())?;
    check::simulated_shape(kernel, &shape, attributes).map_err(|refused| refused.to_string())?;
    let bytes = within_launches(&shape)?;
    Ok((shape.grid, bytes))
}

/// Dynamic shared memory that a launch by a kernel can have.
fn within_launches(shape: &Shape) -> Result<usize, String> {
    let bytes = shape.dynamic_shared as usize;
    if bytes > SHARED_LIMIT {
        return Err(format!(
            "{bytes} bytes of dynamic shared memory are above the limit of {SHARED_LIMIT} for a launch by a kernel; only a \
             launch of the host opts in to more"
        ));
    }
    Ok(bytes)
}

/// What a builder has in a kernel where nobody launches it: the kernel's name is refused, and no more is said.
macro_rules! unlaunched {
    ($($name:ident($($given:ident: $ty:ty)?))+) => {
        #[doc(hidden)]
        impl<K: Kernel> Launch<'_, K> {
            $(pub fn $name(self, $($given: $ty,)? _probe: &FnProbe<Launched<K>>) -> Self {
                $(let _ = $given;)?
                self
            })+
        }
    };
}

unlaunched! {
    grid_in_kernels(blocks: impl Into<Dim3>)
    over_in_kernels(items: usize)
    block_in_kernels(threads: impl Into<Dim3>)
    dynamic_shared_in_kernels(bytes: usize)
    tail_in_kernels()
    fire_and_forget_in_kernels()
}

/// What CUDA's device runtime says of a launch that it refuses, and the way out.
pub(crate) fn refused_by_device(kernel: &str, code: u64) -> String {
    let why = match code {
        2 => "cudaErrorMemoryAllocation: there is no memory left for its arguments",
        9 => {
            "cudaErrorInvalidConfiguration: an extent is zero, or above a limit of the device or of its launch bounds"
        }
        65 => "cudaErrorLaunchMaxDepthExceeded: launches are nested deeper than 24",
        69 => {
            "cudaErrorLaunchPendingCountExceeded: too many launches wait at once; raise the limit by `Device::set_pending_launches`, \
             or launch fewer and larger grids"
        }
        701 => "cudaErrorLaunchOutOfResources: a block needs more registers or shared memory than there is",
        other => {
            return format!("the launch of kernel `{kernel}` failed on the device with CUDA error {other}");
        }
    };
    format!("the launch of kernel `{kernel}` failed on the device: {why}")
}
