//! The operations and bytes of a launch, for a roofline.

use warpsmith_ir::ir::TensorFormat;

/// The operations and bytes of a launch.
///
/// The author counts both; bytes are those that global memory moves, so what a cache serves is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Work {
    /// Floating-point operations without those of the tensor cores; a fused multiply-add is two.
    pub flops: f64,
    /// Bytes read and written.
    pub bytes: f64,
    /// Operations of the tensor cores, in the order of [`TensorFormat::ALL`].
    tensor: [f64; TensorFormat::ALL.len()],
}

impl Work {
    /// `flops` operations on `bytes` bytes.
    pub fn new(flops: f64, bytes: f64) -> Self {
        Self { flops, bytes, tensor: [0.0; TensorFormat::ALL.len()] }
    }

    /// Adds operations of the tensor cores on elements of a format; a multiply-add is two.
    pub fn with_tensor(mut self, format: TensorFormat, operations: f64) -> Self {
        self.tensor[format as usize] += operations;
        self
    }

    /// Operations of the tensor cores on elements of a format.
    pub fn tensor(&self, format: TensorFormat) -> f64 {
        self.tensor[format as usize]
    }

    /// All operations, those of the tensor cores included.
    pub fn operations(&self) -> f64 {
        self.flops + self.tensor.iter().sum::<f64>()
    }

    /// Arithmetic intensity, in FLOP/B.
    pub fn intensity(&self) -> f64 {
        self.operations() / self.bytes
    }
}
