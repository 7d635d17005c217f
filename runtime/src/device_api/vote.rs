//! Votes: what the lanes of a warp agree on.

use super::text::fixed;
use crate::ir::{Effect, Scope, Variance};
use crate::simulator::context;

/// The lanes of `mask` whose predicate holds, and the lanes that take part.
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
        cuda: fixed("__ballot_sync({0}, {1})"), effect: Effect::Sync(Scope::Warp),
        variance: Variance::PerWarp, fixes_variance: true
    } {
        votes(mask, "ballot_sync", predicate).0
    }

    /// Whether the predicate holds in any lane of `mask`.
    pub fn any_sync(mask: u32, predicate: bool) -> bool {
        cuda: fixed("(__any_sync({0}, {1}) != 0)"), effect: Effect::Sync(Scope::Warp),
        variance: Variance::PerWarp, fixes_variance: true
    } {
        votes(mask, "any_sync", predicate).0 != 0
    }

    /// Whether the predicate holds in every lane of `mask`.
    pub fn all_sync(mask: u32, predicate: bool) -> bool {
        cuda: fixed("(__all_sync({0}, {1}) != 0)"), effect: Effect::Sync(Scope::Warp),
        variance: Variance::PerWarp, fixes_variance: true
    } {
        let (yes, part) = votes(mask, "all_sync", predicate);
        yes == part
    }

    /// [`ballot_sync`] among all 32 lanes.
    pub fn ballot(predicate: bool) -> u32 {
        cuda: fixed("__ballot_sync(0xffffffffu, {0})"), effect: Effect::Sync(Scope::Warp),
        variance: Variance::PerWarp, fixes_variance: true
    } {
        ballot_sync(u32::MAX, predicate)
    }

    /// [`any_sync`] among all 32 lanes.
    pub fn any(predicate: bool) -> bool {
        cuda: fixed("(__any_sync(0xffffffffu, {0}) != 0)"), effect: Effect::Sync(Scope::Warp),
        variance: Variance::PerWarp, fixes_variance: true
    } {
        any_sync(u32::MAX, predicate)
    }

    /// [`all_sync`] among all 32 lanes.
    pub fn all(predicate: bool) -> bool {
        cuda: fixed("(__all_sync(0xffffffffu, {0}) != 0)"), effect: Effect::Sync(Scope::Warp),
        variance: Variance::PerWarp, fixes_variance: true
    } {
        all_sync(u32::MAX, predicate)
    }
}
