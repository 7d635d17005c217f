//! Memory accesses with a hint or a promise, bit casts, and the functions of `core::mem` and `core::cmp`.

use warpsmith_macros::gpu_fn;

use super::text::{fixed, type_name, with};
use crate::device_api::number::Num;
use crate::ir::{Builtin, CudaText, Effect, Facts, Name, Prelude, Type, Variance};
use crate::simulator::{AccessKind, context};
use crate::types::{AnyBits, DeviceType, GpuType, operators};

/// Exchanges two values; `core::mem::swap` in a kernel.
#[gpu_fn]
#[allow(clippy::manual_swap)] // this is what `core::mem::swap` is in a kernel
pub fn swap<T: GpuType>(a: &mut T, b: &mut T) {
    let kept = *a;
    *a = *b;
    *b = kept;
}

/// Stores a value, and returns the previous one: `core::mem::replace` in a kernel.
#[gpu_fn]
pub fn replace<T: GpuType>(place: &mut T, value: T) -> T {
    let kept = *place;
    *place = value;
    kept
}

/// Stores the default, and returns the previous value: `core::mem::take` in a kernel.
#[gpu_fn]
pub fn take<T: DeviceType + Copy + Default + operators::Default>(place: &mut T) -> T {
    let kept = *place;
    *place = T::default();
    kept
}

/// The smaller of two values; `core::cmp::min` in a kernel.
#[gpu_fn]
pub fn min<T: DeviceType + operators::Ord>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// The larger of two values; `core::cmp::max` in a kernel.
#[gpu_fn]
pub fn max<T: DeviceType + operators::Ord>(a: T, b: T) -> T {
    if b < a { a } else { b }
}

/// CUDA's function on a number or one of CUDA's vectors; a template over the words of anything else.
fn hint(name: &'static str) -> impl Fn(&[Type], &Type) -> CudaText {
    move |args, _| {
        let holes: Vec<String> = (0..args.len()).map(|i| format!("{{{i}}}")).collect();
        let holes = holes.join(", ");
        let native = match args.first().map(Type::peeled) {
            Some(Type::Scalar(s) | Type::Vector(s, _)) => !s.is_half(),
            _ => false,
        };
        match native {
            true => CudaText::new(format!("__{name}({holes})")),
            false => CudaText::with(format!("ws_{name}({holes})"), &CACHE),
        }
    }
}

