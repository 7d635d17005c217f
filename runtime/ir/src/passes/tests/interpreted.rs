//! A thread of a random kernel, interpreted: each index that is proven is looked at when it runs.

use std::collections::HashMap;

use super::idioms::TABLE;
use super::random_kernel::slice;
use super::states::{STATE, state, state_of};
use crate::ir::{
    BinaryOp, Block, ConstValue, Expr, ExprKind, FnId, Form, LaunchValues, LoopId, Module, Parameter,
    Position, Proof, RangeLoop, ResultRange, Scalar, StmtKind, Type, UnaryOp, VarId,
};
use crate::ranges::assigned;

/// Iterations at the beginning of a loop over a range that run; a few at its end run too.
const ITERATIONS: usize = 5;
/// Iterations of a loop over a range that all run.
const FEW: i128 = 64;
/// Iterations of a loop with a condition that run.
const TURNS: usize = 40;

/// What an option is that holds no integer.
const NOTHING: i128 = i128::MIN;

/// The variables of a function: integers, and slices by their lengths.
#[derive(Default)]
pub(super) struct Frame {
    vars: HashMap<VarId, i128>,
    slices: HashMap<VarId, i128>,
    arrays: HashMap<VarId, Vec<i128>>,
    states: HashMap<VarId, HashMap<String, i128>>,
}

impl Frame {
    pub(super) fn new(length: i128, integers: [i128; 3]) -> Self {
        let vars = integers.into_iter().enumerate().map(|(i, value)| (VarId(i as u32 + 1), value)).collect();
        Self { vars, slices: [(VarId(0), length)].into(), ..Self::default() }
    }
}

/// A launch of a random kernel, and what it has seen.
pub(super) struct Run<'a> {
    /// Lengths of the slice and of the struct's view.
    pub(super) lengths: [i128; 2],
    pub(super) integers: [i128; 3],
    /// The struct's integer, and its array.
    pub(super) n: i128,
    pub(super) extents: [i128; 2],
    /// The address of the slice.
    pub(super) address: u64,
    /// Bytes of dynamic shared memory.
    pub(super) shared: u32,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) thread: [u32; 2],
    pub(super) at: [u32; 2],
    pub(super) fulfilled: u64,
    pub(super) frame: Frame,
    /// Whether a range that is out of bounds has ended the thread.
    pub(super) left: bool,
    /// The loop whose next iteration comes next.
    pub(super) continued: Option<LoopId>,
    /// The loop that is left.
    pub(super) broken: Option<LoopId>,
    /// The result of the last function.
    pub(super) returned: i128,
    pub(super) module: &'a Module,
    /// Proven indices that ran.
    pub(super) proven: usize,
    /// The indices and bounds of a thread.
    pub(super) trace: Vec<i128>,
    /// Arithmetic of `int` that was proven not to overflow, and ran.
    pub(super) exact: usize,
}

