//! Lines, columns, files and texts of spans, which rustc alone knows.
//!
//! `Span::unwrap` gives rustc's span, and panics outside a macro that rustc runs. The functions here run nowhere else: the
//! crate of macros calls them for users' tokens, and no test of this crate expands any.

use proc_macro2::Span;

/// The line of a span in the user's file.
pub fn line(span: Span) -> usize {
    span.unwrap().line()
}

/// The column of a span in the user's file, from 1.
pub fn column(span: Span) -> usize {
    span.unwrap().column()
}

/// The lines and columns of a span's start and end.
pub fn ends(span: Span) -> [usize; 4] {
    let (start, end) = (span.unwrap().start(), span.unwrap().end());
    [start.line(), start.column(), end.line(), end.column()]
}

/// The user's file, if the span is from one.
pub fn file(span: Span) -> Option<std::path::PathBuf> {
    span.unwrap().local_file()
}

/// The user's text, if the span is from a file.
pub fn text(span: Span) -> Option<String> {
    span.unwrap().source_text()
}
