//! Statics of a simulated device: each device has its own memory of them, which begins as declared.
//!
//! A static is known by the address of its declaration. What it is, and what its bytes mean, this does not know.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// Alignment of a static, which is enough for all types.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[allow(dead_code, reason = "only its address is used")] [u8; 64]);

/// The statics of a device.
#[derive(Default)]
#[doc(hidden)]
pub struct Statics(RwLock<HashMap<usize, Values>>);

/// The values of a static that may be in use; the last is the one that it has.
///
/// Those before are kept for as long as the device, as kernels may be reading them on other OS threads.
#[derive(Default)]
struct Values(Vec<Value>);

/// Memory that nobody refers to by more than addresses.
struct Value {
    lines: *mut [Line],
}

// SAFETY: plain memory. Who accesses it through addresses, kernels and the host between launches, orders that.
unsafe impl Send for Value {}
// SAFETY: as above.
unsafe impl Sync for Value {}

/// The statics of launches without a named device: those of host code.
static OF_THE_HOST: LazyLock<Arc<Statics>> = LazyLock::new(Arc::default);

thread_local! {
    /// The statics of the device that this OS thread simulates.
    static CURRENT: RefCell<Option<Arc<Statics>>> = const { RefCell::new(None) };
}

/// Puts back what was current before.
struct Entered(Option<Arc<Statics>>);

impl Drop for Entered {
    fn drop(&mut self) {
        let before = self.0.take();
        // While an OS thread ends there is nothing to put it back to.
        let _ = CURRENT.try_with(|current| *current.borrow_mut() = before);
    }
}

impl Statics {
    /// Runs something as this device: what asks for [`current`] meanwhile gets its statics.
    pub fn enter<R>(self: &Arc<Self>, run: impl FnOnce() -> R) -> R {
        let _entered = Entered(CURRENT.with_borrow_mut(|current| current.replace(self.clone())));
        run()
    }

    /// Where a static is; it begins with these bytes.
    pub fn at(&self, declared: usize, initial: fn() -> Vec<u8>) -> *mut u8 {
        if let Some(values) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&declared) {
            return values.last();
        }
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.entry(declared).or_insert_with(|| Values(vec![Value::new(&initial())])).last()
    }

    /// Gives a static another value, at another address.
    pub fn replace(&self, declared: usize, bytes: &[u8]) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.entry(declared).or_default().0.push(Value::new(bytes));
    }
}

impl fmt::Debug for Statics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Statics")
    }
}

impl Values {
    fn last(&self) -> *mut u8 {
        self.0.last().map_or(std::ptr::null_mut(), |value| value.lines.cast())
    }
}

impl Value {
    fn new(bytes: &[u8]) -> Self {
        let lines = vec![Line([0; 64]); bytes.len().div_ceil(64).max(1)].into_boxed_slice();
        let lines = Box::into_raw(lines);
        // SAFETY: the lines have room for the bytes.
        unsafe { lines.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Self { lines }
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        // SAFETY: a box's, which is freed once.
        drop(unsafe { Box::from_raw(self.lines) });
    }
}

/// The statics of the device that this OS thread simulates; those of the host while it simulates none.
#[doc(hidden)]
pub fn current() -> Arc<Statics> {
    CURRENT.with_borrow(|current| current.clone()).unwrap_or_else(|| OF_THE_HOST.clone())
}
