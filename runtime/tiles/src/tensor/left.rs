//! Left operands of a warpgroup's products, in its registers.

use core::marker::PhantomData;

use warpsmith_macros::{gpu_fn, gpu_impl};

use super::HalfElement;
use super::registers::Registers;
use crate::device_api::index::thread_rank;
use crate::device_api::ldmatrix::{ldmatrix_x4, stmatrix_x4};
use crate::ir::{FieldType, StructType, Type, ValueLayout};
use crate::tile::{Canonical, Tile};
use crate::types::DeviceType;

/// The left operand of a product in the registers of a warpgroup: 64 × `K` 16-bit elements, in `K / 4` registers of
/// each thread.
///
/// [`Accumulator::to_operand`](super::Accumulator::to_operand) makes it from sums, and [`load`](Self::load) from a tile. [`store`](Self::store)
/// writes it to one. `K` is a multiple of 16 up to 256. A [`Chain`](super::Chain) borrows it while products are in flight.
#[derive(Debug)]
pub struct LeftOperand<T, const K: usize> {
    pub(super) registers: Registers<[u32; 4], K, 16>,
    pub(super) element: PhantomData<T>,
}

impl<T: DeviceType, const K: usize> DeviceType for LeftOperand<T, K> {
    type Erased = LeftOperand<T::Erased, K>;

    fn ty() -> Type {
        let registers = FieldType { name: "registers", ty: Registers::<[u32; 4], K, 16>::ty(), offset: 0 };
        let name = format!("LeftOperand_{}_{K}", T::ty().suffix());
        let ValueLayout { size, align, .. } = Self::LAYOUT;
        Type::Struct(StructType::new(name, vec![registers], size, align).into())
    }

    const LAYOUT: ValueLayout = Registers::<[u32; 4], K, 16>::LAYOUT;

    unsafe fn from_ir(at: *const u8) -> Self {
        // SAFETY: as promised by the caller; the registers are all there is.
        LeftOperand { registers: unsafe { Registers::from_ir(at) }, element: PhantomData }
    }

    unsafe fn to_ir(self, at: *mut u8) {
        // SAFETY: as in `from_ir`.
        unsafe { self.registers.to_ir(at) }
    }
}

#[gpu_impl]
impl<T: HalfElement, const K: usize> LeftOperand<T, K> {
    /// Loads the 64 rows of a tile, by `ptx::ldmatrix_x4`.
    pub fn load<L: Canonical>(tile: Tile<T, 64, K, L>) -> LeftOperand<T, K> {
        let (row, col) = place();
        let mut registers = Registers::<[u32; 4], K, 16>::NONE;
        #[unroll]
        for i in 0..K / 16 {
            registers[i] = ldmatrix_x4(unsafe { &*tile.at(row, col + i * 16) });
        }
        LeftOperand { registers, element: PhantomData }
    }

    /// Elements `2 * i` and `2 * i + 1` of the calling thread, as [`Accumulator`](super::Accumulator) counts the sums that became
    /// them. `i` is a constant, for example the counter of an unrolled loop.
    pub fn pair(&self, i: usize) -> [f32; 2] {
        T::halves(kept(self.registers[i / 4][i % 4]))
    }

    /// Stores it as the 64 rows of a tile, by `ptx::stmatrix_x4`. Compute capability 9.0.
    pub fn store<L: Canonical>(&self, tile: Tile<T, 64, K, L>) {
        let (row, col) = place();
        #[unroll]
        for i in 0..K / 16 {
            stmatrix_x4(unsafe { &mut *tile.at(row, col + i * 16) }, self.registers[i]);
        }
    }
}

/// The same bits, of which the compiler does not know where they come from: it would round both numbers of a pair once more, each for
/// itself.
#[gpu_fn(ptx = "mov.u32 {ret}, {x};", pure)]
fn kept(x: u32) -> u32 {
    x
}

/// Row and column of the first elements that the calling thread names of 16 columns, eight side by side.
#[gpu_fn]
fn place() -> (usize, usize) {
    let thread = thread_rank() as usize % 128;
    (thread / 32 * 16 + thread % 16, thread % 32 / 16 * 8)
}
