//! The cluster histogram, at every cluster size.

use warpsmith::Device;

use super::data::{Random, same};
use super::{Case, Scale, module, print, text};
use crate::cluster_histogram::cluster_hist;

pub(super) fn cases() -> Vec<Case> {
    vec![Case {
        name: "cluster_hist",
        print: print::<cluster_hist>,
        module: module::<cluster_hist>,
        check: |d, s| [1, 2, 4, 8, 16].into_iter().try_for_each(|c| check(d, s, c)),
    }]
}

fn check(device: &Device, scale: Scale, cluster: usize) -> Result<(), String> {
    let (n, bins) = scale.pick((9_973, 512), (1 << 28, 16_384));
    let (grid, block): (usize, usize) = scale.pick((8, 96), (264, 512));
    let grid = grid.next_multiple_of(cluster);
    // Values outside the bins count in the first and the last.
    let input = Random::new("cluster_hist").ints(n, -100, bins as i32 + 100);
    let mut want = vec![0i32; bins];
    for value in &input {
        want[(*value).clamp(0, bins as i32 - 1) as usize] += 1;
    }
    let per_block = bins / cluster;
    let data = device.upload(&input).map_err(text)?;
    let mut counts = device.upload(&vec![0i32; bins]).map_err(text)?;
    cluster_hist(counts.view_mut(), bins as i32, per_block as u32, &data)
        .grid(grid)
        .block(block)
        .cluster(cluster)
        .dynamic_shared(per_block * 4)
        .launch(device)
        .map_err(|e| format!("cluster of {cluster}: {e}"))?;
    same(&device.download(&counts).map_err(text)?, &want).map_err(|e| format!("cluster of {cluster}: {e}"))
}
