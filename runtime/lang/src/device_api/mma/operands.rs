//! The operands of a product, gathered from the registers of the warp's lanes.

use super::maps::MmaShape;
use crate::device_api::fp8::{f32_from_e4m3, f32_from_e5m2};
use crate::half::{bf16, f16};
use crate::ir::TensorFormat;
use crate::simulator::context::{self, FloatFormat, WarpView};

/// The most elements along `k` that one product has.
const MOST: usize = 32;

/// The type of an operand's elements.
pub(super) trait Format {
    /// A type that holds every value, and every product of two values, exactly.
    type Value: Copy + Default;

    /// Bytes of an element.
    const BYTES: usize;

    /// Its name for the counts of reports.
    const FORMAT: TensorFormat;

    /// The value of an element, by the little-endian number that its bytes are.
    fn value(bits: u64) -> Self::Value;
}

/// Floats of 32 bits whose lowest 13 bits the hardware ignores.
pub(super) struct Tf32;
/// 8-bit floats, four of them the exponent's.
pub(super) struct E4m3;
/// 8-bit floats, five of them the exponent's.
pub(super) struct E5m2;

macro_rules! formats {
    ($($t:ty: $bytes:literal $format:ident, $value:ty = |$bits:ident| $body:expr;)+) => {$(
        impl Format for $t {
            type Value = $value;
            const BYTES: usize = $bytes;
            const FORMAT: TensorFormat = TensorFormat::$format;
            fn value($bits: u64) -> $value {
                $body
            }
        }
    )+};
}

formats! {
    f16: 2 F16, f64 = |bits| f16::from_bits(bits as u16).to_f64();
    bf16: 2 Bf16, f64 = |bits| bf16::from_bits(bits as u16).to_f64();
    Tf32: 4 Tf32, f64 = |bits| f32::from_bits(bits as u32 & !0x1fff).into();
    f64: 8 F64, f64 = |bits| f64::from_bits(bits);
    E4m3: 1 F8, f64 = |bits| f32_from_e4m3(bits as u8).into();
    E5m2: 1 F8, f64 = |bits| f32_from_e5m2(bits as u8).into();
    i8: 1 I8, i64 = |bits| i64::from(bits as i8);
    u8: 1 I8, i64 = |bits| i64::from(bits as u8);
}

/// The type of an operand's elements that are floats of 32 bits or less.
pub(super) trait FloatElement: Format<Value = f64> {
    /// The format of which each value is exact.
    const FLOAT: FloatFormat;
}

macro_rules! float_elements {
    ($($t:ident $float:ident;)+) => {$(
        impl FloatElement for $t {
            const FLOAT: FloatFormat = FloatFormat::$float;
        }
    )+};
}

float_elements! {
    f16 F16;
    bf16 Bf16;
    Tf32 Tf32;
    E4m3 E4m3;
    E5m2 E5m2;
}

/// A register, which lanes give each other.
pub(super) trait Register: Copy {
    /// Its bits in the lowest bytes of a number.
    fn bits(self) -> u64;
}

impl Register for u32 {
    fn bits(self) -> u64 {
        self.into()
    }
}

impl Register for f64 {
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// The operands of the calling lane's sums: rows `l / 4` and `l / 4 + 8` of `a`, and columns `2 * (l % 4)` and the next of
/// `b`.
pub(super) struct Operands<A: Format, B: Format> {
    rows: [[A::Value; MOST]; 2],
    cols: [[B::Value; MOST]; 2],
    k: usize,
}

impl<A: Format, B: Format> Operands<A, B> {
    /// The row of `a` and the column of `b` that element `i` of the lane's sums is a product of.
    pub fn of_sum(&self, i: usize) -> (&[A::Value], &[B::Value]) {
        (&self.rows[i / 2][..self.k], &self.cols[i % 2][..self.k])
    }

    /// The factors of element `i` of the lane's sums, by their place along `k`.
    pub fn factors(&self, i: usize) -> impl Iterator<Item = (A::Value, B::Value)> + '_ {
        let (row, col) = self.of_sum(i);
        row.iter().copied().zip(col.iter().copied())
    }
}

/// Waits for the other lanes, and returns the operands of the calling lane's sums.
#[track_caller]
pub(super) fn gather<A: Format, B: Format<Value = A::Value>, R: Register>(
    kind: &'static str,
    m: usize,
    a: &[R],
    b: &[R],
) -> Operands<A, B> {
    let lane = context::lane_id() as usize;
    let register = size_of::<R>();
    let per_register = register / A::BYTES;
    let shape = MmaShape { m, k: b.len() * 4 * per_register, per_register };
    let mut pieces = [[0; 16]; 6];
    for (i, own) in a.iter().chain(b).enumerate() {
        let (piece, start) = (i * register / 16, i * register % 16);
        pieces[piece][start..start + register].copy_from_slice(&own.bits().to_le_bytes()[..register]);
    }
    let used = ((a.len() + b.len()) * register).div_ceil(16);
    let lanes = context::warp_exchange_wide(u32::MAX, kind, &pieces[..used]);
    // Closures do not know where they are called from.
    for lane in (0..32).filter(|lane| lanes.lane(*lane).is_none()) {
        context::fault_source(kind, u32::MAX, lane);
    }
    let read = |(lane, place): (usize, usize)| bits(&lanes, lane, place * register, register);
    let mut rows = [[Default::default(); MOST]; 2];
    let mut cols = [[Default::default(); MOST]; 2];
    for k in (0..shape.k).step_by(per_register) {
        for (i, row) in rows.iter_mut().enumerate().take(m / 8) {
            spread::<A>(read(shape.of_a(lane / 4 + i * 8, k)), &mut row[k..k + per_register]);
        }
        for (i, col) in cols.iter_mut().enumerate() {
            let (from, place) = shape.of_b(k, MmaShape::sum(lane, i).1);
            spread::<B>(read((from, a.len() + place)), &mut col[k..k + per_register]);
        }
    }
    Operands { rows, cols, k: shape.k }
}

/// The elements of a register.
fn spread<F: Format>(register: u64, elements: &mut [F::Value]) {
    for (i, element) in elements.iter_mut().enumerate() {
        *element = F::value(register >> (8 * F::BYTES * i));
    }
}

/// Bytes from a lane, as a number; zero for a lane that takes no part, unless that is a fault.
fn bits(lanes: &WarpView, lane: usize, start: usize, bytes: usize) -> u64 {
    let piece = lanes.piece(lane as u32, start / 16).unwrap_or_default();
    let mut number = [0; 8];
    number[..bytes].copy_from_slice(&piece[start % 16..start % 16 + bytes]);
    u64::from_le_bytes(number)
}
