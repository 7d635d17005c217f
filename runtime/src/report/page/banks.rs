//! The bank map of a shared array: the words that the most expensive request of a line takes from each bank.

use super::svg::{Anchor, Svg};
use super::{Page, file_name};
use crate::metrics::{BANKS, Pattern};

const CELL: [f64; 2] = [25.0, 13.0];
const LEFT: f64 = 74.0;
const TOP: f64 = 22.0;
/// Between lanes that go one after the other.
const GAP: f64 = 6.0;

/// The maps of each array, a heading and a picture for each line; empty without shared memory.
pub(super) fn maps(page: &Page) -> String {
    let mut arrays: Vec<(String, Vec<&Pattern>)> = Vec::new();
    for pattern in page.metrics.patterns.iter().filter(|pattern| pattern.kind.is_shared()) {
        let name = page.array_at(pattern.file, pattern.line);
        match arrays.iter_mut().find(|(known, _)| *known == name) {
            Some((_, patterns)) => patterns.push(pattern),
            None => arrays.push((name, vec![pattern])),
        }
    }
    let mut out = String::new();
    for (name, patterns) in arrays {
        out.push_str(&format!("<h3><code>{}</code></h3>\n", super::svg::escaped(&name)));
        patterns.iter().for_each(|pattern| out.push_str(&map(page, pattern)));
    }
    out
}

fn map(page: &Page, pattern: &Pattern) -> String {
    let Pattern { file, line, kind, bytes, cost, ideal, .. } = pattern;
    let lanes = pattern.lanes.len();
    let caption = format!(
        "{}:{line}: {} of {bytes} bytes a lane, {lanes} lanes: {cost} wavefront{} where {ideal} would do",
        file_name(file),
        kind.name(),
        if *cost == 1 { "" } else { "s" }
    );
    let picture = picture(pattern, &caption);
    let words = page.metrics.banks.iter().find(|map| (map.file, map.line, map.kind) == (*file, *line, *kind));
    let spread = words.map_or(String::new(), |map| {
        let (least, most) = map.words.iter().fold((u64::MAX, 0), |(l, m), n| (l.min(*n), m.max(*n)));
        match least == most {
            true => format!(" Over all requests each bank gives {most} words."),
            false => format!(" Over all requests a bank gives from {least} to {most} words."),
        }
    });
    format!(
        "<figure><figcaption>{}.{spread}</figcaption><div class=\"scroll\">{picture}</div></figure>\n",
        super::svg::escaped(&caption)
    )
}

/// The words of one bank, each with its lanes.
type Column = Vec<(u64, Vec<u32>)>;

/// A column for each bank; a cell for each word taken of it, with the lanes that take it. Lanes that go at once
/// stand together: below the first, each cell of a column is a conflict.
fn picture(pattern: &Pattern, caption: &str) -> String {
    let phases: Vec<[Column; BANKS]> =
        pattern.phases.iter().map(|lanes| pattern.words_of_banks(*lanes).map(words_with_lanes)).collect();
    let depth = |columns: &[Column; BANKS]| columns.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let rows: usize = phases.iter().map(depth).sum();
    let gaps = GAP * phases.len().saturating_sub(1) as f64;
    let [width, height] = CELL;
    let mut svg = Svg::new(LEFT + width * BANKS as f64 + 4.0, TOP + height * rows as f64 + gaps + 4.0);
    svg.text("label", [LEFT - 8.0, 14.0], Anchor::End, "bank");
    for bank in 0..BANKS {
        let x = LEFT + width * (bank as f64 + 0.5);
        svg.text("tick", [x, 14.0], Anchor::Middle, &bank.to_string());
    }
    let mut top = TOP;
    for columns in &phases {
        svg.text("label", [LEFT - 8.0, top + height - 3.0], Anchor::End, "lanes");
        columns.iter().enumerate().for_each(|(bank, column)| cells(&mut svg, bank, column, top));
        top += height * depth(columns) as f64 + GAP;
    }
    svg.finish(caption)
}

/// The cells of one bank.
fn cells(svg: &mut Svg, bank: usize, column: &Column, top: f64) {
    let [width, height] = CELL;
    let x = LEFT + width * bank as f64;
    if column.is_empty() {
        svg.rect("idle", [x + 1.0, top], [width - 2.0, height - 1.0]);
    }
    for (row, (word, lanes)) in column.iter().enumerate() {
        let y = top + height * row as f64;
        let class = if row == 0 { "free" } else { "clash" };
        let hint = format!("bank {bank}, word {word}: lanes {}", ranges(lanes));
        svg.hint(class, [x + 1.0, y], [width - 2.0, height - 1.0], &hint);
        svg.text("cell", [x + width / 2.0, y + height - 3.5], Anchor::Middle, &short(lanes));
    }
}

/// The words of a bank, ascending, each with its lanes.
fn words_with_lanes(mut taken: Vec<(u32, u64)>) -> Column {
    taken.sort_by_key(|(lane, word)| (*word, *lane));
    let words = taken.chunk_by(|a, b| a.1 == b.1);
    words.map(|same| (same[0].1, same.iter().map(|(lane, _)| *lane).collect())).collect()
}

/// Lanes as `0-3, 7`.
fn ranges(lanes: &[u32]) -> String {
    let runs = lanes.chunk_by(|a, b| a + 1 == *b);
    let text = |run: &[u32]| match run {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    };
    runs.map(text).collect::<Vec<_>>().join(", ")
}

/// The text for a cell: the lane, the ends of a run, or their number.
fn short(lanes: &[u32]) -> String {
    let text = ranges(lanes);
    if text.len() <= 5 { text } else { format!("×{}", lanes.len()) }
}
