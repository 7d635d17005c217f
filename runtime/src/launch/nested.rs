//! Launches by kernels on the simulator, and a GPU's reasons for refusing them.

use std::marker::PhantomData;

use super::{AnyLaunch, Dim3, Launch, LaunchError, LaunchShape, check};
use crate::compile::kernel::{AnyKernel, Kernel};
use crate::ir::LaunchOrder;
use crate::record::Callee;
use crate::simulator::ChildOrder;
use crate::simulator::context::{self, Child};
use crate::witness::{DeviceFn, FnProbe};

/// Dynamic shared memory of a launch by a kernel: the opt-in to more is the host's alone.
const SHARED_LIMIT: usize = crate::limits::STATIC_SHARED;

impl<K: Kernel> Launch<'_, K> {
    /// Runs after the whole launching grid and its other launches; only in a kernel.
    ///
    /// The launched kernel then sees everything that the launching grid wrote.
    ///
    /// Source: CUDA Programming Guide, `cudaStreamTailLaunch`.
    pub fn tail(self) -> Self {
        self.set(|setup| setup.order = Some(LaunchOrder::Tail))
    }

    /// May run at any time after the launch, unordered with other launches; only in a kernel.
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

    /// The shape, checked as a GPU checks it; otherwise its mistake.
    fn nested_shape(&self) -> Result<LaunchShape, String> {
        let shape = self.any().shape().map_err(|refused| refused.to_string())?;
        check::simulated_shape(K::NAME, &shape, &K::ATTRIBUTES).map_err(|refused| refused.to_string())?;
        within_launches(&shape)?;
        Ok(shape)
    }

    fn child(self, shape: &LaunchShape) -> Child {
        let (kernel, args, order) = (self.kernel, self.args, self.setup.order);
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
            thread: Box::new(move || kernel.run_thread(args.as_ref())),
        }
    }
}

impl AnyLaunch<'_> {
    /// An order among the launches of a kernel means nothing on the host.
    pub(super) fn refuse_order(&self) -> Result<(), LaunchError> {
        let method = match self.setup.order {
            Some(LaunchOrder::Tail) => "tail",
            Some(LaunchOrder::Free) => "fire_and_forget",
            Some(LaunchOrder::Block) | None => return Ok(()),
        };
        Err(LaunchError::OnlyInKernels { kernel: self.kernel.name(), method })
    }
}

/// Dynamic shared memory that a launch by a kernel can have.
pub(super) fn within_launches(shape: &LaunchShape) -> Result<usize, String> {
    let bytes = shape.dynamic_shared as usize;
    if bytes > SHARED_LIMIT {
        return Err(format!(
            "{bytes} bytes of dynamic shared memory are above the limit of {SHARED_LIMIT} for a launch by a kernel; only a \
             launch of the host opts in to more"
        ));
    }
    Ok(bytes)
}

/// The marker of a kernel that a kernel launches.
#[doc(hidden)]
pub struct Launched<K>(PhantomData<fn() -> K>);

/// Witnesses which instance of a kernel is launched.
#[doc(hidden)]
pub fn launched<K: Kernel>(_launch: &Launch<'_, K>, _probe: &FnProbe<Launched<K>>) {}

impl<K: Kernel> DeviceFn for Launched<K> {
    fn callee() -> Callee {
        warpsmith_lang::kernel::callee::<K>()
    }
}

/// The methods of a builder that a kernel never launches. Only the kernel's name is reported.
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
