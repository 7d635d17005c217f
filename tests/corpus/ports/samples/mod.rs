//! Kernels of cuda-samples, a theme a file.

mod finance;
mod reduction;
mod sorting;
mod stencils;
mod systems;

use crate::cases::Case;

pub(super) fn cases() -> Vec<Case> {
    [finance::cases(), reduction::cases(), sorting::cases(), stencils::cases(), systems::cases()].concat()
}
