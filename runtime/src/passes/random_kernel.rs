//! Writes random kernels of integers, guards, loops and indices of one slice.

use crate::ir::{
    BinaryOp, Block, Builtin, Const, ConstValue, CudaText, Effect, Expr, ExprKind, Function, Location,
    LoopId, Proof, RangeLoop, Scalar, Stmt, StmtKind, Type, VarId, VarKind, Variable, Variance,
};

const AT: Location = Location { file: "", line: 0 };
/// Parameters: a slice and three integers.
const PARAMS: [(&str, Option<Scalar>); 4] =
    [("x", None), ("n", Some(Scalar::U32)), ("m", Some(Scalar::U64)), ("k", Some(Scalar::I32))];

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

/// Random numbers.
pub(super) struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// Writes a random kernel.
pub(super) struct Writer {
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
    pub fn kernel(seed: u64) -> Function {
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
            meaning: None,
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
                let base = Expr {
                    kind: ExprKind::Builtin { op, meaning: None, args: vec![], at: AT },
                    ty: Type::Unit,
                };
                let axis = self.dice.pick(&["x", "y"]).to_owned();
                narrowed(expr(ExprKind::Field(base.into(), axis), Scalar::U32), scalar)
            }
            6 => {
                let kind = ExprKind::Builtin { op: &GLOBAL_ID, meaning: None, args: vec![], at: AT };
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

/// The greatest value of a type.
pub(super) fn limit(scalar: Scalar) -> i128 {
    scalar.int_range().expect("an integer").1
}

fn constant(n: i128, scalar: Scalar) -> Expr {
    expr(ExprKind::Const(Const { value: ConstValue::Int(n), name: None }), scalar)
}

fn narrowed(e: Expr, scalar: Scalar) -> Expr {
    if e.ty.scalar() == Some(scalar) { e } else { expr(ExprKind::Cast(e.into()), scalar) }
}
