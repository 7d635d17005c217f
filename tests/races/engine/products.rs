//! Products of a warpgroup: their operands in shared memory, and their sums in registers.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use crate::suite::cases;

cases! { "products.rs";
    multiplied(1, 128) clean [0 3 6 13 14 17] racy [1 2 4 10]
        faults [
            5: "call `wgmma_fence()` before", 7: "reads register 0 of sums that the product at", 8: "writes register 1 of sums",
            9: "reads register 0 of sums", 11: "reads register 0 of sums", 12: "reads register 0 of sums",
            15: "still computes its sums when its thread returns", 16: "differs in the descriptor of `a`"
        ];
    ring_of_products(1, 256) clean [0 7] racy [1 2 3 4 5]
        faults [6: "1 of 1 arrivals are missing", 8: "2048 expected bytes"];
    two_groups_share(1, 256) clean [0] racy [1 2 3];
}

/// A warpgroup multiplies matrices that its threads have written.
#[gpu_kernel]
fn multiplied(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([bf16; 1024], align = 1024);
    let t = thread_idx().x as usize;
    if how == 2 {
        fence_proxy_async();
    }
    for i in 0..8usize {
        tile[t * 8 + i] = bf16::from_f32(1.0); // race
    }
    if how != 1 && how != 2 && how != 3 {
        fence_proxy_async();
    }
    if how != 4 {
        sync_threads();
    }
    if how == 3 {
        fence_proxy_async();
    }
    let mut sums = [[0.0f32; 4]; 1];
    let a = matrix_descriptor(&tile[0], 16, 128, 0);
    if how != 5 {
        wgmma_fence();
    }
    wgmma::<bf16, _, false, false>(&mut sums, a + if how == 16 { t as u64 / 64 } else { 0 }, a, false); // race
    if how == 6 {
        wgmma::<bf16, _, false, false>(&mut sums, a, a, true);
    }
    if how != 7 {
        wgmma_commit();
    }
    if how == 8 {
        sums[0][1] = 1.0;
    }
    if how == 9 {
        y[t] = sums[0][0].to_bits();
    }
    if how == 10 {
        tile[t] = bf16::from_f32(2.0); // race 10
    }
    if how == 17 {
        let mut wide = [[0.0f32; 4]; 2];
        wgmma_fence();
        wgmma::<bf16, _, false, false>(&mut wide, a, a, false);
        wgmma_commit();
        wgmma_wait::<0>();
    }
    if how == 11 {
        wgmma_wait::<1>();
    } else if how != 12 && how != 15 {
        wgmma_wait::<0>();
    }
    if how == 13 {
        tile[t] = bf16::from_f32(2.0);
    }
    if how == 14 {
        sync_threads();
        tile[1023 - t] = bf16::from_f32(2.0);
    }
    if how != 15 {
        y[t] = sums[0][0].to_bits() + x[t];
    }
}

/// A thread of one warpgroup fills two stages, the other warpgroup multiplies them and gives back the one before.
#[gpu_kernel]
fn ring_of_products(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut rows = shared!([[u32; 512]; 2], align = 1024);
    let full = shared!([Barrier; 2]);
    let empty = shared!([Barrier; 2]);
    let t = thread_idx().x as usize;
    if t == 0 {
        for i in 0..2usize {
            full[i].init(1);
            empty[i].init(1);
        }
        fence_mbarrier_init();
    }
    sync_threads();
    if warpgroup_id() == 0 {
        if t == 0 {
            let mut free = Phase::passed();
            for s in 0..4usize {
                if how != 1 {
                    empty[s % 2].wait_for(free);
                }
                full[s % 2].load(&mut rows[s % 2], &x[s * 512..s * 512 + 512]); // race
                if how == 8 {
                    full[s % 2].expect(2048);
                } else {
                    full[s % 2].arrive();
                }
                if s % 2 == 1 {
                    free = free.next();
                }
            }
        }
    } else {
        let mut filled = Phase::first();
        let mut sums = [[0.0f32; 4]; 1];
        for s in 0..4usize {
            if how != 2 {
                full[s % 2].wait_for(filled);
            }
            if how == 3 && t == 128 {
                empty[s % 2].arrive();
            }
            let a = matrix_descriptor(&rows[s % 2][0], 16, 128, 0);
            wgmma_fence();
            wgmma::<bf16, _, false, false>(&mut sums, a, a, s > 0); // race
            wgmma_commit();
            if how == 4 {
                wgmma_wait::<2>();
            } else if how == 7 {
                wgmma_wait::<0>();
            } else {
                wgmma_wait::<1>();
            }
            if t == 128 {
                if how == 5 || how == 7 {
                    empty[s % 2].arrive();
                } else if s > 0 && how != 3 && how != 6 {
                    empty[(s + 1) % 2].arrive();
                }
            }
            if s % 2 == 1 {
                filled = filled.next();
            }
        }
        wgmma_wait::<0>();
        y[t] = sums[0][0].to_bits();
    }
}

/// Two warpgroups multiply the same operand, and threads of both write it again afterwards.
#[gpu_kernel]
fn two_groups_share(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([bf16; 1024], align = 1024);
    let t = thread_idx().x as usize;
    for step in 0..2u32 {
        for i in 0..4usize {
            tile[t * 4 + i] = bf16::from_f32(step as f32); // race
        }
        fence_proxy_async();
        if how != 1 {
            sync_threads();
        }
        let mut sums = [[0.0f32; 4]; 1];
        let a = matrix_descriptor(&tile[0], 16, 128, 0);
        wgmma_fence();
        wgmma::<bf16, _, false, false>(&mut sums, a, a, false); // race
        wgmma_commit();
        if how == 3 {
            sync_threads();
        }
        wgmma_wait::<0>();
        if how != 2 && how != 3 {
            sync_threads();
        }
        y[t] = sums[0][0].to_bits() + x[t];
    }
}
