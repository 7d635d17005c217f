//! Mistakes of newcomers: each shows one clear error at the user's own tokens.
//!
//! rustc checks each mistake, and a test compares what it says with what is kept; the other tests read that. With
//! `UPDATE_UI=1` in the environment, the first keeps what rustc says.

#[path = "ui/rustc.rs"]
mod rustc;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Mistakes with two messages of rustc, and the reason.
const SECOND_MESSAGES: &[(&str, &str)] = &[
    ("calls/wrong_number_of_generics", "the function and its device side both take the arguments"),
    (
        "generics/launch_without_the_constant",
        "a constant that the arguments do not tell: rustc says so of the call and of the launch",
    ),
    ("gpu_fn/closure_with_a_wrong_argument", "an `impl Fn` has no name in the copy of the body"),
    ("gpu_fn/closure_with_too_few_arguments", "an `impl Fn` has no name in the copy of the body"),
    ("gpu_fn/struct_without_derive", "of each use: the signature is one function's, the value another's"),
    ("methods/self_is_forgotten", "rustc knows the field beside `self`, and again without it"),
    ("structs/bool_pointer_field", "`derive(Copy)` refuses the field too"),
    ("syntax/imported_variant_in_small_letters", "rustc speaks of the name and of the type, in each arm"),
    ("types/f32_and_f64", "rustc says both of the same sum in plain Rust"),
    ("types/u32_plus_usize", "rustc says both of the same sum in plain Rust"),
];

/// Names that a user never wrote.
const INTERNAL: &[&str] = &[
    "_in_kernels",
    "_in_kernel_loops",
    "__gpu",
    "Slice<",
    "Row<",
    "W<",
    "Marker",
    "__device_side",
    "__sound",
    "__lookup",
    "__macro::",
];

/// Messages that name one all the same, and why.
const INTERNAL_NAMES: &[(&str, &str)] = &[
    (
        "borrow/write_behind_a_gpu_fn",
        "a slice of the twin is a `Slice`, which rustc shows in types that differ",
    ),
    ("calls/maximum_of_structs", "rustc names the traits that a type of the same crate could implement"),
    (
        "calls/chunk_is_split",
        "a slice of the twin is a `Slice`, which rustc shows where it has no such method",
    ),
    (
        "calls/shape_of_a_tensor",
        "a slice of the twin is a `Slice`, which rustc shows where it has no such method",
    ),
    (
        "methods/own_method_that_is_walked",
        "slices have a method of that name: rustc names the hidden one and its trait",
    ),
    ("calls/unknown_method", "a method that the library has for other numbers: rustc names its hidden one"),
    ("calls/own_try_from", "rustc names the hidden function in a label on the struct"),
    ("calls/own_try_into", "rustc names the hidden function whose bound is not met"),
    ("device_side/associated_function", "rustc names the hidden function in a label on the struct"),
    (
        "generics/element_for_a_slice",
        "a slice of the twin is a `Slice`, which rustc shows in types that differ",
    ),
    ("methods/own_method_named_as_a_slices", "rustc names the hidden method in a label on the struct"),
    ("methods/own_method_named_as_a_vectors", "rustc names the hidden method of vectors as a candidate"),
    ("names/associated_function", "rustc lists what makes an `F32x4`, the hidden functions too"),
    ("nested/moved_slice", "a slice of the twin is a `Slice`, which rustc shows where it moves"),
    ("nested/wrong_element", "a slice of the twin is a `Slice`, whose element is wrong"),
    ("types/array_for_a_slice", "a slice of the twin is a `Slice`, which rustc shows in types that differ"),
    ("types/two_indices_of_a_slice", "a slice of the twin is a `Slice`, of which rustc says what it lacks"),
    ("types/box_new", "a generic type whose arguments are left out: rustc names the hidden function"),
];

/// The messages of rustc about each mistake, by its path without the extension.
fn messages() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/fail");
    let mut found = BTreeMap::new();
    for kind in fs::read_dir(&root).expect("kinds of mistakes") {
        let kind = kind.expect("a kind of mistakes").path();
        for file in fs::read_dir(&kind).expect("mistakes") {
            let file = file.expect("a mistake").path();
            if file.extension().is_some_and(|extension| extension == "stderr") {
                let name = file.with_extension("");
                let name = name.strip_prefix(&root).expect("a path below the root").display().to_string();
                found.insert(name, fs::read_to_string(&file).expect("what rustc says"));
            }
        }
    }
    found
}

/// The number of errors in the message about a mistake.
fn errors(message: &str) -> usize {
    let begins = |line: &&str| line.starts_with("error: ") || line.starts_with("error[");
    message.lines().filter(begins).filter(|line| !line.starts_with("error: aborting")).count()
}

/// Fails unless the mistakes for which something holds are those of a list.
fn listed(what: &str, holds: impl Fn(&str) -> bool, list: &[(&str, &str)]) {
    let found: Vec<String> =
        messages().into_iter().filter(|(_, message)| holds(message)).map(|(name, _)| name).collect();
    let known: Vec<&str> = list.iter().map(|(name, _)| *name).collect();
    let new: Vec<_> = found.iter().filter(|name| !known.contains(&name.as_str())).collect();
    let stale: Vec<_> = known.iter().filter(|name| !found.iter().any(|f| f == *name)).collect();
    assert!(new.is_empty() && stale.is_empty(), "{what}: not listed {new:?}, no longer {stale:?}");
}

/// The mistakes.
fn mistakes() -> Vec<PathBuf> {
    let folder = |path: &Path| -> Vec<PathBuf> {
        fs::read_dir(path).expect("mistakes").map(|entry| entry.expect("a mistake").path()).collect()
    };
    let kinds = folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/fail"));
    let files = kinds.iter().flat_map(|kind| folder(kind));
    let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|e| e == "rs")).collect();
    files.sort();
    files
}

#[test]
fn mistakes_are_explained_at_their_tokens() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files: Vec<_> =
        mistakes().iter().map(|f| f.strip_prefix(root).expect("below the root").to_owned()).collect();
    let update = std::env::var_os("UPDATE_UI").is_some();
    let mut wrong = String::new();
    for (file, said) in files.iter().zip(rustc::messages(&files)) {
        let kept = root.join(file).with_extension("stderr");
        if update {
            fs::write(&kept, said).expect("a message is kept");
        } else if fs::read_to_string(&kept).unwrap_or_default() != said {
            wrong += &format!("{}: rustc says\n{said}\n", file.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}with `UPDATE_UI=1` these are kept; review the difference");
}

#[test]
fn a_mistake_has_one_message() {
    listed("mistakes with several messages", |message| errors(message) != 1, SECOND_MESSAGES);
    let (all, several) = (messages().len(), SECOND_MESSAGES.len());
    assert!(all >= 250 && several * 100 <= all * 3, "{several} of {all} mistakes have several messages");
}

#[test]
fn messages_name_nothing_internal() {
    let names = |message: &str| {
        let text = message.replace("CudaSlice<", "");
        INTERNAL.iter().any(|internal| text.contains(internal))
    };
    listed("messages with internal names", names, INTERNAL_NAMES);
}
