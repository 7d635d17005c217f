//! Textures: what a kernel's `&Texture2<T>` is.

use std::marker::PhantomData;

use super::access::{Access, ImageAccess};
use super::shape::{Layers, Line, Plane, Shape, Volume};
use super::texel::TextureValue;
use crate::args::{KernelArg, TextureArg};
use crate::device_api::texture::{Extent, Extents, Fetch, Sample, method};
use crate::ir::{ImageType, Type};
use crate::types::{Device, IndexInteger};
use crate::witness::{FnProbe, never_called};

/// An image as kernels sample it: a handle that is copied, made by [`Image::texture`](super::Image::texture).
///
/// A kernel takes it as `&Texture2<f32>`.
#[derive(Debug)]
#[repr(transparent)]
pub struct Texture<'a, T, D> {
    access: &'a Access,
    _read: PhantomData<fn() -> (T, D)>,
}

/// A texture of one dimension that reads `T`.
pub type Texture1<'a, T> = Texture<'a, T, Line>;
/// A texture of two dimensions that reads `T`.
pub type Texture2<'a, T> = Texture<'a, T, Plane>;
/// A texture of three dimensions that reads `T`.
pub type Texture3<'a, T> = Texture<'a, T, Volume>;
/// Textures of two dimensions side by side, of which a sample chooses one.
pub type TextureLayers<'a, T> = Texture<'a, T, Layers>;

impl<T, D> Clone for Texture<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, D> Copy for Texture<'_, T, D> {}

impl<T: TextureValue, D: Shape> Device for Texture<'_, T, D> {
    type Erased = Texture<'static, T, D>;
    fn ty() -> Type {
        Type::Image(ImageType { surface: false, shape: D::SHAPE })
    }
}

impl<T: TextureValue, D: Shape> Extents for Texture<'_, T, D> {
    fn extent(&self, axis: usize) -> u32 {
        self.access.extents[axis]
    }
}

impl<'a, T: TextureValue, D: Shape> Texture<'a, T, D> {
    pub(crate) fn new(access: &'a Access) -> Self {
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

#[diagnostic::do_not_recommend]
// SAFETY: an image that is borrowed for the lifetime, with its usage.
unsafe impl<'a, T: TextureValue, D: Shape> TextureArg<'a, Texture<'_, T, D>> for Texture<'a, T, D> {
    fn into_arg(self) -> KernelArg {
        KernelArg::Image { access: ImageAccess::new(self.access), mutable: false }
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: as above.
unsafe impl<'a, T: TextureValue, D: Shape> TextureArg<'a, Texture<'_, T, D>> for &'a Texture<'_, T, D> {
    fn into_arg(self) -> KernelArg {
        KernelArg::Image { access: ImageAccess::new(self.access), mutable: false }
    }
}

/// The descriptor of an image in a simulated thread.
#[doc(hidden)]
pub trait ImageParam {
    /// The argument as a descriptor.
    ///
    /// # Safety
    /// It was made from such a texture or surface, whose image the launch keeps borrowed.
    unsafe fn from_arg(arg: &KernelArg) -> Self;
}

impl<T: TextureValue, D: Shape> ImageParam for Texture<'_, T, D> {
    unsafe fn from_arg(arg: &KernelArg) -> Self {
        // SAFETY: as promised by the caller.
        Self::new(unsafe { access_of(arg) })
    }
}

/// The image behind an argument.
///
/// # Safety
/// It was made from an image, which the launch keeps borrowed for the lifetime.
pub(super) unsafe fn access_of<'a>(arg: &KernelArg) -> &'a Access {
    match arg {
        // SAFETY: as promised, the image and with it the access outlives the lifetime.
        KernelArg::Image { access, .. } => unsafe { &*std::ptr::from_ref(access.get()) },
        _ => unreachable!("an argument made from a texture or a surface"),
    }
}

/// The methods of one form: extents, coordinates, indices.
macro_rules! texture {
    ($name:ident: $($extent:ident $hidden:ident $axis:literal $field:literal),+;
        sample($($x:ident: $of:ty),+) $at:expr, $layer:expr; fetch($($i:ident $index:ident),+) $all:expr) => {
        impl<T: TextureValue> $name<'_, T> {
            $(
                #[doc = concat!("Its ", stringify!($extent), ".")]
                pub fn $extent(&self) -> u32 {
                    self.access.extents[$axis]
                }
            )+

            /// The value at coordinates, as the sampler says.
            ///
            /// Between texels it is interpolated with weights of 8 bits: off by at most 1/256 of the
            /// difference of the texels around it in each dimension, and by rounding.
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

            /// The texel at indices, as it is stored, whatever the sampler says; zero outside of the image.
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
            $(
                pub fn $hidden(&self, _probe: &FnProbe<Extent<$name<'static, T>, $field>>) -> u32 {
                    never_called()
                }
            )+

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

        method! { Sample SAMPLE [T: TextureValue] $name<'static, T>, &$name<'_, T>; ($($x: $of),+) sample }
        method! {
            Fetch FETCH [T: TextureValue, $($index: IndexInteger),+] $name<'static, T>, &$name<'_, T>;
            ($($i: $index),+) fetch
        }
    };
}

texture! { Texture1: width width_in_kernels 0 0; sample(x: f32) [x, 0.0, 0.0], 0; fetch(x X) [x, 0, 0] }
texture! {
    Texture2: width width_in_kernels 0 0, height height_in_kernels 1 1;
    sample(x: f32, y: f32) [x, y, 0.0], 0; fetch(x X, y Y) [x, y, 0]
}
texture! {
    Texture3: width width_in_kernels 0 0, height height_in_kernels 1 1, depth depth_in_kernels 2 2;
    sample(x: f32, y: f32, z: f32) [x, y, z], 0; fetch(x X, y Y, z Z) [x, y, z]
}
texture! {
    TextureLayers: width width_in_kernels 0 0, height height_in_kernels 1 1, layers layers_in_kernels 2 3;
    sample(x: f32, y: f32, layer: u32) [x, y, 0.0], layer; fetch(x X, y Y, layer L) [x, y, layer]
}
