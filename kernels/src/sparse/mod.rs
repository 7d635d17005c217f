//! Products of sparse matrices in compressed rows (CSR) with vectors and with dense matrices.
//!
//! Row ends and non-zeros are merged into one list, in memory order, and every block takes an equal share of it (as in merge-path SpMV).
//! So the time of a row depends only on the number of its items. A last kernel combines the sums of rows that several blocks share, in a
//! fixed order.

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
