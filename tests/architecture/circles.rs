//! The files of a crate that import each other in a circle.
//!
//! Reads `use` lines and paths, and follows names that a module exports again to the file that defines them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use harness::documents::{quoted, read, root};

use super::{code, room, sources, table};

/// Files of a circle that need no reason: what few files in one place do together, a reader sees at once.
const FEW: usize = 7;

type Module = Vec<String>;

/// A file, by what it says of others.
struct File {
    place: String,
    /// Paths, each with whether it stands in a module inside the file.
    paths: Vec<(String, bool)>,
    /// Names that it exports again, with their paths.
    exports: BTreeMap<String, String>,
}

struct Files(BTreeMap<Module, File>);

fn module(path: &Path) -> Module {
    let parts = path.with_extension("");
    let mut module: Module = parts.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib") {
        module.pop();
    }
    module
}

/// The paths of a tree of imports, each with the name that it brings.
fn leaves(tree: &str) -> Vec<(String, String)> {
    let Some((prefix, rest)) = tree.split_once('{') else {
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, tree));
        let name = name.rsplit("::").next().unwrap_or(name);
        return vec![(path.trim().to_owned(), name.trim().to_owned())];
    };
    let rest = rest.trim_end().strip_suffix('}').unwrap_or(rest);
    let (mut depth, mut items, mut item) = (0, Vec::new(), String::new());
    for c in rest.chars().chain([',']) {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            items.push(std::mem::take(&mut item));
        } else {
            item.push(c);
        }
    }
    let inner = items.iter().map(|item| item.trim()).filter(|item| !item.is_empty());
    let whole = prefix.trim().trim_end_matches("::");
    inner
        .flat_map(leaves)
        .map(|(path, name)| match path.as_str() {
            "self" => (whole.to_owned(), whole.rsplit("::").next().unwrap_or(whole).to_owned()),
            _ => (format!("{}{path}", prefix.trim()), name),
        })
        .collect()
}

impl File {
    fn new(place: String, text: &str) -> Self {
        let mut file = File { place, paths: Vec::new(), exports: BTreeMap::new() };
        let (mut inner, mut open): (bool, Option<(bool, String)>) = (false, None);
        for (_, line) in code(text) {
            let item =
                line.trim_start_matches("pub").trim_start_matches("(crate)").trim_start_matches("(super)");
            inner |= item.trim_start().starts_with("mod ") && item.ends_with('{');
            inner &= line != "}";
            let statement = line.trim_start();
            if open.is_none()
                && let Some((visibility, tree)) = statement.split_once("use ")
                && (visibility.is_empty() || visibility.starts_with("pub"))
            {
                open = Some((!visibility.is_empty(), tree.to_owned()));
            } else if let Some((_, tree)) = &mut open {
                tree.push(' ');
                tree.push_str(statement);
            } else {
                let words = line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
                let paths = words.map(|word| word.trim_matches(':')).filter(|word| word.contains("::"));
                file.paths.extend(paths.map(|path| (path.to_owned(), inner)));
            }
            if open.as_ref().is_some_and(|(_, tree)| tree.contains(';')) {
                let (exported, tree) = open.take().unwrap_or_default();
                for (path, name) in leaves(tree.split(';').next().unwrap_or(&tree)) {
                    match exported {
                        true => _ = file.exports.insert(name, path),
                        false => file.paths.push((path, inner)),
                    }
                }
            }
        }
        file
    }
}

impl Files {
    fn of(folder: &str) -> Self {
        let folder = root().join(folder).join("src");
        let all = sources(&folder).into_iter();
        let own = all.filter(|path| {
            let place = path.to_string_lossy();
            !place.starts_with("bin/") && (!place.contains("test") || place == "testing.rs")
        });
        Self(
            own.map(|path| {
                let place = path.to_string_lossy().into_owned();
                (module(&path), File::new(place, &read(folder.join(&path))))
            })
            .collect(),
        )
    }

    /// The file that a path leads to, as a module says it.
    fn resolve(&self, from: &[String], path: &str, depth: usize) -> Option<Module> {
        let (mut at, mut parts) = (from.to_vec(), path.split("::").peekable());
        match *parts.peek()? {
            "crate" => at.clear(),
            "self" | "super" => {}
            first => {
                let inner = [from, &[first.to_owned()]].concat();
                let own = self.0.get(from).is_some_and(|file| file.exports.contains_key(first));
                if !own && !self.0.contains_key(&inner) {
                    return None;
                }
            }
        }
        while let Some(part) = parts.next() {
            match part {
                "crate" | "self" => continue,
                "super" => {
                    at.pop();
                    continue;
                }
                _ => {}
            }
            at.push(part.to_owned());
            if self.0.contains_key(&at) {
                continue;
            }
            at.pop();
            let exported = self.0.get(&at).and_then(|file| file.exports.get(part));
            return match exported.filter(|_| depth < 8) {
                Some(path) => {
                    let whole = [path.as_str()].into_iter().chain(parts).collect::<Vec<_>>().join("::");
                    self.resolve(&at, &whole, depth + 1)
                }
                None => self.0.contains_key(&at).then_some(at),
            };
        }
        self.0.contains_key(&at).then_some(at)
    }

