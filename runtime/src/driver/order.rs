//! How a launch is ordered with other uses of its arguments' memory.

use std::mem;
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut};

use super::symbols::Constant;
use super::usage::Usage;
use super::{DriverError, Gpu};
use crate::args::{KernelArg, Place};

/// Who knows the other uses of an argument's memory.
///
/// It points to the memory's owner, which the argument's lifetime keeps borrowed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order(Owner);

#[derive(Clone, Copy, Debug, Default)]
enum Owner {
    /// Nobody: memory that only one thread and no stream uses, as the simulator's.
    #[default]
    Nobody,
    /// An allocation of this crate.
    Usage(NonNull<Usage>),
    /// cudarc's memory, which belongs to a stream and knows its uses by events.
    Cudarc(NonNull<()>, Foreign),
}

/// Orders a launch on a stream with a piece of cudarc's memory.
type Foreign = unsafe fn(NonNull<()>, &Gpu, &Arc<CudaStream>, Stage) -> Result<(), DriverError>;

// SAFETY: a `Usage` is `Sync`; cudarc's memory is `Send` and `Sync`, and the launch that uses the
// pointer holds the borrow that it was made from.
unsafe impl Send for Order {}
// SAFETY: as above.
unsafe impl Sync for Order {}

/// When a launch is ordered: before it is queued, or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Before,
    After,
}

impl Order {
    /// For memory that no stream uses but through the launches at hand.
    pub const NONE: Self = Self(Owner::Nobody);

    pub(crate) fn of(usage: &Usage) -> Self {
        Self(Owner::Usage(NonNull::from(usage)))
    }

    /// Whether kernels of every GPU reach the memory.
    pub(crate) fn is_everywhere(&self) -> bool {
        match self.0 {
            // SAFETY: the argument's lifetime keeps the allocation borrowed.
            Owner::Usage(usage) => unsafe { usage.as_ref() }.is_everywhere(),
            Owner::Nobody | Owner::Cudarc(..) => false,
        }
    }

    pub(super) fn slice<T>(slice: &CudaSlice<T>) -> Self {
        Self(Owner::Cudarc(NonNull::from(slice).cast(), read::<T, CudaSlice<T>>))
    }

    pub(super) fn slice_mut<T>(slice: &mut CudaSlice<T>) -> Self {
        Self(Owner::Cudarc(NonNull::from(slice).cast(), write::<T, CudaSlice<T>>))
    }

