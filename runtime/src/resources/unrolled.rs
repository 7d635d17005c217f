//! How often the machine code has the body of a loop: what was unrolled, whoever did it.
//!
//! What comes in is the machine code of a text, and that of the same text with loops that were left as they are. Its loops are
//! found by the Rust lines of their instructions; a body that is there several times was unrolled.

use std::collections::HashMap;

use super::sass::Code;

/// What the compiler made of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unrolled {
    /// Its body is there once for each iteration, and nothing repeats it.
    Wholly,
    /// Its body is there so many times; other code does what is left of its iterations.
    By(u32),
    /// Its body is there once.
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
    /// Of what `nvdisasm` writes of both, with lines.
    pub fn new(made: &str, rolled: &str) -> Self {
        Self { made: Code::read(made), rolled: Code::read(rolled) }
    }

    /// What became of a loop whose own statements, and no others, stand at `own`; `around` are those of the loops
    /// around it, outer ones first. `None` where no instruction tells it.
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

/// Loops around the instructions of some lines, where they have most; `None` if there are no such instructions.
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

/// How often each operation of some lines is there, in the innermost loop that has it most often.
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

/// Whether an instruction does what a line says, and not what its loop or its addresses need: moves and sums of integers come
/// and go as a compiler likes.
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
