//! C++ names: the user's, renamed predictably where C++, CUDA or the printed text has the name already.
//!
//! `names/reserved.txt` lists the names that NVRTC knows; `names/ask_nvrtc.py` writes it.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The names that NVRTC knows, one a line behind `word: ` or `global: `.
const TABLE: &str = include_str!("names/reserved.txt");

/// Keywords of later standards of C++ and of its dialects, and functions that the device's linker defines.
const ELSEWHERE: &str = "char8_t concept consteval constinit co_await co_return co_yield import module requires \
    restrict typeof linux unix vprintf WARP_SZ";

/// Functions that printed text never calls by these names alone: a variable or a field may hide them.
const HARMLESS: [&str; 10] = ["all", "any", "ballot", "j0", "j1", "norm", "rnorm", "std", "y0", "y1"];

static RESERVED: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| listed().chain(ELSEWHERE.split_whitespace()).collect());

/// The names of the table.
pub(super) fn listed() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| Some(line.split_once(": ")?.1))
}

/// Returns whether C++, CUDA or the prelude has the name already.
fn is_reserved(name: &str) -> bool {
    let mut chars = name.chars();
    let (first, second) = (chars.next(), chars.next());
    // C++ keeps `__` anywhere and `_A` for its implementation, and names CUDA's runtime API.
    let implementation =
        name.starts_with("__") || first == Some('_') && second.is_some_and(|c| c.is_ascii_uppercase());
    let runtime =
        name.strip_prefix("cuda").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    RESERVED.contains(name)
        || name.starts_with("ws_")
        || implementation
        || runtime
        || is_template_parameter(name)
}

/// `F0`, `F1`: the types of closure parameters.
fn is_template_parameter(name: &str) -> bool {
    name.strip_prefix('F').is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
}

/// `name` as a C++ identifier for the global scope that is not taken: a reserved word gets `_`, a second one `_1`, `_2`.
pub(super) fn fresh(name: &str, taken: &dyn Fn(&str) -> bool) -> String {
    free(identifier(name), &is_reserved, taken)
}

/// The same for a variable of a function, or a member of a struct.
pub(super) fn fresh_inside(name: &str, taken: &dyn Fn(&str) -> bool) -> String {
    free(identifier(name), &|name| is_reserved(name) && !HARMLESS.contains(&name), taken)
}

/// A Rust name or type as a C++ identifier, which may be reserved.
fn identifier(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
}

fn free(mut name: String, reserved: &dyn Fn(&str) -> bool, taken: &dyn Fn(&str) -> bool) -> String {
    // No reserved name ends in `_` or in `_` and a number.
    if reserved(&name) {
        name.push('_');
    }
    if !taken(&name) {
        return name;
    }
    (1..).map(|n| format!("{name}_{n}")).find(|candidate| !taken(candidate)).unwrap_or(name)
}
