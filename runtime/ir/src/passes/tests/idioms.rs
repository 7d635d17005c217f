//! Loops and guards as people write them around indices, with what they forget now and then.

use super::random_kernel::{AT, Writer, binary, constant, expr, narrowed, slice};
use crate::ir::{
    BinaryOp, Block, Expr, ExprKind, LoopId, Proof, RangeLoop, Scalar, Stmt, StmtKind, Type, VarId, VarKind,
    Variable,
};

use BinaryOp::{Add, And, Div, Ge, Gt, Le, Lt, Mul, Rem, Shl, Shr, Sub};

/// Values of the table of constants.
pub(super) const TABLE: [i128; 5] = [3, 0, 7, 12, 5];

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, at: AT }
}

pub(super) fn block(kinds: Vec<StmtKind>) -> Block {
    Block { stmts: kinds.into_iter().map(stmt).collect() }
}

pub(super) fn when(cond: Expr, then: Vec<StmtKind>) -> StmtKind {
    StmtKind::If { cond, then: block(then), otherwise: Block::default() }
}

pub(super) fn compare(op: BinaryOp, a: &Expr, b: &Expr) -> Expr {
    expr(ExprKind::Binary(op, a.clone().into(), b.clone().into()), Scalar::Bool)
}

pub(super) fn plus(a: &Expr, b: &Expr) -> Expr {
    binary(Add, a, b)
}

impl Writer {
    /// One of the idioms.
    pub(super) fn idiom(&mut self) -> StmtKind {
        let scalar = self.dice.pick(&[Scalar::U32, Scalar::I32, Scalar::I32, Scalar::U64]);
        let stmts = match self.dice.below(42) {
            0 => self.halving(scalar),
            1 => self.falling(scalar),
            2 => self.striding(scalar),
            3 => self.searching(scalar),
            4 => self.counting(scalar),
            5 => self.triangle(scalar),
            6 => self.halo(),
            7 => self.turns(scalar),
            8 => self.clamping(scalar),
            9 => self.rows(scalar),
            10 => self.parts(scalar),
            11 => self.looked_up(scalar),
            12 => self.shifted(scalar),
            13 => self.reinterpreted(),
            14 => self.multiples(scalar),
            15 => self.sums(scalar),
            16 => self.stepping(scalar),
            17 => self.squares(),
            18 => self.wrapped(),
            19 => self.ring(scalar),
            20 => self.diagonal(scalar),
            21 => self.queue(scalar),
            22 => self.sliding(scalar),
            23 => self.stack(scalar),
            24..30 => self.relation(scalar),
            30..37 => self.walk(scalar),
            37 => self.long_part(scalar),
            38..41 => self.marks(),
            _ => self.marching(scalar),
        };
        StmtKind::Block(block(stmts))
    }

    /// A number that somebody got right, most of the time.
    pub(super) fn about(&mut self, n: i128, scalar: Scalar) -> Expr {
        let off = self.dice.pick(&[0, 0, 0, 0, 0, 1, -1, 2]);
        constant((n + off).max(0), scalar)
    }

    /// A variable that is new, and its `let`.
    pub(super) fn new_var(&mut self, scalar: Scalar, mutable: bool, init: Expr) -> (Expr, StmtKind) {
        let (name, ty) = (String::from("w"), Type::Scalar(scalar));
        self.vars.push(Variable { name, ty, mutable, kind: VarKind::Local });
        let var = VarId(self.vars.len() as u32 - 1);
        (expr(ExprKind::Var(var), scalar), StmtKind::Let { var, init: Some(init) })
    }

    /// The base of an index: mostly an array or dynamic shared memory.
    pub(super) fn store(&mut self, extent: usize) -> Expr {
        match self.dice.below(5) {
            0 => self.indexed(),
            1 if self.is_kernel => self.dynamic(),
            _ => {
                let ty = Type::Array(Type::U32.into(), extent);
                self.vars.push(Variable {
                    name: "a".into(),
                    ty: ty.clone(),
                    mutable: true,
                    kind: VarKind::Local,
                });
                Expr { kind: ExprKind::Var(VarId(self.vars.len() as u32 - 1)), ty }
            }
        }
    }

