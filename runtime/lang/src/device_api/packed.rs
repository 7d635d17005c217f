//! Arithmetic on two halves or four bytes of a `u32`: CUDA's SIMD-in-a-word intrinsics. All are exact.
//!
//! The number at the end of a name is that of the lanes, which are independent. `s` and `u` say that
//! lanes are signed or unsigned, `ss` and `us` that results saturate instead of wrapping.

use super::text::fixed;

/// Lanes of `bits` bits, from the lowest, each sign-extended.
fn signed(x: u32, bits: u32) -> impl Iterator<Item = i32> {
    (0..32 / bits).map(move |lane| (x << (32 - bits - lane * bits)) as i32 >> (32 - bits))
}

/// Lanes of `bits` bits, from the lowest.
fn unsigned(x: u32, bits: u32) -> impl Iterator<Item = i32> {
    (0..32 / bits).map(move |lane| (x >> (lane * bits) & mask(bits)) as i32)
}

/// The low `bits` ones.
fn mask(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

/// Lanes side by side, each without the bits that it has no room for.
fn pack(lanes: impl Iterator<Item = i32>, bits: u32) -> u32 {
    lanes
        .zip(0..)
        .fold(0, |all, (value, lane): (i32, u32)| all | (value as u32 & mask(bits)) << (lane * bits))
}

/// `value` clamped to a signed lane.
fn saturated(value: i32, bits: u32) -> i32 {
    value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
}

/// `value` clamped to an unsigned lane.
fn saturated_unsigned(value: i32, bits: u32) -> i32 {
    value.clamp(0, mask(bits) as i32)
}

/// All ones where a comparison holds.
fn flag(holds: bool) -> i32 {
    -i32::from(holds)
}

/// Functions of one word, lane by lane.
macro_rules! of_one {
    ($($doc:literal, $kind:ident |$x:ident; $bits:ident| $value:expr, $two:ident $cudatwo:literal, $four:ident $cudafour:literal;)+) => {
        builtin! { in of_one; $(
            #[doc = concat!($doc, ", in each of two halves.\n\nSource: CUDA Math API, `", $cudatwo, "`.")]
            pub fn $two($x: u32) -> u32 { cuda: fixed(concat!($cudatwo, "({0})")) } {
                let $bits = 16;
                let _ = $bits;
                pack($kind($x, 16).map(|$x| $value), 16)
            }

            #[doc = concat!($doc, ", in each of four bytes.\n\nSource: CUDA Math API, `", $cudafour, "`.")]
            pub fn $four($x: u32) -> u32 { cuda: fixed(concat!($cudafour, "({0})")) } {
                let $bits = 8;
                let _ = $bits;
                pack($kind($x, 8).map(|$x| $value), 8)
            }
        )+ }
    };
}

/// Functions of two words, lane by lane.
macro_rules! of_two {
    ($($doc:literal, $kind:ident |$x:ident, $y:ident; $bits:ident| $value:expr, $two:ident $cudatwo:literal, $four:ident $cudafour:literal;)+) => {
        builtin! { in of_two; $(
            #[doc = concat!($doc, ", in each of two halves.\n\nSource: CUDA Math API, `", $cudatwo, "`.")]
            pub fn $two($x: u32, $y: u32) -> u32 { cuda: fixed(concat!($cudatwo, "({0}, {1})")) } {
                let $bits = 16;
                let _ = $bits;
                pack($kind($x, 16).zip($kind($y, 16)).map(|($x, $y)| $value), 16)
            }

            #[doc = concat!($doc, ", in each of four bytes.\n\nSource: CUDA Math API, `", $cudafour, "`.")]
            pub fn $four($x: u32, $y: u32) -> u32 { cuda: fixed(concat!($cudafour, "({0}, {1})")) } {
                let $bits = 8;
                let _ = $bits;
                pack($kind($x, 8).zip($kind($y, 8)).map(|($x, $y)| $value), 8)
            }
        )+ }
    };
}

of_one! {
    "`|x|`, the smallest value as it is", signed |x; bits| x.abs(), vabs2 "__vabs2", vabs4 "__vabs4";
    "`|x|`, saturating", signed |x; bits| saturated(x.abs(), bits), vabsss2 "__vabsss2", vabsss4 "__vabsss4";
    "`-x`, the smallest value as it is", signed |x; bits| -x, vneg2 "__vneg2", vneg4 "__vneg4";
    "`-x`, saturating", signed |x; bits| saturated(-x, bits), vnegss2 "__vnegss2", vnegss4 "__vnegss4";
}

of_two! {
    "`x + y`, wrapping", unsigned |x, y; bits| x + y, vadd2 "__vadd2", vadd4 "__vadd4";
    "`x + y`, saturating signed", signed |x, y; bits| saturated(x + y, bits), vaddss2 "__vaddss2", vaddss4 "__vaddss4";
    "`x + y`, saturating unsigned", unsigned |x, y; bits| saturated_unsigned(x + y, bits), vaddus2 "__vaddus2", vaddus4 "__vaddus4";
    "`x - y`, wrapping", unsigned |x, y; bits| x - y, vsub2 "__vsub2", vsub4 "__vsub4";
    "`x - y`, saturating signed", signed |x, y; bits| saturated(x - y, bits), vsubss2 "__vsubss2", vsubss4 "__vsubss4";
    "`x - y`, saturating unsigned", unsigned |x, y; bits| saturated_unsigned(x - y, bits), vsubus2 "__vsubus2", vsubus4 "__vsubus4";
    "`|x - y|` of signed lanes, as an unsigned lane", signed |x, y; bits| (x - y).abs(), vabsdiffs2 "__vabsdiffs2", vabsdiffs4 "__vabsdiffs4";
    "`|x - y|` of unsigned lanes", unsigned |x, y; bits| (x - y).abs(), vabsdiffu2 "__vabsdiffu2", vabsdiffu4 "__vabsdiffu4";
    "The average of unsigned lanes rounded down, `(x + y) >> 1`", unsigned |x, y; bits| (x + y) >> 1, vhaddu2 "__vhaddu2", vhaddu4 "__vhaddu4";
    "The average of unsigned lanes rounded up, `(x + y + 1) >> 1`", unsigned |x, y; bits| (x + y + 1) >> 1, vavgu2 "__vavgu2", vavgu4 "__vavgu4";
    "The larger of signed lanes", signed |x, y; bits| x.max(y), vmaxs2 "__vmaxs2", vmaxs4 "__vmaxs4";
    "The larger of unsigned lanes", unsigned |x, y; bits| x.max(y), vmaxu2 "__vmaxu2", vmaxu4 "__vmaxu4";
    "The smaller of signed lanes", signed |x, y; bits| x.min(y), vmins2 "__vmins2", vmins4 "__vmins4";
    "The smaller of unsigned lanes", unsigned |x, y; bits| x.min(y), vminu2 "__vminu2", vminu4 "__vminu4";
    "All ones where `x == y`, else zero", unsigned |x, y; bits| flag(x == y), vcmpeq2 "__vcmpeq2", vcmpeq4 "__vcmpeq4";
    "All ones where `x != y`, else zero", unsigned |x, y; bits| flag(x != y), vcmpne2 "__vcmpne2", vcmpne4 "__vcmpne4";
    "All ones where `x >= y` as signed, else zero", signed |x, y; bits| flag(x >= y), vcmpges2 "__vcmpges2", vcmpges4 "__vcmpges4";
    "All ones where `x >= y` as unsigned, else zero", unsigned |x, y; bits| flag(x >= y), vcmpgeu2 "__vcmpgeu2", vcmpgeu4 "__vcmpgeu4";
    "All ones where `x > y` as signed, else zero", signed |x, y; bits| flag(x > y), vcmpgts2 "__vcmpgts2", vcmpgts4 "__vcmpgts4";
    "All ones where `x > y` as unsigned, else zero", unsigned |x, y; bits| flag(x > y), vcmpgtu2 "__vcmpgtu2", vcmpgtu4 "__vcmpgtu4";
    "All ones where `x <= y` as signed, else zero", signed |x, y; bits| flag(x <= y), vcmples2 "__vcmples2", vcmples4 "__vcmples4";
    "All ones where `x <= y` as unsigned, else zero", unsigned |x, y; bits| flag(x <= y), vcmpleu2 "__vcmpleu2", vcmpleu4 "__vcmpleu4";
    "All ones where `x < y` as signed, else zero", signed |x, y; bits| flag(x < y), vcmplts2 "__vcmplts2", vcmplts4 "__vcmplts4";
    "All ones where `x < y` as unsigned, else zero", unsigned |x, y; bits| flag(x < y), vcmpltu2 "__vcmpltu2", vcmpltu4 "__vcmpltu4";
}

builtin! {
    /// The sum of `|x - y|` over two signed halves.
    ///
    /// Source: CUDA Math API, `__vsads2`.
    pub fn vsads2(x: u32, y: u32) -> u32 { cuda: fixed("__vsads2({0}, {1})") } {
        signed(x, 16).zip(signed(y, 16)).map(|(x, y)| x.abs_diff(y)).sum()
    }

    /// The sum of `|x - y|` over four signed bytes.
    ///
    /// Source: CUDA Math API, `__vsads4`.
    pub fn vsads4(x: u32, y: u32) -> u32 { cuda: fixed("__vsads4({0}, {1})") } {
        signed(x, 8).zip(signed(y, 8)).map(|(x, y)| x.abs_diff(y)).sum()
    }

    /// The sum of `|x - y|` over two unsigned halves.
    ///
    /// Source: CUDA Math API, `__vsadu2`.
    pub fn vsadu2(x: u32, y: u32) -> u32 { cuda: fixed("__vsadu2({0}, {1})") } {
        unsigned(x, 16).zip(unsigned(y, 16)).map(|(x, y)| x.abs_diff(y)).sum()
    }

    /// The sum of `|x - y|` over four unsigned bytes.
    ///
    /// Source: CUDA Math API, `__vsadu4`.
    pub fn vsadu4(x: u32, y: u32) -> u32 { cuda: fixed("__vsadu4({0}, {1})") } {
        unsigned(x, 8).zip(unsigned(y, 8)).map(|(x, y)| x.abs_diff(y)).sum()
    }
}
