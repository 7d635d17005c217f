//! Rust and the IR agree on how values are laid out.

use crate::ir::{EnumType, Type};
use crate::types::DeviceType;

fn enum_of<T: DeviceType>() -> std::sync::Arc<EnumType> {
    match T::ty() {
        Type::Enum(def) => def,
        other => panic!("`{other}` is no enum"),
    }
}

#[test]
fn tuples_are_laid_out_as_by_c() {
    let ty = <(u8, u32, u8)>::ty();
    assert_eq!((ty.size(), ty.align()), (12, 4));
    assert_eq!([0, 1, 2].map(|i| ty.field_offset(i)), [Some(0), Some(4), Some(8)]);
    assert_eq!(ty.field_offset(3), None);
}

#[test]
fn the_fields_of_an_enum_follow_its_tag_at_their_alignment() {
    let option = enum_of::<Option<f64>>();
    assert_eq!((option.size, option.align), (16, 8));
    assert_eq!((option.tag_offset(), option.field_offset(1, 0)), (0, 8));
    let flag = enum_of::<Option<bool>>();
    assert_eq!((flag.size, flag.align, flag.field_offset(1, 0)), (8, 4, 4));
    let result = enum_of::<Result<u8, f64>>();
    assert_eq!((result.field_offset(0, 0), result.field_offset(1, 0), result.size), (8, 8, 16));
}

#[test]
fn an_enum_in_a_tuple_takes_its_bytes() {
    let ty = <(u8, Option<u64>, u8)>::ty();
    assert_eq!((ty.size(), ty.align(), ty.field_offset(2)), (32, 8, Some(24)));
}

/// Compares Rust's layout of a type with the IR's.
fn same<T: DeviceType>() {
    let (ty, layout) = (T::ty(), T::LAYOUT);
    assert_eq!((ty.size(), ty.align()), (layout.size, layout.align), "{ty}");
}

#[test]
fn rust_and_the_ir_agree_on_every_kind_of_type() {
    same::<bool>();
    same::<crate::half::f16>();
    same::<usize>();
    same::<()>();
    same::<[(u8, u32); 3]>();
    same::<[u16; 5]>();
    same::<Option<Option<u8>>>();
    same::<Result<(f32, u8), [u64; 2]>>();
    same::<core::cmp::Ordering>();
    same::<core::sync::atomic::Ordering>();
    same::<crate::types::vector::F32x3>();
    same::<crate::types::vector::F64x4>();
    same::<crate::types::View<'static, f32>>();
    same::<crate::types::ViewMut2<'static, f32>>();
    same::<crate::types::View3<'static, f32>>();
    same::<crate::prelude::Index3>();
    same::<&f32>();
    same::<&crate::types::Slice<f32>>();
    same::<*mut u8>();
    same::<crate::device_api::group::WarpTile<8>>();
    same::<crate::device_api::ordered::Atomic<'static, u32, 0>>();
}
