//! The ranges of integers: the one analysis, which passes and the printer use.
//!
//! A function comes in, with the facts from guards and loops around an expression. A [`Range`] goes out, whose upper end
//! may be in terms of values that a launch knows, or an [`Interval`] of plain numbers. Results of builtins lie in the
//! ranges of their facts. This module is independent of CUDA text and of the names of builtins.

mod addends;
mod alternatives;
mod arithmetic;
mod bits;
mod butterflies;
mod changes;
mod choice;
mod chosen;
mod conditions;
mod contents;
mod divided;
mod elements;
mod field_vars;
mod flags;
mod given;
mod guards;
mod held;
mod interval;
mod known;
mod lent;
mod loads;
mod memo;
mod orders;
mod parts;
mod paths;
mod place;
mod position;
mod products;
mod range;
mod results;
mod returned;
mod scope;
mod sums;

pub(crate) use changes::{assigned, changed, declared, lent, root};
pub(crate) use contents::Held;
pub(crate) use field_vars::{LEN, has_lent_fields, is_len};
pub(crate) use given::Fields;
pub(crate) use held::{enum_of, held_place, tracked};
pub(crate) use interval::Interval;
pub(crate) use known::{Known, Order, is_readable, same, strip};
pub(crate) use loads::{has_load, mentions, writes};
pub(crate) use paths::{field_of, fields, lent_path, path_of, whole};
pub(crate) use place::axes;
pub(crate) use products::{Product, scaled};
pub(crate) use range::{Range, integer, joined};
pub(crate) use returned::replace;
pub(crate) use scope::{Caller, FunctionScope, Kind};

#[cfg(test)]
mod tests;
