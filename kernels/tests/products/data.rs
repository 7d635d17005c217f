//! Where the tests run, and with what.

use warpsmith::prelude::*;
use warpsmith::simulator::Settings;
use warpsmith::{Error, driver::DriverError};

/// A GPU if there is one.
pub fn gpu() -> Option<Device> {
    match Device::gpu(0) {
        Ok(gpu) => Some(gpu),
        Err(Error::Driver(DriverError::Missing | DriverError::NoDevice { .. })) => None,
        Err(error) => panic!("the GPU does not open: {error}"),
    }
}

/// A simulator that runs warps and blocks in another order, or the GPU if there is one.
pub fn device(seed: u64) -> Device {
    gpu().unwrap_or_else(|| Device::simulator_with(Settings { seed, ..Settings::default() }))
}

/// Elements of products, by their values in `f64`.
pub trait Element: warpsmith_kernels::products::ProductElement {
    /// The nearest element.
    fn of(x: f64) -> Self;
    /// The value.
    fn value(self) -> f64;
    /// The relative error of rounding to an element.
    const ROUNDING: f64;
}

macro_rules! elements {
    ($($t:ty: $of:expr, $value:expr, $bits:literal;)+) => {$(
        impl Element for $t {
            fn of(x: f64) -> Self {
                $of(x)
            }
            fn value(self) -> f64 {
                $value(self)
            }
            const ROUNDING: f64 = 1.0 / (1u64 << $bits) as f64;
        }
    )+};
}

elements! {
    f32: |x| x as f32, f64::from, 24;
    bf16: bf16::from_f64, bf16::to_f64, 8;
    f16: f16::from_f64, f16::to_f64, 11;
}

/// Random numbers of [-1, 1), by the multiplication of Lehmer, as elements.
pub fn some<T: Element>(seed: u64, len: usize) -> Vec<T> {
    let mut state = u128::from(seed) * 2 + 1;
    let mut next = || {
        state = state.wrapping_mul(0xda94_2042_e4dd_58b5) & u128::from(u64::MAX);
        ((state >> 40) as f64) / f64::from(1 << 23) - 1.0
    };
    for _ in 0..3 {
        next();
    }
    (0..len).map(|_| T::of(next())).collect()
}
