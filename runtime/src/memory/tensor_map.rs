//! Maps of matrices in device memory, which kernels give the copy engine.

use std::any::type_name;
use std::marker::PhantomData;

use crate::argument::{KernelArg, MemoryPlace, Order, TensorMapObject};
use crate::boxes::{BoxFill, EncodedMap, Matrix};
use crate::driver::{DriverError, Gpu, Promotion};
use crate::error::{Result, TensorMapError};
use crate::host::device::Device;
use crate::memory::args::{SliceArg, SliceMutArg};
use crate::memory::buffer::Buffer;
use crate::memory::part::{Part, PartMut};
use crate::memory::pitched::Pitched2;
use crate::memory::region::{Part3, PartMut3};
use crate::memory::start::Start;
use warpsmith_lang::tensor_map::{BoxLayout, MappedElement, TensorMap, TensorMapMut};

/// Most rows, and most columns, of a matrix that has a map.
///
/// Source: CUDA Driver API, `cuTensorMapEncodeTiled`, `globalDim`.
const EXTENT: u64 = 1 << 32;
/// Rows are fewer bytes apart.
///
/// Source: CUDA Driver API, `cuTensorMapEncodeTiled`, `globalStrides`.
const STRIDE: u64 = 1 << 40;
/// The alignment of the address, and the unit of the bytes between rows.
///
/// Source: CUDA Driver API, `cuTensorMapEncodeTiled`, `globalAddress`, `globalStrides`.
const UNIT: u64 = 16;

/// How the copy engine reads a matrix, besides what its map's type says.
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
    /// The L2 cache fetches 128 bytes at once; elements outside of the matrix are zeros.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of bytes that the L2 cache fetches at once.
    pub fn promotion(self, promotion: Promotion) -> Self {
        Self { promotion, ..self }
    }

    /// Elements outside of the matrix are NaNs, whose bits are the device's.
    pub fn fill_nan(self) -> Self {
        Self { fill: BoxFill::Nan, ..self }
    }
}

/// A matrix where it begins.
struct Mapped<'a, T> {
    address: u64,
    place: MemoryPlace,
    order: Order,
    /// The GPU that has it; `None` on the simulator.
    gpu: Option<&'a Gpu>,
    rows: usize,
    cols: usize,
    /// Bytes from one row to the next.
    stride: usize,
    _elements: PhantomData<T>,
}

impl<'a, T: MappedElement> Mapped<'a, T> {
    fn new(start: Start<'a, T>, [rows, cols]: [usize; 2], stride: usize) -> Self {
        let gpu = start.in_gpu().map(|(memory, _)| &**memory.gpu());
        let (address, place, order) = (start.address, start.place(), start.order());
        Mapped { address, place, order, gpu, rows, cols, stride, _elements: PhantomData }
    }

    /// Rows side by side in memory with this number of elements.
    fn dense(start: Start<'a, T>, len: usize, rows: usize, cols: usize) -> Result<Self> {
        if rows.checked_mul(cols).is_none_or(|all| all > len) {
            return Err(TensorMapError::Elements { rows, cols, len }.into());
        }
        Ok(Self::new(start, [rows, cols], cols * size_of::<T>()))
    }

    /// Rows `stride` elements apart in the memory of a kernel's argument.
    fn of_arg(device: &'a Device, arg: &KernelArg, [rows, cols]: [usize; 2], stride: usize) -> Result<Self> {
        let &KernelArg::Slice { ptr: address, len, place, order, .. } = arg else {
            unreachable!("the argument of a slice is a slice")
        };
        if place != device.place() {
            return Err(DriverError::WrongDevice { memory: place, device: device.place() }.into());
        }
        let last = rows.saturating_sub(1).checked_mul(stride).and_then(|last| last.checked_add(cols));
        if last.is_none_or(|last| last as u64 > len) || stride < cols {
            return Err(TensorMapError::Elements { rows, cols, len: len as usize }.into());
        }
        let (gpu, stride) = (device.as_gpu(), stride.saturating_mul(size_of::<T>()));
        Ok(Mapped { address, place, order, gpu, rows, cols, stride, _elements: PhantomData })
    }

