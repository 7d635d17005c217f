//! Writes random kernels of integers, guards, loops, indices of slices and of a view, and calls.

use crate::ir::{
    BinaryOp, Block, Builtin, Const, ConstValue, CudaText, Effect, Expr, ExprKind, Facts, FieldType, FnId,
    Function, Location, LoopId, Name, Position, Proof, RangeLoop, ResultRange, Scalar, Stmt, StmtKind,
    StructType, Type, VarId, VarKind, Variable, Variance,
};

pub(super) const AT: Location = Location { file: "", line: 0 };
/// Parameters after a slice: three integers and a struct.
pub(super) const INTEGERS: [Scalar; 3] = [Scalar::U32, Scalar::U64, Scalar::I32];
/// The struct, in a kernel by value and in a function by reference.
pub(super) const WHOLE: VarId = VarId(4);
/// The function that has checks, and the one that gives a number.
pub(super) const CHECKED: FnId = FnId(0);
pub(super) const NUMBER: FnId = FnId(1);

const fn builtin(name: &'static str, facts: Facts) -> Builtin {
    let plain = Builtin::pure(Name::new(name), |_, _| CudaText::new(""));
    Builtin { variance: Variance::PerThread, facts, ..plain }
}

static THREAD_IDX: Builtin = builtin("thread_idx", Facts::at(Position::ThreadIndex));
static BLOCK_IDX: Builtin = builtin("block_idx", Facts::at(Position::BlockIndex));
static BLOCK_DIM: Builtin = builtin("block_dim", Facts::at(Position::BlockExtent));
static GLOBAL_ID: Builtin = builtin("global_id", Facts::at(Position::GlobalId));
pub(super) static LEAST: Builtin = builtin("min", Facts::within(ResultRange::Least));
pub(super) static GREATEST: Builtin = builtin("max", Facts::within(ResultRange::Greatest));
pub(super) static REMAINING: Builtin = builtin("saturating_sub", Facts::within(ResultRange::Remaining));
static MODULO: Builtin = builtin("rem_euclid", Facts::within(ResultRange::Modulo));
static QUOTIENT_UP: Builtin = builtin("div_ceil", Facts::within(ResultRange::QuotientUp));
static ASSUME: Builtin = Builtin { effect: Effect::Writes, ..builtin("assume", Facts::ASSUMES) };
static THREAD_RANK: Builtin = builtin("thread_rank", Facts::at(Position::ThreadRank));
static CLAMP: Builtin = builtin("clamp", Facts::within(ResultRange::Clamped));

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
    pub(super) dice: Dice,
    pub(super) vars: Vec<Variable>,
    /// Integers in scope.
    scope: Vec<VarId>,
    /// Slices in scope.
    pub(super) slices: Vec<VarId>,
    pub(super) loops: u32,
    pub(super) is_kernel: bool,
}

pub(super) fn expr(kind: ExprKind, scalar: Scalar) -> Expr {
    Expr { kind, ty: Type::Scalar(scalar) }
}

impl Writer {
    /// The kernel, and the functions that it calls.
    pub fn kernel(seed: u64) -> (Function, Vec<Function>) {
        Self::with(seed, |writer| writer.block(2))
    }

    /// A kernel of idioms alone, each in a block, and the functions that it calls.
    pub fn idioms(seed: u64) -> (Function, Vec<Function>) {
        Self::with(seed, |writer| {
            let scalars = [Scalar::U32, Scalar::I32, Scalar::U64];
            let count = 1 + writer.dice.below(3);
            let idiom = |_| {
                let scalar = writer.dice.pick(&scalars);
                StmtKind::Block(super::idioms::block(writer.walk(scalar)))
            };
            super::idioms::block((0..count).map(idiom).collect())
        })
    }

    fn with(seed: u64, body: impl FnOnce(&mut Self) -> Block) -> (Function, Vec<Function>) {
        let checked = Self::function(seed ^ 0x5555, false, Type::Unit, |writer| writer.block(1));
        let number = Self::function(seed ^ 0xaaaa, false, Type::U64, |writer| {
            if writer.dice.below(2) == 0 {
                return writer.choosing();
            }
            let value = writer.value(Scalar::U64, 2);
            Block { stmts: vec![Stmt { kind: StmtKind::Return(Some(value)), at: AT }] }
        });
        let of_states = Self::OF_STATES.map(|(salt, of)| Self::function(seed ^ salt, false, Type::U64, of));
        let kernel = Self::function(seed, true, Type::Unit, body);
        (kernel, [checked, number].into_iter().chain(of_states).collect())
    }

