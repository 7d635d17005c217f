//! Writes random elementwise kernels: guards of many spellings, conditions, loops, ways out, neighbours.

use crate::ir::{
    AssertFailure, BinaryOp, Block, Builtin, ConstValue, CudaText, Effect, Expr, ExprKind, Facts, Function,
    Location, LoopId, Name, Position, Proof, RangeLoop, Scalar, Stmt, StmtKind, Type, VarId, VarKind,
    Variable, Variance,
};

const fn builtin(name: &'static str, position: Position) -> Builtin {
    let plain = Builtin::pure(Name::new(name), |_, _| CudaText::new(""));
    Builtin { variance: Variance::PerThread, facts: Facts::at(position), ..plain }
}

static THREAD_IDX: Builtin = builtin("thread_idx", Position::ThreadIndex);
static BLOCK_IDX: Builtin = builtin("block_idx", Position::BlockIndex);
static BLOCK_DIM: Builtin = builtin("block_dim", Position::BlockExtent);
static GLOBAL_ID: Builtin = builtin("global_id", Position::GlobalId);

/// Random numbers.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.word() >> 33) as usize % n
    }
}

/// Two slices that are read, two that are written, and two numbers.
const READ: [VarId; 2] = [VarId(0), VarId(1)];
const WRITTEN: [VarId; 2] = [VarId(2), VarId(3)];
const NUMBERS: [(VarId, Scalar); 2] = [(VarId(4), Scalar::U32), (VarId(5), Scalar::I32)];

pub struct Writer<'d> {
    dice: &'d mut Dice,
    vars: Vec<Variable>,
    /// Variables that can be read.
    scope: Vec<VarId>,
    /// Variables that are the thread's number.
    own: Vec<VarId>,
    loops: Vec<LoopId>,
    free_loop: u32,
    line: u32,
}

fn expr(kind: ExprKind, scalar: Scalar) -> Expr {
    Expr { kind, ty: Type::Scalar(scalar) }
}

fn number(n: i128, scalar: Scalar) -> Expr {
    Expr::constant(ConstValue::Int(n), Type::Scalar(scalar))
}

fn cast(e: Expr, to: Scalar) -> Expr {
    if e.ty == Type::Scalar(to) { e } else { expr(ExprKind::Cast(e.into()), to) }
}

fn compare(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr { kind: ExprKind::Binary(op, a.into(), b.into()), ty: Type::BOOL }
}

impl<'d> Writer<'d> {
    pub fn kernel(dice: &'d mut Dice) -> Function {
        let elements = [Scalar::U8, Scalar::U16, Scalar::U32, Scalar::I32, Scalar::U64];
        let mut vars = Vec::new();
        for (slice, mutable) in READ.map(|s| (s, false)).into_iter().chain(WRITTEN.map(|s| (s, true))) {
            let elem = elements[dice.below(elements.len())];
            let to = Type::Slice(Type::Scalar(elem).into());
            let ty = Type::Ref { to: to.into(), mutable };
            vars.push(Variable { name: format!("s{}", slice.0), ty, mutable: false, kind: VarKind::Param });
        }
        for (var, scalar) in NUMBERS {
            let (name, ty) = (format!("n{}", var.0), Type::Scalar(scalar));
            vars.push(Variable { name, ty, mutable: false, kind: VarKind::Param });
        }
        let params = (0..vars.len() as u32).map(VarId).collect();
        let (scope, own, loops) = (NUMBERS.map(|(var, _)| var).to_vec(), vec![], vec![]);
        let mut writer = Writer { dice, vars, scope, own, loops, free_loop: 0, line: 1 };
        let body = writer.body();
        Function {
            name: "kernel".into(),
            params,
            ret: Type::Unit,
            vars: writer.vars,
            body,
            foreign: None,
            inline: None,
            meaning: None,
            effect: Effect::Writes,
            at: Location { file: "", line: 0 },
        }
    }

    fn at(&mut self) -> Location {
        self.line += 1;
        Location { file: "", line: self.line }
    }

