//! Matrices in device memory whose rows begin at aligned addresses.

use std::ops::RangeBounds;
use std::sync::Arc;

use crate::argument::Order;
#[cfg(doc)]
use crate::driver::DriverError;
use crate::driver::ImageLimits;
use crate::error::Result;
use crate::host::device::Device;
use crate::memory::buffer::Memory;
use crate::memory::image::{
    Accesses, Format, ImageObject, ReadAs, Sampler, Texel, Texels, Texture2, TextureValue, check_pitched,
    check_sampler,
};
use crate::memory::pitched_rows::PitchedRows;
use crate::memory::region::{Part3, PartMut3};
use crate::types::{AnyBits, GpuType, View2, ViewMut2};

/// `rows` × `cols` elements, row after row; each row is padded to the pitch.
///
/// ```
/// use warpsmith::prelude::*;
///
/// # fn main() -> warpsmith::Result<()> {
/// let mut m = Device::simulator().alloc_pitched::<f32>(2, 3)?;
/// m.write(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!(m.pitch() % 512, 0);
/// assert_eq!(m.to_vec()?[4], 5.0);
/// # Ok(()) }
/// ```
///
/// Source: CUDA Driver API, `cuMemAllocPitch`.
#[derive(Debug)]
pub struct Pitched2<T> {
    /// Behind an `Arc`, which keeps its address; never shared with another matrix.
    inner: Arc<Inner<T>>,
}

#[derive(Debug)]
struct Inner<T> {
    /// The textures that were asked for.
    accesses: Accesses,
    rows: PitchedRows<T>,
    /// The device's largest textures of such memory.
    limits: ImageLimits,
}

impl Device {
    /// A matrix of `rows` × `cols` elements, every byte zero, with rows at aligned addresses.
    ///
    /// # Errors
    /// Out of memory, [`DriverError::Pitch`] for rows that no copy can take, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemAllocPitch`.
    pub fn alloc_pitched<T: AnyBits>(&self, rows: usize, cols: usize) -> Result<Pitched2<T>> {
        self.new_pitched(PitchedRows::zeroed(self, [1, rows, cols])?)
    }

    /// Like [`Device::alloc_pitched`], but the contents of the elements are unspecified, as with
    /// [`Device::alloc_uninit`]. Reads by textures are not checked.
    ///
    /// # Errors
    /// The errors of [`Device::alloc_pitched`].
    ///
    /// Source: CUDA Driver API, `cuMemAllocPitch`.
    pub fn alloc_pitched_uninit<T: AnyBits>(&self, rows: usize, cols: usize) -> Result<Pitched2<T>> {
        const { T::FILLED };
        self.new_pitched(PitchedRows::unwritten(self, [1, rows, cols])?)
    }

    fn new_pitched<T>(&self, rows: PitchedRows<T>) -> Result<Pitched2<T>> {
        let inner = Inner { accesses: Accesses::default(), rows, limits: self.limits().images.clone() };
        Ok(Pitched2 { inner: Arc::new(inner) })
    }
}

