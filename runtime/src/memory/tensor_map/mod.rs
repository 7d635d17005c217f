//! Tensor maps of device memory, with which kernels drive the copy engine.

mod part;

use crate::boxes::BoxFill;
use crate::driver::Promotion;
use crate::error::Result;
#[cfg(doc)]
use crate::error::{DriverError, TensorMapError};
use crate::host::device::Device;
use crate::memory::args::{SliceArg, SliceMutArg};
use crate::memory::buffer::Buffer;
use crate::memory::part::{Part, PartMut};
use crate::memory::pitched::Pitched2;
use crate::memory::region::{Part3, PartMut3};
use part::Strided;
pub use part::{TensorPart, TensorPartMut};
use warpsmith_tiles::tensor_map::{
    BoxLayout, MappedElement, TensorMap, TensorMap4, TensorMapMut, TensorMapMut4,
};

/// Options of a map that are not part of its type.
///
/// ```
/// # use warpsmith::prelude::*;
/// use warpsmith::tensor_map::TensorOptions;
///
/// # fn main() -> warpsmith::Result<()> {
/// let x = Device::simulator().upload(&[1.0f32; 64 * 64])?;
/// let options = TensorOptions::new().fill_nan();
/// let map = x.slice(..)?.tensor_map_with::<8, 32, Unswizzled>(64, 64, options)?;
/// assert_eq!((map.rows(), map.cols()), (64, 64));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TensorOptions {
    promotion: Promotion,
    fill: BoxFill,
}

impl TensorOptions {
    /// The L2 cache fetches 128 bytes at once; elements outside the tensor are zeros.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of bytes that the L2 cache fetches at once.
    pub fn promotion(self, promotion: Promotion) -> Self {
        Self { promotion, ..self }
    }

    /// Loads NaNs for elements outside the tensor; the device chooses their bits.
    pub fn fill_nan(self) -> Self {
        Self { fill: BoxFill::Nan, ..self }
    }
}

impl Device {
    /// A matrix in the memory of any argument of kernels, rows `stride` elements apart, in boxes that the copy engine loads: an argument
    /// for `&TensorMap<T, ROWS, COLS, L>`.
    ///
    /// # Errors
    /// The errors of [`Part::tensor_map`]; [`DriverError::WrongDevice`] for another device's memory.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub fn tensor_map<'a, T: MappedElement, const ROWS: usize, const COLS: usize, L: BoxLayout>(
        &self,
        memory: impl SliceArg<'a, T>,
        extents: [usize; 2],
        stride: usize,
    ) -> Result<TensorMap<'a, T, ROWS, COLS, L>> {
        let matrix = Strided::<T, 2>::of_arg(self, &memory.into_arg(), extents, [stride, 1])?;
        // SAFETY: the argument borrows the memory for the lifetime.
        Ok(unsafe { TensorMap::new(matrix.object(TensorMap::<T, ROWS, COLS, L>::SHAPE)?) })
    }

    /// A matrix in the memory of any argument that kernels write, rows `stride` elements apart, in boxes that the copy engine stores:
    /// an argument for `&mut TensorMapMut<T, ROWS, COLS, L>`.
    ///
    /// # Errors
    /// The errors of [`Device::tensor_map`].
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub fn tensor_map_mut<'a, T: MappedElement, const ROWS: usize, const COLS: usize, L: BoxLayout>(
        &self,
        memory: impl SliceMutArg<'a, T>,
        extents: [usize; 2],
        stride: usize,
    ) -> Result<TensorMapMut<'a, T, ROWS, COLS, L>> {
        let matrix = Strided::<T, 2>::of_arg(self, &memory.into_arg(), extents, [stride, 1])?;
        // SAFETY: the argument borrows the memory for the lifetime, to be written.
        Ok(unsafe { TensorMapMut::new(matrix.object(TensorMapMut::<T, ROWS, COLS, L>::SHAPE)?) })
    }

    /// A tensor of four dimensions in the memory of any argument of kernels, the outermost first, in boxes that the copy engine loads: an
    /// argument for `&TensorMap4<T, BATCHES, PLANES, ROWS, COLS, L>`. `strides` are in elements, and the last is 1.
    ///
    /// # Errors
    /// The errors of [`Device::tensor_map`].
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub fn tensor_map4<
        'a,
        T: MappedElement,
        const BATCHES: usize,
        const PLANES: usize,
        const ROWS: usize,
        const COLS: usize,
        L: BoxLayout,
    >(
        &self,
        memory: impl SliceArg<'a, T>,
        extents: [usize; 4],
        strides: [usize; 4],
    ) -> Result<TensorMap4<'a, T, BATCHES, PLANES, ROWS, COLS, L>> {
        let tensor = Strided::<T, 4>::of_arg(self, &memory.into_arg(), extents, strides)?;
        let shape = TensorMap4::<T, BATCHES, PLANES, ROWS, COLS, L>::SHAPE;
        // SAFETY: the argument borrows the memory for the lifetime.
        Ok(unsafe { TensorMap4::new(tensor.object(shape)?) })
    }

    /// Like [`tensor_map4`](Self::tensor_map4), in memory that kernels write: an argument for
    /// `&mut TensorMapMut4<T, BATCHES, PLANES, ROWS, COLS, L>`.
    ///
    /// # Errors
    /// The errors of [`Device::tensor_map`].
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub fn tensor_map4_mut<
        'a,
        T: MappedElement,
        const BATCHES: usize,
        const PLANES: usize,
        const ROWS: usize,
        const COLS: usize,
        L: BoxLayout,
    >(
        &self,
        memory: impl SliceMutArg<'a, T>,
        extents: [usize; 4],
        strides: [usize; 4],
    ) -> Result<TensorMapMut4<'a, T, BATCHES, PLANES, ROWS, COLS, L>> {
        let tensor = Strided::<T, 4>::of_arg(self, &memory.into_arg(), extents, strides)?;
        let shape = TensorMapMut4::<T, BATCHES, PLANES, ROWS, COLS, L>::SHAPE;
        // SAFETY: the argument borrows the memory for the lifetime, to be written.
        Ok(unsafe { TensorMapMut4::new(tensor.object(shape)?) })
    }
}

