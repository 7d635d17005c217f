//! The README's picture: the parts of a real report that fit on a page, as one SVG.
//!
//! The report comes in as the HTML and the text of a [`Page`]; the style, the source with its figures and the roofline go out.

use std::fmt::Write;
use std::fs;

use harness::documents::root;
use warpsmith::prelude::*;
use warpsmith::report::Page;

use crate::transpose::{SIDE, transpose};

const WIDTH: usize = 860;
/// From one line of source to the next.
const LINE: usize = 19;
/// Right ends of the columns of figures.
const COLUMNS: [usize; 3] = [80, 160, 240];

/// A line of the kernel with its figures.
struct Row {
    figures: [u64; 3],
    number: u32,
    rust: String,
}

fn page() -> Page {
    let device = Device::simulator();
    let elements = (SIDE * SIDE) as usize;
    let x = device.upload(&vec![1.0f32; elements]).expect("host memory");
    let mut y = device.alloc_zeroed::<f32>(elements).expect("host memory");
    let launch = transpose(&x, &mut y).grid([SIDE / 32, SIDE / 32]).block([32, 32]);
    launch.report(&device).unwrap_or_else(|error| panic!("{error}"))
}

/// The rows of the source in the report's text, where each figure has ten columns and the line's number five.
fn rows(counted: &str) -> Vec<Row> {
    let lines = counted.lines().skip(1).take_while(|line| !line.is_empty());
    let row = |line: &str| {
        let (left, rust) = line.split_at_checked(39).unwrap_or((line, ""));
        let cell = |at: usize| left.get(at..at + 10).and_then(|cell| cell.trim().parse().ok()).unwrap_or(0);
        let number = left[34..].trim().parse().expect("a line has a number");
        Row { figures: [cell(0), cell(11), cell(22)], number, rust: rust.to_owned() }
    };
    lines.map(row).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// The text between two marks of the page.
fn between<'a>(html: &'a str, start: &str, end: &str) -> &'a str {
    let from = html.find(start).unwrap_or_else(|| panic!("the page has no {start}"));
    let rest = &html[from..];
    &rest[..rest.find(end).expect("the mark ends") + end.len()]
}

/// The source, each figure on a colour as strong as its part of its column.
fn source(out: &mut String, rows: &[Row]) {
    let most = |column: usize| rows.iter().map(|row| row.figures[column]).max().unwrap_or(0).max(1);
    for (head, x) in ["instructions", "sectors", "wavefronts"].iter().zip(COLUMNS) {
        _ = write!(out, "<text class=\"label\" x=\"{x}\" y=\"62\" text-anchor=\"end\">{head}</text>");
    }
    for (i, row) in rows.iter().enumerate() {
        let base = 84 + i * LINE;
        for (column, figure) in row.figures.iter().enumerate().filter(|(_, figure)| **figure > 0) {
            let heat = 0.75 * *figure as f64 / most(column) as f64;
            let (x, top) = (COLUMNS[column] - 62, base - 14);
            _ = write!(
                out,
                "<rect class=\"heat\" x=\"{x}\" y=\"{top}\" width=\"68\" height=\"{LINE}\" fill-opacity=\"{heat:.2}\"/>\
                 <text class=\"code\" x=\"{}\" y=\"{base}\" text-anchor=\"end\">{figure}</text>",
                COLUMNS[column]
            );
        }
        _ = write!(
            out,
            "<text class=\"code faint\" x=\"272\" y=\"{base}\" text-anchor=\"end\">{}</text>\
             <text class=\"code\" x=\"284\" y=\"{base}\" xml:space=\"preserve\">{}</text>",
            row.number,
            escaped(&row.rust)
        );
    }
}

/// The advice of the report in lines of at most `most` characters.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
        if !last.is_empty() && last.len() + word.len() >= most {
            lines.push(word.to_owned());
        } else {
            *last += if last.is_empty() { "" } else { " " };
            *last += word;
        }
    }
    lines
}

fn picture(page: &Page) -> String {
    let (html, counted) = (page.html(), page.counted());
    let rows = rows(&counted);
    let mut body = String::new();
    _ = write!(
        body,
        "<text class=\"title\" x=\"20\" y=\"34\">transpose: 16 × 16 blocks of 32 × 32 threads</text>"
    );
    source(&mut body, &rows);
    let mut at = 84 + rows.len() * LINE + 8;
    for line in wrapped(counted.trim_end().lines().last().expect("the report ends in its advice"), 118) {
        _ = write!(body, "<text class=\"advice\" x=\"20\" y=\"{at}\">{}</text>", escaped(&line));
        at += LINE;
    }
    let roofline = between(&html, "<svg viewBox=\"0 0 760", "</svg>");
    let (size, smaller) =
        ("width=\"760\" height=\"360\"", format!("x=\"100\" y=\"{at}\" width=\"646\" height=\"306\""));
    assert!(roofline.contains(size));
    body += &roofline.replacen(size, &smaller, 1);
    let height = at + 312;
    let style = between(&html, "<style>", "</style>");
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\">\n\
         {style}\n<style>\n.back {{ fill: var(--back); stroke: var(--rule); }} .heat {{ fill: rgb(var(--heat)); }}\n\
         svg text.code {{ font: 12.5px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; }}\n\
         svg text.faint {{ fill: var(--faint); }} svg text.title {{ font: 600 16px system-ui, sans-serif; }}\n\
         svg text.advice {{ font: 13px system-ui, sans-serif; fill: var(--clash); }}\n</style>\n\
         <rect class=\"back\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n{body}</svg>\n",
        WIDTH - 1,
        height - 1
    )
}

#[test]
fn the_picture_of_the_readme_is_that_of_a_report() {
    let picture = picture(&page());
    let path = root().join("docs/report.svg");
    if std::env::var_os("UPDATE_PICTURE").is_some() {
        fs::write(&path, &picture).expect("docs/report.svg");
    }
    assert!(picture.len() < 40_000, "{} bytes", picture.len());
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == picture, "the report has changed: UPDATE_PICTURE=1 cargo test -p book picture");
}
