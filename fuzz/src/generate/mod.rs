//! Writes random well-typed kernels as Rust source; run by the build script.
//!
//! What comes in is a seed and a number of kernels, what goes out is one module's text. The text
//! has no undefined behaviour and no panic in a build without overflow checks: divisors are not
//! zero, indices are masked, loops have few rounds, and nothing tells NaNs apart.

mod calls;
mod expr;
mod kernel;
mod loops;
mod matches;
mod numbers;
mod scope;
mod stmt;
mod types;
mod warp;

use crate::random::Random;
use types::Structs;

/// The module's text: structs, kernels, and the table of them.
pub fn module(seed: u64, kernels: usize) -> String {
    let (structs, mut text) = Structs::generate(&mut Random::of(seed, [u64::MAX, 0]));
    let mut table = String::new();
    for index in 0..kernels {
        let kernel = kernel::kernel(&mut Random::of(seed, [index as u64, 1]), &structs, index);
        text += &format!("// kernel {}\n{}// end\n\n", kernel.name, indented(&kernel.source));
        let mut instances: Vec<_> = kernel.instances.iter().map(|n| format!("::<{n}>")).collect();
        if instances.is_empty() {
            instances.push(String::new());
        }
        for instance in instances {
            table += &format!("    program!({}{instance}, {}),\n", kernel.name, kernel.statements);
        }
    }
    text + &format!(
        "/// Every kernel, each instance of a generic one by itself.\npub const PROGRAMS: &[Program] = &[\n{table}];\n"
    )
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
