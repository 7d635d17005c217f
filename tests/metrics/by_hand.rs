//! Small launches whose figures are worked out beside them.

use warpsmith::metrics::{Counts, Report};
use warpsmith::prelude::*;

/// Counts a launch on the simulator.
macro_rules! counted {
    ($($launch:tt)+) => {{
        let report: Report = $($launch)+.metrics(&Device::simulator()).expect("a launch that runs");
        assert_eq!(report.forced, 0);
        report
    }};
}

fn ones<T: GpuType>(one: T, len: usize) -> Buffer<T> {
    Device::simulator().upload(&vec![one; len]).expect("an upload")
}

/// Requests, lanes, sectors and ideal sectors of loads.
fn loads(report: &Report) -> [u64; 4] {
    let of = report.total.loads;
    [of.requests, of.lanes, of.sectors, of.ideal_sectors]
}

/// Requests, wavefronts and ideal wavefronts of shared loads.
fn shared_loads(report: &Report) -> [u64; 3] {
    let of = report.total.shared_loads;
    [of.requests, of.wavefronts, of.ideal_wavefronts]
}

/// Branches executed, those that diverge, and lanes that took part.
fn branches(report: &Report) -> [u64; 3] {
    let of = report.total.branches;
    [of.executed, of.divergent, of.lanes]
}

/// The figure that Nsight Compute has under a name.
#[track_caller]
fn profiled(counts: &Counts, name: &str) -> f64 {
    let all = counts.profiler();
    all.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no {name}")).1
}

#[gpu_kernel]
fn quads_from(x: &[f32], y: &mut [F32x4], first: u32) {
    let t = thread_idx().x;
    y[t] = x.reinterpret::<F32x4>()[t + first];
}

#[test]
fn quads_that_begin_within_a_sector_touch_one_more() {
    let (x, mut y) = (ones(1.0f32, 256), ones(F32x4::splat(0.0), 32));
    // 32 lanes of 16 bytes: 512 bytes, 16 sectors; 16 bytes further on, half of the first and of a 17th.
    assert_eq!(loads(&counted!(quads_from(&x, &mut y, 0).grid(1).block(32))), [1, 32, 16, 16]);
    assert_eq!(loads(&counted!(quads_from(&x, &mut y, 1).grid(1).block(32))), [1, 32, 17, 16]);
    assert_eq!(loads(&counted!(quads_from(&x, &mut y, 2).grid(1).block(32))), [1, 32, 16, 16]);
}

#[gpu_kernel]
fn copied(x: &[f32], y: &mut [f32]) {
    let t = thread_idx().x;
    y[t] = x[t];
}

#[test]
fn the_last_warp_of_a_block_of_40_has_eight_lanes() {
    let (x, mut y) = (ones(1.0f32, 64), ones(0.0f32, 64));
    // 128 bytes and 32 bytes.
    let report = counted!(copied(&x, &mut y).grid(1).block(40));
    assert_eq!(loads(&report), [2, 40, 5, 5]);
    // Two instructions, a load and a store, of 32 and of 8 lanes.
    assert_eq!(report.total.active_lanes(), 20.0);
}

#[test]
fn a_part_that_begins_at_its_fourth_element_straddles_a_sector() -> warpsmith::Result<()> {
    let (x, mut y) = (ones(1.0f32, 64), ones(0.0f32, 64));
    // Bytes 12 to 140: five sectors.
    let report = counted!(copied(x.slice(3..)?, &mut y).grid(1).block(32));
    assert_eq!(loads(&report), [1, 32, 5, 4]);
    assert_eq!(report.total.loads.efficiency(), 80.0);
    Ok(())
}

#[gpu_kernel]
fn of_a_cube(x: &[f32], y: &mut [f32], #[comptime] turned: bool) {
    let t = thread_idx();
    let i = if turned { t.x * 16 + t.y * 4 + t.z } else { t.z * 16 + t.y * 4 + t.x };
    y[thread_rank()] = x[i];
}

