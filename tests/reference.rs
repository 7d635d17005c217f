//! The language reference names everything: each builtin and method, read off the registry; each option and message, read
//! off the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use warpsmith::device_api::registry;
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

/// Fails with the names that no chapter has; each list of names is what one source declares.
fn all_named<'a>(lists: impl IntoIterator<Item = (String, Vec<&'a str>)>) {
    let known = named();
    let mut missing = Vec::new();
    for (what, names) in lists {
        assert!(!names.is_empty(), "no names are found in {what}");
        let unknown = names.iter().filter(|name| !name.is_empty() && !known.contains(**name));
        missing.extend(unknown.map(|name| format!("{name} of {what}")));
    }
    assert!(missing.is_empty(), "the reference does not name {missing:#?}");
}

/// The name that a line of device code declares to its callers, if any.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.strip_prefix("pub ")?;
    let rest = rest.strip_prefix("const ").unwrap_or(rest);
    let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
    let rest = ["fn ", "struct ", "trait "].iter().find_map(|keyword| rest.strip_prefix(keyword))?;
    Some(identifier(rest)).filter(|name| {
        !name.ends_with("_in_kernels") && !name.starts_with("__") && *name != "called_in_a_kernel"
    })
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

/// Files beside the builtins that declare none for users.
const NOT_BUILTINS: [&str; 11] = [
    "device_api/mod.rs",
    "device_api/registry",
    "device_api/methods/",
    "device_api/size.rs",
    "device_api/texture.rs",
    "text.rs",
    "math/mod.rs",
    "math/bessel.rs",
    "math/reference.rs",
    "rounding/exact.rs",
    "/tests.rs",
];

/// The sources of files, by their names.
fn sources(paths: impl IntoIterator<Item = PathBuf>) -> Vec<(String, String)> {
    paths.into_iter().map(|path| (path.display().to_string(), read(path))).collect()
}

/// The other declarations in the sources of builtins: types, traits, and functions written in the language itself.
fn declared_beside_builtins() -> Vec<(String, Vec<String>)> {
    let declares = |path: &PathBuf| !NOT_BUILTINS.iter().any(|part| path.to_string_lossy().contains(part));
    let sources = sources(files("runtime/lang/src/device_api", "rs").into_iter().filter(declares));
    assert!(sources.len() > 20, "{}", sources.len());
    let of = |(path, source): (String, String)| {
        let outside: String =
            source.lines().filter(|line| !line.starts_with(' ')).map(|l| format!("{l}\n")).collect();
        (path, declarations(&outside).into_iter().map(str::to_owned).collect())
    };
    sources.into_iter().map(of).collect()
}

/// The functions of the prelude: builtins, and those written in the language itself.
fn functions() -> BTreeSet<String> {
    let builtins = registry().filter(|entry| !entry.is_method).map(|entry| entry.name().to_owned());
    let others = declared_beside_builtins().into_iter().flat_map(|(_, names)| names);
    builtins.chain(others.filter(|name| name.starts_with(char::is_lowercase))).collect()
}

#[test]
fn every_builtin_is_named() {
    let builtins: Vec<&str> = registry().map(|entry| entry.name()).collect();
    assert!(builtins.len() > 450, "{}", builtins.len());
    all_named([("the registry".to_owned(), builtins)]);
    let others = declared_beside_builtins();
    let lists = others.iter().map(|(path, names)| (path.clone(), names.iter().map(String::as_str).collect()));
    all_named(lists.filter(|(_, names): &(String, Vec<&str>)| !names.is_empty()));
}

#[test]
fn the_macros_know_every_function_of_the_prelude() {
    let text: String = functions().iter().map(|name| format!("{name}\n")).collect();
    let path = "macros/expand/src/builtin_names.txt";
    assert!(read(path) == text, "{path} should be\n{text}");
}

/// The types and traits of the prelude: those that it lists, and those that its globs may bring.
fn types() -> BTreeSet<String> {
    let listed = ["runtime/src/lib.rs", "runtime/tiles/src/lib.rs", "runtime/lang/src/lib.rs"].map(|path| {
        let source = read(path);
        let prelude = source.split("pub mod prelude {").nth(1).expect("a prelude");
        prelude.split("\n}").next().unwrap_or("").replace(" as _", "_")
    });
    let words = listed.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let vectors = read("runtime/lang/src/types/vector.rs");
    let others = declared_beside_builtins().into_iter().flat_map(|(_, names)| names);
    let names = words.chain(declarations(&vectors)).map(str::to_owned).chain(others);
    names
        .filter(|name| name.starts_with(char::is_uppercase) && !name.ends_with('_') && name != "Layout")
        .collect()
}

/// But for `Layout`, which `#[gpu_trait]` makes: users implement it, also inside of functions.
#[test]
fn the_macros_know_every_type_of_the_prelude() {
    let text: String = types().iter().map(|name| format!("{name}\n")).collect();
    let path = "macros/expand/src/prelude_types.txt";
    assert!(read(path) == text, "{path} should be\n{text}");
}

