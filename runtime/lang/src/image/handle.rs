//! The common part of textures and surfaces: both are handles to an access of an image.

use crate::argument::KernelArg;
use crate::texels::ImageObject;

/// The descriptor of an image in a simulated thread.
#[doc(hidden)]
pub trait ImageParam {
    /// The argument as a descriptor.
    ///
    /// # Safety
    /// It was made from such a texture or surface, whose image the launch keeps borrowed.
    unsafe fn from_arg(arg: &KernelArg) -> Self;
}

/// The image behind an argument.
///
/// # Safety
/// It was made from an image, which the launch keeps borrowed for the lifetime.
pub(super) unsafe fn access_of<'a>(arg: &KernelArg) -> &'a ImageObject {
    match arg {
        // SAFETY: as promised, the image and with it the access outlives the lifetime.
        KernelArg::Image { access, .. } => unsafe { &*std::ptr::from_ref(access.get()) },
        _ => unreachable!("an argument made from a texture or a surface"),
    }
}

/// A handle as a device type and as an argument, by value or behind the reference that its borrow allows.
macro_rules! handle {
    ($name:ident<$texel:ident>, surface: $surface:literal $(, $mutable:ident)?) => {
        impl<T: $texel, D: Shape> crate::types::DeviceType for $name<'_, T, D> {
            type Erased = $name<'static, T, D>;
            fn ty() -> crate::ir::Type {
                crate::ir::Type::Image(crate::ir::ImageType { surface: $surface, shape: D::SHAPE })
            }
        }

        impl<T: $texel, D: Shape> crate::device_api::texture::Extents for $name<'_, T, D> {
            fn extent(&self, field: usize) -> u32 {
                self.access.extent(field)
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: an image that is borrowed for the lifetime, mutably for a surface, with its usage.
        unsafe impl<'a, T: $texel, D: Shape> crate::argument::ImageArg<'a, $name<'_, T, D>> for $name<'a, T, D> {
            fn into_arg(self) -> crate::argument::KernelArg {
                let access = crate::argument::ImageAccess::new(self.access);
                crate::argument::KernelArg::Image { access, mutable: $surface }
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: as above.
        unsafe impl<'a, T: $texel, D: Shape> crate::argument::ImageArg<'a, $name<'_, T, D>>
            for &'a $($mutable)? $name<'_, T, D>
        {
            fn into_arg(self) -> crate::argument::KernelArg {
                let access = crate::argument::ImageAccess::new(self.access);
                crate::argument::KernelArg::Image { access, mutable: $surface }
            }
        }

        impl<T: $texel, D: Shape> super::handle::ImageParam for $name<'_, T, D> {
            unsafe fn from_arg(arg: &crate::argument::KernelArg) -> Self {
                // SAFETY: as promised by the caller.
                Self::new(unsafe { super::handle::access_of(arg) })
            }
        }
    };
}

/// The extents of a handle's form, for the host, the twin and kernels.
macro_rules! extents {
    ($name:ident<$texel:ident>, Line) => {
        extents! { @ $name<$texel>: width width_in_kernels 0 }
    };
    ($name:ident<$texel:ident>, Plane) => {
        extents! { @ $name<$texel>: width width_in_kernels 0, height height_in_kernels 1 }
    };
    ($name:ident<$texel:ident>, Volume) => {
        extents! {
            @ $name<$texel>: width width_in_kernels 0, height height_in_kernels 1, depth depth_in_kernels 2
        }
    };
    ($name:ident<$texel:ident>, Layers) => {
        extents! {
            @ $name<$texel>: width width_in_kernels 0, height height_in_kernels 1, layers layers_in_kernels 3
        }
    };
    (@ $name:ident<$texel:ident>: $($extent:ident $hidden:ident $field:literal),+) => {
        impl<T: $texel> $name<'_, T> {
            $(
                #[doc = concat!("Its ", stringify!($extent), ".")]
                pub fn $extent(&self) -> u32 {
                    self.access.extent($field)
                }

                #[doc(hidden)]
                #[allow(missing_docs)]
                pub fn $hidden(
                    &self,
                    _probe: &crate::witness::FnProbe<crate::device_api::texture::ImageExtent<$name<'static, T>, $field>>,
                ) -> u32 {
                    crate::witness::never_called()
                }
            )+
        }
    };
}

pub(super) use {extents, handle};
