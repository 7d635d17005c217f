//! Meanings called as an interpreter calls them, against the functions that they stand for.

use std::cell::RefCell;
use std::sync::atomic::Ordering;

use crate::device_api::methods::markers::{ascii, bytes, float, half_conversion, int, signed, vector};
use crate::device_api::{atomic, cluster, copy_async, index, memory, ordered, shuffle};
use crate::ir::Meaning;
use crate::prelude::*;
use crate::record::Callee;
use crate::simulator::{SimFault, SimLaunch, context, run};
use crate::types::{DeviceType, GpuType, Slice};
use crate::witness::DeviceFn;

/// A value in the IR's layout.
fn ir<T: DeviceType>(value: T) -> Vec<u8> {
    let mut bytes = vec![0xab; T::LAYOUT.size];
    // SAFETY: as many bytes as the type has.
    unsafe { value.to_ir(bytes.as_mut_ptr()) };
    bytes
}

/// The value of bytes in the IR's layout.
fn rust<T: DeviceType>(bytes: &[u8]) -> T {
    assert_eq!(bytes.len(), T::LAYOUT.size);
    // SAFETY: written by `ir`.
    unsafe { T::from_ir(bytes.as_ptr()) }
}

fn meaning<M: DeviceFn>() -> Meaning {
    match M::callee() {
        Callee::Builtin(_, Some(meaning)) => meaning,
        _ => panic!("a builtin without a meaning"),
    }
}

/// The result of a builtin for arguments in the IR's layout.
fn call<M: DeviceFn, R: DeviceType>(args: &[Vec<u8>]) -> R {
    let addresses: Vec<*const u8> = args.iter().map(|arg| arg.as_ptr()).collect();
    let mut ret = vec![0xcd; R::LAYOUT.size];
    // SAFETY: the tests give the arguments that the builtin takes.
    unsafe { (meaning::<M>().0)(addresses.as_ptr(), ret.as_mut_ptr()) };
    rust(&ret)
}

/// Calls `thread` as each of 32 threads of one block.
fn in_a_warp(thread: &dyn Fn()) -> Result<(), SimFault> {
    run(&SimLaunch::new("meanings", [1; 3], [32, 1, 1]), thread).map(|_| ())
}

#[test]
fn methods_of_scalars_of_every_width_are_called() {
    assert_eq!(call::<int::wrapping_add<u8>, u8>(&[ir(200u8), ir(100u8)]), 44);
    assert_eq!(call::<int::rotate_left<i16>, i16>(&[ir(0x1234i16), ir(4u32)]), 0x2341);
    assert_eq!(call::<int::pow<i32>, i32>(&[ir(-3i32), ir(3u32)]), -27);
    assert_eq!(call::<int::leading_zeros<u64>, u32>(&[ir(1u64)]), 63);
    assert_eq!(call::<signed::unsigned_abs<isize>, usize>(&[ir(isize::MIN)]), 1 << 63);
    assert_eq!(call::<float::mul_add<f32>, f32>(&[ir(2.0f32), ir(3.0f32), ir(0.5f32)]), 6.5);
    assert_eq!(call::<float::sin<f64>, f64>(&[ir(0.5f64)]), 0.5f64.sin());
    assert!(call::<float::is_nan<f64>, bool>(&[ir(f64::NAN)]));
    let (x, y) = (f16::from_f32(1.5), f16::from_f32(-2.25));
    assert_eq!(call::<float::hypot<f16>, f16>(&[ir(x), ir(y)]), Float::hypot(x, y));
    assert_eq!(call::<half_conversion::from_f64<bf16>, bf16>(&[ir(0.1f64)]), bf16::from_f64(0.1));
    assert_eq!(call::<float::from_bits<f32>, f32>(&[ir(0x3fc0_0000u32)]), 1.5);
}

#[test]
fn options_tuples_arrays_and_vectors_are_converted() {
    assert_eq!(call::<int::checked_add<i8>, Option<i8>>(&[ir(100i8), ir(27i8)]), Some(127));
    assert_eq!(call::<int::checked_add<i8>, Option<i8>>(&[ir(100i8), ir(28i8)]), None);
    assert_eq!(
        call::<int::overflowing_mul<u64>, (u64, bool)>(&[ir(u64::MAX), ir(2u64)]),
        (u64::MAX - 1, true)
    );
    assert_eq!(call::<bytes::to_be_bytes<u32>, [u8; 4]>(&[ir(0x0102_0304u32)]), [1, 2, 3, 4]);
    assert_eq!(call::<bytes::from_le_bytes<i16>, i16>(&[ir([0xfeu8, 0xff])]), -2);
    let (a, b) = (F32x3::new(1.0, 2.0, 3.0), F32x3::new(4.0, 5.0, 6.0));
    assert_eq!(call::<vector::dot<F32x3>, f32>(&[ir(a), ir(b)]), 32.0);
    assert_eq!(call::<vector::extend<F32x3>, F32x4>(&[ir(a), ir(9.0f32)]), F32x4::new(1.0, 2.0, 3.0, 9.0));
    assert_eq!(
        call::<vector::max<U8x4>, U8x4>(&[ir(U8x4::new(1, 9, 3, 9)), ir(U8x4::splat(5))]),
        U8x4::new(5, 9, 5, 9)
    );
    assert_eq!(call::<memory::bit_cast<F32x2, u64>, u64>(&[ir(F32x2::new(1.0, 0.0))]), 0x3f80_0000);
}

