//! C++ names: the user's, renamed predictably where C++, CUDA or the prelude has the name already.
//!
//! What CUDA has is asked of NVRTC, not remembered: `names/ask_nvrtc.py` writes `names/reserved.txt`, and a test
//! compiles every name of it in every position.

use std::collections::HashSet;
use std::sync::LazyLock;

/// What NVRTC knows, a name a line.
const TABLE: &str = include_str!("names/reserved.txt");

/// Words of a list, which every name is looked up in.
type Words = LazyLock<HashSet<&'static str>>;

/// Keywords and macros, which no position may have.
static WORDS: Words = LazyLock::new(|| of_kind("word: "));
/// Names of the global scope, which a member may have and nothing else.
static GLOBALS: Words = LazyLock::new(|| of_kind("global: "));

fn of_kind(kind: &str) -> HashSet<&'static str> {
    TABLE.lines().filter_map(|line| line.strip_prefix(kind)).collect()
}

/// Whether no position of a text may have the name.
fn is_word(name: &str) -> bool {
    WORDS.contains(name) || name.starts_with("ws_") || name.starts_with("__")
}

/// Whether C++, CUDA or the prelude has the name in the global scope.
fn is_reserved(name: &str) -> bool {
    let after_underscore = name.strip_prefix('_').and_then(|rest| rest.chars().next());
    is_word(name) || GLOBALS.contains(name) || after_underscore.is_some_and(|c| c.is_ascii_uppercase())
}

/// Whether the name is that of a type that CUDA defines, which the fields beside it may have.
fn is_type(name: &str) -> bool {
    name == "dim3" || GLOBALS.contains(format!("make_{name}").as_str())
}

/// `name` with an underscore behind it if it is reserved, or a reserved one with underscores behind it: different
/// names stay different.
fn escaped(name: &str, is_reserved: impl Fn(&str) -> bool) -> String {
    let name = spelled(name);
    let stem = name.trim_end_matches('_');
    if is_reserved(&name) || is_reserved(stem) { name + "_" } else { name }
}

/// `name` in the characters of C: another one is its number between underscores.
fn spelled(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let mut out = String::new();
    for c in name.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || c == '_' => out.push(c),
            c => out.push_str(&format!("_u{:x}_", u32::from(c))),
        }
    }
    out
}

/// `name` as a C++ identifier that nothing but a reserved word has.
pub(super) fn unreserved(name: &str) -> String {
    escaped(name, is_reserved)
}

/// `name` as the name of a member, which hides no function.
pub(super) fn member(name: &str) -> String {
    escaped(name, |name| is_word(name) || is_type(name))
}

/// `name` as a C++ identifier that is not taken: a reserved word gets `_`, a second one `_1`, `_2`.
pub(super) fn fresh(name: &str, taken: &HashSet<String>) -> String {
    let base = unreserved(name);
    if !taken.contains(&base) {
        return base;
    }
    (1..).map(|n| format!("{base}_{n}")).find(|candidate| !taken.contains(candidate)).unwrap_or(base)
}

/// The names of the table, of both kinds.
#[cfg(test)]
pub(super) fn known() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| Some(line.split_once(": ")?.1))
}