#[test]
fn lanes_of_a_cube_go_by_x_first() {
    let (x, mut y) = (ones(1.0f32, 64), ones(0.0f32, 64));
    assert_eq!(loads(&counted!(of_a_cube(&x, &mut y, false).grid(1).block([4, 4, 4]))), [2, 64, 8, 8]);
    // A warp has two planes: of each row of four floats, 16 bytes, it takes 8. All 8 sectors, each warp.
    assert_eq!(loads(&counted!(of_a_cube(&x, &mut y, true).grid(1).block([4, 4, 4]))), [2, 64, 16, 8]);
}

#[gpu_kernel]
fn as_often_as_its_lane(x: &[f32], y: &mut [f32]) {
    let lane = thread_idx().x;
    for i in 0..lane {
        y[lane] = x[i];
    }
}

#[test]
fn a_loop_of_as_many_rounds_as_the_lane_loses_a_lane_each_round() {
    let (x, mut y) = (ones(1.0f32, 32), ones(0.0f32, 32));
    let report = counted!(as_often_as_its_lane(&x, &mut y).grid(1).block(32));
    // Round i has the lanes above i, 31 rounds: 31 + 30 + … + 1, all at one address.
    assert_eq!(loads(&report), [31, 496, 31, 31]);
    // Whether there is a first round: lane 0 leaves. After each of 31 rounds one more, the last one alone.
    assert_eq!(branches(&report), [32, 31, 32 + 496]);
}

#[gpu_kernel]
fn until_it_breaks(x: &[u32], y: &mut [u32]) {
    let t = thread_idx().x;
    let mut i = 0u32;
    loop {
        if x[i] > t || i == 7 {
            break;
        }
        i += 1;
    }
    y[t] = i;
}

#[test]
fn what_breaks_out_of_a_loop_is_counted_once_for_each_round() {
    let x = Device::simulator().upload(&(0..8).map(|i| 8 * i).collect::<Vec<u32>>()).expect("an upload");
    let mut y = ones(0u32, 32);
    let report = counted!(until_it_breaks(&x, &mut y).grid(1).block(32));
    // Lanes 0 to 7 leave in round 1, where 8 is above them, 8 to 15 in round 2, …, 24 to 31 in round 4.
    assert_eq!(loads(&report), [5, 32 + 32 + 24 + 16 + 8, 5, 5]);
    // Rounds 0 to 4 ask `x[i] > t`, which splits the warp in rounds 1 to 3; who goes on asks `i == 7`: rounds 0 to 3.
    assert_eq!(branches(&report), [5 + 4, 3, 112 + 32 + 24 + 16 + 8]);
}

#[gpu_fn]
fn picked(x: &[f32], i: u32) -> f32 {
    x[i]
}

#[gpu_kernel]
fn picked_twice(x: &[f32], y: &mut [f32], #[comptime] by_half: bool) {
    let t = thread_idx().x;
    if by_half {
        if t < 16 {
            y[t] = picked(x, t);
        } else {
            y[t] = picked(x, t + 16);
        }
    } else {
        y[t] = picked(x, t) + picked(x, t + 32);
    }
}

#[test]
fn a_function_that_is_called_twice_loads_twice() {
    let (x, mut y) = (ones(1.0f32, 64), ones(0.0f32, 32));
    let both = counted!(picked_twice(&x, &mut y, false).grid(1).block(32));
    assert_eq!(loads(&both), [2, 64, 8, 8]);
    // Each half of the warp by a call of its own, 64 bytes.
    let halves = counted!(picked_twice(&x, &mut y, true).grid(1).block(32));
    assert_eq!(loads(&halves), [2, 32, 4, 4]);
    let line = halves.rows.iter().find(|row| row.counts.loads.requests > 0).expect("a row");
    assert!(line.function.starts_with("picked"), "{}", line.function);
}

#[gpu_kernel]
fn counted_by(bins: &mut [u32], #[comptime] apart: u32, #[comptime] how_many: u32) {
    let t = thread_idx().x;
    atomic_add(&mut bins[t % how_many * apart], 1);
}

