//! Votes of the lanes of a warp.

use super::text::{fixed, with};
use crate::ir::{Effect, Facts, Lanes, Prelude, SyncScope, Variance};
use crate::simulator::context;

/// The lanes of `mask` whose predicate holds, and the participating lanes.
#[track_caller]
fn votes(mask: u32, kind: &'static str, predicate: bool) -> (u32, u32) {
    let lanes = context::warp_exchange(mask, kind, [u8::from(predicate); 16]);
    let part = lanes.participants();
    let yes = (0..32).filter(|lane| part >> lane & 1 == 1 && lanes.lane(*lane).is_some_and(|p| p[0] != 0));
    (yes.fold(0, |bits, lane| bits | 1 << lane), part)
}

builtin! {
    /// Bit `i` is set if lane `i` of `mask` has a predicate that holds.
    pub fn ballot_sync(mask: u32, predicate: bool) -> u32 {
        cuda: fixed("__ballot_sync({0}, {1})"), effect: Effect::Sync(SyncScope::Warp),
        variance: Variance::PerWarp, fixes_variance: true, facts: Facts::MASKED
    } {
        votes(mask, "ballot_sync", predicate).0
    }

    /// Returns whether the predicate holds in any lane of `mask`.
    pub fn any_sync(mask: u32, predicate: bool) -> bool {
        cuda: fixed("(__any_sync({0}, {1}) != 0)"), effect: Effect::Sync(SyncScope::Warp),
        variance: Variance::PerWarp, fixes_variance: true, facts: Facts::MASKED
    } {
        votes(mask, "any_sync", predicate).0 != 0
    }

    /// Returns whether the predicate holds in every lane of `mask`.
    pub fn all_sync(mask: u32, predicate: bool) -> bool {
        cuda: fixed("(__all_sync({0}, {1}) != 0)"), effect: Effect::Sync(SyncScope::Warp),
        variance: Variance::PerWarp, fixes_variance: true, facts: Facts::MASKED
    } {
        let (yes, part) = votes(mask, "all_sync", predicate);
        yes == part
    }

    /// [`ballot_sync`] among all 32 lanes.
    pub fn ballot(predicate: bool) -> u32 {
        cuda: fixed("__ballot_sync(0xffffffffu, {0})"), effect: Effect::Sync(SyncScope::Warp),
        variance: Variance::PerWarp, fixes_variance: true, facts: Facts::MOVES
    } {
        ballot_sync(u32::MAX, predicate)
    }

    /// [`any_sync`] among all 32 lanes.
    pub fn any(predicate: bool) -> bool {
        cuda: fixed("(__any_sync(0xffffffffu, {0}) != 0)"), effect: Effect::Sync(SyncScope::Warp),
        variance: Variance::PerWarp, fixes_variance: true, facts: Facts::MOVES
    } {
        any_sync(u32::MAX, predicate)
    }

    /// [`all_sync`] among all 32 lanes.
    pub fn all(predicate: bool) -> bool {
        cuda: fixed("(__all_sync(0xffffffffu, {0}) != 0)"), effect: Effect::Sync(SyncScope::Warp),
        variance: Variance::PerWarp, fixes_variance: true, facts: Facts::MOVES
    } {
        all_sync(u32::MAX, predicate)
    }

    /// The lanes of the warp that execute this together, bit `i` for lane `i`.
    ///
    /// On a GPU, these are the lanes that the hardware runs together; rely only on the calling lane being among them.
    /// On the simulator: all lanes that reach the call before they wait for anything else.
    pub fn active_mask() -> u32 {
        cuda: fixed("__activemask()"), effect: Effect::Sync(SyncScope::Warp), variance: Variance::PerThread, facts: Facts { lanes: Lanes::Any, ..Facts::MOVES }
    } {
        context::active_lanes()
    }

    /// The lanes of `mask` whose value has the same bits as the caller's.
    pub fn match_any_sync<T: Matched>(mask: u32, value: T) -> u32 {
        cuda: fixed("__match_any_sync({0}, {1})"), effect: Effect::Sync(SyncScope::Warp), variance: Variance::PerThread, facts: Facts::MASKED
    } {
        let lanes = context::warp_exchange(mask, "match_any_sync", value.payload());
        (0..32).filter(|lane| lanes.lane(*lane) == Some(value.payload())).fold(0, |bits, lane| bits | 1 << lane)
    }

    /// [`match_any_sync`] among all 32 lanes.
    pub fn match_any<T: Matched>(value: T) -> u32 {
        cuda: fixed("__match_any_sync(0xffffffffu, {0})"), effect: Effect::Sync(SyncScope::Warp), variance: Variance::PerThread, facts: Facts::MOVES
    } {
        match_any_sync(u32::MAX, value)
    }

    /// Returns whether the values of all lanes of `mask` have the same bits.
    pub fn match_all_sync<T: Matched>(mask: u32, value: T) -> bool {
        cuda: with("ws_match_all({0}, {1})", &MATCH_ALL), effect: Effect::Sync(SyncScope::Warp),
        variance: Variance::PerWarp, fixes_variance: true, facts: Facts::MASKED
    } {
        let lanes = context::warp_exchange(mask, "match_all_sync", value.payload());
        (0..32).filter_map(|lane| lanes.lane(lane)).all(|other| other == value.payload())
    }

    /// The sum over the lanes of `mask`; integers wrap. Compute capability 8.0.
    pub fn reduce_add_sync<T: WarpReduce>(mask: u32, value: T) -> T {
        cuda: fixed("__reduce_add_sync({0}, {1})"), effect: Effect::Sync(SyncScope::Warp), min_compute: (8, 0),
        variance: Variance::PerWarp, fixes_variance: true, facts: Facts::MASKED
    } {
        reduced(mask, "reduce_add_sync", value, T::sum)
    }

    /// The smallest value over the lanes of `mask`. Compute capability 8.0.
    pub fn reduce_min_sync<T: WarpReduce>(mask: u32, value: T) -> T {
        cuda: fixed("__reduce_min_sync({0}, {1})"), effect: Effect::Sync(SyncScope::Warp), min_compute: (8, 0),
        variance: Variance::PerWarp, fixes_variance: true, facts: Facts::MASKED
    } {
        reduced(mask, "reduce_min_sync", value, T::min)
    }

    /// The largest value over the lanes of `mask`. Compute capability 8.0.
    pub fn reduce_max_sync<T: WarpReduce>(mask: u32, value: T) -> T {
        cuda: fixed("__reduce_max_sync({0}, {1})"), effect: Effect::Sync(SyncScope::Warp), min_compute: (8, 0),
        variance: Variance::PerWarp, fixes_variance: true, facts: Facts::MASKED
    } {
        reduced(mask, "reduce_max_sync", value, T::max)
    }

    /// Bitwise and over the lanes of `mask`. Compute capability 8.0.
    pub fn reduce_and_sync(mask: u32, value: u32) -> u32 {
        cuda: fixed("__reduce_and_sync({0}, {1})"), effect: Effect::Sync(SyncScope::Warp), min_compute: (8, 0),
        variance: Variance::PerWarp, fixes_variance: true, facts: Facts::MASKED
    } {
        reduced(mask, "reduce_and_sync", value, |a, b| a & b)
    }

    /// Bitwise or over the lanes of `mask`. Compute capability 8.0.
    pub fn reduce_or_sync(mask: u32, value: u32) -> u32 {
        cuda: fixed("__reduce_or_sync({0}, {1})"), effect: Effect::Sync(SyncScope::Warp), min_compute: (8, 0),
        variance: Variance::PerWarp, fixes_variance: true, facts: Facts::MASKED
    } {
        reduced(mask, "reduce_or_sync", value, |a, b| a | b)
    }

    /// Bitwise exclusive or over the lanes of `mask`. Compute capability 8.0.
    pub fn reduce_xor_sync(mask: u32, value: u32) -> u32 {
        cuda: fixed("__reduce_xor_sync({0}, {1})"), effect: Effect::Sync(SyncScope::Warp), min_compute: (8, 0),
        variance: Variance::PerWarp, fixes_variance: true, facts: Facts::MASKED
    } {
        reduced(mask, "reduce_xor_sync", value, |a, b| a ^ b)
    }
}

