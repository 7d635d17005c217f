//! Where kernels are measured: a device, the size of inputs on it, and a seeded generator of them; and what a kernel's
//! results are compared with.

use std::cell::Cell;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use warpsmith::prelude::*;

/// What ends a kernel's check or its measurement.
pub type Failure = Box<dyn std::error::Error>;

/// Elements of a large result that are compared with the reference; of a small one all are.
const SAMPLES: usize = 2048;

/// A device and inputs for it.
pub struct Ground {
    pub device: Device,
    state: Cell<u64>,
}

impl Ground {
    /// A generator that gives the same numbers for the same name.
    pub fn new(device: &Device, name: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        Self { device: device.clone(), state: Cell::new(hasher.finish() | 1) }
    }

    /// The small size on the simulator, the real one on a GPU.
    pub fn pick<T>(&self, small: T, real: T) -> T {
        if self.device.is_simulator() { small } else { real }
    }

    /// A number of 64 bits, by xorshift.
    pub fn word(&self) -> u64 {
        let mut state = self.state.get();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.state.set(state);
        state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// `n` values, each made of a random number.
    pub fn each<T>(&self, n: usize, make: impl Fn(u64) -> T) -> Vec<T> {
        (0..n).map(|_| make(self.word())).collect()
    }

    /// Floats in [-1, 1).
    pub fn floats(&self, n: usize) -> Vec<f32> {
        self.each(n, |word| (word >> 40) as f32 / (1u64 << 23) as f32 - 1.0)
    }

    /// Floats in a range.
    pub fn between(&self, n: usize, range: Range<f32>) -> Vec<f32> {
        self.each(n, |word| {
            range.start + (word >> 40) as f32 / (1u64 << 24) as f32 * (range.end - range.start)
        })
    }

    /// Doubles in [-1, 1).
    pub fn doubles(&self, n: usize) -> Vec<f64> {
        self.each(n, |word| (word >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
    }

    /// Integers in a range.
    pub fn ints(&self, n: usize, range: Range<i32>) -> Vec<i32> {
        let span = (range.end - range.start) as u64;
        self.each(n, |word| range.start + ((word >> 32) % span) as i32)
    }

    /// Integers below a limit.
    pub fn below(&self, n: usize, limit: u32) -> Vec<u32> {
        self.each(n, |word| ((word >> 32) % u64::from(limit)) as u32)
    }

    /// Bytes.
    pub fn bytes(&self, n: usize) -> Vec<u8> {
        self.each(n, |word| (word >> 56) as u8)
    }

    /// Memory that kernels read.
    pub fn up<T: GpuType>(&self, values: &[T]) -> Result<Buffer<T>, Failure> {
        Ok(self.device.upload(values)?)
    }

    /// Memory that a kernel writes all of: poisoned before each check.
    pub fn blank<T: Compared>(&self, n: usize, expected: Expected<T>) -> Result<Output<T>, Failure> {
        self.from(vec![T::POISON; n], expected)
    }

    /// Memory that a kernel updates: as at the start before each check.
    pub fn from<T: Compared>(&self, start: Vec<T>, expected: Expected<T>) -> Result<Output<T>, Failure> {
        Ok(Output { memory: self.up(&start)?, start, expected, kept: None })
    }
}

/// What each element should be, and how far it may be off: an integer by so much, a float by so much of 1, or of its own
/// size if that is larger.
pub struct Expected<T> {
    tolerance: f64,
    want: Box<dyn Fn(usize) -> T>,
}

/// A result that is equal to the reference.
pub fn exactly<T>(want: impl Fn(usize) -> T + 'static) -> Expected<T> {
    near(0.0, want)
}

/// A result within a tolerance of the reference.
pub fn near<T>(tolerance: f64, want: impl Fn(usize) -> T + 'static) -> Expected<T> {
    Expected { tolerance, want: Box::new(want) }
}

/// Memory that a kernel writes, with what was there before and what should be there after.
pub struct Output<T> {
    pub memory: Buffer<T>,
    start: Vec<T>,
    expected: Expected<T>,
    /// What the original has written, if it has run.
    kept: Option<Vec<T>>,
}

impl<T: Compared> Output<T> {
    /// Puts back what was there before.
    pub fn restore(&mut self, device: &Device) -> Result<(), Failure> {
        Ok(device.write(&mut self.memory, &self.start)?)
    }

    /// Compares with the reference, and all elements with those of the original, which is the first to be checked.
    pub fn check(&mut self, device: &Device, original: bool) -> Result<(), Failure> {
        let got = device.download(&self.memory)?;
        let Expected { tolerance, want } = &self.expected;
        let step = (got.len() / SAMPLES).max(1);
        let sampled = (0..got.len()).step_by(step).chain(got.len().saturating_sub(64)..got.len());
        for i in sampled {
            got[i].compare(&want(i), *tolerance, i)?;
        }
        if let Some(kept) = &self.kept {
            let pairs = got.iter().zip(kept).enumerate();
            // Each may be off to another side.
            pairs.into_iter().try_for_each(|(i, (got, kept))| got.compare(kept, 2.0 * tolerance, i))?;
        }
        if original {
            self.kept = Some(got);
        }
        Ok(())
    }
}

/// An element of a result.
pub trait Compared: GpuType + Debug {
    /// What no kernel gives.
    const POISON: Self;

    /// Returns whether it is within a tolerance of what is wanted.
    fn is_near(&self, want: &Self, tolerance: f64) -> bool;

    /// The error says which element differs.
    fn compare(&self, want: &Self, tolerance: f64, i: usize) -> Result<(), Failure> {
        if self.is_near(want, tolerance) {
            return Ok(());
        }
        Err(format!("element {i} is {self:?} instead of {want:?}").into())
    }
}

macro_rules! compared {
    ($($scalar:ty = $poison:expr, $size:expr);* $(;)?) => {$(
        impl Compared for $scalar {
            const POISON: Self = $poison;

            fn is_near(&self, want: &Self, tolerance: f64) -> bool {
                let size: fn(f64) -> f64 = $size;
                let off = (*self as f64 - *want as f64).abs();
                self == want || tolerance > 0.0 && off <= tolerance * size(*want as f64)
            }
        }
    )*};
}

compared! {
    f32 = f32::NAN, |v| v.abs().max(1.0);
    f64 = f64::NAN, |v| v.abs().max(1.0);
    i8 = -91, |_| 1.0;
    u8 = 0xa5, |_| 1.0;
    i32 = -1_515_870_811, |_| 1.0;
    u32 = 0xa5a5_a5a5, |_| 1.0;
    u64 = 0xa5a5_a5a5_a5a5_a5a5, |_| 1.0;
}

impl Compared for bf16 {
    const POISON: Self = bf16::from_bits(0xffff);

    fn is_near(&self, want: &Self, tolerance: f64) -> bool {
        self.to_f32().is_near(&want.to_f32(), tolerance)
    }
}

impl<T: Compared, const N: usize> Compared for [T; N]
where
    [T; N]: GpuType,
{
    const POISON: Self = [T::POISON; N];

    fn is_near(&self, want: &Self, tolerance: f64) -> bool {
        self.iter().zip(want).all(|(got, want)| got.is_near(want, tolerance))
    }
}

impl Compared for F32x4 {
    const POISON: Self = F32x4 { x: f32::NAN, y: f32::NAN, z: f32::NAN, w: f32::NAN };

    fn is_near(&self, want: &Self, tolerance: f64) -> bool {
        self.to_array().is_near(&want.to_array(), tolerance)
    }
}

impl Compared for F32x2 {
    const POISON: Self = F32x2 { x: f32::NAN, y: f32::NAN };

    fn is_near(&self, want: &Self, tolerance: f64) -> bool {
        self.to_array().is_near(&want.to_array(), tolerance)
    }
}
