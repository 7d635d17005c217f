//! Images: texels in the layout that textures and surfaces need, a CUDA array on a GPU.
//!
//! An [`Image`] owns its texels. [`Image::texture`] lends them to kernels that sample, and [`Image::surface`] to
//! kernels that write, one at a time, as `&` and `&mut` do; launches on several streams, copies and drops are
//! ordered as for a buffer. Independent of CUDA text.

mod accesses;
mod check;

pub use crate::error::ImageError;
pub use warpsmith_lang::image::*;

use std::marker::PhantomData;
use std::sync::Arc;

use crate::argument::{MemoryPlace, Order};
use crate::driver::{ArrayForm, GpuArray};
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::memory::buffer::{Buffer, Memory};
use crate::simulator::global;
pub(crate) use accesses::Accesses;
pub(crate) use check::{pitched as check_pitched, sampler as check_sampler};

/// Texels of one device, for textures and surfaces; freed when dropped, after everything that uses them.
///
/// ```
/// use warpsmith::prelude::*;
///
/// # fn main() -> warpsmith::Result<()> {
/// let pixels = [0u8, 255, 255, 0];
/// let image = Image2::upload(&Device::simulator(), [2, 2], &pixels)?;
/// let smooth = image.texture::<f32>(Sampler::new().linear())?; // bytes, read as 0 to 1
/// assert_eq!(smooth.sample(1.0, 0.5), 0.5);
/// # Ok(()) }
/// ```
///
/// Source: CUDA Driver API, `cuArray3DCreate`.
#[derive(Debug)]
pub struct Image<T, D> {
    /// Behind an `Arc`, which keeps its address; never shared with another image.
    inner: Arc<Inner>,
    _texels: PhantomData<fn() -> (T, D)>,
}

/// An image of one dimension.
pub type Image1<T> = Image<T, Line>;
/// An image of two dimensions.
pub type Image2<T> = Image<T, Plane>;
/// An image of three dimensions.
pub type Image3<T> = Image<T, Volume>;
/// Layers of two-dimensional images.
pub type ImageLayers<T> = Image<T, Layers>;

#[derive(Debug)]
struct Inner {
    device: MemoryPlace,
    form: ArrayForm,
    storage: Storage,
    accesses: Accesses,
    /// The largest surface of the device, for the error of an image above it.
    largest_surface: [usize; 3],
}

#[derive(Debug)]
enum Storage {
    Simulator(Memory),
    Gpu(GpuArray),
}

impl<T: Texel, D: Shape> Image<T, D> {
    /// An image whose texels are zero. Extents are texels: width, height, and depth or layers.
    ///
    /// # Errors
    /// [`ImageError`] for an extent of zero or above [`Limits::images`](crate::driver::Limits::images); out of
    /// memory, or another driver error.
    ///
    /// Source: CUDA Driver API, `cuArray3DCreate`.
    pub fn zeroed(device: &Device, extents: D::Extents) -> Result<Self> {
        let image = Self::new(device, D::all(extents))?;
        if let Storage::Gpu(array) = &image.inner.storage {
            array.write(&vec![0; image.inner.form.bytes()])?;
        }
        Ok(image)
    }

    /// An image of these texels, row after row.
    ///
    /// # Errors
    /// The errors of [`Image::zeroed`], and another number of texels.
    ///
    /// Source: CUDA Driver API, `cuArray3DCreate`, `cuMemcpy3DAsync`.
    pub fn upload(device: &Device, extents: D::Extents, texels: &[T]) -> Result<Self> {
        let mut image = Self::new(device, D::all(extents))?;
        image.write(texels)?;
        Ok(image)
    }

    fn new(device: &Device, extents: [usize; 3]) -> Result<Self> {
        let limits = &device.limits().images;
        check::extents(limits, D::SHAPE, extents, device.place())?;
        let largest_surface = limits.largest(true, D::SHAPE);
        let surfaces = (0..3).all(|axis| extents[axis] <= largest_surface[axis]);
        let form = ArrayForm { shape: D::SHAPE, extents, format: T::FORMAT, surfaces };
        let storage = match device.backend() {
            Backend::Gpu(gpu) => Storage::Gpu(gpu.array(form)?),
            Backend::Simulator => Storage::Simulator(Memory::simulator(form.bytes())?),
        };
        let accesses = Accesses::default();
        let inner = Inner { device: device.place(), form, storage, accesses, largest_surface };
        Ok(Self { inner: Arc::new(inner), _texels: PhantomData })
    }

