//! Tensor maps, as kernels see them.

use std::fmt::{self, Display, Formatter};

use super::Type;

/// How a map sees a tensor: the extents of its boxes, and how they lie in shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMapType {
    /// The type of the tensor's elements.
    pub elem: Type,
    /// Extents of a box, the outermost first: as many as the tensor has dimensions.
    pub extents: &'static [usize],
    /// Bytes of the spans in which units of sixteen bytes change places; 0 of boxes row after row.
    pub span: usize,
    /// Whether the kernel may write the tensor.
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
        let Self { elem, extents, span, writable } = self;
        let extents: String = extents.iter().map(|extent| format!("{extent}x")).collect();
        format!("map{}_{}_{extents}{span}", if *writable { "_mut" } else { "" }, elem.suffix())
    }
}

impl Display for TensorMapType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { elem, extents, span, writable } = self;
        let rank = if extents.len() == 2 { String::new() } else { extents.len().to_string() };
        write!(f, "TensorMap{}{rank}<{elem}, ", if *writable { "Mut" } else { "" })?;
        extents.iter().try_for_each(|extent| write!(f, "{extent}, "))?;
        write!(f, "{span}>")
    }
}
