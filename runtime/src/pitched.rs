//! Matrices in device memory whose rows begin at aligned addresses.

use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::Arc;

use crate::buffer::Memory;
use crate::device::{Backend, Device};
use crate::driver::{DriverError, ImageLimits, Order};
use crate::error::Result;
use crate::image::{
    Access, Accesses, Format, ReadAs, Sampler, Texel, Texels, Texture2, TextureValue, check_pitched,
    check_sampler,
};
use crate::region::{Part3, PartMut3, Region};
use crate::types::{AnyBits, GpuType, View2, ViewMut2};

/// What rows are aligned to where the driver does not choose, in bytes.
const ALIGN: usize = 512;

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
    /// Shared, so that it has one address; never with another matrix.
    inner: Arc<Inner>,
    rows: usize,
    cols: usize,
    /// Bytes from one row to the next.
    pitch: usize,
    _elements: PhantomData<T>,
}

#[derive(Debug)]
struct Inner {
    /// The textures that were asked for.
    accesses: Accesses,
    memory: Memory,
    /// The device's largest textures of such memory.
    limits: ImageLimits,
}

impl Device {
    /// A matrix of `rows` × `cols` elements, every byte zero, with rows at aligned addresses.
    ///
    /// # Errors
    /// Out of memory, [`DriverError::Pitch`] for rows that no copy can take, or an error of the driver.
    ///
    /// Source: CUDA Driver API, `cuMemAllocPitch`.
    pub fn alloc_pitched<T: AnyBits>(&self, rows: usize, cols: usize) -> Result<Pitched2<T>> {
        self.new_pitched(rows, cols, true)
    }

    /// As [`Device::alloc_pitched`], but the elements hold whatever was there before, as those of
    /// [`Device::alloc_uninit`]. What textures read of them is not checked.
    ///
    /// # Errors
    /// As there.
    ///
    /// Source: CUDA Driver API, `cuMemAllocPitch`.
    pub fn alloc_pitched_uninit<T: AnyBits>(&self, rows: usize, cols: usize) -> Result<Pitched2<T>> {
        const { T::FILLED };
        self.new_pitched(rows, cols, false)
    }

    fn new_pitched<T>(&self, rows: usize, cols: usize, zeroed: bool) -> Result<Pitched2<T>> {
        let (memory, pitch) = pitched_memory::<T>(self, (rows, cols), zeroed)?;
        let inner = Inner { accesses: Accesses::default(), memory, limits: self.limits().images.clone() };
        Ok(Pitched2 { inner: Arc::new(inner), rows, cols, pitch, _elements: PhantomData })
    }
}

/// Memory of so many rows, zeroed or not, and the bytes from one row to the next: whole elements.
pub(crate) fn pitched_memory<T>(
    device: &Device,
    (rows, cols): (usize, usize),
    zeroed: bool,
) -> Result<(Memory, usize)> {
    let size = size_of::<T>();
    let too_large = || DriverError::TooLarge { elements: rows.saturating_mul(cols) };
    let row = cols.checked_mul(size).ok_or_else(too_large)?;
    let own = row.checked_next_multiple_of(common_multiple(ALIGN, size)).ok_or_else(too_large)?;
    let bytes = own.checked_mul(rows).ok_or_else(too_large)?;
    let limit = device.limits().pitch;
    if own > limit {
        return Err(DriverError::Pitch { bytes: own, limit }.into());
    }
    Ok(match device.backend() {
        Backend::Gpu(gpu) if ALIGN.is_multiple_of(size.max(1)) && bytes > 0 => {
            let (memory, pitch) = gpu.alloc_pitched(rows, row, size)?;
            if zeroed {
                gpu.fill(gpu.stream(), &memory, 0)?;
            }
            (Memory::Gpu(memory), pitch)
        }
        _ if zeroed => (device.zeroed_memory(bytes)?, own),
        _ => (device.unwritten_memory(bytes)?, own),
    })
}

/// The least number that both divide.
fn common_multiple(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b.max(1));
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b.max(1)
}

