//! Arithmetic of 8- and 16-bit integers that lie side by side in registers.
//!
//! NVRTC keeps two or four of them in a register there, and NVRTC 13.0 has lost signs on that way.

use harness::written;
use warpsmith::prelude::*;

/// Sixteen bytes that are moved at once.
#[derive(Clone, Copy, GpuType)]
#[gpu(AnyBits)]
#[repr(C, align(16))]
struct Packet<T, const N: usize> {
    values: [T; N],
}

/// The number of operations in `operations!`.
const OPERATIONS: u32 = 28;

macro_rules! operations {
    ($test:ident, $t:ident, $n:literal) => {
        mod $test {
            use super::*;

            /// One of the operations, chosen when the kernel is compiled.
            #[gpu_fn]
            fn applied(v: $t, by: $t, which: u32) -> $t {
                match which {
                    0 => v / 2,
                    1 => v / 3,
                    2 => v / 4,
                    3 => v / 16,
                    4 => v % 2,
                    5 => v % 3,
                    6 => v % 8,
                    7 => v / by,
                    8 => v % by,
                    9 => v >> 1,
                    10 => v >> 3,
                    11 => v << 1,
                    12 => v.wrapping_neg(),
                    13 => (v < by) as $t,
                    14 => v.wrapping_mul(by) / 2,
                    15 => v.wrapping_add(by) >> 1,
                    16 => v.rotate_left(3),
                    17 => v.leading_zeros() as $t,
                    18 => v.div_euclid(3),
                    19 => v.rem_euclid(4),
                    20 => v.min(by).wrapping_sub(v.max(3)),
                    21 => v.saturating_add(by),
                    22 => v.saturating_sub(by),
                    23 => (v.wrapping_add(by) as i32 / 2) as $t,
                    24 => (v.wrapping_add(by) as i16 >> 1) as $t,
                    25 => (v.wrapping_sub(by) as i64 >> 2) as $t,
                    26 => {
                        let mut halved = v.wrapping_add(by);
                        halved /= 2;
                        halved >>= 1;
                        halved
                    }
                    _ => (v as i32 * 5 / 8) as $t,
                }
            }

            #[gpu_kernel]
            fn packets(x: &[$t], by: $t, out: &mut [$t], #[comptime] which: u32) {
                let i = global_id();
                if (i + 1) * $n > x.len() || (i + 1) * $n > out.len() {
                    return;
                }
                let mut packet = x.reinterpret::<Packet<$t, $n>>()[i];
                for v in packet.values.iter_mut() {
                    *v = applied(*v, by, which);
                }
                out.reinterpret_mut::<Packet<$t, $n>>()[i] = packet;
            }

            #[test]
            fn small_integers_side_by_side_keep_their_signs() {
                let x: Vec<$t> = (0..2048u32).map(|v| (v * 40_503) as $t).collect();
                let by = 7;
                harness::compiles::<packets>(&(0,));
                harness::printed_ahead::<packets>((0..OPERATIONS).map(|which| (which,)));
                for (device, which) in
                    harness::devices().iter().flat_map(|d| (0..OPERATIONS).map(move |n| (d, n)))
                {
                    let want: Vec<$t> = x.iter().map(|v| applied(*v, by, which)).collect();
                    let input = device.upload(&x).expect("memory");
                    for checked in [true, false] {
                        let out = written(device, (x.len(), 99), |out| {
                            let launch = packets(&input, by, out, which).over(x.len() / $n);
                            // SAFETY: the kernel compares its index with both lengths.
                            if checked {
                                launch.launch(device)
                            } else {
                                unsafe { launch.launch_unchecked(device) }
                            }
                        });
                        let wrong: Vec<_> = (0..x.len()).filter(|i| out[*i] != want[*i]).collect();
                        assert!(
                            wrong.is_empty(),
                            "operation {which} on {}: {} wrong, {} gives {}, not {}",
                            device.name(),
                            wrong.len(),
                            x[wrong[0]],
                            out[wrong[0]],
                            want[wrong[0]]
                        );
                    }
                }
            }
        }
    };
}

operations! { of_i8, i8, 16 }
operations! { of_u8, u8, 16 }
operations! { of_i16, i16, 8 }
operations! { of_u16, u16, 8 }
