//! Integer instructions by the names CUDA gives them. All are exact.

use super::text::{fixed, scalar, with};
use crate::codegen::scalar_name;
use crate::device_api::number::Int;
use crate::ir::{CudaText, Facts, Prelude, ResultRange, Type};

/// Integers of a register's size: `i32 u32 i64 u64 isize usize`.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` does not fill a register",
    label = "not an integer of 32 or 64 bits",
    note = "integer instructions take i32, u32, i64, u64, isize and usize; convert with `as`"
)]
pub trait RegisterInt: Int {
    /// Its width in bits.
    #[doc(hidden)]
    const WIDTH: u32;
    /// Whether it is signed.
    #[doc(hidden)]
    const SIGNED: bool;
    /// The bits, with zeros above.
    #[doc(hidden)]
    fn to_word(self) -> u64;
    /// The low bits of a word.
    #[doc(hidden)]
    fn from_word(word: u64) -> Self;
    /// The high half of a product of double width.
    #[doc(hidden)]
    fn high_product(self, other: Self) -> Self;
}

macro_rules! register_integers {
    ($($t:ty as $unsigned:ty),+) => {$(
        impl RegisterInt for $t {
            const WIDTH: u32 = <$t>::BITS;
            const SIGNED: bool = <$t>::MIN != 0;

            fn to_word(self) -> u64 {
                self as $unsigned as u64
            }

            fn from_word(word: u64) -> Self {
                word as $t
            }

            fn high_product(self, other: Self) -> Self {
                // Two's complement: modulo 2^128 the product of the sign-extended values is the signed one.
                ((self as i128 as u128).wrapping_mul(other as i128 as u128) >> Self::WIDTH) as $t
            }
        }
    )+};
}

register_integers! { i32 as u32, u32 as u32, i64 as u64, u64 as u64, isize as usize, usize as usize }

/// A call of one function on 32 bits and another on 64, as `u32`.
fn by_width(narrow: &'static str, wide: &'static str) -> impl Fn(&[Type], &Type) -> CudaText {
    move |args, _| {
        let name = if scalar(args).bits() == 64 { wide } else { narrow };
        CudaText::new(format!("((unsigned int){name}({{0}}))"))
    }
}

fn brev_text(args: &[Type], _ret: &Type) -> CudaText {
    let s = scalar(args);
    let name = if s.bits() == 64 { "__brevll" } else { "__brev" };
    CudaText::new(if s.is_signed() {
        format!("(({}){name}({{0}}))", scalar_name(s))
    } else {
        format!("{name}({{0}})")
    })
}

fn mul_hi_text(args: &[Type], _ret: &Type) -> CudaText {
    let s = scalar(args);
    CudaText::new(match (s.bits(), s.is_signed()) {
        (64, true) => "__mul64hi({0}, {1})",
        (64, false) => "__umul64hi({0}, {1})",
        (_, true) => "__mulhi({0}, {1})",
        (_, false) => "__umulhi({0}, {1})",
    })
}

