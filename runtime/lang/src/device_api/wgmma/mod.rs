//! Asynchronous matrix products by a warpgroup (four consecutive warps), whose threads can do other work meanwhile.
//!
//! `wgmma` multiplies 64 × K elements by K × N, where K elements are 32 bytes, and adds the products to sums in the
//! registers of the 128 threads. Its operands are in shared memory, each described by a [`matrix_descriptor`]; the left
//! operand can be in registers instead. All threads of the warpgroup make each call together.
//!
//! Between a product and the [`wgmma_wait`] of its group, the registers of the sums belong to the tensor cores. Nothing
//! else may access them, except a further product of the same shape, which adds to them. Source: PTX ISA, `wgmma`; compute
//! capability 9.0 only (`sm_90a`).

mod element;
mod text;

use super::number::Num;
use super::numbered::numbered;
use super::text::with;
use crate::ir::{ArgumentAccess, Builtin, Cost, CudaText, Effect, Facts, Name, SyncScope, Type, Variance};
use crate::record::Callee;
use crate::simulator::context::{self, WgmmaLeft, WgmmaProduct};
use crate::types::{AnyBits, DeviceType};
use crate::witness::{DeviceFn, FnProbe};

pub use element::WgmmaElement;
use text::{COMMIT, DESCRIPTOR, FENCE, Instruction, PIN, WAIT, WARPGROUP_ID};

/// The effect of calls that a warpgroup makes together.
pub(super) const TOGETHER: Effect = Effect::Sync(SyncScope::Warpgroup);

/// Sums of a product of `T`: `[[T::Sum; 4]; C]`, or those of an `Accumulator`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold the sums of products of `{T}`",
    note = "a thread has `[[f32; 4]; C]` of 64 × `8 * C` sums, `i32` where integers are multiplied"
)]
pub trait WgmmaSums<T>: DeviceType {
    /// Groups of four registers of a thread.
    const GROUPS: usize;
}

impl<T: WgmmaElement, const C: usize> WgmmaSums<T> for [[T::Sum; 4]; C] {
    const GROUPS: usize = C;
}

/// Sums of some product: `[[D; 4]; C]`, or those of an `Accumulator`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold the sums of products",
    note = "a thread has `[[f32; 4]; C]` of 64 × `8 * C` sums"
)]
pub trait WgmmaRegisters: DeviceType {}

impl<D: Num, const C: usize> WgmmaRegisters for [[D; 4]; C] {}

builtin! {
    /// Number of the calling thread's warpgroup in its block.
    ///
    /// All lanes of the warp make the call, so the compiler can see that the number is uniform in the warp.
    pub fn warpgroup_id() -> u32 {
        cuda: with("ws_warpgroup_id({rank})", &WARPGROUP_ID), effect: Effect::Sync(SyncScope::Warp),
        variance: Variance::PerWarpgroup, fixes_variance: true, facts: Facts::MOVES
    } {
        context::warp_id() / 4
    }

    /// Describes a matrix in shared memory for [`wgmma`], whose first element is `place`.
    ///
    /// `leading` and `stride` are distances in bytes, multiples of 16. `swizzle` is the span within which units of 16 bytes
    /// are permuted: 0 for none, 1 for 128 bytes, 2 for 64, 3 for 32. In a matrix that is swizzled within 128 bytes and
    /// begins at a multiple of 1024 bytes, eight rows of 128 bytes are one piece.
    ///
    /// - If the matrix is contiguous along K, `stride` is the distance from one piece to the piece of the next eight rows,
    ///   and `leading` is ignored. The descriptor plus 2 describes the next 32 bytes along K.
    /// - If it is contiguous along the rows' dimension (turned), a piece has 64 rows and eight elements along K. `leading`
    ///   is the distance to the next 64 rows, and `stride` the distance to the next eight elements along K.
    ///
    /// Source: PTX ISA, `wgmma`, matrix descriptor.
    pub fn matrix_descriptor<T: AnyBits>(place: &T, leading: u32, stride: u32, swizzle: u32) -> u64 {
        cuda: with("ws_matrix_descriptor({0}, {1}, {2}, {3})", &DESCRIPTOR), by_reference: true, min_compute: (9, 0), facts: Facts::MOVES
    } {
        let start = context::described_place("matrix_descriptor", (&raw const *place).cast());
        let field = |bytes: u32| u64::from(bytes >> 4 & 0x3fff);
        field(start) | field(leading) << 16 | field(stride) << 32 | u64::from(swizzle) << 62
    }

    /// Orders the thread's accesses to registers before those of products. Call it before the first product, and between
    /// other uses of the sums and the next product.
    pub fn wgmma_fence() {
        cuda: with("ws_wgmma_fence()", &FENCE), effect: TOGETHER, min_compute: (9, 0), arch_specific: true, facts: Facts::MOVES
    } {
        context::wgmma_fence();
    }

    /// Keeps the compiler from moving computations or uses of the sums across this call. The compiler does not know which
    /// registers the products own.
    ///
    /// Call it between products and other computations with the same registers: before [`wgmma_fence`] and after
    /// [`wgmma_wait`]. It prints no instruction.
    pub fn wgmma_pin<S: WgmmaRegisters>(sums: &mut S) {
        cuda: with("ws_wgmma_pin({0})", &PIN), by_reference: true, effect: TOGETHER, min_compute: (9, 0), arch_specific: true,
        facts: Facts { accesses: &[ArgumentAccess::Update], ..Facts::MOVES }
    } {
        let _ = sums;
    }

    /// Closes the group of the products that the warpgroup has issued since the last one.
    pub fn wgmma_commit() {
        cuda: with("ws_wgmma_commit()", &COMMIT), effect: TOGETHER, min_compute: (9, 0), arch_specific: true, facts: Facts::MOVES
    } {
        context::wgmma_commit();
    }
}