    pub(super) fn view<T>(view: &CudaView<'_, T>) -> Self {
        // A function cannot be named for each lifetime; the pointer's is not looked at.
        Self(Owner::Cudarc(NonNull::from(view).cast(), read::<T, CudaView<'_, T>>))
    }

    pub(super) fn view_mut<T>(view: &mut CudaViewMut<'_, T>) -> Self {
        Self(Owner::Cudarc(NonNull::from(view).cast(), write::<T, CudaViewMut<'_, T>>))
    }
}

/// cudarc's memory lives in the context, or its owner's stream could not be waited for.
fn same_context(gpu: &Gpu, owner: &CudaStream) -> Result<(), DriverError> {
    if owner.context() == gpu.context() {
        return Ok(());
    }
    let (owner, device) = (Place::Gpu(owner.context().ordinal()), Place::Gpu(gpu.ordinal()));
    if owner == device {
        return Err(DriverError::OtherContext { what: "memory" });
    }
    Err(DriverError::OtherDevice { what: "cudarc memory", owner, device })
}

/// # Safety
/// `memory` points to an `M` that is borrowed.
unsafe fn read<T, M: DevicePtr<T>>(
    memory: NonNull<()>,
    gpu: &Gpu,
    stream: &Arc<CudaStream>,
    stage: Stage,
) -> Result<(), DriverError> {
    // SAFETY: as promised.
    let memory = unsafe { memory.cast::<M>().as_ref() };
    let owner = memory.stream();
    if stage == Stage::Before {
        same_context(gpu, owner)?;
        gpu.join_other(stream, owner)?;
        // The stream waits for what cudarc knows; the use itself is recorded after the launch.
        mem::forget(memory.device_ptr(stream).1);
        return Ok(());
    }
    drop(memory.device_ptr(stream).1);
    gpu.join_other(owner, stream)
}

/// # Safety
/// `memory` points to an `M` that is borrowed mutably.
unsafe fn write<T, M: DevicePtrMut<T>>(
    memory: NonNull<()>,
    gpu: &Gpu,
    stream: &Arc<CudaStream>,
    stage: Stage,
) -> Result<(), DriverError> {
    // SAFETY: as promised.
    let memory = unsafe { memory.cast::<M>().as_mut() };
    let owner = memory.stream().clone();
    if stage == Stage::Before {
        same_context(gpu, &owner)?;
        gpu.join_other(stream, &owner)?;
        mem::forget(memory.device_ptr_mut(stream).1);
        return Ok(());
    }
    drop(memory.device_ptr_mut(stream).1);
    gpu.join_other(&owner, stream)
}

/// What [`Uses::before`] found, for [`Uses::after`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Begun {
    removals: u64,
    /// Whether the own streams of the device and of those that it reaches have to wait for the launch.
    tells: bool,
}

/// What a launch uses.
pub(super) struct Uses<'a> {
    pub(super) args: &'a [KernelArg],
    /// The constants that the kernel reads.
    pub(super) constants: &'a [Arc<Constant>],
    /// Whether the kernel may reach memory that is none of its slices and images.
    pub(super) hidden_memory: bool,
}

impl Uses<'_> {
    /// Makes `stream` wait for what the launch conflicts with.
    pub(super) fn before(&self, gpu: &Gpu, stream: &Arc<CudaStream>) -> Result<Begun, DriverError> {
        let mut begun = Begun { removals: self.removals(), tells: self.hidden_memory };
        if self.hidden_memory {
            gpu.join_other(stream, gpu.stream())?;
            gpu.peers().try_each(|peer| gpu.join_other(stream, peer.stream()))?;
        }
        for constant in self.constants {
            constant.usage.begin(gpu, stream, Constant::ALL, false)?;
        }
        for arg in self.args {
            let Some(memory) = arg.memory() else { continue };
            match memory.order.0 {
                Owner::Nobody => {}
                // SAFETY: the argument's lifetime keeps the allocation borrowed.
                Owner::Usage(usage) => unsafe {
                    begun.tells |= usage.as_ref().begin(gpu, stream, memory.range, memory.mutable)?;
                },
                // SAFETY: made from a borrow that the argument's lifetime keeps.
                Owner::Cudarc(memory, order) => unsafe { order(memory, gpu, stream, Stage::Before) }?,
            }
        }
        Ok(begun)
    }

    /// Makes later uses wait for the launch that was queued, where listing it before was not enough.
    pub(super) fn after(&self, gpu: &Gpu, stream: &Arc<CudaStream>, begun: Begun) -> Result<(), DriverError> {
        if begun.tells {
            gpu.join_other(gpu.stream(), stream)?;
            gpu.peers().try_each(|peer| gpu.join_other(peer.stream(), stream))?;
        }
        let again = self.removals() != begun.removals;
        for constant in self.constants.iter().filter(|_| again) {
            constant.usage.end_again(gpu, stream, Constant::ALL, false)?;
        }
        for arg in self.args {
            let Some(memory) = arg.memory() else { continue };
            match memory.order.0 {
                // SAFETY: the argument's lifetime keeps the allocation borrowed.
                Owner::Usage(usage) if again => unsafe {
                    usage.as_ref().end_again(gpu, stream, memory.range, memory.mutable)?;
                },
                // SAFETY: as above.
                Owner::Usage(usage) if begun.tells => unsafe { usage.as_ref().tell(gpu, stream)? },
                Owner::Nobody | Owner::Usage(_) => {}
                // SAFETY: made from a borrow that the argument's lifetime keeps.
                Owner::Cudarc(memory, order) => unsafe { order(memory, gpu, stream, Stage::After) }?,
            }
        }
        Ok(())
    }

    /// Changes whenever uses of what the launch uses were taken off a list without a write that covers them.
    fn removals(&self) -> u64 {
        let constants = self.constants.iter().map(|constant| constant.usage.removals());
        let args = self.args.iter().filter_map(KernelArg::memory).map(|memory| match memory.order.0 {
            // SAFETY: the argument's lifetime keeps the allocation borrowed.
            Owner::Usage(usage) => unsafe { usage.as_ref().removals() },
            _ => 0,
        });
        constants.chain(args).fold(0, u64::wrapping_add)
    }
}
