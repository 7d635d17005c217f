//! Statements; each arm of the dispatcher only forwards.

use super::precedence::ASSIGNMENT;
use super::{Printer, SiteKind, arith, prelude};
use crate::ir::{
    ArgumentAccess, ArrayId, AssertFailure, BinaryOp, Block, Expr, ExprKind, LoopId, Scalar, Stmt, StmtKind,
    Type, VarId, VarKind, visit,
};

impl Printer<'_> {
    /// The statements of a block, in the scope that is open.
    pub(super) fn statements(&mut self, block: &Block) {
        self.sequence(&block.stmts);
    }

    /// Prints statements one after the other.
    pub(super) fn sequence(&mut self, stmts: &[Stmt]) {
        let around = (self.function.line, self.function.at);
        let (early, evaluated) = (self.function.early.len(), self.function.evaluated.len());
        for (i, stmt) in stmts.iter().enumerate() {
            self.function.line = self.options.line_directives.then_some(stmt.at);
            self.function.at = Some(stmt.at);
            self.check_early(&stmts[i..]);
            self.statement(stmt);
        }
        self.function.early.truncate(early);
        self.function.evaluated.truncate(evaluated);
        (self.function.line, self.function.at) = around;
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let { var, init } => self.let_(*var, init.as_ref()),
            StmtKind::Shared(var) => self.shared(*var),
            StmtKind::DynamicShared(var) => self.dynamic_shared(*var),
            StmtKind::Assign { place, op, value } => self.assign(place, *op, value),
            StmtKind::Expr(e) if e.ty == Type::Unit => self.effect_of(e),
            StmtKind::Expr(e) => {
                let text = self.expr(e).text;
                self.function.push(&format!("{text};"));
            }
            StmtKind::If { cond, then, otherwise } => self.if_(cond, then, otherwise),
            StmtKind::While { id, cond, unroll, body } => self.while_(*id, cond, *unroll, body),
            StmtKind::For { id, range, body } => self.for_(*id, range, body),
            StmtKind::Block(block) => {
                self.function.open("{");
                self.statements(block);
                self.function.close("}");
            }
            StmtKind::Break(id) => self.leave(*id, "break", "end"),
            StmtKind::Continue(id) => self.leave(*id, "continue", "next"),
            StmtKind::Return(None) => self.function.push("return;"),
            StmtKind::Return(Some(value)) => {
                let is_slice = super::slice::is_one_value(&value.ty);
                let value = if is_slice { self.part(value) } else { self.expr(value).text };
                self.function.push(&format!("return {value};"));
            }
            StmtKind::Assert { debug, proof, .. } if !self.asserts(*debug, *proof) => {}
            StmtKind::Assert { cond, failure, .. } => self.assert(cond, failure, stmt.at),
            StmtKind::Print { pieces, args } => self.print(pieces, args),
            StmtKind::Launch(launch) => self.launch(launch, stmt.at),
        }
    }

    fn let_(&mut self, var: VarId, init: Option<&Expr>) {
        let ty = self.function.var(var).ty.clone();
        if ty == Type::Unit {
            return init.into_iter().for_each(|value| self.effect_of(value));
        }
        if super::slice::is_slice(&ty) {
            return self.let_slice(var, init);
        }
        if self.function.arrays.contains(&var) {
            return self.let_array(var, &ty, init);
        }
        // The value is printed before the name is taken: in Rust it cannot mean the new variable.
        let value = init.map(|e| self.expr(e).at(ASSIGNMENT));
        if let Some(init) = init {
            self.function.define(var, init);
        }
        let (printed, name) = (self.ty(&ty), self.function.declare(var));
        match value {
            Some(value) => self.function.push(&format!("{printed} {name} = {value};")),
            None => self.function.push(&format!("{printed} {name};")),
        }
    }

    /// A unit value: CUDA has no variable of that type, only what the value does.
    fn effect_of(&mut self, value: &Expr) {
        if value.has_effect() {
            let text = self.expr(value).text;
            self.function.push(&format!("{text};"));
        }
    }

    fn let_array(&mut self, var: VarId, ty: &Type, init: Option<&Expr>) {
        let value = init.map(|e| format!(" = {}", self.array_initializer(e))).unwrap_or_default();
        let name = self.function.declare(var);
        let declarator = match init {
            Some(init) => self.initialized_declarator(init, &name),
            None => self.declarator(ty, &name),
        };
        self.function.push(&format!("{declarator}{value};"));
    }

    fn shared(&mut self, var: VarId) {
        let variable = self.function.var(var).clone();
        let VarKind::Shared { extents, align } = &variable.kind else { return };
        let (printed, name) = (self.ty(&variable.ty), self.function.declare(var));
        let dims: String = extents.iter().map(|extent| format!("[{}]", self.extent(extent))).collect();
        let array = self.function.of.map(|function| ArrayId::new(function, var));
        if let Some(at) = array.and_then(|array| self.shared.large.get(&array)) {
            let line = format!("auto& {name} = ws_shared_at<{printed}{dims}>({at}u);");
            self.need(&prelude::SHARED_AT);
            return self.function.push(&line);
        }
        let align = align.map(|bytes| format!("__align__({bytes}) ")).unwrap_or_default();
        self.function.push(&format!("__shared__ {align}{printed} {name}{dims};"));
    }

    /// All `extern __shared__` arrays start at one address; one name has one type in a module.
    fn dynamic_shared(&mut self, var: VarId) {
        let variable = self.function.var(var).clone();
        let names = &self.dynamic_names;
        let has_other_type = |name: &str| names.get(name).is_some_and(|ty| *ty != variable.ty);
        let name = self.function.declare_linked(var, &has_other_type);
        self.dynamic_names.insert(name.clone(), variable.ty.clone());
        let printed = self.ty(&variable.ty);
        if self.shared.large_bytes > 0 {
            let line = format!("{printed}* {name} = &ws_shared_at<{printed}>({}u);", self.shared.large_bytes);
            self.need(&prelude::SHARED_AT);
            return self.function.push(&line);
        }
        self.function.push(&format!("extern __shared__ __align__(16) {printed} {name}[];"));
    }

    fn assign(&mut self, place: &Expr, op: Option<BinaryOp>, value: &Expr) {
        if place.ty == Type::Unit {
            return self.effect_of(value);
        }
        if super::slice::is_slice(&place.ty) {
            return self.assign_slice(place, value);
        }
        let target = match self
            .guarded(place, if op.is_some() { ArgumentAccess::Update } else { ArgumentAccess::Write })
        {
            Some(target) => target.text,
            None => self.part_of(place).text,
        };
        if let Some((op, by)) = exact_step(place, value).filter(|_| op.is_none()) {
            let (symbol, by) = (super::precedence::operator(op).0, self.expr(by).at(ASSIGNMENT));
            return self.function.push(&format!("{target} {symbol}= {by};"));
        }
        let Some(op) = op else {
            let value = self.expr(value).at(ASSIGNMENT);
            return self.function.push(&format!("{target} = {value};"));
        };
        if let Type::Vector(..) = place.ty {
            return self.assign_binary(&target, op, place, value);
        }
        if is_as_it_stands(op, place, value) {
            let value = self.expr(value).at(ASSIGNMENT);
            let symbol = super::precedence::operator(op).0;
            self.function.push(&format!("{target} {symbol}= {value};"));
        } else {
            self.assign_binary(&target, op, place, value);
        }
    }

    /// `place = place op value`. A value that may change the place is evaluated first: C++ leaves open which operand is. Only
    /// what is lent somewhere is changed by it, or memory.
    fn assign_binary(&mut self, target: &str, op: BinaryOp, place: &Expr, value: &Expr) {
        let before = self.function.evaluated.len();
        let mut may_change = !place.is_in_variable();
        visit::expr(place, &mut |e| {
            may_change |= matches!(&e.kind, ExprKind::Var(var) if self.function.lent.contains(var));
        });
        if value.has_effect() && may_change {
            let (ty, text) = (self.ty(&value.ty), self.expr(value).at(ASSIGNMENT));
            let name = self.function.reserve_unwanted("t");
            self.function.push(&format!("const {ty} {name} = {text};"));
            self.function.evaluated.push((value, name));
        }
        let sum = self.binary(op, place, value).text;
        self.function.push(&format!("{target} = {sum};"));
        self.function.evaluated.truncate(before);
    }

    fn if_(&mut self, cond: &Expr, then: &Block, otherwise: &Block) {
        let text = self.condition(cond, then.stmts.is_empty());
        let swapped = then.stmts.is_empty();
        let (then, otherwise) = if swapped { (otherwise, then) } else { (then, otherwise) };
        self.function.open(&format!("if ({text}) {{"));
        let known = self.function.below_max.clone();
        if !swapped {
            self.note_below(cond);
        }
        self.statements(then);
        self.function.below_max = known;
        self.else_(otherwise);
    }

    /// Notes the variables that a condition says are less than another value of their type.
    fn note_below(&mut self, cond: &Expr) {
        let ExprKind::Binary(op, a, b) = &cond.kind else { return };
        let below = match op {
            BinaryOp::And => {
                self.note_below(a);
                return self.note_below(b);
            }
            BinaryOp::Lt => a,
            BinaryOp::Gt => b,
            _ => return,
        };
        if let ExprKind::Var(id) = below.kind
            && !self.function.var(id).mutable
        {
            self.function.below_max.insert(id);
        }
    }

    fn condition(&mut self, cond: &Expr, negated: bool) -> String {
        if negated { self.unary(crate::ir::UnaryOp::Not, cond).text } else { self.expr(cond).text }
    }

    /// Closes a `then` branch: `}`, `} else {` or `} else if`.
    fn else_(&mut self, otherwise: &Block) {
        match otherwise.stmts.as_slice() {
            [] => self.function.close("}"),
            [Stmt { kind: StmtKind::If { cond, then, otherwise }, .. }]
                if !then.stmts.is_empty() && !self.options.line_directives =>
            {
                let text = self.expr(cond).text;
                self.function.close(&format!("}} else if ({text}) {{"));
                self.reopen(then);
                self.else_(otherwise);
            }
            _ => {
                self.function.close("} else {");
                self.reopen(otherwise);
                self.function.close("}");
            }
        }
    }

    /// Statements after a line that closed one brace and opened another.
    fn reopen(&mut self, block: &Block) {
        self.function.deepen();
        self.statements(block);
    }

    /// `break` or `continue`: as it stands in the innermost loop, else by `goto`.
    fn leave(&mut self, id: LoopId, word: &str, label: &str) {
        if self.function.loops.last() == Some(&id) {
            self.function.push(&format!("{word};"));
        } else {
            let label = format!("loop_{}_{label}", id.0);
            self.function.push(&format!("goto {label};"));
            self.function.labels.insert(label);
        }
    }

    fn assert(&mut self, cond: &Expr, failure: &AssertFailure, at: crate::ir::Location) {
        self.need(&prelude::CHECKS);
        let kind = match failure {
            AssertFailure::Message(message) => SiteKind::Assert(message.clone()),
            AssertFailure::Index => SiteKind::Bounds,
            AssertFailure::Range => SiteKind::Range,
        };
        let site = self.site(kind, at);
        if let (AssertFailure::Index | AssertFailure::Range, ExprKind::Binary(_, value, limit)) =
            (failure, &cond.kind)
        {
            let [a, b] = [value, limit].map(|e| self.argument(e));
            let text = self.unary(crate::ir::UnaryOp::Not, cond).text;
            return self.function.push(&format!("if ({text}) ws_fail(ws_fault, {site}, {a}, {b});"));
        }
        if cond.as_bool() == Some(false) {
            return self.function.push(&format!("ws_fail(ws_fault, {site}, 0, 0);"));
        }
        let text = self.unary(crate::ir::UnaryOp::Not, cond).text;
        self.function.push(&format!("if ({text}) ws_fail(ws_fault, {site}, 0, 0);"));
    }
}

