//! The number of copies of a loop's body in the machine code, which shows whether the loop was unrolled.
//!
//! The machine code of a text comes in, with that of the same text in which no loop is unrolled. Loops are found by the
//! Rust lines of their instructions. A loop whose body occurs several times was unrolled.

use std::collections::HashMap;

use super::sass::Code;

/// The form of a loop in the machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unrolled {
    /// Unrolled completely: its body occurs once for each iteration, without a loop.
    Wholly,
    /// Unrolled by this factor; other code does the remaining iterations.
    By(u32),
    /// Not unrolled: its body occurs once.
    Not,
}

/// The machine code of a launch, and that of its loops when they are left as they are.
#[derive(Clone, Debug)]
pub(crate) struct Bodies {
    made: Code,
    rolled: Code,
}

/// The lines of a loop's own statements.
pub(crate) type Lines<'a> = &'a [(&'a str, u32)];

impl Bodies {
    /// Reads the output of `nvdisasm` for both, with lines.
    pub fn new(made: &str, rolled: &str) -> Self {
        Self { made: Code::read(made), rolled: Code::read(rolled) }
    }

    /// The form of a loop whose own statements, and no others, are at the lines `own`. `around` are the lines of the loops
    /// around it, outer ones first. `None` if no instruction tells it.
    pub fn of(&self, own: Lines<'_>, around: &[Lines<'_>]) -> Option<Unrolled> {
        depth(&self.rolled, own).filter(|depth| *depth > 0)?;
        let gone = |lines: Lines<'_>| {
            let written = depth(&self.rolled, lines)?;
            Some(written.saturating_sub(depth(&self.made, lines)?))
        };
        let outside = around.iter().rev().find_map(|lines| gone(lines)).unwrap_or(0);
        if gone(own)? > outside {
            return Some(Unrolled::Wholly);
        }
        let (made, once) = (most(&self.made, own), most(&self.rolled, own));
        let times = once
            .iter()
            .filter_map(|(operation, once)| made.get(operation).map(|made| (made + once / 2) / once));
        match times.max()? {
            0 | 1 => Some(Unrolled::Not),
            times => Some(Unrolled::By(times)),
        }
    }
}

/// The greatest number of loops around an instruction of these lines; `None` if there is no such instruction.
fn depth(code: &Code, lines: Lines<'_>) -> Option<usize> {
    here(code, lines).map(|at| code.around(at).count()).max()
}

/// The instructions of some lines that do its work.
fn here<'a>(code: &'a Code, lines: Lines<'a>) -> impl Iterator<Item = usize> + 'a {
    let is_here = |file: &str, line: u32| lines.iter().any(|(own, at)| *at == line && file.ends_with(own));
    let all = code.instructions.iter().enumerate();
    all.filter(move |(_, of)| {
        works(&of.operation) && of.lines.iter().any(|(file, line)| is_here(file, *line))
    })
    .map(|(at, _)| at)
}

/// The number of each operation of these lines, in the innermost loop that has most of them.
fn most<'a>(code: &'a Code, lines: Lines<'a>) -> HashMap<&'a str, u32> {
    let mut counts: HashMap<(usize, &str), u32> = HashMap::new();
    for at in here(code, lines) {
        if let Some(inner) = code.around(at).last() {
            *counts.entry((inner, &code.instructions[at].operation)).or_default() += 1;
        }
    }
    let mut most = HashMap::new();
    for ((_, operation), count) in counts {
        let known = most.entry(operation).or_insert(0);
        *known = count.max(*known);
    }
    most
}

/// Returns whether an instruction is the work of a line, rather than of its loop or its addresses. Compilers add and remove
/// moves and sums of integers freely.
fn works(operation: &str) -> bool {
    const OTHERS: [&str; 24] = [
        "BRA", "BSSY", "BSYNC", "EXIT", "NOP", "WARPSYNC", "CALL", "RET", "MOV", "IMAD", "IADD", "IADD3",
        "LEA", "ISETP", "SEL", "PLOP3", "S2R", "S2UR", "LDC", "SHF", "CS2R", "R2UR", "PRMT", "VIADD",
    ];
    let is_uniform = operation.starts_with('U');
    !is_uniform && !OTHERS.contains(&operation)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instructions, a line each: `label:`, `operation line` or `BRA label`.
    fn code(text: &str) -> String {
        let line = |line: &str| match line.split_once(' ') {
            None => line.to_owned(),
            Some(("BRA", label)) => format!("/*00*/ @P0 BRA `({label}) ;"),
            Some((operation, at)) => format!("\t//## File \"/w/a.rs\", line {at}\n/*00*/ {operation} R1 ;"),
        };
        text.split("; ").map(line).collect::<Vec<_>>().join("\n")
    }

    const ONCE: &str = ".a:; LDG 3; FADD 3; IADD3 3; BRA .a; EXIT 5";

    #[track_caller]
    fn check(made: &str, rolled: &str, expected: Option<Unrolled>) {
        let bodies = Bodies::new(&code(made), &code(rolled));
        assert_eq!(bodies.of(&[("a.rs", 3)], &[]), expected, "{made}");
    }

    #[test]
    fn a_body_that_is_there_several_times_is_unrolled() {
        check(ONCE, ONCE, Some(Unrolled::Not));
        let four = ".a:; LDG 3; LDG 3; LDG 3; LDG 3; FADD 3; FADD 3; FADD 3; FADD 3; BRA .a";
        let rest = ".b:; LDG 3; FADD 3; BRA .b; EXIT 5";
        check(&format!("{four}; {rest}"), ONCE, Some(Unrolled::By(4)));
        check("LDG 3; FADD 3; LDG 3; FADD 3; EXIT 5", ONCE, Some(Unrolled::Wholly));
    }

    #[test]
    fn lines_without_instructions_tell_nothing() {
        check("EXIT 5", ONCE, None);
        check(ONCE, "EXIT 5", None);
        check("LDG 3; EXIT 5", "LDG 3; EXIT 5", None);
    }

    #[test]
    fn a_loop_in_one_that_is_unrolled_is_not_thereby() {
        let rolled = ".a:; LDS 2; .b:; LDG 3; BRA .b; BRA .a";
        let made = "LDS 2; .b:; LDG 3; BRA .b; LDS 2; .c:; LDG 3; BRA .c";
        let bodies = Bodies::new(&code(made), &code(rolled));
        assert_eq!(bodies.of(&[("a.rs", 3)], &[&[("a.rs", 2)]]), Some(Unrolled::Not));
        assert_eq!(bodies.of(&[("a.rs", 2)], &[]), Some(Unrolled::Wholly));
    }
}
