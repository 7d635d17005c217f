//! Maps of tensors of one to five dimensions: boxes loaded, stored and reduced, by every executor.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor_map::{BoxLayout, LoadMap, MappedElement, StoreMap, TensorOptions};

use super::everywhere;

fn numbers(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

/// The coordinates of all elements, row after row.
fn coordinates(extents: &[usize]) -> Vec<Vec<i64>> {
    extents.iter().fold(vec![Vec::new()], |all, extent| {
        all.iter().flat_map(|head| (0..*extent as i64).map(move |i| [&head[..], &[i]].concat())).collect()
    })
}

/// The place of an element among those of a dense tensor; `None` outside.
fn place(extents: &[usize], at: &[i64]) -> Option<usize> {
    extents
        .iter()
        .zip(at)
        .try_fold(0, |all, (extent, i)| (0..*extent as i64).contains(i).then(|| all * extent + *i as usize))
}

/// The elements of the box of a dense tensor, with zeros outside.
fn of<T: Copy + Default>(x: &[T], extents: &[usize], first: &[i32], shape: &[usize]) -> Vec<T> {
    let moved =
        |at: Vec<i64>| at.iter().zip(first).map(|(i, first)| i + i64::from(*first)).collect::<Vec<_>>();
    let element = |at: Vec<i64>| place(extents, &moved(at)).map_or(T::default(), |place| x[place]);
    coordinates(shape).into_iter().map(element).collect()
}

/// The elements of a box, row after row, of any rank.
#[gpu_fn]
fn told<
    T: MappedElement,
    const ROWS: usize,
    const COLS: usize,
    L: BoxLayout,
    M: LoadMap<T, ROWS, COLS, L, RANK>,
    const RANK: usize,
>(
    tile: Tile<T, ROWS, COLS, L>,
    map: &M,
    at: [i32; RANK],
    barrier: &Barrier,
    out: &mut [T],
) {
    let t = thread_idx().x as usize;
    if t == 0 {
        barrier.load_tile(tile, map, at);
        barrier.arrive();
    }
    barrier.wait_for(Phase::first());
    for i in (t..ROWS * COLS).step_by(block_dim().x as usize) {
        out[i] = tile[(i / COLS, i % COLS)];
    }
}

#[gpu_kernel]
fn boxes(
    x1: &TensorMap1<u32, 64, Unswizzled>,
    x3: &TensorMap3<f16, 2, 4, 64, Swizzle128>,
    x4: &TensorMap4<f32, 2, 1, 3, 8, Unswizzled>,
    x5: &TensorMap5<u8, 2, 1, 2, 3, 32, Swizzle32<16>>,
    at: [i32; 5],
    y1: &mut [u32],
    y3: &mut [f16],
    y4: &mut [f32],
    y5: &mut [u8],
) {
    let full = shared!([Barrier; 4]);
    if thread_idx().x == 0 {
        tensormap_prefetch(x3);
        for i in 0..4usize {
            full[i].init(1);
        }
        fence_mbarrier_init();
    }
    sync_threads();
    let [a, b, c, d, e] = at;
    let tile1 = shared!(Tile<u32, 1, 64, Unswizzled>);
    told(tile1, x1, [e], &full[0], y1);
    let tile3 = shared!(Tile<f16, 8, 64, Swizzle128>);
    told(tile3, x3, [c, d, e], &full[1], y3);
    let tile4 = shared!(Tile<f32, 6, 8, Unswizzled>);
    told(tile4, x4, [b, c, d, e], &full[2], y4);
    let tile5 = shared!(Tile<u8, 12, 32, Swizzle32<16>>);
    told(tile5, x5, [a, b, c, d, e], &full[3], y5);
}

#[test]
fn boxes_of_each_rank_lie_in_tiles_row_after_row() {
    everywhere::<boxes>(&(), |device| {
        let extents = [3usize, 2, 4, 5, 48];
        let n = numbers(extents.iter().product());
        let x3: Vec<f16> = n.iter().map(|v| f16::from_f32((*v % 2000) as f32)).collect();
        let x4: Vec<f32> = n.iter().map(|v| *v as f32).collect();
        let x5: Vec<u8> = n.iter().map(|v| *v as u8).collect();
        let (d1, d3) = (device.upload(&n).expect("memory"), device.upload(&x3).expect("memory"));
        let (d4, d5) = (device.upload(&x4).expect("memory"), device.upload(&x5).expect("memory"));
        let [e1, e3, e4] = [&extents[4..], &extents[2..], &extents[1..]];
        let starts =
            [[0, 0, 0, 0, 0], [1, 1, 2, 3, 16], [2, 1, 3, 4, 32], [-1, -1, -1, -2, -16], [3, 0, 0, 0, 48]];
        for at in starts {
            let mut y1 = device.upload(&[7u32; 64]).expect("memory");
            let mut y3 = device.upload(&[f16::from_f32(7.0); 8 * 64]).expect("memory");
            let mut y4 = device.upload(&[7.0f32; 6 * 8]).expect("memory");
            let mut y5 = device.upload(&[7u8; 12 * 32]).expect("memory");
            let m1 = d1.tensor([48]).map().expect("a map");
            let m3 = d3.tensor([4, 5, 48]).map().expect("a map");
            let m4 = d4.tensor([2, 4, 5, 48]).map().expect("a map");
            let m5 = d5.tensor(extents).map().expect("a map");
            let launch = boxes(&m1, &m3, &m4, &m5, at, &mut y1, &mut y3, &mut y4, &mut y5);
            launch.grid(1).block(32).launch(device).expect("a launch");
            let what = format!("{at:?} on {}", device.name());
            assert_eq!(device.download(&y1).expect("no fault"), of(&n, e1, &at[4..], &[64]), "{what}");
            assert_eq!(device.download(&y3).expect("no fault"), of(&x3, e3, &at[2..], &[2, 4, 64]), "{what}");
            assert_eq!(
                device.download(&y4).expect("no fault"),
                of(&x4, e4, &at[1..], &[2, 1, 3, 8]),
                "{what}"
            );
            assert_eq!(
                device.download(&y5).expect("no fault"),
                of(&x5, &extents, &at, &[2, 1, 2, 3, 32]),
                "{what}"
            );
        }
    });
}

/// The number of a place in a tile, which the block's threads write.
#[gpu_fn]
fn counted<const ROWS: usize, const COLS: usize>(tile: &mut Tile<u32, ROWS, COLS, Unswizzled>, first: u32) {
    for i in (thread_idx().x as usize..ROWS * COLS).step_by(block_dim().x as usize) {
        tile[(i / COLS, i % COLS)] = first + i as u32;
    }
}

/// Stores a tile at coordinates, or adds it.
#[gpu_fn]
fn given<
    const ROWS: usize,
    const COLS: usize,
    M: StoreMap<u32, ROWS, COLS, Unswizzled, RANK>,
    const RANK: usize,
>(
    map: &mut M,
    at: [u32; RANK],
    tile: Tile<u32, ROWS, COLS, Unswizzled>,
    adds: bool,
) {
    if adds {
        tma_reduce_add(map, at, tile);
    } else {
        tma_store(map, at, tile);
    }
}

#[gpu_kernel]
fn stores(
    y1: &mut TensorMapMut1<u32, 16, Unswizzled>,
    y3: &mut TensorMapMut3<u32, 2, 3, 8, Unswizzled>,
    y4: &mut TensorMapMut4<u32, 2, 2, 1, 4, Unswizzled>,
    y5: &mut TensorMapMut5<u32, 2, 1, 2, 2, 4, Unswizzled>,
    at: [u32; 5],
    adds: bool,
) {
    let mut tile1 = shared!(Tile<u32, 1, 16, Unswizzled>);
    let mut tile3 = shared!(Tile<u32, 6, 8, Unswizzled>);
    let mut tile4 = shared!(Tile<u32, 4, 4, Unswizzled>);
    let mut tile5 = shared!(Tile<u32, 8, 4, Unswizzled>);
    counted(&mut tile1, 1000);
    counted(&mut tile3, 2000);
    counted(&mut tile4, 3000);
    counted(&mut tile5, 4000);
    fence_proxy_async();
    sync_threads();
    if thread_idx().x == 0 {
        let [a, b, c, d, e] = at;
        given(y1, [e], tile1, adds);
        given(y3, [c, d, e], tile3, adds);
        given(y4, [b, c, d, e], tile4, adds);
        given(y5, [a, b, c, d, e], tile5, adds);
        bulk_commit();
        bulk_wait::<0>();
    }
}

/// A dense tensor into which numbers from `first` on were stored as a box, or added.
fn expected(
    before: &[u32],
    extents: &[usize],
    at: &[u32],
    shape: &[usize],
    first: u32,
    adds: bool,
) -> Vec<u32> {
    let mut all = before.to_vec();
    for (i, within) in coordinates(shape).into_iter().enumerate() {
        let at: Vec<i64> = within.iter().zip(at).map(|(i, at)| i + i64::from(*at)).collect();
        if let Some(place) = place(extents, &at) {
            let number = first + i as u32;
            all[place] = if adds { all[place] + number } else { number };
        }
    }
    all
}

#[test]
fn boxes_of_each_rank_are_stored_and_added() {
    everywhere::<stores>(&(), |device| {
        let extents = [3usize, 2, 3, 5, 20];
        let n = numbers(extents.iter().product());
        for (at, adds) in [
            ([0u32; 5], false),
            ([1, 1, 2, 3, 16], true),
            ([2, 0, 1, 4, 12], false),
            ([3, 2, 3, 5, 20], true),
        ] {
            let mut y1 = device.upload(&n[..20]).expect("memory");
            let mut y3 = device.upload(&n[..300]).expect("memory");
            let mut y4 = device.upload(&n[..600]).expect("memory");
            let mut y5 = device.upload(&n).expect("memory");
            stores(
                y1.tensor_mut([20]).map().expect("a map"),
                y3.tensor_mut([3, 5, 20]).map().expect("a map"),
                y4.tensor_mut([2, 3, 5, 20]).map().expect("a map"),
                y5.tensor_mut(extents).map().expect("a map"),
                at,
                adds,
            )
            .grid(1)
            .block(32)
            .launch(device)
            .expect("a launch");
            let what = format!("{at:?} on {}", device.name());
            let want = |from: usize, shape: &[usize], first: u32| {
                let count: usize = extents[from..].iter().product();
                expected(&n[..count], &extents[from..], &at[from..], shape, first, adds)
            };
            assert_eq!(device.download(&y1).expect("no fault"), want(4, &[16], 1000), "{what}");
            assert_eq!(device.download(&y3).expect("no fault"), want(2, &[2, 3, 8], 2000), "{what}");
            assert_eq!(device.download(&y4).expect("no fault"), want(1, &[2, 2, 1, 4], 3000), "{what}");
            assert_eq!(device.download(&y5).expect("no fault"), want(0, &[2, 1, 2, 2, 4], 4000), "{what}");
        }
    });
}

/// Reductions of a line, a volume and five dimensions, by two blocks at once.
#[gpu_kernel]
fn reductions(
    least: &mut TensorMapMut1<i32, 32, Unswizzled>,
    greatest: &mut TensorMapMut3<i64, 2, 2, 8, Unswizzled>,
    ands: &mut TensorMapMut4<u32, 1, 2, 2, 8, Unswizzled>,
    ors: &mut TensorMapMut5<u32, 1, 1, 2, 2, 8, Unswizzled>,
    xors: &mut TensorMapMut3<u32, 1, 4, 8, Unswizzled>,
) {
    let mut i = shared!(Tile<i32, 1, 32, Unswizzled>);
    let mut l = shared!(Tile<i64, 4, 8, Unswizzled>);
    let mut u = shared!(Tile<u32, 4, 8, Unswizzled>);
    let t = thread_idx().x as usize;
    let n = t as u32 + 32 * block_idx().x;
    i[(0, t)] = 16 - n as i32;
    l[(t / 8, t % 8)] = n as i64 - 16;
    u[(t / 8, t % 8)] = n * 3;
    fence_proxy_async();
    sync_threads();
    if t == 0 {
        tma_reduce_min(least, [0usize], i);
        tma_reduce_max(greatest, [0, 0, 0], l);
        tma_reduce_and(ands, [0, 0, 0, 0], u);
        tma_reduce_or(ors, [0, 0, 0, 0, 0], u);
        tma_reduce_xor(xors, [0, 0, 0], u);
        bulk_commit();
        bulk_wait::<0>();
    }
}

#[test]
fn boxes_of_each_rank_are_reduced() {
    everywhere::<reductions>(&(), |device| {
        let n: Vec<u32> = (0..32).map(|i| i * 5 + 3).collect();
        let signed: Vec<i32> = n.iter().map(|v| *v as i32 - 60).collect();
        let long: Vec<i64> = n.iter().map(|v| i64::from(*v) - 60).collect();
        let mut least = device.upload(&signed).expect("memory");
        let mut greatest = device.upload(&long).expect("memory");
        let (mut ands, mut ors) = (device.upload(&n).expect("memory"), device.upload(&n).expect("memory"));
        let mut xors = device.upload(&n).expect("memory");
        reductions(
            least.tensor_mut([32]).map().expect("a map"),
            greatest.tensor_mut([2, 2, 8]).map().expect("a map"),
            ands.tensor_mut([1, 2, 2, 8]).map().expect("a map"),
            ors.tensor_mut([1, 1, 2, 2, 8]).map().expect("a map"),
            xors.tensor_mut([1, 4, 8]).map().expect("a map"),
        )
        .grid(2)
        .block(32)
        .launch(device)
        .expect("a launch");
        for at in 0..32usize {
            let (t, on) = (at as u32, device.name());
            let tiles = [t * 3, (t + 32) * 3];
            let want = signed[at].min(16 - t as i32 - 32);
            assert_eq!(device.download(&least).expect("no fault")[at], want, "least {at} on {on}");
            let want = long[at].max(i64::from(t) + 16);
            assert_eq!(device.download(&greatest).expect("no fault")[at], want, "greatest {at} on {on}");
            let joined = |join: fn(u32, u32) -> u32| tiles.into_iter().fold(n[at], join);
            assert_eq!(
                device.download(&ands).expect("no fault")[at],
                joined(|a, b| a & b),
                "and {at} on {on}"
            );
            assert_eq!(device.download(&ors).expect("no fault")[at], joined(|a, b| a | b), "or {at} on {on}");
            assert_eq!(
                device.download(&xors).expect("no fault")[at],
                joined(|a, b| a ^ b),
                "xor {at} on {on}"
            );
        }
    });
}

/// The first block of a cluster loads a box of two planes for both, with hints; each stores what it has.
#[gpu_kernel(cluster(2))]
fn multicast(x: &TensorMap3<f16, 2, 4, 64, Swizzle128>, y: &mut TensorMapMut3<f16, 2, 4, 64, Swizzle128>) {
    let tile = shared!(Tile<f16, 8, 64, Swizzle128>);
    let full = shared!([Barrier; 2]);
    let (t, rank) = (thread_idx().x, cluster_block_rank());
    if t == 0 {
        full[0].init(1);
        full[1].init(1);
        fence_mbarrier_init();
    }
    cluster_sync();
    let size = Tile::<f16, 8, 64, Swizzle128>::SIZE;
    if t == 0 {
        full[0].expect(size);
        full[1].expect(size);
        if rank == 0 {
            tma_load_multicast(tile, x, [0usize, 1, 0], &full[0], 3);
        }
    }
    full[0].wait_for(Phase::first());
    cluster_sync();
    if t == 0 && rank == 0 {
        tma_load_multicast_hint(tile, x, [1usize, 0, 64], &full[1], 3, CachePolicy::evict_last());
    }
    full[1].wait_for(Phase::first());
    if t == 0 {
        tma_store(y, [2 * rank, 0, 0], tile);
        bulk_commit();
        bulk_wait_read::<0>();
    }
    cluster_sync();
}

#[test]
fn a_box_of_planes_is_loaded_into_each_block_of_a_cluster() {
    everywhere::<multicast>(&(), |device| {
        let extents = [2usize, 5, 120];
        let x: Vec<f16> = numbers(1200).iter().map(|v| f16::from_f32((*v % 1000) as f32)).collect();
        let input = device.upload(&x).expect("memory");
        let mut output = device.upload(&vec![f16::from_f32(-1.0); 4 * 4 * 64]).expect("memory");
        let (from, to) = (
            input.tensor(extents).map().expect("a map"),
            output.tensor_mut([4, 4, 64]).map().expect("a map"),
        );
        multicast(from, to).grid(2).block(32).launch(device).expect("a launch");
        let one = of(&x, &extents, &[1, 0, 64], &[2, 4, 64]);
        assert_eq!(
            device.download(&output).expect("no fault"),
            [&one[..], &one].concat(),
            "on {}",
            device.name()
        );
    });
}

#[derive(Stage)]
struct Planes<'a> {
    x: Tile<'a, f32, 8, 32, Swizzle128<4>>,
}

