//! `println!` as a call of CUDA's `printf`.

use super::Printer;
use super::precedence::{Text, UNARY};
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

    /// The conversion of a scalar, and the argument cast to what it takes.
    fn printf_argument(&mut self, arg: &Expr, spec: FormatSpec) -> (String, String) {
        let scalar = arg.ty.scalar().unwrap_or(Scalar::I32);
        let value = self.expr(arg);
        if scalar == Scalar::Bool {
            let width = padding(FormatSpec { left: Some(spec.left != Some(false)), ..spec });
            return (format!("%{width}s"), format!("{} ? \"true\" : \"false\"", value.at(UNARY)));
        }
        let cast = |ty: &str| Text::cast(ty, value.clone()).text;
        if scalar.is_float() {
            let single = if scalar.bits() == 16 { cast("float") } else { String::new() };
            let value = if single.is_empty() { cast("double") } else { format!("(double){single}") };
            return (format!("%{}{}", padding(spec), float_conversion(scalar, spec)), value);
        }
        integer(scalar, spec, &cast)
    }
}

/// Flags and width.
fn padding(spec: FormatSpec) -> String {
    let minus = if spec.left == Some(true) { "-" } else { "" };
    let plus = if spec.plus { "+" } else { "" };
    let zeros = if spec.zeros { "0" } else { "" };
    let width = spec.width.map(|w| w.to_string()).unwrap_or_default();
    format!("{minus}{plus}{zeros}{width}")
}

/// As many digits as tell every value of the type apart, unless a precision says how many.
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

fn integer(scalar: Scalar, spec: FormatSpec, cast: &dyn Fn(&str) -> String) -> (String, String) {
    let base = match spec.letter {
        'x' | 'X' | 'o' => spec.letter,
        _ if scalar.is_signed() => return (format!("%{}lld", padding(spec)), cast("long long")),
        _ => return (format!("%{}llu", padding(spec)), cast("unsigned long long")),
    };
    // Digits of a negative number are those of its own width.
    let value = match scalar.bits() {
        8 => format!("(unsigned long long)(unsigned char){}", cast("int")),
        16 => format!("(unsigned long long)(unsigned short){}", cast("int")),
        32 => format!("(unsigned long long){}", cast("unsigned int")),
        _ => cast("unsigned long long"),
    };
    // C writes no base before a zero, so it is text.
    let (prefix, taken) = match (spec.alternate, base) {
        (false, _) => ("", 0),
        (true, 'o') => ("0o", 2),
        (true, _) => ("0x", 2),
    };
    let digits = FormatSpec { plus: false, width: spec.width.map(|w| w.saturating_sub(taken)), ..spec };
    (format!("{prefix}%{}ll{base}", padding(digits)), value)
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
