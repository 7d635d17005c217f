//! Integer instructions against plain Rust.

use super::battery::battery;

/// `bfe` as PTX defines it, bit by bit.
fn field_of(x: u64, width: u32, signed: bool, pos: u32, len: u32) -> u64 {
    let (pos, len, top) = (pos & 0xff, len & 0xff, width - 1);
    let bit = |i: u32| x >> i & 1;
    let sign = if signed && len != 0 { bit((pos + len - 1).min(top)) } else { 0 };
    (0..width).map(|i| (if i < len && pos + i <= top { bit(pos + i) } else { sign }) << i).sum()
}

/// `bfi` as PTX defines it, bit by bit.
fn with_field(insert: u64, base: u64, width: u32, pos: u32, len: u32) -> u64 {
    let (pos, len) = (pos & 0xff, len & 0xff);
    (0..width)
        .map(|i| (if i >= pos && i - pos < len { insert >> (i - pos) } else { base >> i } & 1) << i)
        .sum()
}

/// `fns` as PTX defines it.
fn nth_one(mask: u32, base: u32, offset: i32) -> u32 {
    if offset == 0 {
        return if mask >> base & 1 == 1 { base } else { u32::MAX };
    }
    let (mut pos, mut count) = (base as i64, i64::from(offset).abs() - 1);
    while (0..32).contains(&pos) {
        if mask >> pos & 1 == 1 {
            if count == 0 {
                return pos as u32;
            }
            count -= 1;
        }
        pos += i64::from(offset.signum());
    }
    u32::MAX
}

macro_rules! any_width {
    ($t:ident, $u:ident, $wide:ident, $signed:literal, $counts:ident, $values:ident) => {
        battery! { $counts(x: $t) -> u32 {
            { popc(x) } = { x.count_ones() }, exact();
            { clz(x) } = { x.leading_zeros() }, exact();
            { ffs(x) } = { if x == 0 { 0 } else { x.trailing_zeros() + 1 } }, exact();
        } }

        battery! { $values(x: $t, y: $t, pos: u32, len: u32) -> $t {
            { brev(x) } = { x.reverse_bits() }, exact();
            { mul_hi(x, y) } = { ((x as $wide).wrapping_mul(y as $wide) >> $t::BITS) as $t }, exact();
            { bfe(x, pos, len) } = { field_of(x as $u as u64, $t::BITS, $signed, pos, len) as $t }, exact();
            { bfe(x, pos & 31, len & 31) } = { field_of(x as $u as u64, $t::BITS, $signed, pos & 31, len & 31) as $t }, exact();
            { bfi(x, y, pos, len) } = { with_field(x as $u as u64, y as $u as u64, $t::BITS, pos, len) as $t }, exact();
            { bfi(x, y, pos & 31, len & 31) } = { with_field(x as $u as u64, y as $u as u64, $t::BITS, pos & 31, len & 31) as $t }, exact();
        } }
    };
}

any_width!(u32, u32, u64, false, u32_counts, u32_values);
any_width!(i32, u32, i64, true, i32_counts, i32_values);
any_width!(u64, u64, u128, false, u64_counts, u64_values);
any_width!(i64, u64, i128, true, i64_counts, i64_values);

battery! { unsigned(x: u32, y: u32, z: u32, n: i32) -> u32 {
    { umul24(x, y) } = { (x & 0xffffff).wrapping_mul(y & 0xffffff) }, exact();
    { funnel_shift_l(x, y, z) } = { if z & 31 == 0 { y } else { y << (z & 31) | x >> (32 - (z & 31)) } }, exact();
    { funnel_shift_lc(x, y, z) } = { if z >= 32 { x } else if z == 0 { y } else { y << z | x >> (32 - z) } }, exact();
    { funnel_shift_r(x, y, z) } = { if z & 31 == 0 { x } else { x >> (z & 31) | y << (32 - (z & 31)) } }, exact();
    { funnel_shift_rc(x, y, z) } = { if z >= 32 { y } else if z == 0 { x } else { x >> z | y << (32 - z) } }, exact();
    { byte_perm(x, y, z) } = {
        (0..4).map(|i| { let s = z >> (4 * i) & 7; (if s < 4 { x >> (8 * s) } else { y >> (8 * (s - 4)) } & 0xff) << (8 * i) }).sum()
    }, exact();
    { usad(x, y, z) } = { x.max(y).wrapping_sub(x.min(y)).wrapping_add(z) }, exact();
    { sad(x as i32, y as i32, z) } = { (x as i32).abs_diff(y as i32).wrapping_add(z) }, exact();
    { uhadd(x, y) } = { x.midpoint(y) }, exact();
    { urhadd(x, y) } = { (x as u64 + y as u64).div_ceil(2) as u32 }, exact();
    { dp4a_u32(x, y, z) } = { (0..4).fold(z, |sum, i| sum.wrapping_add((x >> (8 * i) & 0xff) * (y >> (8 * i) & 0xff))) }, exact();
    { dp2a_lo_u32(x, y, z) } = { (0..2).fold(z, |sum, i| sum.wrapping_add((x >> (16 * i) & 0xffff) * (y >> (8 * i) & 0xff))) }, exact();
    { dp2a_hi_u32(x, y, z) } = { (0..2).fold(z, |sum, i| sum.wrapping_add((x >> (16 * i) & 0xffff) * (y >> (16 + 8 * i) & 0xff))) }, exact();
    { fns(x, y & 31, n) } = { nth_one(x, y & 31, n) }, exact();
    { fns(x, y & 31, n % 8) } = { nth_one(x, y & 31, n % 8) }, exact();
} }

battery! { signed(x: i32, y: i32, z: i32) -> i32 {
    { mul24(x, y) } = { (x << 8 >> 8).wrapping_mul(y << 8 >> 8) }, exact();
    { hadd(x, y) } = { ((x as i64 + y as i64) >> 1) as i32 }, exact();
    { rhadd(x, y) } = { ((x as i64 + y as i64 + 1) >> 1) as i32 }, exact();
    { dp4a_s32(x, y, z) } = { (0..4).fold(z, |sum, i| sum.wrapping_add((x >> (8 * i)) as i8 as i32 * (y >> (8 * i)) as i8 as i32)) }, exact();
    { dp4a_s32_u32(x, y as u32, z) } = { (0..4).fold(z, |sum, i| sum.wrapping_add((x >> (8 * i)) as i8 as i32 * (y >> (8 * i)) as u8 as i32)) }, exact();
    { dp4a_u32_s32(x as u32, y, z) } = { (0..4).fold(z, |sum, i| sum.wrapping_add((x >> (8 * i)) as u8 as i32 * (y >> (8 * i)) as i8 as i32)) }, exact();
    { dp2a_lo_s32(x, y, z) } = { (0..2).fold(z, |sum, i| sum.wrapping_add((x >> (16 * i)) as i16 as i32 * (y >> (8 * i)) as i8 as i32)) }, exact();
    { dp2a_hi_s32(x, y, z) } = { (0..2).fold(z, |sum, i| sum.wrapping_add((x >> (16 * i)) as i16 as i32 * (y >> (16 + 8 * i)) as i8 as i32)) }, exact();
} }
