//! Local arrays that are only ever indexed, which print as arrays of C.
//!
//! Others are copied, passed or borrowed as a whole, which an array of C cannot be: they are structs.

use std::collections::HashSet;

use super::Printer;
use super::expr::is_zero;
use crate::ir::{Expr, ExprKind, Function, StmtKind, Type, VarId, visit};

/// The variables of a function that are such arrays.
pub(super) fn indexed_only(function: &Function) -> HashSet<VarId> {
    let mut plain = HashSet::new();
    visit::stmts(&function.body, &mut |stmt| {
        if let StmtKind::Let { var, init } = &stmt.kind
            && matches!(function.var(*var).ty, Type::Array(..))
            && init.as_ref().is_none_or(is_list)
        {
            plain.insert(*var);
        }
    });
    if !plain.is_empty() {
        visit::stmts(&function.body, &mut |stmt| {
            visit::operands(stmt).into_iter().for_each(|e| remove_whole(e, &mut plain));
        });
    }
    plain
}

/// Removes the variables that an expression uses other than by an element or the length.
fn remove_whole(e: &Expr, plain: &mut HashSet<VarId>) {
    match &e.kind {
        ExprKind::Var(id) => {
            plain.remove(id);
        }
        ExprKind::Len(of) if matches!(of.kind, ExprKind::Var(_)) => {}
        ExprKind::Index { .. } if !matches!(e.ty, Type::Array(..)) => {
            let mut root = e;
            while let ExprKind::Index { base, index, .. } = &root.kind {
                remove_whole(index, plain);
                root = base;
            }
            if !matches!(root.kind, ExprKind::Var(_)) {
                remove_whole(root, plain);
            }
        }
        _ => e.each_operand(|operand| remove_whole(operand, plain)),
    }
}

/// Returns whether C can initialise an array with it: zeros, or elements that are no arrays of another origin.
fn is_list(init: &Expr) -> bool {
    match &init.kind {
        ExprKind::ArrayList(items) => {
            !items.is_empty() && items.iter().all(|i| !matches!(i.ty, Type::Array(..)) || is_list(i))
        }
        ExprKind::ArrayRepeat(item, n) => n.len > 0 && (is_zero(item) || is_zeros(item)),
        _ => false,
    }
}

fn is_zeros(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::ArrayRepeat(item, _) if is_zero(item) || is_zeros(item))
}

impl Printer<'_> {
    /// The text behind the `=` of an array of C.
    pub(super) fn array_initializer(&mut self, init: &Expr) -> String {
        match &init.kind {
            ExprKind::ArrayList(items) => {
                let items: Vec<String> = items.iter().map(|item| self.array_initializer(item)).collect();
                format!("{{{}}}", items.join(", "))
            }
            ExprKind::ArrayRepeat(..) => "{}".into(),
            _ => self.part(init),
        }
    }
    /// `T name[N]` of an array whose initial value may say how its extents are spelled.
    pub(super) fn initialized_declarator(&mut self, init: &Expr, name: &str) -> String {
        let (mut item, mut declared) = (init, name.to_owned());
        while let ExprKind::ArrayRepeat(inner, extent) = &item.kind {
            declared.push_str(&format!("[{}]", self.extent(extent)));
            item = inner;
        }
        self.declarator(&item.ty, &declared)
    }
}
