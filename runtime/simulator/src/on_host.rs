//! Mistakes of device functions that host code calls outside a launch.
//!
//! Device functions return plain values and cannot return an error. On the host they panic, as Rust's own indexing does. In a
//! launch, the simulator reports the same mistakes as faults.

/// Panics: the host called a device function that needs a thread.
#[cold]
#[track_caller]
pub(crate) fn no_thread(function: &str) -> ! {
    panic!(
        "`{function}` can only be used in a kernel, and this code was called from the host: launch the kernel instead"
    );
}

/// Panics: the host indexed a device type out of bounds.
#[cold]
#[track_caller]
pub(crate) fn out_of_bounds(index: i64, len: usize) -> ! {
    panic!("index {index} is out of bounds for length {len}");
}

/// Panics: the host took a range of a device type that is out of bounds.
#[cold]
#[track_caller]
pub(crate) fn range_out_of_bounds(bound: i64, limit: usize) -> ! {
    panic!("range bound {bound} is beyond {limit}");
}
