//! Geometry of a launch, and the order in which its blocks and warps run.

use super::{SimFault, SimLaunch};

/// Lanes in a warp.
pub(super) use warpsmith_ir::limits::WARP;

/// Blocks of a cooperative launch, more than any GPU holds at once.
const COOPERATIVE_BLOCKS: u64 = 4096;

/// Clusters that are shuffled among each other; a larger grid is shuffled piece by piece.
const WINDOW: u64 = 1 << 16;

/// Extents of a launch and the orders that follow from its seed.
pub(super) struct Shape {
    pub cluster: [u32; 3],
    /// Threads in a block.
    pub threads: u32,
    /// Blocks in a cluster.
    pub cluster_blocks: u32,
    /// Index in its block of each thread, by linear index.
    pub coords: Vec<[u32; 3]>,
    /// Linear indices of a block's threads, in the order in which they start.
    pub thread_order: Vec<u32>,
    /// Ranks of a cluster's blocks, in the order in which they start.
    pub block_order: Vec<u32>,
    /// Clusters in the grid, in each dimension.
    clusters: [u32; 3],
    seed: u64,
}

impl Shape {
    /// The geometry of a launch.
    pub fn new(launch: &SimLaunch<'_>) -> Result<Self, SimFault> {
        check(launch)?;
        // All blocks of a cooperative launch are there at once, as those of one cluster are.
        let cluster = if launch.cooperative { launch.grid } else { launch.cluster };
        let (block, seed) = (launch.block, launch.settings.seed);
        let threads = block.iter().product::<u32>();
        let cluster_blocks = cluster.iter().product::<u32>();
        let coords = (0..threads).map(|i| unflatten(u64::from(i), block)).collect();
        let warps = order(threads.div_ceil(WARP), seed);
        let lanes = |warp: u32| warp * WARP..((warp + 1) * WARP).min(threads);
        let thread_order = warps.into_iter().flat_map(lanes).collect();
        let block_order = order(cluster_blocks, seed.rotate_left(17));
        let clusters = std::array::from_fn(|i| launch.grid[i] / cluster[i]);
        Ok(Self { cluster, threads, cluster_blocks, coords, thread_order, block_order, clusters, seed })
    }

    /// How many clusters there are.
    pub fn cluster_count(&self) -> u64 {
        self.clusters.iter().map(|n| u64::from(*n)).product()
    }

    /// Calls `visit` with the index of each cluster's first block, until one fails.
    pub fn each_cluster<E>(&self, mut visit: impl FnMut([u32; 3]) -> Result<(), E>) -> Result<(), E> {
        let count = self.cluster_count();
        for start in (0..count).step_by(WINDOW as usize) {
            let size = (count - start).min(WINDOW) as u32;
            let permuted = self.permuted(start, size);
            for i in 0..size {
                visit(self.origin(start + u64::from(permuted.as_ref().map_or(i, |p| p[i as usize]))))?;
            }
        }
        Ok(())
    }

    /// Index of the first block of the cluster that runs after `position` others.
    pub fn cluster_at(&self, position: u64) -> [u32; 3] {
        let start = position / WINDOW * WINDOW;
        let size = (self.cluster_count() - start).min(WINDOW) as u32;
        let i = (position - start) as u32;
        self.origin(start + u64::from(self.permuted(start, size).map_or(i, |p| p[i as usize])))
    }

    /// The order of the clusters of a piece of the grid, if it is not that of their indices.
    fn permuted(&self, start: u64, size: u32) -> Option<Vec<u32>> {
        (self.seed != 0).then(|| order(size, self.seed ^ start))
    }

    fn origin(&self, cluster: u64) -> [u32; 3] {
        let cluster = unflatten(cluster, self.clusters);
        std::array::from_fn(|d| cluster[d] * self.cluster[d])
    }

    /// How many of at most `longest` steps a thread makes at once, after this many of all: all unless seeded.
    pub fn turn(&self, count: u64, longest: u64) -> u64 {
        match self.seed {
            0 => longest,
            seed => 1 + xorshift(scramble(seed ^ count)) % longest,
        }
    }

    /// Index in the grid of the block with this rank in the cluster that starts at `origin`.
    pub fn block_idx(&self, origin: [u32; 3], rank: u32) -> [u32; 3] {
        let offset = unflatten(u64::from(rank), self.cluster);
        std::array::from_fn(|d| origin[d] + offset[d])
    }
}

