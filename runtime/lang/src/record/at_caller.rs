//! `#[track_caller]`: what a function checks is reported at the line of its call.
//!
//! Such a function has an instance for each line that calls it, if it checks anything.

use super::Recorder;
use crate::ir::{Block, ExprKind, Function, Location, StmtKind, visit};

impl Recorder {
    /// `#[track_caller]` of the function being recorded.
    pub fn at_caller(&mut self) {
        let Some(outer) = self.frames.len().checked_sub(2) else { return };
        let outer = &self.frames[outer];
        let line = outer.caller.unwrap_or(outer.line);
        if let Some(instance) = self.in_progress.last() {
            self.at_callers.insert(*instance);
            self.frame().caller = Some(line);
        }
    }

    /// The line of a call that is being recorded, as the called function reports it.
    pub(super) fn line_of_call(&mut self) -> Location {
        let frame = self.frame();
        frame.caller.unwrap_or(frame.line)
    }

    /// Puts the checks of a recorded function at the line of the call. Without any, one instance serves all lines.
    pub(super) fn check_at_caller(&mut self, function: &mut Function, caller: Option<Location>) {
        let (Some(line), Some(instance)) = (caller, self.in_progress.last()) else { return };
        let mut calls = false;
        visit::exprs(&function.body, &mut |e| {
            calls |= matches!(&e.kind, ExprKind::Call { function, .. } if self.checked_at_callers.contains(function));
        });
        if !move_checks(&mut function.body, line) && !calls {
            self.at_callers.remove(instance);
        }
    }
}

/// Puts checks at a line; returns whether there are any.
fn move_checks(block: &mut Block, line: Location) -> bool {
    let mut found = false;
    visit::exprs_mut(block, &mut |e| {
        if let ExprKind::Index { at, .. } | ExprKind::SubSlice { at, .. } = &mut e.kind {
            *at = line;
            found = true;
        }
        false
    });
    move_assertions(block, line) || found
}

fn move_assertions(block: &mut Block, line: Location) -> bool {
    let mut found = false;
    for stmt in &mut block.stmts {
        if let StmtKind::Assert { .. } = stmt.kind {
            stmt.at = line;
            found = true;
        }
        for inner in visit::blocks_mut(stmt) {
            found |= move_assertions(inner, line);
        }
    }
    found
}