    fn stmt(&mut self, kind: StmtKind) -> Stmt {
        Stmt { kind, at: self.at() }
    }

    fn var(&self, id: VarId) -> Expr {
        Expr { kind: ExprKind::Var(id), ty: self.vars[id.0 as usize].ty.clone() }
    }

    fn declare(&mut self, scalar: Scalar, mutable: bool) -> VarId {
        let id = VarId(self.vars.len() as u32);
        let (name, ty) = (format!("v{}", id.0), Type::Scalar(scalar));
        self.vars.push(Variable { name, ty, mutable, kind: VarKind::Local });
        id
    }

    fn let_(&mut self, init: Expr, mutable: bool) -> (VarId, Stmt) {
        let var = self.declare(init.ty.scalar().expect("an integer"), mutable);
        (var, self.stmt(StmtKind::Let { var, init: Some(init) }))
    }

    fn call(&mut self, op: &'static Builtin, scalar: Scalar) -> Expr {
        let at = self.at();
        expr(ExprKind::Builtin { op, meaning: None, args: vec![], at }, scalar)
    }

    /// `op().x`
    fn axis(&mut self, op: &'static Builtin) -> Expr {
        let base = self.call(op, Scalar::U32);
        expr(ExprKind::Field(base.into(), "x".into()), Scalar::U32)
    }

    fn body(&mut self) -> Block {
        let mut stmts = Vec::new();
        for _ in 0..1 + self.dice.below(2) {
            let number = self.thread_number();
            let (var, stmt) = self.let_(number, false);
            self.own.push(var);
            self.scope.push(var);
            stmts.push(stmt);
        }
        self.guarded(2, &mut stmts);
        Block { stmts }
    }

    /// The thread's number in one of its spellings.
    fn thread_number(&mut self) -> Expr {
        let to = [Scalar::U64, Scalar::U32, Scalar::I32][self.dice.below(3)];
        let number = match self.dice.below(3) {
            0 => self.call(&GLOBAL_ID, Scalar::U64),
            1 => {
                let (a, b, c) = (self.axis(&BLOCK_IDX), self.axis(&BLOCK_DIM), self.axis(&THREAD_IDX));
                let start = expr(ExprKind::Binary(BinaryOp::Mul, a.into(), b.into()), Scalar::U32);
                expr(ExprKind::Binary(BinaryOp::Add, start.into(), c.into()), Scalar::U32)
            }
            _ => {
                let parts = [self.axis(&BLOCK_DIM), self.axis(&BLOCK_IDX), self.axis(&THREAD_IDX)];
                let [a, b, c] = parts.map(|part| cast(part, Scalar::U64));
                let start = expr(ExprKind::Binary(BinaryOp::Mul, a.into(), b.into()), Scalar::U64);
                expr(ExprKind::Binary(BinaryOp::Add, c.into(), start.into()), Scalar::U64)
            }
        };
        cast(number, to)
    }

    /// Guards around the rest, or before it.
    fn guarded(&mut self, depth: usize, stmts: &mut Vec<Stmt>) {
        if depth == 0 || self.dice.below(8) == 0 {
            return self.statements(2, stmts);
        }
        let mut cond = self.guard();
        if self.dice.below(3) == 0 {
            let other = if self.dice.below(2) == 0 { self.guard() } else { self.condition(1) };
            cond = Expr { kind: ExprKind::Binary(BinaryOp::And, cond.into(), other.into()), ty: Type::BOOL };
        }
        if self.dice.below(2) == 0 {
            let mut then = Vec::new();
            self.guarded(depth - 1, &mut then);
            let kind = StmtKind::If { cond, then: Block { stmts: then }, otherwise: Block::default() };
            stmts.push(self.stmt(kind));
            return;
        }
        let cond = Expr { kind: ExprKind::Unary(crate::ir::UnaryOp::Not, cond.into()), ty: Type::BOOL };
        let leave = self.stmt(StmtKind::Return(None));
        let kind = StmtKind::If { cond, then: Block { stmts: vec![leave] }, otherwise: Block::default() };
        stmts.push(self.stmt(kind));
        self.guarded(depth - 1, stmts);
    }

