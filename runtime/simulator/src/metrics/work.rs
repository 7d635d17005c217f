//! The operations and bytes of a launch, for a roofline.

/// The operations and bytes of a launch.
///
/// The author counts both; bytes are those that global memory moves, so what a cache serves is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Work {
    /// Floating-point operations; a fused multiply-add is two.
    pub flops: f64,
    /// Bytes read and written.
    pub bytes: f64,
}

impl Work {
    /// `flops` operations on `bytes` bytes.
    pub fn new(flops: f64, bytes: f64) -> Self {
        Self { flops, bytes }
    }

    /// Arithmetic intensity, in FLOP/B.
    pub fn intensity(&self) -> f64 {
        self.flops / self.bytes
    }
}
