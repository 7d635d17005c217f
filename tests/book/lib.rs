//! The README and the book, compiled and run: each chapter's `rust` blocks are doctests of this crate, and of `warpsmith-kernels` where
//! they call its functions.
//!
//! The chapters come in as text. [`shows`] and [`says`] compare what an example prints with the block that the reader sees.
//! Knows nothing of the reference's chapters, which are doctests of `warpsmith` itself.

pub mod kernels;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod transpose;

macro_rules! chapters {
    ($($name:ident $path:literal)+) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../", $path))]
            mod $name {}
        )+

        /// The path of each page from the root of the workspace, and its text.
        const CHAPTERS: &[(&str, &str)] = &[
            $(($path, include_str!(concat!("../../", $path))),)+
            ("kernels/README.md", include_str!("../../kernels/README.md")),
            ("docs/kernels.md", include_str!("../../docs/kernels.md")),
        ];
    };
}

chapters! {
    readme "README.md"
    crate_readme "runtime/README.md"
    introduction "docs/README.md"
    saxpy "docs/tutorial/saxpy.md"
    product "docs/tutorial/product.md"
    reduction "docs/tutorial/reduction.md"
    cluster "docs/tutorial/cluster.md"
    tensor_cores "docs/tutorial/tensor_cores.md"
    tour "docs/tour.md"
    testing "docs/testing.md"
    performance "docs/performance.md"
    limits "docs/limits.md"
    from_cuda "docs/from/cuda.md"
    from_cupy "docs/from/cupy.md"
    from_triton "docs/from/triton.md"
    from_cutlass "docs/from/cutlass.md"
    from_cubecl "docs/from/cubecl.md"
    from_candle "docs/from/candle.md"
}

/// Checks that the CUDA blocks ```` ```cuda label ```` show what was printed.
///
/// The lines of a block stand in `printed` in their order; `// …` stands for any number of lines.
///
/// # Panics
/// If no page has such a block, or if one shows something else.
#[track_caller]
pub fn shows(label: &str, printed: &str) {
    for shown in blocks("cuda", label) {
        let mut rest: Vec<&str> = printed.lines().map(str::trim).collect();
        let shown: Vec<&str> = shown.lines().map(str::trim).collect();
        for group in shown.split(|line| *line == "// …").filter(|group| !group.is_empty()) {
            let at = rest.windows(group.len()).position(|lines| lines == group);
            let at =
                at.unwrap_or_else(|| panic!("`{label}` prints\n{printed}\nand not\n{}", group.join("\n")));
            rest.drain(..at + group.len());
        }
    }
}

/// Checks that the text blocks ```` ```text label ```` show a message.
///
/// Line breaks are those of the page, and places in source files are not compared: an example stands in another file here than
/// in the reader's program.
///
/// # Panics
/// If no page has such a block, or if one shows something else.
#[track_caller]
pub fn says(label: &str, message: impl std::fmt::Display) {
    let message = message.to_string();
    for shown in blocks("text", label) {
        assert_eq!(words(&message), words(shown), "`{label}` says\n{message}");
    }
}

/// The blocks with a label, on all pages.
#[track_caller]
fn blocks(language: &str, label: &str) -> Vec<&'static str> {
    let fence = format!("\n```{language} {label}\n");
    let pages = CHAPTERS.iter().flat_map(|(_, text)| text.split(fence.as_str()).skip(1));
    let found: Vec<&str> = pages.filter_map(|rest| rest.split("```").next()).collect();
    assert!(!found.is_empty(), "no page has a block `{language} {label}`");
    found
}

/// The words of a message, with one name for every source file and one number for every line.
fn words(text: &str) -> Vec<&str> {
    let mut before = "";
    let word = |word| {
        let in_file = |word: &str| word.contains(".rs:") || word.contains(".md:");
        let plain = match (before, word) {
            ("(line" | "line", _) => "number",
            (_, word) if in_file(word) => "file",
            (_, word) => word,
        };
        before = word;
        plain
    };
    text.split_whitespace().map(word).collect()
}
