//! Kernels of llm.c, a theme a file.

mod attention;
mod layers;
mod norm;
mod train;

use crate::cases::Case;

pub(super) fn cases() -> Vec<Case> {
    [attention::cases(), layers::cases(), norm::cases(), train::cases()].concat()
}
