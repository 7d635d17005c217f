//! Where the tests run, and with what.

use warpsmith::prelude::*;
use warpsmith::simulator::Settings;

/// The simulator, and a GPU if there is one.
pub fn devices() -> Vec<Device> {
    [Device::simulator()].into_iter().chain(harness::gpu()).collect()
}

/// A simulator that runs warps and blocks in another order.
pub fn shuffled(seed: u64) -> Device {
    Device::simulator_with(Settings { seed, ..Settings::default() })
}

/// The factor of sizes: one on the simulator, large on a GPU that is to run real ones.
pub fn scale(device: &Device) -> usize {
    let real = std::env::var("CORPUS_SCALE").is_ok_and(|scale| scale == "real");
    if real && !device.is_simulator() { 1000 } else { 1 }
}

/// Elements that begin `offset` elements behind an aligned address.
pub struct Placed<T> {
    buffer: Buffer<T>,
    offset: usize,
}

impl<T: GpuType> Placed<T> {
    pub fn new(device: &Device, offset: usize, elements: &[T], padding: T) -> Self {
        let all: Vec<T> = std::iter::repeat_n(padding, offset).chain(elements.iter().copied()).collect();
        Self { buffer: device.upload(&all).expect("device memory"), offset }
    }

    pub fn part(&self) -> warpsmith::Part<'_, T> {
        self.buffer.slice(self.offset..).expect("a part")
    }

    pub fn part_mut(&mut self) -> warpsmith::PartMut<'_, T> {
        self.buffer.slice_mut(self.offset..).expect("a part")
    }

    /// The elements; those before them must not have changed.
    pub fn read(&self, device: &Device) -> Vec<T> {
        device.download(&self.buffer).expect("no fault").split_off(self.offset)
    }
}

/// A generator of test data, by the multiplication of Lehmer.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2_654_435_769) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = ((u128::from(self.0) * 0xda94_2042_e4dd_58b5) >> 3) as u64 | 1;
        self.0 >> 7
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// A number of [-1, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() % (1 << 24)) as f64 / f64::from(1 << 23) - 1.0
    }
}
