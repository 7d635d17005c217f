//! Barriers with phases and bulk copies, each builtin at least once, by every executor.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use super::everywhere;

fn numbers(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

/// Rows of 64 numbers go round a ring of three places; a producer warp copies, the other warps read.
#[gpu_kernel]
fn ring(x: &[u32], y: &mut [u32]) {
    let mut rows = shared!([[u32; 64]; 3], align = 16);
    let full = shared!([Barrier; 3]);
    let empty = shared!([Barrier; 3]);
    let t = thread_idx().x;
    if t == 0 {
        for i in 0..3usize {
            full[i].init(1);
            empty[i].init(64);
        }
        fence_mbarrier_init();
    }
    sync_threads();
    let count = x.len() / 64;
    if t >= 64 {
        if t == 64 {
            let mut free = Phase::passed();
            for k in 0..count {
                let place = k % 3;
                empty[place].wait_for(free);
                full[place].load(&mut rows[place], &x[k * 64..k * 64 + 64]);
                full[place].arrive();
                if place == 2 {
                    free = free.next();
                }
            }
        }
    } else {
        let mut filled = Phase::first();
        for k in 0..count {
            let place = k % 3;
            full[place].wait_for(filled);
            y[k * 64 + t as usize] = rows[place][63 - t] + 1;
            empty[place].arrive();
            if place == 2 {
                filled = filled.next();
            }
        }
    }
}

#[test]
fn rows_go_round_a_ring() {
    everywhere::<ring>(&(), |device| {
        for rows in [1, 2, 3, 8] {
            let x = numbers(64 * rows);
            let input = device.upload(&x).expect("memory");
            let mut y = device.upload(&vec![0u32; x.len()]).expect("memory");
            ring(&input, &mut y).grid(1).block(96).launch(device).expect("a launch");
            let want: Vec<u32> = x.chunks(64).flat_map(|row| row.iter().rev().map(|v| v + 1)).collect();
            assert_eq!(device.download(&y).expect("no fault"), want, "{rows} rows on {}", device.name());
        }
    });
}
