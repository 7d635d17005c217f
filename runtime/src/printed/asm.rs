//! `asm` statements as calls of the shim's PTX instructions.
//!
//! An instruction is a function named for it, its operands in their order: `bfe.u32 %0, %1, %2, %3;` is
//! `ws_ptx_bfe_u32(r, x, pos, len)`. Where a statement declares registers, they are variables. Which instructions there
//! are is the shim's to say (`shim/ptx.h`): another one does not compile, and the compiler's message names it.

use super::Refused;
use super::text::{enclosed, is_word, string_end, word_end};

/// Words of memory instructions that say how they are ordered and seen, not what they do.
const MODIFIERS: &str = "relaxed acquire release acq_rel seq_cst weak volatile cta cluster gpu sys global";

/// C++ that does what a statement does, whose text is between its parentheses.
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
    let calls = instructions.iter().map(|one| call(one, &operands)).collect::<Result<Vec<_>, _>>()?;
    Ok(match &calls[..] {
        [] => "(void)0".to_owned(),
        [one] => one.clone(),
        many => format!("({{ {}; }})", many.join("; ")),
    })
}

/// One instruction, or a declaration of registers.
fn call(instruction: &str, operands: &[String]) -> Result<String, Refused> {
    let refused = || Refused::Instruction(instruction.to_owned());
    let (opcode, rest) = instruction.split_once(char::is_whitespace).unwrap_or((instruction, ""));
    if opcode == ".reg" {
        let (ty, names) = rest.trim().split_once(char::is_whitespace).ok_or_else(refused)?;
        let names: Vec<String> = names.split(',').map(|name| format!("ws_r_{}", name.trim())).collect();
        return Ok(format!("ws_{} {}", ty.trim_start_matches('.'), names.join(", ")));
    }
    if !opcode.starts_with(|c: char| c.is_ascii_lowercase()) || opcode.contains(':') && !opcode.contains("::")
    {
        return Err(refused());
    }
    let tokens = rest.split(|c: char| ",[]{}".contains(c) || c.is_whitespace()).filter(|t| !t.is_empty());
    let arguments = tokens.map(|token| argument(token, operands).ok_or_else(refused));
    Ok(format!("ws_ptx_{}({})", name(opcode), arguments.collect::<Result<Vec<_>, _>>()?.join(", ")))
}

/// The name of the instruction's function, behind its prefix.
fn name(opcode: &str) -> String {
    let parts: Vec<&str> = opcode.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    let is_memory = matches!(parts.first(), Some(&("ld" | "st" | "atom" | "red" | "fence" | "membar")));
    let dropped = |part: &str| is_memory && MODIFIERS.split(' ').any(|modifier| modifier == part);
    parts.into_iter().filter(|part| !dropped(part)).collect::<Vec<_>>().join("_")
}

/// An operand: `%0`, a special register `%%laneid`, a register of the statement's own, a number.
fn argument(token: &str, operands: &[String]) -> Option<String> {
    if let Some(register) = token.strip_prefix("%%") {
        return Some(format!("ws_sreg_{}()", register.replace('.', "_")));
    }
    if let Some(number) = token.strip_prefix('%') {
        let operand = operands.get(number.parse::<usize>().ok()?)?;
        return Some(operand.clone());
    }
    if token.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return token.parse::<i64>().is_ok().then(|| token.to_owned());
    }
    (word_end(token) == token.len()).then(|| format!("ws_r_{token}"))
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
