//! An index that is proven to be in bounds is in bounds, in every launch that fulfils the proof's conditions.
//!
//! Interprets random kernels in random launches, and looks at each index that is proven.

use super::interpreted::{Frame, Run};
use super::random_kernel::{Dice, INTEGERS, Writer, limit};
use crate::ir::{Expr, ExprKind, Function, KernelAttributes, Module, Proof, Scalar};
use crate::passes::elide::{elide, lift};

/// Random kernels of a run.
const KERNELS: usize = 1500;
/// Launches of each.
const LAUNCHES: usize = 4;

/// Launches a kernel for every thread, and returns the number of proven indices that ran, and of exact sums and products.
fn launched(module: &Module, dice: &mut Dice) -> [usize; 2] {
    let extreme = |dice: &mut Dice, scalar: Scalar| match dice.below(8) {
        0 => limit(scalar),
        1 => limit(scalar) - dice.below(70) as i128,
        2 if scalar.is_signed() => -(dice.below(9) as i128),
        // Powers, whose products wrap to what fits.
        3 => 1 << dice.pick(&[8, 15, 16, 17, 24, 30]),
        4 => i128::from(i32::MAX),
        _ => dice.below(70) as i128,
    };
    let lengths = [(); 2].map(|()| dice.pick(&[0, 1, 7, 16, 64, 200, 1000]) + dice.below(3) as i128);
    let integers = INTEGERS.map(|scalar| extreme(dice, scalar));
    let n = extreme(dice, Scalar::U32);
    let extents = [(); 2].map(|()| extreme(dice, Scalar::U64));
    // Large grids too, where only the corners run: indices wrap there.
    let wide = dice.pick(&[1, 2, 4, 1 << 21, 1 << 30, i32::MAX as u32]);
    let grid = [wide - dice.below(wide.min(4) as usize) as u32, 1 + dice.below(2) as u32, 1];
    let most = dice.pick(&[4, 40, 1024]);
    let mut block = [1 + dice.below(most) as u32, 1 + dice.below(3) as u32, 1];
    let most = module.attributes.max_threads.unwrap_or(crate::limits::BLOCK_THREADS);
    block[1] = block[1].min(most);
    block[0] = block[0].min(most / block[1]);
    let (address, shared) =
        (4096 + 4 * dice.below(3) as u64, 4 * dice.below(200) as u32 + dice.below(4) as u32);
    let (thread, at, frame, fulfilled) = ([0; 2], [0; 2], Frame::default(), 0);
    let (left, returned, proven) = (false, 0, 0);
    let mut run = Run {
        lengths,
        integers,
        n,
        extents,
        address,
        shared,
        grid,
        block,
        thread,
        at,
        fulfilled,
        frame,
        left,
        continued: None,
        broken: None,
        returned,
        module,
        proven,
        trace: Vec::new(),
        exact: 0,
    };
    for (i, condition) in module.conditions.iter().enumerate() {
        run.fulfilled |= u64::from(condition.holds(&run)) << i;
    }
    let fits: u64 =
        module.fits.iter().enumerate().map(|(i, condition)| u64::from(condition.holds(&run)) << i).sum();
    // A launch may also fulfil only a few of the conditions.
    let fits = if dice.below(3) == 0 { fits & dice.0 } else { fits };
    let mut narrow = module.clone();
    crate::passes::narrow::narrow(&mut narrow, fits);
    for corner in 0..16u32 {
        // The first and the last thread along each axis, of the first and the last block.
        let end = |bit: u32, extent: u32| if corner >> bit & 1 == 1 { extent - 1 } else { 0 };
        run.at = [end(0, grid[0]), end(1, grid[1])];
        run.thread = [end(2, block[0]), end(3, block[1])];
        (run.frame, run.left) = (Frame::new(lengths[0], integers), false);
        run.trace.clear();
        run.module = module;
        run.block(&module.kernel.body);
        let (trace, proven) = (std::mem::take(&mut run.trace), run.proven);
        (run.frame, run.left) = (Frame::new(lengths[0], integers), false);
        run.module = &narrow;
        run.block(&narrow.kernel.body);
        run.proven = proven;
        assert_eq!(trace, run.trace, "{}\n{module}", run.shown());
    }
    [run.proven, run.exact]
}

/// What writes a kernel and the functions that it calls, by a seed.
type Write = fn(u64) -> (Function, Vec<Function>);

/// Looks at the proofs of one random kernel in its launches. The result are the indices that are proven by text, by launches and
/// in functions, and those that were looked at, all and those of `int`.
fn of_kernel(seed: u64, write: Write) -> [usize; 5] {
    let [mut by_text, mut by_launch, mut in_functions, mut looked_at, mut looked_at_exact] = [0; 5];
    let (kernel, functions) = write((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let max_threads = Dice(seed + 5).pick(&[None, None, Some(1), Some(7), Some(64), Some(256)]);
    let attributes = KernelAttributes { max_threads, ..KernelAttributes::default() };
    let mut module = Module {
        functions,
        kernel,
        attributes,
        conditions: vec![],
        fits: vec![],
        read_only: 0,
        short: 0,
        launched: vec![],
        coarsened: None,
    };
    elide(&mut module);
    lift(&mut module);
    module.fits = crate::passes::narrow::wanted(&module);
    let mut count = |e: &Expr| match &e.kind {
        ExprKind::Index { proof, .. } | ExprKind::SubSlice { proof, .. } => match proof {
            Proof::Text => by_text += 1,
            Proof::Launch(_) => by_launch += 1,
            Proof::Open => {}
        },
        _ => {}
    };
    module.all_functions().for_each(|f| crate::ir::visit::exprs(&f.body, &mut count));
    let mut of_functions = |e: &Expr| {
        in_functions +=
            usize::from(matches!(&e.kind, ExprKind::Index { proof, .. } if *proof != Proof::Open));
    };
    crate::ir::visit::exprs(&module.functions[0].body, &mut of_functions);
    let mut dice = Dice(seed + 77);
    for _ in 0..LAUNCHES {
        let [proven, exact] = launched(&module, &mut dice);
        looked_at += proven;
        looked_at_exact += exact;
    }
    [by_text, by_launch, in_functions, looked_at, looked_at_exact]
}

/// Looks at the proofs of many random kernels; the sums of what [`of_kernel`] gives.
fn of_kernels(write: Write) -> [usize; 5] {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let part = |first: u64| {
        (first..KERNELS as u64).step_by(cores).map(|seed| of_kernel(seed, write)).collect::<Vec<_>>()
    };
    let all: Vec<[usize; 5]> = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..cores as u64).map(|first| scope.spawn(move || part(first))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("a proof that fails has said why")).collect()
    });
    [0, 1, 2, 3, 4].map(|i: usize| all.iter().map(|counts| counts[i]).sum::<usize>())
}

#[test]
fn what_is_proven_is_in_bounds() {
    let [by_text, by_launch, in_functions, looked_at, exact] = of_kernels(Writer::kernel);
    println!("{by_text} proven by text, {by_launch} by launches, {in_functions} in functions");
    println!("{looked_at} looked at, {exact} of `int`");
    assert!(by_text > 2400 && by_launch > 4200 && in_functions > 1800 && looked_at > 600_000);
}

/// The same of kernels that are nothing but cursors, rings, stacks and guards.
#[test]
fn what_is_proven_of_walks_is_in_bounds() {
    let [by_text, by_launch, _, looked_at, _] = of_kernels(Writer::idioms);
    println!("{by_text} proven by text, {by_launch} by launches, {looked_at} looked at");
    assert!(by_text > 1000 && by_launch > 1000 && looked_at > 100_000);
}
