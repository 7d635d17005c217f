//! Which tiles of groups of rows each cluster computes.

use proptest::prelude::{ProptestConfig, prop_oneof, proptest};
use warpsmith::prelude::*;
use warpsmith_kernels::products::tensor_cores::grouped_shares::{Count, Division, RUNS, Turns};

use crate::devices::devices;

/// Counts the clusters that compute each row of each column of tiles, and the halves of shares of each cluster.
#[gpu_kernel]
fn computed(offsets: &[u32], division: Division, counts: &mut [u32], halves: &mut [u32]) {
    let mut before = shared!([Count; RUNS + 1]);
    let mut turns = shared!([Turns; 1]);
    division.prepare(offsets, &mut before, &mut turns, 1);
    if thread_idx().x == 0 {
        let mut at = turns[0].first();
        while at < turns[0].end() {
            let part = division.part(offsets, &before, turns[0], at);
            at = turns[0].after(at, part.is_full);
            if part.row < part.end {
                halves[block_idx().x] += 1 + part.is_full as u32;
            }
            for row in part.row..part.end {
                atomic(&mut counts[row * division.across + part.col]).fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

fn check(groups: &[u32], across: u32, clusters: u32, [tile, half]: [u32; 2]) {
    let mut offsets = vec![2];
    for rows in groups {
        offsets.push(offsets[offsets.len() - 1] + rows);
    }
    let rows = offsets[groups.len()] + 1;
    let most = rows / tile + groups.len() as u32;
    let division = Division { groups: groups.len() as u32, rows, tile, half, across, most };
    for device in devices() {
        check_on(&device, &offsets, division, clusters);
    }
}

fn check_on(device: &Device, offsets: &[u32], division: Division, clusters: u32) {
    let Division { rows, across, .. } = division;
    let places = device.upload(offsets).expect("memory");
    let mut counts = device.alloc_zeroed::<u32>((rows * across) as usize).expect("memory");
    let mut halves = device.alloc_zeroed::<u32>(clusters as usize).expect("memory");
    let launch = computed(&places, division, &mut counts, &mut halves).grid(clusters).block(RUNS as u32);
    launch.launch(device).expect("a launch");
    let counts = device.download(&counts).expect("no fault");
    for (row, of_row) in counts.chunks(across as usize).enumerate() {
        let is_in_group = (2..rows - 1).contains(&(row as u32));
        assert!(of_row.iter().all(|count| *count == u32::from(is_in_group)), "row {row}: {of_row:?}");
    }
    let halves = device.download(&halves).expect("no fault");
    let (least, most) = (halves.iter().min(), halves.iter().max());
    // A share more, and less by the last tile of each column, which may be half full and alone.
    assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 2 + across), "{halves:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn clusters_compute_each_row_once_and_end_together(
        groups in proptest::collection::vec(prop_oneof![0..9u32, 0..40u32], 1..300),
        [across, clusters] in [1..5u32, 1..40u32],
        has_halves in proptest::bool::ANY,
    ) {
        check(&groups, across, clusters, if has_halves { [8, 4] } else { [8, 0] });
    }
}
