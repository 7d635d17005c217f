//! Arithmetic and conversions in stated directions, bit for bit; the library's unit tests hold the
//! simulator's against the host's own rounding and exact products.

use super::battery::battery;

macro_rules! directed {
    ($module:ident, $t:ident) => {
        battery! { $module(x: $t, y: $t, z: $t) -> $t {
            { add_rn(x, y) } = { x + y }, exact();
            { add_rz(x, y) } = { add_rz(x, y) }, exact();
            { add_ru(x, y) } = { add_ru(x, y) }, exact();
            { add_rd(x, y) } = { add_rd(x, y) }, exact();
            { sub_rn(x, y) } = { x - y }, exact();
            { sub_rz(x, y) } = { sub_rz(x, y) }, exact();
            { sub_ru(x, y) } = { sub_ru(x, y) }, exact();
            { sub_rd(x, y) } = { sub_rd(x, y) }, exact();
            { mul_rn(x, y) } = { x * y }, exact();
            { mul_rz(x, y) } = { mul_rz(x, y) }, exact();
            { mul_ru(x, y) } = { mul_ru(x, y) }, exact();
            { mul_rd(x, y) } = { mul_rd(x, y) }, exact();
            { fma_rn(x, y, z) } = { x.mul_add(y, z) }, exact();
            { fma_rz(x, y, z) } = { fma_rz(x, y, z) }, exact();
            { fma_ru(x, y, z) } = { fma_ru(x, y, z) }, exact();
            { fma_rd(x, y, z) } = { fma_rd(x, y, z) }, exact();
            { div_rn(x, y) } = { x / y }, exact();
            { div_rz(x, y) } = { div_rz(x, y) }, exact();
            { div_ru(x, y) } = { div_ru(x, y) }, exact();
            { div_rd(x, y) } = { div_rd(x, y) }, exact();
            { rcp_rn(x) } = { 1.0 / x }, exact();
            { rcp_rz(x) } = { rcp_rz(x) }, exact();
            { rcp_ru(x) } = { rcp_ru(x) }, exact();
            { rcp_rd(x) } = { rcp_rd(x) }, exact();
            { sqrt_rn(x) } = { x.sqrt() }, exact();
            { sqrt_rz(x) } = { sqrt_rz(x) }, exact();
            { sqrt_ru(x) } = { sqrt_ru(x) }, exact();
            { sqrt_rd(x) } = { sqrt_rd(x) }, exact();
        } }
    };
}

directed!(f32_directed, f32);
directed!(f64_directed, f64);

battery! { roots(x: f32) -> f32 {
    { rsqrt_rn(x) } = { rsqrt_rn(x) }, exact();
} }
