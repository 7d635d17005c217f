//! CUDA arrays, and the texture and surface objects of each.

use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{self, CUDA_RESOURCE_DESC, CUarray, CUmemorytype};

use super::memory::driver;
use super::order;
use super::pitched::boxes;
use super::texture::{channel_to_driver, create_texture, no_resource};
use super::usage::Usage;
use super::{DriverError, Gpu, GpuMemory};
use crate::argument::Order;
use crate::ir::ImageShape;
use warpsmith_lang::image::{Format, Sampler};

/// The description by which an array is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayForm {
    pub shape: ImageShape,
    /// Width, height, and depth or layers; 1 where the shape has none.
    pub extents: [usize; 3],
    pub format: Format,
    /// Whether it may have surfaces.
    pub surfaces: bool,
}

/// A CUDA array of one GPU; destroyed with its objects when dropped, after everything that uses it.
#[derive(Debug)]
pub(crate) struct GpuArray {
    /// The driver's handle.
    array: usize,
    form: ArrayForm,
    gpu: Arc<Gpu>,
    usage: Usage,
    objects: Mutex<Vec<Object>>,
}

/// An object that ends with its array.
#[derive(Clone, Copy, Debug)]
enum Object {
    Texture(u64),
    Surface(u64),
}

impl ArrayForm {
    /// Bytes of a row.
    pub fn row(&self) -> usize {
        self.extents[0] * self.format.bytes()
    }

    /// Bytes of all texels.
    pub fn bytes(&self) -> usize {
        self.row() * self.extents[1] * self.extents[2]
    }
}

impl Gpu {
    /// A new array; its texels are whatever they were.
    pub(crate) fn array(self: &Arc<Self>, form: ArrayForm) -> Result<GpuArray, DriverError> {
        self.bind()?;
        let [width, height, depth] = form.extents;
        let layered = form.shape == ImageShape::Layers;
        let planar = matches!(form.shape, ImageShape::Line | ImageShape::Plane);
        let layers = if layered { sys::CUDA_ARRAY3D_LAYERED } else { 0 };
        let surfaces = if form.surfaces { sys::CUDA_ARRAY3D_SURFACE_LDST } else { 0 };
        let descriptor = sys::CUDA_ARRAY3D_DESCRIPTOR {
            Width: width,
            // A line is a plane of one row, as kernels sample it.
            Height: height,
            Depth: if planar { 0 } else { depth },
            Format: channel_to_driver(form.format.channel),
            NumChannels: form.format.channels as u32,
            Flags: layers | surfaces,
        };
        let mut array: CUarray = ptr::null_mut();
        // SAFETY: the context is bound, the handle is writable, and the width is not 0.
        let created = unsafe { sys::cuArray3DCreate_v2(&raw mut array, &raw const descriptor) };
        driver("cuArray3DCreate", created)?;
        let usage = Usage::new(0..form.bytes() as u64, self.stream().clone());
        Ok(GpuArray { array: array as usize, form, gpu: self.clone(), usage, objects: Mutex::default() })
    }
}

impl GpuArray {
    fn handle(&self) -> CUarray {
        self.array as CUarray
    }

    /// How launches order their uses of the array.
    pub(crate) fn order(&self) -> Order {
        order::by_usage(&self.usage)
    }

    /// The array may be used where no launch sees it.
    pub(crate) fn escape(&self) {
        let escaped = self.usage.escape(&self.gpu);
        self.gpu.keep_error(escaped);
    }

