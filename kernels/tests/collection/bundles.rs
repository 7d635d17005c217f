//! Bundles of calls: what a call adds is what it looks for.
//!
//! A test makes a bundle, and a process of this same executable that finds no NVRTC makes the same calls: on a device of another
//! bundle, and on a GPU if there is one.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use warpsmith::aot::{self, Bundle};
use warpsmith::cache::Cache;
use warpsmith::launch::Limits;
use warpsmith::nvrtc;
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::argument::{array, matrix, matrix_mut};
use warpsmith_kernels::attention::{attention, heads, heads_mut};
use warpsmith_kernels::fft::{Complex32, fft};
use warpsmith_kernels::movement::{concat, transpose};
use warpsmith_kernels::products::gemm;
use warpsmith_kernels::reduction::{OwnSum, Sum, reduce};
use warpsmith_kernels::rows::softmax;
use warpsmith_kernels::scan::exclusive_scan;
use warpsmith_kernels::sorting::{segmented_sort, sort};

type Done = Result<(), KernelError>;

/// Elements of each call.
const MANY: usize = 100_000;

fn sum(device: &Device) -> Done {
    let (x, mut y) = (device.upload(&[0.5f32; MANY])?, device.alloc_zeroed(1)?);
    reduce::<Sum<f32>>(device, &x, &mut y).run()?;
    ran(device, || Ok(device.download(&y)? == [MANY as f32 / 2.0]))
}

/// Begins at no multiple of 16 bytes, and runs twice.
fn scan(device: &Device) -> Done {
    let (x, mut y) = (device.upload(&[1u32; MANY])?, device.alloc_zeroed(MANY - 1)?);
    let mut call = exclusive_scan::<OwnSum<u32>>(device, x.slice(1..)?, &mut y).prepare()?;
    call.launch()?;
    call.launch()?;
    drop(call);
    ran(device, || Ok(device.download(&y)?.iter().zip(0..).all(|(y, i)| *y == i)))
}

/// Its passes run one prepared launch with several arguments.
fn sorted(device: &Device) -> Done {
    let keys: Vec<u32> = (0..MANY as u32).map(|i| i.wrapping_mul(2_654_435_769)).collect();
    let (x, mut y) = (device.upload(&keys)?, device.alloc_zeroed(MANY)?);
    sort(device, &x, &mut y).run()?;
    ran(device, || Ok(device.download(&y)?.is_sorted()))
}

fn sorted_by_segment(device: &Device) -> Done {
    let x = device.upload(&(0..MANY as i32).rev().collect::<Vec<_>>())?;
    let (offsets, mut y) = (device.upload(&[0, 10, MANY as u32])?, device.alloc_zeroed(MANY)?);
    segmented_sort(device, &x, &offsets, &mut y).run()?;
    ran(device, || Ok(device.download(&y)?[10..].is_sorted()))
}

fn shares(device: &Device) -> Done {
    let (x, mut y) = (device.upload(&[1.0f32; 64 * 512])?, device.alloc_zeroed(64 * 512)?);
    softmax(device, matrix(&x, 64, 512)?, matrix_mut(&mut y, 64, 512)?).run()?;
    ran(device, || Ok(device.download(&y)?.iter().all(|y| (y - 1.0 / 512.0).abs() < 1e-6)))
}

fn moved(device: &Device) -> Done {
    let (x, mut y) = (device.upload(&(0..64 * 100).collect::<Vec<u32>>())?, device.alloc_zeroed(64 * 100)?);
    transpose(device, matrix(&x, 64, 100)?, matrix_mut(&mut y, 100, 64)?).run()?;
    ran(device, || Ok(device.download(&y)?[..2] == [0, 100]))?;
    let mut y = device.alloc_zeroed(64 * 101)?;
    let column = device.upload(&[7u32; 64])?;
    concat(device, [array(&x, &[64, 100])?, array(&column, &[64, 1])?], 1, &mut y).run()?;
    ran(device, || Ok(device.download(&y)?[99..102] == [99, 7, 100]))
}

/// The last of its groups of rows is smaller.
fn spectra(device: &Device) -> Done {
    let len = 1 << 14;
    let x = device.upload(&vec![Complex32 { re: 1.0, im: 0.0 }; 5 * len])?;
    let mut y = device.alloc_zeroed::<Complex32>(5 * len)?;
    fft(device, matrix(&x, 5, len)?, matrix_mut(&mut y, 5, len)?).workspace(16 * len).run()?;
    ran(device, || Ok(device.download(&y)?.iter().step_by(len).all(|y| y.re == len as f32)))
}

/// Few rows and many, each with another kernel on compute capability 9.0.
fn products(device: &Device) -> Done {
    for rows in [8, 256] {
        let a = device.upload(&vec![bf16::from_f32(1.0); rows * 128])?;
        let b = device.upload(&vec![bf16::from_f32(0.5); 128 * 128])?;
        let mut c = device.alloc_zeroed::<bf16>(rows * 128)?;
        let (a, b) = (matrix(&a, rows, 128)?, matrix(&b, 128, 128)?.t());
        gemm(device, a, b, matrix_mut(&mut c, rows, 128)?).run()?;
        ran(device, || Ok(device.download(&c)?.iter().all(|c| c.to_f32() == 64.0)))?;
    }
    Ok(())
}

const CALLS: [fn(&Device) -> Done; 8] =
    [sum, scan, sorted, sorted_by_segment, shares, moved, spectra, products];

