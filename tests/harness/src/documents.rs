//! The words of documents, and the files and tests of the workspace that they name.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a file, by its path from the root.
///
/// # Panics
/// If it cannot be read.
pub fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The texts between backticks.
pub fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The reason why a test that a document names is missing: `file.rs::function`, with the file's path from the root or from
/// `tests/`. Without a function, the file or folder itself is meant.
pub fn missing_test(name: &str) -> Option<String> {
    let (file, function) = name.split_once("::").unwrap_or((name, ""));
    let path = [root().join(file), root().join("tests").join(file)].into_iter().find(|path| path.exists());
    let Some(path) = path else { return Some(format!("no file of `{name}`")) };
    let is_test = || {
        read(&path).split("#[test]").skip(1).any(|after| {
            let head = after.lines().find(|line| line.contains("fn ")).unwrap_or_default();
            head.contains(&format!("fn {function}("))
        })
    };
    (!function.is_empty() && !is_test()).then(|| format!("no test `{name}`"))
}