impl LaunchValues for Run<'_> {
    fn param(&self, parameter: &Parameter) -> Option<i128> {
        Some(match (parameter.position, parameter.offset) {
            (4, 0) => self.n,
            (4, 16) => self.lengths[1],
            (4, at @ (24 | 32)) => self.extents[usize::from(at == 32)],
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

/// How a statement ends: on to the next, or out of its block.
pub(super) type Ends = bool;

impl Run<'_> {
    pub(super) fn block(&mut self, block: &Block) -> Ends {
        block.stmts.iter().any(|stmt| self.statement(&stmt.kind) || self.left)
    }

    fn statement(&mut self, kind: &StmtKind) -> Ends {
        match kind {
            StmtKind::Let { var, init: Some(Expr { kind: ExprKind::ArrayList(items), .. }) } => {
                let items = items.iter().map(|item| self.value(item)).collect();
                self.frame.arrays.insert(*var, items);
            }
            StmtKind::Let { var, init: Some(init) } if init.ty == state() => self.set_state(*var, init),
            StmtKind::Assign { place, value, .. } if value.ty == state() => {
                self.set_state(state_of(place).expect("a state"), value);
            }
            StmtKind::Assign { place: Expr { kind: ExprKind::Var(var), .. }, value, .. }
                if value.ty == slice() =>
            {
                let length = self.length(value);
                self.frame.slices.insert(*var, length);
            }
            StmtKind::Let { var, init: Some(init) }
                if init.ty.scalar().is_none() && !matches!(init.ty, Type::Enum(_)) =>
            {
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
            StmtKind::While { id, cond, body, .. } => {
                for _ in 0..TURNS {
                    if self.value(cond) == 0 {
                        return false;
                    }
                    if self.block(body) && !self.goes_on(*id) {
                        return !self.ends(*id);
                    }
                }
                // Nobody has seen where a longer loop ends.
                self.left |= self.value(cond) != 0;
            }
            StmtKind::For { id, range, body } => return self.range_loop(*id, range, body),
            StmtKind::Break(id) => {
                self.broken = Some(*id);
                return true;
            }
            StmtKind::Continue(id) => {
                self.continued = Some(*id);
                return true;
            }
            other => unreachable!("not written: {other:?}"),
        }
        false
    }

    fn assign(&mut self, place: &Expr, value: i128) {
        match &place.kind {
            ExprKind::Var(var) => drop(self.frame.vars.insert(*var, value)),
            ExprKind::Field(base, name) => {
                let state = state_of(base).and_then(|of| self.frame.states.get_mut(&of));
                state.expect("a state").insert(name.clone(), value);
            }
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

    fn set_state(&mut self, var: VarId, to: &Expr) {
        let state = match (&to.kind, state_of(to)) {
            (_, Some(from)) => self.frame.states[&from].clone(),
            (ExprKind::Struct(def, parts), None) => def
                .fields
                .iter()
                .zip(parts)
                .map(|(field, part)| (field.name.into(), self.value(part)))
                .collect(),
            other => unreachable!("not written: {other:?}"),
        };
        self.frame.states.insert(var, state);
    }

    /// Whether what ended a loop's body goes on with its next iteration.
    fn goes_on(&mut self, id: LoopId) -> bool {
        self.continued.take_if(|continued| *continued == id).is_some()
    }

    /// Whether what ended a loop's body ends the loop, and no more than that.
    fn ends(&mut self, id: LoopId) -> bool {
        self.broken.take_if(|broken| *broken == id).is_some()
    }

    fn range_loop(&mut self, id: LoopId, range: &RangeLoop, body: &Block) -> Ends {
        let (start, end) = (self.value(&range.start), self.value(&range.end));
        let step = range.step.as_ref().map_or(1, |step| self.value(step));
        let past = if range.inclusive { end + 1 } else { end };
        let count = (past - start).max(0).div_euclid(step) + 2;
        let values = (0..count).map(|i| start + i * step).take_while(|v| *v < past);
        // The first values, and the last ones, where bounds are broken.
        let last = start + (past - 1 - start).div_euclid(step) * step;
        let end = (0..3).rev().map(|i| last - i * step).filter(|v| *v >= start + ITERATIONS as i128 * step);
        let mut all: Vec<i128> = match count <= FEW {
            true => values.collect(),
            false => values.take(ITERATIONS).chain(end).collect(),
        };
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
            if self.block(body) && !self.goes_on(id) {
                return !self.ends(id);
            }
        }
        // Nobody has seen what the iterations that were left out change.
        self.left |= count > FEW && !assigned(body).is_empty();
        false
    }

    fn value(&mut self, e: &Expr) -> i128 {
        let scalar = e.ty.scalar();
        let exact = match &e.kind {
            ExprKind::Const(c) => match c.value {
                ConstValue::Int(n) => n,
                ConstValue::Bool(b) => i128::from(b),
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
            ExprKind::Variant(_, _, items) => return items.first().map_or(NOTHING, |item| self.value(item)),
            ExprKind::Field(base, part) if matches!(base.ty, Type::Enum(_)) => {
                let held = self.value(base);
                return if part == "tag" { i128::from(held != NOTHING) } else { held };
            }
            ExprKind::Field(base, name) if let Some(of) = state_of(base) => self.frame.states[&of][name],
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
                    ResultRange::Remaining => {
                        let (least, most) = scalar.and_then(Scalar::int_range).expect("an integer");
                        (args[0] - args[1]).clamp(least, most)
                    }
                    // Without a divisor, a GPU gives any number.
                    ResultRange::Modulo | ResultRange::QuotientUp if args[1] == 0 => args[0],
                    ResultRange::QuotientUp => args[0] / args[1] + i128::from(args[0] % args[1] > 0),
                    ResultRange::Modulo => args[0].rem_euclid(args[1]),
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
                    ExprKind::Field(_, name) if name == "extents" => self.extents[i as usize],
                    ExprKind::Table { .. } => {
                        self.left |= !(0..length).contains(&i);
                        if self.left { 0 } else { TABLE[i as usize] }
                    }
                    ExprKind::Var(array) if self.frame.arrays.contains_key(array) => {
                        self.left |= !(0..length).contains(&i);
                        if self.left { 0 } else { self.frame.arrays[array][i as usize] }
                    }
                    // A thread may go on after an index into a slice: that of a loop which is tried.
                    _ => {
                        self.left |= matches!(base.ty, Type::Array(..)) && !(0..length).contains(&i);
                        0
                    }
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
        let lent = args.get(5).and_then(state_of);
        let mut frame = Frame::new(length, integers);
        frame.states.extend(lent.map(|of| (STATE, self.frame.states[&of].clone())));
        let caller = std::mem::replace(&mut self.frame, frame);
        if !self.left {
            self.block(&function.body);
        }
        let called = std::mem::replace(&mut self.frame, caller);
        let left = lent.and_then(|of| Some((of, called.states.get(&STATE)?.clone())));
        self.frame.states.extend(left);
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
        let overflows =
            right == -1 && scalar.and_then(Scalar::int_range).is_some_and(|(least, _)| left == least);
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) && (right == 0 || overflows) {
            self.left = true;
            return 0;
        }
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

    pub(super) fn shown(&self) -> String {
        let conditions = self.module.conditions.iter().chain(&self.module.fits);
        let conditions: Vec<String> = conditions.map(ToString::to_string).collect();
        let Run { lengths, integers, n, extents, shared, grid, block, thread, at, .. } = self;
        format!(
            "{lengths:?} {integers:?} {n} {extents:?} {shared} {grid:?} {block:?} {thread:?} {at:?}\n{conditions:#?}\n{}",
            self.module
        )
    }
}

fn wrap(exact: i128, scalar: Option<Scalar>) -> i128 {
    let Some((least, most)) = scalar.and_then(Scalar::int_range) else { return exact };
    least + (exact - least).rem_euclid(most - least + 1)
}
