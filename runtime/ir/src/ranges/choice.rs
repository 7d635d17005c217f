//! The condition by which an enum was chosen.

use std::collections::HashSet;

use super::loads::{has_load, mentions};
use crate::ir::{Expr, VarId};

/// The condition under which an enum has the first of two tags; otherwise it has the second.
#[derive(Clone)]
pub(super) struct Choice {
    pub condition: Expr,
    pub tags: [i128; 2],
}

impl Choice {
    /// Whether the condition has one of some variables in it.
    pub fn mentions(&self, vars: &HashSet<VarId>) -> bool {
        mentions(&self.condition, vars)
    }

    /// Whether the condition has an element of a slice in it.
    pub fn has_load(&self) -> bool {
        has_load(&self.condition)
    }
}