/// Starts a product of operands in shared memory. It has 64 × `8 * C` sums, and each thread has `[[T::Sum; 4]; C]` of them.
///
/// `a` and `b` are descriptors. `a` has 64 rows, and `b` has `8 * C` columns. Both are contiguous along K. With `A_TURNED`,
/// `a` is column-major instead, and with `B_TURNED`, `b` is row-major; this needs 16-bit elements. Without `keep`, the old
/// values of the sums are ignored.
///
/// Sum `[j][i]` of thread `t` is in row `t / 32 * 16 + t % 32 / 4 + i / 2 * 8` and column `j * 8 + t % 4 * 2 + i % 2`.
///
/// On the simulator, products are exact, and so are their sums, which are rounded once, unless
/// [`Settings::tensor_cores`](crate::simulator::Settings::tensor_cores) selects a GPU's numbers.
///
/// rustc refuses other shapes, and columns side by side of elements of 8 or 32 bits:
///
/// ```compile_fail,E0080
/// # use warpsmith::prelude::*;
/// # use warpsmith::ptx::*;
/// #[gpu_kernel]
/// fn too_wide(a: u64) {
///     let mut sums = [[0.0f32; 4]; 33];
///     wgmma::<bf16, _, false, false>(&mut sums, a, a, false);
/// }
/// too_wide(0).grid(1).block(128).launch(&Device::simulator()).unwrap();
/// ```
///
/// ```compile_fail,E0080
/// # use warpsmith::prelude::*;
/// # use warpsmith::ptx::*;
/// #[gpu_kernel]
/// fn turned(a: u64) {
///     let mut sums = [[0.0f32; 4]; 1];
///     wgmma::<F8E4M3, _, false, true>(&mut sums, a, a, false);
/// }
/// turned(0).grid(1).block(128).launch(&Device::simulator()).unwrap();
/// ```
///
/// Integers have fewer widths: 8, 16, 24, 32 and the multiples of 16 up to 256.
///
/// ```compile_fail,E0080
/// # use warpsmith::prelude::*;
/// # use warpsmith::ptx::*;
/// #[gpu_kernel]
/// fn odd(a: u64) {
///     let mut sums = [[0i32; 4]; 5];
///     wgmma::<i8, _, false, false>(&mut sums, a, a, false);
/// }
/// odd(0).grid(1).block(128).launch(&Device::simulator()).unwrap();
/// ```
#[inline]
#[track_caller]
pub fn wgmma<T: WgmmaElement, S: WgmmaSums<T>, const A_TURNED: bool, const B_TURNED: bool>(
    sums: &mut S,
    a: u64,
    b: u64,
    keep: bool,
) {
    const { shape::<T, S>(A_TURNED || B_TURNED) };
    let product = product::<T, S>("wgmma", [A_TURNED, B_TURNED], (WgmmaLeft::Shared(a), b), keep);
    context::wgmma(&product, core::ptr::from_mut(sums).cast());
}

