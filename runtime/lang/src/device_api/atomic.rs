//! Atomic read-modify-write on global and shared memory: relaxed, device scope, as CUDA's.
//!
//! Each takes a place, `&mut bins[i]`, and returns its previous value. [`atomic`](super::ordered::atomic) offers the same
//! operations with a scope and an ordering.

use core::sync::atomic::Ordering;

use super::text::{fixed, scalar};
use crate::device_api::number::Num;
use crate::ir::{CudaText, Effect, Facts, Type, Variance};
use crate::simulator::{AccessKind, MemoryScope, context};
use crate::types::GpuType;
use crate::types::vector::{BF16x2, F16x2};

/// Types with atomic addition: `i32 u32 i64 u64 isize usize f16 bf16 f32 f64 F16x2 BF16x2`.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be added to atomically",
    label = "no atomic for this type",
    note = "atomic addition takes i32, u32, i64, u64, isize, usize, f16, bf16, f32, f64, F16x2 and BF16x2"
)]
pub trait AtomicAdd: GpuType {
    /// Addition as the hardware does it: integers wrap.
    #[doc(hidden)]
    fn atomic_sum(self, other: Self) -> Self;
}

/// Types with the integer atomics: `i32 u32 i64 u64 isize usize`.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be updated by an integer atomic",
    label = "no atomic for this type",
    note = "integer atomics take i32, u32, i64, u64, isize and usize"
)]
pub trait AtomicInt: AtomicAdd + Num + Eq + Ord {
    /// The bits as a `u64`.
    #[doc(hidden)]
    fn to_word(self) -> u64;
    /// The low bits of a `u64`.
    #[doc(hidden)]
    fn from_word(word: u64) -> Self;
}

/// Types that can be exchanged atomically: the integers, `f32` and `f64`.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be exchanged atomically",
    label = "no atomic for this type",
    note = "an atomic exchange takes 32- and 64-bit integers and floats"
)]
pub trait AtomicExchange: AtomicAdd {}

macro_rules! atomics {
    (ints: $($t:ty)+; floats: $($f:ty)+) => {
        $(impl AtomicAdd for $t {
            fn atomic_sum(self, other: Self) -> Self { self.wrapping_add(other) }
        }
        impl AtomicInt for $t {
            fn to_word(self) -> u64 { self as u64 }
            fn from_word(word: u64) -> Self { word as $t }
        }
        impl AtomicExchange for $t {})+
        $(impl AtomicAdd for $f {
            fn atomic_sum(self, other: Self) -> Self { self + other }
        }
        impl AtomicExchange for $f {})+
    };
}

atomics! { ints: i32 u32 i64 u64 isize usize; floats: f32 f64 }

macro_rules! half_atomics {
    ($($t:ty)+) => {$(
        impl AtomicAdd for $t {
            fn atomic_sum(self, other: Self) -> Self { self + other }
        }
    )+};
}

half_atomics! { crate::half::f16 crate::half::bf16 F16x2 BF16x2 }

/// Replaces the value of a place, relaxed and for the device, and returns the previous one.
#[inline]
#[track_caller]
fn update<T: Copy>(place: &mut T, change: impl FnOnce(T) -> T) -> T {
    context::on_atomic();
    context::on_access(place, updates(Ordering::Relaxed, MemoryScope::Device));
    let old = *place;
    *place = change(old);
    context::on_found(place, &old);
    old
}

/// The value that an atomic operation loads or stores.
pub(super) fn updates(order: Ordering, scope: MemoryScope) -> AccessKind {
    AccessKind::Atomic { reads: true, writes: true, order, scope }
}

/// `name(pointer, value…)` on the type that CUDA overloads it for, cast back.
pub(super) fn cast_call(name: &'static str) -> impl Fn(&[Type], &Type) -> CudaText {
    move |args, _| {
        if name == "atomicAdd" && super::ordered::is_half(args) {
            return super::ordered::half_add(args);
        }
        let s = scalar(args);
        let values: Vec<String> = (1..args.len()).map(|i| format!("{{{i}}}")).collect();
        // CUDA overloads 64-bit atomics for `unsigned long long`; in two's complement they are right for `long long` too.
        if s == crate::ir::Scalar::I64 && !matches!(name, "atomicMin" | "atomicMax") {
            let values: Vec<String> = values.iter().map(|v| format!("(unsigned long long)({v})")).collect();
            return CudaText::new(format!(
                "((long long){name}((unsigned long long*)({{0}}), {}))",
                values.join(", ")
            ));
        }
        // An f64 is exchanged by its bits, as a 64-bit integer.
        if s == crate::ir::Scalar::F64 && name == "atomicExch" {
            return CudaText::new(
                "__longlong_as_double((long long)atomicExch((unsigned long long*)({0}), (unsigned long long)__double_as_longlong({1})))",
            );
        }
        CudaText::new(format!("{name}({{0}}, {})", values.join(", ")))
    }
}

