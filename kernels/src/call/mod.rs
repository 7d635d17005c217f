//! Calls: the type that every function of the collection returns.
//!
//! A family of kernels makes a [`Plan`] from shapes, types and the device, and prepares the launches that carry it out. This module
//! does the rest: streams, running, repeating.

mod plan;
mod prepared;
mod ready;

pub(crate) use plan::MOST_BLOCKS;
pub use plan::{Plan, short_name};
pub use prepared::{Prepared, Step};
pub use ready::Ready;

use std::marker::PhantomData;

use warpsmith::driver::{LaunchStream, Limits};
use warpsmith::{Device, Kernel, Launch};

use crate::error::KernelError;

/// The grid of a number of blocks; too many are refused at the launch.
pub(crate) fn grid_of(blocks: usize) -> u32 {
    u32::try_from(blocks).unwrap_or(u32::MAX)
}

/// A function of the collection with its arguments; `'a` borrows their memory.
#[must_use = "a call does nothing until `.run()`"]
pub struct Call<'a, F> {
    device: Device,
    stream: Option<LaunchStream>,
    family: F,
    _borrows: PhantomData<&'a mut ()>,
}

/// A family of kernels: it plans and prepares a call.
pub trait Family<'a> {
    /// The least compute capability that its kernels need.
    const NEEDS: (u32, u32) = (7, 0);

    /// Plans the call for a device.
    ///
    /// # Errors
    /// Arguments that do not fit together.
    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError>;

    /// The launches that carry out a plan, in order, compiled and checked, with their memory.
    ///
    /// # Errors
    /// Those of compiling and of memory.
    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError>;
}

/// The device and the stream of a call's launches.
#[derive(Clone)]
pub struct Target {
    /// The device.
    pub device: Device,
    stream: Option<LaunchStream>,
    /// What counts the costs of launches, if anything does.
    #[cfg(feature = "simulator")]
    counts: Option<ready::Counts>,
}

