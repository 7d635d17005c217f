//! Registers of warpgroups: only warpgroups whose role has `N` registers may reach `registers::<N>()`.
//!
//! A condition of `warpgroup_id()` and constants is evaluated for each warpgroup in turn. For any other condition, both
//! branches count as taken.

use std::collections::HashMap;

use super::ValidateError;
use crate::ir::{
    BinaryOp, Block, Expr, ExprKind, Form, Function, Location, Module, Roles, Stmt, StmtKind, UnaryOp, VarId,
    Variance, visit,
};

pub(super) fn check(module: &Module) -> Result<(), ValidateError> {
    for function in &module.functions {
        if let Some((_, at)) = calls(&function.body).first() {
            return Err(ValidateError::RegistersInFunction { function: function.name.clone(), at: *at });
        }
    }
    for (kernel, attributes) in module.kernels() {
        match attributes.roles {
            Some(roles) => {
                let all = (1u32 << roles.warpgroups) - 1;
                Walk { kernel, roles, definitions: HashMap::new() }.block(&kernel.body, all)?;
            }
            None => {
                if let Some((registers, at)) = calls(&kernel.body).first() {
                    return Err(ValidateError::NoRoles { registers: *registers, at: *at });
                }
            }
        }
    }
    Ok(())
}

/// The calls of `registers` in a block, with their numbers.
fn calls(block: &Block) -> Vec<(u32, Location)> {
    let mut found = Vec::new();
    visit::exprs(block, &mut |e| found.extend(call(e)));
    found
}

/// The number of a call of `registers`.
fn call(e: &Expr) -> Option<(u32, Location)> {
    match &e.kind {
        ExprKind::Builtin { op, at, .. } => match op.facts.form {
            Form::Registers(registers) => Some((registers, *at)),
            _ => None,
        },
        _ => None,
    }
}

/// A kernel with roles.
struct Walk<'f> {
    kernel: &'f Function,
    roles: Roles,
    /// The initial values of immutable variables.
    definitions: HashMap<VarId, &'f Expr>,
}

impl<'f> Walk<'f> {
    /// Checks a block that these warpgroups reach, one bit for each. Returns those that reach its end.
    fn block(&mut self, block: &'f Block, mut reached: u32) -> Result<u32, ValidateError> {
        for stmt in &block.stmts {
            reached = self.stmt(stmt, reached)?;
        }
        Ok(reached)
    }

    fn stmt(&mut self, stmt: &'f Stmt, reached: u32) -> Result<u32, ValidateError> {
        match &stmt.kind {
            StmtKind::Let { var, init: Some(init) } if !self.kernel.var(*var).mutable => {
                self.definitions.insert(*var, init);
            }
            StmtKind::Expr(e) => self.calls(e, reached)?,
            StmtKind::If { cond, then, otherwise } => {
                let on = |value: bool| {
                    let groups = (0..self.roles.warpgroups).filter(|group| reached >> group & 1 == 1);
                    let taken = groups
                        .filter(|group| self.value(cond, *group).is_none_or(|known| (known != 0) == value));
                    taken.fold(0, |bits, group| bits | 1 << group)
                };
                let (yes, no) = (on(true), on(false));
                return Ok(self.block(then, yes)? | self.block(otherwise, no)?);
            }
            StmtKind::While { body, .. } | StmtKind::For { body, .. } => {
                self.block(body, reached)?;
            }
            StmtKind::Block(body) => return self.block(body, reached),
            StmtKind::Return(_) => return Ok(0),
            _ => {}
        }
        Ok(reached)
    }

    /// Compares the calls in an expression with the roles of those that reach it.
    fn calls(&self, e: &Expr, reached: u32) -> Result<(), ValidateError> {
        let mut wrong = None;
        visit::expr(e, &mut |e| {
            if let Some((registers, at)) = call(e) {
                let roles = self.roles.of_warpgroups().iter().copied();
                let reached: Vec<(u32, u32)> =
                    (0..).zip(roles).filter(|(group, _)| reached >> group & 1 == 1).collect();
                if reached.iter().any(|(_, own)| *own != registers) {
                    wrong.get_or_insert(ValidateError::Roles { registers, reached, at });
                }
            }
        });
        wrong.map_or(Ok(()), Err)
    }

    /// The value of an expression in a warpgroup, if it depends only on the number of the warpgroup.
    fn value(&self, e: &Expr, group: u32) -> Option<i128> {
        if let Some(number) = e.as_int() {
            return Some(number);
        }
        match &e.kind {
            ExprKind::Builtin { op, args, .. }
                if args.is_empty() && op.variance == Variance::PerWarpgroup =>
            {
                Some(group.into())
            }
            ExprKind::Cast(inner) => self.value(inner, group),
            ExprKind::Var(id) => self.definitions.get(id).and_then(|init| self.value(init, group)),
            ExprKind::Unary(UnaryOp::Not, a) if a.ty == crate::ir::Type::BOOL => {
                Some(i128::from(self.value(a, group)? == 0))
            }
            ExprKind::Binary(op, a, b) => combined(*op, self.value(a, group), self.value(b, group)),
            _ => None,
        }
    }
}

/// The result of an operator, if it is known.
fn combined(op: BinaryOp, a: Option<i128>, b: Option<i128>) -> Option<i128> {
    match (op, a, b) {
        (BinaryOp::And, Some(0), _) | (BinaryOp::And, _, Some(0)) => return Some(0),
        (BinaryOp::Or, Some(1), _) | (BinaryOp::Or, _, Some(1)) => return Some(1),
        _ => {}
    }
    let (a, b) = (a?, b?);
    let truth = |holds: bool| Some(i128::from(holds));
    match op {
        BinaryOp::Add => Some(a + b),
        BinaryOp::Sub => Some(a - b),
        BinaryOp::Eq => truth(a == b),
        BinaryOp::Ne => truth(a != b),
        BinaryOp::Lt => truth(a < b),
        BinaryOp::Le => truth(a <= b),
        BinaryOp::Gt => truth(a > b),
        BinaryOp::Ge => truth(a >= b),
        BinaryOp::And => truth(a != 0 && b != 0),
        BinaryOp::Or => truth(a != 0 || b != 0),
        _ => None,
    }
}