    /// The limits of maps, before the driver is asked.
    fn check(&self, options: TensorOptions) -> std::result::Result<(), TensorMapError> {
        let (element, limit) = (type_name::<T>(), EXTENT);
        for (what, extent) in [("rows", self.rows), ("columns", self.cols)] {
            if extent == 0 || extent as u64 > EXTENT {
                return Err(TensorMapError::Extent { what, extent, limit });
            }
        }
        let (address, stride) = (self.address, self.stride as u64);
        if !address.is_multiple_of(UNIT) {
            return Err(TensorMapError::Address { address, beyond: address % UNIT });
        }
        if !stride.is_multiple_of(UNIT) || stride >= STRIDE {
            let (stride, cols, multiple) = (self.stride, self.cols, UNIT as usize / size_of::<T>());
            return Err(TensorMapError::Stride { stride, cols, element, multiple });
        }
        if options.fill == BoxFill::Nan && !T::ELEMENT.is_float() {
            return Err(TensorMapError::Nan { element });
        }
        Ok(())
    }

    fn object<const ROWS: usize, const COLS: usize, L: BoxLayout>(
        &self,
        options: TensorOptions,
    ) -> Result<TensorMapObject> {
        self.check(options)?;
        let matrix = Matrix {
            address: self.address,
            rows: self.rows as u64,
            cols: self.cols as u64,
            stride: self.stride as u64,
        };
        let (shape, fill) = (TensorMap::<T, ROWS, COLS, L>::SHAPE, options.fill);
        let encoded = match self.gpu {
            None => EncodedMap([0; 16]),
            Some(gpu) => {
                let has = gpu.limits().compute;
                if has < (9, 0) {
                    return Err(TensorMapError::Device { has }.into());
                }
                gpu.encode(&matrix, &shape, fill, options.promotion)?
            }
        };
        Ok(TensorMapObject { encoded, matrix, shape, fill, place: self.place, order: self.order })
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
        let matrix = Mapped::<T>::of_arg(self, &memory.into_arg(), extents, stride)?;
        // SAFETY: the argument borrows the memory for the lifetime.
        Ok(unsafe { TensorMap::new(matrix.object::<ROWS, COLS, L>(TensorOptions::new())?) })
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
        let matrix = Mapped::<T>::of_arg(self, &memory.into_arg(), extents, stride)?;
        // SAFETY: the argument borrows the memory for the lifetime, to be written.
        Ok(unsafe { TensorMapMut::new(matrix.object::<ROWS, COLS, L>(TensorOptions::new())?) })
    }
}

impl<'a, T: MappedElement> Part<'a, T> {
    /// The first elements as a matrix, row after row, in boxes of `ROWS` × `COLS` that the copy engine loads: an argument for
    /// `&TensorMap<T, ROWS, COLS, L>`.
    ///
    /// One map works for many launches.
    ///
    /// # Errors
    /// [`TensorMapError`] for a matrix that the copy engine does not know; a driver error.
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
        let object = Mapped::dense(self.start(), self.len(), rows, cols)?.object::<ROWS, COLS, L>(options)?;
        // SAFETY: the part borrows the memory for the lifetime.
        Ok(unsafe { TensorMap::new(object) })
    }
}

impl<'a, T: MappedElement> PartMut<'a, T> {
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
        let matrix = Mapped::dense(self.start(), self.len(), rows, cols)?;
        // SAFETY: the part borrows the memory for the lifetime, to be written.
        Ok(unsafe { TensorMapMut::new(matrix.object::<ROWS, COLS, L>(TensorOptions::new())?) })
    }
}

impl<T: MappedElement> Buffer<T> {
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
        self.slice(..)?.tensor_map(rows, cols)
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
        self.slice_mut(..)?.tensor_map_mut(rows, cols)
    }
}

impl<'a, T: MappedElement> Part3<'a, T> {
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
        let object = plane(self.plane())?.object::<ROWS, COLS, L>(options)?;
        // SAFETY: the part borrows the memory for the lifetime.
        Ok(unsafe { TensorMap::new(object) })
    }
}

impl<'a, T: MappedElement> PartMut3<'a, T> {
    /// One plane as a matrix in boxes that the copy engine stores: an argument for `&mut TensorMapMut<T, ROWS, COLS, L>`.
    ///
    /// # Errors
    /// The errors of [`Part3::tensor_map`].
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub fn tensor_map_mut<const ROWS: usize, const COLS: usize, L: BoxLayout>(
        self,
    ) -> Result<TensorMapMut<'a, T, ROWS, COLS, L>> {
        let object = plane(self.plane())?.object::<ROWS, COLS, L>(TensorOptions::new())?;
        // SAFETY: the part borrows the memory for the lifetime, to be written.
        Ok(unsafe { TensorMapMut::new(object) })
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

/// The only plane of a box.
fn plane<T: MappedElement>(
    (start, [planes, rows, cols], stride): (Start<'_, T>, [usize; 3], usize),
) -> Result<Mapped<'_, T>> {
    match planes {
        1 => Ok(Mapped::new(start, [rows, cols], stride)),
        planes => Err(TensorMapError::Planes { planes }.into()),
    }
}
