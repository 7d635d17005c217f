//! `println!` as a call of CUDA's `printf`.

use super::Printer;
use super::precedence::{ASSIGNMENT, Text, UNARY};
use crate::ir::{Expr, FormatPiece, FormatSpec, Scalar};

impl Printer<'_> {
    pub(super) fn print(&mut self, pieces: &[FormatPiece], args: &[Expr]) {
        let mut format = String::new();
        let mut values = Vec::new();
        let mut next = args.iter();
        for piece in pieces {
            match piece {
                FormatPiece::Text(text) => format.push_str(&escape(text)),
                FormatPiece::Arg(spec) => {
                    let Some(arg) = next.next() else { continue };
                    let (conversion, value) = self.printf_argument(arg, *spec);
                    format.push_str(&conversion);
                    values.push(value);
                }
            }
        }
        let values: String = values.iter().map(|v| format!(", {v}")).collect();
        self.function.push(&format!("printf(\"{format}\"{values});"));
    }

    /// The conversion of a scalar, and the argument as it takes it.
    fn printf_argument(&mut self, arg: &Expr, spec: FormatSpec) -> (String, String) {
        let scalar = super::types::scalar_of(&arg.ty);
        let value = self.expr(arg);
        if scalar == Scalar::Bool {
            let width = padding(FormatSpec { left: Some(spec.left != Some(false)), plus: false, ..spec });
            return (format!("%{width}s"), format!("{} ? \"true\" : \"false\"", value.at(UNARY)));
        }
        let cast = |ty: &str| Text::cast(ty, value.clone()).text;
        if scalar.is_float() {
            let single = if scalar.bits() == 16 { cast("float") } else { String::new() };
            let value = if single.is_empty() { cast("double") } else { format!("(double){single}") };
            return (format!("%{}{}", padding(spec), float_conversion(scalar, spec)), value);
        }
        integer(scalar, spec, value)
    }
}

/// Flags and width.
fn padding(spec: FormatSpec) -> String {
    let minus = if spec.left == Some(true) && spec.width.is_some() { "-" } else { "" };
    let plus = if spec.plus { "+" } else { "" };
    let zeros = if spec.zeros { "0" } else { "" };
    let width = spec.width.map(|w| w.to_string()).unwrap_or_default();
    format!("{minus}{plus}{zeros}{width}")
}

/// Without a precision, prints enough digits to tell every value of the type apart.
fn float_conversion(scalar: Scalar, spec: FormatSpec) -> String {
    let digits = match scalar {
        Scalar::F64 => 17,
        Scalar::F16 => 5,
        Scalar::BF16 => 4,
        _ => 9,
    };
    match (spec.precision, spec.letter) {
        (None, 'e' | 'E') => format!(".{}{}", digits - 1, spec.letter),
        (Some(p), 'e' | 'E') => format!(".{p}{}", spec.letter),
        (Some(p), _) => format!(".{p}f"),
        (None, _) => format!(".{digits}g"),
    }
}

/// Those of 32 bits and less are promoted to `int`; those of 64 say that they are longer.
fn integer(scalar: Scalar, spec: FormatSpec, value: Text) -> (String, String) {
    let length = if scalar.bits() == 64 { "ll" } else { "" };
    let base = match spec.letter {
        'x' | 'X' | 'o' => spec.letter,
        // C has no sign for what is unsigned: it is signed, or text where no signed type holds it.
        _ if spec.plus && scalar.is_unsigned() && scalar.bits() < 64 => {
            return (format!("%{}lld", padding(spec)), Text::cast("long long", value).text);
        }
        _ if spec.plus && scalar.is_unsigned() => {
            return (format!("+%{}llu", padding(behind_text(spec, 1))), value.at(ASSIGNMENT));
        }
        _ => {
            let letter = if scalar.is_signed() { 'd' } else { 'u' };
            return (format!("%{}{length}{letter}", padding(spec)), value.at(ASSIGNMENT));
        }
    };
    // Digits of a negative number are those of its own width.
    let value = match scalar {
        Scalar::I8 => Text::cast("unsigned char", value).text,
        Scalar::I16 => Text::cast("unsigned short", value).text,
        Scalar::I32 => Text::cast("unsigned int", value).text,
        Scalar::I64 => Text::cast("unsigned long long", value).text,
        _ => value.at(ASSIGNMENT),
    };
    // C writes no base before a zero and no sign before digits of a base, so they are text.
    let sign = if spec.plus { "+" } else { "" };
    let prefix = match (spec.alternate, base) {
        (false, _) => "",
        (true, 'o') => "0o",
        (true, _) => "0x",
    };
    let digits = behind_text(spec, (sign.len() + prefix.len()) as u32);
    (format!("{sign}{prefix}%{}{length}{base}", padding(digits)), value)
}

/// The rest of a conversion whose sign and first characters stand before it as text.
fn behind_text(spec: FormatSpec, taken: u32) -> FormatSpec {
    FormatSpec { plus: false, width: spec.width.map(|w| w.saturating_sub(taken)), ..spec }
}

/// Text inside a C string that `printf` reads.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'%' => out.push_str("%%"),
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            0x20..=0x7e => out.push(char::from(byte)),
            other => out.push_str(&format!("\\{other:03o}")),
        }
    }
    out
}
