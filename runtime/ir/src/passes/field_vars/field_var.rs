//! A field that has a variable while a pass looks at the module.

use crate::ir::{Expr, ExprKind, Location, VarId};

/// Where the statements are that give such variables their values.
pub(super) const INSERTED: Location = Location { file: "(fields)", line: 0 };

/// A field of a struct or a tuple that has a variable.
pub(super) struct FieldVar {
    /// The variable of the struct.
    pub of: VarId,
    /// The names of the fields that lead to it, the outermost first.
    pub path: Vec<String>,
    /// The field as the function spells it.
    pub place: Expr,
    /// Its own variable.
    pub var: VarId,
}

impl FieldVar {
    /// The variable, to be read or assigned.
    pub fn value(&self) -> Expr {
        Expr { kind: ExprKind::Var(self.var), ty: self.place.ty.clone() }
    }
}
