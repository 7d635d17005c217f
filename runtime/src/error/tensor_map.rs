//! The reasons why a tensor map cannot be made.

use std::fmt;

/// Why a tensor map cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TensorMapError {
    /// An extent that a tensor map cannot have.
    #[error("a tensor map cannot have {extent} {what}; it has 1 to {limit} of them")]
    Extent {
        /// The dimension: `rows`, `columns`, `planes`.
        what: &'static str,
        /// The requested extent.
        extent: usize,
        /// The most.
        limit: u64,
    },
    /// More elements than the memory has.
    #[error("a tensor map of {extents} elements needs more memory than the {len} elements there are; map fewer {}, or use other strides", .extents.outermost())]
    Elements {
        /// The requested extents, the outermost first.
        extents: Extents,
        /// Elements that there are.
        len: usize,
    },
    /// An address that is not a multiple of 16.
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
    /// A stride that is not a multiple of 16 bytes, or too large.
    #[error(
        "{what} of the tensor are {stride} bytes apart ({cols} columns of `{element}`); the copy engine takes multiples of 16 from \
         16 to below 2^40: allocate it by `device.alloc_pitched`, or map a multiple of {multiple} columns"
    )]
    Stride {
        /// The dimension: `rows`, `planes`.
        what: &'static str,
        /// Bytes from one to the next.
        stride: usize,
        /// Columns of a row.
        cols: usize,
        /// The elements' type.
        element: &'static str,
        /// Elements of 16 bytes.
        multiple: usize,
    },
    /// Elements of a row that are not contiguous.
    #[error(
        "elements of the tensor's last dimension are {stride} apart; the copy engine needs them to be contiguous: make the last \
         stride 1, and reorder the dimensions"
    )]
    InnerStride {
        /// Elements from one to the next.
        stride: usize,
    },
    /// A box of several planes.
    #[error(
        "a matrix map cannot cover a box of {planes} planes; take one plane with `volume.part(plane..=plane, .., ..)`, or map all of them \
         with `part.tensor().map()`"
    )]
    Planes {
        /// The number of planes.
        planes: usize,
    },
    /// A fill with NaN for integers.
    #[error(
        "a tensor map of `{element}` cannot fill with NaN, which only floats have; leave out `fill_nan()`"
    )]
    Nan {
        /// The elements' type.
        element: &'static str,
    },
    /// A GPU without a copy engine.
    #[error(
        "tensor maps need compute capability 9.0, and the GPU has {}.{}; load tiles with `Tile::load_async` there",
        .has.0, .has.1
    )]
    Device {
        /// The GPU's compute capability.
        has: (u32, u32),
    },
}

/// Extents of a tensor, the outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extents(pub Vec<usize>);

impl Extents {
    fn outermost(&self) -> &'static str {
        dimension(self.0.len(), 0)
    }
}

impl fmt::Display for Extents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, extent) in self.0.iter().enumerate() {
            write!(f, "{}{extent}", if i == 0 { "" } else { " by " })?;
        }
        Ok(())
    }
}

/// The name of a dimension of a tensor, the outermost of which is 0.
pub(crate) fn dimension(rank: usize, dimension: usize) -> &'static str {
    const NAMES: [&str; 5] = ["batches", "volumes", "planes", "rows", "columns"];
    match (rank, dimension) {
        (4, 0) => NAMES[0],
        _ => NAMES.get((NAMES.len() + dimension).saturating_sub(rank)).copied().unwrap_or("elements"),
    }
}
