//! Writes random well-typed kernels as Rust source; run by the build script.
//!
//! What comes in is a seed and a number of kernels, what goes out is one module's text. The text
//! has no undefined behaviour and no panic in a build without overflow checks: divisors are not
//! zero, indices are masked, loops have few rounds, and nothing tells NaNs apart.

mod calls;
pub mod coverage;
mod expr;
mod kernel;
mod loop_locals;
mod loops;
mod matches;
mod memory;
mod names;
mod numbers;
mod operands;
mod places;
mod references;
mod scope;
mod slices;
mod stmt;
mod types;
mod warp;

use crate::random::Random;
use coverage::Coverage;
use types::Structs;

/// The module's text: structs, kernels, and the table of them.
pub fn module(seed: u64, kernels: usize) -> String {
    written(seed, kernels).0
}

/// The module's text, and how often each production occurs in it.
pub fn written(seed: u64, kernels: usize) -> (String, Coverage) {
    let (structs, mut text) = Structs::generate(&mut Random::of(seed, [u64::MAX, 0]));
    let (mut table, mut seen) = (String::new(), Coverage::new());
    if !coverage::without("hostile name of a struct") {
        seen.insert("hostile name of a struct", 1);
    }
    for index in 0..kernels {
        let kernel = kernel::kernel(&mut Random::of(seed, [index as u64, 1]), &structs, index);
        let name = &kernel.name;
        // A module each: functions of several kernels may have one name.
        text += &format!(
            "// kernel {name}\npub mod in_{name} {{\nuse super::*;\n\n{}}}\n// end\npub use in_{name}::{name};\n\n",
            indented(&kernel.source)
        );
        let mut instances: Vec<_> = kernel.instances.iter().map(|n| format!("::<{n}>")).collect();
        if instances.is_empty() {
            instances.push(String::new());
        }
        let (statements, expressions) = (kernel.holes.statements, kernel.holes.expressions);
        for instance in instances {
            table += &format!("    program!({name}{instance}, {statements}, {expressions}),\n");
        }
        for (production, times) in kernel.seen {
            *seen.entry(production).or_default() += times;
        }
    }
    let table = format!(
        "/// Every kernel, each instance of a generic one by itself.\npub const PROGRAMS: &[Program] = &[\n{table}];\n"
    );
    (text + &table, seen)
}

/// Source with four spaces for each brace that is open.
fn indented(source: &str) -> String {
    let mut depth = 0i32;
    let mut text = String::new();
    for line in source.lines() {
        let count = |c: char| line.matches(c).count() as i32;
        let closing = line.chars().take_while(|c| *c == '}').count() as i32;
        let indent = (depth - closing).max(0) as usize;
        text += &format!("{:1$}{2}\n", "", indent * 4, line);
        depth += count('{') - count('}');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few enough that the programs of one run of the fuzzer reach every production.
    const KERNELS: usize = 120;

    #[test]
    fn every_production_occurs_for_every_seed() {
        for seed in [1, 2, 99] {
            let (_, seen) = written(seed, KERNELS);
            println!("seed {seed}, {KERNELS} kernels");
            for production in coverage::PRODUCTIONS {
                println!("{:6}  {production}", seen.get(production).copied().unwrap_or(0));
            }
            let missing: Vec<_> = coverage::PRODUCTIONS.iter().filter(|p| !seen.contains_key(**p)).collect();
            assert!(missing.is_empty(), "seed {seed}: never written: {missing:?}");
            let unknown: Vec<_> = seen.keys().filter(|p| !coverage::PRODUCTIONS.contains(p)).collect();
            assert!(unknown.is_empty(), "not in the table: {unknown:?}");
        }
    }

    #[test]
    fn every_class_of_wrong_code_has_its_productions() {
        let (_, seen) = written(1, KERNELS);
        assert_eq!(coverage::CLASSES.len(), 19);
        for (class, productions) in coverage::CLASSES {
            for production in *productions {
                assert!(seen.get(production).is_some_and(|n| *n >= 3), "{class}: {production}: {seen:?}");
            }
        }
    }
}
