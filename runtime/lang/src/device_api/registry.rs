//! Every builtin of the kernel language: the functions of [`device_api`](super) and the methods that kernels call.
//!
//! Device functions of the library itself (`#[gpu_fn]`, such as those of groups of lanes) are no builtins: they are made of
//! them.

use super::*;
use crate::ir::Builtin;

/// A builtin, and how a kernel calls it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The builtin, with its facts.
    pub builtin: &'static Builtin,
    /// Whether it is called as a method, `x.sqrt()`, or as an associated function, `f32::from_bits(b)`.
    pub is_method: bool,
    /// The module that defines it, below `device_api`: `atomic`, `methods::float`.
    pub place: &'static str,
}

impl Entry {
    /// Its Rust name.
    pub fn name(&self) -> &'static str {
        self.builtin.name.shown()
    }
}

/// Lists of builtins by the modules that define them.
macro_rules! lists {
    ($($place:literal [$($list:path),+ $(,)?];)+) => {
        [$(($place, [$($list as &'static [Builtin]),+].as_slice())),+]
    };
}

/// A module with its lists.
type Lists = (&'static str, &'static [&'static [Builtin]]);

/// The builtin of `copy_async_wait`, whose number is a generic argument.
static WAIT: &[Builtin] = &[copy_async::wait::<0>()];

/// The builtins that wait for bulk copies; their number is a generic argument, too.
static BULK_WAITS: &[Builtin] = &[bulk_copy::wait::<0>(), bulk_copy::wait_read::<0>()];

/// The builtins of warpgroups with generic arguments.
static WARPGROUPS: &[Builtin] = &[
    wgmma::multiply::<crate::half::bf16, [[f32; 4]; 8], false, false>(),
    wgmma::multiply_registers::<crate::half::bf16, [[f32; 4]; 8], false>(),
    wgmma::wait::<0>(),
];

/// The builtins that set the number of registers; it is a generic argument.
static REGISTERS: &[Builtin] =
    &[setmaxnreg::fewer::<40>(), setmaxnreg::more::<232>(), setmaxnreg::of_role::<40>()];

/// The functions, by their modules.
static FUNCTIONS: &[Lists] = &lists! {
    "atomic" [atomic::builtins::ALL];
    "bulk_copy" [bulk_copy::builtins::ALL, BULK_WAITS];
    "cluster" [cluster::builtins::ALL];
    "convert" [convert::to_integers::ALL, convert::to_floats::ALL, convert::builtins::ALL];
    "copy_async" [copy_async::builtins::ALL, WAIT];
    "dependency" [dependency::builtins::ALL];
    "fast" [fast::builtins::ALL];
    "fence" [fence::builtins::ALL];
    "fp8" [fp8::builtins::ALL];
    "hint" [hint::builtins::ALL];
    "index" [index::builtins::ALL];
    "int_intrinsics" [int_intrinsics::builtins::ALL];
    "ldmatrix" [ldmatrix::loads::ALL, ldmatrix::stores::ALL];
    "math::elementary" [math::elementary::builtins::ALL];
    "math::special" [math::special::builtins::ALL];
    "mbarrier" [mbarrier::builtins::ALL, mbarrier::asked::ALL];
    "memory" [memory::builtins::ALL, memory::BIT_CAST];
    "mma" [mma::builtins::ALL];
    "ordered" [ordered::scoped::ALL];
    "packed" [packed::of_one::ALL, packed::of_two::ALL, packed::builtins::ALL];
    "rounding" [
        rounding::add::ALL, rounding::sub::ALL, rounding::mul::ALL, rounding::fma::ALL, rounding::div::ALL,
        rounding::rcp::ALL, rounding::sqrt::ALL, rounding::builtins::ALL
    ];
    "setmaxnreg" [REGISTERS];
    "shuffle" [shuffle::builtins::ALL];
    "sync" [sync::builtins::ALL];
    "tensor_copy" [tensor_copy::ALL];
    "time" [time::builtins::ALL];
    "vote" [vote::builtins::ALL];
    "wgmma" [wgmma::builtins::ALL, WARPGROUPS];
};

/// The methods, by their modules.
static METHODS: &[Lists] = &lists! {
    "ordered" [ordered::method::ALL];
    "texture" [texture::ACCESSES, texture::EXTENT];
    "methods::ascii" [methods::lists::ascii::ALL];
    "methods::bytes" [methods::lists::bytes::ALL];
    "methods::float" [methods::lists::float::ALL];
    "methods::half" [methods::lists::half_conversion::ALL];
    "methods::int" [
        methods::lists::int::ALL,
        methods::lists::int_order::ALL,
        methods::lists::signed::ALL,
        methods::lists::unsigned::ALL,
    ];
    "methods::len" [methods::lists::VIEW_OFFSET];
    "methods::slices" [methods::lists::pointers::ALL];
    "methods::vector" [methods::lists::vector::ALL];
};

/// Every builtin: functions, then methods.
pub fn registry() -> impl Iterator<Item = Entry> {
    let entries = |is_method: bool| {
        move |(place, lists): &'static Lists| {
            let builtins = lists.iter().flat_map(|list| list.iter());
            builtins.map(move |builtin| Entry { builtin, is_method, place })
        }
    };
    FUNCTIONS.iter().flat_map(entries(false)).chain(METHODS.iter().flat_map(entries(true)))
}

#[cfg(test)]
mod tests;
