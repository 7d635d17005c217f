//! Exchange of values between the lanes of a warp.
//!
//! `mask` has the participating lanes, bit `i` for lane `i`; every one of them must make the call, and
//! the caller must be among them. `width` is 1, 2, 4, 8, 16 or 32: lanes are divided into groups of
//! this size, and an exchange never leaves its group. A lane that would read from outside its group
//! keeps its own value. The value of a lane that does not participate is undefined on a GPU, and
//! reading it is a fault on the simulator while it checks initialisation; otherwise the caller keeps
//! its own value.

use crate::ir::{CudaText, Effect, Facts, Prelude, SyncScope, Type};
use crate::simulator::context;
use crate::types::{DeviceType, GpuType};

/// A value that lanes can exchange: plain data, and tuples, `Option`s and `Result`s of it. Values of 32
/// or 64 bits take one or two instructions, others one for each four bytes.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be exchanged between lanes",
    note = "plain data can, and tuples, `Option`s and `Result`s of it"
)]
pub trait Shuffle: DeviceType + Copy {}

impl<T: GpuType> Shuffle for T {}
impl<T: Shuffle> Shuffle for Option<T> {}
impl<T: Shuffle, E: Shuffle> Shuffle for Result<T, E> {}

macro_rules! tuples {
    ($(($($t:ident),+))+) => {$(
        impl<$($t: Shuffle),+> Shuffle for ($($t,)+) {}
    )+};
}

tuples! { (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) }

/// CUDA's function on a scalar of 32 or 64 bits; a template over the words of anything else.
fn shuffle(
    name: &'static str,
    mask: &'static str,
    rest: &'static str,
) -> impl Fn(&[Type], &Type) -> CudaText {
    move |args, _| {
        let value = if mask.is_empty() { 1 } else { 0 };
        let native = args.get(value).and_then(Type::scalar).is_some_and(|s| s.bits() >= 32);
        let mask = if mask.is_empty() { "{0}" } else { mask };
        if native {
            return CudaText::new(format!("__shfl{name}_sync({mask}, {rest})"));
        }
        let rest = if rest.matches(',').count() < 2 { format!("{rest}, 32") } else { rest.to_owned() };
        CudaText::with(format!("ws_shfl{name}({mask}, {rest})"), &WORDS)
    }
}

static WORDS: Prelude = Prelude {
    name: "ws_shfl",
    code: "#ifndef ws_SHUFFLED
#define ws_SHUFFLED(name, intrinsic) \\
    template <class T> \\
    __device__ __forceinline__ T name(unsigned int mask, T value, unsigned int by, unsigned int width) { \\
        unsigned int words[(sizeof(T) + 3) / 4] = {}; \\
        memcpy(words, &value, sizeof(T)); \\
        for (unsigned int i = 0; i < (sizeof(T) + 3) / 4; ++i) words[i] = intrinsic(mask, words[i], by, width); \\
        memcpy(&value, words, sizeof(T)); \\
        return value; \\
    }
#endif
ws_SHUFFLED(ws_shfl, __shfl_sync)
ws_SHUFFLED(ws_shfl_up, __shfl_up_sync)
ws_SHUFFLED(ws_shfl_down, __shfl_down_sync)
ws_SHUFFLED(ws_shfl_xor, __shfl_xor_sync)
",
    needs: &[],
};

/// Exchanges values and takes the one of the lane that `source` names for the calling lane.
///
/// `source` maps (lane in group, width) to a lane in the group, or `None` to keep the own value.
#[track_caller]
fn exchange<T: Shuffle>(
    mask: u32,
    kind: &'static str,
    value: T,
    width: u32,
    source: impl Fn(i64, i64) -> Option<i64>,
) -> T {
    assert!(
        width.is_power_of_two() && width <= 32,
        "shuffle width must be 1, 2, 4, 8, 16 or 32, not {width}"
    );
    let lane = i64::from(context::lane_id());
    let (group, width) = (lane & !(i64::from(width) - 1), i64::from(width));
    let from = source(lane - group, width).map(|from| (group + from) as u32);
    let mut result = core::mem::MaybeUninit::new(value);
    // Sixteen bytes at a time; every lane takes as many turns, as the type is the same.
    for start in (0..size_of::<T>()).step_by(16) {
        let count = (size_of::<T>() - start).min(16);
        let mut payload = [0; 16];
        let (bytes, target) =
            ((&raw const value).cast::<u8>().wrapping_add(start), result.as_mut_ptr().cast::<u8>());
        // SAFETY: `count` bytes from `start` on lie in a `T`; padding is copied and never interpreted.
        unsafe { core::ptr::copy_nonoverlapping(bytes, payload.as_mut_ptr(), count) };
        let lanes = context::warp_exchange(mask, kind, payload);
        let Some(from) = from else { continue };
        match lanes.lane(from) {
            // SAFETY: as above; the bytes are those of another lane's `T`.
            Some(theirs) => unsafe {
                core::ptr::copy_nonoverlapping(theirs.as_ptr(), target.add(start), count);
            },
            None => context::fault_source(kind, mask, from),
        }
    }
    // SAFETY: the bytes are all of one `T`: this lane's, or another's.
    unsafe { result.assume_init() }
}

