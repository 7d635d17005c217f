//! Maps of tensors as kernels see them, and the copies of boxes by the copy engine.
//!
//! A map holds the position of a matrix in global memory and the shape of the boxes in which it is copied; the host makes
//! it. The type of a [`Tile`](crate::tile::Tile) gives the boxes their extents and layout. This module does not know the
//! host's memory or the driver.

pub mod copies;
mod element;
mod load;

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

/// Layouts of tiles that the copy engine knows: [`Swizzle128`](crate::tile::Swizzle128) and its siblings, [`Unswizzled`].
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

/// The box of a type of maps and tiles.
pub(crate) struct BoxOf<T, const ROWS: usize, const COLS: usize, L>(PhantomData<(T, L)>);

impl<T: MappedElement, const ROWS: usize, const COLS: usize, L: BoxLayout> BoxOf<T, ROWS, COLS, L> {
    /// The box, which is one that the copy engine can copy.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub const SHAPE: BoxShape = {
        let (size, span) = (T::ELEMENT.size(), L::SPAN);
        assert!(ROWS >= 1 && ROWS <= 256, "a box of a tensor has 1 to 256 rows");
        assert!(COLS >= 1 && COLS <= 256, "a box of a tensor has 1 to 256 columns");
        assert!((COLS * size).is_multiple_of(16), "a row of a tensor's box is a multiple of 16 bytes");
        assert!(
            span == 0 || L::GROUP * size == 16,
            "16 bytes change places together: write `Swizzle128<4>` for elements of 4 bytes, `<16>` for bytes"
        );
        assert!(
            span == 0 || COLS * size == span,
            "a row of a swizzled box is one span: 128 bytes of `Swizzle128`, 64 of `Swizzle64`, 32 of `Swizzle32`"
        );
        BoxShape {
            element: T::ELEMENT,
            rows: ROWS,
            cols: COLS,
            span,
            align: L::ALIGN as usize,
            place: L::place,
        }
    };
}

macro_rules! map {
    ($(#[$docs:meta])* $name:ident, $writable:literal $(, $mutable:ident)?) => {
        $(#[$docs])*
        #[derive(Debug)]
        #[repr(transparent)]
        pub struct $name<'a, T, const ROWS: usize, const COLS: usize, L> {
            pub(crate) object: Arc<TensorMapObject>,
            _matrix: PhantomData<&'a $($mutable)? T>,
            _layout: PhantomData<fn() -> L>,
        }

        impl<T: MappedElement, const ROWS: usize, const COLS: usize, L: BoxLayout> $name<'_, T, ROWS, COLS, L> {
            /// A map that the host has made.
            ///
            /// # Safety
            /// For the lifetime its matrix is borrowed, to be written if kernels may write through the map.
            #[doc(hidden)]
            pub unsafe fn new(object: TensorMapObject) -> Self {
                Self { object: Arc::new(object), _matrix: PhantomData, _layout: PhantomData }
            }

            /// The box that it copies.
            #[doc(hidden)]
            pub const SHAPE: BoxShape = BoxOf::<T, ROWS, COLS, L>::SHAPE;

            /// Rows of its matrix.
            pub fn rows(&self) -> usize {
                self.object.matrix.rows as usize
            }

            /// Columns of its matrix.
            pub fn cols(&self) -> usize {
                self.object.matrix.cols as usize
            }

            fn arg(&self) -> KernelArg {
                KernelArg::TensorMap { map: self.object.clone(), mutable: $writable }
            }
        }

        impl<T: MappedElement, const ROWS: usize, const COLS: usize, L: BoxLayout> DeviceType
            for $name<'_, T, ROWS, COLS, L>
        {
            type Erased = $name<'static, T, ROWS, COLS, L>;
            fn ty() -> Type {
                let (rows, cols, span) = (ROWS, COLS, L::SPAN);
                Type::TensorMap(TensorMapType { elem: T::ty(), rows, cols, span, writable: $writable }.into())
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: a matrix that is borrowed for the lifetime, to be written if the map is writable, with its usage.
        unsafe impl<'a, T: MappedElement, const ROWS: usize, const COLS: usize, L: BoxLayout>
            ImageArg<'a, $name<'_, T, ROWS, COLS, L>> for $name<'a, T, ROWS, COLS, L>
        {
            fn into_arg(self) -> KernelArg {
                self.arg()
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: as above.
        unsafe impl<'a, T: MappedElement, const ROWS: usize, const COLS: usize, L: BoxLayout>
            ImageArg<'a, $name<'_, T, ROWS, COLS, L>> for &'a $($mutable)? $name<'_, T, ROWS, COLS, L>
        {
            fn into_arg(self) -> KernelArg {
                self.arg()
            }
        }

        impl<T: MappedElement, const ROWS: usize, const COLS: usize, L: BoxLayout> ImageParam
            for $name<'_, T, ROWS, COLS, L>
        {
            unsafe fn from_arg(arg: &KernelArg) -> Self {
                match arg {
                    KernelArg::TensorMap { map, .. } => {
                        Self { object: map.clone(), _matrix: PhantomData, _layout: PhantomData }
                    }
                    _ => unreachable!("an argument made from a map of a tensor"),
                }
            }
        }
    };
}

map! {
    /// A matrix in global memory as the copy engine loads it: boxes of `ROWS` × `COLS` elements into tiles of layout `L`.
    ///
    /// `Buffer::tensor_map` and its siblings make it. A kernel takes it as `&TensorMap<f16, 64, 64, Swizzle128>`, which
    /// becomes an address in the kernel's parameters. Compute capability 9.0.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    TensorMap, false
}
map! {
    /// A matrix in global memory as the copy engine stores boxes of it, or reduces into them.
    ///
    /// `Buffer::tensor_map_mut` and its siblings make it. A kernel takes it as
    /// `&mut TensorMapMut<f16, 64, 64, Swizzle128>`. Compute capability 9.0.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    TensorMapMut, true, mut
}

impl<T, const ROWS: usize, const COLS: usize, L> Clone for TensorMap<'_, T, ROWS, COLS, L> {
    fn clone(&self) -> Self {
        Self { object: self.object.clone(), _matrix: PhantomData, _layout: PhantomData }
    }
}
