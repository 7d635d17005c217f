//! The simulator's machine for a compiled text: the same functions that the twin's builtins call.

use std::ffi::{c_char, c_void};

use super::host::{self, host_functions};
use super::run;
use crate::device_api::shuffle::{shfl_down_sync, shfl_sync, shfl_up_sync, shfl_xor_sync};
use crate::device_api::vote::{
    all_sync, any_sync, ballot_sync, match_all_sync, match_any_sync, reduce_add_sync, reduce_and_sync,
    reduce_max_sync, reduce_min_sync, reduce_or_sync, reduce_xor_sync,
};
use crate::prelude::U32x4;
use crate::simulator::context::{self, SharedSite};
use crate::simulator::{Instruction, Line, MemoryScope};
use crate::sources::is_library;

/// Tells the machine the line of the running thread.
fn at(file: *const c_char, line: i32) {
    // SAFETY: the shim passes `__builtin_FILE()`.
    let file = unsafe { host::text(file) };
    // A line of the prelude or of a function of this library: where that was called from is known already.
    if file.starts_with(super::library::OWN_FILE) || is_library(file) {
        return;
    }
    let line = Line { file, line: line.max(0) as u32, column: 0 };
    context::set_instruction(Some(Instruction { at: line, site: 0, instance: 0 }));
}

/// Exchanges sixteen bytes, which lanes of the twin exchange at once, too.
fn sixteen(
    shuffle: impl Fn(u32, U32x4, u32, u32) -> U32x4,
    mask: u32,
    words: *mut c_void,
    by: u32,
    width: u32,
) {
    let words = words.cast::<U32x4>();
    // SAFETY: the shim passes the address of four words, which only this thread uses.
    let own = unsafe { words.read_unaligned() };
    let other = shuffle(mask, own, by, width);
    // SAFETY: as above.
    unsafe { words.write_unaligned(other) };
}

/// An index or an extent by its number in the shim.
fn index(which: i32) -> [u32; 3] {
    match which {
        0 => context::thread_idx(),
        1 => context::block_idx(),
        2 => context::block_dim(),
        3 => context::grid_dim(),
        4 => context::cluster_dim(),
        5 => context::block_idx_in_cluster(),
        _ => context::cluster_idx(),
    }
}

