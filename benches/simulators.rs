//! How many elements a second some kernels process: on the simulator, by each executor and with its checks, and on a
//! GPU, plain or under compute-sanitizer.
//!
//! `simulators cpu` prints `rate KERNEL HOW VALUE`, in millions of elements for each second of processor time;
//! `simulators gpu HOW` does so for each second of the clock. An element is what a thread makes; of the product, one
//! multiplication and addition. See `simulators.sh` and `sanitizer.sh`.

use std::time::{Duration, Instant};

use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings, SimChecks};

/// y[i] = a * x[i] + y[i]
#[gpu_kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// `a`, `b`, `out`: row-major `[n, n]`, by tiles of 16 × 16.
#[gpu_kernel]
fn product(a: &[f32], b: &[f32], out: &mut [f32], n: u32) {
    let mut left = shared!([[f32; 16]; 16]);
    let mut right = shared!([[f32; 16]; 16]);
    let (t, block) = (thread_idx(), block_idx());
    let (row, col) = (block.y * 16 + t.y, block.x * 16 + t.x);
    let mut sum = 0.0;
    for tile in 0..n / 16 {
        left[t.y][t.x] = a[row * n + tile * 16 + t.x];
        right[t.y][t.x] = b[(tile * 16 + t.y) * n + col];
        sync_threads();
        for k in 0..16u32 {
            sum += left[t.y][k] * right[k][t.x];
        }
        sync_threads();
    }
    out[row * n + col] = sum;
}

/// The sum of each block's 256 elements.
#[gpu_kernel]
fn reduce(x: &[f32], out: &mut [f32]) {
    let mut kept = shared!([f32; 256]);
    let t = thread_idx().x;
    kept[t] = x[global_id()];
    sync_threads();
    let mut stride = 128;
    while stride > 0 {
        if t < stride {
            kept[t] += kept[t + stride];
        }
        sync_threads();
        stride /= 2;
    }
    if t == 0 {
        out[block_idx().x] = kept[0];
    }
}

/// Counts keys below 256.
#[gpu_kernel]
fn histogram(keys: &[u32], bins: &mut [u32]) {
    let i = global_id();
    if i < keys.len() {
        atomic_add(&mut bins[keys[i]], 1);
    }
}

/// How much there is to do.
#[derive(Clone, Copy)]
struct Size {
    /// The suffix of a kernel's name.
    suffix: &'static str,
    /// Elements of vectors, a multiple of 256.
    len: usize,
    /// Rows of matrices, a multiple of 16.
    side: u32,
}

/// Sizes that every simulator can do in some seconds.
const SMALL: Size = Size { suffix: "", len: 1 << 16, side: 128 };
/// Sizes that fill a GPU.
const LARGE: Size = Size { suffix: "@large", len: 1 << 24, side: 1024 };

fn main() -> warpsmith::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["cpu"] => cpu(),
        ["gpu", how] => gpu(how),
        _ => {
            println!("skipped: say `cpu` or `gpu HOW`");
            Ok(())
        }
    }
}

fn cpu() -> warpsmith::Result<()> {
    let executed = [
        ("twin", Executor::Twin, SimChecks::NONE),
        ("interpreter", Executor::Interpreter, SimChecks::NONE),
        ("races", Executor::Interpreter, SimChecks { races: true, ..SimChecks::NONE }),
        ("all_checks", Executor::Interpreter, SimChecks::ALL),
        ("both", Executor::Both, SimChecks::ALL),
    ];
    for (how, executor, checks) in executed {
        let device = Device::simulator_with(Settings { executor, checks, ..Settings::default() });
        Bench { device: &device, size: SMALL, how, counted: false }.run()?;
    }
    Bench { device: &Device::simulator(), size: SMALL, how: "metrics", counted: true }.run()
}

fn gpu(how: &str) -> warpsmith::Result<()> {
    let device = Device::gpu(0)?;
    [SMALL, LARGE].into_iter().try_for_each(|size| Bench { device: &device, size, how, counted: false }.run())
}

/// The kernels in one way on one device.
struct Bench<'a> {
    device: &'a Device,
    size: Size,
    how: &'a str,
    /// Whether the simulator counts what they cost.
    counted: bool,
}