builtin! {
    /// Reads memory that another thread may write at any time: the compiler neither caches nor merges it.
    ///
    /// Without any ordering; use `atomic(…)` for one.
    pub fn volatile_load<T: Num>(place: &T) -> T {
        cuda: |args: &[Type], _: &Type| volatile_text(args, "{0}"), by_reference: true, facts: Facts::OBSERVES, effect: Effect::Writes,
        variance: Variance::PerThread
    } {
        context::on_atomic();
        context::on_access(place, AccessKind::Volatile { writes: false });
        context::on_found(place, place);
        *place
    }

    /// Writes memory that another thread may read at any time.
    pub fn volatile_store<T: Num>(place: &mut T, value: T) {
        cuda: |args: &[Type], _: &Type| volatile_store_text(args), by_reference: true, facts: Facts::WRITES, effect: Effect::Writes
    } {
        context::on_atomic();
        context::on_access(place, AccessKind::Volatile { writes: true });
        let old = std::mem::replace(place, value);
        context::on_found(place, &old);
    }

    /// Reads through the read-only cache; no thread of the launch may write the memory.
    pub fn load_read_only<T: CacheAccess>(place: &T) -> T {
        cuda: hint("ldg"), by_reference: true, facts: Facts::READS
    } {
        context::on_access(place, AccessKind::Read);
        *place
    }

    /// Reads and caches in L2 only. Source: CUDA C++ Programming Guide, `__ldcg`.
    pub fn load_l2<T: CacheAccess>(place: &T) -> T {
        cuda: hint("ldcg"), by_reference: true, facts: Facts::READS, effect: Effect::Writes
    } {
        context::on_access(place, AccessKind::Read);
        *place
    }

    /// Reads data that will likely not be read again. Source: `__ldcs`.
    pub fn load_streaming<T: CacheAccess>(place: &T) -> T {
        cuda: hint("ldcs"), by_reference: true, facts: Facts::READS, effect: Effect::Writes
    } {
        context::on_access(place, AccessKind::Read);
        *place
    }

    /// Reads data for the last time. Source: `__ldlu`.
    pub fn load_last_use<T: CacheAccess>(place: &T) -> T {
        cuda: hint("ldlu"), by_reference: true, facts: Facts::READS, effect: Effect::Writes
    } {
        context::on_access(place, AccessKind::Read);
        *place
    }

    /// Writes and caches in L2 only. Source: `__stcg`.
    pub fn store_l2<T: CacheAccess>(place: &mut T, value: T) {
        cuda: hint("stcg"), by_reference: true, facts: Facts::WRITES, effect: Effect::Writes
    } {
        context::on_access(place, AccessKind::Write);
        *place = value;
    }

    /// Writes data that will likely not be read soon. Source: `__stcs`.
    pub fn store_streaming<T: CacheAccess>(place: &mut T, value: T) {
        cuda: hint("stcs"), by_reference: true, facts: Facts::WRITES, effect: Effect::Writes
    } {
        context::on_access(place, AccessKind::Write);
        *place = value;
    }

    /// Writes through the L2 cache. Source: `__stwt`.
    pub fn store_through<T: CacheAccess>(place: &mut T, value: T) {
        cuda: hint("stwt"), by_reference: true, facts: Facts::WRITES, effect: Effect::Writes
    } {
        context::on_access(place, AccessKind::Write);
        *place = value;
    }

    /// Prefetches the cache line of a place in global memory into L1. Source: PTX ISA, `prefetch`.
    pub fn prefetch_l1<T: GpuType>(place: &T) {
        cuda: with("ws_prefetch_l1({0})", &PREFETCH), by_reference: true, effect: Effect::Writes
    } {
        let _ = place;
    }

    /// Prefetches the cache line of a place in global memory into L2. Source: PTX ISA, `prefetch`.
    pub fn prefetch_l2<T: GpuType>(place: &T) {
        cuda: with("ws_prefetch_l2({0})", &PREFETCH), by_reference: true, effect: Effect::Writes
    } {
        let _ = place;
    }

    /// Writes the thread's place in line at each call: tells the compiler nothing, ends the thread with a trap.
    ///
    /// The launch fails and the CUDA context is lost; `panic!` gives an error and keeps it.
    pub fn trap() { cuda: fixed("__trap()"), effect: Effect::Writes, diverges: true } {
        // In a simulated thread the panic becomes a fault of the launch.
        panic!("the kernel trapped")
    }
}

pub(super) fn volatile_text(args: &[Type], hole: &str) -> CudaText {
    let ty = args.first().map(|ty| type_name(ty.peeled())).unwrap_or_default();
    match ty.as_str() {
        "ws_f16" | "ws_bf16" => CudaText::new(format!("{ty}{{ ((volatile const {ty}*)({hole}))->bits }}")),
        _ => CudaText::new(format!("(*(volatile const {ty}*)({hole}))")),
    }
}

pub(super) fn volatile_store_text(args: &[Type]) -> CudaText {
    let ty = args.first().map(|ty| type_name(ty.peeled())).unwrap_or_default();
    match ty.as_str() {
        "ws_f16" | "ws_bf16" => CudaText::new(format!("(((volatile {ty}*)({{0}}))->bits = ({{1}}).bits)")),
        _ => CudaText::new(format!("(*(volatile {ty}*)({{0}}) = {{1}})")),
    }
}

/// A value of 1, 2, 4, 8 or 16 bytes, aligned to its size: one memory instruction.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` is not one memory access",
    label = "not 1, 2, 4, 8 or 16 bytes",
    note = "scalars, and vectors of 2, 4, 8 or 16 bytes such as `F32x4`, can be read and written with a cache hint"
)]
pub trait CacheAccess: GpuType {}

macro_rules! cache_access {
    ($($t:ty)+) => {$(
        impl CacheAccess for $t {}
    )+};
}

use crate::types::vector::*;

