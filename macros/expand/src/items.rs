//! How iterators hand their items on: to closures, to other iterators, and in an `Option`.

use syn::ExprMethodCall;

/// How a closure gets the items of an iterator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// Its parameter is an item.
    Item,
    /// Its second parameter is.
    Second,
    /// Its parameter refers to one.
    Reference,
}

/// How the closure of a method gets items, if it does.
pub fn given(call: &ExprMethodCall) -> Option<Given> {
    let is_in = |methods: &[&str]| methods.iter().any(|method| call.method == method);
    if is_in(ITEMS) {
        return Some(Given::Item);
    }
    if is_in(FOLDS) {
        return Some(Given::Second);
    }
    is_in(ASKING).then_some(Given::Reference)
}

/// Returns whether an adapter gives items of what it adapts.
pub fn passes_on(call: &ExprMethodCall) -> bool {
    PASSING.iter().any(|adapter| call.method == adapter)
}

/// Returns whether a method of an iterator gives one of the items, if there is one.
pub fn gives_one(call: &ExprMethodCall) -> bool {
    GIVING.iter().any(|giving| call.method == giving)
}

/// Methods whose closure is called with each item itself.
const ITEMS: &[&str] = &[
    "map",
    "for_each",
    "try_for_each",
    "flat_map",
    "map_while",
    "any",
    "all",
    "filter_map",
    "find_map",
    "position",
];

/// Methods whose closure is called with a value so far and each item.
const FOLDS: &[&str] = &["fold", "try_fold", "scan"];

/// Methods whose closure is called with a reference to each item.
const ASKING: &[&str] =
    &["filter", "find", "take_while", "skip_while", "inspect", "min_by_key", "max_by_key"];

/// Adapters that give items of what they adapt.
const PASSING: &[&str] = &[
    "filter",
    "skip",
    "take",
    "rev",
    "step_by",
    "take_while",
    "skip_while",
    "inspect",
    "peekable",
    "by_ref",
    "into_iter",
];

/// Methods of iterators that give one of the items, if there is one.
const GIVING: &[&str] = &["next", "nth", "last", "find", "rfind", "next_if"];
