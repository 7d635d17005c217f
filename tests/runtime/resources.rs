//! The resources of a kernel: by NVRTC alone, by the driver, and both agree.

use corpus::vectors::saxpy;
use warpsmith::Error;
use warpsmith::codegen::Checks;
use warpsmith::nvrtc::NvrtcError;
use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::report::Resources;

/// Forty values that are all alive at once.
#[gpu_fn]
fn many_alive(x: &[f32], y: &mut [f32]) {
    let t = thread_idx().x as usize;
    let mut v = [0.0f32; 40];
    #[unroll]
    for i in 0..40 {
        v[i] = x[t * 40 + i];
    }
    sync_threads();
    let mut sum = 0.0;
    #[unroll]
    for i in 0..40 {
        sum += v[i] * v[(i * 7 + 3) % 40];
        y[t * 40 + i] = sum + v[39 - i];
    }
}

#[gpu_kernel]
fn free(x: &[f32], y: &mut [f32]) {
    many_alive(x, y);
}

#[gpu_kernel(max_registers(24))]
fn capped(x: &[f32], y: &mut [f32]) {
    many_alive(x, y);
}

#[gpu_kernel(launch_bounds(1024, 2))]
fn bounded(x: &[f32], y: &mut [f32]) {
    many_alive(x, y);
}

#[gpu_const]
static FACTORS: [f32; 100] = [0.5; 100];

#[gpu_kernel]
fn shares(x: &[f32], y: &mut [f32]) {
    let mut tile = shared!([f32; 300]);
    let t = thread_idx().x as usize;
    tile[t] = x[t] * FACTORS[t % 100];
    sync_threads();
    y[t] = tile[255 - t];
}

fn of<K: Kernel<Comptime = ()>>(arch: &str) -> Resources {
    K::resources_for(&(), arch).unwrap_or_else(|error| panic!("{arch}: {error}"))
}