impl Bench<'_> {
    fn run(&self) -> warpsmith::Result<()> {
        self.saxpy()?;
        self.product()?;
        self.reduce()?;
        self.histogram()
    }

    fn saxpy(&self) -> warpsmith::Result<()> {
        let n = self.size.len;
        let x = self.device.upload(&vec![3.0f32; n])?;
        let mut y = self.device.upload(&vec![1.0f32; n])?;
        self.rate("saxpy", n as u64, || self.launch(saxpy(0.0, &x, &mut y).over(n).block(256)))?;
        self.launch(saxpy(2.0, &x, &mut y).over(n).block(256))?;
        assert!(self.device.download(&y)?.iter().all(|y| *y == 7.0));
        Ok(())
    }

    fn product(&self) -> warpsmith::Result<()> {
        let side = self.size.side;
        let elements = (side * side) as usize;
        let a = self.device.upload(&vec![2.0f32; elements])?;
        let b = self.device.upload(&vec![0.5f32; elements])?;
        let mut out = self.device.upload(&vec![0.0f32; elements])?;
        self.rate("product", u64::from(side).pow(3), || {
            self.launch(product(&a, &b, &mut out, side).grid([side / 16; 2]).block([16, 16]))
        })?;
        assert!(self.device.download(&out)?.iter().all(|sum| *sum == side as f32));
        Ok(())
    }

    fn reduce(&self) -> warpsmith::Result<()> {
        let n = self.size.len;
        let x = self.device.upload(&vec![1.0f32; n])?;
        let mut sums = self.device.upload(&vec![0.0f32; n / 256])?;
        self.rate("reduction", n as u64, || {
            self.launch(reduce(&x, &mut sums).grid((n / 256) as u32).block(256))
        })?;
        assert!(self.device.download(&sums)?.iter().all(|sum| *sum == 256.0));
        Ok(())
    }

    fn histogram(&self) -> warpsmith::Result<()> {
        let n = self.size.len;
        let keys: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_769) >> 24).collect();
        let keys_there = self.device.upload(&keys)?;
        let mut bins = self.device.upload(&[0u32; 256])?;
        let launches = self.rate("histogram", n as u64, || {
            self.launch(histogram(&keys_there, &mut bins).over(n).block(256))
        })?;
        let mut wanted = [0u32; 256];
        keys.iter().for_each(|key| wanted[*key as usize] = wanted[*key as usize].wrapping_add(launches));
        assert_eq!(self.device.download(&bins)?, wanted);
        Ok(())
    }

    /// Launches as the bench says, and waits.
    fn launch<K: Kernel>(&self, launch: Launch<'_, K>) -> warpsmith::Result<()> {
        if self.counted {
            return launch.metrics(self.device).map(|report| assert_eq!(report.forced, 0));
        }
        if self.device.as_gpu().is_none() {
            return launch.launch(self.device);
        }
        // SAFETY: the simulator, which checks every index, makes the same launches.
        unsafe { launch.launch_unchecked(self.device) }?;
        self.device.synchronize()
    }

    /// Prints how many of `elements` a second the fastest of some launches does, after one that warms up; how many
    /// launches that were.
    fn rate(
        &self,
        kernel: &str,
        elements: u64,
        mut launch: impl FnMut() -> warpsmith::Result<()>,
    ) -> warpsmith::Result<u32> {
        launch()?;
        let (begin, mut best, mut launches) = (Instant::now(), Duration::MAX, 1);
        while launches < 4 || begin.elapsed() < Duration::from_millis(500) {
            let start = self.now();
            launch()?;
            best = best.min(self.now() - start);
            launches += 1;
        }
        let rate = elements as f64 / best.as_secs_f64() / 1e6;
        println!("rate {kernel}{} {} {rate:.4}", self.size.suffix, self.how);
        Ok(launches)
    }

    /// Time of this process's threads where it simulates, which others do not slow; else of the clock.
    fn now(&self) -> Duration {
        let clock = if self.device.as_gpu().is_some() {
            libc::CLOCK_MONOTONIC
        } else {
            libc::CLOCK_PROCESS_CPUTIME_ID
        };
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is there to be written.
        assert_eq!(unsafe { libc::clock_gettime(clock, &mut time) }, 0, "both clocks are there");
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
}
