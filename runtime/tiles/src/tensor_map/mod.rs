//! Tensor maps as kernels see them, and the copies of boxes by the copy engine.
//!
//! A map holds the position of a tensor in global memory and the shape of the boxes in which it is copied; the host makes
//! it. A box lies in a [`Tile`](crate::tile::Tile): the rows of all its outer dimensions below each other. This module does
//! not know the host's memory or the driver.

pub mod copies;
mod element;
pub(crate) mod load;

use std::marker::PhantomData;
use std::sync::Arc;

use crate::argument::{ImageArg, KernelArg};
use crate::boxes::BoxShape;
pub use crate::boxes::{BoxFill, TensorMapObject};
use crate::image::ImageParam;
use crate::ir::{TensorMapType, Type};
use crate::tile::{Layout, Swizzle, Unswizzled};
use crate::types::DeviceType;
pub use element::{MappedElement, ReducedBits, ReducedOrder, ReducedSum};

/// Tile layouts that the copy engine supports: [`Swizzle128`](crate::tile::Swizzle128) and its siblings, [`Unswizzled`].
#[diagnostic::on_unimplemented(
    message = "the copy engine does not know the layout `{Self}`",
    label = "no layout of a tensor's box",
    note = "tiles that it copies are `Swizzle128`, `Swizzle64`, `Swizzle32` or `Unswizzled`; `Swizzle128<4>` of elements of four bytes"
)]
pub trait BoxLayout: Layout {
    /// Bytes of the spans in which units of sixteen bytes change places; 0 if none do.
    const SPAN: usize;
}

impl BoxLayout for Unswizzled {
    const SPAN: usize = 0;
}

impl<const SPAN: usize, const GROUP: usize> BoxLayout for Swizzle<SPAN, GROUP> {
    const SPAN: usize = SPAN;
}

/// The box with these extents, which is one that the copy engine can copy.
///
/// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
const fn shape<T: MappedElement, L: BoxLayout>(extents: &'static [usize]) -> BoxShape {
    let (size, span, cols) = (T::ELEMENT.size(), L::SPAN, extents[extents.len() - 1]);
    let mut i = 0;
    while i < extents.len() {
        assert!(extents[i] >= 1 && extents[i] <= 256, "each extent of a tensor's box is 1 to 256");
        i += 1;
    }
    assert!((cols * size).is_multiple_of(16), "a row of a tensor's box is a multiple of 16 bytes");
    assert!(
        span == 0 || L::GROUP * size == 16,
        "16 bytes change places together: write `Swizzle128<4>` for elements of 4 bytes, `<16>` for bytes"
    );
    assert!(
        span == 0 || cols * size == span,
        "a row of a swizzled box is one span: 128 bytes of `Swizzle128`, 64 of `Swizzle64`, 32 of `Swizzle32`"
    );
    BoxShape { element: T::ELEMENT, extents, span, align: L::ALIGN as usize, place: L::place }
}

/// Rows of a box, those of all its outer dimensions.
const fn rows(extents: &[usize]) -> usize {
    let (mut rows, mut i) = (1, 0);
    while i + 1 < extents.len() {
        rows *= extents[i];
        i += 1;
    }
    rows
}

macro_rules! map_traits {
    ($($(#[$docs:meta])* $name:ident)+) => {$(
        $(#[$docs])*
        #[diagnostic::on_unimplemented(
            message = "a `Tile` of {ROWS} by {COLS} elements holds no box of this map",
            label = "a map of other boxes",
            note = "tile and map have the same element, columns and layout; the tile has the rows of all outer dimensions of the \
                    box: `TensorMap3<f32, 4, 8, 32, L>` takes a `Tile<f32, 32, 32, L>` and three coordinates"
        )]
        pub trait $name<T, const ROWS: usize, const COLS: usize, L, const RANK: usize>: DeviceType {
            /// The box, which a tile of `ROWS` × `COLS` elements holds.
            #[doc(hidden)]
            const SHAPE: BoxShape;
            /// The map.
            #[doc(hidden)]
            fn object(&self) -> &TensorMapObject;
        }
    )+};
}

map_traits! {
    /// Tensor maps of `RANK` dimensions, whose boxes are loaded into tiles of `ROWS` × `COLS` elements.
    LoadMap
    /// Tensor maps of `RANK` dimensions, whose boxes are stored from tiles of `ROWS` × `COLS` elements.
    StoreMap
}

