//! The errors of images, textures and surfaces.

use crate::argument::MemoryPlace;

use warpsmith_lang::image::AddressMode;

/// Why there is no such image, texture or surface.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// An extent of zero.
    #[error("the {axis} of an image is 0; it must be at least 1")]
    Empty {
        /// `width`, `height`, `depth` or `layers`.
        axis: &'static str,
    },
    /// An extent above the device's limit.
    #[error("the {axis} of a {what} is {extent}; {place} has no {what} with more than {limit}{way}")]
    Extent {
        /// `Texture2`, `Surface3`, and so on.
        what: String,
        /// `width`, `height`, `depth` or `layers`.
        axis: &'static str,
        /// The extent.
        extent: usize,
        /// The device's limit.
        limit: usize,
        /// The device.
        place: MemoryPlace,
        /// A way out, after a semicolon.
        way: &'static str,
    },
    /// A number of texels that differs from the image's.
    #[error("the image has {image} texels ({extents}), the {other} {given}; they must be equal")]
    Texels {
        /// Texels of the image.
        image: usize,
        /// Its extents, as `4 by 3`.
        extents: String,
        /// The other side, with another number: `slice`, `buffer`.
        other: &'static str,
        /// That number.
        given: usize,
    },
    /// Linear interpolation of values that are not floats.
    #[error(
        "a texture that reads `{read}` is not filtered linearly; read texels of 8 or 16 bits normalized, by `texture::<f32>`, or sample by point"
    )]
    Filter {
        /// The type that is read.
        read: &'static str,
    },
    /// An address mode that needs normalized coordinates.
    #[error(
        "the address mode `{mode:?}` needs normalized coordinates; add `.normalized()` to the sampler, or use `Clamp` or `Border`"
    )]
    Address {
        /// The mode.
        mode: AddressMode,
    },
    /// A border colour that is not zero, of a texture that reads integers.
    #[error("a texture that reads `{read}` has a border of zeros; leave out `.border(…)`")]
    Border {
        /// The type that is read.
        read: &'static str,
    },
    /// A border colour that a normalized texture cannot have.
    #[error(
        "the border colour has {value}; a texture that reads normalized `{stored}` has one of {least} to 1"
    )]
    BorderRange {
        /// The component.
        value: f32,
        /// The type that is stored.
        stored: &'static str,
        /// `0`, or `-1` of signed integers.
        least: i32,
    },
    /// Memory of another device.
    #[error("the {what} is on {owner}, the image on {image}; copy it through the host")]
    OtherDevice {
        /// `buffer`.
        what: &'static str,
        /// The owner's place.
        owner: MemoryPlace,
        /// The image's place.
        image: MemoryPlace,
    },
}