/// The low 8 bits of position and length are taken here: the instructions on 64 bits do not.
static BFE: Prelude = Prelude {
    name: "ws_bfe",
    code: "__device__ __forceinline__ unsigned int ws_bfe(unsigned int x, unsigned int pos, unsigned int len) {
    unsigned int field;
    asm(\"bfe.u32 %0, %1, %2, %3;\" : \"=r\"(field) : \"r\"(x), \"r\"(pos), \"r\"(len));
    return field;
}
__device__ __forceinline__ int ws_bfe(int x, unsigned int pos, unsigned int len) {
    int field;
    asm(\"bfe.s32 %0, %1, %2, %3;\" : \"=r\"(field) : \"r\"(x), \"r\"(pos), \"r\"(len));
    return field;
}
__device__ __forceinline__ unsigned long long ws_bfe(unsigned long long x, unsigned int pos, unsigned int len) {
    unsigned long long field;
    asm(\"bfe.u64 %0, %1, %2, %3;\" : \"=l\"(field) : \"l\"(x), \"r\"(pos & 255u), \"r\"(len & 255u));
    return field;
}
__device__ __forceinline__ long long ws_bfe(long long x, unsigned int pos, unsigned int len) {
    long long field;
    asm(\"bfe.s64 %0, %1, %2, %3;\" : \"=l\"(field) : \"l\"(x), \"r\"(pos & 255u), \"r\"(len & 255u));
    return field;
}
",
    needs: &[],
};

static BFI: Prelude = Prelude {
    name: "ws_bfi",
    code: "template <class T>
__device__ __forceinline__ T ws_bfi(T field, T base, unsigned int pos, unsigned int len) {
    if (sizeof(T) == 8) {
        unsigned long long all;
        asm(\"bfi.b64 %0, %1, %2, %3, %4;\" : \"=l\"(all)
            : \"l\"((unsigned long long)field), \"l\"((unsigned long long)base), \"r\"(pos & 255u), \"r\"(len & 255u));
        return (T)all;
    }
    unsigned int all;
    asm(\"bfi.b32 %0, %1, %2, %3, %4;\" : \"=r\"(all) : \"r\"((unsigned int)field), \"r\"((unsigned int)base), \"r\"(pos), \"r\"(len));
    return (T)all;
}
",
    needs: &[],
};

/// CUDA's function negates the offset, which the lowest one overflows.
static FNS: Prelude = Prelude {
    name: "ws_fns",
    code: "__device__ __forceinline__ unsigned int ws_fns(unsigned int mask, unsigned int base, int offset) {
    return offset < -32 ? 0xffffffffu : __fns(mask, base, offset);
}
",
    needs: &[],
};

static DP4A_MIXED: Prelude = Prelude {
    name: "ws_dp4a_mixed",
    code: "__device__ __forceinline__ int ws_dp4a_s32_u32(int a, unsigned int b, int c) {
    int sum;
    asm(\"dp4a.s32.u32 %0, %1, %2, %3;\" : \"=r\"(sum) : \"r\"(a), \"r\"(b), \"r\"(c));
    return sum;
}
__device__ __forceinline__ int ws_dp4a_u32_s32(unsigned int a, int b, int c) {
    int sum;
    asm(\"dp4a.u32.s32 %0, %1, %2, %3;\" : \"=r\"(sum) : \"r\"(a), \"r\"(b), \"r\"(c));
    return sum;
}
",
    needs: &[],
};

/// Bits of a field: `min(pos + len, width) - pos` of them, from `pos` modulo 256 on.
fn field(pos: u32, len: u32, width: u32) -> (u32, u32) {
    let (pos, len) = (pos & 0xff, len & 0xff);
    (pos, len.min(width.saturating_sub(pos)))
}

/// `c` plus the products of the bytes at equal places, wrapping.
fn dot4(a: [i32; 4], b: [i32; 4], c: u32) -> u32 {
    a.iter().zip(b).fold(c, |sum, (x, y)| sum.wrapping_add((x * y) as u32))
}

fn signed_bytes(x: i32) -> [i32; 4] {
    x.to_le_bytes().map(|b| (b as i8).into())
}

fn unsigned_bytes(x: u32) -> [i32; 4] {
    x.to_le_bytes().map(i32::from)
}

/// `c` plus the products of the two halves of `a` with two bytes of `b`, wrapping.
fn dot2(a: [i64; 2], b: [i32; 2], c: u32) -> u32 {
    a.iter().zip(b).fold(c, |sum, (x, y)| sum.wrapping_add((x * i64::from(y)) as u32))
}

fn signed_halves(x: i32) -> [i64; 2] {
    [i64::from(x as i16), i64::from((x >> 16) as i16)]
}

fn unsigned_halves(x: u32) -> [i64; 2] {
    [i64::from(x as u16), i64::from(x >> 16)]
}

fn sign_extend_24(x: i32) -> i64 {
    i64::from(x << 8 >> 8)
}

builtin! {
    /// The number of bits that are one: `x.count_ones()`.
    ///
    /// Source: CUDA Math API, `__popc`, `__popcll`.
    pub fn popc<T: RegisterInt>(x: T) -> u32 { cuda: by_width("__popc", "__popcll"), facts: Facts::within(ResultRange::UpToBits) } {
        x.to_word().count_ones()
    }

    /// The number of zeros above the highest one: `x.leading_zeros()`, the width if `x` is zero.
    ///
    /// Source: CUDA Math API, `__clz`, `__clzll`.
    pub fn clz<T: RegisterInt>(x: T) -> u32 { cuda: by_width("__clz", "__clzll"), facts: Facts::within(ResultRange::UpToBits) } {
        x.to_word().leading_zeros() - (64 - T::WIDTH)
    }

    /// The place of the lowest one, counted from 1; 0 if `x` is zero.
    ///
    /// Source: CUDA Math API, `__ffs`, `__ffsll`.
    pub fn ffs<T: RegisterInt>(x: T) -> u32 { cuda: by_width("__ffs", "__ffsll"), facts: Facts::within(ResultRange::UpToBits) } {
        if x.to_word() == 0 { 0 } else { x.to_word().trailing_zeros() + 1 }
    }

    /// The bits in reverse: `x.reverse_bits()`.
    ///
    /// Source: CUDA Math API, `__brev`, `__brevll`.
    pub fn brev<T: RegisterInt>(x: T) -> T { cuda: brev_text } {
        T::from_word(x.to_word().reverse_bits() >> (64 - T::WIDTH))
    }

    /// The high half of the product of double width.
    ///
    /// Source: CUDA Math API, `__mulhi`, `__umulhi`, `__mul64hi`, `__umul64hi`.
    pub fn mul_hi<T: RegisterInt>(x: T, y: T) -> T { cuda: mul_hi_text } {
        x.high_product(y)
    }

    /// The low 32 bits of the product of the low 24 bits, which are signed.
    ///
    /// Source: CUDA Math API, `__mul24`.
    pub fn mul24(x: i32, y: i32) -> i32 { cuda: fixed("__mul24({0}, {1})") } {
        (sign_extend_24(x) * sign_extend_24(y)) as i32
    }

    /// The low 32 bits of the product of the low 24 bits.
    ///
    /// Source: CUDA Math API, `__umul24`.
    pub fn umul24(x: u32, y: u32) -> u32 { cuda: fixed("__umul24({0}, {1})") } {
        (u64::from(x & 0xff_ffff) * u64::from(y & 0xff_ffff)) as u32
    }

    /// The high half of `(hi, lo)` shifted left by `shift` modulo 32.
    ///
    /// Source: CUDA Math API, `__funnelshift_l`.
    pub fn funnel_shift_l(lo: u32, hi: u32, shift: u32) -> u32 { cuda: fixed("__funnelshift_l({0}, {1}, {2})") } {
        (((u64::from(hi) << 32 | u64::from(lo)) << (shift & 31)) >> 32) as u32
    }

    /// The high half of `(hi, lo)` shifted left by `shift`, at most 32.
    ///
    /// Source: CUDA Math API, `__funnelshift_lc`.
    pub fn funnel_shift_lc(lo: u32, hi: u32, shift: u32) -> u32 { cuda: fixed("__funnelshift_lc({0}, {1}, {2})") } {
        (((u64::from(hi) << 32 | u64::from(lo)) << shift.min(32)) >> 32) as u32
    }

    /// The low half of `(hi, lo)` shifted right by `shift` modulo 32.
    ///
    /// Source: CUDA Math API, `__funnelshift_r`.
    pub fn funnel_shift_r(lo: u32, hi: u32, shift: u32) -> u32 { cuda: fixed("__funnelshift_r({0}, {1}, {2})") } {
        ((u64::from(hi) << 32 | u64::from(lo)) >> (shift & 31)) as u32
    }

    /// The low half of `(hi, lo)` shifted right by `shift`, at most 32.
    ///
    /// Source: CUDA Math API, `__funnelshift_rc`.
    pub fn funnel_shift_rc(lo: u32, hi: u32, shift: u32) -> u32 { cuda: fixed("__funnelshift_rc({0}, {1}, {2})") } {
        ((u64::from(hi) << 32 | u64::from(lo)) >> shift.min(32)) as u32
    }

    /// Four of the eight bytes of `x` (0 to 3) and `y` (4 to 7).
    ///
    /// The low three bits of each of the selector's low four hexadecimal digits name one, the lowest
    /// digit that of the result's lowest byte.
    ///
    /// Source: CUDA Math API, `__byte_perm`.
    pub fn byte_perm(x: u32, y: u32, selector: u32) -> u32 { cuda: fixed("__byte_perm({0}, {1}, {2})") } {
        let bytes = (u64::from(y) << 32 | u64::from(x)).to_le_bytes();
        u32::from_le_bytes([0, 4, 8, 12].map(|digit| bytes[(selector >> digit & 7) as usize]))
    }

    /// `|x - y| + z`, wrapping.
    ///
    /// Source: CUDA Math API, `__sad`.
    pub fn sad(x: i32, y: i32, z: u32) -> u32 { cuda: fixed("__sad({0}, {1}, {2})") } {
        x.abs_diff(y).wrapping_add(z)
    }

    /// `|x - y| + z`, wrapping.
    ///
    /// Source: CUDA Math API, `__usad`.
    pub fn usad(x: u32, y: u32, z: u32) -> u32 { cuda: fixed("__usad({0}, {1}, {2})") } {
        x.abs_diff(y).wrapping_add(z)
    }

    /// `(x + y) >> 1` without overflow: the average rounded down.
    ///
    /// Source: CUDA Math API, `__hadd`.
    pub fn hadd(x: i32, y: i32) -> i32 { cuda: fixed("__hadd({0}, {1})") } {
        ((i64::from(x) + i64::from(y)) >> 1) as i32
    }

    /// `(x + y) >> 1` without overflow: the average rounded down.
    ///
    /// Source: CUDA Math API, `__uhadd`.
    pub fn uhadd(x: u32, y: u32) -> u32 { cuda: fixed("__uhadd({0}, {1})") } {
        ((u64::from(x) + u64::from(y)) >> 1) as u32
    }

    /// `(x + y + 1) >> 1` without overflow: the average rounded up.
    ///
    /// Source: CUDA Math API, `__rhadd`.
    pub fn rhadd(x: i32, y: i32) -> i32 { cuda: fixed("__rhadd({0}, {1})") } {
        ((i64::from(x) + i64::from(y) + 1) >> 1) as i32
    }

    /// `(x + y + 1) >> 1` without overflow: the average rounded up.
    ///
    /// Source: CUDA Math API, `__urhadd`.
    pub fn urhadd(x: u32, y: u32) -> u32 { cuda: fixed("__urhadd({0}, {1})") } {
        ((u64::from(x) + u64::from(y) + 1) >> 1) as u32
    }

    /// `c` plus the products of the four bytes of `a` and `b`, all signed; wraps.
    ///
    /// Source: CUDA Math API, `__dp4a`; PTX ISA, `dp4a.s32.s32`.
    pub fn dp4a_s32(a: i32, b: i32, c: i32) -> i32 { cuda: fixed("__dp4a({0}, {1}, {2})") } {
        dot4(signed_bytes(a), signed_bytes(b), c as u32) as i32
    }

    /// `c` plus the products of the four bytes of `a` and `b`, all unsigned; wraps.
    ///
    /// Source: CUDA Math API, `__dp4a`; PTX ISA, `dp4a.u32.u32`.
    pub fn dp4a_u32(a: u32, b: u32, c: u32) -> u32 { cuda: fixed("__dp4a({0}, {1}, {2})") } {
        dot4(unsigned_bytes(a), unsigned_bytes(b), c)
    }

    /// `c` plus the products of the four signed bytes of `a` and the unsigned bytes of `b`; wraps.
    ///
    /// Source: PTX ISA, `dp4a.s32.u32`.
    pub fn dp4a_s32_u32(a: i32, b: u32, c: i32) -> i32 { cuda: with("ws_dp4a_s32_u32({0}, {1}, {2})", &DP4A_MIXED) } {
        dot4(signed_bytes(a), unsigned_bytes(b), c as u32) as i32
    }

    /// `c` plus the products of the four unsigned bytes of `a` and the signed bytes of `b`; wraps.
    ///
    /// Source: PTX ISA, `dp4a.u32.s32`.
    pub fn dp4a_u32_s32(a: u32, b: i32, c: i32) -> i32 { cuda: with("ws_dp4a_u32_s32({0}, {1}, {2})", &DP4A_MIXED) } {
        dot4(unsigned_bytes(a), signed_bytes(b), c as u32) as i32
    }

    /// `c` plus the products of the two halves of `a` and the two low bytes of `b`, all signed; wraps.
    ///
    /// Source: CUDA Math API, `__dp2a_lo`.
    pub fn dp2a_lo_s32(a: i32, b: i32, c: i32) -> i32 { cuda: fixed("__dp2a_lo({0}, {1}, {2})") } {
        let [b0, b1, _, _] = signed_bytes(b);
        dot2(signed_halves(a), [b0, b1], c as u32) as i32
    }

    /// `c` plus the products of the two halves of `a` and the two high bytes of `b`, all signed; wraps.
    ///
    /// Source: CUDA Math API, `__dp2a_hi`.
    pub fn dp2a_hi_s32(a: i32, b: i32, c: i32) -> i32 { cuda: fixed("__dp2a_hi({0}, {1}, {2})") } {
        let [_, _, b2, b3] = signed_bytes(b);
        dot2(signed_halves(a), [b2, b3], c as u32) as i32
    }

    /// `c` plus the products of the two halves of `a` and the two low bytes of `b`, all unsigned; wraps.
    ///
    /// Source: CUDA Math API, `__dp2a_lo`.
    pub fn dp2a_lo_u32(a: u32, b: u32, c: u32) -> u32 { cuda: fixed("__dp2a_lo({0}, {1}, {2})") } {
        let [b0, b1, _, _] = unsigned_bytes(b);
        dot2(unsigned_halves(a), [b0, b1], c)
    }

    /// `c` plus the products of the two halves of `a` and the two high bytes of `b`, all unsigned; wraps.
    ///
    /// Source: CUDA Math API, `__dp2a_hi`.
    pub fn dp2a_hi_u32(a: u32, b: u32, c: u32) -> u32 { cuda: fixed("__dp2a_hi({0}, {1}, {2})") } {
        let [_, _, b2, b3] = unsigned_bytes(b);
        dot2(unsigned_halves(a), [b2, b3], c)
    }

    /// The field of `len` bits from bit `pos` on, in the low bits.
    ///
    /// Above it stand zeros, or for a signed type copies of the field's highest bit. Bits beyond the
    /// value's own count as those too; a field of length 0 is 0. Only the low 8 bits of `pos` and
    /// `len` count.
    ///
    /// Source: PTX ISA, `bfe`.
    pub fn bfe<T: RegisterInt>(x: T, pos: u32, len: u32) -> T { cuda: with("ws_bfe({0}, {1}, {2})", &BFE) } {
        let top = T::WIDTH - 1;
        let (pos, wanted) = (pos & 0xff, len & 0xff);
        let sign = if T::SIGNED && wanted > 0 { x.to_word() >> (pos + wanted - 1).min(top) & 1 } else { 0 };
        let bit = |i: u32| if i < wanted && pos + i <= top { x.to_word() >> (pos + i) & 1 } else { sign };
        T::from_word((0..T::WIDTH).fold(0, |all, i| all | bit(i) << i))
    }

    /// `base` with `len` bits from bit `pos` on replaced by the low bits of `insert`.
    ///
    /// Bits beyond the value's own are dropped. Only the low 8 bits of `pos` and `len` count.
    ///
    /// Source: PTX ISA, `bfi`.
    pub fn bfi<T: RegisterInt>(insert: T, base: T, pos: u32, len: u32) -> T {
        cuda: with("ws_bfi({0}, {1}, {2}, {3})", &BFI)
    } {
        let (pos, len) = field(pos, len, T::WIDTH);
        let mask = (1u64.unbounded_shl(len).wrapping_sub(1)).unbounded_shl(pos);
        T::from_word(base.to_word() & !mask | insert.to_word().unbounded_shl(pos) & mask)
    }

    /// The place of the `offset`-th one of `mask`, counted from bit `base` up, or down if negative.
    ///
    /// Bit `base` itself counts; `offset` 0 asks whether it is one. `u32::MAX` if there is none.
    /// `base` must be below 32.
    ///
    /// Source: CUDA Math API, `__fns`; PTX ISA, `fns`.
    pub fn fns(mask: u32, base: u32, offset: i32) -> u32 { cuda: with("ws_fns({0}, {1}, {2})", &FNS) } {
        let is_one = |place: &u32| mask >> place & 1 == 1;
        let nth = (offset.unsigned_abs() as usize).saturating_sub(1);
        let found = match offset {
            0 => Some(base).filter(is_one),
            1.. => (base..32).filter(is_one).nth(nth),
            _ => (0..=base).rev().filter(is_one).nth(nth),
        };
        found.unwrap_or(u32::MAX)
    }
}
