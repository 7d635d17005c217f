//! The coarsened kernel: a wide path, and the kernel's own body in a loop.

use super::access::WideSlice;
use super::guards::{self, Bound};
use super::own_element::Threads;
use super::rewrite::{drop_unnamed, next_loop, rename, stmts};
use super::slices::slice_of;
use super::wide;
use crate::ir::{
    BinaryOp, Block, Builtin, CoarsenNeeds, Coarsened, ConstValue, Expr, ExprKind, Function, Location,
    LoopId, Module, Proof, RangeLoop, Scalar, Stmt, StmtKind, Type, VarId, VarKind, Variable, WideArgument,
    visit,
};

/// The plan of a coarsened kernel.
pub(super) struct Plan {
    pub factor: u32,
    pub slices: Vec<WideSlice>,
    /// The bounds of the numbers of all elements on the wide path.
    pub bounds: Vec<Bound>,
    /// The body where the guards around it hold.
    pub body: Block,
}

pub(super) fn build(module: &Module, threads: &Threads, plan: Plan) -> Module {
    let mut build = Build::new(module, threads, plan.factor);
    let mut body = build.limits();
    let (then, otherwise) = (build.wide_path(&plan), build.rest());
    let cond = build.is_wide(&plan.bounds);
    body.push(build.stmt(StmtKind::If { cond, then, otherwise }));
    let Build { mut kernel, factor, loops, count, .. } = build;
    kernel.body = Block { stmts: body };
    kernel.params.push(count);
    let aligned = |wide: &WideSlice| {
        let position = kernel.params.iter().position(|param| *param == wide.slice.param)?;
        let align = alignment(wide.elem.size() * factor as usize);
        Some(WideArgument { position, offset: wide.slice.offset(&kernel), align })
    };
    let needs = CoarsenNeeds {
        factor,
        aligned: plan.slices.iter().filter_map(aligned).collect(),
        most_threads: threads.most(),
        block: threads.block(),
        fits: Vec::new(),
    };
    Module { kernel, coarsened: Some(Coarsened { loops, needs }), ..module.clone() }
}

/// The alignment of an access of this size.
fn alignment(bytes: usize) -> u32 {
    1 << bytes.trailing_zeros().min(4)
}

struct Build<'a> {
    threads: &'a Threads,
    kernel: Function,
    at: Location,
    factor: u32,
    /// Threads of the launch.
    count: VarId,
    /// The first of a thread's elements, and one past the last.
    first: VarId,
    end: VarId,
    loops: Vec<(LoopId, Expr)>,
    /// A number that no loop has.
    free_loop: u32,
}

impl<'a> Build<'a> {
    fn new(module: &Module, threads: &'a Threads, factor: u32) -> Self {
        let mut kernel = module.kernel.clone();
        let count = declare(&mut kernel, "threads", Type::U64, VarKind::Param);
        let first = declare(&mut kernel, "first", Type::U64, VarKind::Local);
        let end = declare(&mut kernel, "end", Type::U64, VarKind::Local);
        let (at, free_loop) = (kernel.at, next_loop(&kernel.body));
        Self { threads, kernel, at, factor, count, first, end, loops: Vec::new(), free_loop }
    }

    /// The first element of the thread, and one past the last.
    fn limits(&mut self) -> Vec<Stmt> {
        let thread = self.call(&wide::THREAD, vec![], Type::U64);
        let first = Expr::binary(BinaryOp::Mul, thread, number(self.factor));
        let end = Expr::binary(BinaryOp::Add, var(self.first), number(self.factor));
        vec![self.let_(self.first, first), self.let_(self.end, end)]
    }

    /// Whether all elements belong to threads that pass the guards.
    fn is_wide(&self, bounds: &[Bound]) -> Expr {
        let threads = compare(BinaryOp::Le, var(self.end), var(self.count));
        bounds.iter().fold(threads, |all, bound| compare(BinaryOp::And, all, self.all_within(bound)))
    }

    /// Whether a bound holds of all elements of the thread.
    fn all_within(&self, bound: &Bound) -> Expr {
        let (limit, plus) = match bound {
            Bound::AtLeast(least) => return compare(BinaryOp::Ge, var(self.first), number(*least)),
            Bound::Below { limit, plus } => (limit, *plus),
        };
        let ty = match limit.ty.scalar() {
            Some(scalar) if scalar.is_signed() => Type::Scalar(Scalar::I64),
            _ => Type::U64,
        };
        let end =
            if plus == 0 { var(self.end) } else { Expr::binary(BinaryOp::Add, var(self.end), number(plus)) };
        compare(BinaryOp::Le, cast(end, &ty), cast(limit.clone(), &ty))
    }

