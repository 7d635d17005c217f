//! The head of our HTML files, which identifies a page: its kernel, and its summary in one line.

use super::style;
use super::svg::escaped;

const TITLE: [&str; 2] = ["<title>", "</title>"];
const SUMMARY: [&str; 2] =
    ["<meta name=\"generator\" content=\"warpsmith\">\n<meta name=\"description\" content=\"", "\">"];

/// Everything up to the body.
pub(in crate::report) fn write(title: &str, summary: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n{}{}{}\n{}{}{}\n<style>\n{}</style>\n</head>\n<body>\n",
        SUMMARY[0],
        escaped(summary),
        SUMMARY[1],
        TITLE[0],
        escaped(title),
        TITLE[1],
        style::CSS
    )
}

/// The title and the summary of a file; `None` if it is not ours.
pub(in crate::report) fn read(text: &str) -> Option<(String, String)> {
    let head = text.split_once("<style>")?.0;
    let between = |[start, end]: [&str; 2]| Some(head.split_once(start)?.1.split_once(end)?.0);
    let (summary, title) = (between(SUMMARY)?, between(TITLE)?);
    Some((unescaped(title), unescaped(summary)))
}

/// The text that [`escaped`] made HTML of.
fn unescaped(html: &str) -> String {
    html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_head_says_is_read_again() {
        let html = write("k<f32>", "a & b: \"50.0 %\"");
        assert_eq!(read(&html), Some(("k<f32>".into(), "a & b: \"50.0 %\"".into())));
        assert_eq!(read("<html><title>x</title><style></style>"), None);
    }
}