    fn function(seed: u64, is_kernel: bool, ret: Type, body: impl FnOnce(&mut Self) -> Block) -> Function {
        let by_reference = Type::Ref { to: whole().into(), mutable: false };
        let last = if is_kernel { whole() } else { by_reference };
        let types = [slice()].into_iter().chain(INTEGERS.map(Type::Scalar)).chain([last]);
        let variable = |(name, ty): (char, Type)| Variable {
            name: name.into(),
            ty,
            mutable: false,
            kind: VarKind::Param,
        };
        let vars = "xnmks".chars().zip(types).map(variable).collect();
        let (scope, slices) = ((1..4).map(VarId).collect(), vec![VarId(0)]);
        let mut writer = Writer { dice: Dice(seed), vars, scope, slices, loops: 0, is_kernel };
        let body = body(&mut writer);
        let params = writer.vars.iter().filter(|var| var.kind == VarKind::Param).count() as u32;
        Function {
            name: "k".into(),
            params: (0..params).map(VarId).collect(),
            ret,
            vars: writer.vars,
            body,
            foreign: None,
            inline: None,
            meaning: None,
            effect: Effect::Writes,
            at: AT,
        }
    }

    fn block(&mut self, depth: usize) -> Block {
        let (scope, slices) = (self.scope.len(), self.slices.len());
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
        self.slices.truncate(slices);
        Block { stmts }
    }