#[test]
#[cfg_attr(nvrtc, ignore = "needs a machine without NVRTC")]
fn without_nvrtc_the_error_says_what_to_install() {
    let refused = saxpy::resources_for(&(), "sm_90").expect_err("there is no NVRTC");
    assert_eq!(refused, Error::Nvrtc(NvrtcError::Missing));
    assert!(refused.to_string().contains("install"), "{refused}");
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn nvrtc_alone_tells_what_a_kernel_takes() {
    harness::needs_nvrtc();
    for (arch, version) in [("sm_75", 75), ("sm_80", 80), ("sm_90", 90), ("sm_90a", 90), ("sm_120", 120)] {
        let small = of::<saxpy>(arch);
        assert!((8..=24).contains(&small.registers), "{small}");
        assert!(small.spills.is_some_and(|spills| !spills.any()), "{small}");
        assert_eq!((small.static_shared, small.local, small.constant), (0, 0, 0), "{small}");
        assert_eq!((small.max_threads, small.binary_version), (1024, version));
        let shares = of::<shares>(arch);
        assert_eq!((shares.static_shared, shares.constant), (1200, 400), "{shares}");
        assert_eq!(shares.barriers, Some(1));
    }
}

#[gpu_kernel(max_registers(24), require(no_spills))]
pub(super) fn capped_without_spills(x: &[f32], y: &mut [f32]) {
    many_alive(x, y);
}

#[gpu_kernel(require(no_spills, no_local_memory, async_wgmma))]
fn free_and_demanding(x: &[f32], y: &mut [f32]) {
    many_alive(x, y);
}

#[gpu_kernel(require(no_local_memory))]
fn picks(x: &[f32], y: &mut [f32]) {
    let mut kept = [0.0f32; 32];
    for i in 0..32 {
        kept[i] = x[i] * 2.0;
    }
    y[0] = kept[x[32] as usize % 32];
}

/// The line that stores a sum of a product in flight, below.
const STORED_IN_FLIGHT: u32 = line!() + 15;

/// 64 × 64 sums of 16 products, one of them stored before the wait.
#[gpu_kernel(launch_bounds(128, 1), require(async_wgmma))]
fn stores_a_sum_in_flight(out: *mut f32) {
    let mut tile = shared!([bf16; 4096], align = 1024);
    let t = thread_idx().x as usize;
    tile[t] = bf16::ONE;
    fence_proxy_async();
    sync_threads();
    let operand = matrix_descriptor(&tile[0], 16, 1024, 1);
    let mut sums = [[0.0f32; 4]; 8];
    wgmma_fence();
    wgmma::<bf16, _, false, false>(&mut sums, operand, operand, true);
    wgmma_commit();
    unsafe { *out.add(t) = sums[0][0] };
    wgmma_wait::<0>();
    unsafe { *out.add(t + 128) = sums[7][3] };
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn a_remark_carries_the_rust_line() {
    harness::needs_nvrtc();
    let compiled = stores_a_sum_in_flight::cubin_for(&(), "sm_90a");
    let error = compiled.map(|_| ()).expect_err("a wait is added").to_string();
    assert!(error.starts_with("kernel `stores_a_sum_in_flight` demands `async_wgmma`: "), "{error}");
    assert!(error.contains(&format!("tests/runtime/resources.rs:{STORED_IN_FLIGHT}: C75")), "{error}");
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn what_the_author_demands_is_checked() {
    harness::needs_nvrtc();
    let error = capped_without_spills::cubin_for(&(), "sm_90").expect_err("spills").to_string();
    assert!(error.starts_with("kernel `capped_without_spills` demands `no_spills`: "), "{error}");
    assert!(error.contains("Registers are spilled") && error.contains("bytes spill stores"), "{error}");
    let error = picks::cubin_for(&(), "sm_90").expect_err("has local memory").to_string();
    assert!(error.contains("demands `no_local_memory`: Local memory used for function 'picks'"), "{error}");
    // The text is the same, and it compiles once nothing is demanded.
    assert!(capped::cubin_for(&(), "sm_90").is_ok());
    assert_eq!(free_and_demanding::cubin_for(&(), "sm_90").err(), None);
    let remarks = of::<capped>("sm_90").remarks;
    assert!(remarks.is_empty(), "{remarks:?}");
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn spills_are_counted_and_warned_of() {
    harness::needs_nvrtc();
    let (free, capped) = (of::<free>("sm_90"), of::<capped>("sm_90"));
    assert!(free.registers > 40 && free.warning().is_none(), "{free}");
    assert!(capped.registers <= 24, "{capped}");
    let spills = capped.spills.expect("NVRTC knows");
    assert!(spills.stores >= 4 * 16 && spills.loads >= 4 * 16, "{capped}");
    assert!(capped.local >= spills.stores / 4, "{capped}");
    let text = capped.to_string();
    assert!(text.contains(&format!("spills           {} bytes stored", spills.stores)), "{text}");
    assert!(
        text.contains("warning: each thread spills registers") && text.contains("max_registers"),
        "{text}"
    );
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn launch_bounds_and_register_caps_are_compared_with_a_kernel_without() {
    harness::needs_nvrtc();
    let effect = bounded::bounds_effect_for(&(), "sm_90").expect("compiles");
    assert_eq!((effect.launch_bounds, effect.max_registers), ((Some(1024), Some(2)), None));
    assert!(effect.with.registers <= 32 && effect.without.registers > 40, "{effect}");
    assert_eq!(effect.blocks(1024).expect("known"), [2, 1], "{effect}");
    assert!(effect.to_string().contains("launch_bounds(1024, 2), and without"), "{effect}");
    let effect = capped::bounds_effect_for(&(), "sm_90").expect("compiles");
    assert_eq!(effect.max_registers, Some(24));
    assert_eq!(effect.without.registers, of::<free>("sm_90").registers);
    let none = saxpy::bounds_effect_for(&(), "sm_90").expect("compiles");
    assert_eq!(none.with, none.without);
    assert!(none.to_string().contains("neither launch bounds nor a register cap"), "{none}");
}

#[test]
fn an_architecture_that_is_none_is_refused() {
    let refused = saxpy::resources_for(&(), "ninety").expect_err("no architecture").to_string();
    assert!(refused.contains("`ninety` is not an architecture"), "{refused}");
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn a_launch_tells_its_resources_and_occupancy_without_a_gpu() {
    harness::needs_nvrtc();
    let device = Device::simulator();
    let x = device.upload(&[1.0f32; 256]).expect("memory");
    let mut y = device.upload(&[0.0f32; 256]).expect("memory");
    let launch = shares(&x, &mut y).grid(1).dynamic_shared(60 << 10);
    let resources = launch.resources(&device).expect("compiles");
    assert_eq!((resources.static_shared, resources.dynamic_shared), (1200, 60 << 10));
    let occupancy = launch.occupancy(&device).expect("fits");
    assert_eq!((occupancy.threads, occupancy.blocks), (256, 3), "{occupancy}");
    launch.launch(&device).expect("asking launches nothing and takes nothing");
    assert_eq!(device.download(&y).expect("memory"), [0.5; 256]);
}

/// The driver's figures of a kernel are NVRTC's.
fn agrees<K: Kernel<Comptime = ()>>(gpu: &Device) {
    let loaded = gpu.as_gpu().expect("a GPU").load::<K>(&(), Checks::All).expect("loads");
    let driver = loaded.resources().expect("the driver tells");
    let (major, minor) = gpu.limits().compute;
    let nvrtc = of::<K>(&format!("sm_{major}{minor}"));
    println!("{driver}\n{nvrtc}");
    assert_eq!(driver.registers, nvrtc.registers);
    assert_eq!(driver.static_shared, nvrtc.static_shared);
    assert_eq!(driver.constant, nvrtc.constant);
    assert_eq!(driver.max_threads, nvrtc.max_threads);
    assert_eq!(driver.binary_version, nvrtc.binary_version);
    assert_eq!(driver.local > 0, nvrtc.local > 0);
    println!("figure resources_{}_registers {} registers", K::NAME, driver.registers);
    println!("figure resources_{}_local {} bytes", K::NAME, driver.local);
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn the_driver_agrees_with_nvrtc() {
    let gpu = harness::needs_gpu();
    agrees::<saxpy>(&gpu);
    agrees::<free>(&gpu);
    agrees::<capped>(&gpu);
    agrees::<bounded>(&gpu);
    agrees::<shares>(&gpu);
    let x = gpu.upload(&[1.0f32; 64]).expect("memory");
    let mut y = gpu.upload(&[1.0f32; 64]).expect("memory");
    let resources = saxpy(2.0, &x, &mut y).over(64).resources(&gpu).expect("loads");
    assert!(resources.spills.is_some() && resources.cache_all.is_some(), "both sides tell: {resources}");
}
