//! Statics of the device: constant memory, and memory that all kernels share.
//!
//! `#[gpu_const]` and `#[gpu_static]` declare them. Each device, a simulator too, has its own copy, which begins with
//! the value that was declared.

use std::marker::PhantomData;
use std::ops::Deref;

use crate::device::{Backend, Device};
#[cfg(doc)]
use crate::driver::DriverError;
use crate::error::Result;
use crate::ir::{Expr, ExprKind, Global, Type};
use crate::part::{Part, PartMut};
use crate::record::Callee;
use crate::simulator::{Statics, current_statics};
use crate::stream::Stream;
use crate::types::{Constant, Device as DeviceType, GpuType};
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

impl<T: GpuType> GpuConst<T> {
    #[doc(hidden)]
    pub const fn new(initial: T, global: &'static Global) -> Self {
        let _ = initial;
        Self { global, _of: PhantomData }
    }

    /// Sets the value that kernels launched after this see on a device.
    ///
    /// # Errors
    /// An error of the driver.
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
    /// Where kernels on the simulator find it.
    #[doc(hidden)]
    pub fn simulated(&self) -> *mut u8 {
        place(self.global, &current_statics())
    }

    /// The value that kernels launched now see on a device.
    ///
    /// # Errors
    /// An error of the driver.
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
    /// Launches that were queued before, on any stream, see the value of before, and those queued after
    /// wait for it.
    ///
    /// # Errors
    /// [`DriverError::Length`] for more than one element; memory of the simulator on a GPU or the reverse,
    /// or an error of the driver.
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
    /// As [`GpuConst::set_on`].
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

    fn value_on(&self, statics: &Statics) -> T {
        // SAFETY: the place holds a `T`, which nobody writes.
        unsafe { *place(self.global, statics).cast::<T>() }
    }
}

impl<T> Deref for GpuConst<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: the place holds a `T`, which nobody writes; it lives as long as its device, which outlives the kernel
        // that looks, or for ever where host code looks.
        unsafe { &*place(self.global, &current_statics()).cast::<T>() }
    }
}

/// What statics of the simulator are known by.
fn declared(global: &'static Global) -> usize {
    std::ptr::from_ref(global).addr()
}

/// Where a simulated device has a static.
fn place(global: &'static Global, statics: &Statics) -> *mut u8 {
    statics.at(declared(global), global.initial)
}

/// A static in device memory: all threads of all kernels read and write it, and the host does.
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

impl<T: GpuType> GpuStatic<T> {
    #[doc(hidden)]
    pub const fn new(initial: T, global: &'static Global) -> Self {
        let _ = initial;
        Self { global, _of: PhantomData }
    }

    /// Where kernels on the simulator find it.
    #[doc(hidden)]
    pub fn simulated(&self) -> *mut u8 {
        place(self.global, &current_statics())
    }

    /// Its place on a simulated device.
    #[allow(clippy::mut_from_ref, reason = "device memory, which threads share")]
    fn on<'a>(&self, statics: &'a Statics) -> &'a mut T {
        // SAFETY: the place holds a `T`. Kernels access it as they do device memory, which is not theirs alone either; the
        // host does so only through a device, between launches.
        unsafe { &mut *place(self.global, statics).cast::<T>() }
    }

    /// The place, in a kernel. Take it anew for each access: another thread may write between two.
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

    /// The value, in a kernel: a copy. An element that is read of it is read where it lies, but a slice of it, or a
    /// reference to a part, is one of the copy: walk a large static by [`GpuStatic::get_mut`].
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
    /// An error of the driver.
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
    /// A fault of a kernel launched before, or an error of the driver.
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
    /// or an error of the driver.
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
        Ok(on.gpu.copy(&on.stream, from, (&to, 0..size_of::<T>()))?)
    }

    /// Copies the value to one element of memory, in the order of a stream; returns at once.
    ///
    /// # Errors
    /// As [`GpuStatic::write_on`].
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
        Ok(on.gpu.copy(&on.stream, (&from, 0..size_of::<T>()), to)?)
    }

    /// Its address on a device.
    ///
    /// # Errors
    /// Out of memory, or an error of the driver.
    pub fn address(&self, device: &Device) -> Result<u64> {
        match device.backend() {
            Backend::Gpu(gpu) => Ok(gpu.static_memory(self.global)?.address()),
            Backend::Simulator => Ok(place(self.global, device.statics()) as u64),
        }
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
