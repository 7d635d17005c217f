//! Rows: functions of each row of a matrix: softmax, normalisations, cross entropy.
//!
//! Rows are computed in `f32`, from elements of `f32`, `f16` or `bf16`. A row is read once where it fits the registers of a block: up
//! to 128 KiB, or 32,768 elements that do not come in packs of 16 bytes. Wider rows are read twice.
//! [`Call::plan`](crate::Call::plan) says how.

mod call;
mod cross_entropy;
mod function;
mod kernels;
mod lanes;
mod packed;
mod plan;
mod quantized;
mod rotary;

pub use call::{Norm, Rows, RowsOutput, layer_norm, log_softmax, rms_norm, softmax};
pub use cross_entropy::{CrossEntropy, Logits, cross_entropy, cross_entropy_rows};
pub use function::{LayerNorm, LogSoftmax, RmsNorm, RowFunction, Softmax};
pub use kernels::{Extents, rows_in_registers, rows_twice};
pub use packed::{Packed, RowElement, Words};
pub use quantized::{Quanta, Quantized, Quantum, layer_norm_quantized, quantized_rows, rms_norm_quantized};
pub use rotary::{Heads, Rotary, rotary, rotary_heads, rotary_in_place};
