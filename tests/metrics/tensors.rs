//! Tensor cores, the copy engine and barriers: figures that are worked out beside them.

use corpus::measured_tensors;
use warpsmith::metrics::{Banks, Bulk, Report, TensorFormat};
use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::report::{Bound, Ceilings};

#[track_caller]
fn report(name: &str) -> Report {
    let known = measured_tensors::all();
    let launch = known.iter().find(|launch| launch.name == name).expect(name);
    let report = launch.predict().unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(report.forced, 0, "{name}");
    report
}

/// Copies, bytes and sectors.
fn bulk(of: Bulk) -> [u64; 3] {
    [of.requests, of.bytes, of.sectors]
}

/// Requests, wavefronts and conflicts.
fn banks(of: Banks) -> [u64; 3] {
    [of.requests, of.wavefronts, of.conflicts()]
}

#[test]
fn boxes_of_whole_tiles_are_copied_sector_by_sector() {
    let report = report("transpose_tma@whole");
    // Six blocks with a box of 32 rows of 128 bytes each.
    assert_eq!(bulk(report.total.bulk_loads), [6, 6 * 4096, 6 * 128], "{report}");
    assert_eq!(bulk(report.total.bulk_stores), [6, 6 * 4096, 6 * 128], "{report}");
    // No thread loads or stores, and yet memory moves both matrices.
    assert_eq!([report.total.loads.requests, report.total.stores.requests], [0, 0]);
    assert_eq!([report.footprint_read, report.footprint_written], [64 * 96 * 4; 2]);
    assert_eq!(report.total.sector_bytes(), 2 * 64 * 96 * 4);
    assert_eq!(report.work().bytes, 2.0 * 64.0 * 96.0 * 4.0);
    // Eight warps of each block wait once, before the copy engine has moved anything.
    let waits = report.total.waits;
    assert_eq!([waits.executed, waits.lanes, waits.delayed], [6 * 8, 6 * 256, 6 * 8], "{report}");
    // Columns of 32 rows: units of 16 bytes change places by the row within eight, so each bank has four words.
    assert_eq!(banks(report.total.shared_loads), [6 * 32, 6 * 128, 6 * 96], "{report}");
    assert_eq!(banks(report.total.shared_stores), [6 * 32, 6 * 32, 0], "{report}");
    let text = report.to_string();
    assert!(text.contains("copy engine\n") && text.contains("barriers\n"), "{text}");
}

#[test]
fn boxes_over_the_edge_write_their_size_and_touch_what_is_inside() {
    let report = report("transpose_tma@ragged");
    // Rows of 176 bytes. Their first 128 bytes are four sectors in rows of even numbers and five in the others; the other
    // 48 bytes are two. A load writes whole boxes, whose outside is filled.
    assert_eq!(bulk(report.total.bulk_loads), [6, 6 * 4096, 36 * 9 + 72 * 2], "{report}");
    // Rows of 288 bytes, nine sectors, are stored and nothing else.
    assert_eq!(bulk(report.total.bulk_stores), [6, 44 * 72 * 4, 44 * 9], "{report}");
    assert_eq!(report.footprint_written, 44 * 72 * 4);
}

#[test]
fn rows_without_a_map_are_copies_of_their_bytes() {
    let report = report("rms_norm_bulk");
    // Eleven rows of 512 vectors.
    assert_eq!(bulk(report.total.bulk_loads), [11, 11 * 8192, 11 * 256], "{report}");
    // The eight warps that compute wait for each row, and the thread that copies for each place to be free.
    let waits = report.total.waits;
    assert_eq!([waits.executed, waits.lanes], [11 * 9, 11 * 257], "{report}");
    // A place of four that has not been used before is free: four of a block, and there are two blocks.
    assert!(waits.delayed <= 11 * 8 + 11 - 8, "{report}");
    let line = report.rows.iter().find(|row| row.counts.bulk_loads.requests > 0).expect("a line copies");
    assert_eq!(line.counts.bulk_loads, report.total.bulk_loads, "one line copies: {report}");
}

