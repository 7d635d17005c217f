//! A kernel for each mistake that the simulator reports: the lines that the report must name end in `// mistake` and the row's
//! number, or letter.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

/// One thread makes a barrier for `count` arrivals a phase, and all threads of the cluster meet.
#[gpu_fn]
fn made(barrier: &Barrier, count: u32) {
    if thread_idx().x == 0 {
        barrier.init(count);
        fence_mbarrier_init();
    }
    cluster_sync();
}

/// A descriptor of 64 rows of 32 bytes from an element on, not swizzled.
#[gpu_fn]
fn descriptor(first: &bf16) -> u64 {
    matrix_descriptor(first, 16, 128, 0)
}

/// 128 threads fill a matrix with ones, which the tensor cores then see.
#[gpu_fn]
fn ones(rows: &mut [bf16]) {
    for i in 0..8u32 {
        rows[i * 128 + thread_idx().x] = bf16::from_f32(1.0);
    }
    fence_proxy_async();
    sync_threads();
}

/// Sums are read, written or left while a product computes them.
#[gpu_kernel]
pub fn sums_in_flight(y: &mut [u32], #[comptime] how: u32) {
    let mut rows = shared!([bf16; 1024], align = 1024);
    ones(&mut rows);
    let t = thread_idx().x;
    let mut sums = [[0.0f32; 4]; 1];
    wgmma_fence();
    wgmma::<bf16, _, false, false>(&mut sums, descriptor(&rows[0]), descriptor(&rows[0]), false); // mistake read written left
    wgmma_commit();
    if how == 0 {
        y[t] = sums[0][3].to_bits(); // mistake read
    }
    if how == 1 {
        sums[0] = [1.0; 4]; // mistake written
        y[t] = sums[0][0].to_bits();
    }
    if how != 2 {
        wgmma_wait::<0>();
    }
}

/// A reader never gives its rows back.
#[gpu_kernel]
pub fn never_released(x: &mut [u32], y: &mut [u32]) {
    let ring = shared!(RowRing<u32, 32, 2>);
    ring.init(32); // mistake kept
    let t = thread_idx().x as usize;
    if t == 32 {
        let mut filler = ring.filler();
        for row in 0..4usize {
            let free = filler.acquire(); // mistake kept
            free.load(&x[row * 32..row * 32 + 32]);
            free.commit();
        }
    }
    if t < 32 {
        let mut reader = ring.reader();
        for row in 0..4usize {
            let filled = reader.wait();
            y[row * 32 + t] = filled.row()[t];
        }
    }
}

/// A row is loaded and not committed.
#[gpu_kernel]
pub fn never_committed(x: &mut [u32], y: &mut [u32]) {
    let ring = shared!(RowRing<u32, 32, 2>);
    ring.init(32); // mistake uncommitted
    let t = thread_idx().x as usize;
    if t == 32 {
        let mut filler = ring.filler();
        let free = filler.acquire();
        free.load(&x[0..32]); // mistake uncommitted
    }
    if t < 32 {
        let mut reader = ring.reader();
        let filled = reader.wait(); // mistake uncommitted
        y[t] = filled.row()[t];
        filled.release();
    }
}

/// More bytes are expected than loaded, or fewer.
#[gpu_kernel]
pub fn other_bytes(x: &mut [u32], y: &mut [u32], #[comptime] bytes: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let full = shared!(Barrier);
    made(full, 1);
    let t = thread_idx().x;
    if t == 0 {
        full.expect(bytes); // mistake bytes
        bulk_load(&mut row, &x[0..64], full); // mistake bytes
    }
    full.wait_for(Phase::first()); // mistake bytes
    y[t] = row[t];
}

/// The producer waits for a place that was never filled, or a consumer waits a turn too late.
#[gpu_kernel]
pub fn other_phase(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let full = shared!(Barrier);
    let empty = shared!(Barrier);
    made(full, 1);
    made(empty, 64);
    let t = thread_idx().x;
    if t == 64 {
        empty.wait_for(if how == 0 { Phase::first() } else { Phase::passed() }); // mistake producer
        full.load(&mut row, &x[0..64]);
        full.arrive();
    }
    if t < 64 {
        full.wait_for(if how == 1 { Phase::first().next() } else { Phase::first() }); // mistake producer turn
        y[t] = row[t];
        empty.arrive();
    }
}