    /// The files that a file imports.
    fn imports(&self, of: &Module) -> BTreeSet<Module> {
        let paths = self.0[of].paths.iter().filter_map(|(path, inner)| {
            // Inside a module of the file, the file is what is above.
            let path = if *inner { path.replacen("super::", "self::", 1) } else { path.clone() };
            self.resolve(of, &path, 0)
        });
        paths.filter(|to| to != of && !to.is_empty()).collect()
    }

    /// Files that reach each other, as their places.
    fn circles(&self) -> BTreeSet<BTreeSet<String>> {
        let imports: BTreeMap<&Module, BTreeSet<Module>> =
            self.0.keys().map(|module| (module, self.imports(module))).collect();
        let reach = |from: &Module| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
            while let Some(next) = open.pop() {
                open.extend(imports[&next].iter().filter(|to| seen.insert((*to).clone())).cloned());
            }
            seen
        };
        let reached: BTreeMap<&Module, BTreeSet<Module>> =
            self.0.keys().map(|module| (module, reach(module))).collect();
        let place = |module: &Module| self.0[module].place.clone();
        let together = |module: &Module| {
            let others = reached[module].iter().filter(|other| reached[other].contains(module));
            others.map(place).collect::<BTreeSet<String>>()
        };
        self.0.keys().map(together).filter(|circle| circle.len() > 1).collect()
    }
}

#[test]
fn circles_of_files_are_small_or_have_a_reason() {
    let mut allowed: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for cells in table("Circles of files") {
        let most = cells[1].parse().unwrap_or_else(|_| panic!("{} is no number", cells[1]));
        let (folder, room) = quoted(cells[0])[0].split_once("/src/").expect("a room of a crate");
        allowed.insert((folder, room.trim_end_matches('/')), most);
    }
    let has_rooms: BTreeSet<&str> = table("The rooms").iter().map(|cells| quoted(cells[0])[0]).collect();
    let (mut seen, mut count) = (BTreeSet::new(), 0);
    for cells in table("The crates") {
        let folder = quoted(cells[1])[0];
        for circle in Files::of(folder).circles() {
            count += 1;
            // A crate without a row in the table of rooms is one room.
            let rooms: BTreeSet<String> = match has_rooms.contains(folder) {
                true => circle.iter().map(|place| room(Path::new(place))).collect(),
                false => BTreeSet::from([String::new()]),
            };
            let one = rooms.first().map_or("", String::as_str);
            assert_eq!(rooms.len(), 1, "a circle of {folder} through several rooms: {circle:#?}");
            if circle.len() <= FEW {
                continue;
            }
            let most = allowed.get(&(folder, one)).copied().unwrap_or(FEW);
            assert!(
                circle.len() <= most,
                "a circle of {} files in {folder}, {most} may be: {circle:#?}",
                circle.len()
            );
            seen.insert((folder, one.to_owned()));
        }
    }
    assert!(count > 10, "hardly a circle was found, so few paths were read: {count}");
    let stale = allowed.keys().find(|(folder, room)| !seen.contains(&(*folder, (*room).to_owned())));
    assert!(stale.is_none(), "there is no such circle any more: {stale:?}");
}

#[test]
fn imports_lead_to_the_files_that_define_what_they_name() {
    let tree = "super::{self, a::{B, c as d}, e::*}";
    let paths: Vec<String> = leaves(tree).into_iter().map(|(path, name)| format!("{path} {name}")).collect();
    assert_eq!(paths, ["super super", "super::a::B B", "super::a::c d", "super::e::* *"]);
    let files = Files::of("runtime/ir");
    let module = |parts: &str| parts.split('/').map(str::to_owned).collect::<Module>();
    let lead = |from: &str, path: &str| files.resolve(&module(from), path, 0);
    assert_eq!(lead("codegen/expr", "super::Printer"), Some(module("codegen")));
    assert_eq!(lead("codegen/expr", "crate::ir::ExprKind::Var"), Some(module("ir/expr")));
    assert_eq!(lead("codegen/expr", "super::slice::is_slice"), Some(module("codegen/slice")));
    assert_eq!(lead("codegen/expr", "std::mem::take"), None);
    assert!(files.imports(&module("ir/expr")).contains(&module("ir/stmt")));
}
