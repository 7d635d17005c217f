//! Temporaries whose references outlive the block that they stand in.
//!
//! `let p = if c { &x } else { &[1, 2] };`: Rust keeps such a temporary as long as `p`, and a constant one for ever. In CUDA a variable
//! ends with its block, so it is declared at the start of the function. One that a function gives back is refused.

use super::error::RecordError;
use crate::ir::{Block, Expr, ExprKind, Function, Location, Stmt, StmtKind, Type, VarId, Variable, visit};

/// A body whose references to temporaries are looked at.
pub(super) struct Body<'a> {
    /// The function, or `closure`.
    pub name: &'a str,
    pub params: &'a [VarId],
    pub block: &'a mut Block,
    pub vars: &'a mut [Variable],
    pub at: Location,
    /// Of each function before this one the parameters that it may give back.
    pub gives: &'a [Vec<bool>],
}

/// Keeps the temporaries of a body as long as references to them live.
///
/// # Errors
/// [`RecordError::Temporary`] if the body gives one back.
pub(super) fn keep_temporaries(body: Body<'_>) -> Result<(), RecordError> {
    hoist(body.block, body.vars);
    if Temporaries::of(body.block, body.params, body.vars, body.gives).are_given() {
        return Err(RecordError::Temporary { function: body.name.to_owned(), at: body.at });
    }
    Ok(())
}

/// The parameters of a function whose addresses, or parts of what they refer to, it may give back.
pub(super) fn given_params(function: &Function, gives: &[Vec<bool>]) -> Vec<bool> {
    let is_given = |param: &VarId| {
        let holds = [&function.var(*param).ty, &function.ret].into_iter().all(may_hold);
        // Nothing tells what a body in CUDA gives back.
        holds && (function.foreign.is_some() || Temporaries::of_param(function, *param, gives).are_returned())
    };
    function.params.iter().map(is_given).collect()
}

/// Returns whether a value of a type may be or hold an address.
fn may_hold(ty: &Type) -> bool {
    *ty == Type::Closure || ty.holds_address()
}

/// Declares temporaries at the start of a function or a closure if references to them leave their blocks.
fn hoist(body: &mut Block, vars: &mut [Variable]) {
    let mut hoisted = Vec::new();
    for stmt in &mut body.stmts {
        visit::blocks_mut(stmt).into_iter().for_each(|block| hoist_from(block, vars, &mut hoisted));
    }
    body.stmts.splice(0..0, hoisted);
}

fn hoist_from(block: &mut Block, vars: &mut [Variable], hoisted: &mut Vec<Stmt>) {
    for stmt in &mut block.stmts {
        visit::blocks_mut(stmt).into_iter().for_each(|inner| hoist_from(inner, vars, hoisted));
    }
    if !lets_references_out(block) {
        return;
    }
    let referred = referred(block);
    for stmt in &mut block.stmts {
        let StmtKind::Let { var, init: Some(value) } = &mut stmt.kind else { continue };
        let (var, of) = (*var, &mut vars[var.0 as usize]);
        if !of.name.is_empty() || !referred.contains(&var) {
            continue;
        }
        of.mutable = true;
        let place = Expr { kind: ExprKind::Var(var), ty: of.ty.clone() };
        let value = std::mem::replace(value, Expr::unit());
        hoisted.push(Stmt { kind: StmtKind::Let { var, init: None }, at: stmt.at });
        stmt.kind = StmtKind::Assign { place, op: None, value };
    }
}

/// Returns whether an address is stored in a variable from outside the block.
fn lets_references_out(block: &Block) -> bool {
    let (mut declared, mut stored) = (Vec::new(), Vec::new());
    visit::stmts(block, &mut |stmt| match &stmt.kind {
        StmtKind::Let { var, .. } => declared.push(*var),
        StmtKind::Assign { place, value, .. } if value.ty.holds_address() => stored.push(root(place)),
        _ => {}
    });
    stored.iter().any(|root| root.is_none_or(|var| !declared.contains(&var)))
}

/// The variables of a block to which something refers.
fn referred(block: &Block) -> Vec<VarId> {
    let mut found = Vec::new();
    visit::exprs(block, &mut |e| found.extend(referent(e)));
    found
}

/// The variable that an expression refers to or into.
fn referent(e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Ref(place) => root(place),
        ExprKind::SubSlice { base, .. } if matches!(base.ty, Type::Array(..)) => root(base),
        _ => None,
    }
}

/// The variable that a place is in, if it is not behind a reference.
fn root(place: &Expr) -> Option<VarId> {
    match &place.kind {
        ExprKind::Var(id) => Some(*id),
        ExprKind::Field(base, _) | ExprKind::Index { base, .. } if !is_address(&base.ty) => root(base),
        _ => None,
    }
}

/// Returns whether a value is an address, whose target is elsewhere.
fn is_address(ty: &Type) -> bool {
    matches!(ty, Type::Ref { .. } | Type::Ptr { .. } | Type::View { .. })
}

/// The temporaries of a body, and the variables that hold references to them.
struct Temporaries<'a> {
    params: &'a [VarId],
    declared: Vec<VarId>,
    own: Vec<VarId>,
    holders: Vec<VarId>,
    stmts: Vec<&'a Stmt>,
    gives: &'a [Vec<bool>],
}

