//! Atomic operations with a scope and an ordering, named as in `std::sync::atomic`.
//!
//! [`atomic`] makes an atomic from a place: `atomic(&mut count[i]).fetch_add(1, Ordering::Relaxed)`. The ordering is a
//! constant of the kernel. Relaxed operations print as CUDA's functions, others as PTX.

use core::sync::atomic::Ordering;

use super::atomic::{AtomicAdd, AtomicInt, updates};
use super::ordered_text::{Op, op_text};
use crate::ir::{Builtin, CudaText, Effect, Facts, Meaning, Name, Ordered, Type, Variance};
use crate::meaning::{Arguments, give};
use crate::record::Callee;
use crate::simulator::{AccessKind, MemoryScope, context};
use crate::types::vector::U64x2;
use crate::types::{DeviceType, GpuType};
use crate::witness::{DeviceFn, FnProbe, never_called};

pub(super) use super::ordered_text::{half_add, is_half};

/// The threads of the block see it.
pub const BLOCK: u8 = 0;
/// The threads of the cluster see it.
pub const CLUSTER: u8 = 1;
/// The threads of the device see it.
pub const DEVICE: u8 = 2;
/// All devices and the host.
pub const SYSTEM: u8 = 3;

/// A place that is accessed atomically, as seen by the threads of a scope.
#[derive(Debug)]
pub struct Atomic<'a, T, const SCOPE: u8> {
    place: &'a mut T,
}

impl<T: DeviceType, const SCOPE: u8> DeviceType for Atomic<'_, T, SCOPE> {
    type Erased = Atomic<'static, T::Erased, SCOPE>;
    fn ty() -> Type {
        Type::Ref { to: T::ty().into(), mutable: true }
    }
}

/// Values that can be loaded, stored and exchanged atomically: 32 and 64 bits.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be accessed atomically",
    label = "no atomic for this type",
    note = "i32, u32, i64, u64, isize, usize, f32 and f64 can; `U64x2` can be compared and exchanged"
)]
pub trait AtomicValue: AtomicBits {}

/// Values that are compared and exchanged atomically: those of [`AtomicValue`], and `U64x2`.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be compared and exchanged atomically",
    label = "no atomic for this type",
    note = "i32, u32, i64, u64, isize, usize, f32, f64 and U64x2 can"
)]
pub trait AtomicBits: GpuType {
    /// Returns whether two values have the same bits.
    #[doc(hidden)]
    fn same_bits(self, other: Self) -> bool;
}

macro_rules! values {
    (ints: $($t:ty)+; floats: $($f:ty)+) => {
        $(impl AtomicValue for $t {}
        impl AtomicBits for $t {
            fn same_bits(self, other: Self) -> bool {
                self == other
            }
        })+
        $(impl AtomicValue for $f {}
        impl AtomicBits for $f {
            fn same_bits(self, other: Self) -> bool {
                self.to_bits() == other.to_bits()
            }
        })+
    };
}

values! { ints: i32 u32 i64 u64 isize usize; floats: f32 f64 }

impl AtomicBits for U64x2 {
    fn same_bits(self, other: Self) -> bool {
        self == other
    }
}

