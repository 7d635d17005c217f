//! Device memory as a tensor: extents and strides, checked before a map of them is made.

use std::any::type_name;
use std::marker::PhantomData;

use super::TensorOptions;
use crate::argument::{KernelArg, MemoryPlace, Order, TensorMapObject};
use crate::boxes::{BoxFill, BoxShape, Dimension, EncodedMap, Tensor};
use crate::driver::{DriverError, Gpu};
use crate::error::{Extents, Result, TensorMapError, dimension};
use crate::host::device::Device;
use crate::memory::start::Start;
use warpsmith_tiles::tensor_map::{
    BoxLayout, MappedElement, TensorMap, TensorMap1, TensorMap3, TensorMap4, TensorMap5, TensorMapMut,
    TensorMapMut1, TensorMapMut3, TensorMapMut4, TensorMapMut5,
};

/// Most elements of each dimension of a tensor that has a map.
///
/// Source: CUDA Driver API, `cuTensorMapEncodeTiled`, `globalDim`.
const EXTENT: u64 = 1 << 32;
/// The strides of outer dimensions are below this number of bytes.
///
/// Source: CUDA Driver API, `cuTensorMapEncodeTiled`, `globalStrides`.
const STRIDE: u64 = 1 << 40;
/// The alignment of the address, and the unit of strides, in bytes.
///
/// Source: CUDA Driver API, `cuTensorMapEncodeTiled`, `globalAddress`, `globalStrides`.
const UNIT: u64 = 16;
/// The memory that a tensor begins in.
#[derive(Clone, Copy, Debug)]
struct Origin<'a> {
    /// Address of the first element.
    address: u64,
    place: MemoryPlace,
    order: Order,
    /// The GPU that has it; `None` on the simulator.
    gpu: Option<&'a Gpu>,
}

impl<'a> Origin<'a> {
    fn of<T>(start: Start<'a, T>) -> Self {
        let gpu = start.in_gpu().map(|(memory, _)| &**memory.gpu());
        Self { address: start.address, place: start.place(), order: start.order(), gpu }
    }
}

/// Where a tensor lies.
#[derive(Debug)]
pub(super) struct Strided<'a, T, const RANK: usize> {
    origin: Origin<'a>,
    /// Bytes of memory from the start on.
    bytes: usize,
    extents: [usize; RANK],
    /// Bytes from one element of a dimension to the next.
    strides: [usize; RANK],
    options: TensorOptions,
    _elements: PhantomData<T>,
}

impl<T, const RANK: usize> Clone for Strided<'_, T, RANK> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const RANK: usize> Copy for Strided<'_, T, RANK> {}

impl<'a, T: MappedElement, const RANK: usize> Strided<'a, T, RANK> {
    /// A tensor in the memory of an argument of kernels, which is on this device. `strides` are in elements.
    pub fn of_arg(
        device: &'a Device,
        arg: &KernelArg,
        extents: [usize; RANK],
        strides: [usize; RANK],
    ) -> Result<Self> {
        let &KernelArg::Slice { ptr: address, bytes, place, order, .. } = arg else {
            unreachable!("the argument of a slice is a slice")
        };
        if place != device.place() {
            return Err(DriverError::WrongDevice { memory: place, device: device.place() }.into());
        }
        let origin = Origin { address, place, order, gpu: device.as_gpu() };
        let strides = strides.map(|stride| stride.saturating_mul(size_of::<T>()));
        let options = TensorOptions::new();
        Ok(Self { origin, bytes: bytes as usize, extents, strides, options, _elements: PhantomData })
    }
}

