//! Functions that are printed alike, and so are printed once: those with an instance for each line that calls them, as far as what they check
//! is proven, or left out.

use std::borrow::Cow;

use crate::ir::{Block, ExprKind, FnId, Function, Location, Module, Proof, StmtKind, visit};

/// The location of what no text names.
const NOWHERE: Location = Location { file: "", line: 0 };

/// The module with one function for all that are printed alike, with checks or without any.
pub(super) fn merged(module: &Module, is_checked: bool) -> Cow<'_, Module> {
    let mut stands_for: Vec<usize> = Vec::new();
    let mut texts: Vec<Option<String>> = Vec::new();
    for (at, function) in module.functions.iter().enumerate() {
        let is_instance = |other: &Function| other.name == function.name && other.at == function.at;
        let others: Vec<usize> =
            (0..at).filter(|o| stands_for[*o] == *o && is_instance(&module.functions[*o])).collect();
        let text = |of: usize| written(&module.functions[of], is_checked, &stands_for);
        let (mut first, mut own) = (at, None);
        for other in others {
            let own = own.get_or_insert_with(|| text(at));
            if texts[other].get_or_insert_with(|| text(other)) == own {
                first = other;
                break;
            }
        }
        stands_for.push(first);
        texts.push(own);
    }
    if stands_for.iter().enumerate().all(|(at, first)| at == *first) {
        return Cow::Borrowed(module);
    }
    let mut merged = module.clone();
    // The number of each function that stays, once the others have gone.
    let number = |first: usize| (0..first).filter(|at| stands_for[*at] == *at).count();
    let numbers: Vec<usize> = stands_for.iter().map(|first| number(*first)).collect();
    let kept = std::mem::take(&mut merged.functions).into_iter().zip(&stands_for).enumerate();
    merged.functions =
        kept.filter(|(at, (_, first))| at == *first).map(|(_, (function, _))| function).collect();
    let launched = merged.launched.iter_mut().map(|kernel| &mut kernel.function);
    let all = merged.functions.iter_mut().chain([&mut merged.kernel]).chain(launched);
    all.for_each(|function| call(&mut function.body, &numbers));
    Cow::Owned(merged)
}

/// Changes the numbers of called functions.
fn call(body: &mut Block, numbers: &[usize]) {
    visit::exprs_mut(body, &mut |e| {
        if let ExprKind::Call { function: FnId(id), .. } = &mut e.kind
            && let Some(number) = numbers.get(*id as usize)
        {
            *id = *number as u32;
        }
        false
    });
}

/// What a function's text depends on. Two functions with the same are printed alike.
fn written(function: &Function, is_checked: bool, stands_for: &[usize]) -> String {
    let Function { params, ret, vars, body, foreign, inline, effect, .. } = function;
    let mut body = body.clone();
    call(&mut body, stands_for);
    visit::exprs_mut(&mut body, &mut |e| {
        if let ExprKind::Index { at, proof, .. } | ExprKind::SubSlice { at, proof, .. } = &mut e.kind
            && (!is_checked || *proof == Proof::Text)
        {
            (*at, *proof) = (NOWHERE, Proof::Text);
        }
        false
    });
    leave_out(&mut body, is_checked);
    format!("{params:?} {ret:?} {vars:?} {foreign:?} {inline:?} {effect:?} {body:?}")
}

/// Leaves out the assertions that are not printed, and the lines of other statements.
fn leave_out(block: &mut Block, is_checked: bool) {
    block.stmts.retain(|stmt| match &stmt.kind {
        StmtKind::Assert { debug: true, proof, .. } => is_checked && *proof != Proof::Text,
        _ => true,
    });
    for stmt in &mut block.stmts {
        if !matches!(stmt.kind, StmtKind::Assert { .. }) {
            stmt.at = NOWHERE;
        }
        visit::blocks_mut(stmt).into_iter().for_each(|inner| leave_out(inner, is_checked));
    }
}
