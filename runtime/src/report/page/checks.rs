//! Why each index is checked or not, what became of each loop, and what the checks cost.

use super::Page;
use super::svg::escaped;

/// The explanation of the launch, as its text has it.
pub(super) fn section(page: &Page) -> String {
    format!("<pre>{}</pre>\n", escaped(page.explanation.to_string().trim_end()))
}
