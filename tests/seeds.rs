//! The page about the systems that the project began from names kernels, snapshots, tests and sections that exist.

use std::collections::BTreeSet;
use std::fs;

use corpus::cases;
use harness::documents::{missing_test, quoted, read, root};

const PAGE: &str = include_str!("../docs/seeds.md");

/// A row of the page's first table, cell by cell.
struct Row<'a> {
    number: u32,
    kernels: Vec<&'a str>,
    snapshots: Vec<&'a str>,
    tests: Vec<&'a str>,
    effects: Vec<&'a str>,
}

fn rows() -> Vec<Row<'static>> {
    let table = PAGE.lines().skip_while(|line| !line.starts_with("| # ")).skip(2);
    let table = table.take_while(|line| line.starts_with('|'));
    let row = |line: &'static str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [number, _, kernels, snapshots, tests, effect] = cells[..] else { panic!("six cells: {line}") };
        Row {
            number: number.parse().unwrap_or_else(|_| panic!("a number: {line}")),
            kernels: quoted(kernels),
            snapshots: quoted(snapshots),
            tests: quoted(tests),
            effects: links(effect),
        }
    };
    table.map(row).collect()
}

/// The targets of a text's links.
fn links(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

/// The names of sections, as links spell them.
fn sections(page: &str) -> BTreeSet<String> {
    let titles = page.lines().filter(|line| line.starts_with('#'));
    titles.map(|title| title.trim_start_matches(['#', ' ']).to_lowercase().replace(' ', "-")).collect()
}

/// Every source file of the corpus.
fn corpus() -> String {
    let folder = root().join("tests/corpus");
    let files = fs::read_dir(&folder).expect("the corpus").map(|entry| entry.expect("a file").path());
    files.filter(|path| path.extension().is_some_and(|e| e == "rs")).map(read).collect()
}

#[test]
fn every_row_has_a_line() {
    let numbers: Vec<u32> = rows().iter().map(|row| row.number).collect();
    assert_eq!(numbers, (1..=31).collect::<Vec<_>>());
    for row in rows() {
        let shown = row.kernels.len() + row.snapshots.len() + row.tests.len() + row.effects.len();
        assert!(
            shown > 0 && (!row.kernels.is_empty() || !row.tests.is_empty()),
            "row {} shows nothing",
            row.number
        );
        assert_eq!(
            row.kernels.is_empty(),
            row.snapshots.is_empty(),
            "row {}: kernels without CUDA",
            row.number
        );
    }
}

#[test]
fn every_kernel_is_in_the_corpus() {
    let source = corpus();
    for row in rows() {
        for kernel in row.kernels {
            let known =
                source.contains(&format!("fn {kernel}(")) || source.contains(&format!("fn {kernel}<"));
            assert!(known, "row {}: no function `{kernel}` in tests/corpus", row.number);
        }
    }
}

#[test]
fn every_snapshot_is_there_and_of_a_case_that_is_run() {
    let cases: BTreeSet<String> = cases::all().iter().map(|case| format!("cuda__{}", case.name)).collect();
    for row in rows() {
        for snapshot in row.snapshots {
            let path = root().join("snapshots").join(format!("{snapshot}.snap"));
            assert!(path.exists(), "row {}: no snapshot `{snapshot}`", row.number);
            let runs = cases.contains(snapshot) || !snapshot.starts_with("cuda__");
            assert!(runs, "row {}: no case of `{snapshot}` is run", row.number);
        }
    }
}

#[test]
fn every_test_and_section_is_there() {
    let intro = PAGE.split("| # ").next().unwrap_or_default();
    let mut missing: Vec<String> =
        quoted(intro).into_iter().filter(|text| text.contains("::")).filter_map(missing_test).collect();
    let own = sections(PAGE);
    for row in rows() {
        missing.extend(row.tests.into_iter().filter_map(missing_test));
        for link in row.effects {
            let (file, section) = link.split_once('#').unwrap_or((link, ""));
            let sections = match file {
                "" => own.clone(),
                file => sections(&read(format!("docs/{file}"))),
            };
            if !section.is_empty() && !sections.contains(section) {
                missing.push(format!("row {}: no section `{link}`", row.number));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
