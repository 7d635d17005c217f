//! The moment of evaluation: loop heads, operands, places behind patterns and references, captures.
//!
//! Each kernel is run by every executor, which must agree: the twin is rustc's own code of the same lines.

// Kernels are written as what they test asks, also where Rust has a shorter form.
#![allow(
    clippy::borrow_deref_ref,
    clippy::clone_on_copy,
    clippy::explicit_auto_deref,
    clippy::explicit_counter_loop,
    clippy::match_single_binding,
    clippy::mut_range_bound,
    clippy::needless_borrow,
    clippy::needless_late_init,
    clippy::needless_lifetimes,
    clippy::never_loop,
    clippy::precedence,
    clippy::redundant_closure_call,
    clippy::unnecessary_fold
)]

mod capitals;
mod captures;
mod counts;
mod edges;
mod halves;
mod indexed;
mod inferred;
mod moments;
mod nothing;
mod operands;
mod operators;
mod places;
mod statics;
mod values;

use warpsmith::prelude::*;

use super::{everywhere, written};

/// Elements of the input and of the output.
const LEN: usize = 16;

/// Runs a kernel of one thread on `0..16`; the output begins as `100..116`.
pub(super) fn run<K: Kernel<Comptime = ()>>(
    launch: impl Fn(&Buffer<u64>, &mut Buffer<u64>, &Device) -> warpsmith::Result<()>,
) {
    everywhere::<K>(&(), |device| {
        let x = device.upload(&(0..LEN as u64).collect::<Vec<_>>()).expect("memory");
        let out = written(device, (LEN, 100), |out| launch(&x, out, device));
        assert!(out.iter().any(|v| *v != 100), "{} wrote nothing on {}", K::NAME, device.name());
    });
}

/// Tests of kernels of one form, `fn(x: &[u64], out: &mut [u64])`.
macro_rules! agree {
    ($($name:ident)+) => {
        mod agree {
            $(
                #[test]
                fn $name() {
                    super::super::run::<super::$name>(|x, out, device| {
                        super::$name(x, out).grid(1).block(1).launch(device)
                    });
                }
            )+
        }
    };
}
pub(super) use agree;
