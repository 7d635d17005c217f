//! Functions and builtins of many parameters, by every executor.

use warpsmith::prelude::*;

use super::{everywhere, written};

/// Functions whose CUDA and whose Rust are the same weighted sum, and a kernel that calls all of them.
macro_rules! sums {
    ($($name:ident $text:tt ($($arg:ident $weight:tt)+))+) => {
        $(
            #[gpu_fn(cuda = $text, pure)]
            #[allow(clippy::too_many_arguments)]
            fn $name($($arg: u32),+) -> u32 {
                0 $(+ $weight * $arg)+
            }
        )+

        #[gpu_kernel]
        fn sums(x: &[u32], out: &mut [u32]) {
            let i = global_id();
            let mut at = 0;
            $(
                out[at + i] = $name($(x[i] + $weight),+);
                at += x.len();
            )+
        }

        /// The results of the functions, one after the other.
        fn expected(x: &[u32]) -> Vec<u32> {
            let mut all = Vec::new();
            $(all.extend(x.iter().map(|x| 0 $(+ $weight * (x + $weight))+));)+
            all
        }
    };
}

sums! {
    of_1 "return
        1u * a0;"
        (
            a0 1
        )
    of_2 "return
        1u * a0 + 2u * a1;"
        (
            a0 1 a1 2
        )
    of_15 "return
        1u * a0 + 2u * a1 + 3u * a2 + 4u * a3 + 5u * a4 + 6u * a5 + 7u * a6 + 8u * a7 + 9u * a8 + 10u * a9 +
        11u * a10 + 12u * a11 + 13u * a12 + 14u * a13 + 15u * a14;"
        (
            a0 1 a1 2 a2 3 a3 4 a4 5 a5 6 a6 7 a7 8 a8 9 a9 10 a10 11 a11 12 a12 13 a13 14 a14 15
        )
    of_16 "return
        1u * a0 + 2u * a1 + 3u * a2 + 4u * a3 + 5u * a4 + 6u * a5 + 7u * a6 + 8u * a7 + 9u * a8 + 10u * a9 +
        11u * a10 + 12u * a11 + 13u * a12 + 14u * a13 + 15u * a14 + 16u * a15;"
        (
            a0 1 a1 2 a2 3 a3 4 a4 5 a5 6 a6 7 a7 8 a8 9 a9 10 a10 11 a11 12 a12 13 a13 14 a14 15 a15 16
        )
    of_17 "return
        1u * a0 + 2u * a1 + 3u * a2 + 4u * a3 + 5u * a4 + 6u * a5 + 7u * a6 + 8u * a7 + 9u * a8 + 10u * a9 +
        11u * a10 + 12u * a11 + 13u * a12 + 14u * a13 + 15u * a14 + 16u * a15 + 17u * a16;"
        (
            a0 1 a1 2 a2 3 a3 4 a4 5 a5 6 a6 7 a7 8 a8 9 a9 10 a10 11 a11 12 a12 13 a13 14 a14 15 a15 16 a16 17
        )
    of_18 "return
        1u * a0 + 2u * a1 + 3u * a2 + 4u * a3 + 5u * a4 + 6u * a5 + 7u * a6 + 8u * a7 + 9u * a8 + 10u * a9 +
        11u * a10 + 12u * a11 + 13u * a12 + 14u * a13 + 15u * a14 + 16u * a15 + 17u * a16 + 18u * a17;"
        (
            a0 1 a1 2 a2 3 a3 4 a4 5 a5 6 a6 7 a7 8 a8 9 a9 10 a10 11 a11 12 a12 13 a13 14 a14 15 a15 16 a16 17
            a17 18
        )
    of_31 "return
        1u * a0 + 2u * a1 + 3u * a2 + 4u * a3 + 5u * a4 + 6u * a5 + 7u * a6 + 8u * a7 + 9u * a8 + 10u * a9 +
        11u * a10 + 12u * a11 + 13u * a12 + 14u * a13 + 15u * a14 + 16u * a15 + 17u * a16 + 18u * a17 +
        19u * a18 + 20u * a19 + 21u * a20 + 22u * a21 + 23u * a22 + 24u * a23 + 25u * a24 + 26u * a25 +
        27u * a26 + 28u * a27 + 29u * a28 + 30u * a29 + 31u * a30;"
        (
            a0 1 a1 2 a2 3 a3 4 a4 5 a5 6 a6 7 a7 8 a8 9 a9 10 a10 11 a11 12 a12 13 a13 14 a14 15 a15 16 a16 17
            a17 18 a18 19 a19 20 a20 21 a21 22 a22 23 a23 24 a24 25 a25 26 a26 27 a27 28 a28 29 a29 30 a30 31
        )
    of_40 "return
        1u * a0 + 2u * a1 + 3u * a2 + 4u * a3 + 5u * a4 + 6u * a5 + 7u * a6 + 8u * a7 + 9u * a8 + 10u * a9 +
        11u * a10 + 12u * a11 + 13u * a12 + 14u * a13 + 15u * a14 + 16u * a15 + 17u * a16 + 18u * a17 +
        19u * a18 + 20u * a19 + 21u * a20 + 22u * a21 + 23u * a22 + 24u * a23 + 25u * a24 + 26u * a25 +
        27u * a26 + 28u * a27 + 29u * a28 + 30u * a29 + 31u * a30 + 32u * a31 + 33u * a32 + 34u * a33 +
        35u * a34 + 36u * a35 + 37u * a36 + 38u * a37 + 39u * a38 + 40u * a39;"
        (
            a0 1 a1 2 a2 3 a3 4 a4 5 a5 6 a6 7 a7 8 a8 9 a9 10 a10 11 a11 12 a12 13 a13 14 a14 15 a15 16 a16 17
            a17 18 a18 19 a19 20 a20 21 a21 22 a22 23 a23 24 a24 25 a25 26 a26 27 a27 28 a28 29 a29 30 a30 31
            a31 32 a32 33 a33 34 a34 35 a35 36 a36 37 a37 38 a38 39 a39 40
        )
}

#[test]
fn functions_of_1_to_40_parameters_take_all_of_them() {
    let x: Vec<u32> = (0..32).map(|i| i * 7).collect();
    let expected = expected(&x);
    everywhere::<sums>(&(), |device| {
        let input = device.upload(&x).expect("memory");
        let out =
            written(device, (expected.len(), 0), |out| sums(&input, out).grid(1).block(32).launch(device));
        assert_eq!(out, expected);
    });
}