impl<T: MappedElement, const RANK: usize> Strided<'_, T, RANK> {
    /// The tensor as the copy engine knows it, within the limits of maps and of the memory.
    fn checked(&self) -> std::result::Result<Tensor, TensorMapError> {
        self.check_extents()?;
        self.check_places()?;
        self.check_strides()?;
        if self.options.fill == BoxFill::Nan && !T::ELEMENT.is_float() {
            return Err(TensorMapError::Nan { element: type_name::<T>() });
        }
        let pairs = self.extents.iter().zip(&self.strides);
        let dimensions = pairs
            .map(|(extent, stride)| Dimension { extent: *extent as u64, stride: *stride as u64 })
            .collect();
        Ok(Tensor { address: self.origin.address, dimensions })
    }

    fn check_extents(&self) -> std::result::Result<(), TensorMapError> {
        for (i, extent) in self.extents.into_iter().enumerate() {
            if extent == 0 || extent as u64 > EXTENT {
                return Err(TensorMapError::Extent { what: dimension(RANK, i), extent, limit: EXTENT });
            }
        }
        Ok(())
    }

    /// All elements are in the memory.
    fn check_places(&self) -> std::result::Result<(), TensorMapError> {
        if end::<T>(&self.extents, &self.strides) > self.bytes as u128 {
            let len = self.bytes / size_of::<T>();
            return Err(TensorMapError::Elements { extents: Extents(self.extents.into()), len });
        }
        let address = self.origin.address;
        match address % UNIT {
            0 => Ok(()),
            beyond => Err(TensorMapError::Address { address, beyond }),
        }
    }

    fn check_strides(&self) -> std::result::Result<(), TensorMapError> {
        let (element, size) = (type_name::<T>(), size_of::<T>());
        let Some((inner, outer)) = self.strides.split_last() else { return Ok(()) };
        if *inner != size {
            return Err(TensorMapError::InnerStride { stride: inner / size });
        }
        let cols = self.extents[RANK - 1];
        for (i, stride) in outer.iter().enumerate() {
            let bytes = *stride as u64;
            if bytes == 0 || !bytes.is_multiple_of(UNIT) || bytes >= STRIDE {
                let (what, stride, multiple) = (dimension(RANK, i), *stride, UNIT as usize / size);
                return Err(TensorMapError::Stride { what, stride, cols, element, multiple });
            }
        }
        Ok(())
    }

    /// A map of it in boxes of a shape.
    pub fn object(&self, shape: BoxShape) -> Result<TensorMapObject> {
        let tensor = self.checked()?;
        let fill = self.options.fill;
        let Origin { place, order, gpu, .. } = self.origin;
        let encoded = match gpu {
            None => EncodedMap([0; 16]),
            Some(gpu) => {
                let has = gpu.limits().compute;
                if has < (9, 0) {
                    return Err(TensorMapError::Device { has }.into());
                }
                gpu.encode(&tensor, &shape, fill, self.options.promotion)?
            }
        };
        Ok(TensorMapObject { encoded, tensor, shape, fill, place, order })
    }
}

impl<'a, T> Strided<'a, T, 3> {
    /// The matrix of a tensor that has one plane.
    fn only_plane(self) -> std::result::Result<Strided<'a, T, 2>, TensorMapError> {
        let ([planes, rows, cols], [_, row, col]) = (self.extents, self.strides);
        let Self { origin, bytes, options, _elements, .. } = self;
        match planes {
            1 => {
                Ok(Strided { origin, bytes, extents: [rows, cols], strides: [row, col], options, _elements })
            }
            planes => Err(TensorMapError::Planes { planes }),
        }
    }
}

/// Bytes from the first element of a tensor to the end of the last.
fn end<T>(extents: &[usize], strides: &[usize]) -> u128 {
    let last = |(extent, stride): (&usize, &usize)| (extent.saturating_sub(1) as u128, *stride as u128);
    let bytes = extents.iter().zip(strides).map(last).map(|(last, stride)| last.saturating_mul(stride));
    bytes.fold(size_of::<T>() as u128, u128::saturating_add)
}

