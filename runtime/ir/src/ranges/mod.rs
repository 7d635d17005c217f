//! What integers never leave: the one analysis of ranges, which passes and the printer ask.
//!
//! What comes in is a function, and what guards and loops around an expression tell of it; what goes out is a [`Range`],
//! whose upper end may be in terms of what a launch knows, or an [`Interval`] of plain numbers. Results of builtins lie
//! where their facts say. Knows no CUDA text and no builtin by name.

mod arithmetic;
mod bits;
mod interval;
mod known;
mod place;
mod position;
mod range;
mod scope;

pub(crate) use interval::Interval;
pub(crate) use known::{Known, assigned, root, same};
pub(crate) use place::{Length, axes};
pub(crate) use range::{Range, integer, joined};
pub(crate) use scope::{Caller, FunctionScope, Kind};

#[cfg(test)]
mod tests;
