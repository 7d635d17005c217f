//! Movement: transposes, permutations of axes, strided copies, concatenations and margins, of elements of any size.
//!
//! Elements are moved as bits. [`Call::plan`](crate::Call::plan) says whether they are transposed through shared memory or copied,
//! and in which accesses.

mod axes;
mod call;
mod concat;
mod concat_kernel;
mod indexed;
mod kernels;
mod pad;
mod pad_kernels;
mod plan;

pub use axes::{Axis, Outer};
pub use call::{Movement, copy, permute, transpose};
pub use concat::{Concat, concat};
pub use concat_kernel::{Parts, concat_rows};
pub use indexed::{Named, NamedRows, gather_rows, named_rows, scatter_rows};
pub use kernels::{Turned, copy_rows, transpose_bytes, transpose_elements, transpose_packs};
pub use pad::{Pad, pad};
pub use pad_kernels::{Margin, Margins, Pieces, pad_elements, pad_packs};
