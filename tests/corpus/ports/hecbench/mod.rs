//! Kernels of HeCBench, a theme a file.

mod bytes;
mod numbers;
mod random;
mod solvers;
mod text;

use crate::cases::Case;

pub(super) fn cases() -> Vec<Case> {
    [bytes::cases(), numbers::cases(), random::cases(), solvers::cases(), text::cases()].concat()
}
