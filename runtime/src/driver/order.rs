//! How a launch is ordered with other uses of its arguments' memory.

use std::mem;
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut};

use super::symbols::ConstantSymbol;
use super::usage::Usage;
use super::{DriverError, Gpu};
use crate::argument::Owner;
use crate::argument::{KernelArg, MemoryPlace, Order};

/// The type of an argument's owner, by its address.
enum Kind {
    /// A `Usage`: an allocation of this crate.
    Usage,
    /// cudarc's memory, which belongs to a stream and knows its uses by events.
    Cudarc(Foreign),
}

/// Orders a launch on a stream with a piece of cudarc's memory.
type Foreign = unsafe fn(NonNull<()>, &Gpu, &Arc<CudaStream>, Stage) -> Result<(), DriverError>;

/// When a launch is ordered: before it is queued, or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Before,
    After,
}

/// The order of an allocation's uses.
pub(crate) fn by_usage(usage: &Usage) -> Order {
    // SAFETY: a `Usage` is `Sync`, and the argument's lifetime keeps the allocation borrowed.
    unsafe { Order::new(Owner { address: NonNull::from(usage).cast(), kind: &Kind::Usage }) }
}

/// The usage behind an order; none for cudarc's memory, and if the caller orders uses itself.
fn usage_of(order: &Order) -> Option<&Usage> {
    let owner = order.owner()?;
    // SAFETY: made by `by_usage`; the argument's lifetime keeps the allocation borrowed.
    matches!(owner.kind.downcast_ref(), Some(Kind::Usage)).then(|| unsafe { owner.address.cast().as_ref() })
}

/// Returns whether kernels of every GPU reach the memory.
pub(crate) fn is_everywhere(order: &Order) -> bool {
    usage_of(order).is_some_and(Usage::is_everywhere)
}

/// The order of cudarc's memory.
///
/// # Safety
/// `kind` is for an `M`.
unsafe fn by_cudarc<M>(memory: NonNull<M>, kind: &'static Kind) -> Order {
    // SAFETY: cudarc's memory is `Send` and `Sync`, and the launch that uses the pointer holds the borrow that it was made from.
    unsafe { Order::new(Owner { address: memory.cast(), kind }) }
}

pub(crate) fn of_slice<T>(slice: &CudaSlice<T>) -> Order {
    // SAFETY: the kind is for this type.
    unsafe { by_cudarc(NonNull::from(slice), const { &Kind::Cudarc(read::<T, CudaSlice<T>>) }) }
}

pub(crate) fn of_slice_mut<T>(slice: &mut CudaSlice<T>) -> Order {
    // SAFETY: the kind is for this type.
    unsafe { by_cudarc(NonNull::from(slice), const { &Kind::Cudarc(write::<T, CudaSlice<T>>) }) }
}

pub(crate) fn of_view<T>(view: &CudaView<'_, T>) -> Order {
    // SAFETY: the kind is for this type. A function cannot be named for each lifetime; the pointer's lifetime is ignored.
    unsafe { by_cudarc(NonNull::from(view), const { &Kind::Cudarc(read::<T, CudaView<'_, T>>) }) }
}

pub(crate) fn of_view_mut<T>(view: &mut CudaViewMut<'_, T>) -> Order {
    // SAFETY: as above.
    unsafe { by_cudarc(NonNull::from(view), const { &Kind::Cudarc(write::<T, CudaViewMut<'_, T>>) }) }
}

/// cudarc's memory lives in the context, or its owner's stream could not be waited for.
fn same_context(gpu: &Gpu, owner: &CudaStream) -> Result<(), DriverError> {
    if owner.context() == gpu.context() {
        return Ok(());
    }
    let (owner, device) = (MemoryPlace::Gpu(owner.context().ordinal()), MemoryPlace::Gpu(gpu.ordinal()));
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

/// The result of [`Uses::before`], for [`Uses::after`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Begun {
    removals: u64,
    /// Whether the own streams of the device and of those that it reaches have to wait for the launch.
    tells: bool,
}

/// The uses of a launch.
pub(super) struct Uses<'a> {
    pub(super) args: &'a [KernelArg],
    /// The constants that the kernel reads.
    pub(super) constants: &'a [Arc<ConstantSymbol>],
    /// Whether the kernel may reach memory that is none of its slices and images.
    pub(super) hidden_memory: bool,
}

impl Uses<'_> {
    /// Makes `stream` wait for work that conflicts with the launch.
    pub(super) fn before(&self, gpu: &Gpu, stream: &Arc<CudaStream>) -> Result<Begun, DriverError> {
        let mut begun = Begun { removals: self.removals(), tells: self.hidden_memory };
        if self.hidden_memory {
            gpu.join_other(stream, gpu.stream())?;
            gpu.peers().try_each(|peer| gpu.join_other(stream, peer.stream()))?;
        }
        for constant in self.constants {
            constant.usage.begin(gpu, stream, ConstantSymbol::ALL, false)?;
        }
        for arg in self.args {
            let Some(memory) = arg.memory() else { continue };
            if let Some(usage) = usage_of(&memory.order) {
                begun.tells |= usage.begin(gpu, stream, memory.range, memory.mutable)?;
            }
            other_order(&memory.order, gpu, stream, Stage::Before)?;
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
            constant.usage.end_again(gpu, stream, ConstantSymbol::ALL, false)?;
        }
        for arg in self.args {
            let Some(memory) = arg.memory() else { continue };
            match usage_of(&memory.order) {
                Some(usage) if again => usage.end_again(gpu, stream, memory.range, memory.mutable)?,
                Some(usage) if begun.tells => usage.tell(gpu, stream)?,
                _ => {}
            }
            other_order(&memory.order, gpu, stream, Stage::After)?;
        }
        Ok(())
    }

    /// A number that changes when uses of the launch's memory were taken off a list without a write that covers them.
    fn removals(&self) -> u64 {
        let constants = self.constants.iter().map(|constant| constant.usage.removals());
        let memory = self.args.iter().filter_map(KernelArg::memory);
        let args = memory.map(|memory| usage_of(&memory.order).map_or(0, Usage::removals));
        constants.chain(args).fold(0, u64::wrapping_add)
    }
}

/// Orders a launch with cudarc's memory; other memory is ordered by its usage.
fn other_order(order: &Order, gpu: &Gpu, stream: &Arc<CudaStream>, stage: Stage) -> Result<(), DriverError> {
    let Some(owner) = order.owner() else { return Ok(()) };
    match owner.kind.downcast_ref() {
        // SAFETY: the kind is for this memory, which the argument's lifetime keeps borrowed.
        Some(Kind::Cudarc(order)) => unsafe { order(owner.address, gpu, stream, stage) },
        _ => Ok(()),
    }
}
