//! The productions of the grammar, and the classes of wrong code that they are there to find.

use std::collections::BTreeMap;

/// How often each production occurred.
pub type Coverage = BTreeMap<&'static str, usize>;

/// Each production that a run must reach.
#[allow(dead_code, reason = "the build script writes, the tests look")]
pub const PRODUCTIONS: &[&str] = &[
    "early exit in an operand",
    "labelled block",
    "operand read before a later operand's effect",
    "effect in an index",
    "unit variable",
    "early return",
    "arithmetic on constants",
    "comparison of vectors and structs",
    "constant table",
    "device static",
    "hostile name of a variable",
    "hostile name of a function",
    "hostile name of a struct",
    "option",
    "enum with fields",
    "enum without fields",
    "half float",
    "vector",
    "overloaded operator",
    "overloaded compound assignment",
    "overloaded compound assignment, value changes the index",
    "generic compound assignment with effects",
    "generic function with a trait's bound",
    "place behind a call",
    "reference to a place behind a call",
    "reference to a copy of a place",
    "method on a copy that an argument changes",
    "builder",
    "index through one's own Index",
    "place through one's own IndexMut",
    "method on a place of one's own IndexMut",
    "struct update",
    "struct update from an effect",
    "tuple assignment",
    "nested tuple assignment",
    "tuple assignment, block in a target",
    "range head names a place",
    "range counted by adapters",
    "range start assigned in the body",
    "range end assigned in the body",
    "range step assigned in the body",
    "reversed range start assigned in the body",
    "range to the length of a slice assigned in the body",
    "index by a loop's own variable",
    "index by a variable of the loop's body",
    "variable of a loop's body that shadows another",
    "slice variable",
    "slice reassigned",
    "slice of a slice",
    "slice length before the slice is assigned",
    "slice element before the slice is assigned",
    "loop over a slice",
    "loop over a slice assigned in the body",
    "loop over a slice by an adapter",
    "iterator that ends in a value",
    "iterator whose closure assigns the slice",
    "adapter that decides about steps",
    "iterator with a move closure",
    "move closure of an adapter, body changes what it captured",
    "view assigned in an operand",
    "mutable slice",
    "written index reads its slice",
    "slices swapped",
    "split slice",
    "slice parameter",
    "slice parameter reassigned",
    "let pattern over &mut",
    "let else pattern over &mut",
    "if let pattern over &mut",
    "while let pattern over &mut",
    "match pattern over &mut",
    "for pattern over &mut",
    "closure parameter pattern over &mut",
    "function parameter pattern over &mut",
    "ref mut pattern",
    "name inside alternatives",
    "tuple of &mut",
    "pattern over a shared reference",
    "swap or replace through a reference",
    "option changed in place",
    "move closure as an argument, captured variable changed by a later one",
    "move closure is a copy",
    "closure variable",
    "closure that changes what it captured",
    "shuffle",
    "vote",
    "shared array",
    "shared array in two dimensions",
    "pattern over an element of a shared array",
    "warp reduction",
    "group of a warp",
    "barrier with a count",
    "atomic on a shared array",
    "atomic on global memory",
    "reduction in shared memory",
];

/// Returns whether a run does without a production whose failures are known: `WARPSMITH_FUZZ_WITHOUT=unit variable` at build
/// time, a list. Of [`PRODUCTIONS`] these can be left out: unit variables, hostile names.
pub fn without(production: &str) -> bool {
    let list = std::env::var("WARPSMITH_FUZZ_WITHOUT").unwrap_or_default();
    list.split(',').any(|one| one.trim() == production)
}

/// The classes of silently wrong code that were once found by hand, each with the productions that hold its shape.
#[allow(dead_code, reason = "the build script writes, the tests look")]
pub const CLASSES: &[(&str, &[&str])] = &[
    ("a step of a range is read again", &["range step assigned in the body"]),
    ("the start of a reversed range is read again", &["reversed range start assigned in the body"]),
    (
        "the length of a slice in a head is read again",
        &["range to the length of a slice assigned in the body"],
    ),
    (
        "elements of a slice that the loop assigns",
        &["loop over a slice assigned in the body", "iterator whose closure assigns the slice"],
    ),
    (
        "a length or element as an operand before an effect",
        &["slice length before the slice is assigned", "operand read before a later operand's effect"],
    ),
    (
        "captures of move closures in adapters",
        &["iterator with a move closure", "move closure of an adapter, body changes what it captured"],
    ),
    ("a struct update's base is evaluated last", &["struct update from an effect"]),
    ("functions named as CUDA's", &["hostile name of a function"]),
    ("bounds checks dropped by a head that is read again", &["index by a loop's own variable"]),
    (
        "a comparison before a loop names a variable of its body",
        &["index by a variable of the loop's body", "variable of a loop's body that shadows another"],
    ),
    (
        "patterns over &mut bind copies",
        &[
            "let pattern over &mut",
            "let else pattern over &mut",
            "for pattern over &mut",
            "closure parameter pattern over &mut",
            "function parameter pattern over &mut",
            "tuple of &mut",
        ],
    ),
    ("&mut of a call's field borrows a copy", &["reference to a place behind a call"]),
    ("operators that write a static are called in any order", &["overloaded operator"]),
    (
        "overloaded compound assignment evaluates its place first",
        &[
            "overloaded compound assignment, value changes the index",
            "generic compound assignment with effects",
        ],
    ),
    (
        "move closures given to a function",
        &["move closure as an argument, captured variable changed by a later one", "move closure is a copy"],
    ),
    ("nested tuples on the left", &["nested tuple assignment"]),
    ("a store into a call's field", &["place behind a call", "builder"]),
    ("targets of a tuple assignment", &["tuple assignment, block in a target"]),
    (
        "IndexMut of one's own",
        &["place through one's own IndexMut", "method on a place of one's own IndexMut"],
    ),
];
