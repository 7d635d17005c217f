//! Parameters of kernels that are tensor maps.

use crate::ir::Prelude;

/// The first compute capability whose copy engine knows maps.
pub(super) const MIN_COMPUTE: (u32, u32) = (9, 0);

/// A map as the driver encodes it. The instructions that take one want its address, so kernels have it by value in memory
/// that nothing copies.
pub static TENSOR_MAP: Prelude = Prelude {
    name: "ws_TensorMap",
    code: "struct __align__(64) ws_TensorMap {\n    unsigned long long words[16];\n};\n",
    needs: &[],
};
