//! The largest and smallest keys of rows against the host's sort.

use proptest::prelude::{Just, ProptestConfig, any, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::sorting::top_k;

use crate::devices::{Random, devices, shuffled};
use crate::matrices::{Place, Placed};
use crate::sorting::{Bits, KEYS, Keys, keys};

/// Rows of keys, and what is asked of them.
#[derive(Clone, Copy, Debug)]
struct Case {
    of: Keys,
    place: Place,
    k: usize,
    smallest: bool,
}

fn check<K: Bits + PartialEq>(device: &Device, case: Case, seed: u64) {
    let Case { of, place, k, smallest } = case;
    let Place { rows, cols, gap, offset } = place;
    let x: Vec<K> = (0..rows).flat_map(|r| keys::<K>(of, cols, seed + r as u64)).collect();
    let placed = Placed::new(device, place, &x, K::of(7));
    let to = Place { rows, cols: k, gap: gap / 2, offset: offset / 2 };
    let mut y = Placed::new(device, to, &vec![K::of(9); rows * k], K::of(9));
    let mut columns = Placed::new(device, Place { gap, ..to }, &vec![9u32; rows * k], 9);
    let call = top_k(device, placed.matrix(), y.matrix_mut(), columns.matrix_mut());
    let call = if smallest { call.smallest() } else { call };
    call.run().unwrap_or_else(|e| panic!("{case:?}: {e}"));
    let (y, columns) = (y.read(device, K::of(9)), columns.read(device, 9));
    for r in 0..rows {
        let row = &x[r * cols..(r + 1) * cols];
        let mut order: Vec<usize> = (0..cols).collect();
        order.sort_by(|a, b| if smallest { row[*a].order(row[*b]) } else { row[*b].order(row[*a]) });
        for (i, column) in order.into_iter().take(k).enumerate() {
            let at = r * k + i;
            assert_eq!(columns[at] as usize, column, "{case:?}: key {i} of row {r}");
            assert_eq!(y[at].bits(), row[column].bits(), "{case:?}: key {i} of row {r}");
        }
    }
}

#[test]
fn the_first_keys_of_rows_are_found() {
    for device in devices() {
        for (i, (rows, cols, k)) in
            [(0, 5, 2), (3, 4, 0), (2, 1, 1), (3, 33, 33), (5, 300, 8), (2, 3000, 100), (1, 5000, 1024)]
                .into_iter()
                .enumerate()
        {
            for (j, of) in KEYS.into_iter().enumerate() {
                let (smallest, offset) = ((i + j) % 2 == 1, j % 3);
                let case = Case { of, place: Place { rows, cols, gap: j, offset }, k, smallest };
                match j % 3 {
                    0 => check::<f32>(&device, case, i as u64),
                    1 => check::<i32>(&device, case, i as u64),
                    _ => check::<u64>(&device, case, i as u64),
                }
            }
        }
    }
}

#[test]
fn keys_that_do_not_fit_are_refused() {
    let device = Device::simulator();
    let x = device.alloc_zeroed::<f32>(4000).expect("device memory");
    let mut y = device.alloc_zeroed::<f32>(4000).expect("device memory");
    let mut columns = device.alloc_zeroed::<u32>(4000).expect("device memory");
    let mut refused = |k: usize, found: usize| {
        let y = matrix_mut(&mut y, 2, k).expect("it fits");
        let columns = matrix_mut(&mut columns, 2, found).expect("it fits");
        let x = matrix(&x, 2, 1500).expect("it fits");
        top_k(&device, x, y, columns).plan().expect_err("refused").to_string()
    };
    assert_eq!(
        refused(1025, 1025),
        "`y` has 2 rows and 1025 columns, but needs the 2 rows of `x`, and at most 1024 columns; ask for fewer keys, \
         or sort the rows with `sort_pairs`"
    );
    assert_eq!(
        refused(5, 4),
        "`columns` has 2 rows and 4 columns, but needs the 2 rows and 5 columns of `y`; pass matrices of the same extents"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn keys_of_any_kind_and_number(
        of in prop_oneof![Just(Keys::Any), Just(Keys::Equal), Just(Keys::Descending), Just(Keys::Few)],
        rows in 0usize..4,
        cols in prop_oneof![0usize..70, 0usize..1500],
        share in 0usize..100,
        (gap, offset) in (0usize..9, 0usize..5),
        (smallest, is_wide) in any::<(bool, bool)>(),
        seed in 0u64..1000,
    ) {
        let k = (cols * Random::new(seed).below(share + 1) / 100).min(1024);
        let case = Case { of, place: Place { rows, cols, gap, offset }, k, smallest };
        if is_wide {
            check::<f64>(&shuffled(seed), case, seed);
        } else {
            check::<u32>(&shuffled(seed), case, seed);
        }
    }
}
