//! The Rust meaning of builtins, for callers that have their arguments in the IR's layout.
//!
//! A builtin's marker makes a [`Meaning`] of the function that the twin calls: the arguments are read,
//! the function is called, and its result is written. A parameter that is a reference is an address,
//! unless the builtin takes values only ([`Builtin::by_reference`](crate::ir::Builtin)): then the IR
//! reads what references refer to, and the meaning borrows the value.

use crate::device_type::DeviceType;
#[doc(hidden)]
pub use crate::ir::Meaning;

/// The meaning that is a function; none in a build without the simulator, which alone calls it.
#[cfg(feature = "simulator")]
#[doc(hidden)]
#[macro_export]
macro_rules! meant {
    ($function:expr) => {
        Some($crate::meaning::Meaning($function))
    };
}
#[cfg(not(feature = "simulator"))]
#[doc(hidden)]
#[macro_export]
macro_rules! meant {
    ($function:expr) => {
        None
    };
}
pub use meant;

/// The arguments of one call, in order.
pub struct Arguments(*const *const u8);

impl Arguments {
    /// The arguments at these addresses.
    ///
    /// # Safety
    /// There is an address for every [`take`](Arguments::take).
    pub unsafe fn new(addresses: *const *const u8) -> Self {
        Self(addresses)
    }

    /// The next argument.
    ///
    /// # Safety
    /// It is a value of the type, in the IR's layout.
    #[inline]
    pub unsafe fn take<T: DeviceType>(&mut self) -> T {
        // SAFETY: as promised by the caller, here and in `new`.
        unsafe { T::from_ir(self.take_address()) }
    }

    /// The address of the next argument.
    ///
    /// # Safety
    /// There is one.
    #[inline]
    pub unsafe fn take_address(&mut self) -> *const u8 {
        // SAFETY: as promised by the caller.
        unsafe {
            let at = self.0.read();
            self.0 = self.0.add(1);
            at
        }
    }
}

/// Writes the result of a call.
///
/// # Safety
/// `ret` is the address of memory for a value of the type, in the IR's layout.
#[inline]
pub unsafe fn give<T: DeviceType>(value: T, ret: *mut u8) {
    // SAFETY: as promised by the caller.
    unsafe { value.to_ir(ret) }
}

#[cfg(test)]
mod tests;
