//! HeCBench's random numbers: generators as structs, behind a trait.

use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{down, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![port!("hecbench_monte_carlo", monte_carlo, random_numbers_of_two_generators)]
}

/// A generator of random numbers.
#[gpu_trait]
trait Rng {
    fn next_u32(&mut self) -> u32;

    fn next_f32(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 * (1.0 / (1 << 24) as f32)
    }
}

/// Marsaglia's xorwow.
#[derive(Clone, Copy, Debug, Default, GpuType)]
#[repr(C)]
struct Xorwow {
    x: [u32; 5],
    d: u32,
}

#[gpu_impl]
impl Rng for Xorwow {
    fn next_u32(&mut self) -> u32 {
        let mut t = self.x[4];
        let s = self.x[0];
        self.x = [s, self.x[0], self.x[1], self.x[2], self.x[3]];
        t ^= t >> 2;
        t ^= t << 1;
        t ^= s ^ (s << 4);
        self.x[0] = t;
        self.d = self.d.wrapping_add(362437);
        t.wrapping_add(self.d)
    }
}

/// Philox 4x32 with ten rounds: a counter and a key.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Philox {
    counter: [u32; 4],
    key: [u32; 2],
    buffer: [u32; 4],
    left: u8,
}

#[gpu_impl]
impl Philox {
    const M: [u32; 2] = [0xD2511F53, 0xCD9E8D57];
    const W: [u32; 2] = [0x9E3779B9, 0xBB67AE85];

    fn new(seed: u64, stream: u32) -> Self {
        Self { counter: [0, 0, stream, 0], key: [seed as u32, (seed >> 32) as u32], buffer: [0; 4], left: 0 }
    }

    fn block(&self) -> [u32; 4] {
        let (mut c, mut k) = (self.counter, self.key);
        for _ in 0..10 {
            let p0 = Self::M[0] as u64 * c[0] as u64;
            let p1 = u64::from(Self::M[1]) * u64::from(c[2]);
            c = [(p1 >> 32) as u32 ^ c[1] ^ k[0], p1 as u32, (p0 >> 32) as u32 ^ c[3] ^ k[1], p0 as u32];
            k[0] = k[0].wrapping_add(Self::W[0]);
            k[1] = k[1].wrapping_add(Self::W[1]);
        }
        c
    }
}

#[gpu_impl]
impl Rng for Philox {
    fn next_u32(&mut self) -> u32 {
        if self.left == 0 {
            self.buffer = self.block();
            self.left = 4;
            self.counter[0] += 1;
        }
        self.left -= 1;
        self.buffer[3 - self.left as usize]
    }
}

/// The number of random points in the quarter circle.
#[gpu_fn]
fn count_inside<R: Rng>(rng: &mut R, n: u32) -> u32 {
    let mut inside = 0;
    for _ in 0..n {
        let (x, y) = (rng.next_f32(), rng.next_f32());
        if x * x + y * y <= 1.0 {
            inside += 1;
        }
    }
    inside
}

#[gpu_kernel(fmad = false)]
fn monte_carlo(seed: u64, n: u32, out: &mut [[u32; 2]], samples: &mut [u32]) {
    let i = global_id();
    if i >= out.len() {
        return;
    }
    let mut philox = Philox::new(seed, i as u32);
    let mut xorwow = Xorwow { d: i as u32, ..Default::default() };
    xorwow.x = [123456789 ^ i as u32, 362436069, 521288629, 88675123, 5783321];
    if i == 0 {
        for s in samples.iter_mut() {
            *s = philox.next_u32();
        }
    }
    out[i] = [count_inside(&mut philox, n), count_inside(&mut xorwow, n)];
}

fn random_numbers_of_two_generators(device: &Device) {
    let (mut out, mut samples) = (up(device, &[[0u32; 2]; 40]), up(device, &[0u32; 4]));
    monte_carlo(0, 200, &mut out, &mut samples).over(40).block(32).launch(device).unwrap();
    // The known answer of Random123 for a counter and a key of zero.
    assert_eq!(down(device, &samples), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    let totals = down(device, &out).iter().fold([0; 2], |t, v| [t[0] + v[0], t[1] + v[1]]);
    for total in totals {
        assert!((f64::from(total) / 8000.0 - std::f64::consts::FRAC_PI_4).abs() < 0.02, "{totals:?}");
    }
    let mut x = Xorwow { x: [123456789 ^ 3, 362436069, 521288629, 88675123, 5783321], d: 3 };
    assert_eq!(down(device, &out)[3][1], count_inside(&mut x, 200));
}
