//! Tensors of four dimensions in device memory, whose elements lie one after another.

use warpsmith::args::{SliceArg, SliceMutArg};

use super::fits::elements;
use super::slice::{Input, Output};
use crate::error::KernelError;

/// A tensor of four dimensions that a call reads, for `'a`; [`tensor4`] makes it.
#[derive(Clone, Debug)]
pub struct Tensor4<'a, T> {
    memory: Input<'a, T>,
    extents: [usize; 4],
}

/// A tensor of four dimensions that a call writes, for `'a`; [`tensor4_mut`] makes it.
#[derive(Debug)]
pub struct Tensor4Mut<'a, T> {
    memory: Output<'a, T>,
    extents: [usize; 4],
}

/// The first elements of `memory` as a tensor of these extents, the last of them innermost.
///
/// # Errors
/// [`KernelError::Shape`] if there are fewer elements.
pub fn tensor4<'a, T>(
    memory: impl SliceArg<'a, T>,
    extents: [usize; 4],
) -> Result<Tensor4<'a, T>, KernelError> {
    let memory = Input::new(memory);
    within(&extents, memory.len())?;
    Ok(Tensor4 { memory, extents })
}

/// The same to write.
///
/// # Errors
/// Those of [`tensor4`].
pub fn tensor4_mut<'a, T>(
    memory: impl SliceMutArg<'a, T>,
    extents: [usize; 4],
) -> Result<Tensor4Mut<'a, T>, KernelError> {
    let memory = Output::new(memory);
    within(&extents, memory.len())?;
    Ok(Tensor4Mut { memory, extents })
}

macro_rules! in_memory {
    ($($name:ident of $memory:ident;)+) => {$(
        impl<'a, T> $name<'a, T> {
            /// Extents, the outermost first.
            pub fn extents(&self) -> [usize; 4] {
                self.extents
            }

            /// The memory, from the first element on.
            pub fn memory(&self) -> &$memory<'a, T> {
                &self.memory
            }

            /// The memory by itself.
            pub fn into_memory(self) -> $memory<'a, T> {
                self.memory
            }
        }
    )+};
}

impl<T> Tensor4Mut<'_, T> {
    /// The same memory for the plan of a call, which launches nothing.
    pub(crate) fn planned(&self) -> Self {
        Self { memory: self.memory.planned(), extents: self.extents }
    }
}

in_memory! {
    Tensor4 of Input;
    Tensor4Mut of Output;
}

/// Refuses extents of more elements than there are.
pub(super) fn within(extents: &[usize], len: usize) -> Result<(), KernelError> {
    match elements(extents) {
        Some(needed) if needed <= len => Ok(()),
        needed => Err(KernelError::Shape {
            what: "tensor",
            expected: needed.map_or_else(
                || "more elements than there can be".to_owned(),
                |needed| format!("{needed}, for the extents {extents:?}"),
            ),
            got: format!("{len} elements"),
            way_out: "pass more memory, or smaller extents",
        }),
    }
}
