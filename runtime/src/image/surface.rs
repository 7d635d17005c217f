//! Surfaces: what a kernel's `&mut Surface2<T>` is.

use std::marker::PhantomData;

use super::access::{Access, ImageAccess};
use super::shape::{Layers, Line, Plane, Shape, Volume};
use super::texel::Texel;
use super::texture::{ImageParam, access_of};
use crate::args::{KernelArg, SurfaceArg};
use crate::device_api::texture::{Extent, Extents, Load, Store, method};
use crate::ir::{ImageType, Type};
use crate::simulator::{AccessKind, context};
use crate::types::{Device, IndexInteger};
use crate::witness::{FnProbe, never_called};

/// An image as kernels read and write its texels: a handle made by [`Image::surface`](super::Image::surface).
///
/// A kernel takes it as `&mut Surface2<f32>`. Threads that write one texel, or read what another writes, need a
/// barrier between them, as with a slice.
#[derive(Debug)]
#[repr(transparent)]
pub struct Surface<'a, T, D> {
    access: &'a Access,
    _texels: PhantomData<&'a mut T>,
    _shape: PhantomData<fn() -> D>,
}

/// A surface of one dimension.
pub type Surface1<'a, T> = Surface<'a, T, Line>;
/// A surface of two dimensions.
pub type Surface2<'a, T> = Surface<'a, T, Plane>;
/// A surface of three dimensions.
pub type Surface3<'a, T> = Surface<'a, T, Volume>;
/// Surfaces of two dimensions side by side.
pub type SurfaceLayers<'a, T> = Surface<'a, T, Layers>;

impl<T: Texel, D: Shape> Device for Surface<'_, T, D> {
    type Erased = Surface<'static, T, D>;
    fn ty() -> Type {
        Type::Image(ImageType { surface: true, shape: D::SHAPE })
    }
}

impl<T: Texel, D: Shape> Extents for Surface<'_, T, D> {
    fn extent(&self, axis: usize) -> u32 {
        self.access.extents[axis]
    }
}

impl<'a, T: Texel, D: Shape> Surface<'a, T, D> {
    /// The caller has borrowed the image mutably for the lifetime.
    pub(super) fn new(access: &'a Access) -> Self {
        Self { access, _texels: PhantomData, _shape: PhantomData }
    }

    #[track_caller]
    fn load(&self, index: [usize; 3]) -> T {
        let Some(texel) = self.access.here().at(index).map(|texel| texel.cast::<T>()) else {
            // SAFETY: any bits are a texel.
            return unsafe { std::mem::zeroed() };
        };
        // SAFETY: a texel of this type; threads of a launch run on one OS thread.
        unsafe {
            context::on_access_at(texel, AccessKind::Read);
            texel.read_unaligned()
        }
    }

    #[track_caller]
    fn store(&mut self, index: [usize; 3], value: T) {
        if let Some(texel) = self.access.here().at(index).map(|texel| texel.cast::<T>()) {
            // SAFETY: as in `load`, and the image is borrowed mutably.
            unsafe {
                context::on_access_at(texel, AccessKind::Write);
                texel.write_unaligned(value);
            }
        }
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: an image that is borrowed mutably for the lifetime, with its usage.
unsafe impl<'a, T: Texel, D: Shape> SurfaceArg<'a, Surface<'_, T, D>> for Surface<'a, T, D> {
    fn into_arg(self) -> KernelArg {
        KernelArg::Image { access: ImageAccess::new(self.access), mutable: true }
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: as above.
unsafe impl<'a, T: Texel, D: Shape> SurfaceArg<'a, Surface<'_, T, D>> for &'a mut Surface<'_, T, D> {
    fn into_arg(self) -> KernelArg {
        KernelArg::Image { access: ImageAccess::new(self.access), mutable: true }
    }
}

impl<T: Texel, D: Shape> ImageParam for Surface<'_, T, D> {
    unsafe fn from_arg(arg: &KernelArg) -> Self {
        // SAFETY: as promised by the caller.
        Self::new(unsafe { access_of(arg) })
    }
}

/// The methods of one form: extents and indices.
macro_rules! surface {
    ($name:ident: $($extent:ident $hidden:ident $axis:literal $field:literal),+; ($($i:ident $index:ident),+) $all:expr) => {
        impl<T: Texel> $name<'_, T> {
            $(
                #[doc = concat!("Its ", stringify!($extent), ".")]
                pub fn $extent(&self) -> u32 {
                    self.access.extents[$axis]
                }
            )+

            /// The texel at indices; zero outside of the image.
            ///
            /// # Panics
            /// On the host, of an image on a GPU.
            ///
            /// Source: CUDA C++ Programming Guide, surface functions, `cudaBoundaryModeZero`.
            #[track_caller]
            pub fn read(&self $(, $i: impl IndexInteger)+) -> T {
                $(let $i = $i.to_index();)+
                self.load($all)
            }

            /// Stores a texel at indices; nothing outside of the image.
            ///
            /// # Panics
            /// On the host, of an image on a GPU.
            ///
            /// Source: CUDA C++ Programming Guide, surface functions, `cudaBoundaryModeZero`.
            #[track_caller]
            pub fn write(&mut self $(, $i: impl IndexInteger)+, value: T) {
                $(let $i = $i.to_index();)+
                self.store($all, value);
            }
        }

        #[doc(hidden)]
        #[allow(missing_docs)]
        impl<T: Texel> $name<'_, T> {
            $(
                pub fn $hidden(&self, _probe: &FnProbe<Extent<$name<'static, T>, $field>>) -> u32 {
                    never_called()
                }
            )+

            pub fn read_in_kernels<$($index: IndexInteger),+>(
                &self $(, $i: $index)+, _probe: &FnProbe<Load<$name<'static, T>, ($($index,)+)>>
            ) -> T {
                $(let _ = $i;)+
                never_called()
            }

            pub fn write_in_kernels<$($index: IndexInteger),+>(
                &mut self $(, $i: $index)+, value: T, _probe: &FnProbe<Store<$name<'static, T>, ($($index,)+ T,)>>
            ) {
                $(let _ = $i;)+
                let _ = value;
                never_called()
            }
        }

        method! {
            Load LOAD [T: Texel, $($index: IndexInteger),+] $name<'static, T>, &$name<'_, T>; ($($i: $index),+) read
        }
        method! {
            Store STORE [T: Texel, $($index: IndexInteger),+] $name<'static, T>, &mut $name<'_, T>;
            ($($i: $index),+, value: T) write
        }
    };
}

surface! { Surface1: width width_in_kernels 0 0; (x X) [x, 0, 0] }
surface! { Surface2: width width_in_kernels 0 0, height height_in_kernels 1 1; (x X, y Y) [x, y, 0] }
surface! {
    Surface3: width width_in_kernels 0 0, height height_in_kernels 1 1, depth depth_in_kernels 2 2;
    (x X, y Y, z Z) [x, y, z]
}
surface! {
    SurfaceLayers: width width_in_kernels 0 0, height height_in_kernels 1 1, layers layers_in_kernels 2 3;
    (x X, y Y, layer L) [x, y, layer]
}
