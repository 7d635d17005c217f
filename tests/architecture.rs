//! `ARCHITECTURE.md` is true: who depends on whom, where things are, and which tests hold the invariants.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use harness::documents::{missing_test, quoted, read, root};

#[path = "architecture/circles.rs"]
mod circles;
#[path = "architecture/light.rs"]
mod light;

const PAGE: &str = include_str!("../ARCHITECTURE.md");

/// A section of the page.
fn section(title: &str) -> &'static str {
    let start = PAGE.find(&format!("\n## {title}\n")).unwrap_or_else(|| panic!("no section {title}"));
    let rest = &PAGE[start + 4..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}

/// The lines of the blocks of text in a section.
fn blocks(title: &str) -> Vec<Vec<&'static str>> {
    let fenced = section(title).split("```text\n").skip(1);
    fenced.map(|block| block.split("```").next().unwrap_or_default().lines().collect()).collect()
}

/// The cells of the rows of a section's table, but for its head.
fn table(title: &str) -> Vec<Vec<&'static str>> {
    let rows = section(title).lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// Every Rust file below a folder, by its path from there.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap_or_else(|e| panic!("{}: {e}", next.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path.strip_prefix(folder).expect("it is below").to_owned());
            }
        }
    }
    found.sort();
    found
}

/// The code of a source without comments, without the tests behind it, and without imports for documentation, line by line.
fn code(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut documents = false;
    let all: Vec<&str> = text.lines().collect();
    for (number, line) in all.iter().enumerate() {
        let item = || all[number..].iter().find(|line| !line.starts_with("#["));
        match line.trim_start() {
            "#[cfg(test)]" if item().is_some_and(|item| item.starts_with("mod ") && item.ends_with('{')) => {
                break;
            }
            "#[cfg(doc)]" => documents = true,
            comment if comment.starts_with("//") => {}
            _ if documents => documents = !line.ends_with(';'),
            _ => lines.push((number + 1, *line)),
        }
    }
    lines
}

#[test]
fn crates_depend_downwards() {
    let mut above = BTreeSet::new();
    for cells in table("The crates") {
        let (name, folder, may) = (quoted(cells[0])[0], quoted(cells[1])[0], quoted(cells[2]));
        for used in &may {
            assert!(above.contains(used), "{name} may use {used}, which stands below it in the table");
        }
        let manifest = read(Path::new(folder).join("Cargo.toml"));
        // The examples of a crate's documentation may use the library above it.
        let used = manifest.split("[dev-dependencies]").next().unwrap_or_default();
        let dependencies = used.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        let own: BTreeSet<&str> = dependencies.filter(|of| of.starts_with("warpsmith")).collect();
        assert_eq!(own, may.into_iter().collect(), "the dependencies of {name}");
        above.insert(name);
    }
    let members = read("Cargo.toml");
    let crates =
        members.lines().filter(|line| line.starts_with("warpsmith") && line.contains("path = ")).count();
    assert_eq!(above.len(), crates, "the table has every crate that the others may use");
}

#[test]
fn cudarc_is_named_where_the_driver_is() {
    let allowed = ["driver/", "error/driver.rs"];
    let folder = root().join("runtime/src");
    for path in sources(&folder) {
        let place = path.to_string_lossy().into_owned();
        if allowed.iter().any(|part| place.starts_with(part)) {
            continue;
        }
        let text = read(folder.join(&path));
        let named = code(&text).into_iter().find(|(_, line)| line.contains("cudarc::"));
        assert!(named.is_none(), "runtime/src/{place}: {named:?}");
    }
    for below in [
        "runtime/ir",
        "runtime/env",
        "runtime/lang",
        "runtime/tiles",
        "runtime/interpreter",
        "runtime/simulator",
    ] {
        assert!(!read(Path::new(below).join("Cargo.toml")).contains("cudarc"), "{below}");
    }
}

/// The room of a file.
fn room(path: &Path) -> String {
    let first = path.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
    first.unwrap_or_default().trim_end_matches(".rs").to_owned()
}

/// The room of each name at the root of a crate.
fn exported(folder: &str) -> BTreeMap<String, String> {
    let library = read(Path::new(folder).join("src/lib.rs"));
    let mut names = BTreeMap::from([("__macro".to_owned(), "macro_support".to_owned())]);
    for item in library.split("pub use ").skip(1) {
        let item = item.split(';').next().unwrap_or_default();
        if let Some((module, list)) = item.split_once("::") {
            let words =
                list.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
            names.extend(words.map(|word| (word.to_owned(), module.to_owned())));
        }
    }
    names
}

/// The paths of a line that begin at the root of its crate.
fn paths(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for rest in line.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(list) => found.extend(list.split('}').next().unwrap_or(list).split(',').map(str::trim)),
            None => found.push(rest),
        }
    }
    found
}

