//! An index that is proven to be in bounds is in bounds, in every launch that fulfils the proof's conditions.
//!
//! Interprets random kernels in random launches, and looks at each index that is proven.

use std::collections::HashMap;

use super::idioms::TABLE;
use super::random_kernel::{Dice, INTEGERS, Writer, limit};
use crate::ir::{
    BinaryOp, Block, ConstValue, Expr, ExprKind, FnId, Form, KernelAttributes, LaunchValues, Module,
    Parameter, Position, Proof, RangeLoop, ResultRange, Scalar, StmtKind, Type, UnaryOp, VarId,
};
use crate::passes::elide::{elide, lift};

/// Random kernels of a run.
const KERNELS: usize = 2500;
/// Launches of each.
const LAUNCHES: usize = 4;
/// Iterations at the beginning of a loop over a range that run; a few at its end run too.
const ITERATIONS: usize = 5;
/// Iterations of a loop with a condition that run.
const TURNS: usize = 40;

/// The variables of a function: integers, and slices by their lengths.
#[derive(Default)]
struct Frame {
    vars: HashMap<VarId, i128>,
    slices: HashMap<VarId, i128>,
    arrays: HashMap<VarId, Vec<i128>>,
}

impl Frame {
    fn new(length: i128, integers: [i128; 3]) -> Self {
        let vars = integers.into_iter().enumerate().map(|(i, value)| (VarId(i as u32 + 1), value)).collect();
        Self { vars, slices: [(VarId(0), length)].into(), arrays: HashMap::new() }
    }
}

/// A launch of a random kernel, and what it has seen.
struct Run<'a> {
    /// Lengths of the slice and of the struct's view.
    lengths: [i128; 2],
    integers: [i128; 3],
    /// The struct's integer.
    n: i128,
    /// The address of the slice.
    address: u64,
    /// Bytes of dynamic shared memory.
    shared: u32,
    grid: [u32; 3],
    block: [u32; 3],
    thread: [u32; 2],
    at: [u32; 2],
    fulfilled: u64,
    frame: Frame,
    /// Whether a range that is out of bounds has ended the thread.
    left: bool,
    /// The result of the last function.
    returned: i128,
    module: &'a Module,
    /// Proven indices that ran.
    proven: usize,
    /// The indices and bounds of a thread.
    trace: Vec<i128>,
    /// Arithmetic of `int` that was proven not to overflow, and ran.
    exact: usize,
}

impl LaunchValues for Run<'_> {
    fn param(&self, parameter: &Parameter) -> Option<i128> {
        Some(match (parameter.position, parameter.offset) {
            (4, 0) => self.n,
            (4, 16) => self.lengths[1],
            (at, 0) => self.integers[at - 1],
            other => unreachable!("no such parameter: {other:?}"),
        })
    }
    fn len(&self, _: usize) -> Option<i128> {
        Some(self.lengths[0])
    }
    fn block_dim(&self) -> [u32; 3] {
        self.block
    }
    fn grid_dim(&self) -> [u32; 3] {
        self.grid
    }
    fn shared_bytes(&self) -> u32 {
        self.shared
    }
    fn address(&self, _: usize) -> Option<u64> {
        Some(self.address)
    }
}

/// How a statement ends: on to the next, or out of the kernel.
type Ends = bool;

