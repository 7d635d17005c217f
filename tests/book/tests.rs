//! The book is whole: what `SUMMARY.md` lists exists and is tested, and what exists is listed.

#[path = "picture.rs"]
mod picture;

use std::collections::BTreeSet;
use std::fs;

use harness::documents::{read, root};
use warpsmith::reference::CHAPTERS as CHAPTERS_OF_THE_REFERENCE;

use super::CHAPTERS;

/// Languages of blocks that no program here prints.
const GIVEN: [&str; 5] = ["sh", "toml", "console", "cpp", "python"];

/// The pages that `SUMMARY.md` links, by their paths from the root.
fn listed() -> Vec<String> {
    let summary = read("docs/SUMMARY.md");
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    links.map(|link| format!("docs/{link}")).collect()
}

/// Every page below `docs/`.
fn pages() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the book") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let path =
                    path.strip_prefix(root()).expect("it is below").to_string_lossy().replace('\\', "/");
                found.insert(path);
            }
        }
    }
    found
}

/// The targets of a page's links; brackets in code are none.
fn links(text: &str) -> Vec<String> {
    let prose: String = text.split("\n```").step_by(2).collect();
    let prose: String = prose.split('`').step_by(2).collect();
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|link| !link.starts_with("http")).map(str::to_owned).collect()
}

/// The first line and the text of each block of a page.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let fenced = text.split("\n```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').expect("a block has lines")).collect()
}

#[test]
fn the_summary_lists_every_page_once() {
    let listed = listed();
    let unique: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), unique.len(), "a page is listed twice");
    let mut pages = pages();
    pages.remove("docs/SUMMARY.md");
    assert_eq!(unique, pages);
}

#[test]
fn every_page_with_an_example_is_tested() {
    let tested: BTreeSet<&str> = CHAPTERS.iter().map(|(path, _)| *path).collect();
    for page in listed() {
        let text = read(&page);
        let examples = blocks(&text).iter().any(|(head, _)| head.starts_with("rust"));
        assert!(!examples || tested.contains(page.as_str()), "{page} has examples; add it to `chapters!`");
    }
}

/// The text that a page includes, by its path from the page.
fn included(text: &str) -> Option<&str> {
    text.split("{{#include ").nth(1).and_then(|rest| rest.split("}}").next())
}

#[test]
fn an_included_text_exists_and_is_linked_for_readers_of_the_file() {
    for page in pages() {
        let text = read(&page);
        let Some(source) = included(&text) else { continue };
        assert!(root().join(&page).with_file_name("").join(source).exists(), "{page} includes {source}");
        assert!(text.contains(&format!("<a href=\"{source}\">")), "{page} does not link {source}");
    }
}

#[test]
fn every_chapter_of_the_reference_has_a_page() {
    let page = |name: &str| format!("docs/reference/{name}.md");
    let mut wanted: BTreeSet<String> = CHAPTERS_OF_THE_REFERENCE.iter().map(|(name, _)| page(name)).collect();
    wanted.insert(page("index"));
    let pages: BTreeSet<String> =
        pages().into_iter().filter(|path| path.starts_with("docs/reference/")).collect();
    assert_eq!(pages, wanted);
    for (name, chapter) in CHAPTERS_OF_THE_REFERENCE {
        let text = read(page(name));
        let source = included(&text).unwrap_or_else(|| panic!("{name} includes nothing"));
        assert!(read(format!("docs/reference/{source}")) == *chapter, "{name} includes another text");
        // The names of modules, which rustdoc resolves.
        let links =
            CHAPTERS_OF_THE_REFERENCE.iter().filter(|(other, _)| chapter.contains(&format!("[{other}]")));
        let missing: Vec<&str> = links
            .map(|(other, _)| *other)
            .filter(|other| !text.contains(&format!("\n[{other}]: {other}.md")))
            .collect();
        assert!(missing.is_empty(), "{name} lacks the targets of its links to {missing:?}");
    }
}

#[test]
fn what_an_example_prints_is_compared() {
    let all = CHAPTERS.iter().flat_map(|(_, text)| blocks(text));
    let code: String = all.filter(|(head, _)| head.starts_with("rust")).map(|(_, code)| code).collect();
    for (page, text) in CHAPTERS {
        for (head, shown) in &blocks(text) {
            let (language, label) = head.split_once(' ').unwrap_or((head, ""));
            let compared = match language {
                "cuda" => code.contains(&format!("shows(\"{label}\"")),
                "text" if label.starts_with("tests/ui/") => shown.trim() == read(label).trim(),
                "text" => code.contains(&format!("says(\"{label}\"")),
                "rust" => label.is_empty(),
                "rust,no_run" | "rust,compile_fail" | "rust,should_panic" => label.is_empty(),
                other => GIVEN.contains(&other),
            };
            assert!(compared, "{page}: nothing compares the block `{head}`");
        }
    }
}

#[test]
fn a_kernel_that_examples_import_is_shown_to_the_reader() {
    let source = include_str!("kernels.rs").replace("pub fn", "fn");
    let kernels: Vec<&str> = source.split("#[gpu_kernel]\n").skip(1).collect();
    assert!(kernels.len() > 4);
    for kernel in kernels {
        let kernel = kernel.split_inclusive("\n}\n").next().expect("a function ends");
        assert!(CHAPTERS.iter().any(|(_, text)| text.contains(kernel)), "no page shows\n{kernel}");
    }
}

#[test]
fn the_readme_shows_the_first_kernel_of_the_tutorial() {
    let kernel = |page| {
        let text = read(page);
        let example = blocks(&text).into_iter().find(|(head, _)| *head == "rust").expect("an example").1;
        example.split("fn main").next().unwrap_or_default().replace("pub fn", "fn")
    };
    assert_eq!(kernel("README.md"), kernel("docs/tutorial/saxpy.md"));
}

/// The names of a page's sections, as links spell them; those of a page that it includes, too.
fn sections(page: &str) -> Vec<String> {
    let text = read(page);
    let included = text.lines().filter_map(|line| line.strip_prefix("{{#include ")?.strip_suffix("}}"));
    let included: String = included.map(|path| read(beside(page, path))).collect();
    let titles = text.lines().chain(included.lines()).filter(|line| line.starts_with('#'));
    let titles = titles.map(|line| line.trim_start_matches(['#', ' ']).to_lowercase().replace(' ', "-"));
    titles.map(|title| title.replace(['`', '(', ')', ','], "")).collect()
}

#[test]
fn links_lead_to_pages_of_the_book() {
    let pictures = pictures();
    let (pages, mut shown) = (pages(), Vec::new());
    for page in &pages {
        let text = read(page);
        for link in links(&text) {
            let (file, section) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { page.clone() } else { beside(page, file) };
            assert!(pages.contains(&target) || pictures.contains(&target), "{page} links {link}");
            shown.push(target.clone());
            assert!(
                section.is_empty() || sections(&target).contains(&section.to_owned()),
                "{page} links {link}"
            );
        }
    }
    let hidden: Vec<_> = pictures.iter().filter(|picture| !shown.contains(picture)).collect();
    assert!(hidden.is_empty(), "no page shows {hidden:?}");
}

/// The pictures of the book.
fn pictures() -> Vec<String> {
    let files = std::fs::read_dir(root().join("docs")).expect("docs");
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    names.filter(|name| name.ends_with(".svg")).map(|name| format!("docs/{name}")).collect()
}

/// A path that a page names, from the root.
fn beside(page: &str, file: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
