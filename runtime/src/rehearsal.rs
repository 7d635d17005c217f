//! The work that the first kernel of a process would wait for, done while the driver opens a device.
//!
//! To open a device takes a hundred milliseconds and more; to find a kernel on disk takes a tenth of one, but
//! several times that where nothing of it was done before: the code has to be paged in, and the directory of
//! the cache and the version of NVRTC have to be found. Independent of GPUs, and changes nothing.

use std::sync::Once;

use crate::cache::{Cache, Entry, Key, Nvrtc};
use crate::codegen::{self, Checks, PrintOptions};
use crate::nvrtc::{Arch, CompileOptions};
use crate::prelude::*;

/// A little of what most kernels have.
#[gpu_kernel]
fn rehearsed(a: f32, x: &[f32], y: &mut [f32], n: u32) {
    let mut tile = shared!([f32; 32]);
    let i = global_id();
    let lane = thread_idx().x % 32;
    let mut sum = 0.0;
    for k in 0..n {
        if k < 32 && (k as usize) < x.len() {
            tile[lane] = x[k];
            sum += tile[lane] * a;
        }
    }
    if i < y.len() {
        y[i] = sum.max(x[i]);
    }
}

/// Starts the rehearsal, once in a process.
///
/// The first kernel tries everything that fails here again, and reports it.
pub(crate) fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let thread = std::thread::Builder::new().name("warpsmith-rehearsal".into());
        drop(thread.spawn(rehearse));
    });
}

fn rehearse() {
    let Ok(cache) = Cache::process() else { return };
    let Ok(module) = rehearsed::module(&()) else { return };
    let options = PrintOptions { checks: Checks::Lifted(u64::MAX), line_directives: false };
    let source = codegen::print(&module, &options).complete().into_owned();
    let arch = Arch { major: 0, minor: 0, specific: false };
    let options = CompileOptions::new(arch);
    let key = Key { kernel: rehearsed::NAME.into(), source, options }.encode();
    drop(crate::cache::bundles::find(&key));
    // NVRTC itself is not loaded: kernels that are found need none.
    let Some((disk, version)) = cache.disk().and_then(|disk| Some((disk, Nvrtc::noted(disk)?))) else {
        return;
    };
    let found = disk.read(&key, &version);
    debug_assert!(found.is_err(), "no GPU is of this architecture");
    let entry = Entry { key: &key, maker: "", image: b"", log: "" }.encode();
    debug_assert!(Entry::decode(&entry).is_ok(), "it was encoded here");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rehearsed_kernel_is_one_that_can_be_compiled() {
        let module = rehearsed::module(&()).expect("a kernel");
        assert!(!module.module().conditions.is_empty(), "launches are asked for something");
        let (x, mut y) = (vec![1.0f32; 40], vec![0.0f32; 40]);
        let device = Device::simulator();
        let (x, mut out) = (device.upload(&x).expect("memory"), device.upload(&y).expect("memory"));
        rehearsed(2.0, &x, &mut out, 32).grid(2).block(32).launch(&device).expect("it runs");
        y.fill(64.0);
        assert_eq!(device.download(&out).expect("memory"), y);
        rehearse();
    }
}
