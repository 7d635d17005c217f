//! Checks of a few consecutive statements, printed before the loads of these statements.
//!
//! A check that may end the thread separates the loads before it from those after it: the compiler moves neither across the
//! check, and the thread waits for one load after the other. If statements only read memory, the order of a check and an
//! earlier load cannot be observed. The checks are therefore printed first, in their order, and then all loads are in
//! flight at once. Later statements do not repeat a check that was passed.

use std::collections::HashSet;

use super::known_inside::Early;
use super::precedence::ASSIGNMENT;
use super::slice::is_slice;
use super::stmt::is_as_it_stands;
use super::{Printer, SiteKind, prelude};
use crate::ir::{
    BinaryOp, Const, ConstValue, Expr, ExprKind, Form, Lazy, Location, Proof, Stmt, StmtKind, Type, VarId,
    visit,
};
use crate::passes::no_longer;
use crate::ranges::{root, same};

/// The greatest number of statements to look ahead.
const MOST_STATEMENTS: usize = 48;
/// The greatest number of checks at once: each may keep a register.
const MOST_CHECKS: usize = 24;

/// A check of one of the next statements.
struct Ahead<'e> {
    base: &'e Expr,
    index: &'e Expr,
    at: Location,
}

/// A check that is to be printed.
struct Pending {
    /// The type of the constant that will hold the index, unless a variable holds it already.
    declared: Option<String>,
    ty: Type,
    /// The name of the index.
    name: String,
    value: String,
    /// The indexed slice, if it has a name.
    slice: Option<VarId>,
    len: String,
    is_short: bool,
    /// The parameter of the lambda around, if a comparison before the loop is about the index.
    along: Option<String>,
    site: usize,
}

/// The findings about the next statements.
#[derive(Default)]
struct Found<'e> {
    checks: Vec<Ahead<'e>>,
    /// Variables that these statements have changed so far.
    changed: HashSet<VarId>,
    /// Loads so far.
    loads: usize,
    /// Whether a check comes after a load that it does not need.
    gains: bool,
    /// The number before which the walk stopped: some of its checks are not always done.
    partial: Option<&'e Expr>,
}