/// Sums of boxes of two planes, which go through a pipeline.
#[gpu_kernel]
fn summed(x: &TensorMap3<f32, 2, 4, 32, Swizzle128<4>>, steps: u32, y: &mut [f32]) {
    let ring = shared!(Pipeline<Planes, 2>);
    if warpgroup_id() == 1 {
        if thread_idx().x == 128 {
            let mut load = ring.producer();
            for s in 0..steps {
                let slot = load.acquire();
                if s % 2 == 0 {
                    slot.load(slot.tiles().x, x, [2 * s, 0, 0]);
                } else {
                    slot.load_hint(slot.tiles().x, x, [2 * s, 0, 0], CachePolicy::evict_first());
                }
                load.commit(slot);
            }
            load.drain();
        }
    } else {
        let t = thread_idx().x as usize;
        let mut math = ring.consumer();
        let (mut low, mut high) = (0.0, 0.0);
        for _ in 0..steps {
            let stage = math.wait();
            let tile = stage.tiles().x;
            low += tile[(t / 32, t % 32)];
            high += tile[(4 + t / 32, t % 32)];
            named_barrier_sync(1, 128);
            math.release(stage);
        }
        y[t] = low + 1000.0 * high;
    }
}

#[test]
fn boxes_of_planes_go_through_a_pipeline() {
    everywhere::<summed>(&(), |device| {
        let x: Vec<f32> = (0..10 * 4 * 32).map(|i| (i % 97) as f32).collect();
        let input = device.upload(&x).expect("memory");
        let mut y = device.upload(&[0.0f32; 128]).expect("memory");
        let map = input.tensor([10, 4, 32]).map().expect("a map");
        summed(&map, 5, &mut y).grid(1).block(256).launch(device).expect("a launch");
        let plane = |p: usize, t: usize| x[p * 128 + t];
        let want = |t: usize| {
            let low: f32 = (0..5).map(|s| plane(2 * s, t)).sum();
            let high: f32 = (0..5).map(|s| plane(2 * s + 1, t)).sum();
            low + 1000.0 * high
        };
        let want: Vec<f32> = (0..128).map(want).collect();
        assert_eq!(device.download(&y).expect("no fault"), want, "on {}", device.name());
    });
}