cache_access! {
    i8 u8 i16 u16 i32 u32 i64 u64 isize usize f32 f64 crate::half::f16 crate::half::bf16
    I8x2 I8x4 U8x2 U8x4 I16x2 I16x4 U16x2 U16x4 I32x2 I32x4 U32x2 U32x4 I64x2 U64x2 F16x2 F16x4 BF16x2 BF16x4 F32x2 F32x4
    F64x2
}

/// The bits of a value as a value of another type of the same size.
///
/// ```
/// # use warpsmith::prelude::*;
/// assert_eq!(bit_cast::<u32, f32>(0x3f80_0000), 1.0);
/// assert_eq!(bit_cast::<F32x2, u64>(F32x2::new(1.0, 0.0)), 0x3f80_0000);
/// ```
#[inline]
pub fn bit_cast<A: GpuType, B: AnyBits>(value: A) -> B {
    const { assert!(size_of::<A>() == size_of::<B>(), "`bit_cast` needs two types of the same size") };
    const { B::FILLED };
    // SAFETY: both are plain data of the same size, and any bits are a `B`.
    unsafe { core::mem::transmute_copy(&value) }
}

#[doc(hidden)]
#[allow(non_camel_case_types)]
pub struct bit_cast<A, B> {
    _generics: core::marker::PhantomData<fn() -> (A, B)>,
}

#[doc(hidden)]
#[allow(missing_docs)]
impl<A, B> bit_cast<A, B> {
    pub fn called_in_a_kernel(_: fn(A) -> B, _: &crate::witness::FnProbe<Self>) {}
}

impl<A: GpuType, B: AnyBits> crate::witness::DeviceFn for bit_cast<A, B> {
    fn callee() -> crate::record::Callee {
        unsafe fn meaning<A: GpuType, B: AnyBits>(args: *const *const u8, ret: *mut u8) {
            // SAFETY: the caller of a meaning passes the arguments that the meaning was made for.
            unsafe {
                crate::meaning::give(bit_cast::<A, B>(crate::meaning::Arguments::new(args).take()), ret)
            }
        }
        crate::record::Callee::Builtin(&BIT_CAST[0], Some(crate::ir::Meaning(meaning::<A, B>)))
    }
}

/// [`bit_cast`] of all types.
pub(crate) static BIT_CAST: &[Builtin] = &[Builtin {
    facts: Facts::MOVES,
    ..Builtin::pure(Name::new("bit_cast"), |_, _| CudaText::new("__builtin_bit_cast({ret}, {0})"))
}];

static PREFETCH: Prelude = Prelude {
    name: "ws_prefetch",
    code: "__device__ __forceinline__ void ws_prefetch_l1(const void* p) { asm volatile(\"prefetch.L1 [%0];\" :: \"l\"(p)); }
__device__ __forceinline__ void ws_prefetch_l2(const void* p) { asm volatile(\"prefetch.L2 [%0];\" :: \"l\"(p)); }
",
    needs: &[],
};

/// Cache hints by the size of what is accessed, whatever its type.
static CACHE: Prelude = Prelude {
    name: "ws_cache",
    code: "template <unsigned long long N> struct ws_Word;
template <> struct ws_Word<1> { typedef unsigned char type; };
template <> struct ws_Word<2> { typedef unsigned short type; };
template <> struct ws_Word<4> { typedef unsigned int type; };
template <> struct ws_Word<8> { typedef uint2 type; };
template <> struct ws_Word<16> { typedef uint4 type; };
#define ws_CACHED(name, intrinsic) \\
    template <class T> \\
    __device__ __forceinline__ T name(const T* p) { \\
        return __builtin_bit_cast(T, intrinsic((const typename ws_Word<sizeof(T)>::type*)p)); \\
    }
#define ws_STORED(name, intrinsic) \\
    template <class T> \\
    __device__ __forceinline__ void name(T* p, T v) { \\
        typedef typename ws_Word<sizeof(T)>::type W; \\
        intrinsic((W*)p, __builtin_bit_cast(W, v)); \\
    }
ws_CACHED(ws_ldg, __ldg)
ws_CACHED(ws_ldcg, __ldcg)
ws_CACHED(ws_ldcs, __ldcs)
ws_CACHED(ws_ldlu, __ldlu)
ws_STORED(ws_stcg, __stcg)
ws_STORED(ws_stcs, __stcs)
ws_STORED(ws_stwt, __stwt)
",
    needs: &[],
};
