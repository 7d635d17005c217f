//! Loops over ranges whose bounds are at the ends of their types, or beside them, in every form: up and down, with and without
//! the end, in steps of every size, with iterations that end early.

use warpsmith::prelude::*;

use super::agree;

/// Kernels that walk ranges between all pairs of some bounds, nine numbers each at most.
///
/// The numbers of a range are mixed into `out[0]`; one more, one less, or another order gives another value.
macro_rules! walks {
    ($($name:ident: $t:ty;)+) => {$(
        #[gpu_kernel]
        fn $name(x: &[u64], out: &mut [u64]) {
            let zero = x[0] as $t;
            let ends = [<$t>::MIN, <$t>::MIN + 1, zero, zero + 3, <$t>::MAX / 2, <$t>::MAX - 1, <$t>::MAX];
            let steps = [1 + x[0] as usize, 2, 3 + x[1] as usize, 100, 1 << 31, 1 << 63, usize::MAX - x[0] as usize];
            for i in 0..ends.len() {
                for j in 0..ends.len() {
                    let (a, b) = (ends[i], ends[j]);
                    let step = steps[(i + 3 * j) % steps.len()];
                    let mut mixed = (i * 8 + j) as u64;
                    let mut left = 9;
                    for v in a..b {
                        mixed = mixed.wrapping_mul(31).wrapping_add(v as u64);
                        left -= 1;
                        if left == 0 { break; }
                    }
                    left = 9;
                    for v in a..=b {
                        mixed = mixed.wrapping_mul(37).wrapping_add(v as u64);
                        left -= 1;
                        if left == 0 { break; }
                    }
                    left = 9;
                    for v in a..=b {
                        left -= 1;
                        if left == 0 { break; }
                        if v & 1 == 0 { continue; }
                        mixed = mixed.wrapping_mul(41).wrapping_add(v as u64);
                    }
                    left = 9;
                    for v in (a..b).rev() {
                        mixed = mixed.wrapping_mul(43).wrapping_add(v as u64);
                        left -= 1;
                        if left == 0 { break; }
                    }
                    left = 9;
                    for v in (a..=b).rev() {
                        left -= 1;
                        if left == 0 { break; }
                        if v & 1 == 0 { continue; }
                        mixed = mixed.wrapping_mul(47).wrapping_add(v as u64);
                    }
                    left = 9;
                    for mut v in (a..b).step_by(step) {
                        mixed = mixed.wrapping_mul(53).wrapping_add(v as u64);
                        v = zero;
                        left -= 1 + v as i32;
                        if left == 0 { break; }
                    }
                    left = 9;
                    for v in (a..=b).step_by(step) {
                        left -= 1;
                        if left == 0 { break; }
                        if v & 1 == 0 { continue; }
                        mixed = mixed.wrapping_mul(59).wrapping_add(v as u64);
                    }
                    left = 9;
                    for v in (a..b).step_by(3) {
                        mixed = mixed.wrapping_mul(61).wrapping_add(v as u64);
                        left -= 1;
                        if left == 0 { break; }
                    }
                    left = 9;
                    for v in (a..=b).step_by(64) {
                        mixed = mixed.wrapping_mul(67).wrapping_add(v as u64);
                        left -= 1;
                        if left == 0 { break; }
                    }
                    out[(i + j) % 8] = out[(i + j) % 8].wrapping_mul(71).wrapping_add(mixed);
                }
            }
        }
    )+};
}

walks! {
    walk_i8: i8;
    walk_u8: u8;
    walk_i16: i16;
    walk_u16: u16;
    walk_i32: i32;
    walk_u32: u32;
    walk_i64: i64;
    walk_u64: u64;
    walk_isize: isize;
    walk_usize: usize;
}

/// Steps by the size of a block, up to an end that nothing bounds.
#[gpu_kernel]
fn by_a_block(x: &[u64], out: &mut [u64]) {
    let far = [usize::MAX, usize::MAX - 1, usize::MAX / 2, x[9] as usize, 0];
    for k in 0..far.len() {
        let mut left = 5;
        for v in (thread_idx().x as usize + x[7] as usize..far[k]).step_by(block_dim().x as usize) {
            out[k] = out[k].wrapping_mul(31).wrapping_add(v as u64);
            left -= 1;
            if left == 0 {
                break;
            }
        }
        for v in (global_id()..x.len()).step_by((grid_dim().x * block_dim().x) as usize) {
            out[k + 8] = out[k + 8].wrapping_mul(31).wrapping_add(x[v]);
        }
    }
}

agree! { walk_i8 walk_u8 walk_i16 walk_u16 walk_i32 walk_u32 walk_i64 walk_u64 walk_isize walk_usize by_a_block }
