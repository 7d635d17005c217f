//! Names and literals; whole kernels are the corpus's snapshots.

use super::literal::literal;
use super::names;
use super::precedence::Text;
use crate::ir::{BinaryOp, ConstValue, Scalar};

#[test]
fn keywords_and_taken_names_are_renamed() {
    let fresh = |name: &str| names::fresh(name, &|name| ["x", "x_1", "double_"].contains(&name));
    assert_eq!(fresh("int"), "int_");
    assert_eq!(fresh("ws_at"), "ws_at_");
    assert_eq!(fresh("r#try"), "try_");
    assert_eq!(fresh("x"), "x_2");
    assert_eq!(fresh("double"), "double__1");
}

#[test]
fn literals_read_back_to_the_same_bits() {
    let text = |v, s| literal(v, s).text;
    assert_eq!(text(ConstValue::Int(i32::MIN.into()), Scalar::I32), "(-2147483647 - 1)");
    assert_eq!(text(ConstValue::Int(-5), Scalar::I64), "(-5ll)");
    assert_eq!(text(ConstValue::Int(200), Scalar::U8), "(unsigned char)200");
    assert_eq!(text(ConstValue::F32(1e-7), Scalar::F32), "1e-7f");
    assert_eq!(text(ConstValue::F32(f32::INFINITY), Scalar::F32), "__int_as_float(0x7f800000)");
    assert_eq!(text(ConstValue::F64(0.1), Scalar::F64), "0.1");
}

#[test]
fn parentheses_follow_rust_where_c_differs() {
    let [a, b, c] = ["a", "b", "c"].map(Text::primary);
    let and = Text::binary(BinaryOp::BitAnd, a.clone(), b.clone());
    assert_eq!(Text::binary(BinaryOp::Eq, and, c.clone()).text, "(a & b) == c");
    let sub = Text::binary(BinaryOp::Sub, b, c.clone());
    assert_eq!(Text::binary(BinaryOp::Sub, a.clone(), sub).text, "a - (b - c)");
    let add = Text::binary(BinaryOp::Add, a, c.clone());
    assert_eq!(Text::binary(BinaryOp::Shl, add, c).text, "(a + c) << c");
}

/// A bit for each byte of the largest shared memory, 228 KiB; the CUDA begins at the first whole word of them.
#[test]
fn the_shadow_of_shared_memory_has_one_size() {
    use super::prelude::SHADOWED_DYNAMIC_SHARED;
    use super::shadow::{SHADOW, SHADOW_BYTES};
    assert_eq!(SHADOW_BYTES, 228 * 1024 / 8);
    assert!(SHADOWED_DYNAMIC_SHARED.code.contains(&format!("bytes - {SHADOW_BYTES}u")));
    assert!(SHADOW.code.contains(&format!("(bytes - {}u) / 4u * 4u", SHADOW_BYTES - 3)));
    assert!(SHADOW.code.contains(&format!("i < {}u", (SHADOW_BYTES - 4) / 4)));
}
