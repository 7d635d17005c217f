//! Maps of tensors and copies of boxes, each builtin at least once, by every executor.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor_map::{BoxLayout, MappedElement, Promotion, TensorOptions};

use super::everywhere;

fn numbers(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

/// Blocks of 16 × 64 numbers go through shared memory, where each is doubled.
#[gpu_kernel]
fn doubled(x: &TensorMap<u16, 16, 64, Swizzle128>, y: &mut TensorMapMut<u16, 16, 64, Swizzle128>) {
    let mut tile = shared!(Tile<u16, 16, 64, Swizzle128>);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    let at = [block_idx().y * 16, block_idx().x * 64];
    if t == 0 {
        tensormap_prefetch(x);
        full.init(1);
        fence_mbarrier_init();
    }
    sync_threads();
    if t == 0 {
        full.load_tile(tile, x, at);
        full.arrive();
    }
    full.wait(&mut Phase::first());
    for row in 0..16usize {
        tile[(row, t as usize)] = tile[(row, t as usize)].wrapping_mul(2);
    }
    fence_proxy_async();
    sync_threads();
    if t == 0 {
        tma_store(y, at, tile);
        bulk_commit();
        bulk_wait_read::<0>();
    }
}

#[test]
fn boxes_with_ragged_edges_are_loaded_and_stored() {
    everywhere::<doubled>(&(), |device| {
        for (rows, cols) in [(16, 64), (32, 128), (17, 72), (5, 8), (40, 200)] {
            let x: Vec<u16> = numbers(rows * cols).iter().map(|i| *i as u16).collect();
            let input = device.upload(&x).expect("memory");
            let mut output = device.upload(&vec![7u16; rows * cols]).expect("memory");
            let from = input.tensor_map(rows, cols).expect("a map");
            let mut to = output.tensor_map_mut(rows, cols).expect("a map");
            let grid = [cols.div_ceil(64) as u32, rows.div_ceil(16) as u32];
            doubled(&from, &mut to).grid(grid).block(64).launch(device).expect("a launch");
            let want: Vec<u16> = x.iter().map(|v| v.wrapping_mul(2)).collect();
            assert_eq!(
                device.download(&output).expect("no fault"),
                want,
                "{rows} by {cols} on {}",
                device.name()
            );
        }
    });
}

/// The elements of a box, row after row, of any layout.
#[gpu_fn]
fn told<T: MappedElement, const ROWS: usize, const COLS: usize, L: BoxLayout>(
    tile: Tile<T, ROWS, COLS, L>,
    map: &TensorMap<T, ROWS, COLS, L>,
    at: [i32; 2],
    barrier: &Barrier,
    out: &mut [T],
) {
    let t = thread_idx().x as usize;
    if t == 0 {
        barrier.expect(Tile::<T, ROWS, COLS, L>::SIZE);
        tma_load(tile, map, at, barrier);
    }
    barrier.wait_for(Phase::first());
    for i in (t..ROWS * COLS).step_by(block_dim().x as usize) {
        out[i] = tile[(i / COLS, i % COLS)];
    }
}

#[gpu_kernel]
fn boxes(
    x: &TensorMap<f32, 8, 32, Swizzle128<4>>,
    y: &TensorMap<u8, 4, 64, Swizzle64<16>>,
    z: &TensorMap<f64, 6, 4, Swizzle32<2>>,
    w: &TensorMap<i64, 3, 10, Unswizzled>,
    row: i32,
    col: i32,
    a: &mut [f32],
    b: &mut [u8],
    c: &mut [f64],
    d: &mut [i64],
) {
    let full = shared!([Barrier; 4]);
    if thread_idx().x == 0 {
        for i in 0..4usize {
            full[i].init(1);
        }
        fence_mbarrier_init();
    }
    sync_threads();
    let at = [row, col];
    let tile1 = shared!(Tile<f32, 8, 32, Swizzle128<4>>);
    told(tile1, x, at, &full[0], a);
    let tile2 = shared!(Tile<u8, 4, 64, Swizzle64<16>>);
    told(tile2, y, at, &full[1], b);
    let tile3 = shared!(Tile<f64, 6, 4, Swizzle32<2>>);
    told(tile3, z, at, &full[2], c);
    let tile4 = shared!(Tile<i64, 3, 10, Unswizzled>);
    told(tile4, w, at, &full[3], d);
}

/// The box of a matrix at a row and a column, with zeros outside.
fn of<T: Copy + Default>(
    x: &[T],
    [rows, cols]: [usize; 2],
    [row, col]: [i32; 2],
    shape: [usize; 2],
) -> Vec<T> {
    let element = |r: usize, c: usize| {
        let (r, c) = (row as i64 + r as i64, col as i64 + c as i64);
        let inside = (0..rows as i64).contains(&r) && (0..cols as i64).contains(&c);
        if inside { x[r as usize * cols + c as usize] } else { T::default() }
    };
    (0..shape[0]).flat_map(|r| (0..shape[1]).map(move |c| (r, c))).map(|(r, c)| element(r, c)).collect()
}

#[test]
fn boxes_of_each_layout_lie_as_tiles_do() {
    everywhere::<boxes>(&(), |device| {
        let n = numbers(48 * 80);
        let x: Vec<f32> = n.iter().map(|v| *v as f32).collect();
        let y: Vec<u8> = n.iter().map(|v| *v as u8).collect();
        let z: Vec<f64> = n.iter().map(|v| f64::from(*v)).collect();
        let w: Vec<i64> = n.iter().map(|v| i64::from(*v) - 1000).collect();
        let (dx, dy) = (device.upload(&x).expect("memory"), device.upload(&y).expect("memory"));
        let (dz, dw) = (device.upload(&z).expect("memory"), device.upload(&w).expect("memory"));
        for (rows, cols, row, col) in
            [(48, 80, 16, 32), (30, 48, -3, -16), (13, 16, 9, 0), (5, 64, 100, 0), (2, 32, 0, 16)]
        {
            let mut a = device.upload(&[0.0f32; 8 * 32]).expect("memory");
            let mut b = device.upload(&[0u8; 4 * 64]).expect("memory");
            let mut c = device.upload(&[0.0f64; 6 * 4]).expect("memory");
            let mut d = device.upload(&[0i64; 3 * 10]).expect("memory");
            let x_map = dx.tensor_map(rows, cols).expect("a map");
            let y_map = dy.tensor_map(rows, cols).expect("a map");
            let z_map = dz.tensor_map(rows, cols).expect("a map");
            let w_map = dw.tensor_map(rows, cols).expect("a map");
            let launch = boxes(&x_map, &y_map, &z_map, &w_map, row, col, &mut a, &mut b, &mut c, &mut d);
            launch.grid(1).block(32).launch(device).expect("a launch");
            let what = format!("({row}, {col}) of {rows} by {cols} on {}", device.name());
            let (matrix, at) = ([rows, cols], [row, col]);
            assert_eq!(device.download(&a).expect("no fault"), of(&x, matrix, at, [8, 32]), "{what}");
            assert_eq!(device.download(&b).expect("no fault"), of(&y, matrix, at, [4, 64]), "{what}");
            assert_eq!(device.download(&c).expect("no fault"), of(&z, matrix, at, [6, 4]), "{what}");
            assert_eq!(device.download(&d).expect("no fault"), of(&w, matrix, at, [3, 10]), "{what}");
        }
    });
}

/// Tiles of ones, twos and so on are combined with matrices of integers, by blocks at once.
#[gpu_kernel]
fn reductions(
    sums: &mut TensorMapMut<u32, 4, 8, Unswizzled>,
    least: &mut TensorMapMut<i32, 4, 8, Unswizzled>,
    greatest: &mut TensorMapMut<i64, 4, 8, Unswizzled>,
    ands: &mut TensorMapMut<u64, 4, 8, Unswizzled>,
    ors: &mut TensorMapMut<u32, 4, 8, Unswizzled>,
    xors: &mut TensorMapMut<u32, 4, 8, Unswizzled>,
) {
    let mut u = shared!(Tile<u32, 4, 8, Unswizzled>);
    let mut i = shared!(Tile<i32, 4, 8, Unswizzled>);
    let mut l = shared!(Tile<i64, 4, 8, Unswizzled>);
    let mut v = shared!(Tile<u64, 4, 8, Unswizzled>);
    let t = thread_idx().x as usize;
    let n = t as u32 + 32 * block_idx().x;
    u[(t / 8, t % 8)] = n;
    i[(t / 8, t % 8)] = 16 - n as i32;
    l[(t / 8, t % 8)] = n as i64 - 16;
    v[(t / 8, t % 8)] = !(n as u64);
    fence_proxy_async();
    sync_threads();
    if t == 0 {
        tma_reduce_add(sums, [1, 4], u);
        tma_reduce_min(least, [1, 4], i);
        tma_reduce_max(greatest, [1, 4], l);
        tma_reduce_and(ands, [1, 4], v);
        tma_reduce_or(ors, [1, 4], u);
        tma_reduce_xor(xors, [1, 4], u);
        bulk_commit();
        bulk_wait::<0>();
    }
}

#[test]
fn boxes_are_reduced_into_matrices() {
    everywhere::<reductions>(&(), |device| {
        const ROWS: usize = 4;
        const COLS: usize = 8;
        let n: Vec<u32> = (0..(ROWS * COLS) as u32).map(|i| i * 5 + 3).collect();
        let signed: Vec<i32> = n.iter().map(|v| *v as i32 - 60).collect();
        let long: Vec<i64> = n.iter().map(|v| i64::from(*v) - 60).collect();
        let bits: Vec<u64> = n.iter().map(|v| u64::MAX - u64::from(*v)).collect();
        let mut sums = device.upload(&n).expect("memory");
        let mut least = device.upload(&signed).expect("memory");
        let mut greatest = device.upload(&long).expect("memory");
        let mut ands = device.upload(&bits).expect("memory");
        let mut ors = device.upload(&n).expect("memory");
        let mut xors = device.upload(&n).expect("memory");
        reductions(
            sums.tensor_map_mut(ROWS, COLS).expect("a map"),
            least.tensor_map_mut(ROWS, COLS).expect("a map"),
            greatest.tensor_map_mut(ROWS, COLS).expect("a map"),
            ands.tensor_map_mut(ROWS, COLS).expect("a map"),
            ors.tensor_map_mut(ROWS, COLS).expect("a map"),
            xors.tensor_map_mut(ROWS, COLS).expect("a map"),
        )
        .grid(2)
        .block(32)
        .launch(device)
        .expect("a launch");
        // The number that a thread of the first block has for the element, if the box covers it.
        let given = |at: usize| {
            (at / COLS >= 1 && at % COLS >= 4).then(|| ((at / COLS - 1) * 8 + at % COLS - 4) as u32)
        };
        for at in 0..ROWS * COLS {
            let (mut want, mut s, mut l, mut b) = ([n[at]; 3], signed[at], long[at], bits[at]);
            for m in given(at).into_iter().flat_map(|m| [m, m + 32]) {
                want = [want[0] + m, want[1] | m, want[2] ^ m];
                s = s.min(16 - m as i32);
                l = l.max(i64::from(m) - 16);
                b &= !u64::from(m);
            }
            let on = device.name();
            assert_eq!(device.download(&sums).expect("no fault")[at], want[0], "sum {at} on {on}");
            assert_eq!(device.download(&ors).expect("no fault")[at], want[1], "or {at} on {on}");
            assert_eq!(device.download(&xors).expect("no fault")[at], want[2], "xor {at} on {on}");
            assert_eq!(device.download(&least).expect("no fault")[at], s, "least {at} on {on}");
            assert_eq!(device.download(&greatest).expect("no fault")[at], l, "greatest {at} on {on}");
            assert_eq!(device.download(&ands).expect("no fault")[at], b, "and {at} on {on}");
        }
    });
}

/// The first block of a cluster loads for both, and each stores what it has at its own place.
#[gpu_kernel(cluster(2))]
fn multicast(x: &TensorMap<f16, 8, 64, Swizzle128>, y: &mut TensorMapMut<f16, 8, 64, Swizzle128>) {
    let tile = shared!(Tile<f16, 8, 64, Swizzle128>);
    let full = shared!(Barrier);
    let (t, rank) = (thread_idx().x, cluster_block_rank());
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    cluster_sync();
    if t == 0 {
        full.expect(1024);
        if rank == 0 {
            tma_load_multicast(tile, x, [0usize, 64], full, 3);
        }
    }
    full.wait(&mut Phase::first());
    if t == 0 {
        tma_store(y, [8 * rank, 0], tile);
        bulk_commit();
        bulk_wait_read::<0>();
    }
    cluster_sync();
}

#[test]
fn a_box_is_loaded_into_each_block_of_a_cluster() {
    everywhere::<multicast>(&(), |device| {
        let x: Vec<f16> = numbers(7 * 120).iter().map(|v| f16::from_f32((*v % 1000) as f32)).collect();
        let input = device.upload(&x).expect("memory");
        let mut output = device.upload(&vec![f16::from_f32(-1.0); 16 * 64]).expect("memory");
        let (from, to) =
            (input.tensor_map(7, 120).expect("a map"), output.tensor_map_mut(16, 64).expect("a map"));
        multicast(from, to).grid(2).block(32).launch(device).expect("a launch");
        let one = of(&x, [7, 120], [0, 64], [8, 64]);
        assert_eq!(
            device.download(&output).expect("no fault"),
            [&one[..], &one].concat(),
            "on {}",
            device.name()
        );
    });
}

/// One box of halves, as it is loaded.
#[gpu_kernel]
fn one(x: &TensorMap<f32, 4, 8, Unswizzled>, row: i32, col: i32, out: &mut [f32]) {
    let full = shared!([Barrier; 1]);
    if thread_idx().x == 0 {
        full[0].init(1);
        fence_mbarrier_init();
    }
    sync_threads();
    let tile5 = shared!(Tile<f32, 4, 8, Unswizzled>);
    told(tile5, x, [row, col], &full[0], out);
}

#[test]
fn a_map_of_padded_rows_fills_with_nan() {
    everywhere::<one>(&(), |device| {
        let x: Vec<f32> = (0..6 * 10).map(|i| i as f32).collect();
        let mut padded = device.alloc_pitched::<f32>(6, 10).expect("memory");
        padded.write(&x).expect("a copy");
        let mut out = device.upload(&[0.0f32; 32]).expect("memory");
        let part = padded.part(1..5, 4..9).expect("a part");
        let map =
            part.tensor_map_with(TensorOptions::new().promotion(Promotion::B256).fill_nan()).expect("a map");
        one(&map, 2, 4, &mut out).grid(1).block(32).launch(device).expect("a launch");
        let inner: Vec<f32> = (1..5).flat_map(|r| (4..9).map(move |c| (r * 10 + c) as f32)).collect();
        let outside = of(&[1u8; 20], [4, 5], [2, 4], [4, 8]);
        for ((got, want), inside) in device
            .download(&out)
            .expect("no fault")
            .iter()
            .zip(of(&inner, [4, 5], [2, 4], [4, 8]))
            .zip(outside)
        {
            assert!(
                if inside == 1 { *got == want } else { got.is_nan() },
                "{got} for {want} on {}",
                device.name()
            );
        }
    });
}

#[test]
fn a_box_that_begins_between_units_of_16_bytes_is_a_fault() {
    let device = Device::simulator();
    let x = device.upload(&[0.0f32; 80]).expect("memory");
    let mut out = device.upload(&[0.0f32; 32]).expect("memory");
    let map = x.tensor_map(10, 8).expect("a map");
    let said = one(&map, 0, 3, &mut out).grid(1).block(32).launch(&device).expect_err("a fault").to_string();
    assert!(said.contains("takes a box that begins 12 bytes from the first column"), "{said}");
    assert!(one(&map, 0, -4, &mut out).grid(1).block(32).launch(&device).is_ok());
}

/// A stored tile that begins where an argument says.
#[gpu_kernel]
fn stored(map: &mut TensorMapMut<u32, 4, 8, Unswizzled>, row: i32, col: i32) {
    let mut tile = shared!(Tile<u32, 4, 8, Unswizzled>);
    let t = thread_idx().x as usize;
    tile[(t / 8, t % 8)] = 1;
    fence_proxy_async();
    sync_threads();
    if t == 0 {
        tma_store(map, [row, col], tile);
        bulk_commit();
        bulk_wait::<0>();
    }
}

/// An H200 stops with an illegal instruction.
#[test]
fn a_box_that_is_stored_before_the_matrix_is_a_fault() {
    let device = Device::simulator();
    let mut x = device.upload(&[0u32; 80]).expect("memory");
    let mut run = |row: i32, col: i32| {
        let map = x.tensor_map_mut(10, 8).expect("a map");
        stored(map, row, col).grid(1).block(32).launch(&device).map_err(|e| e.to_string())
    };
    assert_eq!([run(8, 4), run(0, 0)], [Ok(()), Ok(())]);
    let said = run(-1, 0).expect_err("a fault");
    assert!(said.contains("stores a box that begins at [-1, 0] of the tensor"), "{said}");
    let said = run(2, -4).expect_err("a fault");
    assert!(said.contains("begins at [2, -4] of the tensor"), "{said}");
}

fn refusal<T: std::fmt::Debug>(map: warpsmith::Result<T>) -> String {
    map.expect_err("no map").to_string()
}

#[test]
fn limits_of_maps_are_checked_on_the_host() {
    let device = Device::simulator();
    let x = device.upload(&[0.0f32; 1024]).expect("memory");
    let part = |from: usize| x.slice(from..).expect("a part");
    let said = refusal(x.tensor_map::<4, 8, Unswizzled>(10, 30));
    assert!(
        said.contains("120 bytes apart (30 columns of `f32`)") && said.contains("alloc_pitched"),
        "{said}"
    );
    let said = refusal(part(3).tensor_map::<4, 8, Unswizzled>(10, 32));
    assert!(said.contains("begins 12 bytes beyond a multiple of 16"), "{said}");
    let said = refusal(x.tensor_map::<4, 8, Unswizzled>(40, 32));
    assert!(said.contains("40 by 32 elements needs more memory than the 1024 elements there are"), "{said}");
    let said = refusal(x.tensor_map::<4, 8, Unswizzled>(0, 32));
    assert!(said.contains("0 rows; it has 1 to 4294967296"), "{said}");
    let options = TensorOptions::new().fill_nan();
    let y = device.upload(&[0u32; 64]).expect("memory");
    let said = refusal(y.slice(..).expect("a part").tensor_map_with::<4, 8, Unswizzled>(8, 8, options));
    assert!(said.contains("`u32` cannot fill with NaN"), "{said}");
    let volume = part(0).volume(2, 8, 8).expect("a volume");
    let said = refusal(volume.tensor_map::<4, 8, Unswizzled>());
    assert!(said.contains("2 planes") && said.contains("volume.part"), "{said}");
}
