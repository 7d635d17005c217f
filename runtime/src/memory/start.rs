//! The beginning of a run or a box of elements in borrowed device memory.

use std::marker::PhantomData;

use crate::argument::MemoryPlace;
use crate::argument::Order;
use crate::driver::{DriverError, GpuMemory};
use crate::memory::buffer::Memory;
use crate::simulator::global;

/// The first element of a part.
#[derive(Debug)]
pub(crate) struct Start<'a, T> {
    /// Its address, on its device.
    pub address: u64,
    /// The GPU's memory around it; `None` on the simulator.
    gpu: Option<&'a GpuMemory>,
    _elements: PhantomData<&'a T>,
}

impl<T> Clone for Start<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Start<'_, T> {}

impl<'a, T> Start<'a, T> {
    /// The first element of a memory.
    pub fn of(memory: &'a Memory) -> Self {
        let gpu = match memory {
            Memory::Simulator(_) => None,
            Memory::Gpu(gpu) => Some(gpu),
        };
        Self { address: memory.address(), gpu, _elements: PhantomData }
    }

    /// The first element of a GPU's memory.
    pub fn of_gpu(memory: &'a GpuMemory) -> Self {
        Self { address: memory.address(), gpu: Some(memory), _elements: PhantomData }
    }

    /// An address of the host, whose memory the simulator's is.
    pub fn here_at(address: *const T) -> Self {
        Self { address: address as u64, gpu: None, _elements: PhantomData }
    }

    /// The place `bytes` bytes further on, in the same memory.
    pub fn plus(self, bytes: usize) -> Self {
        Self { address: self.address + bytes as u64, ..self }
    }

    /// The device that holds the memory.
    pub fn place(&self) -> MemoryPlace {
        self.gpu.map_or(MemoryPlace::Simulator, |memory| MemoryPlace::Gpu(memory.ordinal()))
    }

    /// How launches order their uses of the memory.
    pub fn order(&self) -> Order {
        self.gpu.map_or(Order::NONE, GpuMemory::order)
    }

    /// The GPU's memory, and the byte of it where this is; `None` on the simulator.
    pub fn in_gpu(&self) -> Option<(&'a GpuMemory, usize)> {
        self.gpu.map(|memory| (memory, (self.address - memory.address()) as usize))
    }

    /// Its address on the host, which uses it, if the simulator has it.
    pub fn here(&self) -> Result<*mut T, DriverError> {
        match self.place() {
            MemoryPlace::Simulator => {
                global::use_by_host();
                Ok(self.address as *mut T)
            }
            memory => Err(DriverError::WrongDevice { memory, device: MemoryPlace::Simulator }),
        }
    }
}