#[test]
fn a_reference_of_a_method_is_read() {
    assert!(call::<ascii::eq_ignore_ascii_case<u8>, bool>(&[ir(b'q'), ir(b'Q')]));
    assert!(!call::<ascii::is_ascii_digit<u8>, bool>(&[ir(b'q')]));
}

#[derive(Clone, Copy, Debug, PartialEq, warpsmith_macros::GpuType)]
enum Shape {
    Empty,
    Circle { radius: f64 },
    Box(u8, Option<u16>),
}

#[derive(Clone, Copy, Debug, PartialEq, warpsmith_macros::GpuType)]
#[repr(C)]
struct Pair<T> {
    first: T,
    second: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, warpsmith_macros::GpuType)]
#[repr(C)]
enum Laid {
    Two,
    One(u16, f64),
}

/// A value survives, and its parts are where the IR says.
#[track_caller]
fn survives<T: DeviceType + Copy + PartialEq + core::fmt::Debug>(value: T, bytes: usize) {
    assert_eq!((T::LAYOUT.size, T::ty().size(), T::ty().align()), (bytes, bytes, T::LAYOUT.align));
    assert_eq!(rust::<T>(&ir(value)), value);
}

#[test]
fn enums_and_structs_have_the_layout_of_the_ir() {
    [Shape::Empty, Shape::Circle { radius: 2.5 }, Shape::Box(3, Some(4)), Shape::Box(3, None)]
        .into_iter()
        .for_each(|shape| survives(shape, 24));
    let bytes = ir(Shape::Box(3, Some(4)));
    assert_eq!((bytes[0], bytes[8], bytes[12], bytes[16]), (2, 3, 1, 4), "tag, `u8`, tag, `u16`");
    survives(Pair { first: Some(true), second: 1 }, 12);
    survives(Pair { first: 1.0f32, second: 1 }, 8);
    survives(Err::<u8, (u8, u32)>((1, 2)), 12);
    survives(core::cmp::Ordering::Less, 1);
    survives(Ordering::SeqCst, 1);
    survives(Laid::One(1, 2.0), size_of::<Laid>());
    survives(Laid::Two, size_of::<Laid>());
}

/// What Rust wrote is what is read by the rules of the IR.
#[test]
fn an_enum_with_a_repr_lies_as_in_rust() {
    let value = Laid::One(3, 4.0);
    // SAFETY: the value is initialised but for padding, which is not compared.
    let raw: [u8; 24] = unsafe { core::mem::transmute(value) };
    let bytes = ir(value);
    [0..4, 8..10, 16..24].into_iter().for_each(|range| assert_eq!(raw[range.clone()], bytes[range]));
}

#[test]
fn pointers_move_read_and_write() {
    use crate::device_api::methods::markers::{
        PointerAdd, PointerIsNull, PointerRead, PointerSub, PointerWrite,
    };
    let mut x = [1u16, 2, 3, 4];
    let at: *mut u16 = &mut x[0];
    let third: *mut u16 = call::<PointerAdd<u16>, _>(&[ir(at), ir(2usize)]);
    let second: *mut u16 = call::<PointerSub<u16>, _>(&[ir(third), ir(1isize)]);
    assert_eq!((third, second), (at.wrapping_add(2), at.wrapping_add(1)));
    assert!(!call::<PointerIsNull<u16>, bool>(&[ir(at)]));
    let seen = RefCell::new(Vec::new());
    let outcome = in_a_warp(&|| {
        if context::thread_idx()[0] == 5 {
            call::<PointerWrite<u16>, ()>(&[ir(third), ir(30u16)]);
            seen.borrow_mut().push(call::<PointerRead<u16>, u16>(&[ir(third)]));
        }
    });
    assert_eq!((outcome, seen.into_inner(), x), (Ok(()), vec![30], [1, 2, 30, 4]));
}

