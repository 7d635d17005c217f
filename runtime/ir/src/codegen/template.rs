//! Templates of builtins: `{0}` is the first argument, `({0})` the same in parentheses if it needs them, `{rank}` the number of the calling
//! thread in its block.

use super::precedence::{ASSIGNMENT, PRIMARY, Text, UNARY};
use crate::ir::Module;

/// Puts the arguments of a builtin into the holes of its text.
pub(super) fn fill(text: &mut String, arguments: Vec<Text>) {
    // Holes are filled from the last to the first, because an argument's own braces are no holes.
    let mut holes: Vec<(usize, usize)> = Vec::new();
    for i in 0..arguments.len() {
        holes.extend(text.match_indices(&format!("{{{i}}}")).map(|(at, _)| (at, i)));
    }
    holes.sort_unstable();
    for (start, i) in holes.into_iter().rev() {
        let (argument, end) = (arguments[i].clone(), start + format!("{{{i}}}").len());
        match operand(&text[..start], &text[end..], &argument) {
            Some(printed) => text.replace_range(start - 1..end + 1, &printed),
            None => text.replace_range(start..end, &argument.at(ASSIGNMENT)),
        }
    }
}

/// Puts the number of the calling thread in its block into a text. A launch with roles for warpgroups has threads along `x` alone.
pub(super) fn fill_rank(text: &mut String, module: &Module) {
    if module.kernels().all(|(_, attributes)| attributes.roles.is_some()) {
        *text = text.replace("{rank}", "threadIdx.x");
    } else {
        let rank = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))";
        *text = text.replace("({rank})", rank).replace("{rank}", rank);
    }
}

/// The functions of the prelude that a template calls.
pub(super) fn called(template: &str) -> impl Iterator<Item = &str> {
    let begins = |at: usize| !template[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    template.match_indices("ws_").filter(move |(at, _)| begins(*at)).filter_map(|(at, _)| {
        let rest = &template[at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        rest[end..].starts_with('(').then_some(&rest[..end])
    })
}

/// The replacement of a hole in parentheses that are no call's; `None` for any other hole.
fn operand(before: &str, after: &str, argument: &Text) -> Option<String> {
    let before = before.strip_suffix('(')?;
    let after = after.strip_prefix(')')?;
    let last = before.chars().next_back().unwrap_or(' ');
    if last.is_ascii_alphanumeric() || matches!(last, '_' | '>') || argument.text.starts_with(last) {
        return None;
    }
    let member = after.starts_with(['.', '[']) || after.starts_with("->");
    Some(argument.clone().at(if member { PRIMARY } else { UNARY }))
}
