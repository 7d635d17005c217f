//! A trait that other crates implement, and generic code over it.

use warpsmith::prelude::*;

/// An associative operation.
#[gpu_trait]
pub trait Monoid {
    /// The joined type.
    type Value: GpuType + Constant;
    /// The neutral element.
    const IDENTITY: Self::Value;

    /// Joins two values.
    fn join(a: Self::Value, b: Self::Value) -> Self::Value;

    /// Joins three.
    fn join3(a: Self::Value, b: Self::Value, c: Self::Value) -> Self::Value {
        Self::join(Self::join(a, b), c)
    }
}

/// The sum.
pub struct Sum<T>(core::marker::PhantomData<T>);

#[gpu_impl]
impl<T: Num> Monoid for Sum<T> {
    type Value = T;
    const IDENTITY: T = T::ZERO;

    fn join(a: T, b: T) -> T {
        a + b
    }
}

/// Joins the values of a block of `THREADS` threads, in every thread.
#[gpu_fn]
pub fn block_reduce<M: Monoid, const THREADS: usize>(value: M::Value) -> M::Value {
    let mut kept = shared!([M::Value; THREADS]);
    let t = thread_idx().x;
    kept[t] = value;
    sync_threads();
    let mut total = M::IDENTITY;
    for i in 0..THREADS {
        total = M::join(total, kept[i]);
    }
    sync_threads();
    total
}