impl<T: GpuType> Pitched2<T> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.inner.rows.extents[1]
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.inner.rows.extents[2]
    }

    /// Bytes from one row to the next.
    pub fn pitch(&self) -> usize {
        self.inner.rows.pitch
    }

    /// The matrix as a kernel's argument, for reading.
    pub fn view2(&self) -> View2<'_, T> {
        let rows = &self.inner.rows;
        let ([_, height, width], address) = (rows.extents, rows.memory.escaping() as *const T);
        // SAFETY: the matrix' own memory, borrowed for as long as the view.
        unsafe { View2::from_raw_parts(address, height, width, rows.stride()) }
    }

    /// The matrix as a kernel's argument, for writing.
    pub fn view2_mut(&mut self) -> ViewMut2<'_, T> {
        let rows = &self.inner.rows;
        let ([_, height, width], address) = (rows.extents, rows.memory.escaping() as *mut T);
        // SAFETY: as in `view2`, borrowed mutably.
        unsafe { ViewMut2::from_raw_parts(address, height, width, rows.stride()) }
    }

    /// Some rows and columns, for reading: one plane of a box.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond the matrix.
    pub fn part(&self, rows: impl RangeBounds<usize>, cols: impl RangeBounds<usize>) -> Result<Part3<'_, T>> {
        Part3::from(self).part(.., rows, cols)
    }

    /// Some rows and columns, for writing.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond the matrix.
    pub fn part_mut(
        &mut self,
        rows: impl RangeBounds<usize>,
        cols: impl RangeBounds<usize>,
    ) -> Result<PartMut3<'_, T>> {
        PartMut3::from(self).part_mut(.., rows, cols)
    }

    /// Copies a dense matrix, row after row, from the host.
    ///
    /// # Errors
    /// A different number of elements, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3D`.
    pub fn write(&mut self, dense: &[T]) -> Result<()> {
        PartMut3::from(self).write(dense)
    }

    /// Copies the matrix to the host, dense, row after row; waits for everything that writes it.
    ///
    /// # Errors
    /// A fault of a kernel launched before, or a driver error.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3D`.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        Part3::from(self).to_vec()
    }
}

impl<'a, T: GpuType> From<&'a Pitched2<T>> for Part3<'a, T> {
    fn from(matrix: &'a Pitched2<T>) -> Self {
        Part3::new(matrix.inner.rows.region())
    }
}

impl<'a, T: GpuType> From<&'a mut Pitched2<T>> for PartMut3<'a, T> {
    fn from(matrix: &'a mut Pitched2<T>) -> Self {
        PartMut3::new(matrix.inner.rows.region())
    }
}

impl<T: Texel> Pitched2<T> {
    /// The matrix as kernels sample it, without a copy: an argument for `&Texture2<R>`, `cols` wide and `rows` high.
    ///
    /// Like [`Image::texture`](crate::memory::image::Image::texture), whose texels lie in the texture unit's own order.
    ///
    /// # Errors
    /// The errors of that method; more columns or rows than [`ImageLimits::pitched2`].
    ///
    /// Source: CUDA Driver API, `cuTexObjectCreate`, `CU_RESOURCE_TYPE_PITCH2D`.
    pub fn texture<R: TextureValue>(&self, sampler: Sampler) -> Result<Texture2<'_, R>>
    where
        T: ReadAs<R>,
    {
        let Inner { accesses, rows, limits } = &*self.inner;
        check_pitched(limits, [self.cols(), self.rows()], self.pitch(), rows.memory.place())?;
        check_sampler::<T, R>(&sampler, 2)?;
        let new = || new_access(rows, sampler, T::FORMAT, T::NORMALIZES);
        Ok(Texture2::new(accesses.get(Some(sampler), T::NORMALIZES, new)?))
    }
}

/// The texture of a matrix' rows.
fn new_access<T>(
    rows: &PitchedRows<T>,
    sampler: Sampler,
    format: Format,
    normalizes: bool,
) -> Result<ImageObject> {
    let ([_, height, width], pitch, start) = (rows.extents, rows.pitch, rows.memory.address());
    let extents = [width as u32, height as u32, 1];
    let (words, texels, order) = match &rows.memory {
        Memory::Gpu(memory) => {
            let object = memory.texture(format, [width, height], pitch, &sampler, normalizes)?;
            (ImageObject::words(object, extents), None, memory.order())
        }
        Memory::Simulator(_) => {
            let (base, extents) = (start as usize, [width, height, 1]);
            let texels = Texels { base, extents, pitch, format, rank: 2, normalizes };
            ([0; 3], Some(texels), Order::NONE)
        }
    };
    let range = start..start + (pitch * height) as u64;
    let (sampler, place) = (Some(sampler), rows.memory.place());
    Ok(ImageObject { words, extents, texels, sampler, normalizes, range, place, order })
}
