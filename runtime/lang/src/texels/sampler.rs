//! How a texture is sampled: filter, address modes, coordinates, border.

/// What a sample is made of.
///
/// Source: CUDA Driver API, `CUfilter_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Filter {
    /// The texel that the coordinates lie in.
    #[default]
    Point,
    /// The texels around the coordinates, weighted by their distance: two, four or eight.
    Linear,
}

/// What a coordinate outside of the image stands for.
///
/// Source: CUDA Driver API, `CUaddress_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AddressMode {
    /// The texel at the edge.
    #[default]
    Clamp,
    /// The image again and again; for normalized coordinates.
    Wrap,
    /// The image and its mirror image in turns; for normalized coordinates.
    Mirror,
    /// The border's colour.
    Border,
}

/// How a texture is sampled: by point, clamped, by texel coordinates, unless said otherwise.
///
/// ```
/// use warpsmith::prelude::*;
///
/// let tiled = Sampler::new().linear().normalized().address(AddressMode::Wrap);
/// assert_eq!(tiled, Sampler::new().normalized().address(AddressMode::Wrap).linear());
/// ```
///
/// Source: CUDA Driver API, `CUDA_TEXTURE_DESC`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct Sampler {
    /// What a sample is made of.
    pub filter: Filter,
    /// What coordinates outside of the image stand for, in x, y and z.
    pub address: [AddressMode; 3],
    /// Whether coordinates go from 0 to 1.
    pub normalized: bool,
    /// The colour outside of the image.
    pub border: [f32; 4],
}

impl Sampler {
    /// By point, clamped, by texel coordinates.
    pub fn new() -> Self {
        Self::default()
    }

    /// Between texels by linear interpolation, of textures that read floats.
    pub fn linear(self) -> Self {
        Self { filter: Filter::Linear, ..self }
    }

    /// Coordinates from 0 to 1 over the image, instead of 0 to its extent.
    pub fn normalized(self) -> Self {
        Self { normalized: true, ..self }
    }

    /// What coordinates outside of the image stand for, in every dimension.
    pub fn address(self, mode: AddressMode) -> Self {
        self.address_each([mode; 3])
    }

    /// What coordinates outside of the image stand for, in x, y and z. An image has no use for more modes than it
    /// has dimensions; those of layers are two.
    pub fn address_each(self, modes: [AddressMode; 3]) -> Self {
        Self { address: modes, ..self }
    }

    /// The colour outside of the image where the address mode is [`AddressMode::Border`]; zero unless said.
    ///
    /// It is of the values that are read, so normalized reads have one from 0 to 1, or -1 to 1.
    pub fn border(self, colour: [f32; 4]) -> Self {
        Self { border: colour, ..self }
    }

    /// Whether the same samples come of both; a colour is compared by its bits.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let bits = |sampler: &Self| sampler.border.map(f32::to_bits);
        (self.filter, self.address, self.normalized) == (other.filter, other.address, other.normalized)
            && bits(self) == bits(other)
    }
}
