//! What the variant of an enum tells: a function, or a checked difference, has chosen it by a condition.

use super::choice::Choice;
use super::known::Known;
use super::returned::replace;
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Block, Expr, ExprKind, ResultRange, StmtKind, Type, VarId, visit};

impl Known {
    /// Notes by which condition an enum was chosen that a variable is given.
    pub fn choose(&mut self, var: VarId, value: &Expr, scope: &FunctionScope) {
        self.choices.retain(|(own, _)| *own != var);
        // Another name may change the variable: a reference, or a closure.
        let choice = scope.choice(value, self).filter(|_| !scope.untracked.contains(&var));
        self.choices.extend(choice.map(|choice| (var, choice)));
    }

    /// Adds what it tells that an enum has a tag, or has another one.
    pub(super) fn has_tag(
        &mut self,
        [of, tag]: [&Expr; 2],
        outcome: bool,
        known: &Known,
        scope: &FunctionScope,
    ) {
        let ExprKind::Field(of, name) = &of.kind else { return };
        let (Some(tag), true) = (tag.as_int(), name == "tag" && matches!(of.ty, Type::Enum(_))) else {
            return;
        };
        let Some(Choice { condition, tags }) = scope.choice(of, known) else { return };
        match tags.map(|own| own == tag) {
            [true, false] => self.extend(known.implied(&condition, outcome, scope)),
            [false, true] => self.extend(known.implied(&condition, !outcome, scope)),
            _ => {}
        }
    }
}

impl FunctionScope<'_> {
    /// The condition by which an enum was chosen, if the choice is all that makes it.
    fn choice(&self, e: &Expr, known: &Known) -> Option<Choice> {
        match &e.kind {
            ExprKind::Var(var) => {
                known.choices.iter().find(|(own, _)| own == var).map(|(_, choice)| choice.clone())
            }
            ExprKind::Select(condition, a, b) => chosen(condition, a, b),
            ExprKind::Call { function, args, .. } => {
                let function = self.functions.get(function.0 as usize)?;
                let Choice { mut condition, tags } = of_body(&function.body)?;
                let mut is_of_params = true;
                visit::expr(&condition, &mut |e| {
                    is_of_params &= !matches!(e.kind, ExprKind::Var(var) if !function.params.contains(&var));
                });
                replace(&mut condition, &function.params, args);
                is_of_params.then_some(Choice { condition, tags })
            }
            ExprKind::Builtin { op, args, .. } if op.facts.result == ResultRange::CheckedDifference => {
                let ([a, b], Type::Enum(def)) = (args.as_slice(), &e.ty) else { return None };
                a.ty.scalar().filter(|scalar| scalar.is_unsigned())?;
                let tags = [def.variant("Some")?.tag, def.variant("None")?.tag];
                let condition = Expr::binary(BinaryOp::Ge, a.clone(), b.clone());
                Some(Choice { condition: Expr { ty: Type::BOOL, ..condition }, tags })
            }
            _ => None,
        }
    }
}

/// The choice that a function makes, if it does nothing else.
fn of_body(body: &Block) -> Option<Choice> {
    match body.stmts.as_slice() {
        [only] => match &only.kind {
            StmtKind::Return(Some(Expr { kind: ExprKind::Select(condition, a, b), .. })) => {
                chosen(condition, a, b)
            }
            _ => None,
        },
        [begin, choice, end] => {
            let (StmtKind::Let { var, .. }, StmtKind::If { cond, then, otherwise }) =
                (&begin.kind, &choice.kind)
            else {
                return None;
            };
            let is_given = matches!(&end.kind, StmtKind::Return(Some(Expr { kind: ExprKind::Var(given), .. })) if given == var);
            let [a, b] = [then, otherwise].map(|branch| given(branch, *var));
            if is_given { chosen(cond, a?, b?) } else { None }
        }
        _ => None,
    }
}

/// The value that a branch gives a variable, by the one statement that it has.
fn given(branch: &Block, var: VarId) -> Option<&Expr> {
    let [only] = branch.stmts.as_slice() else { return None };
    match &only.kind {
        StmtKind::Assign { place, op: None, value } => {
            matches!(place.kind, ExprKind::Var(own) if own == var).then_some(value)
        }
        _ => None,
    }
}

fn chosen(condition: &Expr, a: &Expr, b: &Expr) -> Option<Choice> {
    let tag = |e: &Expr| match (&e.kind, &e.ty) {
        (ExprKind::Variant(def, at, _), _) => def.variants.get(*at).map(|variant| variant.tag),
        _ => None,
    };
    Some(Choice { condition: condition.clone(), tags: [tag(a)?, tag(b)?] })
}
