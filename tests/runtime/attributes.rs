//! Attributes of launches, streams and kernels: what the driver was told, read back or seen at work.

use std::sync::Arc;

use corpus::vectors::fill;
use harness::launch_error;
use warpsmith::Error;
use warpsmith::driver::{CudaStream, SyncPolicy};
use warpsmith::launch::{
    AccessProperty, AccessWindow, CachePreference, Carveout, ClusterScheduling, LaunchError,
};
use warpsmith::prelude::*;

#[gpu_kernel]
fn cluster_sizes(out: &mut [u32]) {
    let i = global_id();
    if i < out.len() {
        out[i] = cluster_size() * 100 + cluster_block_rank();
    }
}

fn stream(gpu: &Device) -> Arc<CudaStream> {
    gpu.as_gpu().expect("a GPU").context().new_stream().expect("a stream")
}

#[test]
fn every_cluster_size_reaches_the_kernel() {
    harness::everywhere::<cluster_sizes>(&(), |device| {
        for size in [1u32, 2, 4, 8, 16] {
            let mut out = device.upload(&[0u32; 32 * 32]).expect("memory");
            cluster_sizes(&mut out).grid(32).block(32).cluster(size).launch(device).expect("it fits");
            let out = device.download(&out).expect("no fault");
            for block in 0..32 {
                assert_eq!(out[block as usize * 32], size * 100 + block % size, "on {}", device.name());
            }
        }
    });
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_cluster_that_fits_nowhere_names_the_largest_that_fits() {
    let gpu = harness::needs_gpu();
    let all = gpu.limits().shared_opt_in;
    let mut out = gpu.upload(&[0u32; 16]).expect("memory");
    let mut refusals = 0;
    for size in [1u32, 2, 4, 8, 16] {
        let launch = cluster_sizes(&mut out).grid(16).block(1024).cluster(size).dynamic_shared(all);
        match launch.launch(&gpu) {
            Ok(()) => println!("figure cluster_of_{size}_with_all_shared_memory 1 fits"),
            Err(Error::Launch(error @ LaunchError::ClusterOccupancy { largest, .. })) => {
                println!("figure cluster_of_{size}_with_all_shared_memory 0 fits");
                assert!(largest < size && error.to_string().contains("cluster_sizes"), "{error}");
                refusals += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    println!("figure refused_cluster_sizes {refusals} of 5");
    gpu.synchronize().expect("what was launched runs");
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_cooperative_grid_is_as_large_as_what_is_resident() {
    let gpu = harness::needs_gpu();
    let mut y = gpu.upload(&[0u32; 8]).expect("memory");
    let refused = launch_error(fill(&mut y, 1).grid(1_000_000).block(1024).cooperative().launch(&gpu));
    let LaunchError::CooperativeGrid { kernel: "fill", blocks: 1_000_000, limit } = refused else {
        panic!("{refused}");
    };
    println!("figure cooperative_blocks_of_1024 {limit} blocks");
    let limit = limit as u32;
    fill(&mut y, 2).grid(limit).block(1024).cooperative().launch(&gpu).expect("the limit is right");
    assert_eq!(gpu.download(&y).expect("no fault"), [2; 8]);
    assert!(matches!(
        launch_error(fill(&mut y, 3).grid(limit + 1).block(1024).cooperative().launch(&gpu)),
        LaunchError::CooperativeGrid { .. }
    ));
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_launch_takes_every_attribute_at_once() {
    let gpu = harness::needs_gpu();
    let mut y = gpu.upload(&[0u32; 4096]).expect("memory");
    let window = AccessWindow::over(&y).hit_ratio(0.5).miss(AccessProperty::Normal);
    let event = Arc::new(gpu.as_gpu().expect("a GPU").context().new_event(None).expect("an event"));
    let limits = gpu.limits().clone();
    fill(&mut y, 9)
        .grid(16)
        .block(256)
        .cluster(4)
        .cluster_scheduling(ClusterScheduling::LoadBalancing)
        .priority(limits.priorities[1])
        .mem_sync_domain(MemSyncDomain::Remote)
        .mem_sync_domain_map(0, limits.mem_sync_domains as u8 - 1)
        .access_policy_window(window)
        .shared_carveout(Carveout::Percent(50))
        .cache_preference(CachePreference::L1)
        .programmatic_serialization()
        .launch_completion_event(&event)
        .on(&stream(&gpu))
        .launch(&gpu)
        .expect("the driver takes all of them");
    event.synchronize().expect("the event was recorded");
    assert_eq!(gpu.download(&y).expect("no fault"), [9; 4096]);
    let hinted = fill(&mut y, 7).grid(16).block(256).nvlink_utilisation().launch(&gpu);
    match hinted {
        Ok(()) => assert_eq!(gpu.download(&y).expect("no fault"), [7; 4096]),
        Err(Error::Launch(LaunchError::OldDriver { since: "13.0", .. })) => {
            assert!(limits.driver_version < 13_000)
        }
        Err(other) => panic!("{other}"),
    }
    let spread =
        fill(&mut y, 8).grid(16).cluster(4).cluster_scheduling(ClusterScheduling::Spread).cooperative();
    spread.launch(&gpu).expect("a cooperative launch of clusters");
    assert_eq!(gpu.download(&y).expect("no fault"), [8; 4096]);
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn streams_keep_their_memory_synchronization_domain_and_map() {
    let device = harness::needs_gpu();
    let (gpu, stream) = (device.as_gpu().expect("a GPU"), stream(&device));
    let last = gpu.limits().mem_sync_domains as u8 - 1;
    println!("figure mem_sync_domains {} domains", last + 1);
    println!("figure domain_map_of_a_new_stream {:?}", gpu.mem_sync_domain_map(&stream).expect("a map"));
    assert_eq!(gpu.mem_sync_domain(&stream).expect("a domain"), MemSyncDomain::Default);
    gpu.set_mem_sync_domain_map(&stream, last, 0).expect("domains of the device");
    assert_eq!(gpu.mem_sync_domain_map(&stream).expect("a map"), [last, 0]);
    gpu.set_mem_sync_domain(&stream, MemSyncDomain::Remote).expect("a domain");
    assert_eq!(gpu.mem_sync_domain(&stream).expect("a domain"), MemSyncDomain::Remote);
    let refused = gpu.set_mem_sync_domain_map(&stream, 0, last + 1);
    assert_eq!(refused, Err(LaunchError::Domain { domain: last + 1, last: u32::from(last) }));
    let mut y = device.upload(&[0u32; 8]).expect("memory");
    fill(&mut y, 5).over(8).on(&stream).launch(&device).expect("a launch on it");
    assert_eq!(device.download(&y).expect("no fault"), [5; 8]);
}

#[test]
fn every_stream_keeps_the_attributes_that_it_was_given() {
    harness::everywhere::<fill>(&(), |device| {
        let (stream, last) = (device.stream().expect("a stream"), device.limits().mem_sync_domains as u8 - 1);
        let mut y = device.upload(&[0u32; 1024]).expect("memory");
        let window = AccessWindow::over(&y).hit_ratio(0.75).miss(AccessProperty::Normal);
        assert_eq!(stream.mem_sync_domain().expect("a domain"), MemSyncDomain::Default);
        stream.set_mem_sync_domain(MemSyncDomain::Remote).expect("a domain");
        stream.set_mem_sync_domain_map(last, 0).expect("domains of the device");
        stream.set_access_window(window).expect("a window");
        stream.set_sync_policy(SyncPolicy::Blocking).expect("a policy");
        let clone = stream.clone();
        assert_eq!(clone.mem_sync_domain().expect("a domain"), MemSyncDomain::Remote);
        assert_eq!(clone.mem_sync_domain_map().expect("a map"), [last, 0], "on {}", device.name());
        assert_eq!(clone.access_window().expect("a window"), window, "on {}", device.name());
        assert_eq!(clone.sync_policy().expect("a policy"), SyncPolicy::Blocking);
        let refused = launch_error(stream.set_mem_sync_domain_map(last + 1, 0));
        assert_eq!(refused, LaunchError::Domain { domain: last + 1, last: u32::from(last) });
        let refused = launch_error(stream.set_access_window(window.hit_ratio(1.5)));
        assert!(matches!(refused, LaunchError::HitRatio { .. }), "{refused}");
        assert_eq!(stream.access_window().expect("a window"), window, "what was refused changes nothing");
        fill(&mut y, 4).over(1024).on(&stream).launch(device).expect("a launch on it");
        assert_eq!(device.download(&y).expect("no fault"), [4; 1024]);
        stream.set_access_window(AccessWindow::none()).expect("no window");
        assert_eq!(stream.access_window().expect("a window").bytes(), 0);
    });
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn the_driver_keeps_the_attributes_of_a_launch() {
    let gpu = harness::needs_gpu();
    let limits = gpu.limits().clone();
    let (greatest, last) = (limits.priorities[1], limits.mem_sync_domains as u8 - 1);
    let mut y = gpu.upload(&[7u32; 4096]).expect("memory");
    let plain = fill(&mut y, 1).grid(16).kept_attributes(&gpu).expect("attributes");
    println!("figure attributes_of_a_plain_launch {plain:?}");
    assert_eq!((plain.cluster, plain.cooperative), (Some([1; 3]), Some(false)));
    let window = AccessWindow::over(&y).hit_ratio(0.5).miss(AccessProperty::Normal);
    let launch = fill(&mut y, 1)
        .grid(16)
        .cluster(4)
        .cluster_scheduling(ClusterScheduling::Spread)
        .priority(greatest)
        .mem_sync_domain(MemSyncDomain::Remote)
        .mem_sync_domain_map(0, last)
        .access_policy_window(window)
        .shared_carveout(Carveout::Percent(50));
    let kept = launch.kept_attributes(&gpu).expect("attributes");
    println!("figure attributes_that_were_kept {kept:?}");
    assert_eq!(kept.cluster, Some([4, 1, 1]));
    assert_eq!(kept.cluster_scheduling, Some(ClusterScheduling::Spread));
    assert_eq!(kept.priority, Some(greatest));
    assert_eq!(kept.mem_sync_domain, Some(MemSyncDomain::Remote));
    assert_eq!(kept.mem_sync_domain_map, Some([0, last]));
    assert_eq!(kept.access_window, Some(window));
    // Documented for launches alone; a GPU of compute capability 9.0 keeps it for nodes too.
    if limits.compute == (9, 0) {
        assert_eq!(kept.shared_carveout, Some(Carveout::Percent(50)));
        for carveout in [Carveout::MaxL1, Carveout::MaxShared, Carveout::Percent(1), Carveout::Percent(99)] {
            let launch = fill(&mut y, 1).grid(16).shared_carveout(carveout);
            let kept = launch.kept_attributes(&gpu).expect("attributes");
            assert_eq!(kept.shared_carveout, Some(carveout));
        }
    } else {
        assert!(matches!(kept.shared_carveout, None | Some(Carveout::Percent(50))), "{kept:?}");
    }
    let cooperative = fill(&mut y, 1).grid(16).cooperative().kept_attributes(&gpu).expect("attributes");
    assert_eq!(cooperative.cooperative, Some(true));
    assert_eq!(gpu.download(&y).expect("no fault"), [7; 4096], "nothing was launched");
}

#[test]
fn the_simulator_keeps_no_attributes_of_launches() {
    let simulator = Device::simulator();
    let mut y = simulator.upload(&[0u32; 8]).expect("memory");
    let refused = fill(&mut y, 1).over(8).kept_attributes(&simulator).expect_err("no driver");
    assert!(refused.to_string().contains("not available on the simulator"), "{refused}");
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_kernel_keeps_its_cluster_policy_and_the_context_its_cache_preference() {
    let device = harness::needs_gpu();
    let gpu = device.as_gpu().expect("a GPU");
    let mut out = device.upload(&[0u32; 32 * 32]).expect("memory");
    let prepared = cluster_sizes(&mut out).grid(32).block(32).prepare(&device).expect("a right launch");
    let loaded = prepared.loaded().expect("a GPU");
    let policies = [ClusterScheduling::Spread, ClusterScheduling::LoadBalancing, ClusterScheduling::Default];
    for policy in policies {
        loaded.set_cluster_scheduling(policy).expect("a policy");
        assert_eq!(loaded.cluster_scheduling().expect("a policy"), policy);
    }
    let sixteen = cluster_sizes(&mut out).grid(32).block(32).cluster(16);
    sixteen.launch(&device).expect("a cluster of sixteen");
    assert!(loaded.allows_large_clusters().expect("a flag"));
    for preference in [CachePreference::L1, CachePreference::Equal] {
        let launch = cluster_sizes(&mut out).grid(32).block(32).cache_preference(preference);
        launch.launch(&device).expect("the driver takes it");
        assert_eq!(loaded.cache_preference(), preference);
    }
    let preferences =
        [CachePreference::Shared, CachePreference::L1, CachePreference::Equal, CachePreference::None];
    let read = preferences.map(|preference| {
        gpu.set_cache_preference(preference).expect("a preference");
        gpu.cache_preference().expect("a preference")
    });
    println!("figure cache_preferences_read_back {read:?}");
    // Since compute capability 7.0 the L1 cache and shared memory use the same hardware; before, where the sizes are fixed, a
    // context keeps none of them.
    let shares = gpu.limits().compute >= (7, 0);
    let kept = if shares { preferences } else { [CachePreference::None; 4] };
    assert_eq!(read, kept, "compute capability {:?}", gpu.limits().compute);
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn streams_keep_their_window_policy_and_priority() {
    let device = harness::needs_gpu();
    let gpu = device.as_gpu().expect("a GPU");
    let [least, greatest] = gpu.limits().priorities;
    for priority in [least, greatest] {
        let stream = gpu.context().new_stream_with_priority(priority).expect("a stream");
        assert_eq!(gpu.stream_priority(&stream).expect("a priority"), priority);
    }
    let stream = stream(&device);
    for policy in [SyncPolicy::Spin, SyncPolicy::Yield, SyncPolicy::Blocking, SyncPolicy::Auto] {
        gpu.set_sync_policy(&stream, policy).expect("a policy");
        assert_eq!(gpu.sync_policy(&stream).expect("a policy"), policy);
    }
    let y = device.upload(&[0u32; 1024]).expect("memory");
    let window = AccessWindow::over(&y).hit_ratio(0.25);
    gpu.set_access_window(&stream, window).expect("a window");
    assert_eq!(gpu.access_window(&stream).expect("a window"), window);
    gpu.set_access_window(&stream, AccessWindow::none()).expect("no window");
    assert_eq!(gpu.access_window(&stream).expect("a window").bytes(), 0);
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_kernel_keeps_its_carveout_and_its_opt_in() {
    let device = harness::needs_gpu();
    let gpu = device.as_gpu().expect("a GPU");
    let mut y = device.upload(&[0u32; 8]).expect("memory");
    let prepared = fill(&mut y, 1).over(8).prepare(&device).expect("a right launch");
    let loaded = prepared.loaded().expect("a GPU");
    let fresh = loaded.shared_carveout().expect("a percentage");
    println!("figure carveout_of_a_new_kernel {fresh:?}");
    assert_eq!(fresh, None, "the driver's own choice");
    let mut read = Vec::new();
    for (carveout, percent) in [
        (Carveout::Percent(37), Some(37)),
        (Carveout::MaxShared, Some(100)),
        (Carveout::MaxL1, Some(0)),
        (Carveout::Percent(1), Some(1)),
        (Carveout::Default, None),
    ] {
        loaded.set_shared_carveout(carveout).expect("a percentage");
        read.push((loaded.shared_carveout().expect("a percentage"), percent));
    }
    println!("figure carveouts_read_back_and_set {read:?}");
    assert!(read.iter().all(|(read, set)| read == set), "{read:?}");
    // The attributes of a launch are its own.
    fill(&mut y, 1).over(8).shared_carveout(Carveout::Percent(60)).launch(&device).expect("a carveout");
    assert_eq!(loaded.shared_carveout().expect("a percentage"), None);
    let refused = loaded.set_shared_carveout(Carveout::Percent(200));
    assert_eq!(refused, Err(LaunchError::Carveout { kernel: "fill", percent: 200 }));
    let most = gpu.limits().shared_opt_in;
    fill(&mut y, 2).over(8).dynamic_shared(most).launch(&device).expect("opted in");
    assert_eq!(loaded.max_dynamic_shared().expect("bytes"), most);
    for preference in [CachePreference::Shared, CachePreference::Equal, CachePreference::None] {
        fill(&mut y, 3).over(8).cache_preference(preference).launch(&device).expect("the driver takes it");
    }
    assert_eq!(device.download(&y).expect("no fault"), [3; 8]);
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn streams_and_events_of_a_gpu_are_refused_on_the_simulator() {
    let gpu = harness::needs_gpu();
    let simulator = Device::simulator();
    let mut y = simulator.upload(&[0u32; 8]).expect("memory");
    let refused = launch_error(fill(&mut y, 1).over(8).on(&stream(&gpu)).launch(&simulator));
    assert!(matches!(refused, LaunchError::Owner { what: "stream", owner: 0, .. }), "{refused}");
}

/// `stream[i] = hot[i % hot.len()]`, over and over, which persisting lines make faster.
#[gpu_kernel]
fn hot_and_cold(hot: &[u32], cold: &mut [u32]) {
    for i in (global_id()..cold.len()).step_by(global_size()) {
        cold[i] += hot[i % hot.len()];
    }
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn persisting_lines_of_the_l2_cache() {
    let device = harness::needs_gpu();
    let gpu = device.as_gpu().expect("a GPU");
    let limit = gpu.limits().persisting_l2;
    if limit == 0 {
        return println!("skipped: the device sets no L2 cache aside");
    }
    assert!(gpu.set_persisting_l2(limit + 1).is_err());
    let set = gpu.set_persisting_l2(limit).expect("the limit");
    assert!(set > 0 && gpu.persisting_l2().expect("bytes") == set);
    let hot = device.upload(&vec![1u32; limit / 8]).expect("memory");
    let mut cold = device.alloc_zeroed::<u32>(1 << 27).expect("memory");
    let mut time = |window: Option<AccessWindow>| {
        let mut best = f32::MAX;
        for _ in 0..10 {
            let flags = Some(cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT);
            let start = gpu.stream().record_event(flags).expect("an event");
            let launch = hot_and_cold(&hot, &mut cold).grid(132 * 8).block(256);
            let launch = match window {
                Some(window) => launch.access_policy_window(window),
                None => launch,
            };
            launch.launch(&device).expect("a right launch");
            let end = gpu.stream().record_event(flags).expect("an event");
            best = best.min(start.elapsed_ms(&end).expect("both were recorded"));
        }
        best
    };
    println!("figure l2_no_window {:.4} ms", time(None));
    println!("figure l2_persisting_window {:.4} ms", time(Some(AccessWindow::over(&hot))));
    gpu.reset_persisting_l2().expect("a reset");
    println!("figure l2_after_reset {:.4} ms", time(None));
    gpu.set_persisting_l2(0).expect("nothing set aside");
    assert_eq!(device.download(&cold).expect("no fault")[..100], [30; 100]);
}

/// Lets the next kernel start, then takes its time; says when it ended.
#[gpu_kernel]
fn produce(x: &mut [u32], ended: &mut [u64], value: u32, nanoseconds: u64) {
    launch_dependents();
    let i = global_id();
    let start = global_timer();
    while global_timer() - start < nanoseconds {}
    if i < x.len() {
        x[i] = value;
    }
    if i == 0 {
        ended[0] = global_timer();
    }
}

/// Says when it started, waits for the kernel before it, then reads what that wrote.
#[gpu_kernel]
fn consume(x: &[u32], y: &mut [u32], started: &mut [u64]) {
    let i = global_id();
    if i == 0 {
        started[0] = global_timer();
    }
    grid_dependency_wait();
    if i < x.len() && i < y.len() {
        y[i] = x[i] * 2;
    }
}

/// Whether `consume` started before `produce` had ended, in each of some rounds.
fn overlaps(device: &Device, programmatic: bool) -> Vec<bool> {
    let mut x = device.upload(&[0u32; 4096]).expect("memory");
    let mut y = device.upload(&[0u32; 4096]).expect("memory");
    let mut ended = device.upload(&[0u64]).expect("memory");
    let mut started = device.upload(&[0u64]).expect("memory");
    let (rounds, nanoseconds) = if device.is_simulator() { (1, 0) } else { (20, 200_000) };
    let round = |value: u32| {
        produce(&mut x, &mut ended, value, nanoseconds).over(4096).launch(device).expect("the first kernel");
        let second = consume(&x, &mut y, &mut started).over(4096);
        let second = if programmatic { second.programmatic_serialization() } else { second };
        second.launch(device).expect("the second kernel");
        assert_eq!(device.download(&y).expect("no fault"), [2 * value; 4096], "it waits for what it reads");
        device.download(&started).expect("no fault")[0] < device.download(&ended).expect("no fault")[0]
    };
    (1..=rounds).map(round).collect()
}

#[test]
fn a_programmatic_launch_waits_for_what_it_reads() {
    harness::compiles::<produce>(&());
    harness::compiles::<consume>(&());
    for programmatic in [false, true] {
        overlaps(&Device::simulator(), programmatic);
    }
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_programmatic_launch_on_a_gpu_starts_before_the_kernel_before_it_ends() {
    let gpu = harness::needs_gpu();
    assert!(overlaps(&gpu, false).iter().all(|overlap| !overlap));
    let early = overlaps(&gpu, true).iter().filter(|overlap| **overlap).count();
    println!("figure programmatic_launches_that_overlap {early} of 20");
    assert!(early > 0, "none of 20 started early");
}
