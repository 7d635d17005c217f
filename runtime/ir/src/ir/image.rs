//! Textures and surfaces: what an image is to a kernel.

use std::fmt::{self, Display, Formatter};

/// The form of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageShape {
    /// A row of texels.
    Line,
    /// Rows of texels.
    Plane,
    /// Planes of texels, between which a texture is filtered.
    Volume,
    /// A stack of planes of texels; an access chooses one.
    Layers,
}

impl ImageShape {
    /// The end of its types' names: `2` of `Texture2`.
    pub fn suffix(self) -> &'static str {
        match self {
            ImageShape::Line => "1",
            ImageShape::Plane => "2",
            ImageShape::Volume => "3",
            ImageShape::Layers => "Layers",
        }
    }

    /// Dimensions of coordinates: those of layers choose a place in one of them.
    pub fn rank(self) -> usize {
        match self {
            ImageShape::Line => 1,
            ImageShape::Plane | ImageShape::Layers => 2,
            ImageShape::Volume => 3,
        }
    }

    /// The names of its extents, fastest varying first.
    pub fn extents(self) -> &'static [&'static str] {
        match self {
            ImageShape::Line => &["width"],
            ImageShape::Plane => &["width", "height"],
            ImageShape::Volume => &["width", "height", "depth"],
            ImageShape::Layers => &["width", "height", "layers"],
        }
    }
}

/// How a kernel accesses an image, and the image's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageType {
    /// Whether it is a surface, which is read and written by texel, or a texture, which is sampled.
    pub surface: bool,
    /// The form.
    pub shape: ImageShape,
}

impl ImageType {
    /// Bytes of the argument in CUDA: a handle of eight bytes and extents of four.
    pub fn size(self) -> usize {
        (8 + 4 * self.shape.extents().len()).next_multiple_of(8)
    }
}

impl Display for ImageType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.surface { "Surface" } else { "Texture" }, self.shape.suffix())
    }
}
