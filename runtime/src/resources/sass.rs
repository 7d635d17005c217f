//! Reads the output of `nvdisasm`: instructions, the Rust lines that they came from, and their loops.
//!
//! Independent of kernels, and runs no program.

use std::collections::HashMap;

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    /// The operation without its modifiers: `LDG`.
    pub operation: String,
    /// The lines that it came from: its own, and those of the calls that were inlined around it.
    pub lines: Vec<(String, u32)>,
}

/// The machine code of a cubin.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub instructions: Vec<Instruction>,
    /// The first and the last instruction of each loop, outer loops before inner ones.
    pub loops: Vec<(usize, usize)>,
}

impl Code {
    /// Reads the output of `nvdisasm --print-line-info-inline`.
    pub fn read(text: &str) -> Self {
        let mut code = Self::default();
        let mut labels = HashMap::new();
        let mut branches = Vec::new();
        let (mut lines, mut last) = (Vec::new(), false);
        for line in text.lines() {
            if let Some(place) = line.trim_start().strip_prefix("//## ") {
                // A chain of calls takes several lines, the innermost call first.
                if !last {
                    lines.clear();
                }
                lines.extend(places(place));
                last = true;
                continue;
            }
            last = false;
            if let Some(label) = label(line) {
                labels.insert(label.to_owned(), code.instructions.len());
            } else if let Some(operation) = operation(line) {
                if let Some(target) = operation.starts_with("BRA").then(|| target(line)).flatten() {
                    branches.push((code.instructions.len(), target.to_owned()));
                }
                let operation = operation.split('.').next().unwrap_or_default().to_owned();
                code.instructions.push(Instruction { operation, lines: lines.clone() });
            }
        }
        code.loops = loops(&labels, &branches);
        code
    }

    /// The loops around an instruction.
    pub fn around(&self, at: usize) -> impl Iterator<Item = usize> {
        let all = self.loops.iter().enumerate();
        all.filter(move |(_, (first, last))| (*first..=*last).contains(&at)).map(|(i, _)| i)
    }
}

/// The loops that backward branches close, one for each first instruction; the largest first.
fn loops(labels: &HashMap<String, usize>, branches: &[(usize, String)]) -> Vec<(usize, usize)> {
    let mut ends: HashMap<usize, usize> = HashMap::new();
    for (at, target) in branches {
        // The code ends with a branch to itself, which no thread reaches.
        if let Some(first) = labels.get(target).filter(|first| *first < at) {
            let end = ends.entry(*first).or_insert(*at);
            *end = (*end).max(*at);
        }
    }
    let mut all: Vec<(usize, usize)> = ends.into_iter().collect();
    all.sort_by_key(|(first, last)| (std::cmp::Reverse(last - first), *first));
    all
}

/// The places of `File "/src/b.rs", line 50 inlined at "/src/a.rs", line 11`.
fn places(text: &str) -> Vec<(String, u32)> {
    let parts: Vec<&str> = text.split('"').collect();
    let named = parts.chunks(2).filter_map(|pair| match pair {
        [_, file] => Some(*file),
        _ => None,
    });
    let numbers = parts.iter().skip(2).step_by(2).map(|rest| {
        let digits = rest.trim_start_matches([',', ' ']).strip_prefix("line ")?;
        digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    });
    named.zip(numbers).filter_map(|(file, line)| Some((file.to_owned(), line?))).collect()
}

/// The name of `.L_x_4:`.
fn label(line: &str) -> Option<&str> {
    line.strip_suffix(':').filter(|label| label.starts_with('.') && !label.contains(char::is_whitespace))
}

/// `LDG.E` of `/*01a0*/  @P0 LDG.E R10, desc[UR10][R2.64] ;`
fn operation(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("/*")?.split_once("*/")?.1;
    let mut words = rest.split_whitespace().filter(|word| !word.starts_with(['@', '{']));
    words
        .next()
        .map(|word| word.trim_end_matches(';'))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// `.L_x_0` of a branch: `` BRA `(.L_x_0) ; ``
fn target(line: &str) -> Option<&str> {
    line.split_once("`(")?.1.split(')').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
.text.k:
\t//## File \"/w/src/a.rs\", line 10
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0050*/              @!P0 BRA `(.L_x_1) ;
.L_x_4:
\t//## File \"/w/src/b.rs\", line 50 inlined at \"/w/src/a.rs\", line 11
\t//## File \"/w/src/a.rs\", line 11
        /*01a0*/                   LDG.E R10, desc[UR10][R2.64] ;
\t//## File \"/w/src/a.rs\", line 12
        /*01b0*/               @P1 FADD R3, R4, R5 ;
        /*01c0*/               @P1 BRA `(.L_x_4) ;
.L_x_1:
        /*01d0*/                   EXIT ;
.L_x_8:
        /*01e0*/                   BRA `(.L_x_8);
        .byte 0x00
";

    #[test]
    fn instructions_have_the_lines_of_all_calls_around_them() {
        let code = Code::read(TEXT);
        let operations: Vec<&str> = code.instructions.iter().map(|of| of.operation.as_str()).collect();
        assert_eq!(operations, ["LDC", "BRA", "LDG", "FADD", "BRA", "EXIT", "BRA"]);
        let at = |file: &str, line| (file.to_owned(), line);
        let chain = [at("/w/src/b.rs", 50), at("/w/src/a.rs", 11), at("/w/src/a.rs", 11)];
        assert_eq!(code.instructions[2].lines, chain);
        assert_eq!(code.instructions[3].lines, [at("/w/src/a.rs", 12)]);
    }

    #[test]
    fn a_branch_backwards_closes_a_loop() {
        let code = Code::read(TEXT);
        assert_eq!(code.loops, [(2, 4)]);
        assert_eq!((code.around(3).count(), code.around(1).count()), (1, 0));
    }

    #[test]
    fn another_text_has_no_code() {
        assert!(Code::read("nothing\n/*\n//## File\n").instructions.is_empty());
    }
}
