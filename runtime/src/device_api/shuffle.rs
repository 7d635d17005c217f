//! Exchange of values between the lanes of a warp.
//!
//! `mask` names the lanes that take part, bit `i` for lane `i`; every one of them must make the
//! call, and the caller must be among them. `width` is 1, 2, 4, 8, 16 or 32: lanes are cut into
//! groups of that many, and an exchange never leaves its group. A lane that would reach outside
//! its group, or reads a lane that takes no part, keeps its own value or gets an undefined one, as
//! in CUDA.

use super::text::fixed;
use crate::ir::{Effect, Scope};
use crate::simulator::context;
use crate::types::Num;

/// A value that fits a shuffle: any number of 32 or 64 bits.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be exchanged between lanes",
    label = "no shuffle for this type",
    note = "shuffles take i32, u32, i64, u64, isize, usize, f32 and f64"
)]
pub trait Shuffle: Num {
    /// Its bytes, zero-extended.
    #[doc(hidden)]
    fn to_payload(self) -> [u8; 16];
    /// The value of these bytes.
    #[doc(hidden)]
    fn from_payload(payload: [u8; 16]) -> Self;
}

macro_rules! shuffle_types {
    ($($t:ty)+) => {$(
        impl Shuffle for $t {
            fn to_payload(self) -> [u8; 16] {
                let mut payload = [0; 16];
                let bytes = self.to_le_bytes();
                payload[..bytes.len()].copy_from_slice(&bytes);
                payload
            }

            fn from_payload(payload: [u8; 16]) -> Self {
                let mut bytes = [0; size_of::<$t>()];
                bytes.copy_from_slice(&payload[..size_of::<$t>()]);
                <$t>::from_le_bytes(bytes)
            }
        }
    )+};
}

shuffle_types! { i32 u32 i64 u64 isize usize f32 f64 }

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
    let lanes = context::warp_exchange(mask, kind, value.to_payload());
    let lane = i64::from(context::lane_id());
    let (group, width) = (lane & !(i64::from(width) - 1), i64::from(width));
    match source(lane - group, width) {
        Some(from) => lanes.lane((group + from) as u32).map_or(value, T::from_payload),
        None => value,
    }
}

builtin! {
    /// The value of lane `source % width` of the caller's group.
    pub fn shfl_sync<T: Shuffle>(mask: u32, value: T, source: u32, width: u32) -> T {
        cuda: fixed("__shfl_sync({0}, {1}, {2}, {3})"), effect: Effect::Sync(Scope::Warp)
    } {
        exchange(mask, "shfl_sync", value, width, |_, w| Some(i64::from(source) & (w - 1)))
    }

    /// The value of the lane `delta` below; the lowest `delta` lanes of a group keep their own.
    pub fn shfl_up_sync<T: Shuffle>(mask: u32, value: T, delta: u32, width: u32) -> T {
        cuda: fixed("__shfl_up_sync({0}, {1}, {2}, {3})"), effect: Effect::Sync(Scope::Warp)
    } {
        exchange(mask, "shfl_up_sync", value, width, |lane, _| Some(lane - i64::from(delta)).filter(|from| *from >= 0))
    }

    /// The value of the lane `delta` above; the highest `delta` lanes of a group keep their own.
    pub fn shfl_down_sync<T: Shuffle>(mask: u32, value: T, delta: u32, width: u32) -> T {
        cuda: fixed("__shfl_down_sync({0}, {1}, {2}, {3})"), effect: Effect::Sync(Scope::Warp)
    } {
        exchange(mask, "shfl_down_sync", value, width, |lane, w| Some(lane + i64::from(delta)).filter(|from| *from < w))
    }

    /// The value of the lane whose index in the warp is the caller's xor `lane_mask`.
    pub fn shfl_xor_sync<T: Shuffle>(mask: u32, value: T, lane_mask: u32, width: u32) -> T {
        cuda: fixed("__shfl_xor_sync({0}, {1}, {2}, {3})"), effect: Effect::Sync(Scope::Warp)
    } {
        // A lane may read groups below its own, never one above: as the hardware does.
        exchange(mask, "shfl_xor_sync", value, width, |lane, w| Some(lane ^ i64::from(lane_mask)).filter(|from| *from < w))
    }

    /// [`shfl_sync`] among all 32 lanes.
    pub fn shfl<T: Shuffle>(value: T, source: u32) -> T {
        cuda: fixed("__shfl_sync(0xffffffffu, {0}, {1})"), effect: Effect::Sync(Scope::Warp)
    } {
        shfl_sync(u32::MAX, value, source, 32)
    }

    /// [`shfl_up_sync`] among all 32 lanes.
    pub fn shfl_up<T: Shuffle>(value: T, delta: u32) -> T {
        cuda: fixed("__shfl_up_sync(0xffffffffu, {0}, {1})"), effect: Effect::Sync(Scope::Warp)
    } {
        shfl_up_sync(u32::MAX, value, delta, 32)
    }

    /// [`shfl_down_sync`] among all 32 lanes.
    pub fn shfl_down<T: Shuffle>(value: T, delta: u32) -> T {
        cuda: fixed("__shfl_down_sync(0xffffffffu, {0}, {1})"), effect: Effect::Sync(Scope::Warp)
    } {
        shfl_down_sync(u32::MAX, value, delta, 32)
    }

    /// [`shfl_xor_sync`] among all 32 lanes.
    pub fn shfl_xor<T: Shuffle>(value: T, lane_mask: u32) -> T {
        cuda: fixed("__shfl_xor_sync(0xffffffffu, {0}, {1})"), effect: Effect::Sync(Scope::Warp)
    } {
        shfl_xor_sync(u32::MAX, value, lane_mask, 32)
    }
}
