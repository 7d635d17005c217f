//! Accesses of different widths: bytes, halves, words, vectors and structs over the same memory.

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "widths.rs";
    bytes_then_words(1, 64) clean [0 3] racy [1 2];
    halves_of_a_word(1, 64) clean [0] racy [1 2];
    straddling_pairs(1, 32) clean [0] racy [1 2];
    quads_and_words(1, 32) clean [0 2] racy [1 3];
    halves_by_different_means(1, 64) clean [0] racy [1 2];
    volatile_widths(2, 1) clean [0] racy [1 2];
    volatile_and_atomic(2, 1) clean [0 1] racy [2 3];
    small_floats(2, 32) clean [0] racy [1 2];
    struct_and_field(1, 64) clean [0] racy [1 2 3];
    one_byte_each(2, 32) clean [0 2] racy [1];
    array_as_another_type(1, 64) clean [0] racy [1 2];
    dynamic_as_two_types(1, 64, dynamic_shared(512)) clean [0] racy [1 2];
    wide_exchange(2, 32) clean [0] racy [1 2];
}

#[gpu_kernel]
fn bytes_then_words(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 16]);
    let t = thread_idx().x;
    tile.reinterpret_mut::<u8>()[t] = (t + x[t]) as u8; // race
    if how == 0 {
        sync_threads();
    }
    if how >= 2 {
        sync_warp();
    }
    if t % 4 == 0 {
        y[t] = tile[if how == 3 { t / 4 } else { 15 - t / 4 }]; // race
    }
}

/// A thread each half; who changes the whole word touches both.
#[gpu_kernel]
fn halves_of_a_word(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if how == 1 && t == 9 {
        y[4] |= x[t]; // race 1
    } else {
        y.reinterpret_mut::<u16>()[t] = t as u16; // race 1 2
    }
    if how == 2 && t == 40 {
        x[0] = y[5]; // race 2
    }
}

/// A wide store that overlaps a narrow one in its last bytes, or in its first.
#[gpu_kernel]
fn straddling_pairs(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if t == 0 {
        y.reinterpret_mut::<U32x2>()[5u32] = U32x2::splat(x[0]); // race
    }
    if t == 1 {
        let place = match how {
            0 => 12u32,
            1 => 11,
            _ => 10,
        };
        y[place] = 7; // race
    }
}

#[gpu_kernel]
fn quads_and_words(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    y.reinterpret_mut::<U32x4>()[t] = U32x4::splat(t); // race
    if how == 2 {
        sync_warp();
    }
    let place = match how {
        0 => 4 * t + 3,
        1 => 4 * t + 4,
        2 => 127 - t,
        _ => 4 * (31 - t) + 1,
    };
    x[t] = y[place]; // race
}

/// The low half is counted atomically, the high one is the thread's own; a store of both is neither.
#[gpu_kernel]
fn halves_by_different_means(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if t == 1 {
        match how {
            0 => y[1] = x[1],
            1 => y.reinterpret_mut::<u64>()[0u32] = 5, // race 1
            _ => y[0] = x[1],                          // race 2
        }
    } else {
        atomic_add(&mut y[0], 1); // race
    }
}

#[gpu_kernel]
fn volatile_widths(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if block_idx().x == 0 {
        if how == 1 {
            volatile_store(&mut x.reinterpret_mut::<u64>()[0u32], 1u64); // race 1
        } else {
            volatile_store(&mut x[1], 1); // race 2
        }
    } else if how == 2 {
        y[0] = volatile_load(&x.reinterpret::<u64>()[0u32]) as u32; // race 2
    } else {
        y[0] = volatile_load(&x[1]); // race 1
    }
}

/// Volatile is atomic for all threads, and is told from what is not by the other's scope.
#[gpu_kernel]
fn volatile_and_atomic(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if block_idx().x == 0 {
        match how {
            0 => volatile_store(&mut x[0], 1),
            1 => {
                atomic_add(&mut x[0], 1);
            }
            2 => {
                atomic_block(&mut x[0]).fetch_add(1, Ordering::Relaxed); // race 2
            }
            _ => volatile_store(&mut x[0], 1), // race 3
        }
    } else {
        y[0] = match how {
            0 => atomic(&mut x[0]).load(Ordering::Relaxed),
            3 => atomic_cluster(&mut x[0]).load(Ordering::Acquire), // race 3
            _ => volatile_load(&x[0]),                              // race 2
        };
    }
}

#[gpu_kernel]
fn small_floats(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    if how == 1 && i == 40 {
        x[0] = y[0]; // race 1
    } else if how == 2 && i == 41 {
        y.reinterpret_mut::<u8>()[1u32] = 1; // race 2
    } else {
        atomic_add(&mut y.reinterpret_mut::<f16>()[i % 2], f16::from_f32(1.0)); // race
    }
}

/// A byte, three bytes of padding, a word.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Tagged {
    tag: u8,
    value: u32,
}

#[gpu_kernel]
fn struct_and_field(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut all = shared!([Tagged; 32]);
    let t = thread_idx().x;
    if t < 32 {
        if how == 0 {
            all[t].tag = 1;
        } else {
            all[t] = Tagged { tag: 1, value: x[t] }; // race
        }
    } else {
        match how {
            0 => all[t - 32].value = t,
            1 => all[t - 32].value = t,         // race 1
            2 => y[t] = all[t - 32].tag as u32, // race 2
            _ => y[t] = all[63 - t].value,      // race 3
        }
    }
}

#[gpu_kernel]
fn one_byte_each(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id() as u32;
    let place = match how {
        0 => i,
        1 => i & !1,
        _ => (i % 32) * 2 + i / 32,
    };
    y.reinterpret_mut::<u8>()[place] = x[i] as u8; // race
}

/// One array serves for words, then for floats.
#[gpu_kernel]
fn array_as_another_type(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut room = shared!([u32; 64]);
    let t = thread_idx().x;
    room[t] = x[t];
    sync_threads();
    let other = room[63 - t]; // race 1
    if how != 1 {
        sync_threads();
    }
    room.reinterpret_mut::<f32>()[t] = other as f32; // race
    if how != 2 {
        sync_threads();
    }
    y[t] = room.reinterpret::<f32>()[63 - t] as u32; // race 2
}

/// The halves of dynamic memory, of another type each; the second begins where the first ends.
#[gpu_kernel]
fn dynamic_as_two_types(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut words = dynamic_shared::<u32>();
    let t = thread_idx().x;
    words[t] = x[t]; // race
    let begin = if how == 1 { 31 } else { 32 };
    let mut wide = dynamic_shared::<u64>();
    if t < 32 {
        wide[begin + t] = t as u64; // race
    }
    if how != 2 {
        sync_threads();
    }
    y[t] = words[63 - t] + if how == 2 { wide[32 + (31 - t % 32)] as u32 } else { 0 }; // race
}

/// Exchanges of 64 bits, beside which a word is read.
#[gpu_kernel]
fn wide_exchange(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    if i == 63 {
        match how {
            0 => x[0] = atomic(&mut y.reinterpret_mut::<u64>()[0u32]).load(Ordering::Relaxed) as u32,
            1 => x[0] = atomic(&mut y[0]).load(Ordering::Relaxed), // race 1
            _ => x[0] = y[1],                                      // race 2
        }
    } else {
        atomic(&mut y.reinterpret_mut::<u64>()[0u32]).swap(i as u64, Ordering::AcqRel); // race
    }
}
