//! Statics of the device: constant memory, and memory that all kernels share.
//!
//! `#[gpu_const]` and `#[gpu_static]` declare them. Each device, a simulator too, has its own copy, which begins with
//! the value that was declared.

use std::marker::PhantomData;
use std::ops::Deref;

use crate::driver::DriverError;
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::host::stream::Stream;
use crate::ir::{Expr, ExprKind, Global, GlobalSpace, Type};
use crate::memory::part::{Part, PartMut, within};
use crate::memory::static_memory::{ConstMemory, Held, StaticMemory};
use crate::record::Callee;
use crate::simulator::{Statics, current_statics};
use crate::types::{Constant, DeviceType, GpuType};
use crate::witness::{DeviceFn, FnProbe, never_called};

/// A static in constant memory: all threads read it, the host sets it.
///
/// ```
/// use warpsmith::prelude::*;
///
/// #[gpu_const]
/// static WEIGHTS: [f32; 3] = [0.25, 0.5, 0.25];
///
/// #[gpu_kernel]
/// fn smooth(x: &[f32], y: &mut [f32]) {
///     let i = global_id();
///     if i > 0 && i + 1 < x.len() && i < y.len() {
///         y[i] = WEIGHTS[0] * x[i - 1] + WEIGHTS[1] * x[i] + WEIGHTS[2] * x[i + 1];
///     }
/// }
///
/// # fn main() -> warpsmith::Result<()> {
/// let gpu = Device::simulator();
/// WEIGHTS.set(&gpu, [0.0, 1.0, 0.0])?;
/// # let x = gpu.upload(&[1.0f32, 2.0, 3.0])?;
/// # let mut y = gpu.upload(&[0.0f32; 3])?;
/// # smooth(&x, &mut y).over(3).launch(&gpu)?;
/// # assert_eq!(gpu.download(&y)?, [0.0, 2.0, 0.0]);
/// # Ok(()) }
/// ```
pub struct GpuConst<T: 'static> {
    global: &'static Global,
    _of: PhantomData<fn() -> T>,
}

impl<T> GpuConst<T> {
    #[doc(hidden)]
    pub const fn new(global: &'static Global) -> Self {
        Self { global, _of: PhantomData }
    }

    /// Its place for kernels on the simulator.
    #[doc(hidden)]
    pub fn simulated(&self) -> *mut u8 {
        place(self.global, &current_statics())
    }
}

impl<T: GpuType> GpuConst<T> {
    /// Sets the value that kernels launched after this see on a device.
    ///
    /// # Errors
    /// A driver error.
    pub fn set(&self, device: &Device, value: T) -> Result<()> {
        match device.backend() {
            Backend::Gpu(gpu) => Ok(gpu.set_constant(self.global, &crate::__macro::bytes_of(&value))?),
            Backend::Simulator => {
                device.statics().replace(declared(self.global), &crate::__macro::bytes_of(&value));
                Ok(())
            }
        }
    }
}

impl<T: GpuType> GpuConst<T> {
    /// The value that kernels launched now see on a device.
    ///
    /// # Errors
    /// A driver error.
    pub fn read(&self, device: &Device) -> Result<T> {
        match device.backend() {
            Backend::Gpu(gpu) => {
                let bytes = gpu.read_constant(self.global)?;
                // SAFETY: the bytes of a `T`: the declared one, or what was set.
                Ok(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
            }
            Backend::Simulator => Ok(self.value_on(device.statics())),
        }
    }

    /// Sets the value from one element of memory, in the order of a stream; returns at once.
    ///
    /// Launches that were queued before, on any stream, see the old value; launches that are queued
    /// later wait for the new one.
    ///
    /// # Errors
    /// [`DriverError::Length`] for more than one element; memory of the simulator on a GPU or the reverse,
    /// or a driver error.
    ///
    /// Source: CUDA Driver API, `cuModuleGetGlobal`, `cuMemcpyAsync`.
    pub fn set_on<'a>(&self, stream: &Stream, from: impl Into<Part<'a, T>>) -> Result<()>
    where
        T: 'a,
    {
        let from = from.into();
        match stream.on_gpu() {
            Some(on) => {
                Ok(on.gpu.set_constant_on(&on.stream, self.global, from.one_on_gpu(stream.place())?)?)
            }
            None => {
                let value = crate::__macro::bytes_of(&from.one_here()?);
                stream.statics().replace(declared(self.global), &value);
                Ok(())
            }
        }
    }

