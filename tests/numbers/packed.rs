//! SIMD in a word, lane by lane against the same operation on arrays of small integers.

use super::battery::battery;

/// The halves as small integers, an operation on each, and the halves of the result.
macro_rules! halves {
    ($t:ident, |$x:ident $(, $y:ident)?| $e:expr) => {{
        let lane = |n: u32| {
            let $x = ($x >> (16 * n)) as $t;
            $(let $y = ($y >> (16 * n)) as $t;)?
            u32::from($e as u16) << (16 * n)
        };
        lane(0) | lane(1)
    }};
}

/// The bytes as small integers, an operation on each, and the bytes of the result.
macro_rules! bytes {
    ($t:ident, |$x:ident $(, $y:ident)?| $e:expr) => {{
        let lane = |n: u32| {
            let $x = ($x >> (8 * n)) as $t;
            $(let $y = ($y >> (8 * n)) as $t;)?
            u32::from($e as u8) << (8 * n)
        };
        lane(0) | lane(1) | lane(2) | lane(3)
    }};
}

/// The sum of an operation's results over lanes.
macro_rules! total {
    ($t:ident, $bits:literal, |$x:ident, $y:ident| $e:expr) => {
        (0..32 / $bits)
            .map(|n| {
                let ($x, $y) = (($x >> ($bits * n)) as $t, ($y >> ($bits * n)) as $t);
                u32::from($e)
            })
            .sum()
    };
}

