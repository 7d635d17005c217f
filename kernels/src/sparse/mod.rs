//! Products of sparse matrices in compressed rows (CSR) with vectors and with dense matrices.
//!
//! The ends of rows and the non-zeros are merged into one list, in the order of the memory, and every block takes as many items of it as
//! any other. So long rows, short rows and empty rows take as long as their items. Blocks that share a row leave their sums to a kernel
//! that joins them in a fixed order.

mod call;
mod csr;
mod cut;
mod matrix;
mod matrix_call;
mod sums;
mod tiles;
mod tiling;
mod vector;

pub use call::{Spmv, spmv};
pub use csr::{Csr, Index, Offset, csr};
pub use cut::{Parts, join_cut_rows};
pub use matrix::{Dense, csr_times_matrix};
pub use matrix_call::{Spmm, spmm};
pub use sums::Scale;
pub use tiles::{Start, csr_tiles};
pub use vector::csr_times_vector;
