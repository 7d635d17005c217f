//! The language reference names everything: each builtin, method, option and message, read off the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use warpsmith::reference::CHAPTERS;

/// The files under a directory of this repository, with an extension.
fn files(directory: &str, extension: &str) -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let mut found = Vec::new();
    for entry in fs::read_dir(&path).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(path.to_str().expect("a path"), extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(path: impl AsRef<Path>) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The identifier that a text begins with.
fn identifier(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("")
}

/// The identifiers that stand in the chapters as code, outside the examples.
fn named() -> BTreeSet<&'static str> {
    let mut names = BTreeSet::new();
    for (_, text) in CHAPTERS {
        let prose = text.split("```").step_by(2);
        for code in prose.flat_map(|prose| prose.split('`').skip(1).step_by(2)) {
            names.extend(code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|n| !n.is_empty()));
        }
    }
    names
}

/// Fails with the names that no chapter has.
fn all_named<'a>(what: &str, names: impl IntoIterator<Item = &'a str>) {
    let known = named();
    let names: BTreeSet<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    assert!(!names.is_empty(), "no {what} is found in the sources");
    let missing: Vec<&&str> = names.iter().filter(|name| !known.contains(**name)).collect();
    assert!(missing.is_empty(), "the reference does not name these {what}: {missing:?}");
}

/// What a line of device code declares to its callers, if anything.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.strip_prefix("pub ")?;
    let rest = rest.strip_prefix("const ").unwrap_or(rest);
    let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
    let rest = ["fn ", "struct ", "trait "].iter().find_map(|keyword| rest.strip_prefix(keyword))?;
    Some(identifier(rest)).filter(|name| !name.ends_with("_in_kernels") && !name.starts_with("__"))
}

/// The declarations of a file that are documented for users.
fn declarations(source: &str) -> Vec<&str> {
    let mut hidden = false;
    let mut found = Vec::new();
    for line in source.lines().take_while(|line| !line.starts_with("#[cfg(test)]")) {
        if line.trim() == "#[doc(hidden)]" {
            hidden = true;
        } else if let Some(name) = declared(line) {
            if !hidden {
                found.push(name);
            }
            hidden = false;
        } else if line.trim().is_empty() || line.trim_end().ends_with([';', '}', '{']) {
            hidden = false;
        }
    }
    found
}

/// The names of a table in a macro's input: what stands before a mark.
fn before<'a>(source: &'a str, mark: &str) -> Vec<&'a str> {
    let word = |part: &'a str| part.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
    let parts: Vec<&str> = source.split(mark).collect();
    parts[..parts.len() - 1].iter().filter_map(|part| word(part)).collect()
}

#[test]
fn every_builtin_is_named() {
    let api = "runtime/src/device_api";
    let skip = ["methods", "math/mod.rs", "reference.rs", "tests", "exact.rs", "text.rs", "bessel.rs"];
    let paths: Vec<PathBuf> = files(api, "rs")
        .into_iter()
        .filter(|path| !skip.iter().any(|part| path.to_string_lossy().replace(api, "").contains(part)))
        .collect();
    assert!(paths.len() > 20, "{paths:?}");
    for path in paths {
        let source = fs::read_to_string(&path).expect("a file");
        let what = path.display().to_string();
        let mut names = declarations(&source);
        match path.file_stem().and_then(|stem| stem.to_str()) {
            Some("convert") => names.extend(before(&source, ": f32 =>").iter().chain(&before(&source, ": f64 =>"))),
            Some("packed") => names.extend(before(&source, " \"__")),
            Some("ordered") => names.extend(before(&source, " / ").iter().chain(&before(&source, " DEVICE;"))),
            Some("mod") if what.contains("rounding") => {
                ["Nearest", "Zero", "Up", "Down"]
                    .iter()
                    .for_each(|mode| names.extend(before(&source, &format!(": {mode},"))));
            }
            Some("mod") => continue,
            _ => {}
        }
        all_named(&what, names);
    }
}

