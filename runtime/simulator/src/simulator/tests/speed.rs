//! Steps a second, printed: `cargo test --release speed -- --ignored --nocapture`.

use std::time::Instant;

use super::*;

/// Prints the steps a second of the fastest of five launches.
fn measure(what: &str, launch: &SimLaunch<'_>, steps_a_thread: u64, thread: &dyn Fn()) -> f64 {
    let mut best = 0.0f64;
    for _ in 0..5 {
        let start = Instant::now();
        let report = run(launch, thread).expect("no fault");
        let steps = report.threads * steps_a_thread;
        best = best.max(steps as f64 / start.elapsed().as_secs_f64());
    }
    println!("{what:50} {:8.1} million steps/s", best / 1e6);
    best
}

#[test]
#[ignore = "measures; needs a quiet machine and a release build"]
fn thread_steps_a_second() {
    let out = global(0.0f32, 1 << 16);
    let saxpy = || {
        let i = context::block_idx()[0] as usize * context::block_dim()[0] as usize + tid() as usize;
        let cell = &out[i & 0xffff];
        cell.set(2.0 * cell.get() + 1.0);
    };
    let barriers = || (0..64).for_each(|_| context::sync_threads());
    let grid = |blocks, threads| SimLaunch::new("speed", [blocks, 1, 1], [threads, 1, 1]);
    let plain = SimLaunch { rendezvous: false, ..grid(1 << 16, 256) };
    let steps = measure("threads, plain loop, block 256", &plain, 1, &saxpy);
    measure("threads, fibers that never wait, block 256", &grid(1 << 14, 256), 1, &saxpy);
    for block in [32, 128, 256, 1024] {
        let blocks = (1 << 20) / 8 / block;
        measure(&format!("barriers, block {block}"), &grid(blocks, block), 64, &barriers);
        measure(&format!("threads with one barrier, block {block}"), &grid(8 * blocks, block), 1, &|| {
            context::sync_threads();
        });
    }
    let shuffles = || {
        (0..64).for_each(|i| {
            context::warp_exchange(u32::MAX, "shfl_sync", payload(i)).lane(3);
        });
    };
    measure("shuffles, block 256", &grid(512, 256), 64, &shuffles);
    let atomics = || (0..64).for_each(|_| context::on_atomic());
    measure("atomics, plain loop", &SimLaunch { rendezvous: false, ..grid(1 << 12, 256) }, 64, &atomics);
    assert!(steps > 20e6);
}
