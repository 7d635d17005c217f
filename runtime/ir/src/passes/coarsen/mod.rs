//! Coarsening: an elementwise kernel whose threads each do several consecutive elements, with wide loads and stores.
//!
//! A kernel comes in whose threads each touch the elements at their own number of what they write. Out goes one whose
//! threads do `factor` of these threads' work: a wide path, in which elements are in registers between one load and
//! one store of each slice, and the kernel's own body in a loop, for what is left at the end. A kernel that cannot be
//! coarsened is refused, with the reason and its line.
//!
//! The wide path is taken where the guards around the whole body hold for all elements of the thread, and the slices are
//! as long. It reads no element that the body does not read, and writes none that it does not write. Knows no CUDA
//! text but that of its own two builtins, and no builtin by name.

mod access;
mod aliases;
mod build;
mod guards;
mod own_element;
mod refusal;
mod rewrite;
mod slices;
mod wide;

pub use refusal::{CoarsenRefusal, NotCoarsened};

use crate::ir::{CoarsenFactor, Module, Type};
use own_element::Threads;

/// The most elements of a thread; the fault record's address has room for their numbers.
pub const MOST_ELEMENTS: u32 = 16;

/// Bytes of the widest access.
const WIDEST: usize = 16;

/// The kernel with several elements a thread.
pub(super) fn coarsen(module: &Module, factor: CoarsenFactor) -> Result<Module, NotCoarsened> {
    refusal::check(module)?;
    let kernel = &module.kernel;
    let threads = Threads::new(kernel);
    access::check(kernel, &threads)?;
    let (mut body, mut bounds) = guards::without(kernel, &threads);
    aliases::replace(kernel, &mut body, &threads);
    let wide = access::wide(kernel, &body, &threads);
    let touched = access::touched(kernel, &body, &threads);
    let nothing =
        || NotCoarsened { kernel: kernel.name.clone(), why: CoarsenRefusal::NothingWide, at: kernel.at };
    let least = wide.iter().map(|slice| slice.elem.size()).min().ok_or_else(nothing)?;
    let factor = match factor {
        CoarsenFactor::Times(factor) => factor,
        CoarsenFactor::Widest => {
            fitting(least, touched.iter().filter_map(|slice| slice.ty(kernel).element()))
        }
    };
    // No element of the wide path needs a check.
    for slice in &touched {
        guards::add(&mut bounds, guards::Bound::below(slice.length(kernel)));
    }
    let coarsened = build::build(module, &threads, build::Plan { factor, slices: wide, bounds, body });
    refusal::check_positions(&coarsened)?;
    Ok(coarsened)
}

/// The number of elements per thread that makes the widest access of the largest element 16 bytes; accesses of neighbouring
/// threads then lie side by side. It gives the smallest elements at least four bytes, and is at least two.
fn fitting(least: usize, touched: impl Iterator<Item = Type>) -> u32 {
    let most = touched.map(|elem| elem.size()).max().unwrap_or(least);
    (WIDEST / most.max(1)).max(4 / least).max(2) as u32
}

#[cfg(test)]
mod tests;
