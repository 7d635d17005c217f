//! Mistakes with tensor cores, bulk copies and barriers: who reports each, and in which words.
//!
//! A row of the table in `runtime/src/reference/checks.md` is a row here. What types refuse is a mistake under `tests/ui`;
//! everything else is done here, and its report is looked at.

mod compiled;
mod kernels;
mod refused;
mod simulated;
mod typed;

/// One mistake of the table, and a part of what is said of it.
struct Row {
    /// Its words in the table.
    mistake: &'static str,
    /// What the table quotes of a report, with gaps.
    quoted: &'static str,
}

/// The rows of the table, in its order: first column and message.
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

/// Asserts that a report has what the table quotes of a mistake.
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
