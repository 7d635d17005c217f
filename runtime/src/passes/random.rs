//! Random kernels: whatever is proven of an index holds in every launch that fulfils what the proof rests on.

use std::collections::HashMap;

use super::elide::{elide, lift};
use super::random_kernel::{Dice, Writer, limit};
use crate::ir::{
    BinaryOp, Block, ConstValue, Expr, ExprKind, KernelAttributes, LaunchValues, Module, Parameter, Proof,
    RangeLoop, Scalar, StmtKind, VarId,
};

/// Random kernels of a run.
const KERNELS: usize = 4000;
/// Launches of each.
const LAUNCHES: usize = 4;
/// Iterations of a loop that are looked at.
const ITERATIONS: usize = 5;

/// A launch of a random kernel, and what it has seen.
struct Run<'a> {
    params: [i128; 4],
    grid: [u32; 3],
    block: [u32; 3],
    thread: [u32; 2],
    at: [u32; 2],
    fulfilled: u64,
    vars: HashMap<VarId, i128>,
    module: &'a Module,
    /// Indices that were proven and looked at.
    proven: usize,
}

impl LaunchValues for Run<'_> {
    fn param(&self, parameter: &Parameter) -> Option<i128> {
        Some(self.params[parameter.position])
    }
    fn len(&self, _: usize) -> Option<i128> {
        Some(self.params[0])
    }
    fn block_dim(&self) -> [u32; 3] {
        self.block
    }
    fn grid_dim(&self) -> [u32; 3] {
        self.grid
    }
}

/// How a statement ends: on to the next, or out of the kernel.
type Ends = bool;

impl Run<'_> {
    fn block(&mut self, block: &Block) -> Ends {
        block.stmts.iter().any(|stmt| self.statement(&stmt.kind))
    }

    fn statement(&mut self, kind: &StmtKind) -> Ends {
        match kind {
            StmtKind::Let { var, init: Some(init) } => {
                let value = self.value(init);
                self.vars.insert(*var, value);
            }
            StmtKind::Assign { place: Expr { kind: ExprKind::Var(var), .. }, value, .. } => {
                let value = self.value(value);
                self.vars.insert(*var, value);
            }
            StmtKind::Expr(e) => drop(self.value(e)),
            StmtKind::If { cond, then, otherwise } => {
                return if self.value(cond) != 0 { self.block(then) } else { self.block(otherwise) };
            }
            StmtKind::Return(_) => return true,
            StmtKind::While { cond, body, .. } => {
                for _ in 0..ITERATIONS {
                    if self.value(cond) == 0 {
                        break;
                    }
                    if self.block(body) {
                        return true;
                    }
                }
            }
            StmtKind::For { range, body, .. } => return self.range_loop(range, body),
            other => unreachable!("not written: {other:?}"),
        }
        false
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
        let all: Vec<i128> = values.take(ITERATIONS).chain(end).collect();
        for value in all {
            self.vars.insert(range.var, value);
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
            ExprKind::Var(var) if var.0 < 4 => self.params[var.0 as usize],
            ExprKind::Var(var) => self.vars[var],
            ExprKind::Unary(_, inner) => i128::from(self.value(inner) == 0),
            ExprKind::Cast(inner) => self.value(inner),
            ExprKind::Len(_) => self.params[0],
            ExprKind::Field(base, axis) => {
                let ExprKind::Builtin { op, .. } = &base.kind else { unreachable!("not written") };
                let axis = usize::from(axis == "y");
                i128::from(match op.name {
                    "thread_idx" => self.thread[axis],
                    "block_idx" => self.at[axis],
                    _ => self.block[axis],
                })
            }
            ExprKind::Builtin { .. } => {
                i128::from(self.at[0]) * i128::from(self.block[0]) + i128::from(self.thread[0])
            }
            ExprKind::Binary(op, a, b) => return self.binary(*op, a, b, scalar),
            ExprKind::Index { index, proof, .. } => {
                let i = self.value(index);
                let holds = match proof {
                    Proof::Open => false,
                    Proof::Text => true,
                    Proof::Launch(bits) => bits & !self.fulfilled == 0,
                };
                if holds {
                    self.proven += 1;
                    assert!((0..self.params[0]).contains(&i), "{i} of {}: {}", self.params[0], self.shown());
                }
                0
            }
            other => unreachable!("not written: {other:?}"),
        };
        wrap(exact, scalar)
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, scalar: Option<Scalar>) -> i128 {
        let left = self.value(a);
        match (op, left != 0) {
            (BinaryOp::And, false) => return 0,
            (BinaryOp::Or, true) => return 1,
            _ => {}
        }
        let right = self.value(b);
        let exact = match op {
            BinaryOp::And | BinaryOp::Or => i128::from(right != 0),
            BinaryOp::Add => left + right,
            BinaryOp::Sub => left - right,
            BinaryOp::Mul => left.wrapping_mul(right),
            BinaryOp::Div => left / right,
            BinaryOp::Rem => left % right,
            BinaryOp::BitAnd => left & right,
            BinaryOp::Shl => left << right,
            BinaryOp::Shr => left >> right,
            BinaryOp::Eq => i128::from(left == right),
            BinaryOp::Ne => i128::from(left != right),
            BinaryOp::Lt => i128::from(left < right),
            BinaryOp::Le => i128::from(left <= right),
            BinaryOp::Gt => i128::from(left > right),
            BinaryOp::Ge => i128::from(left >= right),
            other => unreachable!("not written: {other:?}"),
        };
        wrap(exact, scalar)
    }

    fn shown(&self) -> String {
        let Run { params, grid, block, thread, at, .. } = self;
        format!("{params:?} {grid:?} {block:?} {thread:?} {at:?}\n{}", self.module)
    }
}