impl<T: GpuType> Pitched2<T> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Bytes from one row to the next.
    pub fn pitch(&self) -> usize {
        self.pitch
    }

    fn stride(&self) -> usize {
        self.pitch / size_of::<T>().max(1)
    }

    /// The matrix as a kernel's argument, to be read.
    pub fn view2(&self) -> View2<'_, T> {
        let address = self.inner.memory.escaping() as *const T;
        // SAFETY: the matrix' own memory, borrowed for as long as the view.
        unsafe { View2::from_raw_parts(address, self.rows, self.cols, self.stride()) }
    }

    /// The matrix as a kernel's argument, to be written.
    pub fn view2_mut(&mut self) -> ViewMut2<'_, T> {
        let address = self.inner.memory.escaping() as *mut T;
        // SAFETY: as in `view2`, borrowed mutably.
        unsafe { ViewMut2::from_raw_parts(address, self.rows, self.cols, self.stride()) }
    }

    /// Some rows and columns, to be read: one plane of a box.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond the matrix.
    pub fn part(&self, rows: impl RangeBounds<usize>, cols: impl RangeBounds<usize>) -> Result<Part3<'_, T>> {
        Part3::new(self.region()).part(.., rows, cols)
    }

    /// Some rows and columns, to be written.
    ///
    /// # Errors
    /// [`DriverError::Range`] beyond the matrix.
    pub fn part_mut(
        &mut self,
        rows: impl RangeBounds<usize>,
        cols: impl RangeBounds<usize>,
    ) -> Result<PartMut3<'_, T>> {
        PartMut3::new(self.region()).part_mut(.., rows, cols)
    }

    /// Copies a dense matrix, row after row, from the host.
    ///
    /// # Errors
    /// Another number of elements, or an error of the driver.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3D`.
    pub fn write(&mut self, dense: &[T]) -> Result<()> {
        PartMut3::new(self.region()).write(dense)
    }

    /// Copies the matrix to the host, dense, row after row; waits for everything that writes it.
    ///
    /// # Errors
    /// A fault of a kernel launched before, or an error of the driver.
    ///
    /// Source: CUDA Driver API, `cuMemcpy3D`.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        Part3::new(self.region()).to_vec()
    }

    fn region(&self) -> Region<'_, T> {
        Region::of(&self.inner.memory, [1, self.rows, self.cols], self.pitch)
    }
}

impl<'a, T: GpuType> From<&'a Pitched2<T>> for Part3<'a, T> {
    fn from(matrix: &'a Pitched2<T>) -> Self {
        Part3::new(matrix.region())
    }
}

impl<'a, T: GpuType> From<&'a mut Pitched2<T>> for PartMut3<'a, T> {
    fn from(matrix: &'a mut Pitched2<T>) -> Self {
        PartMut3::new(matrix.region())
    }
}

impl<T: Texel> Pitched2<T> {
    /// The matrix as kernels sample it, without a copy: an argument for `&Texture2<R>`, `cols` wide and `rows` high.
    ///
    /// As [`Image::texture`](crate::image::Image::texture), whose texels lie as the texture unit wants them.
    ///
    /// # Errors
    /// As there; more columns or rows than [`ImageLimits::pitched2`].
    ///
    /// Source: CUDA Driver API, `cuTexObjectCreate`, `CU_RESOURCE_TYPE_PITCH2D`.
    pub fn texture<R: TextureValue>(&self, sampler: Sampler) -> Result<Texture2<'_, R>>
    where
        T: ReadAs<R>,
    {
        let inner = &*self.inner;
        check_pitched(&inner.limits, [self.cols, self.rows], self.pitch, inner.memory.place())?;
        check_sampler::<T, R>(&sampler, 2)?;
        let new = || self.new_access(sampler, T::FORMAT, T::NORMALIZES);
        Ok(Texture2::new(inner.accesses.get(Some(sampler), T::NORMALIZES, new)?))
    }

    fn new_access(&self, sampler: Sampler, format: Format, normalizes: bool) -> Result<Access> {
        let (memory, start) = (&self.inner.memory, self.inner.memory.address());
        let extents = [self.cols as u32, self.rows as u32, 1];
        let (words, texels, order) = match memory {
            Memory::Gpu(memory) => {
                let rows = (format, [self.cols, self.rows], self.pitch);
                let object = memory.texture(rows, &sampler, normalizes)?;
                (Access::words(object, extents), None, memory.order())
            }
            Memory::Simulator(_) => {
                let (base, extents) = (start as usize, [self.cols, self.rows, 1]);
                let texels = Texels { base, extents, pitch: self.pitch, format, rank: 2, normalizes };
                ([0; 3], Some(texels), Order::NONE)
            }
        };
        let range = start..start + (self.pitch * self.rows) as u64;
        let (sampler, place) = (Some(sampler), memory.place());
        Ok(Access { words, extents, texels, sampler, normalizes, range, place, order })
    }
}
