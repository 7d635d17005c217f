//! Tensor maps as the driver encodes them. The caller has checked their limits.

use std::ffi::c_void;

use cudarc::driver::sys::{
    self, CUtensorMap, CUtensorMapDataType_enum as DataType, CUtensorMapFloatOOBfill_enum as Outside,
    CUtensorMapInterleave_enum as Interleave, CUtensorMapL2promotion_enum as L2,
    CUtensorMapSwizzle_enum as Swizzle,
};

use super::memory::driver;
use super::{DriverError, Gpu};
use crate::boxes::{BoxElement, BoxFill, BoxShape, EncodedMap, Tensor};

/// The number of bytes that the L2 cache fetches at once when the copy engine reads a part of them.
///
/// Source: CUDA Driver API, `CUtensorMapL2promotion`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Promotion {
    /// No more than it reads.
    Nothing,
    /// 64.
    B64,
    /// 128: the default.
    #[default]
    B128,
    /// 256.
    B256,
}

impl Gpu {
    /// The tensor map in this GPU's memory.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub(crate) fn encode(
        &self,
        tensor: &Tensor,
        shape: &BoxShape,
        fill: BoxFill,
        promotion: Promotion,
    ) -> Result<EncodedMap, DriverError> {
        self.bind()?;
        let mut map = CUtensorMap { opaque: [0; 16] };
        // The driver has the innermost dimension first, whose stride it knows.
        let inner_first = || tensor.dimensions.iter().rev();
        let extents: Vec<u64> = inner_first().map(|dimension| dimension.extent).collect();
        let strides: Vec<u64> = inner_first().map(|dimension| dimension.stride).skip(1).collect();
        let bounds: Vec<u32> = shape.extents.iter().rev().map(|extent| *extent as u32).collect();
        let steps = vec![1u32; bounds.len()];
        // SAFETY: all pointers are to as many numbers as the tensor has dimensions, strides without the innermost, alive for the call.
        let encoded = unsafe {
            sys::cuTensorMapEncodeTiled(
                &raw mut map,
                data_type(shape.element),
                extents.len() as u32,
                tensor.address as *mut c_void,
                extents.as_ptr(),
                strides.as_ptr(),
                bounds.as_ptr(),
                steps.as_ptr(),
                Interleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
                swizzle(shape.span),
                l2(promotion),
                outside(fill),
            )
        };
        driver("cuTensorMapEncodeTiled", encoded)?;
        Ok(EncodedMap(map.opaque))
    }
}

fn data_type(element: BoxElement) -> DataType {
    match element {
        BoxElement::U8 => DataType::CU_TENSOR_MAP_DATA_TYPE_UINT8,
        BoxElement::U16 => DataType::CU_TENSOR_MAP_DATA_TYPE_UINT16,
        BoxElement::U32 => DataType::CU_TENSOR_MAP_DATA_TYPE_UINT32,
        BoxElement::I32 => DataType::CU_TENSOR_MAP_DATA_TYPE_INT32,
        BoxElement::U64 => DataType::CU_TENSOR_MAP_DATA_TYPE_UINT64,
        BoxElement::I64 => DataType::CU_TENSOR_MAP_DATA_TYPE_INT64,
        BoxElement::F16 => DataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        BoxElement::BF16 => DataType::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        BoxElement::F32 => DataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        BoxElement::F64 => DataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
    }
}

/// A span that the type of a map allows.
fn swizzle(span: usize) -> Swizzle {
    match span {
        128 => Swizzle::CU_TENSOR_MAP_SWIZZLE_128B,
        64 => Swizzle::CU_TENSOR_MAP_SWIZZLE_64B,
        32 => Swizzle::CU_TENSOR_MAP_SWIZZLE_32B,
        _ => Swizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
    }
}

fn l2(promotion: Promotion) -> L2 {
    match promotion {
        Promotion::Nothing => L2::CU_TENSOR_MAP_L2_PROMOTION_NONE,
        Promotion::B64 => L2::CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
        Promotion::B128 => L2::CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        Promotion::B256 => L2::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
    }
}

fn outside(fill: BoxFill) -> Outside {
    match fill {
        BoxFill::Zeros => Outside::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        BoxFill::Nan => Outside::CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
    }
}