    /// Copies the value that launches queued now see to one element of memory, in the order of a stream.
    ///
    /// # Errors
    /// The errors of [`GpuConst::set_on`].
    pub fn read_on<'a>(&self, stream: &Stream, to: impl Into<PartMut<'a, T>>) -> Result<()>
    where
        T: 'a,
    {
        let to = to.into();
        match stream.on_gpu() {
            Some(on) => {
                Ok(on.gpu.read_constant_on(&on.stream, self.global, to.one_on_gpu(stream.place())?)?)
            }
            None => to.set_here(self.value_on(&stream.statics())),
        }
    }

    /// Device memory with the value that kernels launched now see, as one element.
    ///
    /// # Errors
    /// Out of memory, or a driver error.
    pub fn memory(&self, device: &Device) -> Result<ConstMemory<T>> {
        Ok(ConstMemory::new(self.held(device)?, 1))
    }

    fn held(&self, device: &Device) -> Result<Held> {
        Ok(match device.backend() {
            Backend::Gpu(gpu) => Held::Gpu(gpu.constant_memory(self.global)?),
            Backend::Simulator => simulated(self.global, device),
        })
    }

    fn value_on(&self, statics: &Statics) -> T {
        // SAFETY: the place holds a `T`, which no code writes.
        unsafe { *place(self.global, statics).cast::<T>() }
    }
}

impl<T: GpuType, const N: usize> GpuConst<[T; N]> {
    /// Device memory with the elements that kernels launched now see: an argument for `&[T]`, and a side of copies.
    ///
    /// # Errors
    /// Out of memory, or a driver error.
    ///
    /// Source: CUDA Runtime API, `cudaGetSymbolAddress`, `cudaMemcpyFromSymbol`.
    pub fn elements(&self, device: &Device) -> Result<ConstMemory<T>> {
        Ok(ConstMemory::new(self.held(device)?, N))
    }

    /// Sets the elements from `start` on; kernels launched after this see them.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond the end, or a driver error.
    ///
    /// Source: CUDA Runtime API, `cudaMemcpyToSymbol`.
    pub fn set_part(&self, device: &Device, start: usize, elements: &[T]) -> Result<()> {
        let part = within(start..start.saturating_add(elements.len()), N)?;
        let mut value = self.read(device)?;
        value[part].copy_from_slice(elements);
        self.set(device, value)
    }
}

impl<T> Deref for GpuConst<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: the place holds a `T`, which no code writes. It lives as long as its device, which outlives the kernel
        // that reads it, or forever if host code reads it.
        unsafe { &*place(self.global, &current_statics()).cast::<T>() }
    }
}

/// The key of a static on the simulator.
fn declared(global: &'static Global) -> usize {
    std::ptr::from_ref(global).addr()
}

/// The address of a static on a simulated device.
fn place(global: &'static Global, statics: &Statics) -> *mut u8 {
    statics.at(declared(global), global.initial)
}

/// The type of a static. It alone asks that the type can be in device memory, so a mistake has one message.
#[doc(hidden)]
pub fn type_in_memory<T: GpuType>() -> Type {
    T::ty()
}

/// The memory of a static on a simulated device.
fn simulated(global: &'static Global, device: &Device) -> Held {
    Held::Simulator { address: place(global, device.statics()), _statics: device.statics().clone() }
}

/// A static in device memory: all threads of all kernels read and write it, and the host does.
///
/// It belongs to the device: every kernel that names it, and every specialization of one, uses the same memory. Each of
/// those is a separate module to the driver, and no module can access another's `__device__` variables. So the printed
/// CUDA has the address of the device's memory in `__constant__` memory instead of a variable.
///
/// ```
/// use warpsmith::prelude::*;
///
/// #[gpu_static]
/// static LAUNCHES: u32 = 0;
///
/// #[gpu_kernel]
/// fn count() {
///     if global_id() == 0 {
///         atomic(LAUNCHES.get_mut()).fetch_add(1, Ordering::Relaxed);
///     }
/// }
///
/// # fn main() -> warpsmith::Result<()> {
/// let gpu = Device::simulator();
/// count().grid(4).launch(&gpu)?;
/// count().grid(4).launch(&gpu)?;
/// assert_eq!(LAUNCHES.read(&gpu)?, 2);
/// # Ok(()) }
/// ```
pub struct GpuStatic<T: 'static> {
    global: &'static Global,
    _of: PhantomData<fn() -> T>,
}

