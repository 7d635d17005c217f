//! A ring of rows in shared memory that the copy engine fills and threads empty, with guards that are released once.
//!
//! Written in the kernel language itself, on [`Barrier`]s. A guard is not `Copy`: rustc rejects releasing a row twice, and
//! reading a released row.

use core::marker::PhantomData;
use core::mem::{offset_of, size_of};

use warpsmith_macros::{GpuType, gpu_impl};

use crate::device_api::barrier::{Barrier, Phase};
use crate::device_api::index::thread_rank;
use crate::device_api::mbarrier::fence_mbarrier_init;
use crate::device_api::sync::sync_threads;
use crate::ir::{FieldType, StructType, Type};
use crate::types::{AnyBits, DeviceType, InShared, View, ViewMut};

/// `STAGES` rows of `N` elements in the block's shared memory, filled by the copy engine and emptied by threads.
///
/// Declared by `shared!(RowRing<T, N, STAGES>)`. All threads call [`init`](Self::init). One of them fills rows with its
/// [`filler`](Self::filler), and as many as were given to `init` read them, each with its own [`reader`](Self::reader), in
/// the order in which they were filled. The size of a row is a multiple of 16 bytes. Compute capability 9.0.
///
/// ```
/// # use warpsmith::prelude::*;
/// /// The sums of the columns of `x`, whose rows have 32 columns.
/// #[gpu_kernel]
/// fn column_sums(x: &[f32], sums: &mut [f32]) {
///     let ring = shared!(RowRing<f32, 32, 3>);
///     ring.init(32);
///     let (t, rows) = (thread_idx().x as usize, x.len() / 32);
///     if t == 32 {
///         let mut filler = ring.filler();
///         for row in 0..rows {
///             let free = filler.acquire();
///             free.load(&x[row * 32..row * 32 + 32]);
///             free.commit();
///         }
///     }
///     if t < 32 {
///         let mut reader = ring.reader();
///         let mut sum = 0.0;
///         for _ in 0..rows {
///             let filled = reader.wait();
///             sum += filled.row()[t];
///             filled.release();
///         }
///         sums[t] = sum;
///     }
/// }
/// # fn main() -> warpsmith::Result<()> {
/// # let gpu = Device::simulator();
/// # let x = gpu.upload(&(0..40 * 32).map(|i| (i % 32) as f32).collect::<Vec<_>>())?;
/// # let mut sums = gpu.upload(&[0.0f32; 32])?;
/// # column_sums(&x, &mut sums).grid(1).block(64).launch(&gpu)?;
/// # for (i, sum) in gpu.download(&sums)?.into_iter().enumerate() { assert_eq!(sum, 40.0 * i as f32); }
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct RowRing<'a, T, const N: usize, const STAGES: usize> {
    /// The rows, then the barriers that signal full rows, then those that signal empty rows.
    elements: *mut T,
    memory: PhantomData<&'a T>,
}

impl<T: AnyBits, const N: usize, const STAGES: usize> RowRing<'_, T, N, STAGES> {
    /// Words of all rows.
    const ROWS: usize = {
        assert!(N * size_of::<T>() % 16 == 0, "a row of a `RowRing` is of a multiple of 16 bytes");
        STAGES * N * size_of::<T>() / 8
    };
}

impl<T: AnyBits, const N: usize, const STAGES: usize> InShared for RowRing<'_, T, N, STAGES> {
    type Element = u64;
    const LEN: usize = Self::ROWS + 2 * STAGES;
}

