//! Spectra: fast Fourier transforms of the rows of a matrix.
//!
//! A row of up to 2^13 elements is transformed by one block, whose threads have 16 elements each in registers and exchange them through
//! shared memory. A longer row is taken as a matrix: one launch transforms its columns, and another one its rows.

mod blocks;
mod call;
mod complex;
mod kernel;
mod radix;
mod sequences;

pub use call::{Fft, fft, ifft};
pub use complex::Complex32;
pub use kernel::fft_tile;
pub use sequences::{Sequences, Span};
