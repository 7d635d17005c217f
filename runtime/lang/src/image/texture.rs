//! Textures: the type of a kernel's `&Texture2<T>`.

use std::marker::PhantomData;

use super::handle::{extents, handle};
use crate::device_api::texture::{Fetch, Sample, method};
use crate::texels::ImageObject;
use crate::texels::TextureValue;
use crate::texels::{Layers, Line, Plane, Shape, Volume};
use crate::types::IndexInteger;
use crate::witness::{FnProbe, never_called};

/// An image as kernels sample it: a handle that is copied, made by `Image::texture`.
///
/// A kernel takes it as `&Texture2<f32>`.
#[derive(Debug)]
#[repr(transparent)]
pub struct Texture<'a, T, D> {
    access: &'a ImageObject,
    _read: PhantomData<fn() -> (T, D)>,
}

/// A texture of one dimension that reads `T`.
pub type Texture1<'a, T> = Texture<'a, T, Line>;
/// A texture of two dimensions that reads `T`.
pub type Texture2<'a, T> = Texture<'a, T, Plane>;
/// A texture of three dimensions that reads `T`.
pub type Texture3<'a, T> = Texture<'a, T, Volume>;
/// A stack of textures of two dimensions; a sample chooses one of them.
pub type TextureLayers<'a, T> = Texture<'a, T, Layers>;

impl<T, D> Clone for Texture<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, D> Copy for Texture<'_, T, D> {}

handle! { Texture<TextureValue>, surface: false }

impl<'a, T: TextureValue, D: Shape> Texture<'a, T, D> {
    /// A texture of an image.
    #[doc(hidden)]
    pub fn new(access: &'a ImageObject) -> Self {
        Self { access, _read: PhantomData }
    }

    fn read(&self, coordinates: [f32; 3], layer: u32) -> T {
        let access = self.access;
        let sampler = access.sampler.unwrap_or_default();
        T::from_components(access.here().sample(&sampler, coordinates, layer))
    }

    fn texel(&self, index: [usize; 3]) -> T {
        T::from_components(self.access.here().fetch(index))
    }
}

/// The methods of one form: of coordinates, and of indices.
macro_rules! texture {
    ($name:ident $shape:ident
        sample($($x:ident: $of:ty),+) $at:expr, $layer:expr; fetch($($i:ident $index:ident),+) $all:expr) => {
        extents! { $name<TextureValue>, $shape }

        impl<T: TextureValue> $name<'_, T> {
            /// The value at coordinates, according to the sampler.
            ///
            /// Between texels it is interpolated with weights of 8 bits: in each dimension, off by at
            /// most 1/256 of the difference of the surrounding texels, plus rounding.
            ///
            /// # Panics
            /// On the host, of an image on a GPU.
            ///
            /// Source: CUDA C++ Programming Guide, texture functions and "Texture Fetching".
            #[track_caller]
            #[allow(clippy::too_many_arguments)]
            pub fn sample(&self $(, $x: $of)+) -> T {
                self.read($at, $layer)
            }

            /// The texel at indices, as it is stored, regardless of the sampler; zero outside the image.
            ///
            /// # Panics
            /// On the host, of an image on a GPU.
            ///
            /// Source: PTX ISA, `tex` with integer coordinates.
            #[track_caller]
            pub fn fetch(&self $(, $i: impl IndexInteger)+) -> T {
                $(let $i = $i.to_index();)+
                self.texel($all)
            }
        }

        #[doc(hidden)]
        #[allow(missing_docs)]
        impl<T: TextureValue> $name<'_, T> {
            pub fn sample_in_kernels(&self $(, $x: $of)+, _probe: &FnProbe<Sample<$name<'static, T>, ($($of,)+)>>) -> T {
                $(let _ = $x;)+
                never_called()
            }

            pub fn fetch_in_kernels<$($index: IndexInteger),+>(
                &self $(, $i: $index)+, _probe: &FnProbe<Fetch<$name<'static, T>, ($($index,)+)>>
            ) -> T {
                $(let _ = $i;)+
                never_called()
            }
        }

        method! { Sample [T: TextureValue] $name<'static, T>, &$name<'_, T>; ($($x: $of),+) sample }
        method! {
            Fetch [T: TextureValue, $($index: IndexInteger),+] $name<'static, T>, &$name<'_, T>;
            ($($i: $index),+) fetch
        }
    };
}

texture! { Texture1 Line sample(x: f32) [x, 0.0, 0.0], 0; fetch(x X) [x, 0, 0] }
texture! { Texture2 Plane sample(x: f32, y: f32) [x, y, 0.0], 0; fetch(x X, y Y) [x, y, 0] }
texture! { Texture3 Volume sample(x: f32, y: f32, z: f32) [x, y, z], 0; fetch(x X, y Y, z Z) [x, y, z] }
texture! {
    TextureLayers Layers
    sample(x: f32, y: f32, layer: u32) [x, y, 0.0], layer; fetch(x X, y Y, layer L) [x, y, layer]
}
