//! Mistakes with tensor cores, bulk copies and barriers: the component that reports each, and its message.
//!
//! Each row of the table in `runtime/src/reference/checks.md` is a row here. Mistakes that rustc refuses are under
//! `tests/ui`. All others run here, and their reports are compared with the table.

mod compiled;
mod kernels;
mod refused;
mod simulated;
mod typed;

/// One mistake of the table, with a part of its message.
struct Row {
    /// Its text in the table.
    mistake: &'static str,
    /// The parts of a report that the table quotes.
    quoted: &'static str,
}

/// The rows of the table in their order, each with its first column and its message.
fn rows() -> Vec<Row> {
    let page = include_str!("../../runtime/src/reference/checks.md");
    let (_, table) =
        page.split_once("| mistake | reported by | message |\n|---|---|---|\n").expect("the table");
    let rows = table.lines().take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [mistake, _, message] = cells[..] else { panic!("three columns: {line}") };
        Row { mistake, quoted: message }
    });
    rows.collect()
}

/// Asserts that a report contains the parts that the table quotes for a mistake.
#[track_caller]
fn is_quoted(mistake: &str, report: &str) {
    let rows = rows();
    let row = rows.iter().find(|row| row.mistake == mistake);
    let row = row.unwrap_or_else(|| panic!("no row `{mistake}`"));
    let mut rest = report;
    for words in row.quoted.split('…').map(str::trim) {
        let at = rest.find(words).unwrap_or_else(|| panic!("`{words}` is not in: {report}"));
        rest = &rest[at + words.len()..];
    }
}