/// The operator and the right side of `v = v op by` that does not overflow.
fn exact_step<'e>(place: &Expr, value: &'e Expr) -> Option<(BinaryOp, &'e Expr)> {
    let (ExprKind::Var(var), ExprKind::Exact(exact)) = (&place.kind, &value.kind) else { return None };
    match &exact.kind {
        ExprKind::Binary(op, own, by) if matches!(own.kind, ExprKind::Var(own) if own == *var) => {
            Some((*op, by))
        }
        _ => None,
    }
}

/// Returns whether `place op= value` has the same operator in C++, which evaluates the value first, as Rust does.
pub(super) fn is_as_it_stands(op: BinaryOp, place: &Expr, value: &Expr) -> bool {
    let scalar = super::types::scalar_of(&place.ty);
    match op {
        BinaryOp::Rem => !scalar.is_float(),
        BinaryOp::Shl | BinaryOp::Shr => {
            scalar.bits() >= 32 && !(scalar.is_signed() && op == BinaryOp::Shl) && value.as_int().is_some()
        }
        BinaryOp::Div => scalar != Scalar::I8 && !arith::is_zero(value),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => true,
        _ => arith::is_plain(scalar),
    }
}

/// Returns whether an expression is the same before and after the statements of a loop; `var` answers for its variables.
pub(super) fn is_fixed(e: &Expr, var: &dyn Fn(VarId) -> bool) -> bool {
    match &e.kind {
        ExprKind::Const(_) => true,
        ExprKind::Var(id) => var(*id),
        ExprKind::Len(of) => match &of.kind {
            ExprKind::Var(id) => match of.ty {
                Type::Ref { .. } => var(*id),
                _ => matches!(of.ty, Type::Shared { .. } | Type::Array(..)),
            },
            _ => false,
        },
        ExprKind::Builtin { op, args, .. } => {
            op.effect == crate::ir::Effect::Pure && args.iter().all(|a| is_fixed(a, var))
        }
        ExprKind::Field(base, _) => {
            !matches!(base.kind, ExprKind::Deref(_) | ExprKind::Index { .. }) && is_fixed(base, var)
        }
        _ => e.is_operator() && e.all_operands(|operand| is_fixed(operand, var)),
    }
}