host_functions! { FUNCTIONS:
    "ws_h_at"(file: *const c_char, line: i32) = at(file, line);
    "ws_h_index"(which: i32, to: *mut u32) = {
        // SAFETY: the shim gives room for three numbers.
        unsafe { to.cast::<[u32; 3]>().write(index(which)) }
    };
    "ws_h_lane_id"() -> u32 = context::lane_id();
    "ws_h_warp_id"() -> u32 = context::warp_id();
    "ws_h_cluster_rank"() -> u32 = context::cluster_rank();
    "ws_h_cluster_size"() -> u32 = context::cluster_size();

    "ws_h_shared"(site: *const c_void, bytes: u64, align: u64) -> *mut c_void = {
        // The address of the array's mark is its place: one for each instance of the function around it.
        let mark = site.addr() as u64;
        let (line, column) = (mark as u32, (mark >> 32) as u32);
        let site = SharedSite { file: "printed", line, column, instance: None };
        context::shared_alloc(site, bytes as usize, align as usize).cast()
    };
    "ws_h_dynamic_shared"() -> *mut c_void = context::dynamic_shared().0.cast();
    "ws_h_dynamic_shared_bytes"() -> u32 = context::dynamic_shared().1 as u32;
    "ws_h_shared_offset"(place: *const c_void) -> u64 = {
        place.addr().wrapping_sub(context::dynamic_shared().0.addr()) as u64
    };
    "ws_h_map_shared_rank"(place: *const c_void, rank: u32) -> *mut c_void = {
        context::map_shared_rank(place.cast(), rank).cast()
    };

    "ws_h_sync_threads"() = context::sync_threads();
    "ws_h_sync_vote"(vote: bool) -> u32 = context::sync_vote(vote);
    "ws_h_sync_warp"(mask: u32) = context::sync_warp(mask);
    "ws_h_grid_sync"() = context::grid_sync();
    "ws_h_named_barrier"(number: u32, threads: u32, wait: bool) = context::named_barrier(number, threads, wait);
    "ws_h_cluster_arrive"() = context::cluster_arrive();
    "ws_h_cluster_wait"() = context::cluster_wait();
    "ws_h_fence"() = context::fence(MemoryScope::System);
    "ws_h_poll"() = context::on_atomic();

    "ws_h_shfl_16_bytes"(mask: u32, words: *mut c_void, by: u32, width: u32) = sixteen(shfl_sync, mask, words, by, width);
    "ws_h_shfl_up_16_bytes"(mask: u32, words: *mut c_void, by: u32, width: u32) = sixteen(shfl_up_sync, mask, words, by, width);
    "ws_h_shfl_down_16_bytes"(mask: u32, words: *mut c_void, by: u32, width: u32) = sixteen(shfl_down_sync, mask, words, by, width);
    "ws_h_shfl_xor_16_bytes"(mask: u32, words: *mut c_void, by: u32, width: u32) = sixteen(shfl_xor_sync, mask, words, by, width);
    "ws_h_shfl_32"(mask: u32, value: u32, by: u32, width: u32) -> u32 = shfl_sync(mask, value, by, width);
    "ws_h_shfl_64"(mask: u32, value: u64, by: u32, width: u32) -> u64 = shfl_sync(mask, value, by, width);
    "ws_h_shfl_up_32"(mask: u32, value: u32, by: u32, width: u32) -> u32 = shfl_up_sync(mask, value, by, width);
    "ws_h_shfl_up_64"(mask: u32, value: u64, by: u32, width: u32) -> u64 = shfl_up_sync(mask, value, by, width);
    "ws_h_shfl_down_32"(mask: u32, value: u32, by: u32, width: u32) -> u32 = shfl_down_sync(mask, value, by, width);
    "ws_h_shfl_down_64"(mask: u32, value: u64, by: u32, width: u32) -> u64 = shfl_down_sync(mask, value, by, width);
    "ws_h_shfl_xor_32"(mask: u32, value: u32, by: u32, width: u32) -> u32 = shfl_xor_sync(mask, value, by, width);
    "ws_h_shfl_xor_64"(mask: u32, value: u64, by: u32, width: u32) -> u64 = shfl_xor_sync(mask, value, by, width);
    "ws_h_active_lanes"() -> u32 = context::active_lanes();
    "ws_h_ballot"(mask: u32, vote: bool) -> u32 = ballot_sync(mask, vote);
    "ws_h_any"(mask: u32, vote: bool) -> bool = any_sync(mask, vote);
    "ws_h_all"(mask: u32, vote: bool) -> bool = all_sync(mask, vote);
    "ws_h_match_any_32"(mask: u32, value: u32) -> u32 = match_any_sync(mask, value);
    "ws_h_match_any_64"(mask: u32, value: u64) -> u32 = match_any_sync(mask, value);
    "ws_h_match_all_32"(mask: u32, value: u32) -> bool = match_all_sync(mask, value);
    "ws_h_match_all_64"(mask: u32, value: u64) -> bool = match_all_sync(mask, value);
    "ws_h_reduce_add_signed"(mask: u32, value: i32) -> i32 = reduce_add_sync(mask, value);
    "ws_h_reduce_add"(mask: u32, value: u32) -> u32 = reduce_add_sync(mask, value);
    "ws_h_reduce_min_signed"(mask: u32, value: i32) -> i32 = reduce_min_sync(mask, value);
    "ws_h_reduce_min"(mask: u32, value: u32) -> u32 = reduce_min_sync(mask, value);
    "ws_h_reduce_max_signed"(mask: u32, value: i32) -> i32 = reduce_max_sync(mask, value);
    "ws_h_reduce_max"(mask: u32, value: u32) -> u32 = reduce_max_sync(mask, value);
    "ws_h_reduce_and"(mask: u32, value: u32) -> u32 = reduce_and_sync(mask, value);
    "ws_h_reduce_or"(mask: u32, value: u32) -> u32 = reduce_or_sync(mask, value);
    "ws_h_reduce_xor"(mask: u32, value: u32) -> u32 = reduce_xor_sync(mask, value);

    "ws_h_copy_async"(to: u32, from: *const c_void, bytes: u32) = {
        // SAFETY: an offset into the block's shared memory, as `ws_h_shared_offset` gave it.
        let to = unsafe { context::dynamic_shared().0.add(to as usize) };
        context::copy_async(to, from.cast(), bytes as usize);
    };
    "ws_h_copy_async_commit"() = context::copy_async_commit();
    "ws_h_copy_async_wait"(left: u32) = context::copy_async_wait(left as usize);

    "ws_h_clock"() -> u64 = context::clock();
    "ws_h_print"(text: *const c_char) = {
        // SAFETY: the shim's buffer, which ends in zero.
        let text = unsafe { std::ffi::CStr::from_ptr(text) };
        context::print(text.to_string_lossy().into_owned(), false);
    };
    "ws_h_trap"() = crate::device_api::memory::trap();
    "ws_h_assumed"() = crate::device_api::hint::assume(false);
    "ws_h_launch"(
        name: *const c_char, entry: *const c_void, grid: *const u32, block: *const u32, shared: u64, order: i32,
        count: u32, values: *const *const c_void, sizes: *const u64
    ) = {
        // SAFETY: the shim gives three extents each, and this number of values with their sizes.
        unsafe {
            let (grid, block) = (grid.cast::<[u32; 3]>().read(), block.cast::<[u32; 3]>().read());
            let values = (0..count as usize).map(|i| (*values.add(i), *sizes.add(i) as usize));
            run::launch(host::text(name), entry, grid, block, shared, order, values);
        }
    };
    "ws_h_exit"() = run::exit();
    "ws_h_endless"() = run::endless();
    "ws_h_undefined"(what: *const c_char, file: *const c_char, line: u32) = {
        // SAFETY: literals of the text.
        let (what, file) = unsafe { (host::text(what), host::text(file)) };
        run::undefined(what, file, line);
    };
    "ws_h_accessed"(address: u64, bytes: u64, write: bool) = run::accessed(address as usize, bytes as usize, write);
}