impl Run<'_> {
    fn block(&mut self, block: &Block) -> Ends {
        block.stmts.iter().any(|stmt| self.statement(&stmt.kind) || self.left)
    }

    fn statement(&mut self, kind: &StmtKind) -> Ends {
        match kind {
            StmtKind::Let { var, init: Some(Expr { kind: ExprKind::ArrayList(items), .. }) } => {
                let items = items.iter().map(|item| self.value(item)).collect();
                self.frame.arrays.insert(*var, items);
            }
            StmtKind::Let { var, init: Some(init) } if init.ty.scalar().is_none() => {
                let length = self.length(init);
                self.frame.slices.insert(*var, length);
            }
            StmtKind::Let { var, init: Some(init) } => {
                let value = self.value(init);
                self.frame.vars.insert(*var, value);
            }
            StmtKind::Assign { place, op, value } => {
                let value = match op {
                    Some(op) => self.binary(*op, place, value, place.ty.scalar()),
                    None => self.value(value),
                };
                self.assign(place, wrap(value, place.ty.scalar()));
            }
            StmtKind::Expr(e) => {
                let assumed =
                    matches!(&e.kind, ExprKind::Builtin { op, .. } if op.facts.form == Form::Assumption);
                // An assumption that does not hold leaves the rest without a meaning.
                self.left |= self.value(e) == 0 && assumed;
            }
            StmtKind::If { cond, then, otherwise } => {
                return if self.value(cond) != 0 { self.block(then) } else { self.block(otherwise) };
            }
            StmtKind::Block(body) => return self.block(body),
            StmtKind::Return(value) => {
                self.returned = value.as_ref().map_or(0, |value| self.value(value));
                return true;
            }
            StmtKind::While { cond, body, .. } => {
                for _ in 0..TURNS {
                    if self.value(cond) == 0 {
                        return false;
                    }
                    if self.block(body) {
                        return true;
                    }
                }
                // Nobody has seen where a longer loop ends.
                self.left |= self.value(cond) != 0;
            }
            StmtKind::For { range, body, .. } => return self.range_loop(range, body),
            other => unreachable!("not written: {other:?}"),
        }
        false
    }

    fn assign(&mut self, place: &Expr, value: i128) {
        match &place.kind {
            ExprKind::Var(var) => drop(self.frame.vars.insert(*var, value)),
            ExprKind::Index { base, index, .. } => {
                // Reading it looks at its proof.
                self.value(place);
                let i = self.value(index);
                if let (ExprKind::Var(array), false) = (&base.kind, self.left) {
                    self.frame.arrays.get_mut(array).expect("an array")[i as usize] = value;
                }
            }
            other => unreachable!("not written: {other:?}"),
        }
    }

    fn range_loop(&mut self, range: &RangeLoop, body: &Block) -> Ends {
        let (start, end) = (self.value(&range.start), self.value(&range.end));
        let step = range.step.as_ref().map_or(1, |step| self.value(step));
        let past = if range.inclusive { end + 1 } else { end };
        let count = (past - start).max(0).div_euclid(step) + 2;
        let values = (0..count).map(|i| start + i * step).take_while(|v| *v < past);
        // The first values, and the last ones, where bounds are broken.
        let last = start + (past - 1 - start).div_euclid(step) * step;
        let end = (0..3).rev().map(|i| last - i * step).filter(|v| *v >= start + ITERATIONS as i128 * step);
        let mut all: Vec<i128> = values.take(ITERATIONS).chain(end).collect();
        if range.reversed {
            all.reverse();
        }
        if range.exact && !self.left && start < past {
            self.exact += 1;
            let next = if range.reversed { start - 1 } else { last + step };
            assert_eq!(wrap(next, range.start.ty.scalar()), next, "past {past} by {step}: {}", self.shown());
        }
        for value in all {
            self.frame.vars.insert(range.var, value);
            if self.block(body) {
                return true;
            }
        }
        false
    }

    fn value(&mut self, e: &Expr) -> i128 {
        let scalar = e.ty.scalar();
        let exact = match &e.kind {
            ExprKind::Const(c) => match c.value {
                ConstValue::Int(n) => n,
                other => unreachable!("not written: {other:?}"),
            },
            ExprKind::Var(var) => self.frame.vars[var],
            ExprKind::Unary(UnaryOp::Neg, inner) => -self.value(inner),
            ExprKind::Unary(_, inner) => i128::from(self.value(inner) == 0),
            ExprKind::Select(cond, a, b) => {
                let chosen = if self.value(cond) != 0 { a } else { b };
                self.value(chosen)
            }
            ExprKind::Exact(inner) => {
                let ExprKind::Binary(op, a, b) = &inner.kind else { unreachable!("not written") };
                let exact = self.binary(*op, a, b, None);
                if !self.left {
                    self.exact += 1;
                    assert_eq!(wrap(exact, scalar), exact, "{inner:?}: {}", self.shown());
                }
                exact
            }
            ExprKind::Cast(inner) => self.value(inner),
            ExprKind::Len(of) => self.length(of),
            ExprKind::Field(base, axis) => {
                let ExprKind::Builtin { op, .. } = &base.kind else {
                    assert_eq!(axis, "n");
                    return self.n;
                };
                let axis = usize::from(axis == "y");
                i128::from(match op.position() {
                    Some(Position::ThreadIndex) => self.thread[axis],
                    Some(Position::BlockIndex) => self.at[axis],
                    _ => self.block[axis],
                })
            }
            ExprKind::Builtin { op, args, .. } if op.facts.form == Form::Assumption => self.value(&args[0]),
            ExprKind::Builtin { op, args, .. } if !args.is_empty() => {
                let args: Vec<i128> = args.iter().map(|arg| self.value(arg)).collect();
                match op.facts.result {
                    ResultRange::Least => args[0].min(args[1]),
                    ResultRange::Greatest => args[0].max(args[1]),
                    _ => args[0].max(args[1]).min(args[2]),
                }
            }
            ExprKind::Call { function, args, .. } => self.call(*function, args),
            ExprKind::Builtin { op, .. } if op.position() == Some(Position::ThreadRank) => {
                i128::from(self.thread[1]) * i128::from(self.block[0]) + i128::from(self.thread[0])
            }
            ExprKind::Builtin { .. } => {
                i128::from(self.at[0]) * i128::from(self.block[0]) + i128::from(self.thread[0])
            }
            ExprKind::Binary(op, a, b) => return self.binary(*op, a, b, scalar),
            ExprKind::Index { base, index, proof, .. } => {
                let (length, i) = (self.length(base), self.value(index));
                self.saw(i);
                if !self.left && self.holds(*proof) {
                    self.proven += 1;
                    assert!(
                        (0..length).contains(&i),
                        "{i} of {length}, {proof:?} {index:?}: {}",
                        self.shown()
                    );
                }
                match &base.kind {
                    ExprKind::Table { .. } => {
                        self.left |= !(0..length).contains(&i);
                        if self.left { 0 } else { TABLE[i as usize] }
                    }
                    ExprKind::Var(array) if self.frame.arrays.contains_key(array) => {
                        self.left |= !(0..length).contains(&i);
                        if self.left { 0 } else { self.frame.arrays[array][i as usize] }
                    }
                    _ => 0,
                }
            }
            other => unreachable!("not written: {other:?}"),
        };
        wrap(exact, scalar)
    }

    /// Notes what is indexed, as an address has it.
    fn saw(&mut self, i: i128) {
        if !self.left {
            self.trace.push(i.rem_euclid(1 << 64));
        }
    }

    fn holds(&self, proof: Proof) -> bool {
        match proof {
            Proof::Open => false,
            Proof::Text => true,
            Proof::Launch(bits) => bits & !self.fulfilled == 0,
        }
    }

    /// The length of a slice; a range that is out of bounds ends the thread, unless it was proven.
    fn length(&mut self, of: &Expr) -> i128 {
        match &of.kind {
            _ if matches!(of.ty, Type::Array(..)) => {
                let Type::Array(_, n) = of.ty else { unreachable!() };
                n as i128
            }
            _ if matches!(of.ty, Type::Shared { .. }) => i128::from(self.shared / 4),
            ExprKind::Var(var) => self.frame.slices[var],
            ExprKind::Field(..) => self.lengths[1],
            ExprKind::SubSlice { base, start: None, end: None, proof, .. } => {
                let align = of.ty.element().map_or(1, |elem| elem.size()) as u64;
                let is_aligned = self.address.is_multiple_of(align);
                if !self.left && self.holds(*proof) {
                    self.proven += 1;
                    assert!(is_aligned, "{} is no multiple of {align}: {}", self.address, self.shown());
                }
                self.left |= !is_aligned;
                self.length(base) * 4 / i128::from(align)
            }
            ExprKind::SubSlice { base, start, end, proof, .. } => {
                let whole = self.length(base);
                let start = start.as_ref().map_or(0, |start| self.value(start));
                let end = end.as_ref().map_or(whole, |end| self.value(end));
                let is_inside = start <= end && end <= whole;
                if !self.left && self.holds(*proof) {
                    self.proven += 1;
                    assert!(is_inside, "{start}..{end} of {whole}: {}", self.shown());
                }
                self.left |= !is_inside;
                self.saw(start);
                self.saw(end);
                end - start
            }
            other => unreachable!("not written: {other:?}"),
        }
    }

    fn call(&mut self, function: FnId, args: &[Expr]) -> i128 {
        let function = &self.module.functions[function.0 as usize];
        let length = self.length(&args[0]);
        let integers = [1, 2, 3].map(|at| self.value(&args[at]));
        let caller = std::mem::replace(&mut self.frame, Frame::new(length, integers));
        if !self.left {
            self.block(&function.body);
        }
        self.frame = caller;
        std::mem::take(&mut self.returned)
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, scalar: Option<Scalar>) -> i128 {
        let left = self.value(a);
        match (op, left != 0) {
            (BinaryOp::And, false) => return 0,
            (BinaryOp::Or, true) => return 1,
            _ => {}
        }
        let right = self.value(b);
        let mask = scalar.map_or(0, |scalar| i128::from(scalar.bits()) - 1);
        let exact = match op {
            BinaryOp::And | BinaryOp::Or => i128::from(right != 0),
            BinaryOp::Add => left + right,
            BinaryOp::Sub => left - right,
            BinaryOp::Mul => left.wrapping_mul(right),
            BinaryOp::Div => left / right,
            BinaryOp::Rem => left % right,
            BinaryOp::BitAnd => left & right,
            BinaryOp::BitOr => left | right,
            BinaryOp::BitXor => left ^ right,
            BinaryOp::Shl => left << (right & mask),
            BinaryOp::Shr => left >> (right & mask),
            BinaryOp::Eq => i128::from(left == right),
            BinaryOp::Ne => i128::from(left != right),
            BinaryOp::Lt => i128::from(left < right),
            BinaryOp::Le => i128::from(left <= right),
            BinaryOp::Gt => i128::from(left > right),
            BinaryOp::Ge => i128::from(left >= right),
        };
        wrap(exact, scalar)
    }

    fn shown(&self) -> String {
        let conditions = self.module.conditions.iter().chain(&self.module.fits);
        let conditions: Vec<String> = conditions.map(ToString::to_string).collect();
        let Run { lengths, integers, n, shared, grid, block, thread, at, .. } = self;
        format!(
            "{lengths:?} {integers:?} {n} {shared} {grid:?} {block:?} {thread:?} {at:?}\n{conditions:#?}\n{}",
            self.module
        )
    }
}

