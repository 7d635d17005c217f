//! Random kernels: whatever is proven of an index holds in every launch that fulfils what the proof rests on.

use std::collections::HashMap;

use super::elide::{elide, lift};
use crate::ir::{
    BinaryOp, Block, Builtin, Const, ConstValue, CudaText, Effect, Expr, ExprKind, Function,
    KernelAttributes, LaunchValues, Location, LoopId, Module, Proof, RangeLoop, Scalar, Stmt, StmtKind, Type,
    VarId, VarKind, Variable, Variance,
};

const AT: Location = Location { file: "", line: 0 };
/// Random kernels of a run.
const KERNELS: usize = 4000;
/// Launches of each.
const LAUNCHES: usize = 4;
/// Parameters: a slice and three integers.
const PARAMS: [(&str, Option<Scalar>); 4] =
    [("x", None), ("n", Some(Scalar::U32)), ("m", Some(Scalar::U64)), ("k", Some(Scalar::I32))];
/// Iterations of a loop that are looked at.
const ITERATIONS: usize = 5;

const fn position(name: &'static str) -> Builtin {
    Builtin {
        name,
        cuda: |_, _| CudaText::new(""),
        by_constant: None,
        effect: Effect::Pure,
        variance: Variance::PerThread,
        fixes_variance: false,
        by_reference: false,
        diverges: false,
        min_compute: (0, 0),
    }
}

static THREAD_IDX: Builtin = position("thread_idx");
static BLOCK_IDX: Builtin = position("block_idx");
static BLOCK_DIM: Builtin = position("block_dim");
static GLOBAL_ID: Builtin = position("global_id");

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// Writes a random kernel.
struct Writer {
    dice: Dice,
    vars: Vec<Variable>,
    /// Integers in scope.
    scope: Vec<VarId>,
    loops: u32,
}

fn expr(kind: ExprKind, scalar: Scalar) -> Expr {
    Expr { kind, ty: Type::Scalar(scalar) }
}

impl Writer {
    fn kernel(seed: u64) -> Function {
        let variable = |(name, scalar): (&str, Option<Scalar>)| Variable {
            name: name.into(),
            ty: scalar.map_or_else(slice, Type::Scalar),
            mutable: false,
            kind: VarKind::Param,
        };
        let vars = PARAMS.map(variable).to_vec();
        let mut writer = Writer { dice: Dice(seed), vars, scope: (1..4).map(VarId).collect(), loops: 0 };
        let body = writer.block(2);
        Function {
            name: "k".into(),
            params: (0..4).map(VarId).collect(),
            ret: Type::Unit,
            vars: writer.vars,
            body,
            foreign: None,
            effect: Effect::Writes,
            at: AT,
        }
    }

    fn block(&mut self, depth: usize) -> Block {
        let scope = self.scope.len();
        let mut stmts = Vec::new();
        for _ in 0..1 + self.dice.below(4) {
            let kind = self.statement(depth);
            let leaves = matches!(kind, StmtKind::Return(_));
            stmts.push(Stmt { kind, at: AT });
            if leaves {
                break;
            }
        }
        self.scope.truncate(scope);
        Block { stmts }
    }

    fn statement(&mut self, depth: usize) -> StmtKind {
        match self.dice.below(if depth > 0 { 12 } else { 6 }) {
            0 | 1 => {
                let scalar = self.dice.pick(&[Scalar::U32, Scalar::U64, Scalar::I32, Scalar::U8]);
                let init = self.value(scalar, 3);
                let mutable = self.dice.below(3) == 0;
                StmtKind::Let { var: self.local(scalar, mutable), init: Some(init) }
            }
            2 => match self.scope.iter().copied().find(|var| self.vars[var.0 as usize].mutable) {
                Some(var) => {
                    let scalar = self.scalar(var);
                    let value = self.value(scalar, 2);
                    StmtKind::Assign { place: expr(ExprKind::Var(var), scalar), op: None, value }
                }
                None => self.access(),
            },
            3 => self.guarded(),
            4 | 5 => self.access(),
            6..9 => {
                let cond = self.condition(2);
                let then = self.block(depth - 1);
                let otherwise =
                    if self.dice.below(3) == 0 { self.block(depth - 1) } else { Block::default() };
                StmtKind::If { cond, then, otherwise }
            }
            9 => {
                let then = Block { stmts: vec![Stmt { kind: StmtKind::Return(None), at: AT }] };
                StmtKind::If { cond: self.condition(2), then, otherwise: Block::default() }
            }
            10 => self.range_loop(depth),
            _ => {
                self.loops += 1;
                let id = LoopId(self.loops);
                StmtKind::While { id, cond: self.condition(2), body: self.block(depth - 1) }
            }
        }
    }

