//! Mistakes of device functions that host code calls outside of a launch.
//!
//! Device functions return plain values, so they have no way to return an error. They panic, as Rust's own indexing does; in a
//! launch, the simulator makes faults of the same mistakes.

/// Ends host code that calls a device function which needs a thread.
#[cold]
#[track_caller]
pub(crate) fn no_thread(function: &str) -> ! {
    panic!(
        "`{function}` can only be used in a kernel, and this code was called from the host: launch the kernel instead"
    );
}

/// Ends host code that indexes a device type out of bounds.
#[cold]
#[track_caller]
pub(crate) fn out_of_bounds(index: i64, len: usize) -> ! {
    panic!("index {index} is out of bounds for length {len}");
}

/// Ends host code that takes a range of a device type out of bounds.
#[cold]
#[track_caller]
pub(crate) fn range_out_of_bounds(bound: i64, limit: usize) -> ! {
    panic!("range bound {bound} is beyond {limit}");
}