#[test]
fn lanes_take_turns_at_few_addresses_and_sectors_with_them() {
    let of = |report: Report| {
        let atomics = report.total.atomics;
        [atomics.requests, atomics.sectors, atomics.turns, atomics.contention]
    };
    let mut bins = ones(0u32, 64);
    // Eleven lanes at two of three addresses, ten at the third: one sector in each of eleven turns.
    assert_eq!(of(counted!(counted_by(&mut bins, 1, 3).grid(1).block(32))), [1, 11, 11, 11]);
    // A sector each: three in ten turns, two in the last.
    assert_eq!(of(counted!(counted_by(&mut bins, 8, 3).grid(1).block(32))), [1, 32, 11, 11]);
    assert_eq!(of(counted!(counted_by(&mut bins, 1, 32).grid(1).block(32))), [1, 4, 1, 1]);
}

#[gpu_kernel]
fn doubles(x: &[f64], y: &mut [f64], stride: u32) {
    let t = thread_idx().x;
    y[t] = x[t * stride].mul_add(2.0, 1.0) * 3.0 - x[0];
}

#[test]
fn doubles_fill_twice_the_sectors_and_have_counters_of_their_own() {
    let (x, mut y) = (ones(1.0f64, 64), ones(0.0f64, 32));
    // 256 bytes, 8 sectors, and one of `x[0]`; every second double: 16, half of which is used.
    assert_eq!(loads(&counted!(doubles(&x, &mut y, 1).grid(1).block(32))), [2, 64, 9, 9]);
    let report = counted!(doubles(&x, &mut y, 2).grid(1).block(32));
    assert_eq!(loads(&report), [2, 64, 17, 9]);
    assert_eq!(report.total.flops(), 32 * 4);
    for (op, threads) in [("dadd", 32.0), ("dmul", 32.0), ("dfma", 32.0)] {
        let name = format!("smsp__sass_thread_inst_executed_op_{op}_pred_on.sum");
        assert_eq!(profiled(&report.total, &name), threads, "{op}");
    }
}

#[gpu_kernel]
fn shared_doubles(y: &mut [f64], #[comptime] column: bool) {
    let mut tile = shared!([[f64; 32]; 32]);
    let t = thread_idx().x;
    for row in 0..32u32 {
        tile[row][t] = 1.0;
    }
    sync_threads();
    y[t] = if column { tile[t][3] } else { tile[3][t] };
}

#[test]
fn shared_doubles_go_by_halves_of_the_warp() {
    let mut y = ones(0.0f64, 32);
    assert_eq!(shared_loads(&counted!(shared_doubles(&mut y, false).grid(1).block(32))), [1, 2, 2]);
    // Rows of 256 bytes: all lanes want the same two banks, sixteen words of each a half.
    assert_eq!(shared_loads(&counted!(shared_doubles(&mut y, true).grid(1).block(32))), [1, 32, 2]);
}

/// Three floats side by side, as a struct and as a vector.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
    z: f32,
}

#[gpu_kernel]
fn sums_of_points(points: &[Point], vectors: &[F32x3], y: &mut [f32]) {
    let t = thread_idx().x;
    let p = points[t];
    let v = vectors[t];
    y[t] = p.x + p.y + p.z + v.x + v.y + v.z;
}

#[test]
fn twelve_bytes_are_three_loads_that_each_touch_all_sectors() {
    let points = ones(Point { x: 1.0, y: 2.0, z: 3.0 }, 32);
    let (vectors, mut y) = (ones(F32x3::splat(1.0), 32), ones(0.0f32, 32));
    let report = counted!(sums_of_points(&points, &vectors, &mut y).grid(1).block(32));
    // 384 bytes are 12 sectors; a load of one member has 4 of each 12 bytes, so all of them.
    assert_eq!(loads(&report), [6, 6 * 32, 6 * 12, 6 * 4]);
    // A cache that loses nothing reads each sector once.
    assert_eq!(report.footprint_read, 2 * 384);
    assert_eq!(report.total.flops(), 32 * 5);
}

#[gpu_kernel]
fn narrow(bytes: &[u8], halves: &[u16], y: &mut [u32], stride: u32) {
    let t = thread_idx().x;
    y[t] = bytes[t * stride] as u32 + halves[t] as u32;
}