macro_rules! scopes {
    ($($(#[$doc:meta])* $name:ident $scope:ident;)+) => {
    $(
        $(#[$doc])*
        #[inline]
        pub fn $name<T: GpuType>(place: &mut T) -> Atomic<'_, T, $scope> {
            Atomic { place }
        }

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        pub struct $name<T> {
            _generics: core::marker::PhantomData<fn() -> T>,
        }

        #[doc(hidden)]
        #[allow(missing_docs)]
        impl<T: GpuType> $name<T> {
            pub fn called_in_a_kernel(_: fn(&mut T) -> Atomic<'_, T, $scope>, _: &FnProbe<Self>) {}
        }

        impl<T: GpuType> DeviceFn for $name<T> {
            fn callee() -> Callee {
                unsafe fn meaning<T: GpuType>(args: *const *const u8, ret: *mut u8) {
                    // SAFETY: the caller of a meaning passes the arguments that the meaning was made for.
                    unsafe { give($name::<T>(Arguments::new(args).take()), ret) }
                }
                Callee::Builtin(&scoped::ALL[scoped::Number::$name as usize], Some(Meaning(meaning::<T>)))
            }
        }
    )+

        /// The builtins that make a place for atomic operations.
        pub(crate) mod scoped {
            use super::*;

            #[allow(non_camel_case_types)]
            pub(super) enum Number { $($name),+ }

            pub(crate) static ALL: &[Builtin] = &[$(scoped(stringify!($name))),+];
        }
    };
}

/// The builtin that makes a place for atomic operations. The operation that follows accesses the place; a place without an
/// operation may be written.
const fn scoped(name: &'static str) -> Builtin {
    fn text(_args: &[Type], _ret: &Type) -> CudaText {
        CudaText::new("({0})")
    }
    Builtin { by_reference: true, facts: Facts::WRITES, ..Builtin::pure(Name::new(name), text) }
}

scopes! {
    /// A place for atomic operations with device scope.
    ///
    /// ```
    /// # use warpsmith::prelude::*;
    /// #[gpu_kernel]
    /// fn count(x: &[u32], even: &mut [u32]) {
    ///     let i = global_id();
    ///     if i < x.len() && x[i] % 2 == 0 {
    ///         atomic(&mut even[0]).fetch_add(1, Ordering::Relaxed);
    ///     }
    /// }
    /// # fn main() -> warpsmith::Result<()> {
    /// # let gpu = Device::simulator();
    /// # let x = gpu.upload(&[1u32, 2, 4])?;
    /// # let mut even = gpu.upload(&[0u32])?;
    /// # count(&x, &mut even).over(3).launch(&gpu)?;
    /// # assert_eq!(gpu.download(&even)?, [2]);
    /// assert!(count::cuda_source()?.contains("atomicAdd(&even[0], 1u);"));
    /// # Ok(()) }
    /// ```
    atomic DEVICE;
    /// A place for atomic operations with block scope.
    atomic_block BLOCK;
    /// A place for atomic operations with cluster scope. Compute capability 9.0.
    atomic_cluster CLUSTER;
    /// A place for atomic operations with system scope: all devices and the host.
    atomic_system SYSTEM;
}

/// The builtin of a method of [`Atomic`].
const fn builtin<const OP: u8, const SCOPE: u8>(name: &'static str) -> Builtin {
    fn unused(_args: &[Type], _ret: &Type) -> CudaText {
        CudaText::new("")
    }
    Builtin {
        by_constant: Some(op_text::<OP, SCOPE>),
        effect: Effect::Writes,
        variance: Variance::PerThread,
        by_reference: true,
        facts: match OP {
            Op::LOAD => Facts::OBSERVES.ordered(&[(1, Ordered::Load)]),
            Op::STORE => Facts::WRITES.ordered(&[(2, Ordered::Store)]),
            // A comparison that fails loads and does not store.
            Op::CAS => Facts::UPDATES.ordered(&[(3, Ordered::Update), (4, Ordered::Load)]),
            _ => Facts::UPDATES.ordered(&[(2, Ordered::Update)]),
        },
        min_compute: if SCOPE == CLUSTER { (9, 0) } else { (7, 0) },
        ..Builtin::pure(Name::new(name), unused)
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* fn $name:ident / $hidden:ident = $op:ident
        ($($arg:ident: $ty:ty),*) $(-> $ret:ty)? where T: $bound:ident $(+ $more:ident)? |$place:ident| $body:expr;)+) => {
        impl<T, const SCOPE: u8> Atomic<'_, T, SCOPE> {
            $(
                $(#[$doc])*
                #[inline]
                #[track_caller]
                pub fn $name(self $(, $arg: $ty)*) $(-> $ret)? where T: $bound $(+ $more)? {
                    let $place = self.place;
                    $body
                }

                #[doc(hidden)]
                #[allow(clippy::too_many_arguments)]
                pub fn $hidden(self $(, $arg: $ty)*, _probe: &FnProbe<method::$name<T, SCOPE>>) $(-> $ret)?
                where
                    T: $bound $(+ $more)?,
                {
                    $(let _ = $arg;)*
                    never_called()
                }
            )+
        }

        /// Markers of the methods of [`Atomic`].
        #[doc(hidden)]
        #[allow(non_camel_case_types, missing_docs)]
        pub mod method {
            use super::*;

            /// The builtins of the methods, as those of places that the device sees.
            pub(crate) static ALL: &[Builtin] =
                &[$(builtin::<{ Op::$op }, DEVICE>(stringify!($name))),+];

            $(
                pub struct $name<T, const SCOPE: u8>(core::marker::PhantomData<fn() -> T>);

                impl<T: $bound $(+ $more)?, const SCOPE: u8> DeviceFn for $name<T, SCOPE> {
                    fn callee() -> Callee {
                        unsafe fn meaning<T: $bound $(+ $more)?, const SCOPE: u8>(args: *const *const u8, ret: *mut u8) {
                            // SAFETY: the caller of a meaning passes the arguments that the meaning was made for.
                            unsafe {
                                let mut args = Arguments::new(args);
                                let place: Atomic<'_, T, SCOPE> = args.take();
                                $(let $arg: $ty = args.take();)*
                                give(place.$name($($arg),*), ret);
                            }
                        }
                        Callee::Builtin(const { &builtin::<{ Op::$op }, SCOPE>(stringify!($name)) }, Some(Meaning(meaning::<T, SCOPE>)))
                    }
                }
            )+
        }
    };
}

/// The scope of this number, for those who watch the simulator.
const fn scope(number: u8) -> MemoryScope {
    match number {
        BLOCK => MemoryScope::Block,
        CLUSTER => MemoryScope::Cluster,
        DEVICE => MemoryScope::Device,
        _ => MemoryScope::System,
    }
}

/// Replaces the value of a place, and returns the previous one.
#[inline]
#[track_caller]
fn update<T: Copy>(place: &mut T, order: Ordering, scope: MemoryScope, change: impl FnOnce(T) -> T) -> T {
    context::on_atomic();
    context::on_access(place, updates(order, scope));
    let old = *place;
    *place = change(old);
    context::on_found(place, &old);
    old
}

/// Stores `new` with the first ordering if `matches` accepts the value of the place, and otherwise loads with the second.
#[inline]
#[track_caller]
pub(super) fn exchange_if<T: Copy>(
    place: &mut T,
    matches: impl FnOnce(&T) -> bool,
    new: T,
    success: Ordering,
    failure: Ordering,
    scope: MemoryScope,
) -> T {
    context::on_atomic();
    let old = *place;
    let stores = matches(&old);
    let order = if stores { success } else { failure };
    context::on_access(place, AccessKind::Atomic { reads: true, writes: stores, order, scope });
    if stores {
        *place = new;
    }
    context::on_found(place, &old);
    old
}

/// Stores `new` if the place has the bits of `current`.
#[inline]
#[track_caller]
fn compare_exchange<T: AtomicBits>(
    place: &mut T,
    current: T,
    new: T,
    success: Ordering,
    failure: Ordering,
    scope: MemoryScope,
) -> Result<T, T> {
    assert!(
        !matches!(failure, Ordering::Release | Ordering::AcqRel),
        "the load of an exchange that fails cannot release"
    );
    let old = exchange_if(place, |old| old.same_bits(current), new, success, failure, scope);
    if old.same_bits(current) { Ok(old) } else { Err(old) }
}

methods! {
    /// The value. `order` is `Relaxed`, `Acquire` or `SeqCst`.
    fn load / load_in_kernels = LOAD(order: Ordering) -> T where T: AtomicValue |place| {
        assert!(!matches!(order, Ordering::Release | Ordering::AcqRel), "a load cannot release");
        context::on_atomic();
        context::on_access(place, AccessKind::Atomic { reads: true, writes: false, order, scope: scope(SCOPE) });
        context::on_found(&*place, &*place);
        *place
    };
    /// Stores a value. `order` is `Relaxed`, `Release` or `SeqCst`.
    fn store / store_in_kernels = STORE(value: T, order: Ordering) where T: AtomicValue |place| {
        assert!(!matches!(order, Ordering::Acquire | Ordering::AcqRel), "a store cannot acquire");
        context::on_atomic();
        context::on_access(place, AccessKind::Atomic { reads: false, writes: true, order, scope: scope(SCOPE) });
        let old = std::mem::replace(place, value);
        context::on_found(place, &old);
    };
    /// Stores a value, and returns the previous one.
    fn swap / swap_in_kernels = SWAP(value: T, order: Ordering) -> T where T: AtomicValue |place| {
        update(place, order, scope(SCOPE), |_| value)
    };
    /// Stores `new` if the place has the bits of `current`. Returns `Ok` with the previous value if so, else `Err` with it.
    fn compare_exchange / compare_exchange_in_kernels =
        CAS(current: T, new: T, success: Ordering, failure: Ordering) -> Result<T, T> where T: AtomicBits |place| {
        compare_exchange(place, current, new, success, failure, scope(SCOPE))
    };
    /// The same: the hardware's compare-and-exchange does not fail spuriously.
    fn compare_exchange_weak / compare_exchange_weak_in_kernels =
        CAS(current: T, new: T, success: Ordering, failure: Ordering) -> Result<T, T> where T: AtomicBits |place| {
        compare_exchange(place, current, new, success, failure, scope(SCOPE))
    };
    /// Adds, and returns the previous value. Integers wrap.
    fn fetch_add / fetch_add_in_kernels = ADD(value: T, order: Ordering) -> T where T: AtomicAdd |place| {
        update(place, order, scope(SCOPE), |old| old.atomic_sum(value))
    };
    /// Subtracts, and returns the previous value. It wraps.
    fn fetch_sub / fetch_sub_in_kernels = SUB(value: T, order: Ordering) -> T where T: AtomicInt |place| {
        update(place, order, scope(SCOPE), |old| T::from_word(old.to_word().wrapping_sub(value.to_word())))
    };
    /// Stores the minimum, and returns the previous value.
    fn fetch_min / fetch_min_in_kernels = MIN(value: T, order: Ordering) -> T where T: AtomicInt |place| {
        update(place, order, scope(SCOPE), |old| old.min(value))
    };
    /// Stores the maximum, and returns the previous value.
    fn fetch_max / fetch_max_in_kernels = MAX(value: T, order: Ordering) -> T where T: AtomicInt |place| {
        update(place, order, scope(SCOPE), |old| old.max(value))
    };
    /// Stores the bitwise and, and returns the previous value.
    fn fetch_and / fetch_and_in_kernels = AND(value: T, order: Ordering) -> T where T: AtomicInt |place| {
        update(place, order, scope(SCOPE), |old| T::from_word(old.to_word() & value.to_word()))
    };
    /// Stores the bitwise or, and returns the previous value.
    fn fetch_or / fetch_or_in_kernels = OR(value: T, order: Ordering) -> T where T: AtomicInt |place| {
        update(place, order, scope(SCOPE), |old| T::from_word(old.to_word() | value.to_word()))
    };
    /// Stores the bitwise exclusive or, and returns the previous value.
    fn fetch_xor / fetch_xor_in_kernels = XOR(value: T, order: Ordering) -> T where T: AtomicInt |place| {
        update(place, order, scope(SCOPE), |old| T::from_word(old.to_word() ^ value.to_word()))
    };
    /// Adds one, or wraps to zero if the place holds `limit` or more. Returns the previous value.
    fn fetch_inc / fetch_inc_in_kernels = INC(limit: T, order: Ordering) -> T where T: AtomicInt + Wraps |place| {
        update(place, order, scope(SCOPE), |old| T::from_word(if old >= limit { 0 } else { old.to_word() + 1 }))
    };
    /// Subtracts one, or wraps to `limit` if the place holds zero or more than `limit`. Returns the previous value.
    fn fetch_dec / fetch_dec_in_kernels = DEC(limit: T, order: Ordering) -> T where T: AtomicInt + Wraps |place| {
        update(place, order, scope(SCOPE), |old| {
            let (word, limit) = (old.to_word(), limit.to_word());
            T::from_word(if word == 0 || word > limit { limit } else { word - 1 })
        })
    };
}

/// The type for wrapping counters: `u32`.
#[diagnostic::on_unimplemented(message = "a `{Self}` cannot count in a circle atomically", note = "u32 can")]
pub trait Wraps: AtomicInt {}

impl Wraps for u32 {}