/// A barrier is initialised for another number of arrivals than happen.
#[gpu_kernel]
pub fn other_arrivals(y: &mut [u32], #[comptime] count: u32) {
    let mut row = shared!([u32; 32]);
    let met = shared!(Barrier);
    made(met, count);
    let t = thread_idx().x;
    if t < 32 {
        row[t] = t; // mistake many
        met.arrive(); // mistake few
    } else {
        met.wait_for(Phase::first()); // mistake few
        y[t] = row[63 - t]; // mistake many
    }
}

/// Three warpgroups ask for 520 registers of 504.
#[gpu_kernel(launch_bounds(384, 1))]
pub fn too_many_registers(y: &mut [u32]) {
    if warpgroup_id() == 0 {
        setmaxnreg_dec::<40>();
    } else {
        setmaxnreg_inc::<240>(); // mistake registers
    }
    y[thread_idx().x] = 1;
}

/// Two warpgroups give registers back by the instruction that takes them.
#[gpu_kernel(launch_bounds(384, 1))]
pub fn registers_the_wrong_way(y: &mut [u32]) {
    setmaxnreg_inc::<40>(); // mistake direction
    y[thread_idx().x] = 1;
}

/// An operation of a warpgroup that one of its warps does not reach.
#[gpu_kernel]
pub fn parted_warpgroup(y: &mut [u32]) {
    if warp_id() != 1 {
        wgmma_fence(); // mistake refused
    }
    y[thread_idx().x] = 1;
}

/// The same, where the author says that the condition is no branch.
#[gpu_kernel(allow(divergent_barriers))]
pub fn parted_in_spite(y: &mut [u32]) {
    let mut rows = shared!([bf16; 1024], align = 1024);
    ones(&mut rows);
    let mut sums = [[0.0f32; 4]; 1];
    wgmma_fence();
    if warp_id() != 1 {
        wgmma::<bf16, _, false, false>(&mut sums, descriptor(&rows[0]), descriptor(&rows[0]), false); // mistake parted
        wgmma_commit();
        wgmma_wait::<0>();
    }
    y[thread_idx().x] = 1;
}

/// One lane of a warp makes a call that all lanes must make.
#[gpu_kernel]
pub fn elected_alone(y: &mut [u32]) {
    if elect_one() {
        sync_warp(); // mistake elected
    }
    y[thread_idx().x] = 1;
}

/// The same, where the author says that the condition is no branch.
#[gpu_kernel(allow(divergent_barriers))]
pub fn elected_in_spite(y: &mut [u32]) {
    if elect_one() {
        y[0] = reduce_add_sync(u32::MAX, thread_idx().x); // mistake reduced
    } else {
        sync_warp();
    }
}

/// The fence between the proxies is missing, or it stands behind the barrier in a thread that wrote.
#[gpu_kernel]
pub fn unfenced(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let t = thread_idx().x;
    row[t] = x[t]; // mistake unfenced
    sync_threads();
    if how == 1 && t == 32 {
        fence_proxy_async();
    }
    if t == 0 {
        bulk_store(&mut y[0..64], &row); // mistake unfenced
        bulk_commit();
        bulk_wait_read::<0>();
    }
}

/// A stage is read, or multiplied, before its wait.
#[gpu_kernel]
pub fn before_its_wait(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 512], align = 1024);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    for i in 0..4u32 {
        row[i * 128 + t] = 0;
    }
    fence_proxy_async();
    made(full, 1);
    if t == 0 {
        full.load(&mut row, &x[0..512]); // mistake early multiplied
        full.arrive();
    }
    if how == 0 {
        y[t] = row[t]; // mistake early
    } else {
        let a = matrix_descriptor(&row[0], 16, 128, 0);
        let mut sums = [[0.0f32; 4]; 1];
        wgmma_fence();
        wgmma::<bf16, _, false, false>(&mut sums, a, a, false); // mistake multiplied
        wgmma_commit();
        wgmma_wait::<0>();
    }
    full.wait_for(Phase::first());
}