/// Starts a product like [`wgmma`] whose left operand is in registers: thread `t` holds 32 bytes of row
/// `t / 32 * 16 + t % 32 / 4` and of the row eight below it, as `mma_m16n8k16_f32_bf16` takes them.
///
/// These registers also belong to the tensor cores until [`wgmma_wait`].
#[inline]
#[track_caller]
pub fn wgmma_rs<T: WgmmaElement, S: WgmmaSums<T>, const B_TURNED: bool>(
    sums: &mut S,
    a: [u32; 4],
    b: u64,
    keep: bool,
) {
    const { shape::<T, S>(B_TURNED) };
    let product = product::<T, S>("wgmma_rs", [false, B_TURNED], (WgmmaLeft::Registers(a), b), keep);
    context::wgmma(&product, core::ptr::from_mut(sums).cast());
}

/// Waits until at most the last `N` groups that the thread has closed are in flight. The sums of all other groups are then
/// valid.
#[inline]
#[track_caller]
pub fn wgmma_wait<const N: u32>() {
    const { assert!(N < 8, "`wgmma_wait` leaves 0 to 7 groups under way") };
    context::wgmma_wait(N as usize);
}

/// Fails to compile for a shape that no product has.
const fn shape<T: WgmmaElement, S: WgmmaSums<T>>(turned: bool) {
    assert!(
        S::GROUPS >= 1 && S::GROUPS <= 32,
        "the sums of a warpgroup are 64 × 8 * C, with C from 1 to 32: 8 to 256 columns"
    );
    assert!(
        T::FLOATS.is_some() || S::GROUPS <= 4 || S::GROUPS % 2 == 0,
        "the sums of integers have 8, 16, 24 or 32 columns, or a multiple of 16 up to 256"
    );
    let size = size_of::<T>();
    assert!(
        !turned || size == 2,
        "only elements of 16 bits are multiplied from rows that lie side by side; store others with elements along K side by side"
    );
}

/// The product for the simulator.
fn product<T: WgmmaElement, S: WgmmaSums<T>>(
    operation: &'static str,
    turned: [bool; 2],
    (left, right): (WgmmaLeft, u64),
    keep: bool,
) -> WgmmaProduct {
    WgmmaProduct {
        operation,
        registers: 4 * S::GROUPS,
        bytes: size_of::<T>(),
        value: T::value,
        floats: T::FLOATS,
        turned,
        left,
        right,
        keep,
    }
}

#[doc(hidden)]
#[allow(non_camel_case_types)]
pub struct wgmma<T, S, const A_TURNED: bool, const B_TURNED: bool> {
    element: core::marker::PhantomData<fn() -> (T, S)>,
}

#[doc(hidden)]
impl<T: WgmmaElement, S: WgmmaSums<T>, const A_TURNED: bool, const B_TURNED: bool>
    wgmma<T, S, A_TURNED, B_TURNED>
{
    #[allow(missing_docs, clippy::type_complexity)]
    pub fn called_in_a_kernel(_: fn(&mut S, u64, u64, bool), _: &FnProbe<Self>) {}
}

impl<T: WgmmaElement, S: WgmmaSums<T>, const A_TURNED: bool, const B_TURNED: bool> DeviceFn
    for wgmma<T, S, A_TURNED, B_TURNED>
{
    fn callee() -> Callee {
        #[cfg(feature = "simulator")]
        unsafe fn meaning<T: WgmmaElement, S: WgmmaSums<T>, const A_TURNED: bool, const B_TURNED: bool>(
            args: *const *const u8,
            _ret: *mut u8,
        ) {
            // SAFETY: the caller of a meaning passes the arguments that the meaning was made for.
            let (sums, a, b, keep): (&mut S, u64, u64, bool) = unsafe {
                let mut args = crate::meaning::Arguments::new(args);
                (args.take(), args.take(), args.take(), args.take())
            };
            wgmma::<T, S, A_TURNED, B_TURNED>(sums, a, b, keep);
        }
        Callee::Builtin(
            const { &multiply::<T, S, A_TURNED, B_TURNED>() },
            crate::meaning::meant!(meaning::<T, S, A_TURNED, B_TURNED>),
        )
    }
}