fn wrap(exact: i128, scalar: Option<Scalar>) -> i128 {
    let Some((least, most)) = scalar.and_then(Scalar::int_range) else { return exact };
    least + (exact - least).rem_euclid(most - least + 1)
}

/// Launches a kernel for every thread; how many proven indices it looked at.
fn launched(module: &Module, dice: &mut Dice) -> usize {
    let extreme = |dice: &mut Dice, scalar: Scalar| match dice.below(8) {
        0 => limit(scalar),
        1 => limit(scalar) - dice.below(70) as i128,
        2 if scalar.is_signed() => -(dice.below(9) as i128),
        _ => dice.below(70) as i128,
    };
    let params = [
        dice.pick(&[0, 1, 7, 16, 64, 200, 1000]) + dice.below(3) as i128,
        extreme(dice, Scalar::U32),
        extreme(dice, Scalar::U64),
        extreme(dice, Scalar::I32),
    ];
    // Large grids too, of which the corners alone are looked at: indices wrap there.
    let wide = dice.pick(&[1, 2, 4, 1 << 21, 1 << 30, i32::MAX as u32]);
    let grid = [wide - dice.below(wide.min(4) as usize) as u32, 1 + dice.below(2) as u32, 1];
    let most = dice.pick(&[4, 40, 1024]);
    let block = [1 + dice.below(most) as u32, 1 + dice.below(3) as u32, 1];
    let (thread, at, vars) = ([0; 2], [0; 2], HashMap::new());
    let mut run = Run { params, grid, block, thread, at, fulfilled: 0, vars, module, proven: 0 };
    for (i, condition) in module.conditions.iter().enumerate() {
        run.fulfilled |= u64::from(condition.holds(&run)) << i;
    }
    for corner in 0..16u32 {
        // The first and the last thread along each axis, of the first and the last block.
        let end = |bit: u32, extent: u32| if corner >> bit & 1 == 1 { extent - 1 } else { 0 };
        run.at = [end(0, grid[0]), end(1, grid[1])];
        run.thread = [end(2, block[0]), end(3, block[1])];
        run.vars.clear();
        run.block(&module.kernel.body);
    }
    run.proven
}

#[test]
fn what_is_proven_is_in_bounds() {
    let (mut by_text, mut by_launch, mut looked_at) = (0, 0, 0);
    for seed in 0..KERNELS as u64 {
        let kernel = Writer::kernel((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let attributes = KernelAttributes::default();
        let (functions, conditions, launched_kernels) = (vec![], vec![], vec![]);
        let mut module = Module { functions, kernel, attributes, conditions, launched: launched_kernels };
        elide(&mut module);
        lift(&mut module);
        crate::ir::visit::exprs(&module.kernel.body, &mut |e| match &e.kind {
            ExprKind::Index { proof: Proof::Text, .. } => by_text += 1,
            ExprKind::Index { proof: Proof::Launch(_), .. } => by_launch += 1,
            _ => {}
        });
        let mut dice = Dice(seed + 77);
        looked_at += (0..LAUNCHES).map(|_| launched(&module, &mut dice)).sum::<usize>();
    }
    println!("{by_text} proven by text, {by_launch} by launches, {looked_at} looked at");
    assert!(by_text > 300 && by_launch > 5000 && looked_at > 100_000);
}
