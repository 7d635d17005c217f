//! Whose sources a line is in: a fault within a device function of the library has the line of the user's call.

use crate::ir::is_in;

/// The folders of the crates that have device functions.
pub(crate) const LIBRARY: &[&str] = &[warpsmith_lang::SOURCES, warpsmith_tiles::SOURCES];

/// Returns whether a file is the library's.
pub(crate) fn is_library(file: &str) -> bool {
    is_in(LIBRARY, file)
}
