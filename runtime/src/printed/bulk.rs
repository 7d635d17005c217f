//! Barriers with phases and bulk copies of a compiled text: the same functions that the twin's builtins call.
//!
//! An address of shared memory is its offset in the block's; `shim/bulk.h` says how another block's is told.

use std::ffi::c_void;

use super::host::host_functions;
use crate::device_api::mbarrier::elect_one;
use crate::simulator::context::{self, BulkCopy, PhaseOf};

/// An address of the block's own shared memory.
pub(super) fn own(offset: u32) -> *mut u8 {
    context::dynamic_shared().0.wrapping_add((offset & 0xff_ffff) as usize)
}

/// The rank that an address of another block's shared memory has.
fn rank(place: u32) -> u32 {
    (place >> 24).wrapping_sub(1)
}

/// Returns whether a phase is complete; may wait for it first.
fn look(barrier: u32, phase: u32, is_parity: bool, waits: bool) -> bool {
    let phase = if is_parity { PhaseOf::Parity(phase) } else { PhaseOf::Number(phase) };
    match waits {
        true => context::mbarrier_try_wait("mbarrier_wait", own(barrier), phase),
        false => context::mbarrier_test_wait("mbarrier_test_wait", own(barrier), phase),
    }
}

host_functions! { FUNCTIONS:
    "ws_h_mbarrier_init"(barrier: u32, count: u32) = context::mbarrier_init(own(barrier), count);
    "ws_h_mbarrier_inval"(barrier: u32) = context::mbarrier_inval(own(barrier));
    "ws_h_mbarrier_arrive"(barrier: u32, count: u32, bytes: u32) -> u64 = {
        context::mbarrier_arrive("mbarrier_arrive", own(barrier), count, bytes)
    };
    "ws_h_mbarrier_arrive_at"(barrier: u32, publishes: bool) = {
        context::mbarrier_arrive_at("mbarrier_arrive_at", own(barrier), rank(barrier), publishes);
    };
    "ws_h_mbarrier_expect"(barrier: u32, bytes: u32) = {
        context::mbarrier_expect("mbarrier_expect_tx", own(barrier), bytes);
    };
    "ws_h_mbarrier_look"(barrier: u32, phase: u32, is_parity: bool, waits: bool) -> bool = {
        look(barrier, phase, is_parity, waits)
    };
    "ws_h_cp_async_mbarrier_arrive"(barrier: u32) = context::cp_async_mbarrier_arrive(own(barrier));
    "ws_h_elect_one"() -> bool = elect_one();
    "ws_h_bulk_load"(to: u32, from: *const c_void, bytes: u32, barrier: u32) = {
        let bytes = bytes as usize;
        context::bulk_copy("bulk_load", BulkCopy::Load, (own(to), bytes), (from.cast(), bytes), own(barrier));
    };
    "ws_h_bulk_store"(to: *mut c_void, from: u32, bytes: u32) = {
        let bytes = bytes as usize;
        context::bulk_copy("bulk_store", BulkCopy::Store, (to.cast(), bytes), (own(from), bytes), std::ptr::null());
    };
    "ws_h_bulk_send"(to: u32, from: u32, bytes: u32, barrier: u32) = {
        let (rank, bytes) = (rank(to), bytes as usize);
        context::bulk_copy("bulk_send", BulkCopy::Send { rank }, (own(to), bytes), (own(from), bytes), own(barrier));
    };
    "ws_h_bulk_commit"() = context::bulk_commit();
    "ws_h_bulk_wait"(left: u32, reads_alone: bool) = context::bulk_wait(left as usize, reads_alone);
}
