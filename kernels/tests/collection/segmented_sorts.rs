//! Sorts of segments against the host's stable sort.

use proptest::prelude::{ProptestConfig, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::sorting::{
    Value, merge_segments, segmented_sort, segmented_sort_pairs, sort_segments,
};

use crate::devices::{Placed, devices, scale, shuffled};
use crate::sorting::{Bits, KEYS, Keys, keys};

/// Keys before the first segment and behind the last one.
const OUTSIDE: usize = 3;

/// Segments of these lengths, and how they are sorted.
#[derive(Clone, Debug)]
struct Case {
    of: Keys,
    lengths: Vec<usize>,
    offset: usize,
    descending: bool,
}

impl Case {
    fn offsets(&self) -> Vec<u32> {
        let ends = self.lengths.iter().scan(OUTSIDE, |at, len| {
            *at += len;
            Some(*at as u32)
        });
        [OUTSIDE as u32].into_iter().chain(ends).collect()
    }

    /// The places of the keys in their new order; `None` outside segments.
    fn order<K: Bits>(&self, x: &[K]) -> Vec<Option<usize>> {
        let mut order = vec![None; x.len()];
        for ends in self.offsets().windows(2) {
            let from = ends[0] as usize;
            let mut places: Vec<usize> = (from..ends[1] as usize).collect();
            places.sort_by(|a, b| if self.descending { x[*b].order(x[*a]) } else { x[*a].order(x[*b]) });
            for (i, place) in places.into_iter().enumerate() {
                order[from + i] = Some(place);
            }
        }
        order
    }
}

/// Sorts keys by themselves, and with the numbers of their places.
fn check<K: Bits, V: Value + std::fmt::Debug>(
    device: &Device,
    case: &Case,
    seed: u64,
    value: fn(usize) -> V,
) {
    let offsets = case.offsets();
    let x = keys::<K>(case.of, case.lengths.iter().sum::<usize>() + 2 * OUTSIDE, seed);
    let untouched = K::of(9);
    let order = case.order(&x);
    let want: Vec<u64> =
        order.iter().map(|place| place.map_or(untouched.bits(), |place| x[place].bits())).collect();
    let values: Vec<V> = (0..x.len()).map(value).collect();
    let want_values: Vec<V> =
        order.iter().map(|place| place.map_or(value(7), |place| values[place])).collect();
    let bits = |keys: Vec<K>| keys.into_iter().map(K::bits).collect::<Vec<_>>();
    let placed = Placed::new(device, case.offset, &x, K::of(7));
    let placed_values = Placed::new(device, case.offset, &values, value(1));
    let offsets = device.upload(&offsets).expect("device memory");
    let mut y = Placed::new(device, case.offset, &vec![untouched; x.len()], untouched);
    let mut y_values = Placed::new(device, 0, &vec![value(7); x.len()], value(7));

    let call = segmented_sort(device, placed.part(), &offsets, y.part_mut());
    let call = if case.descending { call.descending() } else { call };
    call.run().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    assert!(bits(y.read(device)) == want, "{case:?}");

    let (from, to) = ((placed.part(), placed_values.part()), (y.part_mut(), y_values.part_mut()));
    let call = segmented_sort_pairs(device, from.0, from.1, &offsets, to.0, to.1);
    let call = if case.descending { call.descending() } else { call };
    let mut call = call.prepare().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    for _ in 0..if x.len() < 1000 { 2 } else { 1 } {
        call.launch().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    }
    drop(call);
    assert!(bits(y.read(device)) == want && y_values.read(device) == want_values, "{case:?}, pairs");
}

fn small(value: usize) -> u32 {
    value as u32
}

fn large(value: usize) -> f64 {
    value as f64
}

#[test]
fn segments_of_all_kinds_of_lengths() {
    // Ranges have 1024 positions, segments without tiles up to 2048, as tiles have. Groups of the network are powers of two.
    let lengths: [&[usize]; 11] = [
        &[],
        &[0, 0],
        &[1, 0, 2, 33, 0, 256, 257, 5],
        &[1500, 256, 36, 256],
        &[257; 9],
        &[2048, 2049, 3],
        &[5000, 10, 0, 4097],
        &[9000],
        &[64, 65, 0, 63, 1, 257, 33, 700, 3, 513, 127],
        &[1000, 1024, 0, 0, 1025, 64, 128, 1023, 1024],
        &[30, 30, 1000, 30, 1030, 30, 2047, 2048, 2049],
    ];
    for device in devices() {
        for (k, lengths) in lengths.into_iter().enumerate() {
            let lengths = lengths.iter().map(|len| len * scale(&device)).collect();
            let case = Case { of: KEYS[k % KEYS.len()], lengths, offset: k % 3, descending: k % 2 == 1 };
            check::<u32, u32>(&device, &case, k as u64, small);
            if k % 2 == 1 {
                check::<f64, u32>(&device, &Case { of: KEYS[(k + 1) % KEYS.len()], ..case }, k as u64, small);
            }
        }
    }
}

#[test]
fn keys_of_every_type() {
    let case = |of| Case { of, lengths: vec![40, 0, 300, 3], offset: 1, descending: false };
    for device in devices() {
        check::<i32, f64>(&device, &case(Keys::Any), 1, large);
        check::<f32, f64>(&device, &case(Keys::Any), 2, large);
        check::<u64, u32>(&device, &case(Keys::Few), 3, small);
        check::<i64, f64>(&device, &case(Keys::Any), 4, large);
    }
}

#[test]
fn a_block_takes_one_range_after_the_other() {
    let case = Case { of: Keys::Any, lengths: vec![7, 300, 9000, 0, 1700, 20], offset: 0, descending: false };
    // The last ranges have no segment at all.
    let x = keys::<u32>(case.of, case.lengths.iter().sum::<usize>() + 2 * OUTSIDE + 6000, 1);
    let want: Vec<u32> = case.order(&x).iter().map(|place| place.map_or(9, |place| x[place])).collect();
    let places: Vec<u32> = (0..x.len() as u32).collect();
    for (device, grid) in devices().into_iter().flat_map(|device| [(device.clone(), 1), (device, 2)]) {
        let offsets = device.upload(&case.offsets()).unwrap();
        let (from, values) = (device.upload(&x).unwrap(), device.upload(&places).unwrap());
        let (mut y, mut y_values) =
            (device.upload(&vec![9u32; x.len()]).unwrap(), device.upload(&places).unwrap());
        let mut spare = device.alloc_zeroed::<u32>(x.len()).unwrap();
        let mut spare_values = device.alloc_zeroed::<u32>(x.len()).unwrap();
        let mut longest = device.alloc_zeroed::<u32>(1).unwrap();
        let ranges = x.len().div_ceil(1024);
        let each = ranges.div_ceil(grid as usize);
        sort_segments::<u32, u32>(
            &from,
            &values,
            &offsets,
            &mut y,
            &mut y_values,
            &mut spare,
            &mut spare_values,
            &mut longest,
            each * 1024,
            true,
            false,
        )
        .grid(grid)
        .block(128)
        .launch(&device)
        .unwrap();
        assert_eq!(device.download(&longest).unwrap(), [3]); // of five tiles
        for pass in 0..4 {
            merge_segments::<u32, u32>(
                &offsets,
                &mut y,
                &mut y_values,
                &mut spare,
                &mut spare_values,
                &longest,
                pass,
                ranges,
                each,
                true,
                false,
            )
            .grid(grid)
            .block(256)
            .launch(&device)
            .unwrap();
        }
        assert!(device.download(&y).unwrap() == want, "{grid} blocks");
    }
}

#[test]
fn a_prepared_call_sorts_the_segments_of_each_launch() {
    let device = Device::simulator();
    let x: Vec<u32> = (0..5000).rev().collect();
    let from = device.upload(&x).unwrap();
    let mut offsets = device.upload(&[0u32, 5000]).unwrap();
    let mut y = device.alloc_zeroed::<u32>(5000).unwrap();
    let place: *mut Buffer<u32> = &mut offsets;
    let mut call = segmented_sort(&device, &from, &offsets, &mut y).prepare().unwrap();
    call.launch().unwrap();
    // SAFETY: no launch is running, and the call reads the memory at its next launch alone.
    device.write(unsafe { &mut *place }, &[0u32, 10]).unwrap();
    call.launch().unwrap();
    drop(call);
    let y = device.download(&y).unwrap();
    assert!(y[..10].iter().copied().eq(4990..5000) && y[10..].iter().copied().eq(10..5000));
}

#[test]
fn mistakes_are_explained() {
    let device = Device::simulator();
    let x = device.upload(&[1u32; 12]).unwrap();
    let mut y = device.alloc_zeroed::<u32>(12).unwrap();
    let text = |result: Result<(), KernelError>| result.unwrap_err().to_string();
    assert_eq!(
        text(segmented_sort(&device, &x, x.slice(..0).unwrap(), &mut y).run()),
        "`offsets` has 0 elements, but needs one for each segment and one behind the last; without segments, pass a zero"
    );
    for (offsets, why) in [([0u32, 5, 3], "below the one before"), ([0, 5, 13], "beyond the keys")] {
        let offsets = device.upload(&offsets).unwrap();
        let error = text(segmented_sort(&device, &x, &offsets, &mut y).run());
        assert!(error.contains(why), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_segments(
        lengths in prop_oneof![
            proptest::collection::vec(0usize..12, 0..400),
            proptest::collection::vec(0usize..100, 0..100),
            proptest::collection::vec(0usize..400, 0..20),
            proptest::collection::vec(prop_oneof![0usize..300, 0usize..5000], 0..3),
        ],
        of in 0usize..5,
        offset in 0usize..5,
        (descending, is_wide) in any::<(bool, bool)>(),
        seed in 0u64..1000,
    ) {
        let case = Case { of: KEYS[of], lengths, offset, descending };
        if is_wide {
            check::<i64, f64>(&shuffled(seed), &case, seed, large);
        } else {
            check::<f32, u32>(&shuffled(seed), &case, seed, small);
        }
    }
}
