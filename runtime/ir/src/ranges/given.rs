//! What the calls of a statement give to fields of structs: what they leave in those that they are lent, and what they return. The
//! statements after it give it to the variables of these fields.

use std::collections::{HashMap, HashSet};

use super::contents::Held;
use crate::ir::{Expr, ExprKind, VarId};

/// What is known of the fields of a value, by their paths; of a value without fields, by the empty path.
pub(crate) type Fields = HashMap<Vec<String>, Held>;

/// What the calls of a statement give.
#[derive(Clone, Default)]
pub(crate) struct Given {
    /// The values that they left in variables.
    left: HashMap<VarId, Held>,
    /// The fields of what the last of them returned.
    returned: Fields,
}

impl Given {
    /// Forgets the values of variables that have them now.
    pub(super) fn forget(&mut self, vars: &HashSet<VarId>) {
        self.left.retain(|var, _| !vars.contains(var));
    }

    /// Forgets everything, unless variables are about to have it.
    pub fn forget_unless(&mut self, is_taken: bool) {
        if !is_taken {
            *self = Self::default();
        }
    }

    /// Notes the value that a call leaves in a variable.
    pub fn leave(&mut self, var: VarId, held: Held) {
        self.left.insert(var, held);
    }

    /// Forgets the value of a variable that something may change.
    pub fn forget_left(&mut self, var: VarId) {
        self.left.remove(&var);
    }

    /// The value that a call left in a variable.
    pub fn left(&self, var: VarId) -> Option<Held> {
        self.left.get(&var).cloned()
    }

    /// Notes the fields of what a call returns.
    pub fn note_returned(&mut self, fields: Fields) {
        self.returned = fields;
    }

    /// What is known of a field of what the statement's call returned, which is written as a field of nothing.
    pub(super) fn returned(&self, field: &Expr) -> Option<Held> {
        let (mut path, mut base) = (Vec::new(), field);
        while let ExprKind::Field(of, name) = &base.kind {
            path.push(name.clone());
            base = of;
        }
        path.reverse();
        matches!(base.kind, ExprKind::Unit).then(|| self.returned.get(&path).cloned())?
    }
}
