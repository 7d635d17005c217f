//! Indices of blocks and threads in messages.

/// An index as CUDA programmers write it, `(x, y, z)`.
#[doc(hidden)]
pub fn triple([x, y, z]: &[u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}