/// A value that lanes compare: 32 or 64 bits.
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` cannot be matched between lanes",
    note = "i32, u32, i64, u64, isize, usize, f32 and f64 can"
)]
pub trait Matched: crate::device_api::number::Num {
    /// Its bytes, zero-extended.
    #[doc(hidden)]
    fn payload(self) -> [u8; 16];
}

macro_rules! matched {
    ($($t:ty)+) => {$(
        impl Matched for $t {
            fn payload(self) -> [u8; 16] {
                let mut payload = [0; 16];
                payload[..size_of::<$t>()].copy_from_slice(&self.to_le_bytes());
                payload
            }
        }
    )+};
}

matched! { i32 u32 i64 u64 isize usize f32 f64 }

/// A value that the hardware reduces over a warp.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be reduced over a warp by one instruction",
    note = "i32 and u32 can; reduce others with `shfl_xor`"
)]
pub trait WarpReduce: Matched + Ord {
    /// The value of these bytes.
    #[doc(hidden)]
    fn of_payload(payload: [u8; 16]) -> Self;
    /// Addition that wraps.
    #[doc(hidden)]
    fn sum(self, other: Self) -> Self;
}

macro_rules! warp_reduce {
    ($($t:ty)+) => {$(
        impl WarpReduce for $t {
            fn of_payload(payload: [u8; 16]) -> Self {
                <$t>::from_le_bytes([payload[0], payload[1], payload[2], payload[3]])
            }

            fn sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
        }
    )+};
}

warp_reduce! { i32 u32 }

/// Folds the values of the lanes of `mask`.
#[track_caller]
fn reduced<T: WarpReduce>(mask: u32, kind: &'static str, value: T, fold: impl Fn(T, T) -> T) -> T {
    let lanes = context::warp_exchange(mask, kind, value.payload());
    (0..32).filter_map(|lane| lanes.lane(lane)).map(T::of_payload).reduce(fold).unwrap_or(value)
}

static MATCH_ALL: Prelude = Prelude {
    name: "ws_match_all",
    code: "template <class T>
__device__ __forceinline__ bool ws_match_all(unsigned int mask, T value) {
    int same;
    __match_all_sync(mask, value, &same);
    return same != 0;
}
",
    needs: &[],
};