impl<'a, F: Family<'a>> Call<'a, F> {
    /// A call of a family's function on a device.
    pub fn new(device: &Device, family: F) -> Self {
        Self { device: device.clone(), stream: None, family, _borrows: PhantomData }
    }

    /// Launches on a stream, a `&Stream` or cudarc's `&Arc<CudaStream>`, instead of the device's own.
    pub fn on(self, stream: impl Into<LaunchStream>) -> Self {
        Self { stream: Some(stream.into()), ..self }
    }

    /// Plans the call: which kernel runs, its grid, its memory, and why.
    ///
    /// # Errors
    /// [`KernelError::Shape`] and the like for arguments that do not fit together; [`KernelError::Device`] for a device that is too old.
    pub fn plan(&self) -> Result<Plan, KernelError> {
        let limits = self.device.limits();
        let plan = self.family.plan(limits)?;
        if limits.compute < F::NEEDS {
            return Err(KernelError::Device { kernel: plan.kernel, needs: F::NEEDS, has: limits.compute });
        }
        Ok(plan)
    }

    /// Compiles, checks and allocates everything once, for many launches with the same arguments.
    ///
    /// # Errors
    /// Those of [`Call::plan`]; an error of compiling or of memory.
    pub fn prepare(self) -> Result<Prepared<'a>, KernelError> {
        let plan = self.plan()?;
        let target = Target {
            device: self.device,
            stream: self.stream,
            #[cfg(feature = "simulator")]
            counts: None,
        };
        let steps = self.family.steps(&plan, &target)?;
        Ok(Prepared::new(plan, steps))
    }

    /// Runs it, and counts the costs of each of its launches by Rust line, in the order of the launches.
    ///
    /// The simulator counts. On a GPU, each launch runs twice: first on the simulator, with copies of the memory that it reaches, then
    /// on the GPU. The simulator runs every thread, so choose a small problem, or be patient.
    ///
    /// ```
    /// use warpsmith::prelude::*;
    /// use warpsmith_kernels::argument::{matrix, matrix_mut};
    /// use warpsmith_kernels::movement::transpose;
    ///
    /// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
    /// # let gpu = Device::simulator();
    /// let x = gpu.upload(&[1.0f32; 64 * 64])?;
    /// let mut y = gpu.alloc_zeroed::<f32>(64 * 64)?;
    /// let launches = transpose(&gpu, matrix(&x, 64, 64)?, matrix_mut(&mut y, 64, 64)?).metrics()?;
    /// assert_eq!(launches.len(), 1);
    /// assert_eq!(launches[0].total.stores.sectors, 64 * 64 * 4 / 32); // whole sectors of 32 bytes
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of [`Call::run`], and on a GPU those of [`Launch::metrics`].
    #[cfg(feature = "simulator")]
    pub fn metrics(self) -> Result<Vec<warpsmith::metrics::Report>, KernelError> {
        let plan = self.plan()?;
        let counts = ready::Counts::default();
        let target = Target { device: self.device, stream: self.stream, counts: Some(counts.clone()) };
        Prepared::new(plan.clone(), self.family.steps(&plan, &target)?).launch()?;
        Ok(counts.take())
    }

    /// Runs it. On a GPU, the call returns once its launches are queued.
    ///
    /// # Errors
    /// Those of [`Call::prepare`]; on the simulator also a fault of a kernel. A fault on a GPU is reported by the next
    /// `download`, `synchronize` or launch.
    pub fn run(self) -> Result<(), KernelError> {
        self.prepare()?.launch()
    }

    /// The same call with other settings of its family.
    pub(crate) fn map(self, change: impl FnOnce(F) -> F) -> Self {
        self.replace(change)
    }

    /// The same call of another family.
    pub(crate) fn replace<G: Family<'a>>(self, change: impl FnOnce(F) -> G) -> Call<'a, G> {
        let Self { device, stream, family, _borrows } = self;
        Call { device, stream, family: change(family), _borrows }
    }
}

impl Target {
    /// Compiles and checks a launch for many launches.
    ///
    /// # Errors
    /// Those of [`Launch::prepare`].
    pub fn prepare<K: Kernel>(&self, launch: Launch<'_, K>) -> Result<Ready<K>, KernelError> {
        let launch = match &self.stream {
            Some(stream) => launch.on(stream.clone()),
            None => launch,
        };
        Ok(Ready {
            launch: launch.prepare(&self.device)?,
            #[cfg(feature = "simulator")]
            counts: self.counts.clone(),
        })
    }
}

/// A step that launches a kernel: `step!(target, (grid, block), kernel(arguments))`, or with blocks of a cluster behind the threads.
///
/// `step!(target, early (grid, block, cluster), kernel(arguments))` launches a kernel that waits for the one before by itself, with
/// `grid_dependency_wait`. `step!(target, shared (grid, block, bytes), kernel(arguments))` has dynamic shared memory.
///
/// The arguments are evaluated again at each launch, from what the step owns.
macro_rules! step {
    (@of $target:expr, $prepared:expr, $launch:expr) => {{
        let ready = $target.prepare($prepared)?;
        $crate::call::Step::new(move || Ok(ready.launch($launch)?))
    }};
    ($target:expr, early ($grid:expr, $block:expr, $cluster:expr), $launch:expr) => {
        step!(
            @of $target,
            $launch.grid($grid).block($block).cluster($cluster).programmatic_serialization(),
            $launch
        )
    };
    ($target:expr, shared ($grid:expr, $block:expr, $bytes:expr), $launch:expr) => {
        step!(@of $target, $launch.grid($grid).block($block).dynamic_shared($bytes), $launch)
    };
    ($target:expr, $at:expr, $launch:expr) => {{
        let (grid, block): (u32, u32) = $at;
        step!(@of $target, $launch.grid(grid).block(block), $launch)
    }};
}
pub(crate) use step;