    fn statement(&mut self, depth: usize) -> StmtKind {
        if self.dice.below(3) == 0 {
            return self.idiom();
        }
        if self.dice.below(6) == 0 {
            return self.part();
        }
        if self.is_kernel && self.dice.below(6) == 0 {
            return StmtKind::Expr(self.call(CHECKED, Type::Unit));
        }
        if self.dice.below(10) == 0 {
            let args = vec![self.condition(1)];
            let kind = ExprKind::Builtin { op: &ASSUME, args, at: AT, meaning: None };
            return StmtKind::Expr(expr(kind, Scalar::Bool));
        }
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
                    let op = (self.dice.below(3) > 0).then_some(BinaryOp::Add);
                    let value = self.value(scalar, if op.is_some() { 1 } else { 2 });
                    StmtKind::Assign { place: expr(ExprKind::Var(var), scalar), op, value }
                }
                None => self.access(),
            },
            3 if self.dice.below(3) == 0 => self.named(),
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
                StmtKind::While { id, cond: self.condition(2), unroll: None, body: self.block(depth - 1) }
            }
        }
    }

    /// `if e < x.len() { x[…] }`, where the index is made of what `e` is made of. `e` may be widened.
    fn guarded(&mut self) -> StmtKind {
        let scalar = self.dice.pick(&[Scalar::U32, Scalar::U32, Scalar::U64, Scalar::U8]);
        let (a, b) = (self.leaf(scalar), self.leaf(scalar));
        let op = self.dice.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Mul]);
        let sum = expr(ExprKind::Binary(op, a.clone().into(), b.clone().into()), scalar);
        let of = self.indexed();
        let len = ExprKind::Len(of.clone().into());
        let (guard, index) = match self.dice.below(4) {
            0 => (a.clone(), a),
            1 => (sum.clone(), sum),
            2 => (sum, a),
            _ => (sum, b),
        };
        let compared = self.dice.pick(&[scalar, Scalar::U64]);
        let (guard, limit) = (narrowed(guard, compared), narrowed(expr(len, Scalar::U64), compared));
        let op = self.dice.pick(&[BinaryOp::Lt, BinaryOp::Lt, BinaryOp::Le]);
        let cond = expr(ExprKind::Binary(op, guard.into(), limit.into()), Scalar::Bool);
        let base = if self.dice.below(4) == 0 { self.indexed() } else { of }.into();
        let access = ExprKind::Index { base, index: index.into(), at: AT, proof: Proof::Open };
        let then = vec![Stmt { kind: StmtKind::Expr(expr(access, Scalar::U32)), at: AT }];
        StmtKind::If { cond, then: Block { stmts: then }, otherwise: Block::default() }
    }

    /// `let b = c && x[…] < n && d; if b { … } else { … }`, or the same with `||`.
    fn named(&mut self) -> StmtKind {
        let StmtKind::Expr(element) = self.access() else { unreachable!() };
        let some = expr(
            ExprKind::Binary(BinaryOp::Lt, element.into(), constant(5, Scalar::U32).into()),
            Scalar::Bool,
        );
        let op = self.dice.pick(&[BinaryOp::And, BinaryOp::Or]);
        let parts = [self.condition(1), some, self.condition(0)];
        let all =
            parts.into_iter().reduce(|a, b| expr(ExprKind::Binary(op, a.into(), b.into()), Scalar::Bool));
        self.vars.push(Variable {
            name: "b".into(),
            ty: Type::Scalar(Scalar::Bool),
            mutable: false,
            kind: VarKind::Local,
        });
        let var = VarId(self.vars.len() as u32 - 1);
        let cond = expr(ExprKind::Var(var), Scalar::Bool);
        let (then, otherwise) = (self.block(0), self.block(0));
        let stmts = [StmtKind::Let { var, init: all }, StmtKind::If { cond, then, otherwise }];
        StmtKind::Block(Block { stmts: stmts.map(|kind| Stmt { kind, at: AT }).into() })
    }

    fn range_loop(&mut self, depth: usize) -> StmtKind {
        self.loops += 1;
        let scalar = self.dice.pick(&[Scalar::U32, Scalar::I32, Scalar::U64]);
        let (start, end) = (self.value(scalar, 1), self.value(scalar, 1));
        let step = (self.dice.below(3) == 0).then(|| constant(1 + self.dice.below(5) as i128, Scalar::U64));
        let inclusive = self.dice.below(4) == 0;
        let scope = self.scope.len();
        let var = self.local(scalar, false);
        let range =
            RangeLoop { var, start, end, inclusive, step, reversed: false, unroll: None, exact: false };
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
        let base = self.indexed().into();
        StmtKind::Expr(expr(ExprKind::Index { base, index, at: AT, proof: Proof::Open }, Scalar::U32))
    }

    /// The base of an index: a slice, a part of one, or the struct's view.
    pub(super) fn indexed(&mut self) -> Expr {
        if self.dice.below(5) == 0 {
            let ty = Type::View { elem: Type::U32.into(), mutable: false, rank: 1 };
            return Expr { kind: ExprKind::Field(self.whole().into(), "cells".into()), ty };
        }
        let slices = self.slices.clone();
        Expr { kind: ExprKind::Var(self.dice.pick(&slices)), ty: slice() }
    }

    /// The struct, as a place.
    fn whole(&self) -> Expr {
        let var = Expr { kind: ExprKind::Var(WHOLE), ty: self.vars[WHOLE.0 as usize].ty.clone() };
        if self.is_kernel { var } else { Expr { kind: ExprKind::Deref(var.into()), ty: whole() } }
    }

    /// `let p = &x[a..]`, `&x[..b]`, `&x[a..b]` or `&x[a..a + n]`.
    fn part(&mut self) -> StmtKind {
        let init = self.part_of();
        self.vars.push(Variable { name: "p".into(), ty: slice(), mutable: false, kind: VarKind::Local });
        let var = VarId(self.vars.len() as u32 - 1);
        self.slices.push(var);
        StmtKind::Let { var, init: Some(init) }
    }

    /// `let p = &x[start..end]`
    pub(super) fn part_between(&mut self, start: Expr, end: Expr) -> StmtKind {
        let (start, end) = (Some(start.into()), Some(end.into()));
        let base = self.indexed().into();
        let kind = ExprKind::SubSlice { base, start, end, at: AT, proof: Proof::Open };
        self.vars.push(Variable { name: "p".into(), ty: slice(), mutable: false, kind: VarKind::Local });
        let var = VarId(self.vars.len() as u32 - 1);
        self.slices.push(var);
        StmtKind::Let { var, init: Some(Expr { kind, ty: slice() }) }
    }

    pub(super) fn part_of(&mut self) -> Expr {
        let scalar = self.dice.pick(&[Scalar::U32, Scalar::U64]);
        let (a, b) = (self.value(scalar, 1), self.value(scalar, 1));
        let sum = expr(ExprKind::Binary(BinaryOp::Add, a.clone().into(), b.clone().into()), scalar);
        let (start, end) = match self.dice.below(5) {
            0 => (None, Some(b)),
            1 => (Some(a), Some(b)),
            2 => (Some(a), Some(sum)),
            _ => (Some(a), None),
        };
        let (start, end) = (start.map(Box::new), end.map(Box::new));
        let base = self.indexed().into();
        Expr { kind: ExprKind::SubSlice { base, start, end, at: AT, proof: Proof::Open }, ty: slice() }
    }

    /// A call of a function of the module.
    pub(super) fn call(&mut self, function: FnId, ty: Type) -> Expr {
        let first = if self.dice.below(3) == 0 {
            self.part_of()
        } else {
            let slices = self.slices.clone();
            Expr { kind: ExprKind::Var(self.dice.pick(&slices)), ty: slice() }
        };
        let integers = INTEGERS.map(|scalar| self.value(scalar, 1));
        let by_reference = Type::Ref { to: whole().into(), mutable: false };
        let last = Expr { kind: ExprKind::Ref(self.whole().into()), ty: by_reference };
        let args = [first].into_iter().chain(integers).chain([last]).collect();
        Expr { kind: ExprKind::Call { function, args, effect: Effect::Writes }, ty }
    }

    pub(super) fn condition(&mut self, depth: usize) -> Expr {
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
        let from = if self.dice.below(4) == 0 { Scalar::U32 } else { scalar };
        let (a, b) = (narrowed(self.value(from, 2), scalar), self.value(scalar, 1));
        expr(ExprKind::Binary(op, a.into(), b.into()), Scalar::Bool)
    }

    /// A value of a type, often a variable that guards may be about.
    fn value(&mut self, scalar: Scalar, depth: usize) -> Expr {
        if depth == 0 || self.dice.below(3) == 0 {
            return self.leaf(scalar);
        }
        if self.dice.below(12) == 0 {
            let mut operand = || self.value(scalar, depth - 1);
            let (a, b) = (operand(), operand());
            let (op, args) = match self.dice.below(6) {
                0 => (&LEAST, vec![a, b]),
                1 => (&GREATEST, vec![a, b]),
                2 => (&REMAINING, vec![a, b]),
                3 => (&MODULO, vec![a, b]),
                4 => (&QUOTIENT_UP, vec![a, b]),
                _ => (&CLAMP, vec![self.leaf(scalar), a, b]),
            };
            return expr(ExprKind::Builtin { op, args, at: AT, meaning: None }, scalar);
        }
        if self.dice.below(12) == 0 {
            return self.across(scalar);
        }
        if self.dice.below(12) == 0 {
            let from = self.dice.pick(&[Scalar::U32, Scalar::U64, Scalar::I32]);
            return narrowed(self.value(from, depth - 1), scalar);
        }
        use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
        let all = [Add, Add, Add, Mul, Mul, Sub, Sub, Div, Rem, BitAnd, BitOr, BitXor, Shr, Shl];
        let op = self.dice.pick(&all);
        let left = self.value(scalar, depth - 1);
        let right = match op {
            Div | Rem if self.dice.below(3) == 0 => self.leaf(scalar),
            Div | Rem => constant(1 + self.dice.below(9) as i128, scalar),
            Shl | Shr => constant(self.dice.below(6) as i128, scalar),
            _ => self.value(scalar, depth - 1),
        };
        expr(ExprKind::Binary(op, left.into(), right.into()), scalar)
    }

    /// `c * x - (x & (stride - 1))`, and now and then `+ stride`.
    fn across(&mut self, scalar: Scalar) -> Expr {
        let binary =
            |op, a: &Expr, b: &Expr| expr(ExprKind::Binary(op, a.clone().into(), b.clone().into()), scalar);
        let powers = constant(self.dice.pick(&[2, 8, 32, 64, 63]), scalar);
        let x = binary(BinaryOp::Rem, &self.leaf(scalar), &powers);
        let bit = binary(BinaryOp::Rem, &self.leaf(scalar), &constant(self.dice.pick(&[3, 6, 7]), scalar));
        let stride = binary(BinaryOp::Shl, &constant(1, scalar), &bit);
        let mask = binary(BinaryOp::Sub, &stride, &constant(1, scalar));
        let times = constant(1 + self.dice.below(3) as i128, scalar);
        let multiple = binary(BinaryOp::Mul, &times, &x);
        let low = binary(BinaryOp::Sub, &multiple, &binary(BinaryOp::BitAnd, &x, &mask));
        if self.dice.below(2) == 0 { low } else { binary(BinaryOp::Add, &low, &stride) }
    }

    pub(super) fn leaf(&mut self, scalar: Scalar) -> Expr {
        let known: Vec<VarId> = self.scope.iter().copied().filter(|v| self.scalar(*v) == scalar).collect();
        match self.dice.below(9) {
            0 | 1 => constant(self.dice.pick(&[0, 1, 2, 3, 5, 8, 31, 100, 255, 256]) & limit(scalar), scalar),
            2 => self.cast(scalar),
            3 => match self.dice.below(6) {
                0 if self.is_kernel => narrowed(self.call(NUMBER, Type::U64), scalar),
                1 => narrowed(expr(ExprKind::Field(self.whole().into(), "n".into()), Scalar::U32), scalar),
                2 => narrowed(self.whole_element(), scalar),
                _ => narrowed(expr(ExprKind::Len(self.indexed().into()), Scalar::U64), scalar),
            },
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
                let (op, own) = self.dice.pick(&[(&GLOBAL_ID, Scalar::U64), (&THREAD_RANK, Scalar::U32)]);
                let kind = ExprKind::Builtin { op, meaning: None, args: vec![], at: AT };
                narrowed(expr(kind, own), scalar)
            }
            _ if known.is_empty() => constant(7, scalar),
            _ => expr(ExprKind::Var(self.dice.pick(&known)), scalar),
        }
    }

    /// An element of the struct's array.
    fn whole_element(&mut self) -> Expr {
        let base = Expr { kind: ExprKind::Field(self.whole().into(), "extents".into()), ty: extents() };
        let index = constant(self.dice.below(2) as i128, Scalar::U64).into();
        expr(ExprKind::Index { base: base.into(), index, at: AT, proof: Proof::Text }, Scalar::U64)
    }

    fn cast(&mut self, scalar: Scalar) -> Expr {
        let var = self.dice.pick(&self.scope.clone());
        narrowed(expr(ExprKind::Var(var), self.scalar(var)), scalar)
    }
}