impl<'a> Temporaries<'a> {
    fn of(body: &'a Block, params: &'a [VarId], vars: &[Variable], gives: &'a [Vec<bool>]) -> Self {
        let mut stmts = Vec::new();
        own_stmts(body, &mut stmts);
        let declared = stmts.iter().filter_map(|stmt| match stmt.kind {
            StmtKind::Let { var, .. } => Some(var),
            _ => None,
        });
        let declared: Vec<VarId> = declared.collect();
        let own = declared.iter().copied().filter(|var| vars[var.0 as usize].name.is_empty()).collect();
        Self { params, declared, own, holders: Vec::new(), stmts, gives }.with_holders()
    }

    /// A parameter of a function in the place of temporaries.
    fn of_param(function: &'a Function, param: VarId, gives: &'a [Vec<bool>]) -> Self {
        let mut stmts = Vec::new();
        own_stmts(&function.body, &mut stmts);
        let (declared, own) = (Vec::new(), Vec::new());
        Self { params: &function.params, declared, own, holders: vec![param], stmts, gives }.with_holders()
    }

    fn with_holders(mut self) -> Self {
        while let Some(holder) = self.next_holder() {
            self.holders.push(holder);
        }
        self
    }

    /// A variable that takes a reference and is not known to.
    fn next_holder(&self) -> Option<VarId> {
        self.stmts.iter().find_map(|stmt| {
            let (to, value) = match &stmt.kind {
                StmtKind::Let { var, init: Some(value) } => (Some(*var), value),
                StmtKind::Assign { place, value, .. } => (root(place), value),
                _ => return None,
            };
            to.filter(|to| !self.holders.contains(to) && self.carries(value))
        })
    }

    /// Returns whether a value is or holds a reference to a temporary.
    fn carries(&self, value: &Expr) -> bool {
        if !may_hold(&value.ty) {
            return false;
        }
        match &value.kind {
            ExprKind::Var(id) => self.holders.contains(id),
            ExprKind::Ref(place) => self.holds(place),
            ExprKind::SubSlice { base, .. } if is_address(&base.ty) => self.carries(base),
            ExprKind::SubSlice { base, .. } => self.holds(base),
            ExprKind::Tuple(parts)
            | ExprKind::ArrayList(parts)
            | ExprKind::Struct(_, parts)
            | ExprKind::Variant(_, _, parts) => parts.iter().any(|part| self.carries(part)),
            ExprKind::Select(_, a, b) => self.carries(a) || self.carries(b),
            ExprKind::Field(base, _) | ExprKind::Index { base, .. } | ExprKind::Cast(base) => {
                self.carries(base)
            }
            ExprKind::Call { function, args, .. } => {
                let gives = &self.gives[function.0 as usize];
                gives.iter().zip(args).any(|(gives, arg)| *gives && self.carries(arg))
            }
            ExprKind::CallClosure { closure, args } => {
                self.holders.contains(closure) || args.iter().any(|arg| self.carries(arg))
            }
            ExprKind::Closure(closure) => {
                let mut stmts = Vec::new();
                own_stmts(&closure.body, &mut stmts);
                stmts.into_iter().any(|stmt| self.is_return(stmt))
            }
            _ => false,
        }
    }

    /// Returns whether a place is in a temporary.
    fn holds(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Var(id) => self.own.contains(id),
            ExprKind::Deref(reference) => self.carries(reference),
            ExprKind::Field(base, _) | ExprKind::Index { base, .. } if is_address(&base.ty) => {
                self.carries(base)
            }
            ExprKind::Field(base, _) | ExprKind::Index { base, .. } => self.holds(base),
            _ => false,
        }
    }

    /// Returns whether the body gives such a reference back, or stores it in what it did not declare.
    fn are_given(&self) -> bool {
        self.are_returned()
            || self.stmts.iter().any(|stmt| match &stmt.kind {
                StmtKind::Assign { place, value, .. } => self.carries(value) && self.is_outside(place),
                _ => false,
            })
    }

    /// Returns whether the body gives such a reference back.
    fn are_returned(&self) -> bool {
        self.stmts.iter().any(|stmt| self.is_return(stmt))
    }

    fn is_return(&self, stmt: &Stmt) -> bool {
        matches!(&stmt.kind, StmtKind::Return(Some(value)) if self.carries(value))
    }

    /// Returns whether a place is in a captured variable, or behind a reference that the body was given.
    fn is_outside(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Var(id) => !self.declared.contains(id) && !self.params.contains(id),
            ExprKind::Deref(base) | ExprKind::Field(base, _) | ExprKind::Index { base, .. } => {
                match base.kind {
                    ExprKind::Var(id) if is_address(&base.ty) => !self.declared.contains(&id),
                    _ => self.is_outside(base),
                }
            }
            _ => false,
        }
    }
}

/// The statements of a body without those of its closures.
fn own_stmts<'a>(block: &'a Block, all: &mut Vec<&'a Stmt>) {
    for stmt in &block.stmts {
        all.push(stmt);
        visit::blocks(stmt).into_iter().for_each(|inner| own_stmts(inner, all));
    }
}