/// Structs that exist only in kernels, whose values are moved: they cannot be in buffers or arguments.
macro_rules! moved {
    ($($(#[$docs:meta])* $name:ident { $($field:ident: $ty:ty),+ })+) => {$(
        $(#[$docs])*
        #[derive(Debug)]
        #[repr(C)]
        pub struct $name<'a, T, const N: usize, const STAGES: usize> {
            ring: RowRing<'a, T, N, STAGES>,
            $($field: $ty),+
        }

        impl<'a, T: DeviceType, const N: usize, const STAGES: usize> DeviceType for $name<'a, T, N, STAGES> {
            type Erased = $name<'static, T::Erased, N, STAGES>;
            fn ty() -> Type {
                let fields = vec![
                    FieldType { name: "ring", ty: RowRing::<'a, T, N, STAGES>::ty(), offset: offset_of!(Self, ring) },
                    $(FieldType { name: stringify!($field), ty: <$ty>::ty(), offset: offset_of!(Self, $field) }),+
                ];
                let name = format!(concat!(stringify!($name), "_{}_{}_{}"), T::ty().suffix(), N, STAGES);
                let (size, align) = (size_of::<Self>(), align_of::<Self>());
                Type::Struct(StructType::new(name, fields, size, align).into())
            }
        }
    )+};
}

moved! {
    /// The writer of a [`RowRing`], which fills the rows in turn; one thread has it.
    Filler { stage: usize, free: Phase }
    /// A row of a [`RowRing`] that all readers have released.
    #[must_use = "a row that is not committed is never filled, and its readers wait for ever"]
    Free { stage: usize }
    /// A reader of a [`RowRing`], which reads the rows in turn; each reading thread has its own.
    Reader { stage: usize, filled: Phase }
    /// A row of a [`RowRing`] that is filled.
    #[must_use = "a row that is not released is never filled again"]
    Filled { stage: usize }
}

#[gpu_impl]
impl<'a, T: AnyBits, const N: usize, const STAGES: usize> RowRing<'a, T, N, STAGES> {
    /// The ring in `memory`, which is shared, aligned to 16 bytes and of [`LEN`](InShared::LEN) words.
    #[track_caller]
    pub fn new(memory: &'a mut [u64]) -> RowRing<'a, T, N, STAGES> {
        debug_assert!(memory.len() == Self::LEN, "the memory of a ring has another length");
        RowRing { elements: memory.as_mut_ptr() as *mut T, memory: PhantomData }
    }

    /// Makes the barriers for this number of threads that read; every thread of the block calls it.
    #[track_caller]
    pub fn init(self, readers: u32) {
        if thread_rank() == 0 {
            for stage in 0..STAGES {
                self.full(stage).init(1);
                self.empty(stage).init(readers);
            }
            fence_mbarrier_init();
        }
        sync_threads();
    }

    /// The writer of the rows, from the first on.
    pub fn filler(self) -> Filler<'a, T, N, STAGES> {
        Filler { ring: self, stage: 0, free: Phase::passed() }
    }

    /// A reader of the rows, from the first on.
    pub fn reader(self) -> Reader<'a, T, N, STAGES> {
        Reader { ring: self, stage: 0, filled: Phase::first() }
    }

    fn full(self, stage: usize) -> &'a Barrier {
        self.barrier(stage)
    }

    fn empty(self, stage: usize) -> &'a Barrier {
        self.barrier(STAGES + stage)
    }

    fn barrier(self, number: usize) -> &'a Barrier {
        unsafe { &*((self.elements as *mut u64).wrapping_add(Self::ROWS + number) as *const Barrier) }
    }

    fn start(self, stage: usize) -> *mut T {
        self.elements.wrapping_add(stage * N)
    }
}

#[gpu_impl]
impl<'a, T: AnyBits, const N: usize, const STAGES: usize> Filler<'a, T, N, STAGES> {
    /// Waits until the next row is free.
    #[track_caller]
    pub fn acquire(&mut self) -> Free<'a, T, N, STAGES> {
        let stage = self.stage;
        self.ring.empty(stage).wait_for(self.free);
        self.stage += 1;
        if self.stage == STAGES {
            self.stage = 0;
            self.free = self.free.next();
        }
        Free { ring: self.ring, stage }
    }
}

#[gpu_impl]
impl<'a, T: AnyBits, const N: usize, const STAGES: usize> Free<'a, T, N, STAGES> {
    /// Starts the copy of a part of global memory, of the length of a row and at a multiple of 16 bytes.
    #[track_caller]
    pub fn load(&self, from: &[T]) {
        let mut row = unsafe { ViewMut::from_raw_parts(self.ring.start(self.stage), N) };
        self.ring.full(self.stage).load(&mut row[..], from);
    }

    /// Passes the row to the readers, who wait for its loads.
    #[track_caller]
    pub fn commit(self) {
        self.ring.full(self.stage).arrive();
    }
}

#[gpu_impl]
impl<'a, T: AnyBits, const N: usize, const STAGES: usize> Reader<'a, T, N, STAGES> {
    /// Waits until the next row is filled.
    #[track_caller]
    pub fn wait(&mut self) -> Filled<'a, T, N, STAGES> {
        let stage = self.stage;
        self.ring.full(stage).wait_for(self.filled);
        self.stage += 1;
        if self.stage == STAGES {
            self.stage = 0;
            self.filled = self.filled.next();
        }
        Filled { ring: self.ring, stage }
    }
}

#[gpu_impl]
impl<'a, T: AnyBits, const N: usize, const STAGES: usize> Filled<'a, T, N, STAGES> {
    /// The row, until it is released.
    pub fn row(&self) -> View<'_, T> {
        unsafe { View::from_raw_parts(self.ring.start(self.stage) as *const T, N) }
    }

    /// Releases the row, which the thread has read.
    #[track_caller]
    pub fn release(self) {
        self.ring.empty(self.stage).arrive();
    }
}
