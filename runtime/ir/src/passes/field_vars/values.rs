//! What an expression gives to one field.

use super::slices::{given_len, is_slice};
use crate::ir::{Effect, Expr, ExprKind, FnId, Function, StmtKind, Type, VarId, visit};
use crate::ranges::{field_of, fields, path_of, replace};

/// Expressions in a value at most.
const MOST_EXPRESSIONS: usize = 24;

/// Functions that only make a struct or a tuple, with their parameters.
pub(super) struct Constructors(Vec<Option<(Vec<VarId>, Expr)>>);

impl Constructors {
    pub fn of(functions: &[Function]) -> Self {
        let made = |function: &Function| {
            let [only] = function.body.stmts.as_slice() else { return None };
            let StmtKind::Return(Some(value)) = &only.kind else { return None };
            let makes = matches!(value.kind, ExprKind::Struct(..) | ExprKind::Tuple(_));
            makes.then(|| (function.params.clone(), value.clone()))
        };
        Constructors(functions.iter().map(made).collect())
    }

    /// The value that an expression gives to a field, if it is simple enough to be written twice. That of a call is written as a field of
    /// `()`, which says what the call returned.
    pub fn value(&self, e: &Expr, path: &[String]) -> Option<Expr> {
        let returned = || match e.kind {
            ExprKind::Call { .. } => field_of(Expr { kind: ExprKind::Unit, ty: e.ty.clone() }, path),
            _ => None,
        };
        self.find(e, path).filter(is_plain).or_else(returned)
    }

    fn find(&self, e: &Expr, path: &[String]) -> Option<Expr> {
        let Some((name, rest)) = path.split_first() else { return Some(e.clone()) };
        if is_slice(&e.ty) && !matches!(e.kind, ExprKind::Select(..)) {
            return given_len(e);
        }
        match &e.kind {
            ExprKind::Struct(_, parts) | ExprKind::Tuple(parts) => {
                let at = fields(&e.ty)?.iter().position(|(own, _)| own == name)?;
                self.find(parts.get(at)?, rest)
            }
            ExprKind::Select(cond, a, b) => {
                let [a, b] = [self.find(a, path)?, self.find(b, path)?];
                // A condition that may not be evaluated twice is one of which nothing is known.
                let cond = match is_plain(cond) {
                    true => cond.clone(),
                    false => Expr { kind: ExprKind::Unit, ty: Type::BOOL }.into(),
                };
                let ty = a.ty.clone();
                Some(Expr { kind: ExprKind::Select(cond, a.into(), b.into()), ty })
            }
            ExprKind::Call { function: FnId(at), args, .. } => {
                let (params, value) = self.0.get(*at as usize)?.as_ref()?;
                let value = self.find(value, path)?;
                let mut value = is_of(&value, params).then_some(value)?;
                replace(&mut value, params, args);
                Some(value)
            }
            _ => {
                path_of(e)?;
                field_of(e.clone(), path)
            }
        }
    }
}

/// Whether all variables in an expression are among some.
fn is_of(e: &Expr, params: &[VarId]) -> bool {
    let mut is_so = true;
    visit::expr(e, &mut |e| is_so &= !matches!(e.kind, ExprKind::Var(var) if !params.contains(&var)));
    is_so
}

/// Whether an expression may be evaluated twice, without a check or an effect.
fn is_plain(e: &Expr) -> bool {
    let (mut count, mut is_plain) = (0, true);
    visit::expr(e, &mut |e| {
        count += 1;
        is_plain &= match &e.kind {
            ExprKind::Builtin { op, .. } => op.effect == Effect::Pure,
            ExprKind::Index { .. }
            | ExprKind::SubSlice { .. }
            | ExprKind::Call { .. }
            | ExprKind::CallClosure { .. }
            | ExprKind::Closure(_) => false,
            ExprKind::Ref(_) => !matches!(e.ty, Type::Ref { mutable: true, .. }),
            _ => true,
        };
    });
    is_plain && count <= MOST_EXPRESSIONS
}