#[test]
fn bytes_of_a_warp_are_one_sector_until_they_are_strided() {
    let (bytes, halves, mut y) = (ones(1u8, 1024), ones(1u16, 32), ones(0u32, 32));
    assert_eq!(loads(&counted!(narrow(&bytes, &halves, &mut y, 1).grid(1).block(32))), [2, 64, 1 + 2, 1 + 2]);
    assert_eq!(
        loads(&counted!(narrow(&bytes, &halves, &mut y, 32).grid(1).block(32))),
        [2, 64, 32 + 2, 1 + 2]
    );
}

#[gpu_kernel]
fn all_the_same(x: &[f32], y: &mut [f32]) {
    let mut kept = shared!([f32; 64]);
    let t = thread_idx().x;
    kept[t] = x[5];
    kept[t + 32] = x[t % 2];
    sync_threads();
    y[t] = kept[7] + kept[t % 2 * 32];
}

#[test]
fn what_all_lanes_want_is_moved_once() {
    let (x, mut y) = (ones(1.0f32, 64), ones(0.0f32, 32));
    let report = counted!(all_the_same(&x, &mut y).grid(1).block(32));
    assert_eq!(loads(&report), [2, 64, 2, 2]);
    assert_eq!(report.total.loads.bytes, 4 + 8);
    // One word; then two words of one bank.
    assert_eq!(shared_loads(&report), [2, 1 + 2, 2]);
}

#[gpu_kernel]
fn copied_aside(x: &[f32], y: &mut [f32]) {
    let mut tile = shared!([F32x4; 32]);
    let t = thread_idx().x;
    copy_async(&mut tile[t], &x.reinterpret::<F32x4>()[t]);
    copy_async_commit();
    copy_async_wait::<0>();
    sync_threads();
    y[t] = tile[31 - t].x;
}

#[test]
fn an_asynchronous_copy_reads_and_writes_without_a_load_or_a_store() {
    let (x, mut y) = (ones(1.0f32, 128), ones(0.0f32, 32));
    let Counts { loads, copies, shared_stores, shared_copies, shared_loads, .. } =
        counted!(copied_aside(&x, &mut y).grid(1).block(32)).total;
    assert_eq!([loads.requests, shared_stores.requests], [0, 0]);
    assert_eq!([copies.requests, copies.sectors, shared_copies.wavefronts], [1, 16, 4]);
    // Every fourth word: four lanes want each of eight banks.
    assert_eq!([shared_loads.requests, shared_loads.wavefronts, shared_loads.ideal_wavefronts], [1, 4, 1]);
}

#[gpu_kernel]
fn those_that_stay(x: &[f32], y: &mut [f32]) {
    let t = thread_idx().x;
    if t >= 20 {
        return;
    }
    y[t] = x[t] + volatile_load(&x[t + 1]) + load_streaming(&x[t]);
}

#[test]
fn lanes_that_have_returned_take_no_part() {
    let (x, mut y) = (ones(1.0f32, 32), ones(0.0f32, 32));
    let report = counted!(those_that_stay(&x, &mut y).grid(1).block(32));
    // Three loads of 80 bytes, the volatile one 4 bytes further on: three sectors each.
    assert_eq!(loads(&report), [3, 60, 9, 9]);
    assert_eq!(branches(&report), [1, 1, 32]);
}

#[gpu_const]
static SCALE: [f32; 2] = [2.0, 3.0];

#[gpu_kernel]
fn summed_by_warp(x: &[f32], y: &mut [f32]) {
    let t = thread_idx().x;
    let mut sum = x[t] * SCALE[1];
    sum += shfl_down(sum, 16);
    sum += shfl_xor(sum, 8);
    if t == 0 {
        y[0] = sum;
    }
}

#[test]
fn a_shuffle_is_no_operation_of_floats_and_a_constant_no_load() {
    let (x, mut y) = (ones(1.0f32, 32), ones(0.0f32, 32));
    let report = counted!(summed_by_warp(&x, &mut y).grid(1).block(32));
    assert_eq!(loads(&report), [1, 32, 4, 4]);
    assert_eq!([report.total.constants.warps, report.total.constants.threads], [1, 32]);
    // One multiplication and two additions.
    assert_eq!(report.total.flops(), 32 * 3, "{report}");
}

