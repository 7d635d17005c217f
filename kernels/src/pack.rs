//! Sixteen bytes of elements, which one instruction loads or stores.

use warpsmith::prelude::*;

/// `N` elements that fill 16 bytes together, and begin at a multiple of them.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C, align(16))]
pub struct Pack<T, const N: usize>(pub [T; N]);

/// The bytes of a pack.
pub const PACK_BYTES: usize = 16;
