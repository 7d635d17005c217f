//! The rules for images, samplers and copies, each with the limit and the way out.

use super::{AddressMode, Filter, Sampler};
use super::{Channel, ReadAs, TextureValue};
use crate::argument::MemoryPlace;
use crate::driver::ImageLimits;
use crate::error::ImageError;
use crate::ir::{ImageShape, ImageType};

/// Every extent is one that a texture of the device can have.
pub(super) fn extents(
    limits: &ImageLimits,
    shape: ImageShape,
    extents: [usize; 3],
    place: MemoryPlace,
) -> Result<(), ImageError> {
    for (axis, extent) in shape.extents().iter().zip(extents) {
        if extent == 0 {
            return Err(ImageError::Empty { axis });
        }
    }
    within(limits.largest(false, shape), ImageType { surface: false, shape }, extents, place)
}

/// Every extent is one that a texture of rows in linear memory can have.
pub(crate) fn pitched(
    limits: &ImageLimits,
    [width, height]: [usize; 2],
    pitch: usize,
    place: MemoryPlace,
) -> Result<(), ImageError> {
    let [widest, highest, farthest] = limits.pitched2;
    let all = [("width", width, widest), ("height", height, highest), ("pitch", pitch, farthest)];
    for (axis, extent, limit) in all {
        if extent == 0 {
            return Err(ImageError::Empty { axis });
        }
        if extent > limit {
            let (what, way) = ("Texture2 of rows in linear memory".to_owned(), "; use an `Image2`");
            return Err(ImageError::Extent { what, axis, extent, limit, place, way });
        }
    }
    Ok(())
}

/// Every extent is one that a surface of the device can have.
pub(super) fn surface(
    largest: [usize; 3],
    shape: ImageShape,
    extents: [usize; 3],
    place: MemoryPlace,
) -> Result<(), ImageError> {
    within(largest, ImageType { surface: true, shape }, extents, place)
}

fn within(
    largest: [usize; 3],
    what: ImageType,
    extents: [usize; 3],
    place: MemoryPlace,
) -> Result<(), ImageError> {
    let way = if what.surface { "; textures may be larger" } else { "; use several, or a `Buffer`" };
    for ((axis, extent), limit) in what.shape.extents().iter().zip(extents).zip(largest) {
        if extent > limit {
            return Err(ImageError::Extent { what: what.to_string(), axis, extent, limit, place, way });
        }
    }
    Ok(())
}

/// Checks that there are as many texels as the image has.
pub(super) fn texels(
    shape: ImageShape,
    extents: [usize; 3],
    other: &'static str,
    given: usize,
) -> Result<(), ImageError> {
    let image = extents.iter().product();
    if given == image {
        return Ok(());
    }
    let own = extents.iter().take(shape.extents().len()).map(usize::to_string);
    let extents = own.collect::<Vec<_>>().join(" by ");
    Err(ImageError::Texels { image, extents, other, given })
}

/// A sampler that a texture of `rank` dimensions can have, which reads texels of `T` as `R`.
pub(crate) fn sampler<T: ReadAs<R>, R: TextureValue>(
    sampler: &Sampler,
    rank: usize,
) -> Result<(), ImageError> {
    let read = R::NAME;
    if sampler.filter == Filter::Linear && !R::FLOAT {
        return Err(ImageError::Filter { read });
    }
    let modes = &sampler.address[..rank];
    let repeats = |mode: &&AddressMode| matches!(mode, AddressMode::Wrap | AddressMode::Mirror);
    if let Some(mode) = modes.iter().find(repeats).filter(|_| !sampler.normalized) {
        return Err(ImageError::Address { mode: *mode });
    }
    if !modes.contains(&AddressMode::Border) {
        return Ok(());
    }
    if !R::FLOAT && sampler.border != [0.0; 4] {
        return Err(ImageError::Border { read });
    }
    let least = if matches!(T::FORMAT.channel, Channel::I8 | Channel::I16) { -1 } else { 0 };
    let outside = |value: &f32| !(least as f32..=1.0).contains(value);
    match sampler.border.into_iter().find(outside).filter(|_| T::NORMALIZES) {
        Some(value) => Err(ImageError::BorderRange { value, stored: T::NAME, least }),
        None => Ok(()),
    }
}
