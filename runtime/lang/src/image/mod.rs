//! Textures and surfaces as kernels see them.
//!
//! A [`Texture`] samples and a [`Surface`] reads and writes the texels of an image, which an [`ImageObject`] describes. The
//! host's images make accesses; this module is independent of host memory and drivers.

mod handle;
mod surface;
mod texture;

pub use crate::texels::{
    AddressMode, Channel, Filter, Format, Layers, Line, Plane, ReadAs, Sampler, Shape, Texel, TextureValue,
    Volume,
};
#[doc(hidden)]
pub use crate::texels::{ImageAccess, ImageObject, Texels};
pub use handle::ImageParam;
pub use surface::{Surface, Surface1, Surface2, Surface3, SurfaceLayers};
pub use texture::{Texture, Texture1, Texture2, Texture3, TextureLayers};
