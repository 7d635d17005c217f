//! Kernels of Rodinia, a theme a file.

mod cells;
mod graphs;
pub mod grids;
mod matrices;
pub mod physics;

use crate::cases::Case;

pub(super) fn cases() -> Vec<Case> {
    [cells::cases(), graphs::cases(), grids::cases(), matrices::cases(), physics::cases()].concat()
}
