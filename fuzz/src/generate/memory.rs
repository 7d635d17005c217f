//! Memory beyond the thread: its own part of buffers, statics, tables, atomics that commute.

use super::scope::Gen;
use super::types::{self, Ty};

/// The atomic of each element of `counts`: one kind each, so the order of threads does not matter.
const COUNTS: [&str; 8] = ["add", "sub", "max", "min", "or", "and", "xor", "add"];

impl Gen<'_> {
    /// A statement on memory that others see too, whose result no thread reads before the end.
    pub fn own_memory(&mut self, depth: usize) -> Option<String> {
        // Device functions have none of the kernel's buffers.
        self.holes?;
        match self.random.below(4) {
            0 => {
                self.seen("device static");
                let value = self.expr(&Ty::Int(types::U64), depth.min(1)).text;
                let (place, _) = self.pick_place(true, |t| *t == Ty::Int(types::U64))?;
                Some(format!("SLOTS.get_mut()[gid] = {value};\n{place} ^= SLOTS.get()[gid];"))
            }
            1 => {
                self.seen("constant table");
                let (place, _) = self.pick_place(true, |t| *t == Ty::Int(types::U32))?;
                let index = self.expr(&Ty::Int(types::U32), depth.min(1)).text;
                let op = *self.random.pick(&["+=", "^=", "="]);
                Some(format!("{place} {op} PRIMES[{index} & 7];"))
            }
            _ => {
                self.seen("atomic on global memory");
                let at = self.random.below(COUNTS.len());
                let value = self.expr(&Ty::Int(types::U32), depth.min(1)).text;
                Some(format!("atomic_{}(&mut counts[{at}], {value});", COUNTS[at]))
            }
        }
    }
}
