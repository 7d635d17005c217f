//! Device types: scalars, vectors, slices, views, shared arrays, enums and their operators, as Rust types that a kernel may
//! use, and as their values while a kernel is simulated. This module is independent of CUDA text.

mod bound;
mod chunks;
mod enums;
pub(crate) mod equality;
mod gotten;
mod index;
pub mod lend;
mod matrix;
pub mod operators;
mod pointer;
mod range;
mod reverse;
mod rows;
mod scalar;
mod shared;
mod slice;
pub mod vector;
mod vector_parts;
mod view;

pub use crate::device_type::{AnyBits, Constant, DeviceType, GpuType, InShared};
#[doc(hidden)]
pub use bound::{check_index, check_range};
pub use chunks::{ArrayParts, Chunks, ChunksMut};
pub use enums::no_variant;
#[doc(hidden)]
pub(crate) use enums::none;
pub use gotten::{GetPart, GetPartMut};
pub use index::{
    IndexInteger, IndexOfAnyType, IndexOfUsize, IndexType, tie, tied, tied_bounds, to_index2, to_index3,
};
#[cfg(test)]
pub(crate) use matrix::RawParts;
pub use matrix::{View2, View3, ViewMut2, ViewMut3};
pub use range::PartRange;
pub use rows::{Planes, PlanesMut, Rows, RowsMut};
pub use shared::{Plane, Row, Shared, Shared2, Shared3};
pub use slice::{
    ArrayMethods, Elements, ElementsMut, PartIndex, ReinterpretArray, Slice, Sliceable, SliceableMut,
};
pub(crate) use slice::{reinterpreted, split, to_read};
pub(crate) use vector_parts::Parts;
pub use view::{View, ViewMut};