macro_rules! tensor_part {
    ($(#[$docs:meta])* $name:ident $($mutable:ident)?) => {
        $(#[$docs])*
        #[derive(Debug)]
        pub struct $name<'a, T, const RANK: usize> {
            at: Strided<'a, T, RANK>,
            _elements: PhantomData<&'a $($mutable)? T>,
        }

        impl<'a, T: MappedElement, const RANK: usize> $name<'a, T, RANK> {
            /// Elements side by side, the last dimension innermost, in memory that has `len` of them.
            pub(crate) fn dense(start: Start<'a, T>, len: usize, extents: [usize; RANK]) -> Self {
                let mut strides = [size_of::<T>(); RANK];
                for i in (1..RANK).rev() {
                    strides[i - 1] = strides[i].saturating_mul(extents[i]);
                }
                let bytes = len * size_of::<T>();
                Self::of(start, bytes, extents, strides)
            }

            /// Elements at these distances in bytes; the memory ends behind the last.
            pub(crate) fn strided(start: Start<'a, T>, extents: [usize; RANK], strides: [usize; RANK]) -> Self {
                let bytes = end::<T>(&extents, &strides).try_into().unwrap_or(usize::MAX);
                Self::of(start, bytes, extents, strides)
            }

            fn of(start: Start<'a, T>, bytes: usize, extents: [usize; RANK], strides: [usize; RANK]) -> Self {
                let (origin, options) = (Origin::of(start), TensorOptions::new());
                let at = Strided { origin, bytes, extents, strides, options, _elements: PhantomData };
                Self { at, _elements: PhantomData }
            }

            /// Sets the strides in elements, outermost dimension first; the last is 1.
            ///
            /// They need not descend: `.strides([64, 4096, 1])` of `[64, 4096, 64]` are the columns of a matrix in panels of 64.
            pub fn strides(self, elements: [usize; RANK]) -> Self {
                let strides = elements.map(|count| count.saturating_mul(size_of::<T>()));
                Self { at: Strided { strides, ..self.at }, ..self }
            }

            /// Sets how the copy engine reads it.
            pub fn options(self, options: TensorOptions) -> Self {
                Self { at: Strided { options, ..self.at }, ..self }
            }
        }
    };
}

tensor_part! {
    /// Elements of a buffer as a tensor of `RANK` dimensions that the copy engine loads: `buffer.tensor([planes, rows, cols])`.
    ///
    /// Its elements are contiguous, the last dimension innermost, unless [`strides`](Self::strides) says otherwise. `map` makes the
    /// argument of a kernel, whose parameter type determines the boxes.
    ///
    /// ```
    /// # use warpsmith::prelude::*;
    /// # fn main() -> warpsmith::Result<()> {
    /// let x = Device::simulator().upload(&[1.0f32; 4 * 16 * 64])?;
    /// let map: TensorMap3<f32, 2, 8, 32, Unswizzled> = x.tensor([4, 16, 64]).map()?;
    /// assert_eq!(map.extents(), [4, 16, 64]);
    /// # Ok(()) }
    /// ```
    TensorPart
}

impl<T, const RANK: usize> Clone for TensorPart<'_, T, RANK> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const RANK: usize> Copy for TensorPart<'_, T, RANK> {}

tensor_part! {
    /// Elements of a buffer as a tensor of `RANK` dimensions that the copy engine stores: `buffer.tensor_mut([planes, rows, cols])`.
    ///
    /// Otherwise like [`TensorPart`].
    TensorPartMut mut
}

macro_rules! maps {
    ($($part:ident<$rank:literal> => $map:ident<$($extent:ident),+>)+) => {$(
        impl<'a, T: MappedElement> $part<'a, T, $rank> {
            #[doc = concat!("The map for a kernel's parameter of type `", stringify!($map), "`.")]
            ///
            /// One map works for many launches.
            ///
            /// # Errors
            /// [`TensorMapError`] for a tensor that the copy engine does not support: an extent outside 1 to 2^32, elements beyond
            /// the memory, an address or a stride that is not a multiple of 16 bytes, a stride of 2^40 bytes or more; a fill of NaNs
            /// for integers; a GPU below compute capability 9.0. A driver error.
            ///
            /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
            pub fn map<$(const $extent: usize,)+ L: BoxLayout>(self) -> Result<$map<'a, T, $($extent,)+ L>> {
                let object = self.at.object($map::<T, $($extent,)+ L>::SHAPE)?;
                // SAFETY: the part borrows the memory for the lifetime, to be written if the map is.
                Ok(unsafe { $map::new(object) })
            }
        }
    )+};
}

impl<'a, T: MappedElement> TensorPart<'a, T, 3> {
    /// Its plane, if it has one.
    pub(super) fn only_plane(self) -> Result<TensorPart<'a, T, 2>> {
        Ok(TensorPart { at: self.at.only_plane()?, _elements: PhantomData })
    }
}

impl<'a, T: MappedElement> TensorPartMut<'a, T, 3> {
    /// Its plane, if it has one.
    pub(super) fn only_plane(self) -> Result<TensorPartMut<'a, T, 2>> {
        Ok(TensorPartMut { at: self.at.only_plane()?, _elements: PhantomData })
    }
}

maps! {
    TensorPart<1> => TensorMap1<COLS>
    TensorPart<2> => TensorMap<ROWS, COLS>
    TensorPart<3> => TensorMap3<PLANES, ROWS, COLS>
    TensorPart<4> => TensorMap4<BATCHES, PLANES, ROWS, COLS>
    TensorPart<5> => TensorMap5<BATCHES, VOLUMES, PLANES, ROWS, COLS>
    TensorPartMut<1> => TensorMapMut1<COLS>
    TensorPartMut<2> => TensorMapMut<ROWS, COLS>
    TensorPartMut<3> => TensorMapMut3<PLANES, ROWS, COLS>
    TensorPartMut<4> => TensorMapMut4<BATCHES, PLANES, ROWS, COLS>
    TensorPartMut<5> => TensorMapMut5<BATCHES, VOLUMES, PLANES, ROWS, COLS>
}