impl Printer<'_> {
    /// Prints checks of the next statements if they would otherwise come between loads.
    pub(super) fn check_early(&mut self, next: &[Stmt]) {
        if !self.checks() || self.gpu_checks().any() {
            return;
        }
        let compares_all =
            self.function.once.as_ref().is_some_and(|once| once.ahead != super::Ahead::Compared);
        if compares_all {
            return next.first().into_iter().for_each(|stmt| self.check_first(stmt));
        }
        let own = next.first().map(visit::operands).unwrap_or_default();
        let mut checks_any = false;
        own.into_iter().for_each(|e| visit::expr(e, &mut |e| checks_any |= self.is_checked_index(e)));
        if !checks_any {
            return;
        }
        let mut found = Found::default();
        self.look_ahead(next, &mut found);
        if !found.gains {
            let first = next.first().filter(|stmt| self.function.once.is_some() || self.is_partial(stmt));
            return first.into_iter().for_each(|stmt| self.check_first(stmt));
        }
        let mut pending: Vec<Pending> = Vec::new();
        for Ahead { base, index, at } in found.checks {
            if self.passed(base, index).is_some() {
                continue;
            }
            if !pending.is_empty() && self.needs_check(index) {
                self.check_all(std::mem::take(&mut pending));
            }
            let check = self.pending(base, index, at, &pending);
            let lasts = self.is_fixed(index) && self.is_lasting(base);
            let lasting = lasts.then(|| (base.clone(), index.clone()));
            self.function.early.push(Early { node: index, lasting, text: check.name.clone() });
            let covers = |other: &Pending| {
                let is_covered =
                    other.slice.zip(check.slice).is_some_and(|(of, by)| self.is_no_longer(of, by));
                other.name == check.name && (other.len == check.len || is_covered)
            };
            if !pending.iter().any(covers) {
                pending.push(check);
            }
        }
        self.check_all(pending);
        let first = next.first().filter(|stmt| self.is_partial(stmt));
        first.into_iter().for_each(|stmt| self.check_first(stmt));
    }

    /// Returns whether a statement has checks that are not always done, before others that compilers may do first.
    fn is_partial(&self, stmt: &Stmt) -> bool {
        let mut found = Found::default();
        self.look_ahead(std::slice::from_ref(stmt), &mut found);
        found.partial.is_some() && !self.are_ordered(stmt)
    }

    /// Prints the checks of a statement before it, one by one, if it cannot have all of them in the order of Rust, or if they share one.
    ///
    /// This is in a lambda whose parameter compares, and may give another index.
    fn check_first(&mut self, stmt: &Stmt) {
        let mut found = Found::default();
        self.look_ahead(std::slice::from_ref(stmt), &mut found);
        let is_shared = |one: &Ahead<'_>| {
            found
                .checks
                .iter()
                .any(|other| !std::ptr::eq(one.index, other.index) && same(one.index, other.index))
        };
        let are_ordered = self.are_ordered(stmt);
        if !found.checks.iter().any(is_shared) && are_ordered {
            return;
        }
        let mut printed = Vec::new();
        self.print_first(found.checks, &mut printed);
        while let Some(part) = found.partial.take().filter(|_| !are_ordered) {
            let (ty, text) = (self.ty(&part.ty), self.expr(part).at(ASSIGNMENT));
            let name = self.function.reserve_unwanted("part");
            self.function.push(&format!("const {ty} {name} = {text};"));
            self.function.evaluated.push((part, name));
            found = Found::default();
            self.look_ahead(std::slice::from_ref(stmt), &mut found);
            self.print_first(found.checks, &mut printed);
        }
    }

    /// Prints checks one by one, but for those that were printed for the same statement.
    fn print_first<'e>(&mut self, checks: Vec<Ahead<'e>>, printed: &mut Vec<(&'e Expr, &'e Expr, String)>) {
        for Ahead { base, index, at } in checks {
            let covers = |(of, by, _): &&(&Expr, &Expr, String)| {
                let is_covered =
                    slice_of(base).zip(slice_of(of)).is_some_and(|(of, by)| self.is_no_longer(by, of));
                same(by, index) && (is_same_place(of, base) || is_covered)
            };
            let text = match printed.iter().find(covers) {
                Some((.., name)) => name.clone(),
                None => {
                    let (ty, compared) = (self.ty(&index.ty), self.compared(base, index, at));
                    let name = self.function.reserve_unwanted("at");
                    self.function.push(&format!("const {ty} {name} = {compared};"));
                    printed.push((base, index, name.clone()));
                    name
                }
            };
            self.function.early.push(Early { node: index, lasting: None, text });
        }
    }

    /// Returns whether compilers evaluate the checks of a statement from left to right. They do so for operators, though C++ does not ask
    /// it; a call's arguments are evaluated in any order, and GCC computes `-a + b` as `b - a`, its `b` first.
    fn are_ordered(&self, stmt: &Stmt) -> bool {
        let (mut are_ordered, mut count) = (true, 0);
        // `place = place op value` reads the place first.
        if let StmtKind::Assign { place, op: Some(op), value } = &stmt.kind {
            let are_few = [place, value].into_iter().any(|part| self.is_harmless(part));
            are_ordered = are_few || place.ty.scalar().is_none() || is_as_it_stands(*op, place, value);
        }
        let whole = match &stmt.kind {
            StmtKind::Let { init: Some(value), .. } | StmtKind::Assign { op: None, value, .. } => Some(value),
            _ => None,
        };
        // Nothing is added to a difference that is a statement's value.
        let whole =
            whole.map(|value| if let ExprKind::Exact(inner) = &value.kind { &**inner } else { value });
        let mut look = |e: &Expr| {
            let is_plain = |e: &Expr| e.ty.scalar().is_some_and(|s| !s.is_float() || s.bits() >= 32);
            let is_operator = match &e.kind {
                ExprKind::Binary(op, a, _) => *op != BinaryOp::Rem && is_plain(e) && is_plain(a),
                ExprKind::Index { .. } => true,
                _ => e.lazy().is_some(),
            };
            let is_difference = matches!(e.kind, ExprKind::Binary(BinaryOp::Sub, ..))
                && whole.is_some_and(|of| std::ptr::eq(of, e));
            let checked = e.operands().into_iter().filter(|operand| !self.is_harmless(operand)).count();
            count += usize::from(self.is_checked_index(e));
            are_ordered &= is_operator || checked < 2;
            are_ordered &= is_difference || checked == 0 || !turns_a_sign(e);
        };
        visit::operands(stmt).into_iter().for_each(|e| visit::expr(e, &mut look));
        are_ordered || count < 2
    }

    /// The index of a check that was passed, as it is printed.
    pub(super) fn passed(&self, base: &Expr, index: &Expr) -> Option<String> {
        let is_it = |early: &&Early| {
            std::ptr::eq(early.node, index)
                || early.lasting.as_ref().is_some_and(|(of, by)| {
                    let is_covered =
                        slice_of(of).zip(slice_of(base)).is_some_and(|(of, by)| self.is_no_longer(of, by));
                    same(by, index) && (is_same_place(of, base) || is_covered)
                })
        };
        self.function.early.iter().rev().find(is_it).map(|early| early.text.clone())
    }

    /// Returns whether an index is read from memory at another index that has a check, which may not be printed yet.
    fn needs_check(&self, index: &Expr) -> bool {
        let mut needs = false;
        visit::expr(index, &mut |e| {
            needs |= matches!(e.kind, ExprKind::Index { proof, .. } if self.is_checked(proof));
        });
        needs
    }

    /// A check that is printed next.
    fn pending(&mut self, base: &Expr, index: &Expr, at: Location, others: &[Pending]) -> Pending {
        let value = self.argument(index);
        let is_short = self.is_short(base, index);
        let (len, site) = (self.checked_len(base), self.site(SiteKind::Bounds, at));
        // No statement from here to the index changes a variable that it is.
        let is_name = match index.kind {
            ExprKind::Var(var) => !self.function.lent.contains(&var),
            _ => index.as_int().is_some(),
        };
        let is_kept = |other: &&Pending| other.value == value && other.ty == index.ty;
        let kept = others.iter().find(is_kept).map(|other| other.name.clone());
        let declared = (!is_name && kept.is_none()).then(|| self.ty(&index.ty));
        let name = match kept {
            Some(name) => name,
            None if is_name => value.clone(),
            None => self.function.reserve_unwanted("at"),
        };
        let ty = index.ty.clone();
        let along = self.function.once.as_ref().filter(|_| self.is_along(base, index));
        let along = along.map(|once| once.name.clone());
        Pending { ty, declared, name, value, slice: slice_of(base), len, is_short, along, site }
    }

    /// Returns whether the launch has shown that one slice of the kernel has no more elements than another.
    pub(super) fn is_no_longer(&self, one: VarId, other: VarId) -> bool {
        if !self.checks() || !self.function.is_kernel || self.launched.is_some() {
            return false;
        }
        let Some(condition) = no_longer(&self.module.kernel, one, other) else { return false };
        let at = self.module.conditions.iter().position(|known| *known == condition);
        at.is_some_and(|at| !self.is_checked(Proof::Launch(1 << at)))
    }

    /// Prints checks that share one branch out of the kernel.
    fn check_all(&mut self, pending: Vec<Pending>) {
        if let [one] = pending.as_slice() {
            self.need(&prelude::CHECKS);
            let parts = format!("{}, {}, {}", one.value, one.len, one.site);
            let checked = match &one.along {
                Some(check) => format!("{check}({parts})"),
                None => format!("{}({parts}, ws_fault)", prelude::at(one.is_short)),
            };
            return self.function.push(&match &one.declared {
                Some(ty) => format!("const {ty} {} = {checked};", one.name),
                None => format!("{checked};"),
            });
        }
        for Pending { declared, name, value, .. } in &pending {
            if let Some(ty) = declared {
                self.function.push(&format!("const {ty} {name} = {value};"));
            }
        }
        let all: Vec<String> = pending
            .iter()
            .map(|Pending { name, len, is_short, along, site, .. }| match (along, is_short) {
                (Some(check), _) => format!("{name}, {check}.of({len}), {site}"),
                (None, true) => format!("{name}, ws_int({len}), {site}"),
                (None, false) => format!("{name}, {len}, {site}"),
            })
            .collect();
        if !all.is_empty() {
            self.need(&prelude::CHECKS);
            self.function.push(&format!("ws_inside(ws_fault, {});", all.join(", ")));
        }
    }

    /// Whether a place is the same memory as long as the scope is open.
    fn is_lasting(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Var(var) => match place.ty {
                Type::Ref { .. } => !self.function.var(*var).mutable,
                _ => true,
            },
            ExprKind::Index { base, index, .. } => self.is_fixed(index) && self.is_lasting(base),
            ExprKind::Field(base, _) => self.is_lasting(base),
            _ => false,
        }
    }

    /// Walks statements as long as they only read memory and set variables, and one statement more.
    fn look_ahead<'e>(&self, next: &'e [Stmt], found: &mut Found<'e>) {
        for stmt in next.iter().take(MOST_STATEMENTS) {
            let goes_on = match &stmt.kind {
                StmtKind::Let { var, init: Some(init) } => {
                    let reads = !is_slice(&init.ty) && self.look_in(init, found);
                    found.changed.insert(*var);
                    reads
                }
                StmtKind::Assign { place, op, value } => {
                    let var = root(place).filter(|_| place.is_in_variable());
                    let reads = !is_slice(&place.ty) && self.look_in(value, found);
                    let reads = reads && self.look_at(place, op.is_some(), found);
                    found.changed.extend(var);
                    reads && var.is_some()
                }
                StmtKind::If { cond: last, .. } | StmtKind::Return(Some(last)) | StmtKind::Expr(last) => {
                    self.look_in(last, found);
                    false
                }
                StmtKind::Assert { debug, proof, .. } => !self.asserts(*debug, *proof),
                _ => false,
            };
            if !goes_on || found.checks.len() >= MOST_CHECKS {
                return;
            }
        }
    }

    /// Notes the checks of an expression, and returns whether the checks after it may be printed before it.
    fn look_in<'e>(&self, e: &'e Expr, found: &mut Found<'e>) -> bool {
        if self.function.evaluated.iter().any(|(known, _)| std::ptr::eq(*known, e)) {
            return true;
        }
        if let Some(Lazy { condition, parts }) = e.lazy() {
            if !self.look_in(condition, found) {
                return false;
            }
            let are_harmless = parts.iter().all(|(part, _)| self.is_harmless(part));
            found.partial =
                Some(e).filter(|e| !are_harmless && e.ty.scalar().is_some() && self.is_all_silent(e));
            return are_harmless;
        }
        if let ExprKind::Index { .. } | ExprKind::Field(..) = &e.kind {
            return self.look_at(e, true, found);
        }
        e.all_operands(|operand| self.look_in(operand, found)) && self.is_silent(e)
    }

    /// The same for a place; the place may be read.
    fn look_at<'e>(&self, place: &'e Expr, is_read: bool, found: &mut Found<'e>) -> bool {
        let before = found.loads;
        let may_go_on = self.look_along(place, before, found);
        if is_read && !place.is_in_variable() {
            found.loads += 1;
        }
        may_go_on
    }

    /// The checks on the way to a place, of which nothing is read.
    fn look_along<'e>(&self, place: &'e Expr, before: usize, found: &mut Found<'e>) -> bool {
        match &place.kind {
            ExprKind::Var(_) | ExprKind::Table { .. } => true,
            ExprKind::Field(base, _) => self.look_along(base, before, found),
            ExprKind::Index { base, index, at, .. } => {
                if !self.look_along(base, before, found) || !self.look_in(index, found) {
                    return false;
                }
                if !self.is_checked_index(place) {
                    return true;
                }
                if !is_indexed_plainly(base) || !is_there(place, &found.changed) {
                    return false;
                }
                found.gains |= before > 0 && !self.is_along(base, index);
                found.checks.push(Ahead { base, index, at: *at });
                true
            }
            _ => self.is_harmless(place),
        }
    }

    /// Returns whether an expression has no check and no effect besides its value.
    fn is_harmless(&self, e: &Expr) -> bool {
        let mut is_harmless = true;
        visit::expr(e, &mut |e| is_harmless &= self.is_silent(e) && !self.is_checked_index(e));
        is_harmless
    }

    /// Returns whether an expression, apart from its checks, has no effect besides its value.
    fn is_all_silent(&self, e: &Expr) -> bool {
        let mut is_silent = true;
        visit::expr(e, &mut |e| is_silent &= self.is_silent(e));
        is_silent
    }

    /// Returns whether an expression, apart from its operands and its check, has no effect besides its value.
    fn is_silent(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Ref(_) | ExprKind::ArrayList(_) | ExprKind::ArrayRepeat(..) | ExprKind::Variant(..) => {
                true
            }
            ExprKind::SubSlice { .. } => !self.is_checked_index(e),
            ExprKind::Builtin { op, .. } if op.facts.form == Form::ViewOffset => false,
            // The divisor was read where Rust reads it.
            ExprKind::Binary(..) => true,
            _ => self.is_pure(e),
        }
    }

    /// An index after its comparison with the length of the indexed slice or array.
    pub(super) fn compared(&mut self, base: &Expr, index: &Expr, at: Location) -> String {
        let subscript = self.argument(index);
        let is_short = self.is_short(base, index);
        self.need(&prelude::CHECKS);
        let (len, site) = (self.checked_len(base), self.site(SiteKind::Bounds, at));
        self.compared_once(base, index, &subscript, (site, &len))
            .unwrap_or_else(|| format!("{}({subscript}, {len}, {site}, ws_fault)", prelude::at(is_short)))
    }
}