#[test]
fn every_method_is_named() {
    for path in files("runtime/src/device_api/methods", "rs") {
        let source = fs::read_to_string(&path).expect("a file");
        let listed = source.split("device_methods! {").skip(1).flat_map(|list| {
            list.lines().take_while(|line| *line != "}").filter_map(|line| line.trim().strip_prefix("fn ")).map(identifier)
        });
        let hidden = before(&source, "_in_kernels");
        let names: Vec<&str> = listed.chain(hidden).filter(|name| *name != "fn").collect();
        if !names.is_empty() {
            all_named(&path.display().to_string(), names);
        }
    }
    for path in ["tile/mod.rs", "tile/stages.rs", "types/eighth.rs", "types/matrix.rs", "types/vector.rs", "types/view.rs", "global.rs"] {
        let source = read(Path::new("runtime/src").join(path));
        all_named(path, declarations(&source));
    }
}

#[test]
fn everything_in_the_prelude_is_named() {
    let library = read("runtime/src/lib.rs");
    let prelude = library.split("pub mod prelude {").nth(1).expect("a prelude");
    let words = prelude.split(|c: char| !c.is_alphanumeric() && c != '_');
    let paths = ["pub", "use", "crate", "core", "types", "driver", "warpsmith_macros", "device_api"];
    let modules = before(prelude, "::");
    let host = ["Buffer", "Device", "Kernel", "MemSyncDomain"];
    let names = words.filter(|word| !paths.contains(word) && !modules.contains(word) && !host.contains(word));
    all_named("items of the prelude", names);
    let vectors = read("runtime/src/types/vector.rs");
    let list = vectors.split("\nvectors! {").nth(1).and_then(|rest| rest.split('}').next()).expect("vectors");
    all_named("vectors", list.split_whitespace().filter(|word| word.starts_with(char::is_uppercase) && word.contains('x')));
}

#[test]
fn every_option_of_a_kernel_is_named() {
    let source = read("macros/src/attr.rs");
    let options = source.split("match (name.as_str(), item) {").nth(1).and_then(|rest| rest.split("_ =>").next());
    let names: Vec<&str> = options.expect("options").split("(\"").skip(1).map(identifier).collect();
    all_named("options", names);
    let operators = read("macros/src/expand/foreign.rs");
    let traits = operators.split("const TRAITS").nth(1).and_then(|rest| rest.split("];").next()).expect("traits");
    let assigning = |name: &&str| !name.ends_with("Assign");
    all_named("operators", traits.split("(\"").skip(1).map(identifier).filter(assigning));
}

/// The text of a chapter as it is read, without the marks that a table asks for.
fn plain(text: &str) -> String {
    text.replace("<code>", "`").replace("</code>", "`").replace("&#124;", "|")
}

#[test]
fn every_message_of_the_macros_is_listed() {
    let (_, refused) = CHAPTERS.iter().find(|(name, _)| *name == "refused").expect("the chapter");
    let refused = plain(refused);
    let messages: BTreeSet<String> = files("tests/ui/fail", "stderr")
        .iter()
        .flat_map(|path| {
            let text = fs::read_to_string(path).expect("a file");
            text.lines().filter_map(|line| line.strip_prefix("error: ").map(str::to_owned)).collect::<Vec<_>>()
        })
        .filter(|message| !message.starts_with("aborting due to"))
        .collect();
    assert!(messages.len() > 40);
    let missing: Vec<&String> = messages.iter().filter(|message| !refused.contains(*message)).collect();
    assert!(missing.is_empty(), "the reference does not list these messages: {missing:#?}");
    let rows = refused.split("## By the macro").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("tables");
    for row in rows.lines().filter(|line| line.starts_with("| ") && !line.contains("you write")) {
        assert!(messages.iter().any(|message| row.contains(message)), "no test gives the message of {row}");
    }
}

#[test]
fn chapters_are_short_and_linked() {
    let readme = read("README.md");
    for (name, text) in CHAPTERS {
        assert!(text.lines().count() < 500, "{name} is too long to read");
        assert!(readme.contains(&format!("runtime/src/reference/{name}.md")), "the README does not link {name}");
    }
}