/// The arrows between the rooms of a crate, each with the first line that has it.
fn arrows(of: &str, rooms: &[&str]) -> BTreeMap<(String, String), String> {
    let folder = root().join(of).join("src");
    let exported = exported(of);
    let mut found = BTreeMap::new();
    for path in sources(&folder) {
        let (from, place) = (room(&path), path.to_string_lossy().into_owned());
        if !rooms.contains(&from.as_str()) || place.contains("test") && place != "testing.rs" {
            continue;
        }
        let text = read(folder.join(&path));
        for (number, line) in code(&text) {
            for name in paths(line) {
                let word = name.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                let to = rooms.contains(&word).then_some(word);
                let to = to.or_else(|| exported.get(word).map(String::as_str));
                if let Some(to) = to.filter(|to| rooms.contains(to) && *to != from) {
                    let at = format!("{of}/src/{place}:{number}: {}", line.trim());
                    found.entry((from.clone(), to.to_owned())).or_insert(at);
                }
            }
        }
    }
    found
}

/// The rooms of each crate, low to high, by its folder.
fn floors() -> Vec<(&'static str, Vec<&'static str>)> {
    let rows = table("The rooms").into_iter();
    rows.map(|cells| (quoted(cells[0])[0], cells[1].split_whitespace().collect())).collect()
}

#[test]
fn rooms_import_downwards() {
    let mut up = BTreeMap::new();
    for (folder, rooms) in floors() {
        let entries = sources(&root().join(folder).join("src"));
        let all: BTreeSet<String> = entries.iter().map(|path| room(path)).collect();
        let besides = ["bin", "lib", "module_tests"].map(str::to_owned);
        let listed = rooms.iter().map(|room| (*room).to_owned()).chain(besides).collect();
        assert!(all.is_subset(&listed), "rooms of {folder} that are not listed: {:?}", &all - &listed);
        let missing = rooms.iter().find(|room| !all.contains(**room));
        assert!(missing.is_none(), "{folder} has no room {missing:?}");
        let floor = |room: &str| rooms.iter().position(|known| *known == room);
        for ((from, to), at) in arrows(folder, &rooms) {
            if floor(&to) > floor(&from) {
                up.insert(format!("{folder}: {from} -> {to}"), at);
            }
        }
    }
    assert!(up.is_empty(), "arrows that run up: {up:#?}");
}

#[test]
fn every_path_of_the_map_is_there() {
    let mut folder = PathBuf::new();
    let mut seen = BTreeSet::new();
    for line in blocks("Code map").concat() {
        let indent = line.len() - line.trim_start().len();
        let name = line.split_whitespace().next().unwrap_or_default();
        match indent {
            0 => folder = PathBuf::from(name),
            2 => {}
            _ => continue,
        }
        let path = if indent == 0 { folder.clone() } else { folder.join(name) };
        assert!(root().join(&path).exists(), "{} is not there", path.display());
        assert!(seen.insert(path.clone()), "{} stands twice", path.display());
    }
    assert!(seen.len() > 50, "{}", seen.len());
    // Every room is in the map.
    let map = blocks("Code map").concat().join("\n");
    for (folder, rooms) in floors() {
        let start = map.find(&format!("{folder}/src/")).unwrap_or_else(|| panic!("the map has no {folder}"));
        let part = &map[start..];
        let part = &part[..part
            .match_indices('\n')
            .find(|(at, _)| !part[at + 1..].starts_with(' '))
            .map_or(part.len(), |(at, _)| at)];
        for room in rooms {
            let named = part.contains(&format!("\n  {room}/")) || part.contains(&format!("\n  {room}.rs"));
            assert!(named, "the map does not name {room} of {folder}");
        }
    }
}

#[test]
fn paths_in_the_text_are_there() {
    let folders = ["runtime/", "macros/", "tests/", "docs/", "fuzz/", "snapshots/", "benches/", "examples/"];
    // Between marks of code stands every second part.
    let prose = PAGE.split("```").step_by(2).collect::<String>();
    let named = prose
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|code| folders.iter().any(|folder| code.starts_with(folder)));
    let named: Vec<&str> = named.collect();
    assert!(named.len() > 20, "{named:?}");
    for path in named {
        let path = path.split("::").next().unwrap_or(path);
        // Tests are named by their places below `tests/`.
        let there = ["", "tests/"].iter().any(|folder| root().join(format!("{folder}{path}")).exists());
        assert!(there || missing_test(path).is_none(), "{path} is not there");
    }
}

#[test]
fn what_holds_the_invariants_is_there() {
    for cells in table("Invariants") {
        let held = quoted(cells[1]);
        assert!(!held.is_empty(), "nothing holds `{}`", cells[0]);
        let missing: Vec<String> = held.into_iter().filter_map(missing_test).collect();
        assert!(missing.is_empty(), "`{}`: {missing:?}", cells[0]);
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "benches/FIGURES.md"];
    for page in pages.map(Path::new) {
        let text = read(page);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.starts_with("http") && !link.starts_with('#')) {
            let file = link.split('#').next().unwrap_or_default();
            let target = root().join(page.parent().unwrap_or(Path::new(""))).join(file);
            assert!(target.exists(), "{} links {link}", page.display());
        }
    }
}
