//! `asm` statements as calls of the shim's PTX instructions.
//!
//! An instruction is a function named for it, its operands in their order: `bfe.u32 %0, %1, %2, %3;` is
//! `ws_ptx_bfe_u32(r, x, pos, len)`. Registers that a statement declares are variables. The shim has the list of
//! instructions (`shim/ptx.h`): another one does not compile, and the compiler's message names it.

use super::Refused;
use super::text::{enclosed, is_word, string_end, word_end};

/// Words of memory instructions that say how they are ordered and seen, not what they do.
const MODIFIERS: &str = "relaxed acquire release acq_rel seq_cst weak volatile cta cluster gpu sys global";

/// The C++ of a statement, whose text is between its parentheses.
pub(super) fn calls(
    statement: &str,
    operand: &dyn Fn(&str) -> Result<String, Refused>,
) -> Result<String, Refused> {
    let mut sections = split(statement, ':').into_iter();
    let template = literal(sections.next().unwrap_or_default());
    let mut operands = Vec::new();
    for section in sections.take(2) {
        for item in split(section, ',').into_iter().filter(|item| !item.trim().is_empty()) {
            let item = item.trim();
            operands.push(operand(item[string_end(item)..].trim())?);
        }
    }
    let body = template.trim();
    let body = body.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(body);
    let instructions: Vec<&str> = body.split(';').map(str::trim).filter(|one| !one.is_empty()).collect();
    let statement = Statement { operands, registers: declared(&instructions) };
    let calls = instructions.iter().map(|one| statement.call(one)).collect::<Result<Vec<_>, _>>()?;
    Ok(match &calls[..] {
        [] => "(void)0".to_owned(),
        [one] => one.clone(),
        many => format!("({{ {}; }})", many.join("; ")),
    })
}

/// The operands of a statement's instructions.
struct Statement {
    operands: Vec<String>,
    registers: Vec<String>,
}

/// Registers that a statement declares, without the percent signs of their names.
fn declared(instructions: &[&str]) -> Vec<String> {
    let declarations = instructions.iter().filter_map(|one| one.strip_prefix(".reg")?.trim().split_once(' '));
    let names = declarations.flat_map(|(_, names)| names.split(','));
    names.map(|name| name.trim().trim_start_matches('%').to_owned()).collect()
}

impl Statement {
    /// One instruction, or a declaration of registers.
    fn call(&self, instruction: &str) -> Result<String, Refused> {
        let refused = || Refused::Instruction(instruction.to_owned());
        if let Some(guarded) = instruction.strip_prefix('@') {
            let (guard, rest) = guarded.split_once(char::is_whitespace).ok_or_else(refused)?;
            let (not, guard) = guard.strip_prefix('!').map_or(("", guard), |guard| ("!", guard));
            let guard = self.argument(guard).ok_or_else(refused)?;
            return Ok(format!("if ({not}{guard}) {}", self.call(rest.trim())?));
        }
        let (opcode, rest) = instruction.split_once(char::is_whitespace).unwrap_or((instruction, ""));
        if opcode == ".reg" {
            let (ty, _) = rest.trim().split_once(char::is_whitespace).ok_or_else(refused)?;
            let names: Vec<String> =
                declared(&[instruction]).iter().map(|name| format!("ws_r_{name}")).collect();
            return Ok(format!("ws_{} {}", ty.trim_start_matches('.'), names.join(", ")));
        }
        let is_label = opcode.ends_with(':') || matches!(opcode, "bra" | "bra.uni" | "ret" | "call");
        if is_label || !opcode.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Err(refused());
        }
        // The result that an instruction gives to `_` is dropped.
        let tokens = rest
            .split(|c: char| ",[]{}|".contains(c) || c.is_whitespace())
            .filter(|t| !matches!(*t, "" | "_"));
        let arguments = tokens.map(|token| self.argument(token).ok_or_else(refused));
        Ok(format!("ws_ptx_{}({})", name(opcode), arguments.collect::<Result<Vec<_>, _>>()?.join(", ")))
    }

    /// An operand: `%0`, a special register `%%laneid`, a register of the statement's own, a number.
    fn argument(&self, token: &str) -> Option<String> {
        let bare = token.trim_start_matches('%');
        if self.registers.iter().any(|register| register == bare) {
            return Some(format!("ws_r_{bare}"));
        }
        if token.starts_with("%%") {
            return Some(format!("ws_sreg_{}()", bare.replace('.', "_")));
        }
        if token.starts_with('%') {
            return self.operands.get(bare.parse::<usize>().ok()?).cloned();
        }
        if let Some(bits) = token.strip_prefix("0f").and_then(|hex| u32::from_str_radix(hex, 16).ok()) {
            return Some(format!("__uint_as_float({bits:#x}u)"));
        }
        if let Some(bits) = token.strip_prefix("0d").and_then(|hex| u64::from_str_radix(hex, 16).ok()) {
            return Some(format!("__longlong_as_double((long long){bits:#x}ull)"));
        }
        token.parse::<i64>().is_ok().then(|| token.to_owned())
    }
}

/// The name of the instruction's function, behind its prefix.
fn name(opcode: &str) -> String {
    let parts: Vec<&str> = opcode.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    let is_memory = matches!(parts.first(), Some(&("ld" | "st" | "atom" | "red" | "fence" | "membar")));
    let dropped = |part: &str| is_memory && MODIFIERS.split(' ').any(|modifier| modifier == part);
    parts.into_iter().filter(|part| !dropped(part)).collect::<Vec<_>>().join("_")
}

/// The string literals of a section, joined; a macro between them is left out.
fn literal(section: &str) -> String {
    let (mut text, mut rest) = (String::new(), section);
    while let Some(open) = rest.find('"') {
        let end = open + string_end(&rest[open..]);
        text.push_str(&rest[open + 1..end - 1]);
        rest = &rest[end..];
    }
    text.replace("\\n", " ").replace("\\t", " ")
}

/// The parts of a text between separators that stand in no bracket and no string.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(c) = text[at..].chars().next() {
        at += match c {
            '"' => string_end(&text[at..]),
            '(' | '[' | '{' => enclosed(&text[at..]),
            c if c == separator => {
                parts.push(&text[start..at]);
                start = at + 1;
                1
            }
            c if is_word(c) => word_end(&text[at..]),
            c => c.len_utf8(),
        };
    }
    parts.push(&text[start..]);
    parts
}
