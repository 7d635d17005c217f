//! The Rust of a kernel and its functions, each line with the CUDA that it became.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::ir::{Function, Module, visit};

/// Functions line by line, the kernel first, and the CUDA that belongs to no line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    pub functions: Vec<ListedFunction>,
    /// The lines before the first function.
    pub prelude: Vec<String>,
}

/// One function.
#[derive(Clone, Debug)]
pub(crate) struct ListedFunction {
    pub name: String,
    pub file: &'static str,
    pub lines: Vec<SourceLine>,
}

/// A line of a function.
#[derive(Clone, Debug)]
pub(crate) struct SourceLine {
    pub number: u32,
    /// `None` where the source cannot be read.
    pub rust: Option<String>,
    pub cuda: Vec<String>,
}

/// CUDA by the file and line that it came from.
type ByLine = BTreeMap<(String, u32), Vec<String>>;

/// Lines of a function that are shown at most.
const LONGEST: usize = 2000;

impl Listing {
    /// Lays the CUDA, printed with `#line`, beside the Rust, as far as that is found.
    pub fn new(module: &Module, cuda: &str) -> Self {
        let (mut by_line, prelude) = by_line(module, cuda);
        let kernels = module.kernels().map(|(function, _)| function);
        let mut functions: Vec<ListedFunction> = Vec::new();
        for function in kernels.chain(&module.functions) {
            let seen = |part: &ListedFunction| {
                part.file == function.at.file && part.lines[0].number == function.at.line
            };
            // A generic function is there once for each instance; its lines are shown once, with all its CUDA.
            if !functions.iter().any(seen) {
                functions.push(ListedFunction::new(function, &mut by_line));
            }
        }
        Self { functions, prelude }
    }
}

impl ListedFunction {
    fn new(function: &Function, by_line: &mut ByLine) -> Self {
        let file = function.at.file;
        let text = read(file);
        let first = function.at.line;
        let mut last = first;
        visit::stmts(&function.body, &mut |stmt| {
            if stmt.at.file == file && (first..first + LONGEST as u32).contains(&stmt.at.line) {
                last = last.max(stmt.at.line);
            }
        });
        let body = text.as_deref().map(|text| body(text, first));
        let count = body.as_ref().map_or((last - first + 1) as usize, Vec::len);
        let lines = (0..count).map(|i| {
            let number = first + i as u32;
            let rust = body.as_ref().and_then(|body| body.get(i)).cloned();
            let cuda = by_line.remove(&(file.replace('\\', "/"), number)).unwrap_or_default();
            SourceLine { number, rust, cuda }
        });
        Self { name: function.name.clone(), file, lines: lines.collect() }
    }
}

/// The lines of an item: from its first to the one that closes its braces, without common indentation.
fn body(text: &str, first: u32) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut depth, mut opened) = (0i64, false);
    for line in text.lines().skip(first as usize - 1).take(LONGEST) {
        lines.push(line.to_owned());
        for c in line.split("//").next().unwrap_or("").chars() {
            depth += i64::from(c == '{') - i64::from(c == '}');
            opened |= c == '{';
        }
        if opened && depth <= 0 {
            break;
        }
    }
    dedented(lines)
}

fn dedented(lines: Vec<String>) -> Vec<String> {
    let indent = |line: &String| line.len() - line.trim_start().len();
    let least = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    lines.into_iter().map(|line| line.get(least..).unwrap_or("").to_owned()).collect()
}

/// The text of a source file, by the path that `file!()` gives: relative to the workspace that was built.
fn read(file: &str) -> Option<String> {
    let path = Path::new(file);
    let below = |root: PathBuf| -> Option<String> {
        root.ancestors().find_map(|ancestor| std::fs::read_to_string(ancestor.join(path)).ok())
    };
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    package.and_then(below).or_else(|| std::env::current_dir().ok().and_then(below))
}

/// Sorts printed CUDA by its `#line`; lines in no function of the module are the prelude.
fn by_line(module: &Module, cuda: &str) -> (ByLine, Vec<String>) {
    let (mut lines, mut prelude) = (ByLine::new(), Vec::new());
    let mut at: Option<(String, u32)> = None;
    // The place of the line before: a brace is shown where it closes, not where it was opened.
    let mut before: Option<(String, u32)> = None;
    for line in cuda.lines() {
        if let Some(directive) = directive(line) {
            at = Some(directive);
            continue;
        }
        let outermost = line.starts_with(|c: char| !c.is_whitespace());
        if outermost && line.ends_with('{') {
            at = opened(module, line);
        }
        let closes = line.trim_start().starts_with('}');
        if !closes {
            before.clone_from(&at);
        }
        match &before {
            Some(at) => lines.entry(at.clone()).or_default().push(line.to_owned()),
            None => prelude.push(line.to_owned()),
        }
        if outermost && closes {
            (at, before) = (None, None);
        }
    }
    while prelude.last().is_some_and(|line| line.trim().is_empty()) {
        prelude.pop();
    }
    (lines, prelude)
}

/// The place of `#line 7 "src/a.rs"`.
fn directive(line: &str) -> Option<(String, u32)> {
    let (number, file) = line.trim_start().strip_prefix("#line ")?.split_once(' ')?;
    Some((file.trim_matches('"').to_owned(), number.parse().ok()?))
}

/// The location of the function that this line opens.
fn opened(module: &Module, line: &str) -> Option<(String, u32)> {
    let name = line.split('(').next()?.rsplit([' ', '*', '&']).next()?;
    let of_name =
        |known: &str| name == known || name.strip_prefix(known).is_some_and(|rest| rest.starts_with('_'));
    let found = module.all_functions().filter(|function| of_name(&function.name));
    let function = found.max_by_key(|function| function.name.len())?;
    Some((function.at.file.replace('\\', "/"), function.at.line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_ends_where_its_braces_do_and_loses_its_indentation() {
        let text = "mod a {\n    fn k(x: u32) {\n        // {\n        if x > 0 {\n        }\n    }\n    fn l() {}\n}\n";
        assert_eq!(body(text, 2), ["fn k(x: u32) {", "    // {", "    if x > 0 {", "    }", "}"]);
        assert_eq!(body(text, 7), ["fn l() {}"]);
    }

    #[test]
    fn a_directive_has_a_file_and_a_line() {
        assert_eq!(directive("#line 12 \"a b/c.rs\""), Some(("a b/c.rs".into(), 12)));
        assert_eq!(directive("    x = 1;"), None);
    }
}
