//! The ranges of variables that one proof has found: their definitions are not looked through again wherever they are used.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::known::Known;
use super::range::Range;
use super::scope::FunctionScope;
use crate::ir::VarId;

/// Ranges of the variables of one function, by the facts with which a proof begins.
#[derive(Default)]
pub(super) struct Memo {
    /// The address of these facts. Others, such as those in a branch, live for a part of the proof only.
    facts: Cell<Option<*const Known>>,
    found: RefCell<HashMap<VarId, Range>>,
    /// What was found during searches for terms that cancel, which may say less.
    searched: RefCell<HashMap<VarId, Range>>,
}

impl Memo {
    fn begin(&self, known: &Known) {
        self.facts.set(Some(known));
        self.found.borrow_mut().clear();
        self.searched.borrow_mut().clear();
    }

    /// The range of a variable, computed at most once in a search, and once outside.
    pub fn of(&self, var: VarId, known: &Known, searches: bool, compute: impl FnOnce() -> Range) -> Range {
        if self.facts.get() != Some(std::ptr::from_ref(known)) {
            return compute();
        }
        let held = |of: &RefCell<HashMap<VarId, Range>>| of.borrow().get(&var).cloned();
        let found = held(&self.found).or_else(|| held(&self.searched).filter(|_| searches));
        found.unwrap_or_else(|| {
            let range = compute();
            let found = if searches { &self.searched } else { &self.found };
            found.borrow_mut().insert(var, range.clone());
            range
        })
    }
}

impl FunctionScope<'_> {
    /// Forgets what the proof before has found, here and in all callers: other facts may hold now.
    pub(super) fn begin_proof(&self, known: &Known) {
        self.memo.begin(known);
        let mut around = self.caller;
        while let Some(caller) = around {
            caller.scope.memo.begin(caller.known);
            around = caller.scope.caller;
        }
    }
}