/// `[u64; 2]`
fn extents() -> Type {
    Type::Array(Type::U64.into(), 2)
}

/// `struct { n: u32, cells: View<u32>, extents: [u64; 2] }`
fn whole() -> Type {
    let cells = Type::View { elem: Type::U32.into(), mutable: false, rank: 1 };
    let fields = vec![
        FieldType { name: "n", ty: Type::U32, offset: 0 },
        FieldType { name: "cells", ty: cells, offset: 8 },
        FieldType { name: "extents", ty: extents(), offset: 24 },
    ];
    Type::Struct(StructType::new("S".into(), fields, 40, 8).into())
}

pub(super) fn slice() -> Type {
    let to = Type::Slice(Type::Scalar(Scalar::U32).into());
    Type::Ref { to: to.into(), mutable: true }
}

/// The greatest value of a type.
pub(super) fn limit(scalar: Scalar) -> i128 {
    scalar.int_range().expect("an integer").1
}

pub(super) fn constant(n: i128, scalar: Scalar) -> Expr {
    expr(ExprKind::Const(Const::of(ConstValue::Int(n))), scalar)
}

/// `a op b`, of the type of `a`.
pub(super) fn binary(op: BinaryOp, a: &Expr, b: &Expr) -> Expr {
    expr(ExprKind::Binary(op, a.clone().into(), b.clone().into()), a.ty.scalar().expect("an integer"))
}

pub(super) fn narrowed(e: Expr, scalar: Scalar) -> Expr {
    if e.ty.scalar() == Some(scalar) { e } else { expr(ExprKind::Cast(e.into()), scalar) }
}