impl<'a, T: MappedElement> Part<'a, T> {
    /// The first elements as a tensor of 1 to 5 dimensions, the last innermost: `part.tensor([planes, rows, cols]).map()?` is an
    /// argument for `&TensorMap3<T, PLANES, ROWS, COLS, L>`.
    pub fn tensor<const RANK: usize>(self, extents: [usize; RANK]) -> TensorPart<'a, T, RANK> {
        TensorPart::dense(self.start(), self.len(), extents)
    }

    /// The first elements as a matrix, row after row, in boxes of `ROWS` × `COLS` that the copy engine loads: an argument for
    /// `&TensorMap<T, ROWS, COLS, L>`.
    ///
    /// One map works for many launches.
    ///
    /// # Errors [`TensorMapError`] for a matrix that the copy engine does not support; a driver error.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub fn tensor_map<const ROWS: usize, const COLS: usize, L: BoxLayout>(
        self,
        rows: usize,
        cols: usize,
    ) -> Result<TensorMap<'a, T, ROWS, COLS, L>> {
        self.tensor_map_with(rows, cols, TensorOptions::new())
    }

    /// Like [`tensor_map`](Self::tensor_map), with options.
    ///
    /// # Errors
    /// The errors of [`tensor_map`](Self::tensor_map); a fill of NaNs for integers.
    pub fn tensor_map_with<const ROWS: usize, const COLS: usize, L: BoxLayout>(
        self,
        rows: usize,
        cols: usize,
        options: TensorOptions,
    ) -> Result<TensorMap<'a, T, ROWS, COLS, L>> {
        self.tensor([rows, cols]).options(options).map()
    }
}

impl<'a, T: MappedElement> PartMut<'a, T> {
    /// The first elements as a tensor of 1 to 5 dimensions, the last innermost: `part.tensor_mut([planes, rows, cols]).map()?` is
    /// an argument for `&mut TensorMapMut3<T, PLANES, ROWS, COLS, L>`.
    pub fn tensor_mut<const RANK: usize>(self, extents: [usize; RANK]) -> TensorPartMut<'a, T, RANK> {
        TensorPartMut::dense(self.start(), self.len(), extents)
    }

    /// The first elements as a matrix, row after row, in boxes of `ROWS` × `COLS` that the copy engine stores: an argument for
    /// `&mut TensorMapMut<T, ROWS, COLS, L>`.
    ///
    /// # Errors
    /// The errors of [`Part::tensor_map`].
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub fn tensor_map_mut<const ROWS: usize, const COLS: usize, L: BoxLayout>(
        self,
        rows: usize,
        cols: usize,
    ) -> Result<TensorMapMut<'a, T, ROWS, COLS, L>> {
        self.tensor_mut([rows, cols]).map()
    }
}