/// A stage is filled again while a thread, or a product, reads it.
#[gpu_kernel]
pub fn overwritten(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 512], align = 1024);
    let full = shared!(Barrier);
    made(full, 1);
    let t = thread_idx().x;
    if t == 128 {
        full.load(&mut row, &x[0..512]);
        full.arrive();
    }
    full.wait_for(Phase::first());
    sync_threads();
    if warpgroup_id() == 0 {
        let mut sums = [[0.0f32; 4]; 1];
        if how == 0 {
            y[t] = row[t]; // mistake reread
        } else {
            let a = matrix_descriptor(&row[0], 16, 128, 0);
            wgmma_fence();
            wgmma::<bf16, _, false, false>(&mut sums, a, a, false); // mistake remultiplied
            wgmma_commit();
        }
        full.wait_for(Phase::first().next());
        wgmma_wait::<0>();
    } else if t == 128 {
        full.load(&mut row, &x[512..1024]); // mistake reread remultiplied
        full.arrive();
    }
}

/// A block loads into another one's stage, which that one still reads.
#[gpu_kernel(cluster(2))]
pub fn overwritten_from_afar(x: &TensorMap<u32, 8, 32, Unswizzled>, y: &mut [u32]) {
    let tile = shared!(Tile<u32, 8, 32, Unswizzled>);
    let full = shared!(Barrier);
    made(full, 1);
    let (t, rank) = (thread_idx().x, cluster_block_rank());
    let mut phase = Phase::first();
    for step in 0..2u32 {
        if t == 0 {
            full.expect(1024);
            if rank == 0 {
                tma_load_multicast(tile, x, [step * 8, 0], full, 0b11); // mistake afar
            }
        }
        full.wait(&mut phase);
        y[step * 64 + rank * 32 + t] = tile[(step as usize, t as usize)]; // mistake afar
    }
    cluster_sync();
}

/// A block ends while a copy into it, an arrival at its barrier or another block's copy is under way.
#[gpu_kernel(cluster(2))]
pub fn gone(x: &TensorMap<u32, 8, 32, Unswizzled>, y: &mut [u32], #[comptime] how: u32) {
    let tile = shared!(Tile<u32, 8, 32, Unswizzled>);
    let full = shared!(Barrier);
    made(full, 1);
    let (t, rank) = (thread_idx().x, cluster_block_rank());
    if t == 0 && rank == 0 {
        if how == 0 {
            full.expect(1024);
            tma_load(tile, x, [0, 0], full); // mistake loading
        }
        if how == 1 {
            full.arrive_at(1); // mistake arriving
        }
        if how == 2 {
            tma_load_multicast(tile, x, [0, 0], full, 0b10); // mistake sending
        }
    }
    y[rank * 32 + t] = 1;
}

/// The source of a store is written before its copy has read it, or its thread returns.
#[gpu_kernel]
pub fn store_not_awaited(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let t = thread_idx().x;
    row[t] = x[t];
    fence_proxy_async();
    sync_threads();
    if t == 0 {
        bulk_store(&mut y[0..64], &row); // mistake rewritten returned
        bulk_commit();
    }
    sync_threads();
    if how == 0 {
        row[t] = 5; // mistake rewritten
    }
}

/// A barrier is used before it is made, made again, or its bytes are data.
#[gpu_kernel]
pub fn barrier_misused(y: &mut [u32], #[comptime] how: u32) {
    let met = shared!([Barrier; 2]);
    let t = thread_idx().x;
    if how == 0 {
        met[0].arrive(); // mistake unmade
    }
    if t == 0 {
        met[0].init(64); // mistake again
        if how == 1 {
            met[0].init(64); // mistake again
        }
    }
    if how == 2 && t == 32 {
        met[0].arrive(); // mistake late
    }
    sync_threads();
    if how == 3 && t == 0 {
        mbarrier_inval(&met[0]);
        met[0].arrive(); // mistake ended
    }
    y[t] = 1;
}

