//! Maps of tensors, as kernels see them.

use std::fmt::{self, Display, Formatter};

use super::Type;

/// How a map sees a matrix: boxes of `rows` × `cols` elements, and how they lie in shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMapType {
    /// The type of the matrix's elements.
    pub elem: Type,
    /// Rows of a box.
    pub rows: usize,
    /// Columns of a box.
    pub cols: usize,
    /// Bytes of the spans in which units of sixteen bytes change places; 0 of boxes row after row.
    pub span: usize,
    /// Whether the kernel may write the matrix.
    pub writable: bool,
}

impl TensorMapType {
    /// Bytes of a map.
    ///
    /// Source: CUDA Driver API, `CUtensorMap`.
    pub const SIZE: usize = 128;
    /// Alignment of a map, in bytes.
    ///
    /// Source: CUDA Driver API, `cuTensorMapEncodeTiled`.
    pub const ALIGN: usize = 64;

    /// The type as a part of a C identifier.
    pub fn suffix(&self) -> String {
        let Self { elem, rows, cols, span, writable } = self;
        format!("map{}_{}_{rows}x{cols}x{span}", if *writable { "_mut" } else { "" }, elem.suffix())
    }
}

impl Display for TensorMapType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { elem, rows, cols, span, writable } = self;
        write!(f, "TensorMap{}<{elem}, {rows}, {cols}, {span}>", if *writable { "Mut" } else { "" })
    }
}