    /// `if e < x.len() { x[…] }`, where the index is made of what `e` is made of.
    fn guarded(&mut self) -> StmtKind {
        let scalar = self.dice.pick(&[Scalar::U32, Scalar::U64]);
        let (a, b) = (self.leaf(scalar), self.leaf(scalar));
        let sum = expr(ExprKind::Binary(BinaryOp::Add, a.clone().into(), b.clone().into()), scalar);
        let len = ExprKind::Len(Expr { kind: ExprKind::Var(VarId(0)), ty: slice() }.into());
        let (guard, index) = match self.dice.below(4) {
            0 => (a.clone(), a),
            1 => (sum.clone(), sum),
            2 => (sum, a),
            _ => (sum, b),
        };
        let limit = narrowed(expr(len, Scalar::U64), scalar);
        let cond = expr(ExprKind::Binary(BinaryOp::Lt, guard.into(), limit.into()), Scalar::Bool);
        let base = Expr { kind: ExprKind::Var(VarId(0)), ty: slice() }.into();
        let access = ExprKind::Index { base, index: index.into(), at: AT, proof: Proof::Open };
        let then = vec![Stmt { kind: StmtKind::Expr(expr(access, Scalar::U32)), at: AT }];
        StmtKind::If { cond, then: Block { stmts: then }, otherwise: Block::default() }
    }

    fn range_loop(&mut self, depth: usize) -> StmtKind {
        self.loops += 1;
        let scalar = self.dice.pick(&[Scalar::U32, Scalar::I32, Scalar::U64]);
        let (start, end) = (self.value(scalar, 1), self.value(scalar, 1));
        let step = (self.dice.below(3) == 0).then(|| constant(1 + self.dice.below(5) as i128, Scalar::U64));
        let inclusive = self.dice.below(4) == 0;
        let scope = self.scope.len();
        let var = self.local(scalar, false);
        let range = RangeLoop { var, start, end, inclusive, step, reversed: false, unroll: None };
        let body = self.block(depth - 1);
        self.scope.truncate(scope);
        StmtKind::For { id: LoopId(self.loops), range, body }
    }

    fn local(&mut self, scalar: Scalar, mutable: bool) -> VarId {
        let (name, ty) = (String::from("v"), Type::Scalar(scalar));
        self.vars.push(Variable { name, ty, mutable, kind: VarKind::Local });
        let var = VarId(self.vars.len() as u32 - 1);
        self.scope.push(var);
        var
    }

    fn scalar(&self, var: VarId) -> Scalar {
        self.vars[var.0 as usize].ty.scalar().expect("an integer")
    }

    fn access(&mut self) -> StmtKind {
        let scalar = self.dice.pick(&[Scalar::U32, Scalar::U64, Scalar::I32]);
        let index = self.value(scalar, 2).into();
        let base = Expr { kind: ExprKind::Var(VarId(0)), ty: slice() }.into();
        StmtKind::Expr(expr(ExprKind::Index { base, index, at: AT, proof: Proof::Open }, Scalar::U32))
    }

