//! Maps of tensors as the driver encodes them. The caller has checked their limits.

use std::ffi::c_void;

use cudarc::driver::sys::{
    self, CUtensorMap, CUtensorMapDataType_enum as DataType, CUtensorMapFloatOOBfill_enum as Outside,
    CUtensorMapInterleave_enum as Interleave, CUtensorMapL2promotion_enum as L2,
    CUtensorMapSwizzle_enum as Swizzle,
};

use super::memory::driver;
use super::{DriverError, Gpu};
use crate::boxes::{BoxElement, BoxFill, BoxShape, EncodedMap, Matrix};

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
    /// The map of a matrix in this GPU's memory.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub(crate) fn encode(
        &self,
        matrix: &Matrix,
        shape: &BoxShape,
        fill: BoxFill,
        promotion: Promotion,
    ) -> Result<EncodedMap, DriverError> {
        self.bind()?;
        let mut map = CUtensorMap { opaque: [0; 16] };
        // The driver has the innermost dimension first.
        let (extents, strides) = ([matrix.cols, matrix.rows], [matrix.stride]);
        let (bounds, steps) = ([shape.cols as u32, shape.rows as u32], [1u32; 2]);
        // SAFETY: all pointers are to as many numbers as a map of two dimensions has, alive for the call.
        let encoded = unsafe {
            sys::cuTensorMapEncodeTiled(
                &raw mut map,
                data_type(shape.element),
                2,
                matrix.address as *mut c_void,
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