/// Refuses shapes that the driver would refuse. Launch checks have reported these before, with better messages.
fn check(launch: &SimLaunch<'_>) -> Result<(), SimFault> {
    let refuse = |argument, value, rule| {
        Err(SimFault::Extents { kernel: launch.kernel.to_owned(), argument, value, rule })
    };
    let arguments = [("grid", launch.grid), ("block", launch.block), ("cluster", launch.cluster)];
    for (argument, value) in arguments {
        if value.contains(&0) {
            return refuse(argument, value, "no extent may be 0");
        }
    }
    let volume = |extents: [u32; 3]| extents.iter().fold(1u64, |v, n| v.saturating_mul(u64::from(*n)));
    if volume(launch.block) > 1024 {
        return refuse("block", launch.block, "a block has at most 1024 threads");
    }
    if launch.cooperative && volume(launch.cluster) > 1 {
        let rule = "the simulator runs a cooperative launch without clusters only";
        return refuse("cluster", launch.cluster, rule);
    }
    if launch.cooperative && volume(launch.grid) > COOPERATIVE_BLOCKS {
        let rule = "a cooperative launch on the simulator has at most 4096 blocks, all resident at once";
        return refuse("grid", launch.grid, rule);
    }
    if volume(launch.cluster) > 16 {
        return refuse("cluster", launch.cluster, "a cluster has at most 16 blocks");
    }
    if volume(launch.grid) == u64::MAX {
        return refuse("grid", launch.grid, "a grid has fewer than 2^64 blocks");
    }
    if (0..3).any(|i| !launch.grid[i].is_multiple_of(launch.cluster[i])) {
        return refuse("grid", launch.grid, "each extent must be a multiple of the cluster's");
    }
    Ok(())
}

/// The index whose linear index, `x` fastest, is `i`.
fn unflatten(i: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [(i % x) as u32, (i / x % y) as u32, (i / x / y) as u32]
}

/// `0..n` in order for seed 0, else shuffled (Fisher and Yates) by it.
fn order(n: u32, seed: u64) -> Vec<u32> {
    let mut items: Vec<u32> = (0..n).collect();
    if seed != 0 {
        let mut state = scramble(seed);
        for i in (1..items.len()).rev() {
            state = xorshift(state);
            items.swap(i, (state % (i as u64 + 1)) as usize);
        }
    }
    items
}

/// Marsaglia's xorshift64; never 0 for a state that is not.
fn xorshift(mut x: u64) -> u64 {
    x ^= x << 13;
    x ^= x >> 7;
    x ^ x << 17
}

/// Spreads small seeds over all bits.
fn scramble(seed: u64) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_permutes_every_block_once() {
        let mut launch = SimLaunch::new("k", [6, 4, 2], [40, 1, 1]);
        launch.cluster = [2, 2, 1];
        launch.settings.seed = 7;
        let Ok(shape) = Shape::new(&launch) else { panic!("refused") };
        let mut origins = Vec::new();
        let visited: Result<(), ()> = shape.each_cluster(|origin| {
            origins.push(origin);
            Ok(())
        });
        assert_eq!(visited, Ok(()));
        assert_ne!(origins[..3], [[0, 0, 0], [2, 0, 0], [4, 0, 0]]);
        origins.sort();
        origins.dedup();
        assert_eq!(origins.len(), 3 * 2 * 2);
        let mut threads = shape.thread_order.clone();
        threads.sort();
        assert_eq!(threads, (0..40).collect::<Vec<_>>());
    }

    #[test]
    fn extents_that_no_gpu_accepts_are_refused() {
        let refused = |grid, block, cluster| {
            let launch = SimLaunch { cluster, ..SimLaunch::new("k", grid, block) };
            match Shape::new(&launch) {
                Err(SimFault::Extents { argument, .. }) => argument,
                _ => "nothing",
            }
        };
        assert_eq!(refused([0, 1, 1], [1, 1, 1], [1, 1, 1]), "grid");
        assert_eq!(refused([1, 1, 1], [32, 33, 1], [1, 1, 1]), "block");
        assert_eq!(refused([17, 1, 1], [1, 1, 1], [17, 1, 1]), "cluster");
        assert_eq!(refused([3, 1, 1], [1, 1, 1], [2, 1, 1]), "grid");
        assert_eq!(refused([4, 1, 1], [1, 1, 1], [2, 1, 1]), "nothing");
    }
}
