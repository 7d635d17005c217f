//! What the generator leaves out because the compiler gets it wrong; one switch for each, to be
//! turned on with the fix.

/// `let ((a, b), c) = …`: the expansion borrows its recorder twice, and rustc refuses it.
pub const NESTED_PATTERNS: bool = true;

/// `f(&(a + b))` prints `&(a + b)`, which CUDA refuses; `f(&mut { a })` lends `a` itself, not a copy.
pub const REFERENCES_TO_VALUES: bool = true;

/// `arr[{ i += 1; i }] = 5`: an index with statements makes a copy of a local array first, and the copy
/// is written.
pub const INDICES_WITH_EFFECTS: bool = true;

/// `((if c { (1, true) } else { (2, false) }), 3)`: NVRTC 13.0 crashes on `B{c ? A{…} : A{…}, 3}`.
pub const BRANCHES_IN_AGGREGATES: bool = true;

/// `pair.shift({ n += 1; n })`: an argument with statements makes a copy of the receiver first, and
/// `&mut self` changes the copy.
pub const EFFECTS_BESIDE_RECEIVERS: bool = true;
