//! Textures and surfaces on their device.

use std::ops::Range;
use std::ptr::NonNull;

use super::filter::Texels;
use super::sampler::Sampler;
use crate::place::{MemoryPlace, Order};

/// A texture or a surface of one image; it lives as long as the image.
#[derive(Debug)]
pub struct ImageObject {
    /// The argument of a kernel on a GPU: the object, then the extents as 32-bit numbers.
    pub words: [u64; 3],
    /// Width, height, and depth or layers.
    pub extents: [u32; 3],
    /// The texels, on the simulator.
    pub texels: Option<Texels>,
    /// How a texture is sampled; `None` for the surface.
    pub sampler: Option<Sampler>,
    /// Whether integers are read as floats.
    pub normalizes: bool,
    /// Addresses of the texels; those of a CUDA array are counted from zero.
    pub range: Range<u64>,
    /// The image's place.
    pub place: MemoryPlace,
    /// How launches order their uses of the image.
    pub order: Order,
}

impl ImageObject {
    /// The words of an object and extents, as the printed struct lays them out.
    pub fn words(object: u64, [width, height, depth]: [u32; 3]) -> [u64; 3] {
        [object, u64::from(width) | u64::from(height) << 32, depth.into()]
    }

    /// The extent by the place of its name among width, height, depth and layers.
    pub fn extent(&self, field: usize) -> u32 {
        self.extents[field.min(2)]
    }

    /// Returns whether this is the texture of a sampler, or the surface.
    pub fn is(&self, sampler: &Option<Sampler>, normalizes: bool) -> bool {
        self.normalizes == normalizes
            && match (&self.sampler, sampler) {
                (Some(known), Some(wanted)) => known.is(wanted),
                (None, None) => true,
                _ => false,
            }
    }

    /// The simulator's texels.
    ///
    /// # Panics
    /// If the image is on a GPU, whose kernels alone access it.
    #[track_caller]
    pub fn here(&self) -> &Texels {
        let place = self.place;
        self.texels.as_ref().unwrap_or_else(|| {
            panic!("texels on {place} are read and written by its kernels; the host has `Image::to_vec` and `write`")
        })
    }
}

/// A texture or a surface as the argument of a launch, whose lifetime keeps the image borrowed.
#[derive(Clone, Copy, Debug)]
pub struct ImageAccess(NonNull<ImageObject>);

// SAFETY: an `ImageObject` is `Send` and `Sync`, and outlives the launch that has the argument.
unsafe impl Send for ImageAccess {}
// SAFETY: as above.
unsafe impl Sync for ImageAccess {}

impl ImageAccess {
    /// The argument of an access, which the argument's lifetime keeps borrowed.
    pub fn new(access: &ImageObject) -> Self {
        Self(NonNull::from(access))
    }

    /// The access.
    pub fn get(&self) -> &ImageObject {
        // SAFETY: the argument's lifetime keeps the image borrowed, which keeps its accesses.
        unsafe { self.0.as_ref() }
    }
}
