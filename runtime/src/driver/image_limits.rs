//! The largest images that a device has textures and surfaces of.

use cudarc::driver::sys::CUdevice_attribute as Attr;

use super::DriverError;
use crate::ir::ImageShape;

/// Largest extents of images, in texels: width, height, and depth or layers.
///
/// Source: CUDA Driver API, `CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH` and its like.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageLimits {
    /// Width of a texture of one dimension.
    pub texture1: usize,
    /// Width and height of a texture.
    pub texture2: [usize; 2],
    /// Width, height and depth of a texture.
    pub texture3: [usize; 3],
    /// Width, height and layers of a texture of layers.
    pub texture_layers: [usize; 3],
    /// Width and height of a texture of rows in linear memory, and the bytes from one row to the next.
    pub pitched2: [usize; 3],
    /// Width of a surface of one dimension.
    pub surface1: usize,
    /// Width and height of a surface.
    pub surface2: [usize; 2],
    /// Width, height and depth of a surface.
    pub surface3: [usize; 3],
    /// Width, height and layers of a surface of layers.
    pub surface_layers: [usize; 3],
}

impl ImageLimits {
    /// The limits of compute capability 9.0. Source: CUDA C++ Programming Guide, technical specifications.
    pub(super) const SIMULATOR: Self = Self {
        texture1: 131_072,
        texture2: [131_072, 65_536],
        texture3: [16_384; 3],
        texture_layers: [32_768, 32_768, 2_048],
        pitched2: [131_072, 65_000, 2_097_120],
        surface1: 32_768,
        surface2: [131_072, 65_536],
        surface3: [16_384; 3],
        surface_layers: [32_768, 32_768, 2_048],
    };

    /// The driver's numbers, by a query of one of them.
    pub(super) fn of(get: impl Fn(Attr) -> Result<usize, DriverError>) -> Result<Self, DriverError> {
        use Attr::*;
        Ok(Self {
            texture1: get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH)?,
            texture2: [
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH)?,
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT)?,
            ],
            texture3: [
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH)?,
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT)?,
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH)?,
            ],
            texture_layers: [
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH)?,
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT)?,
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS)?,
            ],
            pitched2: [
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH)?,
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT)?,
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH)?,
            ],
            surface1: get(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH)?,
            surface2: [
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH)?,
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT)?,
            ],
            surface3: [
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH)?,
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT)?,
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH)?,
            ],
            surface_layers: [
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH)?,
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT)?,
                get(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS)?,
            ],
        })
    }

    /// The extents of textures, or surfaces, of a form.
    pub(crate) fn largest(&self, surface: bool, shape: ImageShape) -> [usize; 3] {
        let plane = |[width, height]: [usize; 2]| [width, height, 1];
        match (surface, shape) {
            (false, ImageShape::Line) => [self.texture1, 1, 1],
            (false, ImageShape::Plane) => plane(self.texture2),
            (false, ImageShape::Volume) => self.texture3,
            (false, ImageShape::Layers) => self.texture_layers,
            (true, ImageShape::Line) => [self.surface1, 1, 1],
            (true, ImageShape::Plane) => plane(self.surface2),
            (true, ImageShape::Volume) => self.surface3,
            (true, ImageShape::Layers) => self.surface_layers,
        }
    }
}
