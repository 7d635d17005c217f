//! Walks over statements and expressions that rewrite them in place.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::ir::{Block, Expr, ExprKind, LoopId, Stmt, StmtKind, VarId, Variable, visit};

/// Calls `change` for every statement outside closures, inner ones first.
pub(super) fn stmts(block: &mut Block, change: &mut dyn FnMut(&mut Stmt)) {
    for stmt in &mut block.stmts {
        visit::blocks_mut(stmt).into_iter().for_each(|inner| stmts(inner, change));
        change(stmt);
    }
}

/// Gives a copy of a body variables and loops of its own; loops from `free` on are.
pub(super) fn rename(block: &mut Block, vars: &mut Vec<Variable>, free: u32) {
    let mut names = Names { vars: BTreeMap::new(), loops: HashMap::new(), free };
    visit::stmts(block, &mut |stmt| names.declared(stmt));
    visit::exprs(block, &mut |e| {
        if let ExprKind::Closure(closure) = &e.kind {
            names.vars.extend(closure.params.iter().map(|param| (*param, *param)));
        }
    });
    for (old, new) in &mut names.vars {
        *new = VarId(vars.len() as u32);
        vars.push(vars[old.0 as usize].clone());
    }
    names.apply(block);
}

/// A loop that no other of a body is.
pub(super) fn next_loop(block: &Block) -> u32 {
    let mut next = 0;
    visit::stmts(block, &mut |stmt| {
        if let StmtKind::While { id, .. } | StmtKind::For { id, .. } = &stmt.kind {
            next = next.max(id.0 + 1);
        }
    });
    next
}

/// The names of variables and loops in a copy.
struct Names {
    vars: BTreeMap<VarId, VarId>,
    loops: HashMap<LoopId, LoopId>,
    free: u32,
}

impl Names {
    fn declared(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let { var, .. } => drop(self.vars.insert(*var, *var)),
            StmtKind::While { id, .. } => self.declared_loop(*id),
            StmtKind::For { id, range, .. } => {
                self.declared_loop(*id);
                self.vars.insert(range.var, range.var);
            }
            _ => {}
        }
    }

    fn declared_loop(&mut self, id: LoopId) {
        self.loops.insert(id, LoopId(self.free));
        self.free += 1;
    }

    fn apply(&self, block: &mut Block) {
        let var = |var: &mut VarId| *var = self.vars.get(var).copied().unwrap_or(*var);
        let of = |id: &mut LoopId| *id = self.loops.get(id).copied().unwrap_or(*id);
        for stmt in &mut block.stmts {
            match &mut stmt.kind {
                StmtKind::Let { var: declared, .. } => var(declared),
                StmtKind::While { id, .. } | StmtKind::Break(id) | StmtKind::Continue(id) => of(id),
                StmtKind::For { id, range, .. } => {
                    of(id);
                    var(&mut range.var);
                }
                _ => {}
            }
            visit::operands_mut(stmt).into_iter().for_each(|e| self.apply_in(e));
            visit::blocks_mut(stmt).into_iter().for_each(|inner| self.apply(inner));
        }
    }

    fn apply_in(&self, e: &mut Expr) {
        let var = |var: &mut VarId| *var = self.vars.get(var).copied().unwrap_or(*var);
        match &mut e.kind {
            ExprKind::Var(id) => var(id),
            ExprKind::CallClosure { closure, .. } => var(closure),
            ExprKind::Closure(closure) => {
                closure.params.iter_mut().for_each(var);
                self.apply(&mut closure.body);
            }
            _ => {}
        }
        e.operands_mut().into_iter().for_each(|operand| self.apply_in(operand));
    }
}

/// Drops the variables that nothing names and whose values have no effect.
pub(super) fn drop_unnamed(block: &mut Block, vars: &[Variable]) {
    loop {
        let mut named: HashSet<VarId> = HashSet::new();
        visit::exprs(block, &mut |e| {
            if let ExprKind::Var(var) | ExprKind::CallClosure { closure: var, .. } = &e.kind {
                named.insert(*var);
            }
        });
        if !drop_in(block, vars, &named) {
            return;
        }
    }
}

fn drop_in(block: &mut Block, vars: &[Variable], named: &HashSet<VarId>) -> bool {
    let before = block.stmts.len();
    block.stmts.retain(|stmt| match &stmt.kind {
        StmtKind::Let { var, init } => {
            vars[var.0 as usize].mutable
                || named.contains(var)
                || init.as_ref().is_some_and(|e| !is_silent(e))
        }
        _ => true,
    });
    let mut dropped = block.stmts.len() != before;
    for stmt in &mut block.stmts {
        for inner in visit::blocks_mut(stmt) {
            dropped |= drop_in(inner, vars, named);
        }
    }
    dropped
}

/// Returns whether leaving an expression out has no effect.
fn is_silent(e: &Expr) -> bool {
    let own = match &e.kind {
        ExprKind::Const(_)
        | ExprKind::Unit
        | ExprKind::Var(_)
        | ExprKind::Cast(_)
        | ExprKind::Unary(..)
        | ExprKind::Field(..)
        | ExprKind::Len(_) => true,
        ExprKind::Binary(op, ..) => !matches!(op, crate::ir::BinaryOp::Div | crate::ir::BinaryOp::Rem),
        ExprKind::Builtin { op, .. } => op.position().is_some(),
        _ => false,
    };
    own && e.all_operands(is_silent)
}

/// Drops statements.
pub(super) fn drop_if(block: &mut Block, is_dropped: &dyn Fn(&Stmt) -> bool) {
    block.stmts.retain(|stmt| !is_dropped(stmt));
    for stmt in &mut block.stmts {
        visit::blocks_mut(stmt).into_iter().for_each(|inner| drop_if(inner, is_dropped));
    }
}
