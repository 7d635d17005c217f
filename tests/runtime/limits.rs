//! Every limit of a launch is an error of the host, with its number; and what a device says of itself.

use corpus::matmul::tiled_matmul;
use corpus::vectors::fill;
use harness::launch_error;
use warpsmith::launch::{AccessProperty, AccessWindow, Carveout, ClusterScheduling, LaunchError};
use warpsmith::prelude::*;

/// With its slice and the record of faults it is just below the limit.
#[gpu_kernel]
fn large(values: [u64; 4092], y: &mut [u64]) {
    let i = global_id();
    if i < y.len() {
        y[i] = values[i % 4092];
    }
}

#[gpu_kernel]
fn too_large(values: [u64; 4094], y: &mut [u64]) {
    let i = global_id();
    if i < y.len() {
        y[i] = values[i % 4094];
    }
}

#[gpu_kernel(launch_bounds(128))]
fn bounded(y: &mut [u32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = 1;
    }
}

/// How a launch of `fill` is refused: on a GPU as on the simulator.
fn refused(shape: impl for<'a> Fn(Launch<'a, fill>) -> Launch<'a, fill>) -> LaunchError {
    let on = |device: &Device| {
        let mut y = device.upload(&[0u32; 8]).expect("memory");
        launch_error(shape(fill(&mut y, 7)).launch(device))
    };
    let error = on(&Device::simulator());
    if let Some(gpu) = harness::gpu() {
        assert_eq!(on(&gpu), error);
    }
    error
}

/// Whether the message of an error has these parts.
fn says(error: &LaunchError, parts: &[&str]) {
    let message = error.to_string();
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
}

#[test]
fn a_block_has_1024_threads_at_most() {
    says(&refused(|l| l.grid(1).block(1025)), &["`fill`", "1025 threads", "1024", ".block(…)"]);
    says(&refused(|l| l.grid(1).block([32, 32, 2])), &["2048 threads", "1024"]);
}

/// The widest tile is 32: a block has one thread for each element of a tile.
#[test]
fn a_tile_wider_than_32_is_refused_with_its_threads() {
    harness::on_every_device(|device| {
        let x = device.upload(&[1.0f32; 40 * 40]).expect("memory");
        let mut y = device.upload(&[0.0f32; 40 * 40]).expect("memory");
        let mut launch = |tile: u32| {
            tiled_matmul(&x, &x, &mut y, 40, 40, 40, tile)
                .over_2d([40, 40])
                .block([tile, tile])
                .launch(device)
        };
        launch(32).expect("1024 threads");
        assert_eq!(
            launch_error(launch(33)).to_string(),
            "kernel `tiled_matmul`: a block of [33, 33, 1] has 1089 threads, above the limit of 1024 (of every device); \
             use a smaller `.block(…)`",
            "on {}",
            device.name()
        );
        assert_eq!(device.download(&y).expect("what was refused harms nothing"), [40.0; 40 * 40]);
    });
}

#[test]
fn a_block_has_1024_1024_64_threads_in_its_dimensions() {
    says(&refused(|l| l.grid(1).block([1, 1, 65])), &["block extent z is 65", "64"]);
}

#[test]
fn a_grid_has_2147483647_65535_65535_blocks_in_its_dimensions() {
    says(&refused(|l| l.grid(2_147_483_648u32)), &["grid extent x is 2147483648", "2147483647"]);
    says(&refused(|l| l.grid([1, 65_536])), &["grid extent y is 65536", "65535"]);
    says(&refused(|l| l.grid([1, 1, 65_536])), &["grid extent z is 65536", "65535"]);
}

#[test]
fn a_grid_and_a_block_have_one_of_each_dimension_at_least() {
    says(&refused(|l| l.grid([1, 0])), &["grid is [1, 0, 1]", "at least 1"]);
    says(&refused(|l| l.grid(1).block([32, 0])), &["block is [32, 0, 1]", "at least 1"]);
}

#[test]
fn a_block_has_227_kib_of_shared_memory_at_most() {
    let error = refused(|l| l.grid(1).dynamic_shared(232_449));
    says(&error, &["232449 bytes of dynamic", "232448", ".dynamic_shared(…)"]);
}

#[test]
fn a_cluster_has_16_blocks_at_most_and_divides_the_grid() {
    says(&refused(|l| l.grid(34).cluster(17)), &["17 blocks", "16", ".cluster(…)"]);
    says(&refused(|l| l.grid([8, 3]).cluster([2, 2])), &["[2, 2, 1]", "[8, 3, 1]", "round the grid up"]);
}

#[test]
fn a_kernel_has_its_own_launch_bounds() {
    harness::on_every_device(|device| {
        let mut y = device.upload(&[0u32; 8]).expect("memory");
        assert_eq!(
            launch_error(bounded(&mut y).grid(1).block(129).launch(device)),
            LaunchError::Block {
                kernel: "bounded",
                block: [129, 1, 1],
                threads: 129,
                limit: 128,
                whose: "the kernel's launch bounds"
            },
            "on {}",
            device.name()
        );
        bounded(&mut y).grid(1).block(128).launch(device).expect("the bound itself");
        assert_eq!(device.download(&y).expect("memory"), [1; 8], "on {}", device.name());
    });
}

