//! The sums of a device beside those of the simulator's settings, on all cores.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use corpus::random_products::{Instruction, Pools, STYLES};
use warpsmith::simulator::TensorCores;

use super::hypothesis::{Hypothesis, hypotheses};

/// Products of a part that are looked at more closely.
pub const TRIED: u32 = 256;

/// What a comparison found.
#[derive(Default)]
pub struct Comparison {
    sums: u64,
    wrong: u64,
    /// Sums that are not exact ones.
    inexact: u64,
    examples: Vec<String>,
    /// Sums that the hypotheses were tried on.
    tried: usize,
    styles: BTreeMap<[u8; 2], u64>,
    hypotheses: Vec<(u64, Hypothesis)>,
}

impl Comparison {
    /// Sums that differ.
    pub fn wrong(&self) -> u64 {
        self.wrong
    }

    /// Compares the sums of products.
    pub fn add(&mut self, of: &Instruction, pools: &Pools, numbers: Range<u32>, got: &[u64]) {
        self.add_part(of, pools, numbers.clone(), got);
        if self.wrong > 0 && self.hypotheses.is_empty() {
            let tried = numbers.start..numbers.end.min(numbers.start + TRIED);
            self.tried = tried.len() * of.compared();
            let count = |one: Hypothesis| (one.wrong(of, pools, tried.clone(), got), one);
            self.hypotheses = hypotheses(of).into_iter().map(count).collect();
            self.hypotheses.sort_by_key(|one| one.0);
        }
    }

    fn add_part(&mut self, of: &Instruction, pools: &Pools, numbers: Range<u32>, got: &[u64]) {
        let places = numbers.flat_map(|product| (0..of.compared()).map(move |sum| (product, sum)));
        for ((product, sum), got) in places.zip(got) {
            let operands = of.operands(pools, product, sum);
            let wanted = of.sum(TensorCores::Hopper, &operands);
            self.sums += 1;
            self.inexact += u64::from(*got != of.sum(TensorCores::Exact, &operands));
            if wanted == *got {
                continue;
            }
            self.wrong += 1;
            *self.styles.entry(operands.styles).or_default() += 1;
            if self.examples.len() < 2 {
                let factors: Vec<_> =
                    operands.a.iter().zip(operands.b).filter(|(a, b)| **a * **b != 0.0).collect();
                self.examples.push(format!(
                    "product {product} sum {sum}: got {got:#x}, not {wanted:#x}; old {:#x} = {:e}, {factors:?}",
                    operands.old,
                    of.c.value(operands.old)
                ));
            }
        }
    }

    /// What was found, in lines.
    pub fn text(&self) -> String {
        let mut text = format!("{} sums, {} inexact, {} wrong\n", self.sums, self.inexact, self.wrong);
        let mut styles: Vec<_> = self.styles.iter().collect();
        styles.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for ([a, b], count) in styles.into_iter().take(3) {
            let _ =
                writeln!(text, "    {count} of {} by {}", STYLES[usize::from(*a)], STYLES[usize::from(*b)]);
        }
        for (wrong, hypothesis) in self.hypotheses.iter().take(3) {
            let _ = writeln!(text, "    {wrong} of {} wrong by {hypothesis:?}", self.tried);
        }
        self.examples.iter().for_each(|example| _ = writeln!(text, "    {example}"));
        text
    }
}
