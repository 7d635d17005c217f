//! Structs with operators, and enums with fields.

use core::ops::{Add, Mul};

use warpsmith::prelude::*;

/// A vector of any dimension.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Vector<T, const N: usize> {
    /// Its coordinates.
    pub at: [T; N],
}

#[gpu_impl]
impl<T: Num, const N: usize> Vector<T, N> {
    /// The origin.
    pub const ORIGIN: Self = Vector { at: [T::ZERO; N] };

    /// The scalar product.
    pub fn dot(&self, other: &Self) -> T {
        let mut sum = T::ZERO;
        for k in 0..N {
            sum += self.at[k] * other.at[k];
        }
        sum
    }
}

#[gpu_impl]
impl<T: Num, const N: usize> Add for Vector<T, N> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let mut sum = self;
        for k in 0..N {
            sum.at[k] += other.at[k];
        }
        sum
    }
}

#[gpu_impl]
impl<T: Num, const N: usize> Mul<T> for Vector<T, N> {
    type Output = Self;
    fn mul(self, by: T) -> Self {
        let mut scaled = self;
        for v in scaled.at.iter_mut() {
            *v *= by;
        }
        scaled
    }
}

/// The object that a ray meets.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub enum Hit {
    /// Nothing.
    Miss,
    /// A surface, at a distance.
    Surface {
        /// How far.
        distance: f32,
        /// Which.
        id: u32,
    },
}

#[gpu_impl]
impl Hit {
    /// The nearer of two.
    pub fn nearer(self, other: Hit) -> Hit {
        match (self, other) {
            (Hit::Miss, hit) => hit,
            (hit, Hit::Miss) => hit,
            (Hit::Surface { distance: a, .. }, Hit::Surface { distance: b, .. }) => {
                if b < a {
                    other
                } else {
                    self
                }
            }
        }
    }
}