impl<T: MappedElement> Buffer<T> {
    /// The first elements as a tensor of 1 to 5 dimensions, the last innermost: `buffer.tensor([planes, rows, cols]).map()?` is an
    /// argument for `&TensorMap3<T, PLANES, ROWS, COLS, L>`.
    pub fn tensor<const RANK: usize>(&self, extents: [usize; RANK]) -> TensorPart<'_, T, RANK> {
        Part::from(self).tensor(extents)
    }

    /// The first elements as a tensor of 1 to 5 dimensions, the last innermost: `buffer.tensor_mut([planes, rows, cols]).map()?` is
    /// an argument for `&mut TensorMapMut3<T, PLANES, ROWS, COLS, L>`.
    pub fn tensor_mut<const RANK: usize>(&mut self, extents: [usize; RANK]) -> TensorPartMut<'_, T, RANK> {
        PartMut::from(self).tensor_mut(extents)
    }

    /// The first elements as a matrix, row after row, in boxes of `ROWS` × `COLS` that the copy engine loads: an argument for
    /// `&TensorMap<T, ROWS, COLS, L>`.
    ///
    /// One map works for many launches. [`Part::tensor_map_with`] takes options.
    ///
    /// # Errors
    /// The errors of [`Part::tensor_map`].
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub fn tensor_map<const ROWS: usize, const COLS: usize, L: BoxLayout>(
        &self,
        rows: usize,
        cols: usize,
    ) -> Result<TensorMap<'_, T, ROWS, COLS, L>> {
        self.tensor([rows, cols]).map()
    }

    /// The first elements as a matrix, row after row, in boxes of `ROWS` × `COLS` that the copy engine stores: an argument for
    /// `&mut TensorMapMut<T, ROWS, COLS, L>`.
    ///
    /// # Errors
    /// The errors of [`Part::tensor_map`].
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub fn tensor_map_mut<const ROWS: usize, const COLS: usize, L: BoxLayout>(
        &mut self,
        rows: usize,
        cols: usize,
    ) -> Result<TensorMapMut<'_, T, ROWS, COLS, L>> {
        self.tensor_mut([rows, cols]).map()
    }
}

impl<'a, T: MappedElement> Part3<'a, T> {
    /// The box as a tensor of three dimensions: `part.tensor().map()?` is an argument for `&TensorMap3<T, PLANES, ROWS, COLS, L>`.
    pub fn tensor(self) -> TensorPart<'a, T, 3> {
        let (start, extents, strides) = self.placed();
        TensorPart::strided(start, extents, strides)
    }

    /// One plane as a matrix in boxes that the copy engine loads: an argument for `&TensorMap<T, ROWS, COLS, L>`.
    ///
    /// # Errors
    /// The errors of [`Part::tensor_map`], and for several planes.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub fn tensor_map<const ROWS: usize, const COLS: usize, L: BoxLayout>(
        self,
    ) -> Result<TensorMap<'a, T, ROWS, COLS, L>> {
        self.tensor_map_with(TensorOptions::new())
    }

    /// Like [`tensor_map`](Self::tensor_map), with options.
    ///
    /// # Errors
    /// The errors of [`tensor_map`](Self::tensor_map); a fill of NaNs for integers.
    pub fn tensor_map_with<const ROWS: usize, const COLS: usize, L: BoxLayout>(
        self,
        options: TensorOptions,
    ) -> Result<TensorMap<'a, T, ROWS, COLS, L>> {
        self.tensor().only_plane()?.options(options).map()
    }
}

impl<'a, T: MappedElement> PartMut3<'a, T> {
    /// The box as a tensor of three dimensions: `part.tensor_mut().map()?` is an argument for
    /// `&mut TensorMapMut3<T, PLANES, ROWS, COLS, L>`.
    pub fn tensor_mut(self) -> TensorPartMut<'a, T, 3> {
        let (start, extents, strides) = self.placed();
        TensorPartMut::strided(start, extents, strides)
    }

    /// One plane as a matrix in boxes that the copy engine stores: an argument for `&mut TensorMapMut<T, ROWS, COLS, L>`.
    ///
    /// # Errors
    /// The errors of [`Part3::tensor_map`].
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub fn tensor_map_mut<const ROWS: usize, const COLS: usize, L: BoxLayout>(
        self,
    ) -> Result<TensorMapMut<'a, T, ROWS, COLS, L>> {
        self.tensor_mut().only_plane()?.map()
    }
}

impl<T: MappedElement> Pitched2<T> {
    /// The matrix in boxes that the copy engine loads: an argument for `&TensorMap<T, ROWS, COLS, L>`.
    ///
    /// # Errors
    /// The errors of [`Part::tensor_map`].
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub fn tensor_map<const ROWS: usize, const COLS: usize, L: BoxLayout>(
        &self,
    ) -> Result<TensorMap<'_, T, ROWS, COLS, L>> {
        Part3::from(self).tensor_map()
    }

    /// The matrix in boxes that the copy engine stores: an argument for `&mut TensorMapMut<T, ROWS, COLS, L>`.
    ///
    /// # Errors
    /// The errors of [`Part::tensor_map`].
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub fn tensor_map_mut<const ROWS: usize, const COLS: usize, L: BoxLayout>(
        &mut self,
    ) -> Result<TensorMapMut<'_, T, ROWS, COLS, L>> {
        PartMut3::from(self).tensor_map_mut()
    }
}
