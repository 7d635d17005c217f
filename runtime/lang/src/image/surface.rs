//! Surfaces: the type of a kernel's `&mut Surface2<T>`.

use std::marker::PhantomData;

use super::handle::{extents, handle};
use crate::device_api::texture::{Load, Store, method};
use crate::simulator::{AccessKind, context};
use crate::texels::ImageObject;
use crate::texels::Texel;
use crate::texels::{Layers, Line, Plane, Shape, Volume};
use crate::types::IndexInteger;
use crate::witness::{FnProbe, never_called};

/// An image as kernels read and write its texels: a handle made by `Image::surface`.
///
/// A kernel takes it as `&mut Surface2<f32>`. Threads that write one texel, or read what another writes, need a
/// barrier between them, as with a slice.
#[derive(Debug)]
#[repr(transparent)]
pub struct Surface<'a, T, D> {
    access: &'a ImageObject,
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

handle! { Surface<Texel>, surface: true, mut }

impl<'a, T: Texel, D: Shape> Surface<'a, T, D> {
    /// The surface of an image that the caller has borrowed mutably for the lifetime.
    #[doc(hidden)]
    pub fn new(access: &'a ImageObject) -> Self {
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

/// The methods of one form, by its indices.
macro_rules! surface {
    ($name:ident $shape:ident($($i:ident $index:ident),+) $all:expr) => {
        extents! { $name<Texel>, $shape }

        impl<T: Texel> $name<'_, T> {
            /// The texel at indices; zero outside the image.
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

            /// Stores a texel at indices; does nothing outside the image.
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
            Load [T: Texel, $($index: IndexInteger),+] $name<'static, T>, &$name<'_, T>; ($($i: $index),+) read
        }
        method! {
            Store [T: Texel, $($index: IndexInteger),+] $name<'static, T>, &mut $name<'_, T>;
            ($($i: $index),+, value: T) write
        }
    };
}

surface! { Surface1 Line(x X) [x, 0, 0] }
surface! { Surface2 Plane(x X, y Y) [x, y, 0] }
surface! { Surface3 Volume(x X, y Y, z Z) [x, y, z] }
surface! { SurfaceLayers Layers(x X, y Y, layer L) [x, y, layer] }