/// The five bits of a distance that the hardware looks at.
fn distance(delta: u32) -> i64 {
    i64::from(delta & 31)
}

builtin! {
    /// The value of lane `source % width` of the caller's group.
    pub fn shfl_sync<T: Shuffle>(mask: u32, value: T, source: u32, width: u32) -> T {
        cuda: shuffle("", "", "{1}, {2}, {3}"), effect: Effect::Sync(SyncScope::Warp), facts: Facts::MASKED
    } {
        exchange(mask, "shfl_sync", value, width, |_, w| Some(i64::from(source) & (w - 1)))
    }

    /// The value of the lane `delta` below; the lowest `delta` lanes of a group keep their own.
    pub fn shfl_up_sync<T: Shuffle>(mask: u32, value: T, delta: u32, width: u32) -> T {
        cuda: shuffle("_up", "", "{1}, {2}, {3}"), effect: Effect::Sync(SyncScope::Warp), facts: Facts::MASKED
    } {
        exchange(mask, "shfl_up_sync", value, width, |lane, _| Some(lane - distance(delta)).filter(|from| *from >= 0))
    }

    /// The value of the lane `delta` above; the highest `delta` lanes of a group keep their own.
    pub fn shfl_down_sync<T: Shuffle>(mask: u32, value: T, delta: u32, width: u32) -> T {
        cuda: shuffle("_down", "", "{1}, {2}, {3}"), effect: Effect::Sync(SyncScope::Warp), facts: Facts::MASKED
    } {
        exchange(mask, "shfl_down_sync", value, width, |lane, w| Some(lane + distance(delta)).filter(|from| *from < w))
    }

    /// The value of the lane whose index in the warp is the caller's xor `lane_mask`.
    pub fn shfl_xor_sync<T: Shuffle>(mask: u32, value: T, lane_mask: u32, width: u32) -> T {
        cuda: shuffle("_xor", "", "{1}, {2}, {3}"), effect: Effect::Sync(SyncScope::Warp), facts: Facts::MASKED
    } {
        // A lane may read groups below its own, never one above: as the hardware does.
        let own = i64::from(context::lane_id());
        let other = own ^ distance(lane_mask);
        exchange(mask, "shfl_xor_sync", value, width, |lane, w| Some(other - (own - lane)).filter(|from| *from < w))
    }

    /// [`shfl_sync`] among all 32 lanes.
    pub fn shfl<T: Shuffle>(value: T, source: u32) -> T {
        cuda: shuffle("", "0xffffffffu", "{0}, {1}"), effect: Effect::Sync(SyncScope::Warp), facts: Facts::MOVES
    } {
        shfl_sync(u32::MAX, value, source, 32)
    }

    /// [`shfl_up_sync`] among all 32 lanes.
    pub fn shfl_up<T: Shuffle>(value: T, delta: u32) -> T {
        cuda: shuffle("_up", "0xffffffffu", "{0}, {1}"), effect: Effect::Sync(SyncScope::Warp), facts: Facts::MOVES
    } {
        shfl_up_sync(u32::MAX, value, delta, 32)
    }

    /// [`shfl_down_sync`] among all 32 lanes.
    pub fn shfl_down<T: Shuffle>(value: T, delta: u32) -> T {
        cuda: shuffle("_down", "0xffffffffu", "{0}, {1}"), effect: Effect::Sync(SyncScope::Warp), facts: Facts::MOVES
    } {
        shfl_down_sync(u32::MAX, value, delta, 32)
    }

    /// [`shfl_xor_sync`] among all 32 lanes.
    pub fn shfl_xor<T: Shuffle>(value: T, lane_mask: u32) -> T {
        cuda: shuffle("_xor", "0xffffffffu", "{0}, {1}"), effect: Effect::Sync(SyncScope::Warp), facts: Facts::MOVES
    } {
        shfl_xor_sync(u32::MAX, value, lane_mask, 32)
    }
}