    fn dynamic(&mut self) -> Expr {
        let ty = Type::Shared { elem: Type::U32.into(), rank: 1 };
        self.vars.push(Variable {
            name: "d".into(),
            ty: ty.clone(),
            mutable: true,
            kind: VarKind::DynamicShared,
        });
        Expr { kind: ExprKind::Var(VarId(self.vars.len() as u32 - 1)), ty }
    }

    pub(super) fn at(&mut self, base: &Expr, index: Expr) -> StmtKind {
        let (base, index) = (base.clone().into(), index.into());
        StmtKind::Expr(expr(ExprKind::Index { base, index, at: AT, proof: Proof::Open }, Scalar::U32))
    }

    pub(super) fn loop_id(&mut self) -> LoopId {
        self.loops += 1;
        LoopId(self.loops)
    }

    pub(super) fn repeat(&mut self, cond: Expr, body: Vec<StmtKind>) -> StmtKind {
        StmtKind::While { id: self.loop_id(), cond, unroll: None, body: block(body) }
    }

    pub(super) fn range(
        &mut self,
        (start, end): (Expr, Expr),
        inclusive: bool,
        body: impl FnOnce(&mut Self, Expr) -> Vec<StmtKind>,
    ) -> StmtKind {
        let scalar = start.ty.scalar().expect("an integer");
        self.vars.push(Variable {
            name: "i".into(),
            ty: start.ty.clone(),
            mutable: false,
            kind: VarKind::Local,
        });
        let var = VarId(self.vars.len() as u32 - 1);
        let body = block(body(self, expr(ExprKind::Var(var), scalar)));
        let reversed = self.dice.below(4) == 0;
        let range =
            RangeLoop { var, start, end, inclusive, step: None, reversed, unroll: None, exact: false };
        StmtKind::For { id: self.loop_id(), range, body }
    }

    pub(super) fn change(&mut self, place: &Expr, op: Option<BinaryOp>, value: Expr) -> StmtKind {
        StmtKind::Assign { place: place.clone(), op, value }
    }

    pub(super) fn coin(&mut self) -> Expr {
        self.condition(1)
    }

    /// A number of threads or a small parameter.
    pub(super) fn extent(&mut self, scalar: Scalar) -> Expr {
        let leaf = self.leaf(scalar);
        if self.dice.below(2) == 0 { binary(Rem, &leaf, &constant(40, scalar)) } else { leaf }
    }

    /// `s = n / 2; while s > 0 { if t < s { x[t + s] } s /= 2 }`
    fn halving(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (n, t, base) = (self.extent(scalar), self.leaf(scalar), self.store(32));
        let by = self.about(2, scalar);
        let (s, first) = self.new_var(scalar, true, binary(Div, &n, &constant(2, scalar)));
        let access = vec![self.at(&base, plus(&t, &s)), self.at(&base, t.clone())];
        let by = if by.as_int() == Some(0) { constant(2, scalar) } else { by };
        let (op, by) = if self.dice.below(3) == 0 { (Shr, constant(1, scalar)) } else { (Div, by) };
        let change = self.change(&s, Some(op), by);
        let guarded = when(compare(Lt, &t, &s), access);
        let zero = self.about(0, scalar);
        vec![first, self.repeat(compare(Gt, &s, &zero), vec![guarded, change]), self.at(&base, s)]
    }