/// One box of a volume.
#[gpu_kernel]
fn one(x: &TensorMap3<f32, 2, 4, 8, Unswizzled>, at: [i32; 3], out: &mut [f32]) {
    let full = shared!([Barrier; 1]);
    if thread_idx().x == 0 {
        full[0].init(1);
        fence_mbarrier_init();
    }
    sync_threads();
    let tile = shared!(Tile<f32, 8, 8, Unswizzled>);
    told(tile, x, at, &full[0], out);
}

#[test]
fn strides_need_not_descend_and_volumes_may_be_padded() {
    everywhere::<one>(&(), |device| {
        let x: Vec<f32> = (0..6 * 40).map(|i| i as f32).collect();
        let mut out = device.upload(&[0.0f32; 64]).expect("memory");
        let mut loaded = |map: &TensorMap3<f32, 2, 4, 8, Unswizzled>, at: [i32; 3]| {
            one(map, at, &mut out).grid(1).block(32).launch(device).expect("a launch");
            device.download(&out).expect("no fault")
        };
        // The columns of a matrix in panels of eight.
        let matrix = device.upload(&x).expect("memory");
        let panels = matrix.tensor([5, 6, 8]).strides([8, 40, 1]).map().expect("a map");
        let turned: Vec<f32> =
            coordinates(&[5, 6, 8]).iter().map(|at| (at[1] * 40 + at[0] * 8 + at[2]) as f32).collect();
        let want = of(&turned, &[5, 6, 8], &[3, 4, 0], &[2, 4, 8]);
        assert_eq!(loaded(&panels, [3, 4, 0]), want, "panels on {}", device.name());
        // A part of a volume with padded rows.
        let mut padded = device.alloc_pitched_3d::<f32>(3, 4, 20).expect("memory");
        padded.part_mut(.., .., ..).expect("all of it").write(&x).expect("a copy");
        let part = padded.part(1.., ..3, 4..).expect("a part").tensor();
        let inner: Vec<f32> = coordinates(&[2, 3, 16])
            .iter()
            .map(|at| x[((at[0] + 1) * 80 + at[1] * 20 + at[2] + 4) as usize])
            .collect();
        let want = of(&inner, &[2, 3, 16], &[1, 0, 8], &[2, 4, 8]);
        assert_eq!(loaded(&part.map().expect("a map"), [1, 0, 8]), want, "a part on {}", device.name());
        // NaNs outside.
        let nans = loaded(&part.options(TensorOptions::new().fill_nan()).map().expect("a map"), [1, 0, 8]);
        let inside = of(&[1u8; 96], &[2, 3, 16], &[1, 0, 8], &[2, 4, 8]);
        for ((got, want), inside) in nans.iter().zip(&want).zip(inside) {
            assert!(
                if inside == 1 { got == want } else { got.is_nan() },
                "{got} for {want} on {}",
                device.name()
            );
        }
    });
}
