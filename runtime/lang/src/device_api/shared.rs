//! Shared memory of a block.

use core::any::TypeId;
use core::marker::PhantomData;
use core::mem::{align_of, size_of, transmute};

use crate::simulator::context::{self, SharedSite};
use crate::types::{DeviceType, GpuType, Shared};

/// Declares a shared array; only as the value of a `let` in a kernel or `#[gpu_fn]`.
///
/// ```
/// # use warpsmith::prelude::*;
/// #[gpu_kernel]
/// fn reverse(x: &mut [f32]) {
///     let mut tile = shared!([f32; 64]);
///     let t = thread_idx().x;
///     tile[t] = x[t];
///     sync_threads();
///     x[t] = tile[63 - t];
/// }
/// # fn main() -> warpsmith::Result<()> {
/// let gpu = Device::simulator();
/// let mut x = gpu.upload(&(0..64).map(|i| i as f32).collect::<Vec<_>>())?;
/// reverse(&mut x).grid(1).block(64).launch(&gpu)?;
/// assert_eq!(gpu.download(&x)?[0], 63.0);
/// # Ok(()) }
/// ```
///
/// One to three dimensions, `shared!([[f32; COLS]; ROWS])`; extents are constants, const generics
/// or comptime arguments, or arithmetic on them. The contents are undefined until written.
/// `shared!([f32; 64], align = 16)` sets the alignment in bytes, for example for a view of it as `F32x4`.
///
/// Types that live in shared memory, such as `Tile`, are declared by their names: `let mut tile = shared!(Tile<f32, 32,
/// 32>);`.
#[macro_export]
macro_rules! shared {
    ($($tokens:tt)*) => {
        compile_error!(
            "`shared!` can only initialise a variable inside a kernel: `let mut tile = shared!([f32; 256]);`"
        )
    };
}

/// The block's dynamic shared memory as an array of `T`, its length set by
/// `Launch::dynamic_shared` of the launch.
///
/// Only as the value of a `let`: `let mut smem = dynamic_shared::<i32>();`.
pub fn dynamic_shared<T: GpuType>() -> Shared<T> {
    let (ptr, bytes) = context::dynamic_shared();
    let len = bytes / size_of::<T>().max(1);
    // SAFETY: the simulator's memory of this block, of that many bytes, aligned for any device type.
    unsafe { Shared::from_raw_parts(ptr.cast(), [len]) }
}

/// The block's memory of one `shared!`, for the twin. `_instance` is a closure of the function around it, which has a
/// type of its own in each instance of that function: each instance has memory of its own, as in CUDA.
#[doc(hidden)]
pub fn shared_alloc<T: DeviceType, F: Fn()>(
    extents: &[usize],
    align: Option<u32>,
    file: &'static str,
    line: u32,
    column: u32,
    _instance: F,
) -> *mut T {
    let bytes = extents.iter().product::<usize>() * size_of::<T>();
    let align = align.map_or(1, |bytes| bytes as usize).max(align_of::<T>());
    let site = SharedSite { file, line, column, instance: Some(type_id::<F>()) };
    context::shared_alloc(site, bytes, align).cast()
}

/// A key that tells a type from all others that differ in more than lifetimes. Names do not: all closures of a function
/// have one name.
fn type_id<T>() -> TypeId {
    trait Identified {
        fn type_id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T> Identified for PhantomData<T> {
        fn type_id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let of: &dyn Identified = &PhantomData::<T>;
    // SAFETY: a lifetime decides neither the vtable nor what `TypeId::of` gives, and nothing of type `T` is touched.
    let of: &(dyn Identified + 'static) = unsafe { transmute(of) };
    Identified::type_id(of)
}