    /// Loads, a loop over the elements in registers, stores.
    fn wide_path(&mut self, plan: &Plan) -> Block {
        let mut body = plan.body.clone();
        rename(&mut body, &mut self.kernel.vars, self.free_loop + 2);
        let threads = self.threads.within(&self.kernel, &body);
        guards::fold(&mut body, &self.kernel, &threads, &plan.bounds);
        self.threads.join(&threads);
        self.lift_checks(&mut body);
        let lanes = LoopId(self.free_loop);
        let lane = self.declare("lane", Type::U32);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let array_of = |slice: &WideSlice| Type::Array(slice.elem.clone().into(), self.factor as usize);
        let into_words = plan.slices.iter().any(|slice| slice.store && wide::is_words(&array_of(slice)));
        let load = if into_words { &wide::LOAD_WORDS } else { &wide::LOAD };
        for slice in &plan.slices {
            let name = format!("{}{}", slice.slice.name(&self.kernel), self.factor);
            let array = Type::Array(slice.elem.clone().into(), self.factor as usize);
            let registers = declare(&mut self.kernel, &name, array.clone(), VarKind::Local);
            self.kernel.vars[registers.0 as usize].mutable = slice.store;
            let address = self.address(slice);
            let init = slice.load.then(|| self.call(load, vec![address.clone()], array.clone()));
            before.push(self.stmt(StmtKind::Let { var: registers, init }));
            if slice.store {
                let elements = Expr { kind: ExprKind::Var(registers), ty: array };
                let store = self.call(&wide::STORE, vec![address, elements], Type::Unit);
                after.push(self.stmt(StmtKind::Expr(store)));
            }
            self.keep_in(&mut body, slice, registers, lane);
        }
        let own = Expr::binary(BinaryOp::Add, var(self.first), cast(u32_var(lane), &Type::U64));
        self.number_elements(&mut body, own);
        ends_as(&mut body, lanes);
        let range = RangeLoop {
            var: lane,
            start: u32_number(0),
            end: u32_number(self.factor),
            inclusive: false,
            step: None,
            reversed: false,
            unroll: Some(None),
            exact: false,
        };
        self.loops.push((lanes, u32_var(lane)));
        let each = self.stmt(StmtKind::For { id: lanes, range, body });
        Block { stmts: before.into_iter().chain([each]).chain(after).collect() }
    }

    /// The kernel's own body for each of the elements that there are.
    fn rest(&mut self) -> Block {
        let rest = LoopId(self.free_loop + 1);
        let mut body = std::mem::take(&mut self.kernel.body);
        let own = self.first_number(&body).unwrap_or_else(|| "id".into());
        let own = self.declare(&own, Type::U64);
        let stop = self.declare("stop", Type::U64);
        self.number_elements(&mut body, var(own));
        ends_as(&mut body, rest);
        let in_time = compare(BinaryOp::Lt, var(self.end), var(self.count));
        let least = ExprKind::Select(in_time.into(), var(self.end).into(), var(self.count).into());
        let range = RangeLoop {
            var: own,
            start: var(self.first),
            end: var(stop),
            inclusive: false,
            step: None,
            reversed: false,
            unroll: Some(Some(1)),
            exact: false,
        };
        self.loops.push((rest, cast(Expr::binary(BinaryOp::Sub, var(own), var(self.first)), &Type::U32)));
        let stop = self.let_(stop, Expr { kind: least, ty: Type::U64 });
        Block { stmts: vec![stop, self.stmt(StmtKind::For { id: rest, range, body })] }
    }

    /// The user's name for the thread's number.
    fn first_number(&self, body: &Block) -> Option<String> {
        let mut found = None;
        visit::stmts(body, &mut |stmt| {
            if let StmtKind::Let { var, init: Some(init) } = &stmt.kind
                && init.ty == Type::U64
                && self.threads.is_own(init)
            {
                found = found.take().or_else(|| Some(self.kernel.var(*var).name.clone()));
            }
        });
        found.filter(|name| !name.is_empty())
    }