impl<T> GpuStatic<T> {
    #[doc(hidden)]
    pub const fn new(global: &'static Global) -> Self {
        Self { global, _of: PhantomData }
    }

    /// Its place for kernels on the simulator.
    #[doc(hidden)]
    pub fn simulated(&self) -> *mut u8 {
        place(self.global, &current_statics())
    }
}

impl<T: GpuType> GpuStatic<T> {
    /// Its place on a simulated device.
    #[allow(clippy::mut_from_ref, reason = "device memory, which threads share")]
    fn on<'a>(&self, statics: &'a Statics) -> &'a mut T {
        // SAFETY: the place holds a `T`. Kernels access it as they do device memory, which is not theirs alone either; the
        // host does so only through a device, between launches.
        unsafe { &mut *place(self.global, statics).cast::<T>() }
    }

    /// The place, in a kernel. Call this again for each access: another thread may write in between.
    #[allow(clippy::mut_from_ref, reason = "device memory, which threads share")]
    pub fn get_mut(&self) -> &'static mut T {
        // SAFETY: a static's memory, which lives as long as the device, accessed by the threads of one launch on one OS
        // thread.
        unsafe { &mut *self.simulated().cast::<T>() }
    }

    #[doc(hidden)]
    #[allow(clippy::mut_from_ref)]
    pub fn get_mut_in_kernels(&self, _probe: &FnProbe<PlaceMarker>) -> &'static mut T {
        never_called()
    }

    /// The value, in a kernel: a copy. Reading one element of it reads only that element. A slice of it, or a reference to
    /// a part, refers to the copy: use [`GpuStatic::get_mut`] to iterate over a large static.
    pub fn get(&self) -> T {
        *self.get_mut()
    }

    #[doc(hidden)]
    pub fn get_in_kernels(&self, _probe: &FnProbe<crate::types::operators::CopyMarker>) -> T {
        never_called()
    }

    /// Writes the value of a device, after everything launched before.
    ///
    /// # Errors
    /// A driver error.
    pub fn write(&self, device: &Device, value: T) -> Result<()> {
        match device.backend() {
            Backend::Gpu(gpu) => Ok(gpu.write_static(self.global, &crate::__macro::bytes_of(&value))?),
            Backend::Simulator => {
                *self.on(device.statics()) = value;
                Ok(())
            }
        }
    }

    /// Reads the value of a device, after everything launched before.
    ///
    /// # Errors
    /// A fault of a kernel launched before, or a driver error.
    pub fn read(&self, device: &Device) -> Result<T> {
        match device.backend() {
            Backend::Gpu(gpu) => {
                let mut value = *self.get_mut();
                // SAFETY: plain data of that size, overwritten by bytes that were a `T` on the device.
                let bytes =
                    unsafe { std::slice::from_raw_parts_mut((&raw mut value).cast::<u8>(), size_of::<T>()) };
                gpu.read_static(self.global, bytes)?;
                gpu.take_fault()?;
                Ok(value)
            }
            Backend::Simulator => Ok(*self.on(device.statics())),
        }
    }

    /// Writes the value from one element of memory, in the order of a stream; returns at once.
    ///
    /// # Errors
    /// [`DriverError::Length`] for more than one element; memory of the simulator on a GPU or the reverse,
    /// or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemcpyAsync`.
    pub fn write_on<'a>(&self, stream: &Stream, from: impl Into<Part<'a, T>>) -> Result<()>
    where
        T: 'a,
    {
        let from = from.into();
        let Some(on) = stream.on_gpu() else {
            *self.on(&stream.statics()) = from.one_here()?;
            return Ok(());
        };
        let (from, to) = (from.one_on_gpu(stream.place())?, on.gpu.static_memory(self.global)?);
        Ok(on.gpu.copy(&on.stream, from, to.whole())?)
    }

    /// Copies the value to one element of memory, in the order of a stream; returns at once.
    ///
    /// # Errors
    /// The errors of [`GpuStatic::write_on`].
    ///
    /// Source: CUDA Driver API, `cuMemcpyAsync`.
    pub fn read_on<'a>(&self, stream: &Stream, to: impl Into<PartMut<'a, T>>) -> Result<()>
    where
        T: 'a,
    {
        let to = to.into();
        let Some(on) = stream.on_gpu() else {
            return to.set_here(*self.on(&stream.statics()));
        };
        let (from, to) = (on.gpu.static_memory(self.global)?, to.one_on_gpu(stream.place())?);
        Ok(on.gpu.copy(&on.stream, from.whole(), to)?)
    }

    /// Its address on a device.
    ///
    /// # Errors
    /// Out of memory, or a driver error.
    ///
    /// Source: CUDA Runtime API, `cudaGetSymbolAddress`.
    pub fn address(&self, device: &Device) -> Result<u64> {
        Ok(self.memory(device)?.address())
    }

    /// Its memory on a device, as one element: an argument for `&[T]` and `&mut [T]`, and a side of copies.
    ///
    /// # Errors
    /// Out of memory, or a driver error.
    pub fn memory(&self, device: &Device) -> Result<StaticMemory<T>> {
        Ok(StaticMemory::new(self.held(device)?, 1))
    }

    fn held(&self, device: &Device) -> Result<Held> {
        Ok(match device.backend() {
            Backend::Gpu(gpu) => Held::Gpu(gpu.static_memory(self.global)?),
            Backend::Simulator => simulated(self.global, device),
        })
    }

    /// The address of a `#[gpu_static(managed)]` on the host. Waits until no earlier launch uses it. On a GPU, kernels see
    /// the same address.
    ///
    /// The pointer stays valid for as long as the device. Between a launch that may write the static and the next call
    /// of this, `read` or `write`, do not use it.
    ///
    /// ```
    /// use warpsmith::prelude::*;
    ///
    /// #[gpu_static(managed)]
    /// static TOTAL: u32 = 0;
    ///
    /// #[gpu_kernel]
    /// fn count() {
    ///     atomic_add(TOTAL.get_mut(), 1);
    /// }
    ///
    /// # fn main() -> warpsmith::Result<()> {
    /// let gpu = Device::simulator();
    /// let total = TOTAL.host_ptr(&gpu)?;
    /// // SAFETY: no kernel runs.
    /// unsafe { *total = 100 };
    /// count().grid(1).block(32).launch(&gpu)?;
    /// let total = TOTAL.host_ptr(&gpu)?; // waits
    /// // SAFETY: no kernel runs.
    /// assert_eq!(unsafe { *total }, 132);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`DriverError::Unavailable`] for a static that is not managed, and where the device has no managed memory that
    /// the host may use while kernels run; a fault of a kernel launched before, or a driver error.
    ///
    /// Source: CUDA C++ Programming Guide, `__managed__`.
    pub fn host_ptr(&self, device: &Device) -> Result<*mut T> {
        if self.global.space != GlobalSpace::Managed {
            let what = "the host's address of a static in device memory";
            let why =
                "the host does not reach it; declare it `#[gpu_static(managed)]`, or use `read` and `write`";
            return Err(DriverError::Unavailable { what, place: device.place(), why }.into());
        }
        let held = self.held(device)?;
        if let Held::Gpu(memory) = &held {
            memory.wait_on_host(true)?;
            memory.take_fault()?;
        }
        Ok(StaticMemory::<T>::new(held, 1).address() as *mut T)
    }
}

impl<T: GpuType, const N: usize> GpuStatic<[T; N]> {
    /// The memory of its elements on a device: an argument for `&[T]` and `&mut [T]`, and a side of copies.
    ///
    /// # Errors
    /// Out of memory, or a driver error.
    ///
    /// Source: CUDA Runtime API, `cudaGetSymbolAddress`, `cudaMemcpyToSymbol`.
    pub fn elements(&self, device: &Device) -> Result<StaticMemory<T>> {
        Ok(StaticMemory::new(self.held(device)?, N))
    }
}

macro_rules! in_kernels {
    ($($name:ident)+) => {$(
        impl<T: GpuType> DeviceType for $name<T> {
            type Erased = T::Erased;
            fn ty() -> Type {
                T::ty()
            }
        }

        impl<T: GpuType> Constant for $name<T> {
            fn to_expr(&self, _name: Option<&'static str>) -> Expr {
                Expr { kind: ExprKind::Global(self.global), ty: T::ty() }
            }
        }
    )+};
}

in_kernels! { GpuConst GpuStatic }

/// Marker of `.get_mut()`.
#[doc(hidden)]
pub struct PlaceMarker;

impl DeviceFn for PlaceMarker {
    fn callee() -> Callee {
        Callee::Place
    }
}