/// Returns whether an expression changes the sign of an operand: compilers may turn a sum around that it is a part of.
fn turns_a_sign(e: &Expr) -> bool {
    let is_negative = |e: &Expr| match &e.kind {
        ExprKind::Const(Const { value: ConstValue::Int(n), .. }) => *n < 0,
        ExprKind::Const(Const { value: ConstValue::F32(x), .. }) => *x < 0.0,
        ExprKind::Const(Const { value: ConstValue::F64(x), .. }) => *x < 0.0,
        _ => false,
    };
    match &e.kind {
        ExprKind::Unary(..) => e.ty != Type::BOOL,
        ExprKind::Binary(BinaryOp::Sub, ..) => true,
        ExprKind::Binary(BinaryOp::Mul | BinaryOp::Div, a, b) => is_negative(a) || is_negative(b),
        _ => false,
    }
}

/// The variable that a slice is.
fn slice_of(base: &Expr) -> Option<VarId> {
    match base.kind {
        ExprKind::Var(var) if matches!(base.ty, Type::Ref { .. }) => Some(var),
        _ => None,
    }
}

/// Returns whether the statements change none of the variables in a place.
fn is_there(place: &Expr, changed: &HashSet<VarId>) -> bool {
    let mut is_there = true;
    visit::expr(place, &mut |e| {
        is_there &= !matches!(e.kind, ExprKind::Var(var) if changed.contains(&var));
    });
    is_there
}

/// Returns whether an index into a place prints in brackets after it, and its length as names alone.
fn is_indexed_plainly(base: &Expr) -> bool {
    match &base.ty {
        Type::View { .. } => return false,
        Type::Ref { to, .. } if !matches!(**to, Type::Slice(_)) => return false,
        Type::Ref { .. } => return matches!(base.kind, ExprKind::Var(_)),
        _ => {}
    }
    let mut place = base;
    loop {
        place = match &place.kind {
            ExprKind::Var(_) | ExprKind::Table { .. } => return true,
            ExprKind::Field(base, _) | ExprKind::Index { base, .. } => base,
            _ => return false,
        };
    }
}

/// Returns whether two places have the same text.
fn is_same_place(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Field(a, own), ExprKind::Field(b, other)) => own == other && is_same_place(a, b),
        (ExprKind::Index { base: a, index: i, .. }, ExprKind::Index { base: b, index: j, .. }) => {
            same(i, j) && is_same_place(a, b)
        }
        _ => false,
    }
}