/// Methods that are no builtins: hidden methods stand for them. Names that begin with `__` are called by macros only.
#[test]
fn every_method_is_named() {
    let sources = sources(files("runtime/lang/src/device_api/methods", "rs"));
    let written = |source| before(source, "_in_kernels").into_iter().filter(|name| !name.starts_with("__"));
    let lists = sources.iter().map(|(path, source)| (path.clone(), written(source).collect::<Vec<_>>()));
    let lists: Vec<_> = lists.filter(|(_, names)| !names.is_empty()).collect();
    assert!(lists.len() >= 5, "float, len, option, range, slices");
    all_named(lists);
}

#[test]
fn every_type_with_methods_is_named() {
    let paths = [
        "lang/src/texels/sampler.rs",
        "lang/src/image/surface.rs",
        "lang/src/image/texture.rs",
        "tiles/src/tile/mod.rs",
        "tiles/src/tile/stages.rs",
        "tiles/src/tensor/accumulator.rs",
        "tiles/src/tensor/element.rs",
        "tiles/src/tensor/operand.rs",
        "tiles/src/eighth.rs",
        "lang/src/types/matrix.rs",
        "lang/src/types/vector.rs",
        "lang/src/types/view.rs",
        "src/memory/image/mod.rs",
    ];
    let sources = sources(paths.map(|path| Path::new("runtime").join(path)));
    all_named(sources.iter().map(|(path, source)| (path.clone(), declarations(source))));
    let vectors = read("runtime/lang/src/types/vector.rs");
    let list = vectors.split("\nvectors! {").nth(1).and_then(|rest| rest.split('}').next()).expect("vectors");
    let vector = |word: &&str| word.starts_with(char::is_uppercase) && word.contains('x');
    all_named([("vectors".to_owned(), list.split_whitespace().filter(vector).collect())]);
}

#[test]
fn everything_in_the_prelude_is_named() {
    let host = ["Buffer", "Device", "Event", "Kernel", "KernelDefinition", "MemSyncDomain", "Stream"];
    let paths = [
        "pub",
        "use",
        "crate",
        "core",
        "types",
        "driver",
        "warpsmith_lang",
        "warpsmith_tiles",
        "warpsmith_macros",
        "device_api",
    ];
    for library in ["runtime/src/lib.rs", "runtime/tiles/src/lib.rs", "runtime/lang/src/lib.rs"] {
        let library = read(library);
        let prelude = library.split("pub mod prelude {").nth(1).expect("a prelude");
        let modules = before(prelude, "::");
        let words = prelude.split(|c: char| !c.is_alphanumeric() && c != '_');
        let item = |word: &&str| !paths.contains(word) && !modules.contains(word) && !host.contains(word);
        all_named([("the prelude".to_owned(), words.filter(item).collect())]);
    }
}

#[test]
fn every_option_of_a_kernel_is_named() {
    let source = read("macros/expand/src/attr.rs");
    let options =
        source.split("match (name.as_str(), item) {").nth(1).and_then(|rest| rest.split("_ =>").next());
    let options = options.expect("options").split("(\"").skip(1).map(identifier).collect();
    let source = read("macros/expand/src/foreign.rs");
    let traits =
        source.split("const TRAITS").nth(1).and_then(|rest| rest.split("];").next()).expect("traits");
    let assigning = |name: &&str| !name.ends_with("Assign");
    let traits = traits.split("(\"").skip(1).map(identifier).filter(assigning).collect();
    all_named([("options".to_owned(), options), ("operators".to_owned(), traits)]);
}

/// The text of a chapter as it is read, without the marks that a table asks for.
fn plain(text: &str) -> String {
    let escaped = [
        ("<code>", "`"),
        ("</code>", "`"),
        ("&#124;", "|"),
        ("&#91;", "["),
        ("&#93;", "]"),
        ("&lt;", "<"),
        ("&gt;", ">"),
    ];
    escaped.iter().fold(text.to_owned(), |text, (escaped, plain)| text.replace(escaped, plain))
}

#[test]
fn every_message_of_the_macros_is_listed() {
    let (_, refused) = CHAPTERS.iter().find(|(name, _)| *name == "refused").expect("the chapter");
    let refused = plain(refused);
    let messages: BTreeSet<String> = files("tests/ui/fail", "stderr")
        .iter()
        .flat_map(|path| {
            let text = fs::read_to_string(path).expect("a file");
            text.lines()
                .filter_map(|line| line.strip_prefix("error: ").map(str::to_owned))
                .collect::<Vec<_>>()
        })
        .filter(|message| !message.starts_with("aborting due to"))
        .collect();
    assert!(messages.len() > 40);
    let missing: Vec<&String> = messages.iter().filter(|message| !refused.contains(*message)).collect();
    assert!(missing.is_empty(), "the reference does not list these messages: {missing:#?}");
    let rows =
        refused.split("## By the macro").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("tables");
    for row in rows.lines().filter(|line| line.starts_with("| ") && !line.contains("you write")) {
        assert!(messages.iter().any(|message| row.contains(message)), "no test gives the message of {row}");
    }
}

#[test]
fn chapters_are_short_and_linked() {
    let index = read("docs/reference/index.md");
    for (name, text) in CHAPTERS {
        assert!(text.lines().count() < 500, "{name} is too long to read");
        assert!(index.contains(&format!("]({name}.md)")), "docs/reference/index.md does not link {name}");
    }
}
