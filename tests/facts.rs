//! The facts of a builtin stand at its definition, and a limit of the hardware in one table.
//!
//! The sources are read for what would say either again: a comparison of a builtin's name, or the number itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use harness::documents::root;
use warpsmith::device_api::registry;
use warpsmith::ir::{ArgumentAccess, Facts, Position};
use warpsmith::limits;

/// Every Rust file below a folder, by its path from the root of the repository.
fn sources(folder: &str) -> Vec<(String, String)> {
    let (mut found, mut folders) = (Vec::new(), vec![root().join(folder)]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap_or_else(|e| panic!("{}: {e}", next.display())) {
            let path: PathBuf = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root()).unwrap_or(Path::new("")).display().to_string();
                found.push((name, fs::read_to_string(&path).expect("a source")));
            }
        }
    }
    found.sort();
    found
}

/// All sources of the runtime but tests.
fn runtime() -> impl Iterator<Item = (String, String)> {
    let all = [
        "runtime/ir/src",
        "runtime/lang/src",
        "runtime/tiles/src",
        "runtime/interpreter/src",
        "runtime/simulator/src",
        "runtime/src",
    ]
    .into_iter()
    .flat_map(sources);
    let tests = |path: &str| {
        let file = path.rsplit('/').next().unwrap_or_default();
        path.contains("tests") || file.starts_with("random")
    };
    all.filter(move |(path, _)| !tests(path))
}

/// The lines of code of a source: without comments, and without tests at its end.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    lines.take_while(|(_, line)| *line != "#[cfg(test)]").filter(|(_, line)| !line.starts_with("//"))
}

#[test]
fn functions_of_the_library_that_check_fault_at_the_line_that_calls_them() {
    let folders = ["runtime/lang/src/types", "runtime/lang/src/device_api", "runtime/tiles/src"];
    let mut missing = Vec::new();
    for (path, text) in folders.into_iter().flat_map(sources).filter(|(path, _)| !path.contains("tests")) {
        let (mut attributes, mut tracked) = (String::new(), false);
        for (line, code) in code(&text) {
            if code.starts_with("#[") {
                attributes += code;
            } else if ["fn ", "pub fn ", "pub(crate) fn ", "pub unsafe fn "]
                .iter()
                .any(|start| code.starts_with(start))
            {
                tracked = std::mem::take(&mut attributes).contains("#[track_caller]");
            } else {
                attributes.clear();
            }
            let calls = ["debug_assert!(", "check_index(", "check_range("];
            let checks = calls.iter().any(|call| code.starts_with(call))
                && (code.ends_with('(') || code.ends_with(");"));
            if checks && !tracked {
                missing.push(format!("{path}:{line}"));
            }
        }
    }
    assert!(missing.is_empty(), "these functions need `#[track_caller]`: {missing:?}");
}

/// The files that ask for the text of a builtin's name, and what for.
const SHOWN: [(&str, &str); 6] = [
    ("runtime/interpreter/src/interpreter/lower/synchronisation.rs", "reports of barriers"),
    ("runtime/ir/src/ir/builtin.rs", "defines it"),
    ("runtime/ir/src/passes/coarsen/refusal.rs", "errors"),
    ("runtime/ir/src/validate/uniformity/mod.rs", "errors"),
    ("runtime/lang/src/device_api/registry.rs", "the registry"),
    ("runtime/lang/src/record/call.rs", "errors"),
];

#[test]
fn the_text_of_a_builtins_name_is_for_messages() {
    let asks =
        |text: &str| code(text).any(|(_, line)| line.contains("shown()") || line.contains("fn shown("));
    let found: BTreeSet<String> = runtime().filter(|(_, text)| asks(text)).map(|(path, _)| path).collect();
    let allowed: BTreeSet<String> = SHOWN.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(found, allowed);
}

/// The operators that compare text, beside a name of a builtin or of a synchronisation on the same line.
const COMPARES: [&str; 10] = [
    "==",
    "!=",
    "match ",
    "contains(",
    "starts_with(",
    "ends_with(",
    "to_string()",
    "find(",
    "eq(",
    "matches!(",
];

#[test]
fn no_builtin_is_known_by_its_name() {
    let names = ["op.name", "builtin.name", "which.name", "name.shown()", "entry.name()"];
    for (path, text) in runtime() {
        for (at, line) in code(&text) {
            let named = names.iter().any(|name| line.contains(name));
            let compared = COMPARES.iter().find(|part| line.contains(**part));
            assert!(!named || compared.is_none(), "{path}:{at} compares a builtin's name: {line}");
        }
    }
}

/// The string literals of a line.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}

/// The rooms that know builtins by their facts alone.
const BY_FACTS: [&str; 7] = [
    "runtime/ir/src/",
    "runtime/simulator/src/checks/",
    "runtime/simulator/src/metrics/",
    "runtime/interpreter/src/interpreter/",
    "runtime/src/launch/",
    "runtime/lang/src/record/",
    "runtime/src/report/",
];

