//! A failure as a report to read: with as few statements and expressions as show it, in Rust and in CUDA.

use crate::compare::{Bench, Failure, checked};
use crate::inputs::Comptime;
use crate::programs::Program;
use crate::shrink::shrink;
use crate::simplify;

/// The failure's smallest variant, its Rust and its CUDA.
pub fn report(bench: &mut Bench, program: &Program, comptime: &Comptime, failure: &Failure) -> String {
    let (a, b, pick, mask, cut) = *comptime;
    let mut last = failure.clone();
    let every = u64::MAX.checked_shr(64 - program.expressions as u32).unwrap_or(0);
    let mut fails = |mask: u64, kept: u64| {
        let comptime = (a, b, pick, mask, every & !kept);
        let found = match failure {
            // Nothing is run for what no text can be made of.
            Failure::Refused(_) => checked(program, &comptime).err(),
            _ => bench.compare_with(program, &comptime, failure.runner()).err(),
        };
        match found {
            Some(found) if found.is_like(failure) => {
                last = found;
                true
            }
            _ => false,
        }
    };
    let mut kept = every & !cut;
    let mut mask = shrink(mask, |mask| fails(mask, kept));
    kept = shrink(kept, |kept| fails(mask, kept));
    mask = shrink(mask, |mask| fails(mask, kept));
    let small = (a, b, pick, mask, every & !kept);
    let cuda = checked(program, &small).unwrap_or_else(|refused| refused.to_string());
    format!(
        "---- {} of seed {}: {last}\n(a, b, pick, mask, cut) = {small:?}\n\n{}\n{cuda}",
        program.name,
        crate::SEED,
        simplify::rust(program.source(), small),
    )
}
