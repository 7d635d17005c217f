//! Random elementwise kernels: the coarsened kernel, thread after thread, does what the kernel does, or fails where it fails.

mod machine;
mod random_elementwise;

use super::coarsen;
use crate::ir::{CoarsenFactor, KernelAttributes, Module};
use machine::{Fault, Machine, Memory};
use random_elementwise::{Dice, Writer};

/// Kernels; `COARSEN_KERNELS` gives another number.
fn kernels() -> u64 {
    std::env::var("COARSEN_KERNELS").ok().and_then(|n| n.parse().ok()).unwrap_or(5_000)
}

#[test]
fn coarsened_kernels_do_what_the_kernels_do() {
    let (mut coarsened, mut faults, mut wide) = (0u64, 0u64, 0u64);
    for seed in 1..=kernels() {
        let mut dice = Dice::new(seed);
        let module = module(&mut dice);
        let factor = [CoarsenFactor::Widest, CoarsenFactor::Times(2 << dice.below(4))][dice.below(2)];
        let Ok(made) = coarsen(&module, factor) else { continue };
        coarsened += 1;
        for _ in 0..3 {
            let block = 1 + dice.below(9) as u32;
            let blocks = 1 + dice.below(7) as u32;
            let memory = Memory::random(&mut dice, &module.kernel, block * blocks);
            let plain = Machine::run(&module, block, blocks, memory.clone());
            let (together, passed) = Machine::run_coarsened(&made, block, blocks, memory);
            assert_eq!(plain, together, "seed {seed}, {blocks} blocks of {block}\n{module}\n{made}");
            faults += u64::from(plain.is_err());
            wide += passed;
        }
    }
    println!("{coarsened} kernels, {faults} launches that fail, {wide} threads by the wide path");
    assert!(
        coarsened * 2 > kernels() && faults * 20 > coarsened && wide > coarsened,
        "too few: {coarsened} {faults} {wide}"
    );
}

fn module(dice: &mut Dice) -> Module {
    Module {
        functions: vec![],
        kernel: Writer::kernel(dice),
        attributes: KernelAttributes::NONE,
        conditions: vec![],
        fits: vec![],
        read_only: 0,
        short: 0,
        launched: vec![],
        coarsened: None,
    }
}

/// The test finds a mistake that is planted in a right text.
#[test]
fn a_planted_mistake_is_found() {
    let mut found = 0;
    for seed in 1..=400 {
        let mut dice = Dice::new(seed);
        let module = module(&mut dice);
        let Ok(mut made) = coarsen(&module, CoarsenFactor::Times(4)) else { continue };
        // Threads beyond the last do their work, too.
        machine::forget_the_count(&mut made.kernel.body);
        let memory = Memory::random(&mut dice, &module.kernel, 6);
        let plain: Result<Memory, Fault> = Machine::run(&module, 3, 2, memory.clone());
        found += u64::from(plain != Machine::run_coarsened(&made, 3, 2, memory).0);
    }
    assert!(found > 5, "{found} of 400");
}