/// Words that are names of builtins and stand there for something else.
const OTHER_WORDS: [(&str, &[&str]); 9] = [
    // A method of graphs in a message.
    ("runtime/src/launch/graph.rs", &["add"]),
    // Fields of images in CUDA, and what an image has in messages.
    ("runtime/ir/src/codegen/images.rs", &["width"]),
    ("runtime/ir/src/ir/image.rs", &["width", "height", "depth", "layers"]),
    // Functions that CUDA declares, whose names no variable may have.
    ("runtime/ir/src/codegen/names.rs", &["all", "any", "ballot", "j0", "j1", "y0", "y1"]),
    // Instructions of PTX.
    ("runtime/ir/src/codegen/vector.rs", &["add", "sub"]),
    // Columns of tables.
    ("runtime/simulator/src/metrics/profiler.rs", &["add"]),
    ("runtime/simulator/src/metrics/text.rs", &["add", "load", "store"]),
    // The operator `%` in a message.
    ("runtime/interpreter/src/interpreter/numeric.rs", &["remainder"]),
    // Adapters of iterators, which the recorder itself writes as loops.
    ("runtime/lang/src/record/reduce.rs", &["max", "min", "sum"]),
];

#[test]
fn rooms_that_know_facts_spell_no_builtin() {
    let builtins: BTreeSet<&str> = registry().map(|entry| entry.name()).collect();
    let other: BTreeMap<&str, &[&str]> = OTHER_WORDS.into_iter().collect();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in runtime().filter(|(path, _)| BY_FACTS.iter().any(|room| path.starts_with(room))) {
        for (_, line) in code(&text) {
            let spelled = literals(line).filter(|word| builtins.contains(word));
            let meant = other.get(path.as_str()).copied().unwrap_or_default();
            let wrong: Vec<&str> = spelled.filter(|word| !meant.contains(word)).collect();
            if !wrong.is_empty() {
                found.entry(path.clone()).or_default().extend(wrong.into_iter().map(str::to_owned));
            }
        }
    }
    assert!(found.is_empty(), "names of builtins where facts decide: {found:#?}");
}

/// How the limits are spelled, in which nothing else is.
const SPELLINGS: [&str; 9] = [
    "65_535, 65_535",
    "65535, 65535",
    "1024, 1024, 64",
    "2_147_483_647, 65",
    "48 * 1024",
    "48 << 10",
    "1 << 48",
    "32_764",
    "(1 << 31) - 1",
];

#[test]
fn limits_of_the_hardware_stand_in_one_table() {
    for (path, text) in runtime().filter(|(path, _)| path != "runtime/ir/src/limits.rs") {
        for (at, line) in code(&text) {
            let again = SPELLINGS.iter().find(|spelling| line.contains(**spelling));
            assert!(again.is_none(), "{path}:{at} says a limit again: {line}");
        }
    }
}

#[test]
fn the_macros_have_the_same_limits() {
    let text = fs::read_to_string(root().join("macros/expand/src/attr.rs")).expect("a source");
    for (name, limit) in [
        ("BLOCK_THREADS", limits::BLOCK_THREADS),
        ("CLUSTER_BLOCKS", limits::CLUSTER),
        ("REGISTERS", limits::REGISTERS),
    ] {
        assert!(text.contains(&format!("const {name}: u32 = {limit};")), "{name} is not {limit}");
    }
    assert!(text.contains(&format!("from 1 to {0}, at most {0} blocks in all", limits::CLUSTER)));
    assert!(text.contains(&format!("from 1 to {}\"", limits::REGISTERS)));
}

/// The names in a list of `spelled.rs`.
fn spelled(list: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("macros/expand/src/spelled.rs")).expect("a source");
    let start = text.find(&format!("const {list}: ")).unwrap_or_else(|| panic!("no list {list}"));
    let body = text[start..].split("= &[").nth(1).and_then(|rest| rest.split("];").next()).expect("a list");
    literals(body).map(str::to_owned).collect()
}

#[test]
fn the_macros_spell_the_builtins_that_the_registry_has() {
    let of = |wanted: &dyn Fn(&Facts) -> bool| -> BTreeSet<String> {
        let functions = registry().filter(|entry| !entry.is_method);
        functions.filter(|e| wanted(&e.builtin.facts)).map(|e| e.name().to_owned()).collect()
    };
    let by_axis = [
        Position::ThreadIndex,
        Position::BlockIndex,
        Position::BlockExtent,
        Position::GridExtent,
        Position::ClusterExtent,
        Position::ClusterBlockIndex,
        Position::ClusterIndex,
    ];
    let numbers = of(&|facts| facts.position.is_some_and(|position| !by_axis.contains(&position)));
    assert_eq!(spelled("NUMBERS"), numbers);
    assert_eq!(spelled("PLACES"), of(&|facts| facts.access(0) != ArgumentAccess::None));
}