/// The barrier that another thread uses before this line orders the two.
#[gpu_kernel]
pub fn barrier_unordered(y: &mut [u32]) {
    let met = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        mbarrier_init(met, 64); // mistake unordered
    }
    met.arrive(); // mistake unordered
    y[t] = 1;
}

/// A row is copied over a barrier.
#[gpu_kernel]
pub fn barrier_as_data(x: &mut [u32], y: &mut [u32]) {
    let mut memory = shared!([u64; 8], align = 16);
    let t = thread_idx().x;
    let met = unsafe { &*(&memory[4] as *const u64 as *const Barrier) };
    if t == 0 {
        met.init(1);
    }
    sync_threads();
    if t == 1 {
        memory[4] = x[0] as u64; // mistake data
    }
    y[t] = 1;
}

/// A thread hands data to another block by an arrival that publishes nothing.
#[gpu_kernel(cluster(2))]
pub fn unpublished(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 32]);
    let full = shared!(Barrier);
    made(full, 32);
    let (t, rank) = (thread_idx().x, cluster_block_rank());
    if rank == 1 {
        map_shared_rank(&mut row, 0)[t] = x[t]; // mistake unpublished
        if how == 0 {
            full.arrive_at(0);
        } else {
            full.publish_at(0);
        }
    } else {
        if how == 1 {
            full.wait_for(Phase::first());
        } else {
            full.wait_cluster(&mut Phase::first());
        }
        y[t] = row[31 - t]; // mistake unpublished
    }
    cluster_sync();
}

/// A block reports by an arrival that it has read data, and the other block then overwrites the data.
#[gpu_kernel(cluster(2))]
pub fn read_before_reuse(x: &mut [u32], y: &mut [u32], #[comptime] publishes: bool) {
    let mut row = shared!([u32; 32]);
    let empty = shared!(Barrier);
    row[thread_idx().x] = x[0];
    made(empty, 32);
    let (t, rank) = (thread_idx().x, cluster_block_rank());
    if rank == 1 {
        y[t] = map_shared_rank(&mut row, 0)[31 - t]; // mistake strict
        if publishes {
            empty.publish_at(0);
        } else {
            empty.arrive_at(0);
        }
    } else {
        empty.wait_cluster(&mut Phase::first());
        row[t] = 3; // mistake strict
    }
    cluster_sync();
}

/// Two warps wait for each other at named barriers, or at barriers with phases.
#[gpu_kernel(allow(divergent_barriers))]
pub fn stuck(y: &mut [u32], #[comptime] how: u32) {
    let turn = shared!([Barrier; 2]);
    let (t, warp) = (thread_idx().x, warp_id());
    if t == 0 {
        turn[0].init(32); // mistake phases
        turn[1].init(32); // mistake phases
        fence_mbarrier_init();
    }
    sync_threads();
    if how == 0 {
        if warp == 0 {
            named_barrier_sync(1, 64); // mistake named
            named_barrier_arrive(2, 64);
        } else {
            named_barrier_sync(2, 64); // mistake named
            named_barrier_arrive(1, 64);
        }
    } else {
        turn[warp as usize].wait_for(Phase::first()); // mistake phases
        turn[1 - warp as usize].arrive();
    }
    y[t] = 1;
}

/// The first of two launches; the second one need not wait for its end.
#[gpu_kernel]
pub fn predecessor(x: &mut [u32]) {
    let t = thread_idx().x;
    launch_dependents();
    x[t] = t; // mistake overlap
}

/// The second one.
#[gpu_kernel]
pub fn successor(x: &[u32], y: &mut [u32], #[comptime] waits: bool) {
    let t = thread_idx().x;
    if waits {
        grid_dependency_wait();
    }
    y[t] = x[63 - t]; // mistake overlap
}