    /// Its extents in texels: width, height, and depth or layers.
    pub fn extents(&self) -> D::Extents {
        D::own(self.inner.form.extents)
    }

    /// Number of texels.
    pub fn len(&self) -> usize {
        self.inner.form.extents.iter().product()
    }

    /// Returns whether there are no texels: never.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies texels, row after row, from the host, after everything that uses the image.
    ///
    /// # Errors
    /// Another number of texels, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3DAsync`.
    pub fn write(&mut self, texels: &[T]) -> Result<()> {
        self.check_len("slice", texels.len())?;
        // SAFETY: plain data may be read as bytes.
        let bytes = unsafe { std::slice::from_raw_parts(texels.as_ptr().cast(), size_of_val(texels)) };
        match &self.inner.storage {
            Storage::Gpu(array) => Ok(array.write(bytes)?),
            Storage::Simulator(memory) => {
                // SAFETY: the memory has these bytes, and the image is borrowed mutably.
                unsafe { copy(bytes.as_ptr() as u64, memory.address(), bytes.len()) };
                Ok(())
            }
        }
    }

    /// Copies the texels to the host, row after row; waits for everything that writes them.
    ///
    /// # Errors
    /// A fault of a kernel launched before, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3DAsync`.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut texels: Vec<T> = Vec::with_capacity(self.len());
        let (target, len) = (texels.as_mut_ptr().cast::<u8>(), self.inner.form.bytes());
        match &self.inner.storage {
            Storage::Gpu(array) => {
                // SAFETY: the vector has room for every texel.
                unsafe { array.read(target) }?;
                array.take_fault()?;
            }
            // SAFETY: both sides have these bytes.
            Storage::Simulator(memory) => unsafe { copy(memory.address(), target as u64, len) },
        }
        // SAFETY: every texel was written, and any bits are one.
        unsafe { texels.set_len(self.len()) };
        Ok(texels)
    }

    /// Copies texels, row after row, from a buffer of the same device.
    ///
    /// # Errors
    /// Another number of elements, a buffer of another device, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3DAsync`.
    pub fn copy_from(&mut self, buffer: &Buffer<T>) -> Result<()> {
        self.check_buffer(buffer)?;
        match (&self.inner.storage, &buffer.memory) {
            (Storage::Gpu(array), Memory::Gpu(memory)) => array.write_from(memory)?,
            (Storage::Simulator(memory), from) => {
                // SAFETY: both sides have these bytes, and the image is borrowed mutably.
                unsafe { copy(from.address(), memory.address(), self.inner.form.bytes()) };
            }
            (Storage::Gpu(_), Memory::Simulator(_)) => {}
        }
        Ok(())
    }

    /// Copies the texels, row after row, to a buffer of the same device.
    ///
    /// # Errors
    /// The errors of [`Image::copy_from`].
    ///
    /// Source: CUDA Driver API, `cuMemcpy3DAsync`.
    pub fn copy_to(&self, buffer: &mut Buffer<T>) -> Result<()> {
        self.check_buffer(buffer)?;
        match (&self.inner.storage, &buffer.memory) {
            (Storage::Gpu(array), Memory::Gpu(memory)) => array.read_to(memory)?,
            (Storage::Simulator(memory), to) => {
                // SAFETY: both sides have these bytes, and the buffer is borrowed mutably.
                unsafe { copy(memory.address(), to.address(), self.inner.form.bytes()) };
            }
            (Storage::Gpu(_), Memory::Simulator(_)) => {}
        }
        Ok(())
    }

    /// The image as kernels sample it, an argument for `&Texture2<R>`. The first use of a sampler creates CUDA's
    /// texture object, which the image keeps.
    ///
    /// `R` is the texels' type; `f32`, or a vector of it, also reads 8- and 16-bit integers as 0 to 1 or -1 to 1,
    /// and halves.
    ///
    /// # Errors
    /// [`ImageError`] for a sampler that such a texture cannot have; a driver error.
    ///
    /// Source: CUDA Driver API, `cuTexObjectCreate`.
    pub fn texture<R: TextureValue>(&self, sampler: Sampler) -> Result<Texture<'_, R, D>>
    where
        T: ReadAs<R>,
    {
        check::sampler::<T, R>(&sampler, self.inner.rank())?;
        Ok(Texture::new(self.inner.access(Some(sampler), T::NORMALIZES)?))
    }

    /// The image as kernels read and write it by texel, an argument for `&mut Surface2<T>`.
    ///
    /// # Errors
    /// [`ImageError::Extent`] for an image that is larger than the device's surfaces; a driver error.
    ///
    /// Source: CUDA Driver API, `cuSurfObjectCreate`.
    pub fn surface(&mut self) -> Result<Surface<'_, T, D>> {
        self.surface_once()
    }

    /// The surface, for a caller that does not use the image in another way at the same time.
    pub(crate) fn surface_once(&self) -> Result<Surface<'_, T, D>> {
        let Inner { form, largest_surface, device, .. } = &*self.inner;
        check::surface(*largest_surface, form.shape, form.extents, *device)?;
        Ok(Surface::new(self.inner.access(None, false)?))
    }

    /// The device that holds the image.
    pub(crate) fn place(&self) -> MemoryPlace {
        self.inner.device
    }

    /// The image may be used where no launch sees it: in a graph.
    pub(crate) fn escape(&self) {
        if let Storage::Gpu(array) = &self.inner.storage {
            array.escape();
        }
    }

    fn check_len(&self, other: &'static str, given: usize) -> std::result::Result<(), ImageError> {
        check::texels(D::SHAPE, self.inner.form.extents, other, given)
    }

    fn check_buffer(&self, buffer: &Buffer<T>) -> std::result::Result<(), ImageError> {
        let (owner, image) = (buffer.place(), self.inner.device);
        if owner != image {
            return Err(ImageError::OtherDevice { what: "buffer", owner, image });
        }
        self.check_len("buffer", buffer.len())
    }
}

