//! Metrics of real kernels on the simulator: the figures of the course that the kernels come from, and
//! counts that follow from the launches.

mod assertions;
mod by_hand;
mod figures;
mod ncu;
mod pages;
mod snapshots;
mod tensors;