    /// A comparison of the thread's number with what is the same in all threads.
    fn guard(&mut self) -> Expr {
        let own = self.own[self.dice.below(self.own.len())];
        let scalar = self.vars[own.0 as usize].ty.scalar().expect("an integer");
        let mut left = self.var(own);
        let limit = match self.dice.below(6) {
            0 => return compare(BinaryOp::Gt, left, number(self.dice.below(2) as i128, scalar)),
            1 => return compare(BinaryOp::Ne, left, number(0, scalar)),
            2 => {
                let (var, _) = NUMBERS[self.dice.below(2)];
                self.var(var)
            }
            _ => {
                let slice = [READ, WRITTEN][self.dice.below(2)][self.dice.below(2)];
                let slice = self.var(slice);
                expr(ExprKind::Len(slice.into()), Scalar::U64)
            }
        };
        if self.dice.below(4) == 0 {
            let more = number(1 + self.dice.below(2) as i128, scalar);
            left = expr(ExprKind::Binary(BinaryOp::Add, left.into(), more.into()), scalar);
        }
        let limit = cast(limit, scalar);
        match self.dice.below(2) {
            0 => compare(BinaryOp::Lt, left, limit),
            _ => compare(BinaryOp::Gt, limit, left),
        }
    }

    fn statements(&mut self, depth: usize, stmts: &mut Vec<Stmt>) {
        let outer = self.scope.len();
        for _ in 0..1 + self.dice.below(4) {
            let stmt = self.statement(depth);
            let leaves =
                matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_));
            stmts.push(stmt);
            if leaves {
                break;
            }
        }
        self.scope.truncate(outer);
    }

    fn block(&mut self, depth: usize) -> Block {
        let mut stmts = Vec::new();
        self.statements(depth, &mut stmts);
        Block { stmts }
    }

    fn statement(&mut self, depth: usize) -> Stmt {
        match self.dice.below(if depth == 0 { 8 } else { 12 }) {
            0 => {
                let (init, mutable) = (self.value(2), self.dice.below(2) == 0);
                let (var, stmt) = self.let_(init, mutable);
                self.scope.push(var);
                stmt
            }
            1 if depth < 2 => match (self.loops.last().copied(), self.dice.below(3)) {
                (Some(id), 0) => self.stmt(StmtKind::Break(id)),
                (Some(id), 1) => self.stmt(StmtKind::Continue(id)),
                _ => self.stmt(StmtKind::Return(None)),
            },
            2 => self.assign_variable(),
            3 if self.dice.below(4) == 0 => {
                let cond = self.condition(1);
                self.stmt(StmtKind::Assert {
                    cond,
                    failure: AssertFailure::Message(String::new()),
                    debug: false,
                    proof: Proof::Open,
                })
            }
            8 | 9 => {
                let cond = self.condition(2);
                let then = self.block(depth - 1);
                let otherwise =
                    if self.dice.below(2) == 0 { self.block(depth - 1) } else { Block::default() };
                self.stmt(StmtKind::If { cond, then, otherwise })
            }
            10 => self.range_loop(depth),
            _ => self.assign_element(),
        }
    }

    fn assign_variable(&mut self) -> Stmt {
        let mutable: Vec<VarId> =
            self.scope.iter().copied().filter(|var| self.vars[var.0 as usize].mutable).collect();
        if mutable.is_empty() {
            return self.assign_element();
        }
        let var = mutable[self.dice.below(mutable.len())];
        let place = self.var(var);
        let value = cast(self.value(2), place.ty.scalar().expect("an integer"));
        self.stmt(StmtKind::Assign { place, op: None, value })
    }

    fn assign_element(&mut self) -> Stmt {
        let slice = WRITTEN[self.dice.below(2)];
        let place = self.own_element(slice);
        let value = cast(self.value(3), place.ty.scalar().expect("an integer"));
        let op = [None, None, Some(BinaryOp::Add), Some(BinaryOp::BitXor)][self.dice.below(4)];
        self.stmt(StmtKind::Assign { place, op, value })
    }

    fn range_loop(&mut self, depth: usize) -> Stmt {
        let (id, var) = (LoopId(self.free_loop), self.declare(Scalar::U32, false));
        self.free_loop += 1;
        let outer = self.scope.len();
        self.scope.push(var);
        self.loops.push(id);
        let body = self.block(depth - 1);
        self.loops.pop();
        self.scope.truncate(outer);
        let range = RangeLoop {
            var,
            start: number(0, Scalar::U32),
            end: number(self.dice.below(4) as i128, Scalar::U32),
            inclusive: false,
            step: None,
            reversed: false,
            unroll: None,
            exact: false,
        };
        self.stmt(StmtKind::For { id, range, body })
    }

    /// `slice[number]`, the number cast to an index or not.
    fn own_element(&mut self, slice: VarId) -> Expr {
        let own = self.own[self.dice.below(self.own.len())];
        let mut index = self.var(own);
        if self.dice.below(2) == 0 {
            index = cast(index, Scalar::U64);
        }
        self.element(slice, index)
    }

    fn element(&mut self, slice: VarId, index: Expr) -> Expr {
        let (base, at) = (self.var(slice), self.at());
        let ty = base.ty.element().expect("a slice");
        Expr { kind: ExprKind::Index { base: base.into(), index: index.into(), at, proof: Proof::Open }, ty }
    }

    fn value(&mut self, depth: usize) -> Expr {
        match self.dice.below(if depth == 0 { 6 } else { 9 }) {
            0 => number(self.dice.below(7) as i128, Scalar::U32),
            1 => {
                let var = self.scope[self.dice.below(self.scope.len())];
                self.var(var)
            }
            2 | 3 => {
                let slice = READ[self.dice.below(2)];
                self.own_element(slice)
            }
            4 => {
                let slice = WRITTEN[self.dice.below(2)];
                self.own_element(slice)
            }
            5 => {
                let (slice, own) = (READ[self.dice.below(2)], self.own[0]);
                let near = number(1 + self.dice.below(2) as i128, Scalar::U64);
                let own = cast(self.var(own), Scalar::U64);
                let op = [BinaryOp::Add, BinaryOp::Sub][usize::from(self.dice.below(4) == 0)];
                let index = expr(ExprKind::Binary(op, own.into(), near.into()), Scalar::U64);
                self.element(slice, index)
            }
            6 => {
                let cond = self.condition(depth - 1);
                let (a, b) = (self.value(depth - 1), self.value(depth - 1));
                let (a, b) = (cast(a, Scalar::U32), cast(b, Scalar::U32));
                expr(ExprKind::Select(cond.into(), a.into(), b.into()), Scalar::U32)
            }
            _ => {
                let to = [Scalar::U32, Scalar::I32, Scalar::U64][self.dice.below(3)];
                let (a, b) = (cast(self.value(depth - 1), to), cast(self.value(depth - 1), to));
                let op = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::BitXor][self.dice.below(4)];
                expr(ExprKind::Binary(op, a.into(), b.into()), to)
            }
        }
    }

    fn condition(&mut self, depth: usize) -> Expr {
        if depth > 0 && self.dice.below(3) == 0 {
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            let op = [BinaryOp::And, BinaryOp::Or][self.dice.below(2)];
            return Expr { kind: ExprKind::Binary(op, a.into(), b.into()), ty: Type::BOOL };
        }
        if self.dice.below(4) == 0 {
            return self.guard();
        }
        let (a, b) = (cast(self.value(depth), Scalar::U32), cast(self.value(depth), Scalar::U32));
        let op = [BinaryOp::Lt, BinaryOp::Ge, BinaryOp::Eq, BinaryOp::Ne][self.dice.below(4)];
        compare(op, a, b)
    }
}