/// Asserts a result, where anything has run.
fn ran(device: &Device, is_right: impl FnOnce() -> warpsmith::Result<bool>) -> Done {
    if device.as_gpu().is_some() {
        assert!(is_right()?, "a wrong result");
    }
    Ok(())
}

fn calls(device: &Device) {
    for (i, call) in CALLS.iter().enumerate() {
        call(device).unwrap_or_else(|error| panic!("call {i} on {}: {error}", device.name()));
    }
}

/// Returns whether there is NVRTC. Where there is none, a call on a device of a bundle says so, unless a cache has its kernel.
fn compiles() -> bool {
    let has_nvrtc = harness::has_nvrtc();
    let device = Bundle::new(["sm_90"]).and_then(|bundle| bundle.device("sm_90")).expect("an architecture");
    match sum(&device) {
        Err(error) if has_nvrtc => panic!("{error}"),
        Err(error) => assert!(error.to_string().contains("NVRTC"), "{error}"),
        Ok(()) => {}
    }
    has_nvrtc
}

/// A bundle of the calls: for the GPU, and for one architecture with copies by the engine and one without.
fn bundle(gpu: Option<&Device>) -> Bundle {
    let limits = gpu.map(|gpu| gpu.limits().clone());
    let arch = limits.iter().map(|limits| format!("sm_{}{}", limits.compute.0, limits.compute.1));
    let arches: Vec<String> = ["sm_80", "sm_90"].map(str::to_owned).into_iter().chain(arch).collect();
    let bundle = Bundle::new(arches.iter().map(String::as_str)).expect("architectures").exact();
    let known = ["sm_80", "sm_90"].map(|arch| Limits::of(arch).expect("it is known"));
    for limits in known.into_iter().chain(limits) {
        calls(&bundle.device_with(limits).expect("an architecture of the bundle"));
    }
    bundle
}

/// Makes the calls with nothing but a bundle.
#[test]
#[ignore = "a process of another test"]
fn process_that_has_a_bundle() {
    let path = std::env::var("BUNDLE").expect("the parent sets it");
    if nvrtc::version().is_ok() {
        println!("RESULT skipped: NVRTC is found without LD_LIBRARY_PATH");
        return;
    }
    let bytes = fs::read(path).expect("the parent wrote it");
    aot::register(bytes.clone().leak()).expect("a bundle");
    let gpu = harness::gpu();
    let again = bundle(gpu.as_ref());
    assert!(again.bytes() == bytes, "the same calls give the same bundle");
    gpu.iter().for_each(calls);
    let stats = Cache::process().expect("right settings").stats();
    assert_eq!((stats.compiled, stats.from_disk), (0, 0), "{stats:?}");
    println!("RESULT found {} kernels", stats.from_bundle);
}

#[test]
fn a_bundle_of_calls_is_enough_without_nvrtc() {
    if !compiles() {
        return;
    }
    let bundle = bundle(harness::gpu().as_ref());
    let folder = Folder::new();
    let path = folder.0.join("kernels.bundle");
    bundle.write(&path).expect("own folder");
    let mut process = Command::new(std::env::current_exe().expect("this executable"));
    process.args(["bundles::process_that_has_a_bundle", "--exact", "--ignored", "--nocapture"]);
    let output = process
        .env("BUNDLE", &path)
        .env("WARPSMITH_CACHE_DIR", folder.0.join("cache"))
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .expect("this executable runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let said = said.split("RESULT ").nth(1).and_then(|rest| rest.lines().next()).expect("a result");
    assert!(
        said.starts_with("skipped") || said == format!("found {} kernels", bundle.kernels().len()),
        "{said}"
    );
    println!("{said}");
}

#[test]
fn other_sizes_of_a_call_find_a_kernel_unless_the_bundle_is_exact() {
    if !compiles() {
        return;
    }
    let count = |bundle: &Bundle| {
        sum(&bundle.device("sm_90").expect("its architecture")).expect("it compiles");
        bundle.kernels().iter().filter(|kernel| kernel.for_any_launch).count()
    };
    let bundle = || Bundle::new(["sm_90"]).expect("an architecture");
    assert_eq!((count(&bundle()), count(&bundle().exact())), (1, 0));
}

#[test]
fn a_call_that_an_architecture_does_not_have_is_refused_with_what_it_needs() {
    let bundle = Bundle::new(["sm_80", "sm_100"]).expect("architectures");
    let refused = |device: &Device| attended(device).expect_err("it has no such kernel").to_string();
    let [old, new] = &bundle.devices().expect("known architectures")[..] else { panic!("two devices") };
    assert_eq!(refused(old), "attention_by_two needs compute capability 9.0, and the device has 8.0");
    let alone = "attention_by_two runs on compute capability 9.0 alone, whose tensor cores it uses";
    assert_eq!(refused(new), format!("{alone}, and the device has 10.0"));
    assert_eq!(bundle.kernels(), []);
}

fn attended(device: &Device) -> Done {
    let (q, mut o) = (device.alloc_zeroed::<bf16>(64 * 128)?, device.alloc_zeroed(64 * 128)?);
    let of = |x| heads(x, [1, 1, 64, 128]);
    attention(device, of(&q)?, of(&q)?, of(&q)?, heads_mut(&mut o, [1, 1, 64, 128])?).run()
}

/// A folder of one test, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("warpsmith-kernels-bundle-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the temporary directory can be written");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