#[gpu_kernel]
fn sampled(image: &Texture2<f32>, y: &mut [f32]) {
    let t = thread_idx().x;
    y[t] = image.sample(t as f32, 0.5) + image.fetch(t, 0u32);
}

#[test]
fn a_texture_is_read_by_no_load_and_computes_nothing() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let image = Image2::upload(&device, [32, 1], &[1.0f32; 32])?;
    let texture = image.texture(Sampler::new())?;
    let mut y = ones(0.0f32, 32);
    let report = counted!(sampled(texture, &mut y).grid(1).block(32));
    assert_eq!(report.total.loads.requests, 0);
    assert_eq!(report.total.stores.requests, 1);
    assert_eq!(report.total.flops(), 32, "the addition alone\n{report}");
    Ok(())
}

#[gpu_kernel]
fn painted(surface: &mut Surface2<f32>) {
    let t = thread_idx().x;
    let before = surface.read(t, 1u32);
    surface.write(t, 0u32, before);
}

#[test]
fn a_surface_is_read_and_written_as_global_memory_is() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let mut image = Image2::upload(&device, [32, 2], &[1.0f32; 64])?;
    let mut surface = image.surface()?;
    let report = counted!(painted(&mut surface).grid(1).block(32));
    assert_eq!([report.total.loads.requests, report.total.loads.bytes], [1, 128]);
    assert_eq!([report.total.stores.requests, report.total.stores.bytes], [1, 128]);
    Ok(())
}

#[gpu_kernel]
fn rounded(x: &[f64], y: &mut [f32]) {
    let t = thread_idx().x;
    y[t] = sub_rz(f64_to_f32_rz(x[t]), 1.0) + x[t] as f32;
}

#[test]
fn conversions_are_no_operations_of_floats() {
    let (x, mut y) = (ones(1.5f64, 32), ones(0.0f32, 32));
    let report = counted!(rounded(&x, &mut y).grid(1).block(32));
    assert_eq!(report.total.flops(), 32 * 2, "a subtraction and an addition\n{report}");
    assert_eq!(profiled(&report.total, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"), 64.0);
}

#[gpu_kernel]
fn of_the_other_block(x: &[u32], y: &mut [u32]) {
    let mut tile = shared!([u32; 32]);
    let t = thread_idx().x;
    tile[t] = x[t];
    cluster_sync();
    let other = map_shared_rank(&mut tile, 1 - cluster_block_rank());
    y[block_idx().x * 32 + t] = other[t];
    cluster_sync();
}

#[test]
fn another_block_s_shared_memory_has_no_banks_of_ours() {
    let (x, mut y) = (ones(1u32, 32), ones(0u32, 64));
    let report = counted!(of_the_other_block(&x, &mut y).grid(2).block(32).cluster(2));
    assert_eq!([report.total.remote.warps, report.total.remote.threads], [2, 64]);
    assert_eq!([report.total.shared_loads.requests, report.total.shared_stores.requests], [0, 2]);
}

#[gpu_kernel]
fn rows(matrix: View2<f32>, y: &mut [f32]) {
    let (row, col) = (block_idx().x, thread_idx().x);
    y[row * 20 + col] = matrix[(row, col)];
}

#[test]
fn twenty_floats_of_a_row_are_three_sectors_padded_or_not() -> warpsmith::Result<()> {
    let matrix = Device::simulator().alloc_pitched::<f32>(3, 20)?;
    let mut y = ones(0.0f32, 60);
    let report = counted!(rows(matrix.view2(), &mut y).grid(3).block(20));
    // 80 bytes from a multiple of the pitch. Dense rows begin at bytes 0, 80 and 160, which are multiples of 16.
    assert_eq!(loads(&report), [3, 60, 9, 9]);
    assert_eq!(report.total.stores.sectors, 9);
    Ok(())
}
