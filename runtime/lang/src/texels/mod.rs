//! Textures and surfaces on their device: texels, their formats, samplers, and the simulator's filter.

mod access;
mod filter;
mod sampler;
mod shape;
mod texel;

pub use access::{ImageAccess, ImageObject};
pub use filter::Texels;
pub use sampler::{AddressMode, Filter, Sampler};
pub use shape::{Layers, Line, Plane, Shape, Volume};
pub use texel::{Channel, Format, ReadAs, Texel, TextureValue};
