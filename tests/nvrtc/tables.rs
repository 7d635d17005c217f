//! Constant arrays in machine code: a loop that is unrolled has their elements as numbers.

use warpsmith::nvrtc::Arch;
use warpsmith::prelude::*;

const TURNED: [usize; 16] = [5, 0, 7, 2, 13, 8, 15, 10, 1, 4, 3, 6, 9, 12, 11, 14];

/// An array that is permuted by a table, which stays in registers if the compiler knows the table's elements.
#[gpu_kernel]
fn permuted(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    let (Some(x), Some(y)) = (x.get(16 * i..16 * i + 16), y.get_mut(16 * i..16 * i + 16)) else { return };
    let mut own = [0; 16];
    for k in 0..16 {
        own[k] = x[k];
    }
    for _ in 0..3 {
        let mut turned = [0; 16];
        for k in 0..16 {
            turned[TURNED[k]] = own[k].wrapping_mul(5);
        }
        own = turned;
    }
    for k in 0..16 {
        y[k] = own[k];
    }
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn an_array_that_a_table_permutes_stays_in_registers() {
    harness::needs_nvrtc();
    let code = permuted::cuda_source().expect("it prints");
    harness::spills_nothing(permuted::NAME, &code, Arch { major: 9, minor: 0, specific: false });
}