#[test]
fn parameters_have_32764_bytes_at_most() {
    let on = |device: &Device| {
        let mut y = device.upload(&[0u64; 5000]).expect("memory");
        let values = std::array::from_fn(|i| i as u64 * 3);
        let error = launch_error(too_large(values, &mut y).over(5000).launch(device));
        says(&error, &["`too_large`", "above the limit of 32764", "buffer"]);
        let values = std::array::from_fn(|i| i as u64 * 3);
        large(values, &mut y).over(5000).launch(device).expect("just below the limit");
        assert_eq!(device.download(&y).expect("memory")[4093], 3);
    };
    harness::compiles::<large>(&());
    on(&Device::simulator());
    if let Some(gpu) = harness::gpu() {
        on(&gpu);
    }
}

#[test]
fn priorities_have_a_range() {
    says(&refused(|l| l.over(8).priority(1)), &["priority 1", "-5", "0"]);
    says(&refused(|l| l.over(8).priority(-6)), &["priority -6", "-5", "0"]);
}

#[test]
fn a_domain_map_stays_among_the_domains_of_the_device() {
    says(&refused(|l| l.over(8).mem_sync_domain_map(0, 4)), &["domain 4", "last, 3"]);
}

#[test]
fn a_carveout_is_a_percentage() {
    says(&refused(|l| l.over(8).shared_carveout(Carveout::Percent(101))), &["101 percent", "100"]);
}

#[test]
fn what_is_said_of_clusters_needs_clusters() {
    let spread = refused(|l| l.over(8).cluster_scheduling(ClusterScheduling::Spread));
    says(&spread, &["cluster_scheduling", ".cluster(blocks)"]);
    says(&refused(|l| l.over(8).preferred_cluster(4)), &["preferred_cluster", ".cluster(blocks)"]);
    let uneven = refused(|l| l.grid(8).cluster(2).preferred_cluster(3));
    says(&uneven, &["[3, 1, 1]", "[2, 1, 1]", "[8, 1, 1]"]);
    let hopper = refused(|l| l.grid(8).cluster(2).preferred_cluster(4));
    says(&hopper, &["compute capability 10.0", "9.0"]);
}

#[test]
fn an_access_policy_window_has_limits() {
    harness::on_every_device(|device| {
        let limit = device.limits().access_policy_window;
        let big = device.alloc_zeroed::<u8>(limit + 1).expect("memory");
        let small = device.alloc_zeroed::<u8>(1).expect("memory");
        let mut y = device.upload(&[0u32; 8]).expect("memory");
        let mut with = |window: AccessWindow| {
            launch_error(fill(&mut y, 7).over(8).access_policy_window(window).launch(device))
        };
        let large = with(AccessWindow::over(&big));
        assert_eq!(large, LaunchError::AccessWindow { kernel: "fill", bytes: limit + 1, limit });
        says(&large, &[&(limit + 1).to_string(), &limit.to_string()]);
        for (ratio, text) in [(1.5, "1.5"), (-0.25, "-0.25"), (f32::INFINITY, "inf"), (f32::NAN, "NaN")] {
            let refused = with(AccessWindow::over(&small).hit_ratio(ratio));
            assert_eq!(refused, LaunchError::HitRatio { kernel: "fill", ratio: text.into() });
            says(&refused, &[text, "from 0.0 to 1.0"]);
        }
        says(
            &with(AccessWindow::over(&small).miss(AccessProperty::Persisting)),
            &["misses", "normal or streaming"],
        );
        assert_eq!(device.download(&y).expect("nothing ran"), [0; 8], "on {}", device.name());
        fill(&mut y, 7)
            .over(8)
            .access_policy_window(AccessWindow::over(&small))
            .launch(device)
            .expect("a window");
        assert_eq!(device.download(&y).expect("memory")[7], 7, "on {}", device.name());
    });
}

#[test]
fn the_simulator_is_a_device_of_compute_capability_9() {
    let simulator = Device::simulator();
    let limits = simulator.limits();
    assert_eq!(limits.compute, (9, 0));
    assert_eq!((limits.warp_size, limits.threads_per_block, limits.shared_opt_in), (32, 1024, 227 << 10));
    assert_eq!((limits.parameter_bytes, limits.mem_sync_domains), (32_764, 4));
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_gpu_says_what_it_has() {
    let gpu = harness::needs_gpu();
    let limits = gpu.limits();
    println!("{limits:#?}");
    assert!(limits.multiprocessors > 0 && limits.l2 > 0 && limits.global_memory > 0 && limits.clock > 0);
    assert_eq!((limits.warp_size, limits.threads_per_block), (32, 1024));
    assert!(limits.shared_per_multiprocessor >= limits.shared_opt_in);
    assert!(limits.shared_opt_in >= limits.shared_per_block);
    assert!(limits.priorities[1] <= limits.priorities[0]);
    if limits.compute == (9, 0) {
        let model = Device::simulator().limits().clone();
        let own =
            (limits.shared_opt_in, limits.mem_sync_domains, limits.priorities, limits.block, limits.grid);
        let simulated =
            (model.shared_opt_in, model.mem_sync_domains, model.priorities, model.block, model.grid);
        assert_eq!(own, simulated);
        assert_eq!(limits.registers_per_multiprocessor, model.registers_per_multiprocessor);
        assert_eq!(limits.threads_per_multiprocessor, model.threads_per_multiprocessor);
        assert_eq!(limits.blocks_per_multiprocessor, model.blocks_per_multiprocessor);
        assert_eq!(limits.parameter_bytes, model.parameter_bytes);
    }
}
