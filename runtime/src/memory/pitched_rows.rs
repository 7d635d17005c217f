//! Device memory of padded rows: what matrices and volumes hold.

use std::marker::PhantomData;

use crate::driver::DriverError;
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::memory::buffer::Memory;
use crate::memory::region::Region;
use crate::memory::start::Start;
use crate::types::GpuType;

/// The alignment of rows where the driver does not choose it, in bytes.
const ALIGN: usize = 512;

/// Plane after plane, row after row; each row is padded to the pitch.
#[derive(Debug)]
pub(crate) struct PitchedRows<T> {
    pub memory: Memory,
    /// Planes, rows of a plane, columns.
    pub extents: [usize; 3],
    /// Bytes from one row to the next: whole elements.
    pub pitch: usize,
    _elements: PhantomData<T>,
}

impl<T> PitchedRows<T> {
    /// Rows whose bytes are zero.
    pub fn zeroed(device: &Device, extents: [usize; 3]) -> Result<Self> {
        Self::new(device, extents, true)
    }

    /// Rows whose bytes are whatever they were.
    pub fn unwritten(device: &Device, extents: [usize; 3]) -> Result<Self> {
        Self::new(device, extents, false)
    }

    fn new(device: &Device, extents: [usize; 3], zeroed: bool) -> Result<Self> {
        let [planes, rows, cols] = extents;
        let too_large = || {
            let elements = extents.iter().fold(1usize, |all, extent| all.saturating_mul(*extent));
            DriverError::TooLarge { elements }
        };
        let row = cols.checked_mul(size_of::<T>()).ok_or_else(too_large)?;
        let own = row.checked_next_multiple_of(unit(size_of::<T>())).ok_or_else(too_large)?;
        let all_rows = planes.checked_mul(rows).ok_or_else(too_large)?;
        let bytes = own.checked_mul(all_rows).ok_or_else(too_large)?;
        let limit = device.limits().pitch;
        if own > limit {
            return Err(DriverError::Pitch { bytes: own, limit }.into());
        }
        let (memory, pitch) = match device.backend() {
            Backend::Gpu(gpu) if ALIGN.is_multiple_of(size_of::<T>().max(1)) && bytes > 0 => {
                let (memory, pitch) = gpu.alloc_pitched(all_rows, row, size_of::<T>())?;
                if zeroed {
                    gpu.fill(gpu.stream(), &memory, 0)?;
                }
                (Memory::Gpu(memory), pitch)
            }
            _ if zeroed => (device.zeroed_memory(bytes)?, own),
            _ => (device.unwritten_memory(bytes)?, own),
        };
        Ok(Self { memory, extents, pitch, _elements: PhantomData })
    }

    /// Elements from one row to the next.
    pub fn stride(&self) -> usize {
        self.pitch / size_of::<T>().max(1)
    }
}

impl<T: GpuType> PitchedRows<T> {
    /// All of its elements.
    pub fn region(&self) -> Region<'_, T> {
        Region::new(Start::of(&self.memory), self.extents, self.pitch)
    }
}

/// The unit of a pitch: [`ALIGN`] bytes, and whole elements.
fn unit(element: usize) -> usize {
    let element = element.max(1);
    let (mut common, mut rest) = (ALIGN, element);
    while rest != 0 {
        (common, rest) = (rest, common % rest);
    }
    ALIGN / common * element
}
