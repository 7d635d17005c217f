//! Launches on devices of bundles: each adds the text that a GPU would run, and no other.

use warpsmith::Error;
use warpsmith::Tuner;
use warpsmith::aot::{Bundle, BundleError};
use warpsmith::codegen::complete;
use warpsmith::launch::{GpuChecks, LaunchError, Limits};
use warpsmith::prelude::*;

use super::ahead::scaled;
use super::resources::capped_without_spills;

#[gpu_kernel]
fn halved(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = x[i] * 0.5;
    }
}

#[gpu_kernel(coarsen)]
fn doubled(x: &mut [f32]) {
    let i = global_id();
    if i < x.len() {
        x[i] *= 2.0;
    }
}

#[gpu_kernel]
fn turned_round(x: &mut [u32]) {
    let mut tile = shared!([u32; 30_000]);
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_threads();
    x[t] = tile[block_dim().x - 1 - t];
}

#[gpu_kernel]
fn shared_by_cluster(x: &mut [u32]) {
    cluster_sync();
    let i = global_id();
    if i < x.len() {
        x[i] = cluster_block_rank();
    }
}

/// Returns whether a bundle has a text.
fn has(bundle: &Bundle, cuda: &str) -> bool {
    let (bytes, text) = (bundle.bytes(), complete(cuda));
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn exact() -> (Bundle, Device) {
    let bundle = Bundle::new(["sm_90a"]).expect("an architecture").exact();
    let device = bundle.device("sm_90").expect("an architecture of the bundle");
    (bundle, device)
}

/// Asserts that a launch adds one text, which is the one that it prints.
fn adds<K: Kernel>(launch: impl Fn() -> Launch<'static, K>, name: &str) {
    let (bundle, device) = exact();
    launch().launch(&device).unwrap_or_else(|error| panic!("{name}: {error}"));
    launch().launch(&device).unwrap_or_else(|error| panic!("{name}: {error}"));
    let kernels: Vec<&str> = bundle.kernels().iter().map(|kernel| kernel.kernel).collect();
    assert_eq!(kernels, [K::NAME], "{name}");
    assert!(has(&bundle, &launch().cuda_source().expect("a valid launch")), "{name}");
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn a_launch_adds_the_text_that_it_prints_and_no_other() {
    harness::needs_nvrtc();
    let (_, device) = exact();
    let zeros = || &*Box::leak(Box::new(device.alloc_zeroed::<f32>(1000).expect("memory")));
    let mut_zeros = || Box::leak(Box::new(device.alloc_zeroed::<f32>(1000).expect("memory")));
    adds(|| halved(zeros(), mut_zeros()).over(1000), "indices that the launch proves");
    adds(|| halved(zeros().slice(..10).expect("a part"), mut_zeros()).over(1000), "indices that it does not");
    adds(|| doubled(mut_zeros()).over(1000), "coarsened");
    adds(|| doubled(mut_zeros()).over(1000).coarsen(1), "not coarsened");
    adds(|| doubled(mut_zeros().slice_mut(1..).expect("a part")).over(999), "not aligned for it");
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn launches_without_bounds_checks_and_with_more_checks_have_texts_of_their_own() {
    harness::needs_nvrtc();
    let (bundle, device) = exact();
    let (x, mut y) =
        (device.alloc_zeroed::<f32>(10).expect("memory"), device.alloc_zeroed(1000).expect("memory"));
    let text = halved(&x, &mut y).over(1000).cuda_source_unchecked().expect("a valid launch");
    // SAFETY: nothing runs.
    unsafe { halved(&x, &mut y).over(1000).launch_unchecked(&device) }.expect("it compiles");
    assert!(has(&bundle, &text) && bundle.kernels().len() == 1);
    halved(&x, &mut y).over(1000).gpu_checks(GpuChecks::ALL).launch(&device).expect("it compiles");
    assert_eq!(bundle.kernels().len(), 2);
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn a_prepared_launch_adds_another_text_once_its_arguments_need_it() {
    harness::needs_nvrtc();
    let (bundle, device) = exact();
    let (long, short) =
        (device.alloc_zeroed(1000).expect("memory"), device.alloc_zeroed(10).expect("memory"));
    let mut y = device.alloc_zeroed(1000).expect("memory");
    let prepared = halved(&long, &mut y).over(1000).prepare(&device).expect("it compiles");
    prepared.launch(halved(&long, &mut y)).expect("it compiles");
    assert_eq!(bundle.kernels().len(), 1);
    prepared.launch(halved(&short, &mut y)).expect("it compiles");
    let kernels = bundle.kernels();
    assert_eq!(kernels.iter().map(|kernel| kernel.for_any_launch).collect::<Vec<_>>(), [false, true]);
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn a_bundle_that_is_not_exact_has_what_any_launch_can_run() {
    harness::needs_nvrtc();
    let bundle = Bundle::new(["sm_80", "sm_90"]).expect("architectures");
    for device in bundle.devices().expect("known architectures") {
        let (x, mut y) =
            (device.upload(&[1.0; 1000]).expect("memory"), device.alloc_uninit(1000).expect("memory"));
        halved(&x, &mut y).over(1000).launch(&device).expect("it compiles");
        let mut graph = Graph::new(&device);
        let held = graph.hold(device.alloc_zeroed::<f32>(1000).expect("memory")).expect("of the device");
        graph.add(|memory| Ok(doubled(memory.write(held)?).over(1000))).expect("it compiles");
        graph.launch().expect("it compiles");
        assert_eq!(device.download(&y).expect("memory"), [0.0; 1000], "nothing ran");
    }
    let of = |arch: &str, name: &str| {
        let kernels = bundle.kernels().into_iter();
        let own = kernels.filter(|kernel| kernel.arch.to_string() == arch && kernel.kernel == name);
        own.map(|kernel| kernel.for_any_launch).collect::<Vec<_>>()
    };
    for arch in ["sm_80", "sm_90"] {
        assert_eq!(
            (of(arch, "halved"), of(arch, "doubled")),
            (vec![false, true], vec![false, true]),
            "{arch}"
        );
    }
    let before = bundle.clone();
    let bundle = bundle.add::<halved>(&()).expect("it compiles");
    assert!(before.bytes().len() < bundle.bytes().len(), "a clone has what the bundle had");
}

#[test]
fn what_an_architecture_lacks_is_said_when_the_bundle_is_made() {
    let bundle = Bundle::new(["sm_80", "sm_86"]).expect("architectures");
    let devices = bundle.devices().expect("known architectures");
    assert_eq!(
        devices.iter().map(Device::name).collect::<Vec<_>>(),
        ["a bundle for sm_80", "a bundle for sm_86"]
    );
    assert_eq!(devices[0].limits().multiprocessors, 108);
    let mut x = devices[0].alloc_zeroed::<u32>(64).expect("memory");
    let error =
        harness::launch_error(shared_by_cluster(&mut x).grid(2).block(32).cluster(2).launch(&devices[0]));
    assert!(matches!(error, LaunchError::Compute { needs: (9, 0), has: (8, 0), .. }), "{error}");
    let error = harness::launch_error(turned_round(&mut x).grid(1).block(64).launch(&devices[1]));
    assert!(matches!(error, LaunchError::SharedMemory { limit: 101_376, .. }), "{error}");
}

#[test]
fn a_device_is_of_an_architecture_of_the_bundle() {
    let bundle = Bundle::new(["sm_80", "sm_90a"]).expect("architectures");
    let refused = bundle.device("sm_100").map(|_| ()).expect_err("it is another");
    assert!(matches!(refused, Error::Bundle(BundleError::OtherArch { .. })), "{refused}");
    let text = "the bundle is for sm_80, sm_90a, not for sm_100; name sm_100 in `Bundle::new`";
    assert_eq!(refused.to_string(), text);
    let mut limits = Limits::of("sm_90").expect("it is known");
    limits.multiprocessors = 7;
    let device = bundle.device_with(limits).expect("an architecture of the bundle");
    assert_eq!(device.limits().multiprocessors, 7);
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn a_tuner_adds_all_its_candidates() {
    harness::needs_nvrtc();
    let (bundle, device) = exact();
    let mut x = device.alloc_zeroed::<f32>(1000).expect("memory");
    let mut tuner = Tuner::new("scaled").rounds(1);
    let factor = tuner.axis("factor", [2u32, 3, 5]);
    let tuned = tuner.tune(&device, |candidate, trial| {
        trial.launch(scaled(&mut x, candidate.get(factor)?).over(1000).block(128))
    });
    tuned.expect("every candidate compiles");
    assert_eq!(bundle.kernels().iter().map(|kernel| kernel.kernel).collect::<Vec<_>>(), ["scaled"; 3]);
}

#[test]
#[cfg_attr(not(nvrtc), ignore = "needs NVRTC")]
fn a_kernel_that_is_checked_at_every_access_need_not_meet_demands() {
    harness::needs_nvrtc();
    let (_, device) = exact();
    let x = device.alloc_zeroed::<f32>(1000).expect("memory");
    let mut y = device.alloc_zeroed::<f32>(1000).expect("memory");
    let refused = capped_without_spills(&x, &mut y).over(1000).launch(&device).expect_err("it spills");
    assert!(refused.to_string().contains("demands `no_spills`"), "{refused}");
    let checked = capped_without_spills(&x, &mut y).over(1000).gpu_checks(GpuChecks::ALL);
    checked.launch(&device).expect("it compiles");
}