macro_rules! map {
    (
        $(#[$docs:meta])* $name:ident<$($extent:ident),+>: $copied:ident<$rank:literal>,
        tiles of $rows:tt $(by $tile:ident)?; $writable:literal $($mutable:ident)?
    ) => {
        $(#[$docs])*
        #[derive(Debug)]
        #[repr(transparent)]
        pub struct $name<'a, T, $(const $extent: usize,)+ L> {
            pub(crate) object: Arc<TensorMapObject>,
            _tensor: PhantomData<&'a $($mutable)? T>,
            _layout: PhantomData<fn() -> L>,
        }

        impl<T: MappedElement, $(const $extent: usize,)+ L: BoxLayout> $name<'_, T, $($extent,)+ L> {
            /// A map that the host has made.
            ///
            /// # Safety
            /// For the lifetime its tensor is borrowed, to be written if kernels may write through the map.
            #[doc(hidden)]
            pub unsafe fn new(object: TensorMapObject) -> Self {
                Self { object: Arc::new(object), _tensor: PhantomData, _layout: PhantomData }
            }

            const EXTENTS: &'static [usize] = &[$($extent),+];

            /// The box that it copies.
            #[doc(hidden)]
            pub const SHAPE: BoxShape = shape::<T, L>(Self::EXTENTS);

            /// Extents of its tensor, the outermost first.
            pub fn extents(&self) -> [usize; $rank] {
                core::array::from_fn(|i| self.object.tensor.dimensions[i].extent as usize)
            }

            fn arg(&self) -> KernelArg {
                KernelArg::TensorMap { map: self.object.clone(), mutable: $writable }
            }
        }

        impl<T: MappedElement, $(const $extent: usize,)+ L: BoxLayout> DeviceType for $name<'_, T, $($extent,)+ L> {
            type Erased = $name<'static, T, $($extent,)+ L>;
            fn ty() -> Type {
                let (elem, extents, span) = (T::ty(), Self::EXTENTS, L::SPAN);
                Type::TensorMap(TensorMapType { elem, extents, span, writable: $writable }.into())
            }
        }

        impl<T: MappedElement, $(const $extent: usize,)+ $(const $tile: usize,)? L: BoxLayout>
            $copied<T, $rows, COLS, L, $rank> for $name<'_, T, $($extent,)+ L>
        {
            const SHAPE: BoxShape = {
                assert!(
                    $rows == rows(Self::EXTENTS),
                    "a tile holds a box with the rows of all its outer dimensions below each other: a box of \
                     `TensorMap3<T, 4, 8, 32, L>` lies in a `Tile<T, 32, 32, L>`"
                );
                Self::SHAPE
            };
            fn object(&self) -> &TensorMapObject {
                &self.object
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: a tensor that is borrowed for the lifetime, to be written if the map is writable, with its usage.
        unsafe impl<'a, T: MappedElement, $(const $extent: usize,)+ L: BoxLayout>
            ImageArg<'a, $name<'_, T, $($extent,)+ L>> for $name<'a, T, $($extent,)+ L>
        {
            fn into_arg(self) -> KernelArg {
                self.arg()
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: as above.
        unsafe impl<'a, T: MappedElement, $(const $extent: usize,)+ L: BoxLayout>
            ImageArg<'a, $name<'_, T, $($extent,)+ L>> for &'a $($mutable)? $name<'_, T, $($extent,)+ L>
        {
            fn into_arg(self) -> KernelArg {
                self.arg()
            }
        }

        impl<T: MappedElement, $(const $extent: usize,)+ L: BoxLayout> ImageParam for $name<'_, T, $($extent,)+ L> {
            unsafe fn from_arg(arg: &KernelArg) -> Self {
                match arg {
                    KernelArg::TensorMap { map, .. } => {
                        Self { object: map.clone(), _tensor: PhantomData, _layout: PhantomData }
                    }
                    _ => unreachable!("an argument made from a map of a tensor"),
                }
            }
        }

        impl<T: MappedElement, $(const $extent: usize,)+ L: BoxLayout> AnyMap for $name<'_, T, $($extent,)+ L> {}
    };
}

/// A map of any rank, read or written.
pub trait AnyMap: DeviceType {}

map! {
    /// A tensor of one dimension in global memory as the copy engine loads it: boxes of `COLS` elements into tiles of one row.
    ///
    /// `buffer.tensor([len]).map()?` makes it. Compute capability 9.0.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    TensorMap1<COLS>: LoadMap<1>, tiles of 1; false
}
map! {
    /// A tensor of one dimension in global memory as the copy engine stores boxes of it, or reduces into them.
    ///
    /// `buffer.tensor_mut([len]).map()?` makes it. Compute capability 9.0.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    TensorMapMut1<COLS>: StoreMap<1>, tiles of 1; true mut
}
map! {
    /// A matrix in global memory as the copy engine loads it: boxes of `ROWS` × `COLS` elements into tiles of layout `L`.
    ///
    /// `Buffer::tensor_map` and its siblings make it. A kernel takes it as `&TensorMap<f16, 64, 64, Swizzle128>`, which
    /// becomes an address in the kernel's parameters. Compute capability 9.0.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    TensorMap<ROWS, COLS>: LoadMap<2>, tiles of ROWS; false
}
map! {
    /// A matrix in global memory as the copy engine stores boxes of it, or reduces into them.
    ///
    /// `Buffer::tensor_map_mut` and its siblings make it. A kernel takes it as
    /// `&mut TensorMapMut<f16, 64, 64, Swizzle128>`. Compute capability 9.0.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    TensorMapMut<ROWS, COLS>: StoreMap<2>, tiles of ROWS; true mut
}
map! {
    /// A tensor of three dimensions in global memory as the copy engine loads it: boxes of `PLANES` × `ROWS` × `COLS` elements into
    /// tiles of `PLANES * ROWS` rows.
    ///
    /// `buffer.tensor([planes, rows, cols]).map()?` makes it. A kernel takes it as `&TensorMap3<f32, 4, 8, 32, Unswizzled>`.
    /// Compute capability 9.0.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    TensorMap3<PLANES, ROWS, COLS>: LoadMap<3>, tiles of TILE by TILE; false
}
map! {
    /// A tensor of three dimensions in global memory as the copy engine stores boxes of it, or reduces into them.
    ///
    /// `buffer.tensor_mut([planes, rows, cols]).map()?` makes it. Compute capability 9.0.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    TensorMapMut3<PLANES, ROWS, COLS>: StoreMap<3>, tiles of TILE by TILE; true mut
}
map! {
    /// A tensor of four dimensions in global memory as the copy engine loads it: boxes of `BATCHES` × `PLANES` × `ROWS` × `COLS`
    /// elements into tiles of `BATCHES * PLANES * ROWS` rows.
    ///
    /// `buffer.tensor([batches, planes, rows, cols]).map()?` makes it. Compute capability 9.0.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    TensorMap4<BATCHES, PLANES, ROWS, COLS>: LoadMap<4>, tiles of TILE by TILE; false
}
map! {
    /// A tensor of four dimensions in global memory as the copy engine stores boxes of it, or reduces into them.
    ///
    /// `buffer.tensor_mut([batches, planes, rows, cols]).map()?` makes it. Compute capability 9.0.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    TensorMapMut4<BATCHES, PLANES, ROWS, COLS>: StoreMap<4>, tiles of TILE by TILE; true mut
}
map! {
    /// A tensor of five dimensions in global memory as the copy engine loads it: boxes of `BATCHES` × `VOLUMES` × `PLANES` × `ROWS` ×
    /// `COLS` elements into tiles of `BATCHES * VOLUMES * PLANES * ROWS` rows.
    ///
    /// `buffer.tensor([batches, volumes, planes, rows, cols]).map()?` makes it. Compute capability 9.0.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    TensorMap5<BATCHES, VOLUMES, PLANES, ROWS, COLS>: LoadMap<5>, tiles of TILE by TILE; false
}
map! {
    /// A tensor of five dimensions in global memory as the copy engine stores boxes of it, or reduces into them.
    ///
    /// `buffer.tensor_mut([batches, volumes, planes, rows, cols]).map()?` makes it. Compute capability 9.0.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    TensorMapMut5<BATCHES, VOLUMES, PLANES, ROWS, COLS>: StoreMap<5>, tiles of TILE by TILE; true mut
}

macro_rules! matrices {
    ($($name:ident)+) => {$(
        impl<T: MappedElement, const ROWS: usize, const COLS: usize, L: BoxLayout> $name<'_, T, ROWS, COLS, L> {
            /// Rows of its matrix.
            pub fn rows(&self) -> usize {
                self.extents()[0]
            }

            /// Columns of its matrix.
            pub fn cols(&self) -> usize {
                self.extents()[1]
            }
        }
    )+};
}
matrices! { TensorMap TensorMapMut }

macro_rules! shared_maps {
    ($($name:ident<$($extent:ident),+>)+) => {$(
        impl<T, $(const $extent: usize,)+ L> Clone for $name<'_, T, $($extent,)+ L> {
            fn clone(&self) -> Self {
                Self { object: self.object.clone(), _tensor: PhantomData, _layout: PhantomData }
            }
        }
    )+};
}
shared_maps! {
    TensorMap1<COLS>
    TensorMap<ROWS, COLS>
    TensorMap3<PLANES, ROWS, COLS>
    TensorMap4<BATCHES, PLANES, ROWS, COLS>
    TensorMap5<BATCHES, VOLUMES, PLANES, ROWS, COLS>
}
