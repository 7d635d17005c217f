//! Arrays of any number of dimensions in device memory, whose elements lie one after another.

use warpsmith::args::SliceArg;

use super::slice::Input;
use super::tensor4::within;
use crate::error::KernelError;

/// An array that a call reads, for `'a`; [`array()`] makes it.
#[derive(Clone, Debug)]
pub struct Array<'a, T> {
    memory: Input<'a, T>,
    extents: Vec<usize>,
}

/// The first elements of `memory` as an array of these extents, the last of them innermost.
///
/// # Errors
/// [`KernelError::Shape`] if there are fewer elements.
pub fn array<'a, T>(memory: impl SliceArg<'a, T>, extents: &[usize]) -> Result<Array<'a, T>, KernelError> {
    let memory = Input::new(memory);
    within(extents, memory.len())?;
    Ok(Array { memory, extents: extents.to_vec() })
}

impl<'a, T> Array<'a, T> {
    /// Extents, the outermost first.
    pub fn extents(&self) -> &[usize] {
        &self.extents
    }

    /// The memory, from the first element on.
    pub fn memory(&self) -> &Input<'a, T> {
        &self.memory
    }
}
