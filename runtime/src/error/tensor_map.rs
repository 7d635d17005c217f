//! The reasons why the copy engine cannot take a matrix.

/// Why there is no such map of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TensorMapError {
    /// A number of rows or columns that no map has.
    #[error("a map of a tensor of {extent} {what}; it has 1 to {limit} of them")]
    Extent {
        /// `rows` or `columns`.
        what: &'static str,
        /// The requested extent.
        extent: usize,
        /// The most.
        limit: u64,
    },
    /// More elements than the memory has.
    #[error("a map of {rows} by {cols} elements of memory that has {len}; map fewer rows")]
    Elements {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        cols: usize,
        /// Elements that there are.
        len: usize,
    },
    /// An address that is no multiple of 16.
    #[error(
        "the tensor begins {beyond} bytes beyond a multiple of 16, at {address:#x}; the copy engine takes multiples of 16: \
         let the part begin at another element, or copy it to a buffer of its own"
    )]
    Address {
        /// The address.
        address: u64,
        /// Bytes past a multiple of 16.
        beyond: u64,
    },
    /// Rows that are no multiple of 16 bytes apart, or too far.
    #[error(
        "rows of the tensor are {stride} bytes apart ({cols} columns of `{element}`); the copy engine takes multiples of 16 below \
         2^40: allocate it by `device.alloc_pitched`, or map a multiple of {multiple} columns"
    )]
    Stride {
        /// Bytes from one row to the next.
        stride: usize,
        /// Columns of a row.
        cols: usize,
        /// The elements' type.
        element: &'static str,
        /// Elements of 16 bytes.
        multiple: usize,
    },
    /// A box of several planes.
    #[error(
        "a map of a box of {planes} planes; maps are of matrices: take one plane, by `volume.part(plane..=plane, .., ..)`"
    )]
    Planes {
        /// The number of planes.
        planes: usize,
    },
    /// NaNs of integers.
    #[error("a map of `{element}` that fills with NaN, which integers have not; leave out `fill_nan()`")]
    Nan {
        /// The elements' type.
        element: &'static str,
    },
    /// A GPU without a copy engine.
    #[error(
        "a map of a tensor on a GPU of compute capability {}.{}; copies of boxes need 9.0: load tiles by `Tile::load_async` there",
        .has.0, .has.1
    )]
    Device {
        /// The GPU's compute capability.
        has: (u32, u32),
    },
}
