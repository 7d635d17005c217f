//! The sums of a warpgroup's products while the tensor cores compute them.
//!
//! Meanwhile, the registers of the threads hold [`IN_FLIGHT`], and this module holds the sums.

use std::collections::VecDeque;

use super::facts::Line;
use super::product::Product;

/// The content of registers whose sums are being computed: NaN as a float, and an unlikely number as an integer.
pub(super) const IN_FLIGHT: u32 = 0x7fff_dead;

/// Sums in flight.
pub(super) struct Sums {
    pub number: u64,
    pub registers: usize,
    /// The address of each thread's sums.
    pub places: Vec<usize>,
    /// Their values, thread by thread.
    pub values: Vec<u32>,
    /// Products that are not computed yet, each with its group.
    pub products: VecDeque<(u64, Product)>,
    /// The group of the last product.
    pub last: u64,
    /// The line where the last product was started.
    pub at: Line,
    /// The threads that have got their sums back.
    pub returned: u128,
}

impl Sums {
    pub fn new(number: u64, registers: usize, places: Vec<usize>, values: Vec<u32>, at: Line) -> Self {
        Self { number, registers, places, values, products: VecDeque::new(), last: 0, at, returned: 0 }
    }

    /// The registers of a thread.
    fn registers_of(&self, thread: u32) -> *mut u32 {
        std::ptr::with_exposed_provenance_mut(self.places[thread as usize])
    }

    /// Returns whether a thread has not got its sums back.
    pub fn is_in_flight(&self, thread: u32) -> bool {
        self.returned >> thread & 1 == 0
    }

    /// The first register of a thread that is among these bytes.
    pub fn register_in(&self, thread: u32, address: usize, bytes: usize) -> Option<usize> {
        let start = self.places[thread as usize];
        let overlaps = address < start + 4 * self.registers && start < address + bytes;
        overlaps.then(|| address.saturating_sub(start) / 4)
    }

    /// Computes the products of the groups before this one.
    pub fn compute(&mut self, before: u64) {
        while self.products.front().is_some_and(|(group, _)| *group < before) {
            if let Some((_, product)) = self.products.pop_front() {
                product.add_to(&mut self.values);
            }
        }
    }

    /// Checks that a thread's registers are as a product in flight left them; otherwise returns the first that is not.
    pub fn untouched(&self, thread: u32) -> Result<(), usize> {
        // SAFETY: as in `bring`.
        let registers = unsafe { std::slice::from_raw_parts(self.registers_of(thread), self.registers) };
        registers.iter().position(|register| *register != IN_FLIGHT).map_or(Ok(()), Err)
    }

    /// Gives a thread its sums back. Returns the first register that the thread has written meanwhile.
    pub fn give(&mut self, thread: u32) -> Option<usize> {
        if self.returned >> thread & 1 == 1 {
            return None;
        }
        if let Err(register) = self.untouched(thread) {
            return Some(register);
        }
        self.returned |= 1 << thread;
        let start = thread as usize * self.registers;
        let values = &self.values[start..start + self.registers];
        // SAFETY: as in `bring`.
        unsafe { self.registers_of(thread).copy_from_nonoverlapping(values.as_ptr(), self.registers) }
        None
    }
}