    fn condition(&mut self, depth: usize) -> Expr {
        if depth > 0 && self.dice.below(3) == 0 {
            let op = self.dice.pick(&[BinaryOp::And, BinaryOp::Or]);
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            return expr(ExprKind::Binary(op, a.into(), b.into()), Scalar::Bool);
        }
        if self.dice.below(6) == 0 {
            let inner = self.condition(0).into();
            return expr(ExprKind::Unary(crate::ir::UnaryOp::Not, inner), Scalar::Bool);
        }
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let op = self.dice.pick(&[Lt, Lt, Lt, Le, Gt, Ge, Eq, Ne]);
        let scalar = self.dice.pick(&[Scalar::U32, Scalar::U64, Scalar::U64, Scalar::I32]);
        let (a, b) = (self.value(scalar, 2), self.value(scalar, 1));
        expr(ExprKind::Binary(op, a.into(), b.into()), Scalar::Bool)
    }

    /// A value of a type, often a variable that guards may be about.
    fn value(&mut self, scalar: Scalar, depth: usize) -> Expr {
        if depth == 0 || self.dice.below(3) == 0 {
            return self.leaf(scalar);
        }
        use BinaryOp::{Add, BitAnd, Div, Mul, Rem, Shl, Shr, Sub};
        let op = self.dice.pick(&[Add, Add, Add, Mul, Mul, Sub, Sub, Div, Rem, BitAnd, Shr, Shl]);
        let left = self.value(scalar, depth - 1);
        let right = match op {
            Div | Rem => constant(1 + self.dice.below(9) as i128, scalar),
            Shl | Shr => constant(self.dice.below(6) as i128, scalar),
            _ => self.value(scalar, depth - 1),
        };
        expr(ExprKind::Binary(op, left.into(), right.into()), scalar)
    }

    fn leaf(&mut self, scalar: Scalar) -> Expr {
        let known: Vec<VarId> = self.scope.iter().copied().filter(|v| self.scalar(*v) == scalar).collect();
        match self.dice.below(9) {
            0 | 1 => constant(self.dice.pick(&[0, 1, 2, 3, 5, 8, 31, 100, 255, 256]) & limit(scalar), scalar),
            2 => self.cast(scalar),
            3 => {
                let base = Expr { kind: ExprKind::Var(VarId(0)), ty: slice() };
                narrowed(expr(ExprKind::Len(base.into()), Scalar::U64), scalar)
            }
            4 | 5 => {
                let op = self.dice.pick(&[&THREAD_IDX, &BLOCK_IDX, &BLOCK_DIM]);
                let base = Expr { kind: ExprKind::Builtin { op, args: vec![], at: AT }, ty: Type::Unit };
                let axis = self.dice.pick(&["x", "y"]).to_owned();
                narrowed(expr(ExprKind::Field(base.into(), axis), Scalar::U32), scalar)
            }
            6 => {
                let kind = ExprKind::Builtin { op: &GLOBAL_ID, args: vec![], at: AT };
                narrowed(expr(kind, Scalar::U64), scalar)
            }
            _ if known.is_empty() => constant(7, scalar),
            _ => expr(ExprKind::Var(self.dice.pick(&known)), scalar),
        }
    }

    fn cast(&mut self, scalar: Scalar) -> Expr {
        let var = self.dice.pick(&self.scope.clone());
        narrowed(expr(ExprKind::Var(var), self.scalar(var)), scalar)
    }
}

fn slice() -> Type {
    let to = Type::Slice(Type::Scalar(Scalar::U32).into());
    Type::Ref { to: to.into(), mutable: true }
}

fn limit(scalar: Scalar) -> i128 {
    scalar.int_range().expect("an integer").1
}

fn constant(n: i128, scalar: Scalar) -> Expr {
    expr(ExprKind::Const(Const { value: ConstValue::Int(n), name: None }), scalar)
}

fn narrowed(e: Expr, scalar: Scalar) -> Expr {
    if e.ty.scalar() == Some(scalar) { e } else { expr(ExprKind::Cast(e.into()), scalar) }
}

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
    fn param(&self, position: usize, _: Scalar) -> Option<i128> {
        Some(self.params[position])
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