/// Subtraction; in 64 bits the addition of the negative. `suffix` is CUDA's of a scope.
pub(super) fn sub_text(args: &[Type], suffix: &str) -> CudaText {
    CudaText::new(match scalar(args).bits() {
        32 => format!("atomicSub{suffix}({{0}}, {{1}})"),
        _ if scalar(args).is_signed() => format!(
            "((long long)atomicAdd{suffix}((unsigned long long*)({{0}}), 0ull - (unsigned long long)({{1}})))"
        ),
        _ => format!("atomicAdd{suffix}({{0}}, 0ull - ({{1}}))"),
    })
}

builtin! {
    /// Adds; integers wrap.
    pub fn atomic_add<T: AtomicAdd>(place: &mut T, value: T) -> T {
        cuda: cast_call("atomicAdd"), effect: Effect::Writes, by_reference: true, facts: Facts::UPDATES,
        variance: Variance::PerThread
    } {
        update(place, |old| old.atomic_sum(value))
    }

    /// Subtracts; wraps.
    pub fn atomic_sub<T: AtomicInt>(place: &mut T, value: T) -> T {
        cuda: |args: &[Type], _: &Type| sub_text(args, ""),
        effect: Effect::Writes, by_reference: true, facts: Facts::UPDATES,
        variance: Variance::PerThread
    } {
        update(place, |old| T::from_word(old.to_word().wrapping_sub(value.to_word())))
    }

    /// Keeps the smaller.
    pub fn atomic_min<T: AtomicInt>(place: &mut T, value: T) -> T {
        cuda: cast_call("atomicMin"), effect: Effect::Writes, by_reference: true, facts: Facts::UPDATES,
        variance: Variance::PerThread
    } {
        update(place, |old| old.min(value))
    }

    /// Keeps the larger.
    pub fn atomic_max<T: AtomicInt>(place: &mut T, value: T) -> T {
        cuda: cast_call("atomicMax"), effect: Effect::Writes, by_reference: true, facts: Facts::UPDATES,
        variance: Variance::PerThread
    } {
        update(place, |old| old.max(value))
    }

    /// Bitwise and.
    pub fn atomic_and<T: AtomicInt>(place: &mut T, value: T) -> T {
        cuda: cast_call("atomicAnd"), effect: Effect::Writes, by_reference: true, facts: Facts::UPDATES,
        variance: Variance::PerThread
    } {
        update(place, |old| T::from_word(old.to_word() & value.to_word()))
    }

    /// Bitwise or.
    pub fn atomic_or<T: AtomicInt>(place: &mut T, value: T) -> T {
        cuda: cast_call("atomicOr"), effect: Effect::Writes, by_reference: true, facts: Facts::UPDATES,
        variance: Variance::PerThread
    } {
        update(place, |old| T::from_word(old.to_word() | value.to_word()))
    }

    /// Bitwise exclusive or.
    pub fn atomic_xor<T: AtomicInt>(place: &mut T, value: T) -> T {
        cuda: cast_call("atomicXor"), effect: Effect::Writes, by_reference: true, facts: Facts::UPDATES,
        variance: Variance::PerThread
    } {
        update(place, |old| T::from_word(old.to_word() ^ value.to_word()))
    }

    /// Stores a new value.
    pub fn atomic_exchange<T: AtomicExchange>(place: &mut T, value: T) -> T {
        cuda: cast_call("atomicExch"), effect: Effect::Writes, by_reference: true, facts: Facts::UPDATES,
        variance: Variance::PerThread
    } {
        update(place, |_| value)
    }

    /// Stores `value` if the place holds `expected`. The exchange took place if the result equals `expected`.
    pub fn atomic_compare_exchange<T: AtomicInt>(place: &mut T, expected: T, value: T) -> T {
        cuda: cast_call("atomicCAS"), effect: Effect::Writes, by_reference: true, facts: Facts::UPDATES,
        variance: Variance::PerThread
    } {
        super::ordered::exchange_if(
            place,
            |old| *old == expected,
            value,
            Ordering::Relaxed,
            Ordering::Relaxed,
            MemoryScope::Device,
        )
    }

    /// Adds one, or wraps to zero if the place holds `limit` or more.
    pub fn atomic_inc(place: &mut u32, limit: u32) -> u32 {
        cuda: fixed("atomicInc({0}, {1})"), effect: Effect::Writes, by_reference: true, facts: Facts::UPDATES,
        variance: Variance::PerThread
    } {
        update(place, |old| if old >= limit { 0 } else { old + 1 })
    }

    /// Subtracts one, or wraps to `limit` if the place holds zero or more than `limit`.
    pub fn atomic_dec(place: &mut u32, limit: u32) -> u32 {
        cuda: fixed("atomicDec({0}, {1})"), effect: Effect::Writes, by_reference: true, facts: Facts::UPDATES,
        variance: Variance::PerThread
    } {
        update(place, |old| if old == 0 || old > limit { limit } else { old - 1 })
    }
}
