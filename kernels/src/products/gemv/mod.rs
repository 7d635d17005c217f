//! Products of a matrix and a vector. Each element of the matrix is read once, so the memory's bandwidth decides.

mod blocks;
mod call;
mod columns;
mod digits;
mod quantized;
mod quantized_call;
mod rows;
mod vector_digits;

pub use blocks::{BLOCK, HostBlock, Pair, Q4_0, Q8_0, Quantized, TwoBlocks};
pub use call::{Gemv, gemv};
pub use columns::gemv_columns;
pub use digits::gemv_quantized_digits;
pub use quantized::gemv_quantized_rows;
pub use quantized_call::{GemvQuantized, gemv_quantized};
pub use rows::{Lines, gemv_long_rows, gemv_rows};
pub(crate) use rows::{finished, loaded};
