//! `println!` of a kernel, formatted as Rust does.

use super::numeric::get;
use super::program::Slot;
use crate::ir::{FormatPiece, FormatSpec, Scalar};
use crate::simulator::context;

/// A `println!` or `print!`.
pub(super) struct Print {
    pub pieces: Vec<FormatPiece>,
    pub args: Vec<(Slot, Scalar)>,
}

impl Print {
    /// Prints for a thread.
    pub fn print(&self, frame: *mut u8) {
        let mut text = String::new();
        let mut args = self.args.iter();
        for piece in &self.pieces {
            match piece {
                FormatPiece::Text(piece) => text.push_str(piece),
                FormatPiece::Arg(spec) => {
                    if let Some((slot, scalar)) = args.next() {
                        text.push_str(&formatted(*scalar, frame, *slot, *spec));
                    }
                }
            }
        }
        // The recorder keeps the line feed of `println!` as text.
        context::print(text, false);
    }
}

/// A value as `{}` shows it.
pub(super) fn plain(scalar: Scalar, frame: *mut u8, slot: Slot) -> String {
    formatted(scalar, frame, slot, FormatSpec { letter: ' ', ..FormatSpec::default() })
}

macro_rules! integer {
    ($t:ty, $value:expr, $spec:expr) => {{
        let value: $t = $value;
        let (digits, prefix) = match $spec.letter {
            'x' => (format!("{value:x}"), "0x"),
            'X' => (format!("{value:X}"), "0x"),
            'o' => (format!("{value:o}"), "0o"),
            _ => (format!("{value}"), ""),
        };
        signed(digits, if $spec.alternate { prefix } else { "" }, $spec)
    }};
}

macro_rules! float {
    ($value:expr, $spec:expr) => {{
        let value = $value;
        let digits = match ($spec.letter, $spec.precision) {
            ('e', None) => format!("{value:e}"),
            ('E', None) => format!("{value:E}"),
            ('e', Some(digits)) => format!("{value:.*e}", digits as usize),
            ('E', Some(digits)) => format!("{value:.*E}", digits as usize),
            (_, None) => format!("{value}"),
            (_, Some(digits)) => format!("{value:.*}", digits as usize),
        };
        let spec = FormatSpec { plus: $spec.plus && !value.is_nan(), ..$spec };
        signed(digits, "", spec)
    }};
}

fn formatted(scalar: Scalar, frame: *mut u8, slot: Slot, spec: FormatSpec) -> String {
    // SAFETY: the lowering put a value of this type at the slot.
    unsafe {
        match scalar {
            Scalar::Bool => boolean(get::<u8>(frame, slot) != 0, spec),
            Scalar::I8 => integer!(i8, get(frame, slot), spec),
            Scalar::I16 => integer!(i16, get(frame, slot), spec),
            Scalar::I32 => integer!(i32, get(frame, slot), spec),
            Scalar::I64 => integer!(i64, get(frame, slot), spec),
            Scalar::U8 => integer!(u8, get(frame, slot), spec),
            Scalar::U16 => integer!(u16, get(frame, slot), spec),
            Scalar::U32 => integer!(u32, get(frame, slot), spec),
            Scalar::U64 => integer!(u64, get(frame, slot), spec),
            Scalar::F16 => float!(get::<crate::half::f16>(frame, slot).to_f32(), spec),
            Scalar::BF16 => float!(get::<crate::half::bf16>(frame, slot).to_f32(), spec),
            Scalar::F32 => float!(get::<f32>(frame, slot), spec),
            Scalar::F64 => float!(get::<f64>(frame, slot), spec),
        }
    }
}

/// Text, to the left unless told.
fn boolean(value: bool, spec: FormatSpec) -> String {
    let text = value.to_string();
    let kept: String = text.chars().take(spec.precision.map_or(usize::MAX, |n| n as usize)).collect();
    pad(kept, spec, true)
}

/// Digits with a sign, the base before them, and zeros between.
fn signed(digits: String, prefix: &str, spec: FormatSpec) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest.to_owned()),
        None if spec.plus => ("+", digits),
        None => ("", digits),
    };
    let taken = sign.len() + prefix.len();
    let width = spec.width.map_or(0, |w| w as usize).saturating_sub(taken);
    if spec.zeros {
        return format!("{sign}{prefix}{digits:0>width$}");
    }
    pad(format!("{sign}{prefix}{digits}"), spec, false)
}

fn pad(text: String, spec: FormatSpec, left: bool) -> String {
    let width = spec.width.map_or(0, |w| w as usize);
    if spec.left.unwrap_or(left) { format!("{text:<width$}") } else { format!("{text:>width$}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: f32, spec: FormatSpec) -> String {
        let mut word = value.to_bits();
        formatted(Scalar::F32, std::ptr::from_mut(&mut word).cast(), 0, spec)
    }

    fn shown_int(value: i32, spec: FormatSpec) -> String {
        let mut word = value;
        formatted(Scalar::I32, std::ptr::from_mut(&mut word).cast(), 0, spec)
    }

    #[test]
    fn values_are_formatted_as_by_rust() {
        let spec = FormatSpec { letter: ' ', ..FormatSpec::default() };
        assert_eq!(shown(1.5, spec), format!("{}", 1.5f32));
        let wide = FormatSpec { width: Some(9), precision: Some(2), ..spec };
        assert_eq!(shown(-1.5, wide), format!("{:9.2}", -1.5f32));
        assert_eq!(shown(-1.5, FormatSpec { zeros: true, ..wide }), format!("{:09.2}", -1.5f32));
        assert_eq!(
            shown(f32::INFINITY, FormatSpec { plus: true, ..wide }),
            format!("{:+9.2}", f32::INFINITY)
        );
        assert_eq!(shown(f32::NAN, FormatSpec { plus: true, ..wide }), format!("{:+9.2}", f32::NAN));
        assert_eq!(shown(f32::NAN, FormatSpec { zeros: true, ..wide }), format!("{:09.2}", f32::NAN));
        assert_eq!(shown(1e30, FormatSpec { letter: 'e', ..spec }), format!("{:e}", 1e30f32));
        let hex = FormatSpec { letter: 'x', alternate: true, width: Some(12), ..spec };
        assert_eq!(shown_int(-7, hex), format!("{:#12x}", -7));
        assert_eq!(shown_int(77, FormatSpec { zeros: true, ..hex }), format!("{:#012x}", 77));
        let left = FormatSpec { left: Some(true), width: Some(6), plus: true, ..spec };
        assert_eq!(shown_int(7, left), format!("{:<+6}", 7));
    }
}