    /// Copies all texels, dense, from the host.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), DriverError> {
        debug_assert_eq!(bytes.len(), self.form.bytes());
        let mut copy = self.copy(CUmemorytype::CU_MEMORYTYPE_HOST, CUmemorytype::CU_MEMORYTYPE_ARRAY);
        copy.srcHost = bytes.as_ptr().cast();
        copy.dstArray = self.handle();
        self.copy_all(&copy, true)?;
        self.wait()
    }

    /// Copies all texels to the host, dense, and waits.
    ///
    /// # Safety
    /// `host` has room for them.
    pub(crate) unsafe fn read(&self, host: *mut u8) -> Result<(), DriverError> {
        let mut copy = self.copy(CUmemorytype::CU_MEMORYTYPE_ARRAY, CUmemorytype::CU_MEMORYTYPE_HOST);
        copy.srcArray = self.handle();
        copy.dstHost = host.cast();
        self.copy_all(&copy, false)?;
        self.wait()
    }

    /// Copies all texels from the start of memory of the same GPU, where they are dense.
    pub(crate) fn write_from(&self, memory: &GpuMemory) -> Result<(), DriverError> {
        let mut copy = self.copy(CUmemorytype::CU_MEMORYTYPE_DEVICE, CUmemorytype::CU_MEMORYTYPE_ARRAY);
        copy.dstArray = self.handle();
        memory.used(self.gpu.stream(), &(0..self.form.bytes()), false, |address| {
            copy.srcDevice = address;
            self.copy_all(&copy, true)
        })
    }

    /// Copies all texels to the start of memory of the same GPU, dense.
    pub(crate) fn read_to(&self, memory: &GpuMemory) -> Result<(), DriverError> {
        let mut copy = self.copy(CUmemorytype::CU_MEMORYTYPE_ARRAY, CUmemorytype::CU_MEMORYTYPE_DEVICE);
        copy.srcArray = self.handle();
        memory.used(self.gpu.stream(), &(0..self.form.bytes()), true, |address| {
            copy.dstDevice = address;
            self.copy_all(&copy, false)
        })
    }

    /// The first fault of a kernel on the array's GPU.
    pub(crate) fn take_fault(&self) -> Result<(), crate::error::LaunchError> {
        self.gpu.take_fault()
    }

    fn wait(&self) -> Result<(), DriverError> {
        self.gpu.stream().synchronize().map_err(DriverError::at("cuStreamSynchronize"))
    }

    /// A copy of all texels between two kinds of memory, with no addresses yet; memory that is no array is dense.
    fn copy(&self, from: CUmemorytype, to: CUmemorytype) -> sys::CUDA_MEMCPY3D {
        let (row, [_, height, depth]) = (self.form.row(), self.form.extents);
        let mut copy = boxes([depth, height, row]);
        (copy.srcMemoryType, copy.srcPitch, copy.srcHeight) = (from, row, height);
        (copy.dstMemoryType, copy.dstPitch, copy.dstHeight) = (to, row, height);
        copy
    }

    fn copy_all(&self, copy: &sys::CUDA_MEMCPY3D, write: bool) -> Result<(), DriverError> {
        let (stream, all) = (self.gpu.stream(), 0..self.form.bytes() as u64);
        self.usage.around(&self.gpu, stream, all, write, || {
            // SAFETY: both sides have these texels; the call is in the order of the stream.
            let copied = unsafe { sys::cuMemcpy3DAsync_v2(copy, stream.cu_stream()) };
            driver("cuMemcpy3DAsync", copied)
        })
    }

    /// A texture object, which ends with the array; `normalizes` says that integers are read as floats.
    pub(crate) fn texture(&self, sampler: &Sampler, normalizes: bool) -> Result<u64, DriverError> {
        self.gpu.bind()?;
        // SAFETY: the context is bound, and the array outlives the object.
        let object =
            unsafe { create_texture(&self.resource(), sampler, self.form.format.channel, normalizes) }?;
        self.keep(Object::Texture(object));
        Ok(object)
    }

    /// A surface object, which ends with the array.
    pub(crate) fn surface(&self) -> Result<u64, DriverError> {
        self.gpu.bind()?;
        let (mut object, resource) = (0, self.resource());
        // SAFETY: as above, and the array was made for surfaces.
        let created = unsafe { sys::cuSurfObjectCreate(&raw mut object, &raw const resource) };
        driver("cuSurfObjectCreate", created)?;
        self.keep(Object::Surface(object));
        Ok(object)
    }

    fn keep(&self, object: Object) {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner).push(object);
    }

    fn resource(&self) -> CUDA_RESOURCE_DESC {
        let mut res = no_resource();
        res.array = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 { hArray: self.handle() };
        CUDA_RESOURCE_DESC { resType: sys::CUresourcetype::CU_RESOURCE_TYPE_ARRAY, res, flags: 0 }
    }

    fn destroy(&mut self) -> Result<(), DriverError> {
        for stream in self.usage.take_streams() {
            stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))?;
        }
        self.gpu.bind()?;
        for object in self.objects.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: made for this array, destroyed once, and nothing uses it any more.
            unsafe {
                match object {
                    Object::Texture(object) => driver("cuTexObjectDestroy", sys::cuTexObjectDestroy(object))?,
                    Object::Surface(object) => {
                        driver("cuSurfObjectDestroy", sys::cuSurfObjectDestroy(object))?
                    }
                }
            }
        }
        // SAFETY: made by `cuArray3DCreate`, destroyed once, and nothing uses it any more.
        driver("cuArrayDestroy", unsafe { sys::cuArrayDestroy(self.handle()) })
    }
}

impl Drop for GpuArray {
    fn drop(&mut self) {
        let gpu = self.gpu.clone();
        // An error that was kept for the next call must not keep the array from being waited for.
        let earlier = gpu.bind();
        let destroyed = self.destroy();
        gpu.keep_error(earlier);
        gpu.keep_error(destroyed);
    }
}
