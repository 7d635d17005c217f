//! How a texture is sampled: filter, address modes, coordinates, border.

/// The texels that make a sample.
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

/// The texels that a coordinate outside the image stands for.
///
/// Source: CUDA Driver API, `CUaddress_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AddressMode {
    /// The texel at the edge.
    #[default]
    Clamp,
    /// The image repeats; for normalized coordinates.
    Wrap,
    /// The image repeats, mirrored every other time; for normalized coordinates.
    Mirror,
    /// The border's colour.
    Border,
}

/// The settings of sampling. Default: point filtering, clamped, texel coordinates.
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
    /// The texels that make a sample.
    pub filter: Filter,
    /// The address modes in x, y and z, for coordinates outside the image.
    pub address: [AddressMode; 3],
    /// Whether coordinates go from 0 to 1.
    pub normalized: bool,
    /// The colour outside the image.
    pub border: [f32; 4],
}

impl Sampler {
    /// A sampler with point filtering, clamped, for texel coordinates.
    pub fn new() -> Self {
        Self::default()
    }

    /// Linear interpolation between texels, for textures that read floats.
    pub fn linear(self) -> Self {
        Self { filter: Filter::Linear, ..self }
    }

    /// Coordinates from 0 to 1 over the image, instead of 0 to its extent.
    pub fn normalized(self) -> Self {
        Self { normalized: true, ..self }
    }

    /// Sets the address mode for coordinates outside the image, in every dimension.
    pub fn address(self, mode: AddressMode) -> Self {
        self.address_each([mode; 3])
    }

    /// Sets the address modes in x, y and z, for coordinates outside the image. An image uses as many modes as it has
    /// dimensions; layers have two.
    pub fn address_each(self, modes: [AddressMode; 3]) -> Self {
        Self { address: modes, ..self }
    }

    /// Sets the colour outside the image for [`AddressMode::Border`]. Default: zero.
    ///
    /// It has the type of the values that are read, so it is from 0 to 1, or -1 to 1, for normalized reads.
    pub fn border(self, colour: [f32; 4]) -> Self {
        Self { border: colour, ..self }
    }

    /// Returns whether two samplers give the same samples; a colour is compared by its bits.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let bits = |sampler: &Self| sampler.border.map(f32::to_bits);
        (self.filter, self.address, self.normalized) == (other.filter, other.address, other.normalized)
            && bits(self) == bits(other)
    }
}
