//! Reallocates registers between warpgroups while a kernel runs.
//!
//! All warps of a warpgroup make each call together. Source: PTX ISA, `setmaxnreg`; compute capability 9.0, on that
//! architecture alone (`sm_90a`).

use super::numbered::numbered;
use super::wgmma::TOGETHER;
use crate::ir::{Facts, Form, Prelude};
use crate::simulator::context::{self, RegisterChange};

/// Releases registers until each thread of the warp has `N`, a multiple of 8 from 24 to 256.
///
/// All warps of the warpgroup make the call. The kernel states its largest block by `launch_bounds`, which determines the
/// registers of each thread at the start. rustc refuses other numbers. Source: PTX ISA, `setmaxnreg.dec`.
///
/// ```compile_fail,E0080
/// # use warpsmith::prelude::*;
/// # use warpsmith::ptx::*;
/// #[gpu_kernel(launch_bounds(128, 1))]
/// fn kernel() {
///     setmaxnreg_dec::<42>();
/// }
/// kernel().grid(1).block(128).launch(&Device::simulator()).unwrap();
/// ```
#[inline]
#[track_caller]
pub fn setmaxnreg_dec<const N: u32>() {
    const { limit(N) };
    context::set_registers("setmaxnreg_dec", RegisterChange::Fewer, N);
}

/// Acquires registers that other warps have released until each thread of the warp has `N`, and waits for them.
///
/// The rules of [`setmaxnreg_dec`] apply. Source: PTX ISA, `setmaxnreg.inc`.
#[inline]
#[track_caller]
pub fn setmaxnreg_inc<const N: u32>() {
    const { limit(N) };
    context::set_registers("setmaxnreg_inc", RegisterChange::More, N);
}

/// Sets the registers of each thread of the warpgroup to `N`, the number of its role in `#[gpu_kernel(warpgroups(40, 232,
/// 232))]`.
///
/// Write the call in the kernel itself, as the first statement in a branch on
/// [`warpgroup_id`](super::wgmma::warpgroup_id). It is an error if a warpgroup that reaches it has another number. It
/// prints as [`setmaxnreg_dec`] or as [`setmaxnreg_inc`].
#[inline]
#[track_caller]
pub fn registers<const N: u32>() {
    const { limit(N) };
    context::set_registers("registers", RegisterChange::Either, N);
}

/// Fails to compile for a number of registers that a thread cannot have.
const fn limit(registers: u32) {
    assert!(
        registers.is_multiple_of(8) && registers >= 24 && registers <= 256,
        "the registers of a thread are set to a multiple of 8 from 24 to 256"
    );
}

numbered! {
    fewer for setmaxnreg_dec: &FEWER, { effect: TOGETHER, min_compute: (9, 0), arch_specific: true, facts: SETS_REGISTERS }
    more for setmaxnreg_inc: &MORE, { effect: TOGETHER, min_compute: (9, 0), arch_specific: true, facts: SETS_REGISTERS }
    of_role for registers as "ws_setmaxnreg_{{direction}}": &CHANGED, {
        effect: TOGETHER, min_compute: (9, 0), arch_specific: true,
        facts: Facts { form: Form::Registers(N), ..SETS_REGISTERS }
    }
}

/// A thread may wait for registers that others give back.
const SETS_REGISTERS: Facts = Facts { rendezvous: true, ..Facts::MOVES };

static FEWER: Prelude = Prelude {
    name: "ws_setmaxnreg_dec",
    code: "template <int N>
__device__ __forceinline__ void ws_setmaxnreg_dec() { asm volatile(\"setmaxnreg.dec.sync.aligned.u32 %0;\" :: \"n\"(N)); }
",
    needs: &[],
};

/// Both definitions; the printer uses one of them.
static CHANGED: Prelude = Prelude { name: "ws_registers", code: "", needs: &[&FEWER, &MORE] };

static MORE: Prelude = Prelude {
    name: "ws_setmaxnreg_inc",
    code: "template <int N>
__device__ __forceinline__ void ws_setmaxnreg_inc() { asm volatile(\"setmaxnreg.inc.sync.aligned.u32 %0;\" :: \"n\"(N)); }
",
    needs: &[],
};
