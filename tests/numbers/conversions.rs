//! Conversions in stated directions, bit for bit.

use super::battery::battery;

/// The largest `f32` not above a value.
fn below(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

/// The smallest `f32` not below a value.
fn above(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) < x { near.next_up() } else { near }
}

/// The largest float not above an integer; `as` rounds to the nearest, and every float here is an integer.
macro_rules! toward_rd {
    ($x:ident, $t:ident) => {{
        let near = $x as $t;
        if near as i128 > $x as i128 { near.next_down() } else { near }
    }};
}

/// The smallest float not below an integer.
macro_rules! toward_ru {
    ($x:ident, $t:ident) => {{
        let near = $x as $t;
        if (near as i128) < $x as i128 { near.next_up() } else { near }
    }};
}

/// The nearer to zero of the two.
macro_rules! toward_rz {
    ($x:ident, $t:ident) => {
        if $x as i128 > 0 { toward_rd!($x, $t) } else { toward_ru!($x, $t) }
    };
}

battery! { f32_to_i32(x: f32) -> i32 {
    { f32_to_i32_rn(x) } = { if x.is_nan() { 0 } else { x.round_ties_even() as i32 } }, exact();
    { f32_to_i32_ru(x) } = { if x.is_nan() { 0 } else { x.ceil() as i32 } }, exact();
    { f32_to_i32_rd(x) } = { if x.is_nan() { 0 } else { x.floor() as i32 } }, exact();
} }

battery! { f32_to_u32(x: f32) -> u32 {
    { f32_to_u32_rn(x) } = { if x.is_nan() { 0 } else { x.round_ties_even() as u32 } }, exact();
    { f32_to_u32_ru(x) } = { if x.is_nan() { 0 } else { x.ceil() as u32 } }, exact();
    { f32_to_u32_rd(x) } = { if x.is_nan() { 0 } else { x.floor() as u32 } }, exact();
} }

battery! { f32_to_i64(x: f32) -> i64 {
    { f32_to_i64_rn(x) } = { if x.is_nan() { i64::MIN } else { x.round_ties_even() as i64 } }, exact();
    { f32_to_i64_ru(x) } = { if x.is_nan() { i64::MIN } else { x.ceil() as i64 } }, exact();
    { f32_to_i64_rd(x) } = { if x.is_nan() { i64::MIN } else { x.floor() as i64 } }, exact();
} }

battery! { f32_to_u64(x: f32) -> u64 {
    { f32_to_u64_rn(x) } = { if x.is_nan() { 1 << 63 } else { x.round_ties_even() as u64 } }, exact();
    { f32_to_u64_ru(x) } = { if x.is_nan() { 1 << 63 } else { x.ceil() as u64 } }, exact();
    { f32_to_u64_rd(x) } = { if x.is_nan() { 1 << 63 } else { x.floor() as u64 } }, exact();
} }

battery! { f64_to_i32(x: f64) -> i32 {
    { f64_to_i32_rn(x) } = { if x.is_nan() { i32::MIN } else { x.round_ties_even() as i32 } }, exact();
    { f64_to_i32_ru(x) } = { if x.is_nan() { i32::MIN } else { x.ceil() as i32 } }, exact();
    { f64_to_i32_rd(x) } = { if x.is_nan() { i32::MIN } else { x.floor() as i32 } }, exact();
} }

battery! { f64_to_u32(x: f64) -> u32 {
    { f64_to_u32_rn(x) } = { if x.is_nan() { 1 << 31 } else { x.round_ties_even() as u32 } }, exact();
    { f64_to_u32_ru(x) } = { if x.is_nan() { 1 << 31 } else { x.ceil() as u32 } }, exact();
    { f64_to_u32_rd(x) } = { if x.is_nan() { 1 << 31 } else { x.floor() as u32 } }, exact();
} }

battery! { f64_to_i64(x: f64) -> i64 {
    { f64_to_i64_rn(x) } = { if x.is_nan() { i64::MIN } else { x.round_ties_even() as i64 } }, exact();
    { f64_to_i64_ru(x) } = { if x.is_nan() { i64::MIN } else { x.ceil() as i64 } }, exact();
    { f64_to_i64_rd(x) } = { if x.is_nan() { i64::MIN } else { x.floor() as i64 } }, exact();
} }

battery! { f64_to_u64(x: f64) -> u64 {
    { f64_to_u64_rn(x) } = { if x.is_nan() { 1 << 63 } else { x.round_ties_even() as u64 } }, exact();
    { f64_to_u64_ru(x) } = { if x.is_nan() { 1 << 63 } else { x.ceil() as u64 } }, exact();
    { f64_to_u64_rd(x) } = { if x.is_nan() { 1 << 63 } else { x.floor() as u64 } }, exact();
} }

battery! { i32_to_f32(x: i32) -> f32 {
    { i32_to_f32_rz(x) } = { toward_rz!(x, f32) }, exact();
    { i32_to_f32_ru(x) } = { toward_ru!(x, f32) }, exact();
    { i32_to_f32_rd(x) } = { toward_rd!(x, f32) }, exact();
} }

battery! { u32_to_f32(x: u32) -> f32 {
    { u32_to_f32_rz(x) } = { toward_rz!(x, f32) }, exact();
    { u32_to_f32_ru(x) } = { toward_ru!(x, f32) }, exact();
    { u32_to_f32_rd(x) } = { toward_rd!(x, f32) }, exact();
} }

battery! { i64_to_f32(x: i64) -> f32 {
    { i64_to_f32_rz(x) } = { toward_rz!(x, f32) }, exact();
    { i64_to_f32_ru(x) } = { toward_ru!(x, f32) }, exact();
    { i64_to_f32_rd(x) } = { toward_rd!(x, f32) }, exact();
} }

battery! { u64_to_f32(x: u64) -> f32 {
    { u64_to_f32_rz(x) } = { toward_rz!(x, f32) }, exact();
    { u64_to_f32_ru(x) } = { toward_ru!(x, f32) }, exact();
    { u64_to_f32_rd(x) } = { toward_rd!(x, f32) }, exact();
} }

battery! { i64_to_f64(x: i64) -> f64 {
    { i64_to_f64_rz(x) } = { toward_rz!(x, f64) }, exact();
    { i64_to_f64_ru(x) } = { toward_ru!(x, f64) }, exact();
    { i64_to_f64_rd(x) } = { toward_rd!(x, f64) }, exact();
} }

battery! { u64_to_f64(x: u64) -> f64 {
    { u64_to_f64_rz(x) } = { toward_rz!(x, f64) }, exact();
    { u64_to_f64_ru(x) } = { toward_ru!(x, f64) }, exact();
    { u64_to_f64_rd(x) } = { toward_rd!(x, f64) }, exact();
} }

battery! { f64_to_f32(x: f64) -> f32 {
    { f64_to_f32_rz(x) } = { if x > 0.0 { below(x) } else { above(x) } }, exact();
    { f64_to_f32_ru(x) } = { above(x) }, exact();
    { f64_to_f32_rd(x) } = { below(x) }, exact();
} }
