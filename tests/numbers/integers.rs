//! The methods of the integers, exactly Rust's.

use super::battery::battery;

macro_rules! integers {
    ($t:ident, $values:ident, $flags:ident) => {
        battery! { $values(x: $t, y: $t, n: u32) -> $t {
            { x.wrapping_add(y) } = { x.wrapping_add(y) }, exact();
            { x.saturating_add(y) } = { x.saturating_add(y) }, exact();
            { x.saturating_sub(y) } = { x.saturating_sub(y) }, exact();
            { x.saturating_mul(y) } = { x.saturating_mul(y) }, exact();
            { if y == 0 { 0 } else { x.saturating_div(y) } } = { if y == 0 { 0 } else { x.saturating_div(y) } }, exact();
            { x.saturating_pow(n & 15) } = { x.saturating_pow(n & 15) }, exact();
            { x.wrapping_pow(n) } = { x.wrapping_pow(n) }, exact();
            { if y == 0 { 0 } else { x.wrapping_div(y) } } = { if y == 0 { 0 } else { x.wrapping_div(y) } }, exact();
            { if y == 0 { 0 } else { x.wrapping_rem(y) } } = { if y == 0 { 0 } else { x.wrapping_rem(y) } }, exact();
            { if y == 0 { 0 } else { x.wrapping_div_euclid(y) } } = { if y == 0 { 0 } else { x.wrapping_div_euclid(y) } }, exact();
            { if y == 0 { 0 } else { x.wrapping_rem_euclid(y) } } = { if y == 0 { 0 } else { x.wrapping_rem_euclid(y) } }, exact();
            { if y == 0 { 0 } else { x.overflowing_div(y).0 } } = { if y == 0 { 0 } else { x.overflowing_div(y).0 } }, exact();
            { if y == 0 { 0 } else { x.overflowing_rem(y).0 } } = { if y == 0 { 0 } else { x.overflowing_rem(y).0 } }, exact();
            { x.checked_div_euclid(y).unwrap_or(77) } = { x.checked_div_euclid(y).unwrap_or(77) }, exact();
            { x.checked_rem_euclid(y).unwrap_or(77) } = { x.checked_rem_euclid(y).unwrap_or(77) }, exact();
            { x.overflowing_add(y).0 } = { x.overflowing_add(y).0 }, exact();
            { x.overflowing_sub(y).0 } = { x.overflowing_sub(y).0 }, exact();
            { x.overflowing_mul(y).0 } = { x.overflowing_mul(y).0 }, exact();
            { x.overflowing_neg().0 } = { x.overflowing_neg().0 }, exact();
            { x.overflowing_pow(n & 15).0 } = { x.overflowing_pow(n & 15).0 }, exact();
            { x.unbounded_shl(n) } = { x.unbounded_shl(n) }, exact();
            { x.unbounded_shr(n) } = { x.unbounded_shr(n) }, exact();
            { x.overflowing_shl(n).0 } = { x.overflowing_shl(n).0 }, exact();
            { x.overflowing_shr(n).0 } = { x.overflowing_shr(n).0 }, exact();
            { x.midpoint(y) } = { x.midpoint(y) }, exact();
            { (x >> 1 & $t::MAX).isqrt() } = { (x >> 1 & $t::MAX).isqrt() }, exact();
            { x.max(0).isqrt() } = { x.max(0).isqrt() }, exact();
            { x.to_be() } = { x.to_be() }, exact();
            { x.to_le() } = { x.to_le() }, exact();
            { x.swap_bytes() } = { x.swap_bytes() }, exact();
            { x.reverse_bits() } = { x.reverse_bits() }, exact();
            { x.rotate_left(n) } = { x.rotate_left(n) }, exact();
            { x.rotate_right(n) } = { x.rotate_right(n) }, exact();
        } }

        battery! { $flags(x: $t, y: $t, n: u32) -> u32 {
            { x.overflowing_add(y).1 as u32 } = { x.overflowing_add(y).1 as u32 }, exact();
            { x.overflowing_sub(y).1 as u32 } = { x.overflowing_sub(y).1 as u32 }, exact();
            { let (_, over) = x.overflowing_mul(y); over as u32 } = { x.overflowing_mul(y).1 as u32 }, exact();
            { if y == 0 { 9 } else { x.overflowing_div(y).1 as u32 } } = { if y == 0 { 9 } else { x.overflowing_div(y).1 as u32 } }, exact();
            { if y == 0 { 9 } else { x.overflowing_rem(y).1 as u32 } } = { if y == 0 { 9 } else { x.overflowing_rem(y).1 as u32 } }, exact();
            { x.overflowing_neg().1 as u32 } = { x.overflowing_neg().1 as u32 }, exact();
            { x.overflowing_pow(n & 15).1 as u32 } = { x.overflowing_pow(n & 15).1 as u32 }, exact();
            { x.overflowing_shl(n).1 as u32 } = { x.overflowing_shl(n).1 as u32 }, exact();
            { x.overflowing_shr(n).1 as u32 } = { x.overflowing_shr(n).1 as u32 }, exact();
            { x.checked_ilog2().unwrap_or(99) } = { x.checked_ilog2().unwrap_or(99) }, exact();
            { x.checked_ilog10().unwrap_or(99) } = { x.checked_ilog10().unwrap_or(99) }, exact();
            { x.leading_ones() } = { x.leading_ones() }, exact();
            { x.trailing_ones() } = { x.trailing_ones() }, exact();
            { x.leading_zeros() } = { x.leading_zeros() }, exact();
            { x.trailing_zeros() } = { x.trailing_zeros() }, exact();
            { x.count_zeros() } = { x.count_zeros() }, exact();
            { x.max(1).ilog2() } = { x.max(1).ilog2() }, exact();
            { x.max(1).ilog10() } = { x.max(1).ilog10() }, exact();
            { x.max(1).ilog(y.max(2)) } = { x.max(1).ilog(y.max(2)) }, exact();
        } }
    };
}

