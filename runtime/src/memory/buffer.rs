//! Device memory of plain data, on a GPU or on the simulator.

use std::marker::PhantomData;

use crate::argument::Order;
use crate::argument::{KernelArg, MemoryPlace};
use crate::driver::{AccessWindow, DriverError, GpuMemory};
use crate::simulator::{GlobalMemory, NoMemory};
use crate::types::{GpuType, View, View2, View3, ViewMut, ViewMut2, ViewMut3};

/// `len` elements of `T` in the memory of one device; freed when dropped.
#[derive(Debug)]
pub struct Buffer<T> {
    pub(crate) memory: Memory,
    len: usize,
    _elements: PhantomData<T>,
}

/// The memory that holds a buffer's bytes.
#[derive(Debug)]
pub(crate) enum Memory {
    /// Host memory.
    Simulator(GlobalMemory),
    /// GPU memory.
    Gpu(GpuMemory),
}

fn no_memory(NoMemory { bytes, taken, limit }: NoMemory) -> DriverError {
    DriverError::HostMemory { bytes, taken, limit }
}

impl Memory {
    /// Simulator memory of a number of bytes, zeroed.
    ///
    /// # Errors
    /// [`DriverError::HostMemory`] where the host has less.
    pub fn simulator(bytes: usize) -> Result<Self, DriverError> {
        GlobalMemory::zeroed(bytes).map(Memory::Simulator).map_err(no_memory)
    }

    /// Simulator memory of a number of bytes, marked as not written.
    ///
    /// # Errors
    /// The errors of [`Memory::simulator`].
    pub fn unwritten(bytes: usize) -> Result<Self, DriverError> {
        GlobalMemory::unwritten(bytes).map(Memory::Simulator).map_err(no_memory)
    }

    /// The bytes of simulator memory; empty for a GPU's.
    pub fn simulated_bytes(&mut self) -> &mut [u8] {
        match self {
            Memory::Simulator(memory) => memory.bytes_mut(),
            Memory::Gpu(_) => &mut [],
        }
    }

    /// Address of the first byte, for a view, which may outlive the launches that know of it.
    pub fn escaping(&self) -> u64 {
        match self {
            Memory::Simulator(memory) => memory.escape(),
            Memory::Gpu(memory) => memory.escape(),
        }
        self.address()
    }

    /// The device that holds the memory.
    pub fn place(&self) -> MemoryPlace {
        match self {
            Memory::Simulator(_) => MemoryPlace::Simulator,
            Memory::Gpu(memory) => MemoryPlace::Gpu(memory.ordinal()),
        }
    }

    /// Address of the first byte, on the device.
    pub fn address(&self) -> u64 {
        match self {
            Memory::Simulator(memory) => memory.address() as u64,
            Memory::Gpu(memory) => memory.address(),
        }
    }
}

impl<T: GpuType> Buffer<T> {
    /// A buffer over memory of at least `len` elements.
    pub(crate) fn new(memory: Memory, len: usize) -> Self {
        Self { memory, len, _elements: PhantomData }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Address of the first element, on the device.
    pub(crate) fn address(&self) -> u64 {
        self.memory.address()
    }

    /// The device that holds the memory.
    pub(crate) fn place(&self) -> MemoryPlace {
        self.memory.place()
    }

    pub(crate) fn arg(&self, mutable: bool) -> KernelArg {
        let bytes = (self.len * size_of::<T>()) as u64;
        let order = match &self.memory {
            Memory::Simulator(_) => Order::NONE,
            Memory::Gpu(memory) => memory.order(),
        };
        let (ptr, len, place) = (self.address(), self.len as u64, self.place());
        KernelArg::Slice { ptr, len, bytes, place, mutable, order }
    }

    /// A read-only view, for a field of a struct that is a kernel's argument.
    pub fn view(&self) -> View<'_, T> {
        // SAFETY: the buffer's own memory, borrowed for as long as the view.
        unsafe { View::from_raw_parts(self.memory.escaping() as *const T, self.len) }
    }

    /// A read-only matrix of its elements, row after row; `None` if there are fewer than `rows * cols`.
    pub fn view2(&self, rows: usize, cols: usize) -> Option<View2<'_, T>> {
        // SAFETY: the buffer's own memory, borrowed for as long as the view, and large enough.
        (rows.checked_mul(cols)? <= self.len)
            .then(|| unsafe { View2::from_raw_parts(self.memory.escaping() as *const T, rows, cols, cols) })
    }

    /// A writable matrix of its elements, row after row; `None` if there are fewer than `rows * cols`.
    pub fn view2_mut(&mut self, rows: usize, cols: usize) -> Option<ViewMut2<'_, T>> {
        // SAFETY: as in `view2`, borrowed mutably.
        (rows.checked_mul(cols)? <= self.len)
            .then(|| unsafe { ViewMut2::from_raw_parts(self.memory.escaping() as *mut T, rows, cols, cols) })
    }

    /// A read-only volume of its elements; `None` if there are fewer than `planes * rows * cols`.
    pub fn view3(&self, planes: usize, rows: usize, cols: usize) -> Option<View3<'_, T>> {
        let plane = rows.checked_mul(cols)?;
        let address = self.memory.escaping() as *const T;
        // SAFETY: the buffer's own memory, borrowed for as long as the view, and large enough.
        (plane.checked_mul(planes)? <= self.len)
            .then(|| unsafe { View3::from_raw_parts(address, planes, rows, cols, plane, cols) })
    }

    /// A writable volume of its elements; `None` if there are fewer than `planes * rows * cols`.
    pub fn view3_mut(&mut self, planes: usize, rows: usize, cols: usize) -> Option<ViewMut3<'_, T>> {
        let plane = rows.checked_mul(cols)?;
        let address = self.memory.escaping() as *mut T;
        // SAFETY: as in `view3`, borrowed mutably.
        (plane.checked_mul(planes)? <= self.len)
            .then(|| unsafe { ViewMut3::from_raw_parts(address, planes, rows, cols, plane, cols) })
    }

    /// A writable view.
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        // SAFETY: the buffer's own memory, borrowed for as long as the view.
        unsafe { ViewMut::from_raw_parts(self.memory.escaping() as *mut T, self.len) }
    }
}

impl AccessWindow {
    /// Accesses to a buffer persist in the L2 cache.
    pub fn over<T: GpuType>(buffer: &Buffer<T>) -> Self {
        Self::of(buffer.address(), buffer.len() * size_of::<T>())
    }
}
