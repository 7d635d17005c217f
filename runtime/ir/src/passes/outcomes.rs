//! What calls give: the ranges of what functions return, and of the arguments with which they call closures.
//!
//! For each call, the walk goes through the function, unless a single expression says it all: `find` returns a number below the length
//! that it searches, and `from_fn` calls its closure with numbers below the array's length. A closure that is written as an argument runs
//! during that call alone, so what is known around the call is known in the closure.

use super::calls::{Outcome, either};
use super::elide::{Walk, leaves};
use crate::ir::{Block, Closure, Expr, ExprKind, FnId, Function, Stmt, StmtKind, Type, VarId, visit};
use crate::ranges::{
    Caller, Fields, FunctionScope, Held, Known, assigned, fields, has_lent_fields, held_place, joined,
    path_of,
};

/// The number of calls in a function that the walk goes through, including the calls inside of these.
const MOST_CALLS: usize = 300;

/// The most statements of a function that the walk goes through.
const MOST_STATEMENTS: usize = 100;

/// The number of statements that are walked to find the invariants of a function's loops.
const BUDGET: usize = 2000;

/// Whether an expression is a closure itself, and not a variable that is one.
fn is_closure(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Closure(_))
}

impl Walk<'_> {
    /// Marks the indices in a call of a function.
    pub(super) fn mark_call(&mut self, e: &mut Expr) {
        let ExprKind::Call { function, args, .. } = &mut e.kind else { return };
        args.iter_mut().filter(|arg| !is_closure(arg)).for_each(|arg| self.mark(arg));
        let outcome = self.walk_through(*function, args);
        self.learn_given(*function, args, outcome.as_ref());
        for (at, arg) in args.iter_mut().enumerate() {
            if let ExprKind::Closure(closure) = &mut arg.kind {
                let param = self.called_param(*function, at);
                let with = outcome.as_ref().zip(param).and_then(|(of, param)| of.called.get(&param));
                self.mark_closure(closure, with.map_or(&[], Vec::as_slice));
            }
        }
        self.enter(*function, args);
        let held = outcome.and_then(Outcome::held);
        self.scope.note_outcome(e, held);
    }

    /// A parameter, if its function only calls it, and does so outside of its own closures.
    fn called_param(&self, function: FnId, at: usize) -> Option<VarId> {
        let function = self.scope.functions.get(function.0 as usize)?;
        let param = *function.params.get(at)?;
        let mut others = 0;
        visit::exprs(&function.body, &mut |e| match &e.kind {
            ExprKind::Var(var) => others += usize::from(*var == param),
            ExprKind::Closure(closure) => others += calls(&closure.body, param),
            _ => {}
        });
        (others == 0).then_some(param)
    }

    /// What a call gives, if going through the function may tell.
    fn walk_through(&mut self, id: FnId, args: &[Expr]) -> Option<Outcome> {
        let function = self.scope.functions.get(id.0 as usize)?;
        let worth = worth(function, args)?;
        // Walks that look for the invariants of loops have a budget of their own.
        if self.assigned.is_some() {
            self.budget = self.budget.saturating_sub(worth);
        } else {
            self.asked += 1;
        }
        if self.asked > MOST_CALLS || self.assigned.is_some() && self.is_spent() {
            return None;
        }
        let caller = Caller { scope: &self.scope, known: &self.known, args };
        let mut walk = Walk::new(FunctionScope::asked(function, caller));
        (walk.outcome, walk.budget, walk.asked) = (Some(Outcome::default()), BUDGET, self.asked);
        walk.ending(&mut function.body.clone(), &[]);
        if !leaves(&function.body) {
            walk.note_left();
        }
        let (outcome, asked) = (walk.outcome, walk.asked);
        self.asked = asked;
        outcome
    }

    /// Notes a returned value of the function that the walk goes through.
    pub(super) fn note_returned(&mut self, e: &Expr) {
        // Walks that look for the invariants of loops assume what may not hold.
        if self.outcome.is_none() || self.assigned.is_some() {
            return;
        }
        let here = self.known_of(e, &self.known);
        if let Some(outcome) = &mut self.outcome {
            outcome.note_returned(here);
        }
    }

    /// What a value holds, also where a constant is no more than the length of a slice parameter, as guards tell.
    pub(super) fn compared_with_lengths(&self, held: Held, known: &Known) -> Held {
        let Held::Within(mut range) = held else { return held };
        if self.outcome.is_none() {
            return Held::Within(range);
        }
        let Some(most) = range.high.as_const() else { return Held::Within(range) };
        let params = self.scope.params.iter().map(|param| self.scope.read_var(*param));
        for param in params.filter(|param| param.ty.is_slice()) {
            let len = Expr { kind: ExprKind::Len(param.into()), ty: Type::U64 };
            let len = self.scope.range(&len, known);
            if len.low.minimum() >= most && len.low_needs.is_empty() {
                range.high = range.high.clone().least(len.high);
                range.needs = joined(&range.needs, &len.needs);
            }
        }
        Held::Within(range)
    }

    /// What is known of a value, and of its fields.
    fn known_of(&self, e: &Expr, known: &Known) -> Fields {
        // The caller knows its own numbers.
        let own = |id: usize| id >= self.scope.unknowns;
        let held = |e: &Expr| {
            let held = self.scope.value_of(e, known)?.without(&own);
            Some(self.compared_with_lengths(held, known))
        };
        if let ExprKind::Select(cond, a, b) = &e.kind {
            let [a, b] = [(a, true), (b, false)].map(|(branch, outcome)| {
                let mut known = known.clone();
                known.extend(known.implied(cond, outcome, &self.scope));
                self.known_of(branch, &known)
            });
            return either(Some(a), b);
        }
        let Some(names) = fields(&e.ty) else {
            return held(e).map(|held| (Vec::new(), held)).into_iter().collect();
        };
        match &e.kind {
            ExprKind::Struct(_, values) | ExprKind::Tuple(values) => {
                let of_field = |((name, _), value): ((String, _), &Expr)| {
                    let all = self.known_of(value, known).into_iter();
                    all.map(move |(path, held)| ([vec![name.clone()], path].concat(), held))
                };
                names.into_iter().zip(values).flat_map(of_field).collect()
            }
            _ => {
                let Some((of, before)) = path_of(e) else { return Fields::new() };
                let all = self.scope.field_vars_behind(of, &before).into_iter();
                all.filter_map(|(var, path)| Some((path, held(&self.scope.read_var(var))?))).collect()
            }
        }
    }

    /// Notes the arguments with which the function that the walk goes through calls a closure.
    pub(super) fn note_called(&mut self, closure: VarId, args: &[Expr]) {
        if self.outcome.is_none() || self.assigned.is_some() {
            return;
        }
        let value = |arg| self.scope.value_of(arg, &self.known).map(Held::lasting);
        let with: Vec<_> = args.iter().map(value).collect();
        let Some(outcome) = &mut self.outcome else { return };
        match outcome.called.get_mut(&closure) {
            Some(known) => known.iter_mut().zip(with).for_each(|(own, with)| {
                *own = own.take().zip(with).map(|(own, with)| own.hull(with));
            }),
            None => drop(outcome.called.insert(closure, with)),
        }
    }

    /// Marks the indices in a closure that is called with these arguments, as far as they are known.
    fn mark_closure(&mut self, closure: &mut Closure, with: &[Option<Held>]) {
        let (known, outcome) = (self.known.clone(), self.outcome.take());
        self.known.forget(&assigned(&closure.body));
        for (param, held) in closure.params.iter().zip(with) {
            if let Some(Held::Within(range)) = held {
                self.scope.ranges.insert(*param, range.clone());
            }
        }
        self.block(&mut closure.body);
        closure.params.iter().for_each(|param| self.scope.forget(*param));
        self.scope.undefine(&closure.body);
        (self.known, self.outcome) = (known, outcome);
    }
}

