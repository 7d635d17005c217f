//! Faults that end a thread: operations that Rust, or a check of the launch, refuses.

use super::execute::RunningThread;
use super::numeric::get;
use super::program::{Refusal, Site, Slot};
use crate::ir::{Scalar, Type};
use crate::simulator::{SimFault, context};

impl RunningThread<'_> {
    #[cold]
    pub(super) fn out_of_bounds(&self, index: usize, len: usize, site: Site) -> ! {
        context::set_instruction(Some(self.instruction(site)));
        context::fault_bounds(index as i64, len)
    }

    #[cold]
    pub(super) fn out_of_range(&self, bound: usize, limit: usize, site: Site) -> ! {
        context::set_instruction(Some(self.instruction(site)));
        context::fault_range(bound as i64, limit)
    }

    #[cold]
    pub(super) fn panic(&self, message: &str, site: Site) -> ! {
        context::fault_at(self.program.sites[site as usize], |at| SimFault::Panic {
            kernel: at.kernel,
            message: message.to_owned(),
            file: at.file,
            line: at.line,
            block: at.block,
            thread: at.thread,
        })
    }

    #[cold]
    pub(super) fn refuse(&self, refusal: Refusal, divisor: Slot, site: Site) -> ! {
        let is_zero = |bytes: u8| {
            // SAFETY: the divisor has this number of bytes.
            unsafe { std::slice::from_raw_parts(self.at(divisor), bytes.into()) }.iter().all(|b| *b == 0)
        };
        let message = match refusal {
            Refusal::Message(message) => message,
            Refusal::Division { bytes } if is_zero(bytes) => "attempt to divide by zero",
            Refusal::Division { .. } => "attempt to divide with overflow",
            Refusal::Remainder { bytes } if is_zero(bytes) => {
                "attempt to calculate the remainder with a divisor of zero"
            }
            Refusal::Remainder { .. } => "attempt to calculate the remainder with overflow",
        };
        self.panic(message, site)
    }

    pub(super) fn not_nan(&self, scalar: Scalar, [value, a, b]: [Slot; 3], site: Site) {
        let [value, a, b] = [value, a, b].map(|slot| self.float(scalar, slot));
        if value.is_nan() && !a.is_nan() && !b.is_nan() {
            context::fault_at(self.program.sites[site as usize], |at| SimFault::NotANumber {
                kernel: at.kernel,
                operands: [a, b].map(|x| x.to_string()),
                file: at.file,
                line: at.line,
                block: at.block,
                thread: at.thread,
            })
        }
    }

    #[cold]
    pub(super) fn inexact(&self, scalar: Scalar, value: Slot, wanted: Scalar, site: Site) -> ! {
        let value = super::print::plain(scalar, self.frame, value);
        let to = Type::Scalar(wanted).to_string();
        context::fault_at(self.program.sites[site as usize], |at| SimFault::LossyCast {
            kernel: at.kernel,
            value,
            to,
            file: at.file,
            line: at.line,
            block: at.block,
            thread: at.thread,
        })
    }

    fn float(&self, scalar: Scalar, slot: Slot) -> f64 {
        // SAFETY: the lowering put a float of this type at the slot.
        unsafe {
            match scalar {
                Scalar::F16 => get::<crate::half::f16>(self.frame, slot).to_f64(),
                Scalar::BF16 => get::<crate::half::bf16>(self.frame, slot).to_f64(),
                Scalar::F32 => f64::from(get::<f32>(self.frame, slot)),
                _ => get(self.frame, slot),
            }
        }
    }
}
