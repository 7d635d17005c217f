//! Parameters of kernels that are textures or surfaces.

use crate::ir::{ImageShape, ImageType, Prelude};

macro_rules! images {
    ($($static:ident $name:literal $handle:literal $extents:literal;)+) => {$(
        pub static $static: Prelude = Prelude {
            name: $name,
            code: concat!(
                "struct ", $name, " {\n    ", $handle, " object;\n    unsigned int ", $extents, ";\n};\n"
            ),
            needs: &[],
        };
    )+};
}

images! {
    TEXTURE1 "ws_Texture1" "cudaTextureObject_t" "width";
    TEXTURE2 "ws_Texture2" "cudaTextureObject_t" "width, height";
    TEXTURE3 "ws_Texture3" "cudaTextureObject_t" "width, height, depth";
    TEXTURE_LAYERS "ws_TextureLayers" "cudaTextureObject_t" "width, height, layers";
    SURFACE1 "ws_Surface1" "cudaSurfaceObject_t" "width";
    SURFACE2 "ws_Surface2" "cudaSurfaceObject_t" "width, height";
    SURFACE3 "ws_Surface3" "cudaSurfaceObject_t" "width, height, depth";
    SURFACE_LAYERS "ws_SurfaceLayers" "cudaSurfaceObject_t" "width, height, layers";
}

/// An image as a kernel is given it: CUDA's object and the extents.
pub(super) fn image(ty: ImageType) -> &'static Prelude {
    match (ty.surface, ty.shape) {
        (false, ImageShape::Line) => &TEXTURE1,
        (false, ImageShape::Plane) => &TEXTURE2,
        (false, ImageShape::Volume) => &TEXTURE3,
        (false, ImageShape::Layers) => &TEXTURE_LAYERS,
        (true, ImageShape::Line) => &SURFACE1,
        (true, ImageShape::Plane) => &SURFACE2,
        (true, ImageShape::Volume) => &SURFACE3,
        (true, ImageShape::Layers) => &SURFACE_LAYERS,
    }
}