#[test]
fn views_are_made_of_their_words_and_cut() {
    let x = [1.0f32, 2.0, 3.0];
    let view: View<'_, f32> = call::<crate::types::RawParts<2>, _>(&[ir(x.as_ptr()), ir(3usize)]);
    assert_eq!((view.len(), view[1]), (3, 2.0));
    type Offset<'a> = crate::device_api::methods::markers::Offset<View<'a, f32>, i32>;
    let rest: View<'_, f32> = call::<Offset<'_>, _>(&[ir(view), ir(2i32)]);
    assert_eq!((rest.len(), rest[0]), (1, 3.0));
    let fault = in_a_warp(&|| assert_eq!(call::<Offset<'_>, View<'_, f32>>(&[ir(view), ir(4i32)]).len(), 0));
    assert!(matches!(fault, Err(SimFault::Range { bound: 4, limit: 3, .. })), "{fault:?}");
}

#[test]
fn atomics_reach_the_place() {
    let mut sum = 0u32;
    let mut word = 7u64;
    let (sum_at, word_at): (*mut u32, *mut u64) = (&mut sum, &mut word);
    let outcome = in_a_warp(&|| {
        call::<atomic::atomic_add<u32>, u32>(&[ir(sum_at), ir(2u32)]);
        let place: *mut u32 = call::<ordered::atomic<u32>, _>(&[ir(sum_at)]);
        call::<ordered::method::fetch_add<u32, { ordered::DEVICE }>, u32>(&[
            ir(place),
            ir(1u32),
            ir(Ordering::Relaxed),
        ]);
        if context::lane_id() == 3 {
            type Exchange = ordered::method::compare_exchange<u64, { ordered::SYSTEM }>;
            let exchange = |from: u64, to: u64| {
                let orders = [ir(Ordering::AcqRel), ir(Ordering::Acquire)];
                call::<Exchange, Result<u64, u64>>(
                    &[vec![ir(word_at), ir(from), ir(to)], orders.into()].concat(),
                )
            };
            assert_eq!(exchange(6, 1), Err(7));
            assert_eq!(exchange(7, 9), Ok(7));
        }
    });
    assert_eq!((outcome, sum, word), (Ok(()), 96, 9));
}

#[test]
fn lanes_exchange_values_of_any_type() {
    type Value = (u8, Option<f64>);
    let got = RefCell::new(vec![(0, None); 32]);
    let outcome = in_a_warp(&|| {
        let lane = context::lane_id();
        let value: Value = (lane as u8, (lane % 2 == 1).then_some(f64::from(lane)));
        let theirs: Value = call::<shuffle::shfl_xor<Value>, _>(&[ir(value), ir(3u32)]);
        got.borrow_mut()[lane as usize] = theirs;
    });
    let want: Vec<Value> =
        (0..32u32).map(|l| l ^ 3).map(|l| (l as u8, (l % 2 == 1).then_some(f64::from(l)))).collect();
    assert_eq!((outcome, got.into_inner()), (Ok(()), want));
}

#[test]
fn indices_copies_and_shared_memory_are_those_of_the_thread() {
    let x: Vec<u32> = (100..132).collect();
    let got = RefCell::new(vec![0; 32]);
    let outcome = in_a_warp(&|| {
        let t = call::<index::thread_idx, Index3>(&[]).x as usize;
        let site = context::SharedSite { file: "meanings", line: 1, column: 1, instance: None };
        let memory = context::shared_alloc(site, 128, 4).cast::<u32>();
        let (to, from) = (memory.wrapping_add(t), &raw const x[t]);
        call::<copy_async::copy_async<u32>, ()>(&[ir(to), ir(from)]);
        call::<copy_async::copy_async_commit, ()>(&[]);
        call::<copy_async::copy_async_wait<0>, ()>(&[]);
        call::<crate::device_api::sync::sync_threads, ()>(&[]);
        // SAFETY: the block's memory, of 32 elements.
        let slice: &mut Slice<u32> = context::keep(unsafe { Slice::from_raw_parts(memory, 32) });
        let view: ViewMut<'_, u32> = call::<cluster::map_shared_rank<u32>, _>(&[ir(slice), ir(0u32)]);
        got.borrow_mut()[t] = view[31 - t];
    });
    assert_eq!((outcome, got.into_inner()), (Ok(()), x.iter().rev().copied().collect()));
}

/// Plain data lies in the IR as in Rust: what buffers hold is not converted.
#[test]
fn plain_data_is_not_converted() {
    fn plain<T: GpuType>() {
        assert!(T::LAYOUT.as_in_rust, "{}", T::ty());
    }
    plain::<Pair<f32>>();
    plain::<Laid>();
    plain::<[F32x4; 3]>();
    plain::<Index3>();
    plain::<ViewMut<'_, f32>>();
}