fn wrap(exact: i128, scalar: Option<Scalar>) -> i128 {
    let Some((least, most)) = scalar.and_then(Scalar::int_range) else { return exact };
    least + (exact - least).rem_euclid(most - least + 1)
}

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
    // Large grids too, where only the corners run: indices wrap there.
    let wide = dice.pick(&[1, 2, 4, 1 << 21, 1 << 30, i32::MAX as u32]);
    let grid = [wide - dice.below(wide.min(4) as usize) as u32, 1 + dice.below(2) as u32, 1];
    let most = dice.pick(&[4, 40, 1024]);
    let mut block = [1 + dice.below(most) as u32, 1 + dice.below(3) as u32, 1];
    if let Some(most) = module.attributes.max_threads {
        block[1] = block[1].min(most);
        block[0] = block[0].min(most / block[1]);
    }
    let (address, shared) =
        (4096 + 4 * dice.below(3) as u64, 4 * dice.below(200) as u32 + dice.below(4) as u32);
    let (thread, at, frame, fulfilled) = ([0; 2], [0; 2], Frame::default(), 0);
    let (left, returned, proven) = (false, 0, 0);
    let mut run = Run {
        lengths,
        integers,
        n,
        address,
        shared,
        grid,
        block,
        thread,
        at,
        fulfilled,
        frame,
        left,
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

/// Looks at the proofs of one random kernel in its launches. The result are the indices that are proven by text, by launches and
/// in functions, and those that were looked at, all and those of `int`.
fn of_kernel(seed: u64) -> [usize; 5] {
    let [mut by_text, mut by_launch, mut in_functions, mut looked_at, mut looked_at_exact] = [0; 5];
    let (kernel, functions) = Writer::kernel((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
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

#[test]
fn what_is_proven_is_in_bounds() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let part = |first: u64| (first..KERNELS as u64).step_by(cores).map(of_kernel).collect::<Vec<_>>();
    let all: Vec<[usize; 5]> = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..cores as u64).map(|first| scope.spawn(move || part(first))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("a proof that fails has said why")).collect()
    });
    let [by_text, by_launch, in_functions, looked_at, exact] =
        [0, 1, 2, 3, 4].map(|i: usize| all.iter().map(|counts| counts[i]).sum::<usize>());
    println!("{by_text} proven by text, {by_launch} by launches, {in_functions} in functions");
    println!("{looked_at} looked at, {exact} of `int`");
    assert!(by_text > 4000 && by_launch > 7000 && in_functions > 3000 && looked_at > 1_000_000);
}