integers!(i8, i8_values, i8_flags);
integers!(i16, i16_values, i16_flags);
integers!(i32, i32_values, i32_flags);
integers!(i64, i64_values, i64_flags);
integers!(u8, u8_values, u8_flags);
integers!(u16, u16_values, u16_flags);
integers!(u32, u32_values, u32_flags);
integers!(u64, u64_values, u64_flags);

macro_rules! signed {
    ($i:ident, $u:ident, $signed:ident, $unsigned:ident) => {
        battery! { $signed(x: $i, z: $u) -> $i {
            { x.saturating_abs() } = { x.saturating_abs() }, exact();
            { x.saturating_neg() } = { x.saturating_neg() }, exact();
            { x.wrapping_abs() } = { x.wrapping_abs() }, exact();
            { x.wrapping_add_unsigned(z) } = { x.wrapping_add_unsigned(z) }, exact();
            { x.wrapping_sub_unsigned(z) } = { x.wrapping_sub_unsigned(z) }, exact();
            { x.checked_abs().unwrap_or(7) } = { x.checked_abs().unwrap_or(7) }, exact();
            { x.checked_add_unsigned(z).unwrap_or(7) } = { x.checked_add_unsigned(z).unwrap_or(7) }, exact();
            { x.checked_sub_unsigned(z).unwrap_or(7) } = { x.checked_sub_unsigned(z).unwrap_or(7) }, exact();
            { x.saturating_add_unsigned(z) } = { x.saturating_add_unsigned(z) }, exact();
            { x.saturating_sub_unsigned(z) } = { x.saturating_sub_unsigned(z) }, exact();
            { x.signum() } = { x.signum() }, exact();
            { z.cast_signed() } = { z.cast_signed() }, exact();
        } }

        battery! { $unsigned(x: $i, y: $i, z: $u) -> $u {
            { x.cast_unsigned() } = { x.cast_unsigned() }, exact();
            { x.unsigned_abs() } = { x.unsigned_abs() }, exact();
            { x.abs_diff(y) } = { x.abs_diff(y) }, exact();
            { z.wrapping_add_signed(x) } = { z.wrapping_add_signed(x) }, exact();
            { z.checked_add_signed(x).unwrap_or(7) } = { z.checked_add_signed(x).unwrap_or(7) }, exact();
            { z.overflowing_add_signed(x).0 } = { z.overflowing_add_signed(x).0 }, exact();
            { z.overflowing_add_signed(x).1 as $u } = { z.overflowing_add_signed(x).1 as $u }, exact();
            { z.checked_next_power_of_two().unwrap_or(7) } = { z.checked_next_power_of_two().unwrap_or(7) }, exact();
            { z.checked_next_multiple_of(x as $u).unwrap_or(7) } = { z.checked_next_multiple_of(x as $u).unwrap_or(7) }, exact();
            { z.carrying_add(x as $u, y > 0).0 } = { z.carrying_add(x as $u, y > 0).0 }, exact();
            { z.carrying_add(x as $u, y > 0).1 as $u } = { z.carrying_add(x as $u, y > 0).1 as $u }, exact();
            { z.borrowing_sub(x as $u, y > 0).1 as $u } = { z.borrowing_sub(x as $u, y > 0).1 as $u }, exact();
            { z.carrying_mul(x as $u, y as $u).0 } = { z.carrying_mul(x as $u, y as $u).0 }, exact();
            { z.carrying_mul(x as $u, y as $u).1 } = { z.carrying_mul(x as $u, y as $u).1 }, exact();
            { z.saturating_add_signed(x) } = { z.saturating_add_signed(x) }, exact();
        } }
    };
}

signed!(i8, u8, i8_signed, u8_signed);
signed!(i16, u16, i16_signed, u16_signed);
signed!(i32, u32, i32_signed, u32_signed);
signed!(i64, u64, i64_signed, u64_signed);