battery! { lanes(x: u32, y: u32) -> u32 {
    { vadd2(x, y) } = { halves!(u16, |x, y| x.wrapping_add(y)) }, exact();
    { vadd4(x, y) } = { bytes!(u8, |x, y| x.wrapping_add(y)) }, exact();
    { vaddss2(x, y) } = { halves!(i16, |x, y| x.saturating_add(y)) }, exact();
    { vaddss4(x, y) } = { bytes!(i8, |x, y| x.saturating_add(y)) }, exact();
    { vaddus2(x, y) } = { halves!(u16, |x, y| x.saturating_add(y)) }, exact();
    { vaddus4(x, y) } = { bytes!(u8, |x, y| x.saturating_add(y)) }, exact();
    { vsub2(x, y) } = { halves!(u16, |x, y| x.wrapping_sub(y)) }, exact();
    { vsub4(x, y) } = { bytes!(u8, |x, y| x.wrapping_sub(y)) }, exact();
    { vsubss2(x, y) } = { halves!(i16, |x, y| x.saturating_sub(y)) }, exact();
    { vsubss4(x, y) } = { bytes!(i8, |x, y| x.saturating_sub(y)) }, exact();
    { vsubus2(x, y) } = { halves!(u16, |x, y| x.saturating_sub(y)) }, exact();
    { vsubus4(x, y) } = { bytes!(u8, |x, y| x.saturating_sub(y)) }, exact();
    { vabs2(x) } = { halves!(i16, |x| x.wrapping_abs()) }, exact();
    { vabs4(x) } = { bytes!(i8, |x| x.wrapping_abs()) }, exact();
    { vabsss2(x) } = { halves!(i16, |x| x.saturating_abs()) }, exact();
    { vabsss4(x) } = { bytes!(i8, |x| x.saturating_abs()) }, exact();
    { vneg2(x) } = { halves!(i16, |x| x.wrapping_neg()) }, exact();
    { vneg4(x) } = { bytes!(i8, |x| x.wrapping_neg()) }, exact();
    { vnegss2(x) } = { halves!(i16, |x| x.saturating_neg()) }, exact();
    { vnegss4(x) } = { bytes!(i8, |x| x.saturating_neg()) }, exact();
    { vabsdiffs2(x, y) } = { halves!(i16, |x, y| x.abs_diff(y)) }, exact();
    { vabsdiffs4(x, y) } = { bytes!(i8, |x, y| x.abs_diff(y)) }, exact();
    { vabsdiffu2(x, y) } = { halves!(u16, |x, y| x.abs_diff(y)) }, exact();
    { vabsdiffu4(x, y) } = { bytes!(u8, |x, y| x.abs_diff(y)) }, exact();
    { vhaddu2(x, y) } = { halves!(u16, |x, y| x.midpoint(y)) }, exact();
    { vhaddu4(x, y) } = { bytes!(u8, |x, y| x.midpoint(y)) }, exact();
    { vavgu2(x, y) } = { halves!(u16, |x, y| (x as u32 + y as u32).div_ceil(2)) }, exact();
    { vavgu4(x, y) } = { bytes!(u8, |x, y| (x as u32 + y as u32).div_ceil(2)) }, exact();
    { vmaxs2(x, y) } = { halves!(i16, |x, y| x.max(y)) }, exact();
    { vmaxs4(x, y) } = { bytes!(i8, |x, y| x.max(y)) }, exact();
    { vmaxu2(x, y) } = { halves!(u16, |x, y| x.max(y)) }, exact();
    { vmaxu4(x, y) } = { bytes!(u8, |x, y| x.max(y)) }, exact();
    { vmins2(x, y) } = { halves!(i16, |x, y| x.min(y)) }, exact();
    { vmins4(x, y) } = { bytes!(i8, |x, y| x.min(y)) }, exact();
    { vminu2(x, y) } = { halves!(u16, |x, y| x.min(y)) }, exact();
    { vminu4(x, y) } = { bytes!(u8, |x, y| x.min(y)) }, exact();
    { vcmpeq2(x, y) } = { halves!(u16, |x, y| if x == y { !0u32 } else { 0 }) }, exact();
    { vcmpeq4(x, y) } = { bytes!(u8, |x, y| if x == y { !0u32 } else { 0 }) }, exact();
    { vcmpne2(x, y) } = { halves!(u16, |x, y| if x != y { !0u32 } else { 0 }) }, exact();
    { vcmpne4(x, y) } = { bytes!(u8, |x, y| if x != y { !0u32 } else { 0 }) }, exact();
    { vcmpges2(x, y) } = { halves!(i16, |x, y| if x >= y { !0u32 } else { 0 }) }, exact();
    { vcmpges4(x, y) } = { bytes!(i8, |x, y| if x >= y { !0u32 } else { 0 }) }, exact();
    { vcmpgeu2(x, y) } = { halves!(u16, |x, y| if x >= y { !0u32 } else { 0 }) }, exact();
    { vcmpgeu4(x, y) } = { bytes!(u8, |x, y| if x >= y { !0u32 } else { 0 }) }, exact();
    { vcmpgts2(x, y) } = { halves!(i16, |x, y| if x > y { !0u32 } else { 0 }) }, exact();
    { vcmpgts4(x, y) } = { bytes!(i8, |x, y| if x > y { !0u32 } else { 0 }) }, exact();
    { vcmpgtu2(x, y) } = { halves!(u16, |x, y| if x > y { !0u32 } else { 0 }) }, exact();
    { vcmpgtu4(x, y) } = { bytes!(u8, |x, y| if x > y { !0u32 } else { 0 }) }, exact();
    { vcmples2(x, y) } = { halves!(i16, |x, y| if x <= y { !0u32 } else { 0 }) }, exact();
    { vcmples4(x, y) } = { bytes!(i8, |x, y| if x <= y { !0u32 } else { 0 }) }, exact();
    { vcmpleu2(x, y) } = { halves!(u16, |x, y| if x <= y { !0u32 } else { 0 }) }, exact();
    { vcmpleu4(x, y) } = { bytes!(u8, |x, y| if x <= y { !0u32 } else { 0 }) }, exact();
    { vcmplts2(x, y) } = { halves!(i16, |x, y| if x < y { !0u32 } else { 0 }) }, exact();
    { vcmplts4(x, y) } = { bytes!(i8, |x, y| if x < y { !0u32 } else { 0 }) }, exact();
    { vcmpltu2(x, y) } = { halves!(u16, |x, y| if x < y { !0u32 } else { 0 }) }, exact();
    { vcmpltu4(x, y) } = { bytes!(u8, |x, y| if x < y { !0u32 } else { 0 }) }, exact();
    { vsads2(x, y) } = { total!(i16, 16, |x, y| x.abs_diff(y)) }, exact();
    { vsads4(x, y) } = { total!(i8, 8, |x, y| x.abs_diff(y)) }, exact();
    { vsadu2(x, y) } = { total!(u16, 16, |x, y| x.abs_diff(y)) }, exact();
    { vsadu4(x, y) } = { total!(u8, 8, |x, y| x.abs_diff(y)) }, exact();
} }
