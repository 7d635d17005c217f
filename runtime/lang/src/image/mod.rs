//! Textures and surfaces as kernels see them, and what the simulator reads of them.
//!
//! A [`Texture`] samples and a [`Surface`] reads and writes the texels of an image, which an [`ImageObject`] describes. The
//! host's images make accesses; this module knows no memory of the host's and no driver.

mod access;
mod handle;
mod sampler;
mod shape;
mod surface;
mod texel;
mod texels;
mod texture;

pub use access::{ImageAccess, ImageObject};
pub use handle::ImageParam;
pub use sampler::{AddressMode, Filter, Sampler};
pub use shape::{Layers, Line, Plane, Shape, Volume};
pub use surface::{Surface, Surface1, Surface2, Surface3, SurfaceLayers};
pub use texel::{Channel, Format, ReadAs, Texel, TextureValue};
pub use texels::Texels;
pub use texture::{Texture, Texture1, Texture2, Texture3, TextureLayers};
