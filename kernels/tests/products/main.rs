//! Products of matrices against references on the host in `f64`: on the simulator with all checks, and on a GPU if there is one.

mod data;
mod gemm;
