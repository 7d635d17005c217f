//! The Rust of a variant: what its comptime values leave out is taken out of the program's source.

use crate::inputs::Comptime;

/// The source with its holes decided: `if mask & 0x4 != 0 {…}` and `(if cut & 0x4 == 0 {…} else {…})`.
pub fn rust(source: &str, (a, b, pick, mask, cut): Comptime) -> String {
    let mut text = source.to_owned();
    while let Some(hole) = Hole::first(&text, "if mask & ", " != 0 {") {
        // A hole that stays is a block: names within it end there.
        let body = &text[hole.body.clone()];
        let kept = if hole.bit & mask != 0 { format!("{{{body}}}") } else { String::new() };
        text.replace_range(hole.start..hole.body.end + 1, &kept);
    }
    while let Some(hole) = Hole::first(&text, "(if cut & ", " == 0 {") {
        let otherwise = hole.body.end + "} else {".len();
        let end = closing(&text, otherwise);
        let chosen = if hole.bit & cut == 0 { hole.body.clone() } else { otherwise..end };
        let chosen = text[chosen].trim().to_owned();
        text.replace_range(hole.start..end + 2, &chosen);
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let lines = without_unused(without_uncalled(lines));
    format!("// a = {a}, b = {b}, pick = {pick}\n{}\n", lines.join("\n"))
}

/// A hole of a text, up to the brace that closes its first block.
struct Hole {
    start: usize,
    bit: u64,
    body: std::ops::Range<usize>,
}

impl Hole {
    fn first(text: &str, head: &str, condition: &str) -> Option<Self> {
        let start = text.find(head)?;
        let digits = start + head.len();
        let open = digits + text[digits..].find(condition)?;
        let bit = u64::from_str_radix(text[digits..open].trim().trim_start_matches("0x"), 16).ok()?;
        let body = open + condition.len();
        Some(Self { start, bit, body: body..closing(text, body) })
    }
}

/// The brace that closes what is open at `from`.
fn closing(text: &str, from: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return at,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Without variables of one line that nothing names.
fn without_unused(mut lines: Vec<&str>) -> Vec<&str> {
    loop {
        let unused = lines.iter().position(|line| {
            let Some(name) = declared(line) else { return false };
            lines.iter().filter(|other| names(other, name)).count() == 1
        });
        match unused {
            Some(at) => {
                lines.remove(at);
            }
            None => return lines,
        }
    }
}

/// Without device functions that nothing calls: each begins by its attribute and ends by a brace as deep.
fn without_uncalled(mut lines: Vec<&str>) -> Vec<&str> {
    loop {
        let uncalled = (1..lines.len()).find(|at| {
            let Some(rest) = lines[*at].trim().strip_prefix("pub fn ") else { return false };
            let name = &rest[..rest.find(['(', '<']).unwrap_or(rest.len())];
            lines[at - 1].trim() == "#[gpu_fn]"
                && lines.iter().filter(|other| names(other, name)).count() == 1
        });
        let Some(at) = uncalled else { return lines };
        let depth = |line: &str| line.len() - line.trim_start().len();
        let closes = |line: &&str| line.trim() == "}" && depth(line) == depth(lines[at]);
        let end = lines[at..].iter().position(closes).map_or(lines.len(), |n| at + n + 1);
        lines.drain(at - 1..end);
    }
}

fn declared(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix("let ")?;
    let rest = rest.strip_prefix("mut ").unwrap_or(rest);
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (line.trim_end().ends_with(';') && end > 0).then_some(&rest[..end])
}

fn names(line: &str, name: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_nothing_calls_go() {
        let source = "#[gpu_fn]\npub fn h0(x: u32) -> u32 {\n    {\n        x\n    }\n}\n#[gpu_fn]\npub fn h1(x: u32) -> u32 {\n    h0(x)\n}\npub fn k() {\n}\n";
        assert_eq!(rust(source, (0, 0, 0, 0, 0)), "// a = 0, b = 0, pick = 0\npub fn k() {\n}\n");
    }

    #[test]
    fn holes_are_decided_and_unused_variables_go() {
        let source = "let mut v0: u32 = 1;\nlet mut v1 = v0;\nif mask & 0x1 != 0 {\nv1 = 2;\nif mask & 0x2 != 0 {\nv0 = 3;\n}\n}\nif mask & 0x4 != 0 {\nx = (if cut & 0x1 == 0 { (a + { 1 }) } else { 7 }) - (if cut & 0x2 == 0 { 5 } else { 6 });\n}\n";
        let small = rust(source, (0, 0, 0, 4, 1));
        assert_eq!(small, "// a = 0, b = 0, pick = 0\n{\nx = 7 - 5;\n}\n");
        let whole = rust(source, (0, 0, 0, 7, 0));
        assert!(whole.contains("v1 = 2;\n{\nv0 = 3;\n}"), "{whole}");
        assert!(whole.contains("x = (a + { 1 }) - 5;"), "{whole}");
    }
}