#[test]
fn a_multicast_reads_memory_once_and_writes_each_block() {
    let report = report("gemm_sm90");
    // In each of two steps each of two blocks loads 128 rows of 128 bytes for itself, and two boxes of 64 rows for both.
    assert_eq!(
        bulk(report.total.bulk_loads),
        [4 * 3, 4 * (16_384 + 2 * 2 * 8192), 4 * (512 + 2 * 256)],
        "{report}"
    );
    // 16 boxes of 64 × 64 elements go out, by `stmatrix` of eight rows of 16 bytes a wavefront.
    assert_eq!(bulk(report.total.bulk_stores), [16, 131_072, 4096], "{report}");
    assert_eq!(banks(report.total.matrix_stores), [256, 1024, 0], "{report}");
    assert_eq!(report.total.tensor_operations_of(TensorFormat::Bf16), 2 * 256 * 256 * 128, "{report}");
    assert_eq!(report.total.tensor_operations(), 2 * 256 * 256 * 128);
    // 64 KiB of each factor, 128 KiB of the product.
    assert_eq!([report.footprint_read, report.footprint_written], [131_072; 2]);
}

#[test]
fn matrices_from_swizzled_tiles_have_no_conflicts() {
    let report = report("gemm_sm80");
    // Two blocks of four warps that each load 64 rows of 128 bytes of both factors: 512 bytes a request.
    assert_eq!(banks(report.total.matrix_loads), [2 * 4 * 32, 2 * 4 * 128, 0], "{report}");
    assert_eq!(report.total.shared_loads.requests, 0, "no lane loads by itself");
    assert_eq!(report.total.shared_copies.conflicts(), 0, "{report}");
    assert_eq!(report.total.tensor_operations_of(TensorFormat::Bf16), 2 * 256 * 128 * 64, "{report}");
    let all = report.total.profiler();
    let named = |name: &str| all.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    assert_eq!(named("smsp__inst_executed_op_ldsm.sum"), Some(256.0));
    // 16 bytes a lane, of 512 rows of 128 bytes by both blocks.
    assert_eq!(named("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), Some(128.0));
    assert_eq!(named("smsp__inst_executed_op_shared_ld.sum"), Some(256.0 + 128.0));
    assert_eq!(named("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"), Some(1024.0));
    assert_eq!(named("sm__ops_path_tensor_src_bf16_dst_fp32.sum"), Some(2.0 * 256.0 * 128.0 * 64.0));
}

#[test]
fn attention_multiplies_twice_and_skips_later_keys() {
    // Scores and values, of 128 queries by 128 keys by 64 columns: 2 × 2 of them, and causal 3 + 2 + 1.
    let [full, causal] = ["attention@64", "attention@64_causal"].map(report);
    let products = 2 * 2 * 128 * 128 * 64;
    assert_eq!(full.total.tensor_operations_of(TensorFormat::Bf16), 4 * products, "{full}");
    assert_eq!(causal.total.tensor_operations_of(TensorFormat::Bf16), 6 * products, "{causal}");
    // Each tile of queries, and for each of its steps keys and values: 128 rows of 128 bytes.
    assert_eq!(bulk(full.total.bulk_loads), [2 + 8, 10 * 16_384, 10 * 512], "{full}");
    assert_eq!(bulk(causal.total.bulk_loads), [3 + 12, 15 * 16_384, 15 * 512], "{causal}");
    // Queries, keys, values and the number of the next tile are read, however often.
    assert_eq!(full.footprint_read, 3 * 256 * 128 + 32, "{full}");
}

/// Rows of `PITCH` elements, of which `ldmatrix` loads the first eight of each.
#[gpu_kernel]
fn matrices<const PITCH: usize>(y: &mut [u32]) {
    let mut rows = shared!([[u16; PITCH]; 32], align = 16);
    let t = thread_idx().x as usize;
    for i in 0..PITCH {
        rows[t][i] = t as u16;
    }
    sync_threads();
    let four = ldmatrix_x4(&rows[t][0]);
    let one = ldmatrix_x1(&rows[t % 8][0]);
    stmatrix_x2(&mut rows[t % 16][0], [four[0], one[0]]);
    sync_threads();
    y[t] = four[1] + rows[t][0] as u32;
}

#[test]
fn rows_of_matrices_conflict_unless_they_are_padded_or_swizzled() {
    let device = Device::simulator();
    let mut y = device.upload(&[0u32; 32]).expect("memory");
    // Eight rows 128 bytes apart begin in one bank; 16 bytes more move each by four banks.
    let plain = matrices::<64>(&mut y).grid(1).block(32).metrics(&device).expect("it runs");
    assert_eq!(banks(plain.total.matrix_loads), [2, 32 + 8, 28 + 7], "{plain}");
    assert_eq!(banks(plain.total.matrix_stores), [1, 16, 14], "{plain}");
    assert!(
        plain.to_string().contains("its loads of matrices take 32 wavefronts where 4 would do"),
        "{plain}"
    );
    let padded = matrices::<72>(&mut y).grid(1).block(32).metrics(&device).expect("it runs");
    assert_eq!(banks(padded.total.matrix_loads), [2, 5, 0], "{padded}");
    assert_eq!(banks(padded.total.matrix_stores), [1, 2, 0], "{padded}");
}

/// A tile is added to a matrix; then a row goes to the other block.
#[gpu_kernel(cluster(2))]
fn given(sums: &mut TensorMapMut<u32, 4, 8, Unswizzled>) {
    let mut tile = shared!(Tile<u32, 4, 8, Unswizzled>);
    let mut own = shared!([u32; 32], align = 16);
    let mut got = shared!([u32; 32], align = 16);
    let full = shared!(Barrier);
    let t = thread_idx().x as usize;
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    tile[(t / 8, t % 8)] = 1;
    own[t] = t as u32;
    fence_proxy_async();
    cluster_sync();
    if t == 0 {
        full.expect(128);
        bulk_send(&mut got, &own, full, 1 - cluster_block_rank());
        tma_reduce_add(sums, [0, 0], tile);
        bulk_commit();
        bulk_wait::<0>();
    }
    full.wait(&mut Phase::first());
    cluster_sync();
}

#[test]
fn reductions_move_sectors_both_ways_and_sends_none() {
    let device = Device::simulator();
    let mut sums = device.upload(&[0u32; 4 * 8]).expect("memory");
    let map = sums.tensor_map_mut(4, 8).expect("a map");
    let report = given(map).grid(2).block(32).metrics(&device).expect("it runs");
    // Four rows of 32 bytes, by two blocks.
    assert_eq!(bulk(report.total.bulk_reductions), [2, 256, 8], "{report}");
    assert_eq!([report.footprint_read, report.footprint_written], [128, 128]);
    assert_eq!(bulk(report.total.bulk_sends), [2, 256, 0], "{report}");
}

#[test]
fn a_product_of_bf16_is_under_the_roof_of_its_tensor_cores() {
    let device = Device::simulator();
    let (a, b) = (device.upload(&[bf16::ONE; 256 * 128]), device.upload(&[bf16::ONE; 256 * 128]));
    let (a, b) = (a.expect("memory"), b.expect("memory"));
    let mut c = device.upload(&vec![bf16::ONE; 256 * 256]).expect("memory");
    let page = corpus::hopper::gemm_sm90::<false>(
        a.tensor_map(256, 128).expect("a map"),
        b.tensor_map(256, 128).expect("a map"),
        c.tensor_map_mut(256, 256).expect("a map"),
        2,
        1,
        1,
    )
    .grid(2)
    .block(corpus::hopper::THREADS)
    .report(&device)
    .expect("a page");
    let point = page.roofline().points()[0].clone();
    let operations = 2.0 * 256.0 * 256.0 * 128.0;
    assert_eq!(point.work.tensor(TensorFormat::Bf16), operations);
    assert_eq!(point.work.intensity(), (operations + point.work.flops) / (4.0 * 65_536.0));
    assert_eq!(point.bound, Bound::Memory);
    let h200 = Ceilings::known("NVIDIA H200").expect("listed");
    assert_eq!(h200.roof(&point.work).map(|roof| roof.name), Some("f16 and bf16 tensor cores".to_owned()));
    let (text, html) = (page.to_string(), page.html());
    assert!(text.contains("of f16 and bf16 tensor cores"), "{text}");
    assert!(html.contains("copy engine, loads: copies, bytes, sectors"), "{html}");
    assert!(html.contains(">16,777,216 on bf16<"), "{html}");
}
