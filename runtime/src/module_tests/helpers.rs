//! The helpers that printed CUDA calls: those of the printer, and those of the builtins.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The name that a line of CUDA defines.
fn defined(line: &str) -> Option<&str> {
    let head = &line[..line.find('(')?];
    let name = head.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (line.contains("__device__") && name.starts_with("ws_")).then_some(name)
}

/// Functions of one name and other parameters would be overloads, and a call of one could find the other.
#[test]
fn a_helper_is_defined_in_one_file() {
    let mut files = Vec::new();
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR"));
    ["src", "ir/src", "lang/src", "tiles/src"]
        .into_iter()
        .for_each(|folder| sources(&runtime.join(folder), &mut files));
    let mut owners: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for file in files {
        let source = std::fs::read_to_string(&file).expect("a source");
        for name in source.lines().filter_map(defined) {
            owners.entry(name.to_owned()).or_default().insert(file.clone());
        }
    }
    assert!(owners.len() > 100, "only {} helpers are found", owners.len());
    owners.retain(|_, of| of.len() > 1);
    assert!(owners.is_empty(), "defined twice: {owners:#?}");
}
