//! Spectra: fast Fourier transforms of the rows of a matrix.
//!
//! Threads have 16 or 32 elements each in registers, and exchange them through shared memory. A warp takes several short rows. A row of up to
//! 2^14 elements is transformed by one block. A longer row is treated as a matrix: one launch transforms its columns, and another one its rows.
//! A real row is treated as a complex one of half the length, and a thread transforms a short one by itself. What joins or splits the halves of
//! spectra is a part of these launches.

mod blocks;
mod call;
mod complex;
mod half_blocks;
mod halves;
mod kernel;
mod matrices;
mod passes;
mod radix;
mod real;
mod real_long;
mod real_rows;
mod real_short;
mod sequences;
mod short;
mod ways;

pub use call::{Fft, fft, ifft};
pub use complex::Complex32;
pub use halves::{HalfRows, fft_pair_up, fft_take_apart};
pub use kernel::fft_tile;
pub use real::{Irfft, Rfft, irfft, rfft};
pub use real_long::{irfft_split_columns, rfft_join_rows};
pub use real_rows::{irfft_rows, rfft_rows};
pub use real_short::{RealRows, irfft_short_rows, rfft_short_rows};
pub use sequences::{Sequences, Span};
pub use short::{ShortRows, fft_short_rows};
