//! What keeps the builds of programs light: code that rustc compiles again for every kernel is little.

use harness::documents::{read, root};

use super::{code, sources};

/// Lines of the body of a function that is generic over a kernel.
const LINES: usize = 17;
/// Lines of all of them: most name the kernel and call what takes `&dyn AnyKernel`.
const ALL_LINES: usize = 290;
/// The rooms of `warpsmith` that may be generic over kernels. `reference` has what its examples call.
const ROOMS: [&str; 5] = ["compile", "launch", "reference", "testing", "tuner"];

/// The functions of a file that are generic over a kernel, with the lines of their bodies.
fn generic_over_kernels(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = code(text).into_iter().map(|(_, line)| line).collect();
    let bound = |text: &str| text.contains(": Kernel") || text.contains("impl Kernel");
    let (mut found, mut of_kernels) = (Vec::new(), false);
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("impl<") || line.starts_with("pub trait ") {
            of_kernels = bound(line) || line.starts_with("pub trait Kernel");
        } else if *line == "}" {
            of_kernels = false;
        }
        let words = line.trim_start();
        let Some((_, name)) = words.split_once("fn ").filter(|(before, _)| {
            before
                .split_whitespace()
                .all(|word| word.starts_with("pub") || ["const", "unsafe"].contains(&word))
        }) else {
            continue;
        };
        let indent = &line[..line.len() - words.len()];
        let ends = |line: &&str| line.ends_with('{') || line.ends_with('}') || line.ends_with(';');
        let Some(open) = lines[at..].iter().position(ends).map(|more| at + more) else { continue };
        if bound(&lines[at..=open].join(" ")) || of_kernels && indent.len() == 4 {
            let close = format!("{indent}}}");
            let body = lines[open..].iter().take_while(|line| ***line != *close).count();
            let name = name.split(['(', '<']).next().unwrap_or(name);
            found.push((name.to_owned(), if lines[open].ends_with('{') { body - 1 } else { 1 }));
        }
    }
    found
}

#[test]
fn code_that_is_compiled_for_each_kernel_is_short() {
    let folder = root().join("runtime/src");
    let (mut long, mut elsewhere, mut all, mut functions) = (Vec::new(), Vec::new(), 0, 0);
    for path in sources(&folder) {
        let place = path.to_string_lossy().into_owned();
        if place.starts_with("module_tests") || place.ends_with("tests.rs") {
            continue;
        }
        for (name, lines) in generic_over_kernels(&read(folder.join(&path))) {
            (all, functions) = (all + lines, functions + 1);
            long.extend((lines > LINES).then(|| format!("{place}: `{name}` has {lines} lines")));
            let allowed =
                ROOMS.iter().any(|room| place.trim_end_matches(".rs").split('/').next() == Some(room));
            elsewhere.extend((!allowed).then(|| format!("{place}: `{name}`")));
        }
    }
    println!("{functions} functions of {all} lines");
    let way_out = "let the work take `&dyn AnyKernel`, and call it";
    assert!(long.is_empty(), "compiled again for each kernel of a program; {way_out}: {long:#?}");
    assert!(elsewhere.is_empty(), "only {ROOMS:?} may be generic over kernels; {way_out}: {elsewhere:#?}");
    assert!(functions > 80 && all <= ALL_LINES, "{functions} functions have {all} lines; {way_out}");
}

#[test]
fn visitors_of_syntax_share_one_walk() {
    // For each type that implements syn's traits, rustc compiles syn's whole walk.
    let folder = root().join("macros/expand/src");
    let own =
        |text: &str| code(text).iter().any(|(_, line)| line.contains("syn::visit") && line.contains("Visit"));
    let others: Vec<_> = sources(&folder).into_iter().filter(|path| own(&read(folder.join(path)))).collect();
    assert!(others.is_empty(), "visitors beside those of visitor.rs: {others:?}");
}
