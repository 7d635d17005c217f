//! Memory fences.

use super::text::fixed;
use crate::ir::Effect;

builtin! {
    /// Orders the caller's memory accesses for the threads of its block.
    pub fn fence_block() { cuda: fixed("__threadfence_block()"), effect: Effect::Writes } {
        core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
    }

    /// Orders the caller's memory accesses for all threads of the device.
    pub fn fence_device() { cuda: fixed("__threadfence()"), effect: Effect::Writes } {
        core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
    }

    /// Orders the caller's memory accesses for the device, other devices and the host.
    pub fn fence_system() { cuda: fixed("__threadfence_system()"), effect: Effect::Writes } {
        core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
    }
}
