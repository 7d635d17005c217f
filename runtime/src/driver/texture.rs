//! Texture objects: samplers and formats in the driver's words, and textures of linear memory.

use std::ptr;

use cudarc::driver::sys::{self, CUDA_RESOURCE_DESC, CUarray_format};

use super::memory::driver;
use super::{DriverError, GpuMemory};
use warpsmith_lang::image::{AddressMode, Channel, Filter, Format, Sampler};

/// A texture object of a resource: how it is sampled, how a component is stored, and whether integers are
/// read as floats.
///
/// # Safety
/// A context is bound, and the resource outlives the object.
pub(super) unsafe fn create_texture(
    resource: &CUDA_RESOURCE_DESC,
    sampler: &Sampler,
    stored: Channel,
    normalizes: bool,
) -> Result<u64, DriverError> {
    let (mut object, texture) = (0, texture(sampler, stored, normalizes));
    // SAFETY: as promised; the handle is writable.
    let created = unsafe {
        sys::cuTexObjectCreate(&raw mut object, ptr::from_ref(resource), &raw const texture, ptr::null())
    };
    driver("cuTexObjectCreate", created)?;
    Ok(object)
}

/// The union of a resource, every byte zero.
pub(super) fn no_resource() -> sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1 {
    let reserved = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 { reserved: [0; 32] };
    sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1 { reserved }
}

impl GpuMemory {
    /// A texture object of rows, which ends with the memory.
    pub(crate) fn texture(
        &self,
        format: Format,
        [width, height]: [usize; 2],
        pitch: usize,
        sampler: &Sampler,
        normalizes: bool,
    ) -> Result<u64, DriverError> {
        self.gpu().bind()?;
        let mut res = no_resource();
        res.pitch2D = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
            devPtr: self.address(),
            format: channel_to_driver(format.channel),
            numChannels: format.channels as u32,
            width,
            height,
            pitchInBytes: pitch,
        };
        let resource =
            CUDA_RESOURCE_DESC { resType: sys::CUresourcetype::CU_RESOURCE_TYPE_PITCH2D, res, flags: 0 };
        // SAFETY: the context is bound, and the memory destroys the object before it is freed.
        let object = unsafe { create_texture(&resource, sampler, format.channel, normalizes) }?;
        self.keep_texture(object);
        Ok(object)
    }
}

/// The driver's form of a sampler.
fn texture(sampler: &Sampler, stored: Channel, normalizes: bool) -> sys::CUDA_TEXTURE_DESC {
    let float = matches!(stored, Channel::F16 | Channel::F32);
    let integer = if float || normalizes { 0 } else { sys::CU_TRSF_READ_AS_INTEGER };
    let normalized = if sampler.normalized { sys::CU_TRSF_NORMALIZED_COORDINATES } else { 0 };
    sys::CUDA_TEXTURE_DESC {
        addressMode: sampler.address.map(address_to_driver),
        filterMode: match sampler.filter {
            Filter::Point => sys::CUfilter_mode::CU_TR_FILTER_MODE_POINT,
            Filter::Linear => sys::CUfilter_mode::CU_TR_FILTER_MODE_LINEAR,
        },
        flags: integer | normalized,
        maxAnisotropy: 0,
        mipmapFilterMode: sys::CUfilter_mode::CU_TR_FILTER_MODE_POINT,
        mipmapLevelBias: 0.0,
        minMipmapLevelClamp: 0.0,
        maxMipmapLevelClamp: 0.0,
        borderColor: sampler.border,
        reserved: [0; 12],
    }
}

fn address_to_driver(mode: AddressMode) -> sys::CUaddress_mode {
    match mode {
        AddressMode::Wrap => sys::CUaddress_mode::CU_TR_ADDRESS_MODE_WRAP,
        AddressMode::Clamp => sys::CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP,
        AddressMode::Mirror => sys::CUaddress_mode::CU_TR_ADDRESS_MODE_MIRROR,
        AddressMode::Border => sys::CUaddress_mode::CU_TR_ADDRESS_MODE_BORDER,
    }
}

pub(super) fn channel_to_driver(channel: Channel) -> CUarray_format {
    match channel {
        Channel::U8 => CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8,
        Channel::U16 => CUarray_format::CU_AD_FORMAT_UNSIGNED_INT16,
        Channel::U32 => CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32,
        Channel::I8 => CUarray_format::CU_AD_FORMAT_SIGNED_INT8,
        Channel::I16 => CUarray_format::CU_AD_FORMAT_SIGNED_INT16,
        Channel::I32 => CUarray_format::CU_AD_FORMAT_SIGNED_INT32,
        Channel::F16 => CUarray_format::CU_AD_FORMAT_HALF,
        Channel::F32 => CUarray_format::CU_AD_FORMAT_FLOAT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sampler_becomes_the_drivers() {
        let sampler = Sampler::new().linear().normalized().address_each([
            AddressMode::Wrap,
            AddressMode::Mirror,
            AddressMode::Border,
        ]);
        let as_float = texture(&sampler, Channel::U8, true);
        assert_eq!(as_float.flags, sys::CU_TRSF_NORMALIZED_COORDINATES);
        assert_eq!(as_float.filterMode, sys::CUfilter_mode::CU_TR_FILTER_MODE_LINEAR);
        assert_eq!(as_float.addressMode.map(|mode| mode as u32), [0, 2, 3]);
        let as_stored = texture(&Sampler::new(), Channel::U8, false);
        assert_eq!(as_stored.flags, sys::CU_TRSF_READ_AS_INTEGER);
        assert_eq!(as_stored.addressMode.map(|mode| mode as u32), [1; 3]);
        assert_eq!(texture(&Sampler::new(), Channel::F32, false).flags, 0);
    }
}
