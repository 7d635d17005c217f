//! Casts that cut bits off, in arithmetic that is proven to fit `int`.

use harness::{everywhere, written};
use warpsmith::prelude::*;

/// One body as a kernel and as a function of the host.
macro_rules! both {
    ($kernel:ident, $host:ident, |$x:ident, $out:ident| $body:block) => {
        #[gpu_kernel]
        fn $kernel($x: &[i32], $out: &mut [i32]) $body

        fn $host($x: &[i32], $out: &mut [i32]) $body
    };
}

both!(cut, cut_on_host, |x, out| {
    for i in 0..x.len() {
        let (a, b) = (x[i], x[x.len() - 1 - i]);
        let (long, word) = (a as i64 * 3, b as u32);
        out[i * 8] = (a as u8) as i32 + (b as u8) as i32;
        out[i * 8 + 1] = (a as i8) as i32 - (b as u16) as i32;
        out[i * 8 + 2] = (a as i16) as i32 * (b as u8) as i32;
        out[i * 8 + 3] = (long as u8) as i32 + (word as u16) as i32;
        out[i * 8 + 4] = ((a as u8) as u32 + (word as u8) as u32) as i32;
        out[i * 8 + 5] = x[((a as u8) as usize + (b as u8) as usize) % x.len()];
        out[i * 8 + 6] = ((a as u8) as i64 + (b as u16) as i64) as i32;
        out[i * 8 + 7] = (long as u32 as u16) as i32 + (word as i16) as i32;
    }
});

#[test]
fn a_cast_cuts_off_bits_in_sums() {
    let values = [i32::MIN, -1, 0, i32::MAX, 255, 256, -129, 0x1234_5678];
    let mut expected = [0; 64];
    cut_on_host(&values, &mut expected);
    everywhere::<cut>(&(), |gpu| {
        let x = gpu.upload(&values).expect("memory");
        let out = written(gpu, (64, 0), |out| cut(&x, out).grid(1).block(1).launch(gpu));
        assert_eq!(out, expected);
    });
}