    /// Accesses of a slice at the thread's own element become those of an array.
    fn keep_in(&self, body: &mut Block, slice: &WideSlice, registers: VarId, lane: VarId) {
        let threads = self.threads.within(&self.kernel, body);
        visit::exprs_mut(body, &mut |e| {
            let ExprKind::Index { base, index, proof, .. } = &mut e.kind else { return false };
            if slice_of(&self.kernel, base).as_ref() != Some(&slice.slice) || !threads.is_own(index) {
                return false;
            }
            **base = Expr { kind: ExprKind::Var(registers), ty: self.kernel.var(registers).ty.clone() };
            **index = u32_var(lane);
            *proof = Proof::Text;
            true
        });
    }

    /// Elements of the thread are in bounds on the wide path.
    fn lift_checks(&self, body: &mut Block) {
        let threads = self.threads.within(&self.kernel, body);
        visit::exprs_mut(body, &mut |e| {
            if let ExprKind::Index { base, index, proof, .. } = &mut e.kind
                && slice_of(&self.kernel, base).is_some()
                && threads.is_own(index)
            {
                *proof = Proof::Text;
            }
            false
        });
    }

    /// Numbers of the thread become those of an element.
    fn number_elements(&mut self, body: &mut Block, own: Expr) {
        let threads = self.threads.within(&self.kernel, body);
        let mut same = Vec::new();
        // A variable of the user's that is the loop's own variable needs no copy.
        if let ExprKind::Var(_) = own.kind {
            visit::stmts(body, &mut |stmt| {
                if let StmtKind::Let { var, init: Some(init) } = &stmt.kind
                    && !self.kernel.var(*var).mutable
                    && init.ty == Type::U64
                    && threads.is_own(init)
                {
                    same.push(*var);
                }
            });
        }
        visit::exprs_mut(body, &mut |e| {
            let replaced = match &e.kind {
                ExprKind::Var(var) => same.contains(var),
                _ => threads.is_own(e),
            };
            if replaced {
                *e = cast(own.clone(), &e.ty);
            }
            replaced
        });
        self.threads.join(&threads);
        drop_unnamed(body, &self.kernel.vars);
    }

    /// `&slice[first]`
    fn address(&self, slice: &WideSlice) -> Expr {
        let base = slice.slice.place(&self.kernel);
        let kind = ExprKind::Index {
            base: base.into(),
            index: var(self.first).into(),
            at: self.at,
            proof: Proof::Text,
        };
        let element = Expr { kind, ty: slice.elem.clone() };
        let ty = Type::reference(slice.elem.clone(), slice.store);
        Expr { kind: ExprKind::Ref(element.into()), ty }
    }

    fn declare(&mut self, name: &str, ty: Type) -> VarId {
        declare(&mut self.kernel, name, ty, VarKind::Local)
    }

    fn stmt(&self, kind: StmtKind) -> Stmt {
        Stmt { kind, at: self.at }
    }

    fn let_(&self, var: VarId, init: Expr) -> Stmt {
        self.stmt(StmtKind::Let { var, init: Some(init) })
    }

    fn call(&self, op: &'static Builtin, args: Vec<Expr>, ty: Type) -> Expr {
        Expr { kind: ExprKind::Builtin { op, meaning: None, args, at: self.at }, ty }
    }
}

/// Where the body leaves the kernel, the copy continues with the next element.
fn ends_as(body: &mut Block, id: LoopId) {
    stmts(body, &mut |stmt| {
        if matches!(stmt.kind, StmtKind::Return(_)) {
            stmt.kind = StmtKind::Continue(id);
        }
    });
    // Nothing comes after the end.
    if body.stmts.last().is_some_and(|last| matches!(last.kind, StmtKind::Continue(to) if to == id)) {
        body.stmts.pop();
    }
}

fn declare(kernel: &mut Function, name: &str, ty: Type, kind: VarKind) -> VarId {
    let id = VarId(kernel.vars.len() as u32);
    kernel.vars.push(Variable { name: name.to_owned(), ty, mutable: false, kind });
    id
}

fn var(id: VarId) -> Expr {
    Expr { kind: ExprKind::Var(id), ty: Type::U64 }
}

fn u32_var(id: VarId) -> Expr {
    Expr { kind: ExprKind::Var(id), ty: Type::U32 }
}

fn number(n: u32) -> Expr {
    Expr::constant(ConstValue::Int(n.into()), Type::U64)
}

fn u32_number(n: u32) -> Expr {
    Expr::constant(ConstValue::Int(n.into()), Type::U32)
}

fn cast(e: Expr, ty: &Type) -> Expr {
    if e.ty == *ty { e } else { Expr { kind: ExprKind::Cast(e.into()), ty: ty.clone() } }
}

fn compare(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr { kind: ExprKind::Binary(op, a.into(), b.into()), ty: Type::BOOL }
}
