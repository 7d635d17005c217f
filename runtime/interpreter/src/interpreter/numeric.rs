//! Arithmetic on scalars in a frame, an ordinary Rust function for each operator and type.

use crate::half::{Nearest as _, bf16, double_to_round, f16};

use super::program::{BinaryFn, CheckedFn, FirstFn, NextFn, Slot, TestFn, UnaryFn};
use crate::ir::{BinaryOp, RangeLoop, Scalar, UnaryOp};

/// Reads a value of the frame.
///
/// # Safety
/// There is a `T` at the slot.
#[inline(always)]
pub(super) unsafe fn get<T: Copy>(frame: *mut u8, slot: Slot) -> T {
    // SAFETY: as promised by the caller; slots are aligned for what they hold.
    unsafe { frame.offset(slot as isize).cast::<T>().read() }
}

/// Writes a value of the frame.
///
/// # Safety
/// The slot has room for a `T`.
#[inline(always)]
pub(super) unsafe fn put<T>(frame: *mut u8, slot: Slot, value: T) {
    // SAFETY: as promised by the caller; slots are aligned for what they hold.
    unsafe { frame.offset(slot as isize).cast::<T>().write(value) }
}

/// An operator on two values.
pub(super) enum Binary {
    Plain(BinaryFn),
    /// With what Rust says where it refuses the operands.
    Checked(CheckedFn, &'static str),
}

/// An operator on one value; the second operand of a checked one is not read.
pub(super) enum Unary {
    Plain(UnaryFn),
    Checked(CheckedFn, &'static str),
}

macro_rules! unary {
    ($t:ty => $r:ty, |$a:ident| $e:expr) => {{
        unsafe fn f(frame: *mut u8, to: Slot, a: Slot) {
            // SAFETY: the lowering put operands of these types at the slots.
            unsafe {
                let $a: $t = get(frame, a);
                put::<$r>(frame, to, $e);
            }
        }
        f as UnaryFn
    }};
}

macro_rules! binary {
    ($t:ty, $u:ty => $r:ty, |$a:ident, $b:ident| $e:expr) => {{
        unsafe fn f(frame: *mut u8, to: Slot, a: Slot, b: Slot) {
            // SAFETY: the lowering put operands of these types at the slots.
            unsafe {
                let ($a, $b): ($t, $u) = (get(frame, a), get(frame, b));
                put::<$r>(frame, to, $e);
            }
        }
        f as BinaryFn
    }};
}

macro_rules! checked {
    ($t:ty, $u:ty => $r:ty, |$a:ident, $b:ident| $e:expr) => {{
        unsafe fn f(frame: *mut u8, to: Slot, a: Slot, b: Slot) -> bool {
            // SAFETY: the lowering put operands of these types at the slots.
            unsafe {
                let ($a, $b): ($t, $u) = (get(frame, a), get(frame, b));
                match $e {
                    Some(value) => {
                        put::<$r>(frame, to, value);
                        true
                    }
                    None => false,
                }
            }
        }
        f as CheckedFn
    }};
}

macro_rules! comparison {
    ($t:ty, $op:expr) => {
        Some(Binary::Plain(match $op {
            BinaryOp::Eq => binary!($t, $t => bool, |a, b| a == b),
            BinaryOp::Ne => binary!($t, $t => bool, |a, b| a != b),
            BinaryOp::Lt => binary!($t, $t => bool, |a, b| a < b),
            BinaryOp::Le => binary!($t, $t => bool, |a, b| a <= b),
            BinaryOp::Gt => binary!($t, $t => bool, |a, b| a > b),
            BinaryOp::Ge => binary!($t, $t => bool, |a, b| a >= b),
            _ => return None,
        }))
    };
}

/// Integers: the count of a shift is a `u64`.
macro_rules! integer {
    ($t:ty, $op:expr, $overflow:expr) => {{
        use Binary::{Checked, Plain};
        const BITS: u64 = <$t>::BITS as u64;
        Some(match ($op, $overflow) {
            (BinaryOp::Add, true) => {
                Checked(checked!($t, $t => $t, |a, b| a.checked_add(b)), "attempt to add with overflow")
            }
            (BinaryOp::Sub, true) => {
                Checked(checked!($t, $t => $t, |a, b| a.checked_sub(b)), "attempt to subtract with overflow")
            }
            (BinaryOp::Mul, true) => {
                Checked(checked!($t, $t => $t, |a, b| a.checked_mul(b)), "attempt to multiply with overflow")
            }
            (BinaryOp::Add, false) => Plain(binary!($t, $t => $t, |a, b| a.wrapping_add(b))),
            (BinaryOp::Sub, false) => Plain(binary!($t, $t => $t, |a, b| a.wrapping_sub(b))),
            (BinaryOp::Mul, false) => Plain(binary!($t, $t => $t, |a, b| a.wrapping_mul(b))),
            (BinaryOp::Div, _) => Checked(checked!($t, $t => $t, |a, b| a.checked_div(b)), "divide"),
            (BinaryOp::Rem, _) => Checked(checked!($t, $t => $t, |a, b| a.checked_rem(b)), "remainder"),
            (BinaryOp::BitAnd, _) => Plain(binary!($t, $t => $t, |a, b| a & b)),
            (BinaryOp::BitOr, _) => Plain(binary!($t, $t => $t, |a, b| a | b)),
            (BinaryOp::BitXor, _) => Plain(binary!($t, $t => $t, |a, b| a ^ b)),
            (BinaryOp::Shl, true) => Checked(
                checked!($t, u64 => $t, |a, n| if n < BITS { Some(a << n) } else { None }),
                "attempt to shift left with overflow",
            ),
            (BinaryOp::Shr, true) => Checked(
                checked!($t, u64 => $t, |a, n| if n < BITS { Some(a >> n) } else { None }),
                "attempt to shift right with overflow",
            ),
            (BinaryOp::Shl, false) => Plain(binary!($t, u64 => $t, |a, n| a << (n % BITS))),
            (BinaryOp::Shr, false) => Plain(binary!($t, u64 => $t, |a, n| a >> (n % BITS))),
            (op, _) => return comparison!($t, op),
        })
    }};
}

macro_rules! float {
    ($t:ty, $op:expr) => {
        Some(Binary::Plain(match $op {
            BinaryOp::Add => binary!($t, $t => $t, |a, b| a + b),
            BinaryOp::Sub => binary!($t, $t => $t, |a, b| a - b),
            BinaryOp::Mul => binary!($t, $t => $t, |a, b| a * b),
            BinaryOp::Div => binary!($t, $t => $t, |a, b| a / b),
            BinaryOp::Rem => binary!($t, $t => $t, |a, b| a % b),
            op => return comparison!($t, op),
        }))
    };
}

/// An operator on two scalars; nothing where there is none, or where it is lazy.
pub(super) fn binary(op: BinaryOp, scalar: Scalar, overflow: bool) -> Option<Binary> {
    match scalar {
        Scalar::Bool => boolean(op),
        Scalar::I8 => integer!(i8, op, overflow),
        Scalar::I16 => integer!(i16, op, overflow),
        Scalar::I32 => integer!(i32, op, overflow),
        Scalar::I64 => integer!(i64, op, overflow),
        Scalar::U8 => integer!(u8, op, overflow),
        Scalar::U16 => integer!(u16, op, overflow),
        Scalar::U32 => integer!(u32, op, overflow),
        Scalar::U64 => integer!(u64, op, overflow),
        Scalar::F16 => float!(f16, op),
        Scalar::BF16 => float!(bf16, op),
        Scalar::F32 => float!(f32, op),
        Scalar::F64 => float!(f64, op),
    }
}

fn boolean(op: BinaryOp) -> Option<Binary> {
    Some(Binary::Plain(match op {
        BinaryOp::BitAnd => binary!(bool, bool => bool, |a, b| a & b),
        BinaryOp::BitOr => binary!(bool, bool => bool, |a, b| a | b),
        BinaryOp::BitXor => binary!(bool, bool => bool, |a, b| a ^ b),
        op => return comparison!(bool, op),
    }))
}

macro_rules! signed {
    ($t:ty, $op:expr, $overflow:expr) => {
        match ($op, $overflow) {
            (UnaryOp::Not, _) => Unary::Plain(unary!($t => $t, |a| !a)),
            (UnaryOp::Neg, false) => Unary::Plain(unary!($t => $t, |a| a.wrapping_neg())),
            (UnaryOp::Neg, true) => Unary::Checked(
                checked!($t, $t => $t, |a, _b| a.checked_neg()),
                "attempt to negate with overflow",
            ),
        }
    };
}

macro_rules! test {
    ($t:ty, $op:expr) => {{
        macro_rules! by {
            ($compare:tt) => {{
                unsafe fn f(frame: *mut u8, a: Slot, b: Slot) -> bool {
                    // SAFETY: the lowering put operands of this type at the slots.
                    unsafe { get::<$t>(frame, a) $compare get::<$t>(frame, b) }
                }
                f as TestFn
            }};
        }
        Some(match $op {
            BinaryOp::Eq => by!(==),
            BinaryOp::Ne => by!(!=),
            BinaryOp::Lt => by!(<),
            BinaryOp::Le => by!(<=),
            BinaryOp::Gt => by!(>),
            BinaryOp::Ge => by!(>=),
            _ => return None,
        })
    }};
}

/// A comparison of two scalars.
pub(super) fn test(op: BinaryOp, scalar: Scalar) -> Option<TestFn> {
    match scalar {
        Scalar::Bool => test!(bool, op),
        Scalar::I8 => test!(i8, op),
        Scalar::I16 => test!(i16, op),
        Scalar::I32 => test!(i32, op),
        Scalar::I64 => test!(i64, op),
        Scalar::U8 => test!(u8, op),
        Scalar::U16 => test!(u16, op),
        Scalar::U32 => test!(u32, op),
        Scalar::U64 => test!(u64, op),
        Scalar::F16 => test!(f16, op),
        Scalar::BF16 => test!(bf16, op),
        Scalar::F32 => test!(f32, op),
        Scalar::F64 => test!(f64, op),
    }
}

/// An operator on one scalar.
pub(super) fn unary(op: UnaryOp, scalar: Scalar, overflow: bool) -> Option<Unary> {
    Some(match (scalar, op) {
        (Scalar::Bool, UnaryOp::Not) => Unary::Plain(unary!(bool => bool, |a| !a)),
        (Scalar::I8, op) => signed!(i8, op, overflow),
        (Scalar::I16, op) => signed!(i16, op, overflow),
        (Scalar::I32, op) => signed!(i32, op, overflow),
        (Scalar::I64, op) => signed!(i64, op, overflow),
        (Scalar::U8, UnaryOp::Not) => Unary::Plain(unary!(u8 => u8, |a| !a)),
        (Scalar::U16, UnaryOp::Not) => Unary::Plain(unary!(u16 => u16, |a| !a)),
        (Scalar::U32, UnaryOp::Not) => Unary::Plain(unary!(u32 => u32, |a| !a)),
        (Scalar::U64, UnaryOp::Not) => Unary::Plain(unary!(u64 => u64, |a| !a)),
        (Scalar::F16, UnaryOp::Neg) => Unary::Plain(unary!(f16 => f16, |a| -a)),
        (Scalar::BF16, UnaryOp::Neg) => Unary::Plain(unary!(bf16 => bf16, |a| -a)),
        (Scalar::F32, UnaryOp::Neg) => Unary::Plain(unary!(f32 => f32, |a| -a)),
        (Scalar::F64, UnaryOp::Neg) => Unary::Plain(unary!(f64 => f64, |a| -a)),
        _ => return None,
    })
}

/// `a as T` from a type that Rust itself casts; floats of 16 bits by way of another.
macro_rules! cast_from {
    ($t:ty, |$a:ident| $value:expr, $half:ident $wide:ty, $to:expr) => {
        match $to {
            Scalar::Bool => return None,
            Scalar::I8 => unary!($t => i8, |$a| $value as i8),
            Scalar::I16 => unary!($t => i16, |$a| $value as i16),
            Scalar::I32 => unary!($t => i32, |$a| $value as i32),
            Scalar::I64 => unary!($t => i64, |$a| $value as i64),
            Scalar::U8 => unary!($t => u8, |$a| $value as u8),
            Scalar::U16 => unary!($t => u16, |$a| $value as u16),
            Scalar::U32 => unary!($t => u32, |$a| $value as u32),
            Scalar::U64 => unary!($t => u64, |$a| $value as u64),
            Scalar::F16 => unary!($t => f16, |$a| f16::$half($value as $wide)),
            Scalar::BF16 => unary!($t => bf16, |$a| bf16::$half($value as $wide)),
            Scalar::F32 => unary!($t => f32, |$a| $value as f32),
            Scalar::F64 => unary!($t => f64, |$a| $value as f64),
        }
    };
}

/// A conversion between scalars.
pub(super) fn cast(from: Scalar, to: Scalar) -> Option<UnaryFn> {
    if from == Scalar::Bool && to == Scalar::Bool {
        return Some(unary!(bool => bool, |a| a));
    }
    // These do not fit a double.
    match (from, to) {
        (Scalar::I64, Scalar::BF16) => {
            return Some(unary!(i64 => bf16, |a| bf16::nearest(double_to_round(a.into()))));
        }
        (Scalar::U64, Scalar::BF16) => {
            return Some(unary!(u64 => bf16, |a| bf16::nearest(double_to_round(a.into()))));
        }
        _ => {}
    }
    Some(match from {
        Scalar::Bool => cast_from!(bool, |a| u8::from(a), nearest f64, to),
        Scalar::I8 => cast_from!(i8, |a| a, nearest f64, to),
        Scalar::I16 => cast_from!(i16, |a| a, nearest f64, to),
        Scalar::I32 => cast_from!(i32, |a| a, nearest f64, to),
        Scalar::I64 => cast_from!(i64, |a| a, nearest f64, to),
        Scalar::U8 => cast_from!(u8, |a| a, nearest f64, to),
        Scalar::U16 => cast_from!(u16, |a| a, nearest f64, to),
        Scalar::U32 => cast_from!(u32, |a| a, nearest f64, to),
        Scalar::U64 => cast_from!(u64, |a| a, nearest f64, to),
        Scalar::F16 => cast_from!(f16, |a| a.to_f32(), from_f32 f32, to),
        Scalar::BF16 => cast_from!(bf16, |a| a.to_f32(), from_f32 f32, to),
        Scalar::F32 => cast_from!(f32, |a| a, from_f32 f32, to),
        Scalar::F64 => cast_from!(f64, |a| a, nearest f64, to),
    })
}

/// Checks that the integer part of a value lies between the two numbers at the second slot.
pub(super) fn within(from: Scalar) -> Option<CheckedFn> {
    macro_rules! integer_within {
        ($t:ty) => {
            checked!($t, [i128; 2] => $t, |a, range| {
                (range[0] <= i128::from(a) && i128::from(a) <= range[1]).then_some(a)
            })
        };
    }
    macro_rules! float_within {
        ($t:ty, $wide:expr) => {
            checked!($t, [i128; 2] => $t, |a, range| {
                let wide: f64 = $wide(a);
                // Saturates beyond 128 bits, which no range holds.
                let whole = wide as i128;
                (!wide.is_nan() && range[0] <= whole && whole <= range[1]).then_some(a)
            })
        };
    }
    Some(match from {
        Scalar::Bool => return None,
        Scalar::I8 => integer_within!(i8),
        Scalar::I16 => integer_within!(i16),
        Scalar::I32 => integer_within!(i32),
        Scalar::I64 => integer_within!(i64),
        Scalar::U8 => integer_within!(u8),
        Scalar::U16 => integer_within!(u16),
        Scalar::U32 => integer_within!(u32),
        Scalar::U64 => integer_within!(u64),
        Scalar::F16 => float_within!(f16, f16::to_f64),
        Scalar::BF16 => float_within!(bf16, bf16::to_f64),
        Scalar::F32 => float_within!(f32, f64::from),
        Scalar::F64 => float_within!(f64, f64::from),
    })
}

/// How a counter walks a range.
pub(super) struct Walk {
    pub first: FirstFn,
    pub next: NextFn,
}

macro_rules! first {
    ($t:ty, |$start:ident, $end:ident| $some:expr, $value:expr) => {{
        unsafe fn f(frame: *mut u8, counter: Slot, start: Slot, end: Slot) -> bool {
            // SAFETY: the lowering put bounds of this type at the slots.
            unsafe {
                let ($start, $end): ($t, $t) = (get(frame, start), get(frame, end));
                if $some {
                    put::<$t>(frame, counter, $value);
                }
                $some
            }
        }
        f as FirstFn
    }};
}

macro_rules! next {
    ($t:ty, |$i:ident, $bound:ident, $step:ident| $more:expr, $value:expr) => {{
        unsafe fn f(frame: *mut u8, counter: Slot, bound: Slot, step: Slot) -> bool {
            // SAFETY: the lowering put a counter and a bound of this type, and a `u64`, at the slots.
            unsafe {
                let ($i, $bound): ($t, $t) = (get(frame, counter), get(frame, bound));
                let $step: u64 = get(frame, step);
                let more = $more;
                if more {
                    put::<$t>(frame, counter, $value);
                }
                more
            }
        }
        f as NextFn
    }};
}

macro_rules! walk {
    ($t:ty, $range:expr) => {
        match ($range.inclusive, $range.reversed, $range.step.is_some()) {
            (false, false, false) => Walk {
                first: first!($t, |start, end| start < end, start),
                next: next!($t, |i, end, _step| i.wrapping_add(1) < end, i.wrapping_add(1)),
            },
            (true, false, false) => Walk {
                first: first!($t, |start, end| start <= end, start),
                next: next!($t, |i, end, _step| i < end, i.wrapping_add(1)),
            },
            (false, true, _) => Walk {
                first: first!($t, |start, end| start < end, end.wrapping_sub(1)),
                next: next!($t, |i, start, _step| i > start, i.wrapping_sub(1)),
            },
            (true, true, _) => Walk {
                first: first!($t, |start, end| start <= end, end),
                next: next!($t, |i, start, _step| i > start, i.wrapping_sub(1)),
            },
            (false, false, true) => Walk {
                first: first!($t, |start, end| start < end, start),
                next: next!(
                    $t,
                    |i, end, step| i128::from(end) - i128::from(i) > i128::from(step),
                    i.wrapping_add(step as $t)
                ),
            },
            (true, false, true) => Walk {
                first: first!($t, |start, end| start <= end, start),
                next: next!(
                    $t,
                    |i, end, step| i128::from(end) - i128::from(i) >= i128::from(step),
                    i.wrapping_add(step as $t)
                ),
            },
        }
    };
}

/// The walk of a range of this type: `next` is given the end, or the start of a reversed range.
pub(super) fn walk(range: &RangeLoop, scalar: Scalar) -> Option<Walk> {
    Some(match scalar {
        Scalar::I8 => walk!(i8, range),
        Scalar::I16 => walk!(i16, range),
        Scalar::I32 => walk!(i32, range),
        Scalar::I64 => walk!(i64, range),
        Scalar::U8 => walk!(u8, range),
        Scalar::U16 => walk!(u16, range),
        Scalar::U32 => walk!(u32, range),
        Scalar::U64 => walk!(u64, range),
        _ => return None,
    })
}