    /// `at = K; while at > 0 && c { a[at - 1]; a[at]; at -= 1 } a[at]`
    fn falling(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, k, by) = (self.store(9), self.about(8, scalar), self.about(1, scalar));
        let k = if self.dice.below(3) == 0 { self.extent(scalar) } else { k };
        let (at, first) = self.new_var(scalar, true, k);
        let least = self.about(0, scalar);
        let cond = compare(And, &compare(Gt, &at, &least), &self.coin());
        let before = binary(Sub, &at, &constant(1, scalar));
        let body = vec![self.at(&base, before), self.at(&base, at.clone()), self.change(&at, Some(Sub), by)];
        vec![first, self.repeat(cond, body), self.at(&base, at)]
    }

    /// `i = t; while i < n { x[i]; i += stride }`
    fn striding(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (t, n, base, stride) =
            (self.leaf(scalar), self.extent(scalar), self.store(40), self.leaf(scalar));
        let (i, first) = self.new_var(scalar, true, t);
        let access = self.at(&base, i.clone());
        let change = self.change(&i, Some(Add), stride);
        let body = if self.dice.below(4) == 0 { vec![change, access] } else { vec![access, change] };
        vec![first, self.repeat(compare(Lt, &i, &n), body)]
    }

    /// A binary search.
    fn searching(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (n, base) = (self.extent(scalar), self.store(31));
        let n = if self.dice.below(2) == 0 { self.about(31, scalar) } else { n };
        let (low, first) = self.new_var(scalar, true, constant(0, scalar));
        let (high, second) = self.new_var(scalar, true, n);
        let two = constant(2, scalar);
        let wide = |e: &Expr| narrowed(e.clone(), Scalar::U64);
        let middle = match self.dice.below(5) {
            3 => narrowed(binary(Div, &wide(&plus(&low, &high)), &constant(2, Scalar::U64)), scalar),
            0 => plus(&low, &binary(Div, &binary(Sub, &high, &low), &two)),
            1 => binary(Shr, &plus(&low, &high), &constant(1, scalar)),
            _ => binary(Div, &plus(&low, &high), &two),
        };
        let (middle, third) = self.new_var(scalar, false, middle);
        let step = self.about(1, scalar);
        let up = self.change(&low, None, plus(&middle, &step));
        let down = self.change(&high, None, middle.clone());
        let cond = self.coin();
        let choice = StmtKind::If { cond, then: block(vec![up]), otherwise: block(vec![down]) };
        let order = self.dice.pick(&[Lt, Lt, Lt, Le]);
        let body = vec![third, self.at(&base, middle), choice];
        vec![
            first,
            second,
            self.repeat(compare(order, &low, &high), body),
            self.at(&base, low),
            self.at(&base, high),
        ]
    }

    /// `n = 0; for i in 0..3 { for j in 0..3 { a[n]; n += 1 } }`
    fn counting(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, by) = (self.store(9), self.about(1, scalar));
        let (n, first) = self.new_var(scalar, true, constant(0, scalar));
        let [rows, cols] = [(); 2].map(|()| self.about(3, scalar));
        let cols = if self.dice.below(4) == 0 { self.extent(scalar) } else { cols };
        let zero = || constant(0, scalar);
        let guarded = self.dice.below(3) == 0;
        let nest = self.range((zero(), rows), false, |writer, _| {
            let inner = writer.range((zero(), cols), false, |writer, _| {
                let access = writer.at(&base, n.clone());
                let change = writer.change(&n, Some(Add), by);
                let change = if guarded { when(writer.coin(), vec![change]) } else { change };
                vec![access, change]
            });
            vec![inner, writer.at(&base, n.clone())]
        });
        vec![first, nest, self.at(&base, n)]
    }

    /// `for i in 0..n { for j in i + 1..n { a[j]; a[j - i - 1] } }`
    fn triangle(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, n, one) = (self.store(8), self.about(8, scalar), self.about(1, scalar));
        let inclusive = self.dice.below(6) == 0;
        vec![self.range((constant(0, scalar), n.clone()), false, |writer, i| {
            let inner = writer.range((plus(&i, &one), n), inclusive, |writer, j| {
                let between = binary(Sub, &binary(Sub, &j, &i), &constant(1, scalar));
                vec![writer.at(&base, j), writer.at(&base, between)]
            });
            vec![inner, writer.at(&base, i)]
        })]
    }

    /// `for k in -r..=r { x[t + r + k] }`
    fn halo(&mut self) -> Vec<StmtKind> {
        let (base, t) = (self.store(48), self.leaf(Scalar::I32));
        let t = binary(Rem, &t, &constant(32, Scalar::I32));
        let r = match self.dice.below(3) {
            0 => constant(7, Scalar::I32),
            _ => expr(ExprKind::Var(VarId(3)), Scalar::I32),
        };
        let off = self.about(0, Scalar::I32);
        let minus = expr(ExprKind::Unary(crate::ir::UnaryOp::Neg, r.clone().into()), Scalar::I32);
        vec![self.range((minus, r.clone()), true, |writer, k| {
            let index = plus(&plus(&plus(&t, &r), &k), &off);
            vec![writer.at(&base, index), writer.at(&base, plus(&k, &r))]
        })]
    }

    /// Two halves of memory that take turns.
    fn turns(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, size, t) = (self.store(64), self.about(32, scalar), self.leaf(scalar));
        let t = binary(Rem, &t, &constant(32, scalar));
        let (from, first) = self.new_var(scalar, true, constant(0, scalar));
        let (to, second) = self.new_var(scalar, true, size.clone());
        let (step, third) = self.new_var(scalar, true, constant(1, scalar));
        let (kept, fourth) = self.new_var(scalar, false, from.clone());
        let sum = plus(&from, &t);
        let reach = when(compare(Ge, &t, &step), vec![self.at(&base, binary(Sub, &sum, &step))]);
        let body = vec![
            reach,
            self.at(&base, sum),
            fourth,
            self.change(&from, None, to.clone()),
            self.change(&to, None, kept),
            self.change(&step, Some(Mul), constant(2, scalar)),
        ];
        vec![
            first,
            second,
            third,
            self.repeat(compare(Lt, &step, &size), body),
            self.at(&base, plus(&from, &t)),
        ]
    }

    /// `v = e - 1; if v < 0 { v = 0 } if v >= n { v = n - 1 } x[v]`
    fn clamping(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, e, n) = (self.store(16), self.leaf(scalar), self.about(16, scalar));
        let n = if self.dice.below(2) == 0 { self.leaf(scalar) } else { n };
        let (v, first) = self.new_var(scalar, true, binary(Sub, &e, &constant(1, scalar)));
        let zero = constant(0, scalar);
        let least = self.about(0, scalar);
        let below = when(compare(Lt, &v, &zero), vec![self.change(&v, None, least)]);
        let last = binary(Sub, &n, &constant(1, scalar));
        let above = when(compare(Ge, &v, &n), vec![self.change(&v, None, last)]);
        let select = ExprKind::Select(
            compare(Gt, &e, &zero).into(),
            binary(Sub, &e, &constant(1, scalar)).into(),
            zero.into(),
        );
        let other = self.at(&base, expr(select, scalar));
        let product = self.at(&base, binary(Mul, &v, &n));
        vec![first, below, above, self.at(&base, v), other, product]
    }

    /// `if row < rows && col * 8 < cols { for k in 0..8 { x[row * cols + col * 8 + k] } }`
    fn rows(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let base = self.indexed();
        let [row, col, rows, cols] = [(); 4].map(|()| self.leaf(scalar));
        let wide = self.dice.pick(&[1, 4, 8]);
        let wide = (wide, self.about(wide, scalar));
        let across = binary(Mul, &col, &constant(wide.0, scalar));
        let cond = compare(And, &compare(Lt, &row, &rows), &compare(Lt, &across, &cols));
        let access = self.range((constant(0, scalar), wide.1), false, |writer, k| {
            let index = match writer.dice.below(3) {
                0 => plus(&binary(Mul, &row, &cols), &plus(&across, &k)),
                1 => plus(&plus(&k, &across), &binary(Mul, &row, &cols)),
                _ => plus(&plus(&binary(Mul, &row, &cols), &across), &k),
            };
            vec![writer.at(&base, index)]
        });
        vec![when(cond, vec![access])]
    }

    /// `if x * 4 < 30 { a[x * 4 + k]; a[x] }`
    fn multiples(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (wide, limit) = (self.dice.pick(&[2, 3, 4, 8]), self.dice.below(40));
        let (base, x) = (self.store(limit), self.leaf(scalar));
        let x = binary(Rem, &x, &constant(100, scalar));
        let (product, limit) = (binary(Mul, &x, &constant(wide, scalar)), self.about(limit as i128, scalar));
        let last = self.about(wide - 1, scalar);
        let accesses = vec![self.at(&base, plus(&product, &last)), self.at(&base, product.clone())];
        vec![when(compare(Lt, &product, &limit), accesses)]
    }

    /// `for i in 0..3 { for j in 0..3 { let d = v; n += d; a[n] } v += 9 }`, and what is left of a sum that may wrap.
    fn stepping(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, by) = (self.store(12), self.about(1, scalar));
        let (v, first) = self.new_var(scalar, true, by);
        let (n, second) = self.new_var(scalar, true, constant(0, scalar));
        let [rows, cols] = [(); 2].map(|()| self.about(3, scalar));
        let (zero, grown) = (constant(0, scalar), self.about(9, scalar));
        let nest = self.range((zero.clone(), rows), false, |writer, _| {
            let inner = writer.range((zero, cols), false, |writer, _| {
                let (d, third) = writer.new_var(scalar, false, v.clone());
                vec![third, writer.change(&n, Some(Add), d), writer.at(&base, n.clone())]
            });
            let grows = match writer.dice.below(3) {
                0 => writer.change(&v, None, grown),
                1 => writer.change(&v, Some(Add), grown),
                _ => writer.change(&v, None, plus(&v, &grown)),
            };
            vec![inner, grows]
        });
        let [a, t, less] = [(); 3].map(|()| self.leaf(Scalar::U32));
        let wide = |e: &Expr| narrowed(e.clone(), Scalar::U64);
        let rest = binary(Sub, &wide(&plus(&a, &t)), &wide(&less));
        let guarded = when(compare(Ge, &t, &less), vec![self.at(&base, rest)]);
        vec![first, second, nest, self.at(&base, n), guarded]
    }

    /// `if a + b < 20 { x[a + b]; x[c + a + b] }`
    fn sums(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let extent = self.dice.pick(&[20, 25, 30]);
        let base = self.store(extent);
        let [a, b, c] = [100, 100, 11].map(|n| binary(Rem, &self.leaf(scalar), &constant(n, scalar)));
        let limit = self.about(20, scalar);
        let index = match self.dice.below(3) {
            0 => plus(&plus(&c, &a), &b),
            1 => plus(&plus(&b, &c), &a),
            _ => plus(&a, &plus(&c, &b)),
        };
        let accesses = vec![self.at(&base, index), self.at(&base, plus(&a, &b))];
        vec![when(compare(Lt, &plus(&a, &b), &limit), accesses)]
    }

    /// `if n * n < 20 { x[n * n] }`, where the square may have wrapped.
    fn squares(&mut self) -> Vec<StmtKind> {
        let (base, n) = (self.store(20), expr(ExprKind::Var(VarId(1)), Scalar::U32));
        let (square, limit) = (binary(Mul, &n, &n), self.about(20, Scalar::U32));
        vec![when(compare(Lt, &square, &limit), vec![self.at(&base, square)])]
    }

    /// `x[(a - b) as usize]`, which may have wrapped before it was cast.
    fn wrapped(&mut self) -> Vec<StmtKind> {
        let base = self.store(20);
        let [a, b] = [(); 2].map(|()| binary(Rem, &self.leaf(Scalar::U32), &constant(10, Scalar::U32)));
        vec![self.at(&base, narrowed(binary(Sub, &a, &b), Scalar::U64))]
    }

    /// A number taken apart and put together: `if i < h * w { x[i / w * w + i % w] }`
    fn parts(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, i, [h, w]) = (self.indexed(), self.leaf(scalar), [(); 2].map(|()| self.leaf(scalar)));
        let cond = compare(Lt, &i, &binary(Mul, &h, &w));
        let positive = compare(And, &compare(Gt, &w, &constant(0, scalar)), &cond);
        let (quotient, rest) = (binary(Div, &i, &w), binary(Rem, &i, &w));
        let index = match self.dice.below(3) {
            0 => plus(&binary(Mul, &rest, &h), &quotient),
            1 => quotient,
            _ => plus(&binary(Mul, &quotient, &w), &rest),
        };
        vec![when(positive, vec![self.at(&base, index)])]
    }

    /// `x[TABLE[i % 5]]`
    fn looked_up(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, i, n) = (self.store(13), self.leaf(Scalar::U32), self.about(5, Scalar::U32));
        let items = TABLE.map(|n| constant(n, scalar)).to_vec();
        let ty = Type::Array(Type::Scalar(scalar).into(), items.len());
        let list = Expr { kind: ExprKind::ArrayList(items), ty: ty.clone() };
        let table = Expr { kind: ExprKind::Table { name: "T", value: list.into() }, ty };
        let rest = binary(Rem, &i, &if n.as_int() == Some(0) { constant(5, Scalar::U32) } else { n });
        let (base_of, index) = (table.into(), rest.into());
        let value = expr(ExprKind::Index { base: base_of, index, at: AT, proof: Proof::Open }, scalar);
        let (value, first) = self.new_var(scalar, false, value);
        vec![first, self.at(&base, value)]
    }

    /// Powers of two, and what is shifted by a number that is no constant.
    fn shifted(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, i, by) = (self.store(64), self.leaf(scalar), self.leaf(scalar));
        let by = if self.dice.below(2) == 0 { binary(Rem, &by, &constant(7, scalar)) } else { by };
        let power = binary(Shl, &constant(1, scalar), &by);
        let below = when(compare(Lt, &i, &power), vec![self.at(&base, i.clone())]);
        vec![below, self.at(&base, binary(Shr, &i, &by)), self.at(&base, binary(Rem, &i, &power))]
    }

    /// A whole slice seen as words of another size.
    fn reinterpreted(&mut self) -> Vec<StmtKind> {
        let wide = self.dice.below(2) == 0;
        let elem = if wide { Scalar::U64 } else { Scalar::U16 };
        let to = Type::Slice(Type::Scalar(elem).into());
        let ty = Type::Ref { to: to.into(), mutable: true };
        let base = Expr { kind: ExprKind::Var(VarId(0)), ty: slice() };
        let kind =
            ExprKind::SubSlice { base: base.into(), start: None, end: None, at: AT, proof: Proof::Open };
        self.vars.push(Variable { name: "r".into(), ty: ty.clone(), mutable: false, kind: VarKind::Local });
        let var = VarId(self.vars.len() as u32 - 1);
        let seen = Expr { kind: ExprKind::Var(var), ty: ty.clone() };
        let i = self.leaf(Scalar::U64);
        let len =
            expr(ExprKind::Len(Expr { kind: ExprKind::Var(VarId(0)), ty: slice() }.into()), Scalar::U64);
        let limit = if wide { binary(Div, &len, &constant(2, Scalar::U64)) } else { len };
        let first = StmtKind::Let { var, init: Some(Expr { kind, ty }) };
        vec![first, when(compare(Lt, &i, &limit), vec![self.at(&seen, i.clone())])]
    }

    /// `at = e; for z in 1..n - 1 { x[at - 1]; at += stride; x[at] }`, and a part between two sums.
    fn marching(&mut self, scalar: Scalar) -> Vec<StmtKind> {
        let (base, e, stride) = (self.store(60), self.leaf(scalar), self.leaf(scalar));
        let n = self.extent(scalar);
        let (at, first) = self.new_var(scalar, true, e.clone());
        let one = constant(1, scalar);
        let last = binary(Sub, &n, &one);
        let march = self.range((one.clone(), last), false, |writer, z| {
            vec![
                writer.at(&base, binary(Sub, &at, &one)),
                writer.change(&at, Some(Add), stride.clone()),
                writer.at(&base, at.clone()),
                writer.at(&base, plus(&z, &e)),
            ]
        });
        let wide = narrowed(n, Scalar::U64);
        let (start, more) = (narrowed(e, Scalar::U64), binary(Mul, &wide, &constant(2, Scalar::U64)));
        let (from, to) = (plus(&start, &wide), plus(&start, &more));
        let part = self.part_between(from, to);
        let (part_of, i) = (self.slices.last().copied().expect("a slice"), self.leaf(Scalar::U64));
        let of = Expr { kind: ExprKind::Var(part_of), ty: slice() };
        let access = when(compare(Lt, &i, &wide), vec![self.at(&of, i.clone())]);
        vec![first, march, part, access]
    }
}
