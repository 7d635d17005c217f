//! The page that links the others of a directory.

use std::fmt::Write;

use super::head;
use super::svg::escaped;
use crate::report::Entry;

pub(in crate::report) fn page(entries: &[Entry]) -> String {
    let mut out = head::write("Kernels", "pages about launches");
    out.push_str("<h1>Kernels</h1>\n<div class=\"scroll\"><table class=\"sums\">\n");
    for Entry { path, kernel, summary } in entries {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(
            out,
            "<tr><td><a href=\"{}\"><code>{}</code></a></td><td>{}</td></tr>",
            escaped(&file),
            escaped(kernel),
            escaped(summary)
        );
    }
    out.push_str("</table></div>\n</body>\n</html>\n");
    out
}
