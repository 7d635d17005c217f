//! A field that has a variable while a pass looks at the module.

use super::path::Path;
use crate::ir::{Expr, ExprKind, Location, VarId};

/// Where the statements are that give parts their values.
pub(super) const INSERTED: Location = Location { file: "(parts)", line: 0 };

/// A field of a struct or a tuple that has a variable.
pub(super) struct Part {
    /// The variable of the struct.
    pub of: VarId,
    pub path: Path,
    /// The field as the function spells it.
    pub place: Expr,
    /// Its own variable.
    pub var: VarId,
}

impl Part {
    /// The variable, to be read or assigned.
    pub fn value(&self) -> Expr {
        Expr { kind: ExprKind::Var(self.var), ty: self.place.ty.clone() }
    }
}