/// Calls of a closure in a block.
fn calls(block: &Block, of: VarId) -> usize {
    let mut count = 0;
    visit::exprs(block, &mut |e| {
        count += usize::from(matches!(e.kind, ExprKind::CallClosure { closure, .. } if closure == of));
    });
    count
}

/// The number of statements of a function, if going through it may tell something.
fn worth(function: &Function, args: &[Expr]) -> Option<usize> {
    let is_plain = |e: &Expr| !matches!(e.kind, ExprKind::Select(..));
    let is_one = matches!(
        function.body.stmts.as_slice(),
        [Stmt { kind: StmtKind::Return(Some(value)), .. }] if is_plain(value)
    );
    let is_number = function.ret.scalar().is_some_and(|scalar| scalar.is_int()) || is_aggregate(function);
    let gives = is_number && !is_one || is_held(function) || has_lent_fields(function);
    let is_asked = args.iter().any(is_closure) || gives;
    let mut statements = 0;
    visit::stmts(&function.body, &mut |_| statements += 1);
    (is_asked && function.foreign.is_none() && statements <= MOST_STATEMENTS).then_some(statements)
}

/// Whether a function returns an enum that may hold an integer.
fn is_held(function: &Function) -> bool {
    held_place(&Expr { kind: ExprKind::Unit, ty: function.ret.clone() }).is_some()
}

/// Whether a function returns a struct or a tuple.
fn is_aggregate(function: &Function) -> bool {
    fields(&function.ret).is_some()
}