impl Inner {
    /// Dimensions that coordinates have.
    fn rank(&self) -> usize {
        self.form.shape.rank()
    }

    /// The texture of a sampler, or the surface.
    fn access(&self, sampler: Option<Sampler>, normalizes: bool) -> Result<&ImageObject> {
        self.accesses.get(sampler, normalizes, || self.new_access(sampler, normalizes))
    }

    fn new_access(&self, sampler: Option<Sampler>, normalizes: bool) -> Result<ImageObject> {
        let extents = self.form.extents.map(|extent| extent as u32);
        let (words, texels, order) = match &self.storage {
            Storage::Gpu(array) => {
                let object = match &sampler {
                    Some(sampler) => array.texture(sampler, normalizes)?,
                    None => array.surface()?,
                };
                (ImageObject::words(object, extents), None, array.order())
            }
            Storage::Simulator(memory) => {
                let texels = Texels {
                    base: memory.address() as usize,
                    extents: self.form.extents,
                    pitch: self.form.row(),
                    format: self.form.format,
                    rank: self.rank(),
                    normalizes,
                };
                ([0; 3], Some(texels), Order::NONE)
            }
        };
        let (range, place) = (0..self.form.bytes() as u64, self.device);
        Ok(ImageObject { words, extents, texels, sampler, normalizes, range, place, order })
    }
}

/// Copies bytes between two places in the host's memory.
///
/// # Safety
/// Both have this number of bytes, and no other code uses those that are written.
unsafe fn copy(from: u64, to: u64, bytes: usize) {
    // SAFETY: as promised by the caller.
    unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes) };
    // Observers do not see reads and writes of images, so their bytes count as written.
    global::written(to as usize, bytes);
}

#[cfg(test)]
mod tests;