#[doc(hidden)]
#[allow(non_camel_case_types)]
pub struct wgmma_rs<T, S, const B_TURNED: bool> {
    element: core::marker::PhantomData<fn() -> (T, S)>,
}

#[doc(hidden)]
impl<T: WgmmaElement, S: WgmmaSums<T>, const B_TURNED: bool> wgmma_rs<T, S, B_TURNED> {
    #[allow(missing_docs, clippy::type_complexity)]
    pub fn called_in_a_kernel(_: fn(&mut S, [u32; 4], u64, bool), _: &FnProbe<Self>) {}
}

impl<T: WgmmaElement, S: WgmmaSums<T>, const B_TURNED: bool> DeviceFn for wgmma_rs<T, S, B_TURNED> {
    fn callee() -> Callee {
        #[cfg(feature = "simulator")]
        unsafe fn meaning<T: WgmmaElement, S: WgmmaSums<T>, const B_TURNED: bool>(
            args: *const *const u8,
            _ret: *mut u8,
        ) {
            // SAFETY: the caller of a meaning passes the arguments that the meaning was made for.
            let (sums, a, b, keep): (&mut S, [u32; 4], u64, bool) = unsafe {
                let mut args = crate::meaning::Arguments::new(args);
                (args.take(), args.take(), args.take(), args.take())
            };
            wgmma_rs::<T, S, B_TURNED>(sums, a, b, keep);
        }
        Callee::Builtin(
            const { &multiply_registers::<T, S, B_TURNED>() },
            crate::meaning::meant!(meaning::<T, S, B_TURNED>),
        )
    }
}

numbered! {
    wait for wgmma_wait: &WAIT, { effect: TOGETHER, min_compute: (9, 0), arch_specific: true, facts: Facts::MOVES }
}

/// The facts of a product: it reads and writes the sums, and goes on until the wait.
const MULTIPLIES: Facts = Facts { accesses: &[ArgumentAccess::Update], in_flight: true, ..Facts::MOVES };

/// A builtin that multiplies.
const fn multiplies<T: WgmmaElement, S: WgmmaSums<T>>(
    name: &'static str,
    text: fn(&[Type], &Type) -> CudaText,
) -> Builtin {
    // Each of a thread's sums gets the products of 32 bytes.
    let each = 4 * S::GROUPS * (32 / size_of::<T>());
    Builtin {
        effect: TOGETHER,
        by_reference: true,
        facts: MULTIPLIES.costing(Cost::Products { each: each as u16, of: T::FORMAT }),
        min_compute: (9, 0),
        arch_specific: true,
        ..Builtin::pure(Name::new(name), text)
    }
}

/// The builtin of [`wgmma`].
pub(crate) const fn multiply<T: WgmmaElement, S: WgmmaSums<T>, const A_TURNED: bool, const B_TURNED: bool>()
-> Builtin {
    fn text<T: WgmmaElement, S: WgmmaSums<T>, const A_TURNED: bool, const B_TURNED: bool>(
        _: &[Type],
        _: &Type,
    ) -> CudaText {
        Instruction {
            element: T::PTX,
            bytes: size_of::<T>(),
            sums: 4 * S::GROUPS,
            turned: [A_TURNED, B_TURNED],
            in_registers: false,
        }
        .text()
    }
    shape::<T, S>(A_TURNED || B_TURNED);
    multiplies::<T, S>("wgmma", text::<T, S, A_TURNED, B_TURNED>)
}

/// The builtin of [`wgmma_rs`].
pub(crate) const fn multiply_registers<T: WgmmaElement, S: WgmmaSums<T>, const B_TURNED: bool>() -> Builtin {
    fn text<T: WgmmaElement, S: WgmmaSums<T>, const B_TURNED: bool>(_: &[Type], _: &Type) -> CudaText {
        Instruction {
            element: T::PTX,
            bytes: size_of::<T>(),
            sums: 4 * S::GROUPS,
            turned: [false, B_TURNED],
            in_registers: true,
        }
        .text()
    }
    shape::<T, S>(B_TURNED);
    multiplies::<T, S>("wgmma_rs", text::<T, S, B_TURNED>)
}
