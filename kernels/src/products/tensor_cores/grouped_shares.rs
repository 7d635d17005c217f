//! Which tiles the groups of a product have, and which of them a cluster computes, one after the other.
//!
//! A tile whose rows fit one block takes a cluster half of the time of others. So that clusters end together, their shares take as long as
//! each other: a share is a column of a full tile, or of two half-full ones, those of neighbouring groups that have one. Shares that do not
//! fill half of the clusters are divided once more: each half goes to a cluster of its own.

use warpsmith::prelude::*;

use super::super::shape::{Place, place_of};
use crate::segments::span;

/// Runs of consecutive groups whose tiles a block counts, each by a thread.
pub const RUNS: usize = 128;

/// Rows of `c` that a cluster computes.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Part {
    /// The group.
    pub group: u32,
    /// The first row, of those of all groups.
    pub row: u32,
    /// Behind the last row; not above `row` if there is none.
    pub end: u32,
    /// The number of the column of tiles.
    pub col: u32,
    /// Whether the tile is full, and not divided.
    pub is_full: bool,
}

/// Numbers of tiles.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Count {
    /// Those that fill more than one block of a cluster.
    full: u32,
    /// The others.
    half: u32,
}

#[gpu_impl]
impl Count {
    /// Tiles of `tile` rows, of which a block of a cluster has `half`, that `rows` rows take. If `half` is zero, all count as full.
    fn of(rows: u32, tile: u32, half: u32) -> Count {
        let (full, rest) = (rows / tile, rows % tile);
        Count { full: full + (rest > half) as u32, half: (rest > 0 && rest <= half) as u32 }
    }

    // Sums for wrong offsets may be too large; `check` ends such launches.
    fn plus(self, other: Count) -> Count {
        Count { full: self.full.wrapping_add(other.full), half: self.half.wrapping_add(other.half) }
    }

    /// Shares of these tiles that no group behind them has a part of.
    fn shares(self) -> u32 {
        self.full.wrapping_add(self.half / 2)
    }

    /// The half-full tiles, or the shares.
    fn number(self, is_half: bool) -> u32 {
        if is_half { self.half } else { self.shares() }
    }
}

/// How rows of groups are divided into tiles.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Division {
    /// The groups.
    pub groups: u32,
    /// The rows of all of them.
    pub rows: u32,
    /// Rows of a tile.
    pub tile: u32,
    /// Rows of a block, where a cluster has more.
    pub half: u32,
    /// Columns of tiles.
    pub across: u32,
    /// The most shares of a column.
    pub most: u32,
}

/// The halves of shares that a cluster computes. Two are a share; the second one is empty if the first one is a full tile.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Turns {
    /// The cluster, and how many there are.
    cluster: u32,
    clusters: u32,
    /// Shares of a column of tiles, and columns of tiles.
    down: u32,
    across: u32,
    /// The first half of those that go to a cluster of their own.
    single: u32,
}

#[gpu_impl]
impl Division {
    /// Groups of a run.
    fn run(self) -> u32 {
        self.groups.div_ceil(RUNS as u32)
    }

    /// The tiles of a group.
    fn count(self, offsets: &[u32], group: u32) -> Count {
        Count::of(span(offsets, group, self.rows)[1], self.tile, self.half)
    }

    /// Stores the tiles of all groups before each run, and behind the last one, and the turns of the block's cluster of `blocks` blocks. All
    /// threads of the block call it.
    pub fn prepare(
        self,
        offsets: &[u32],
        before: &mut [Count; RUNS + 1],
        turns: &mut [Turns; 1],
        blocks: u32,
    ) {
        let t = thread_idx().x;
        let mut through = Count { full: 0, half: 0 };
        if t < RUNS as u32 {
            let first = (t * self.run()).min(self.groups);
            for group in first..(first + self.run()).min(self.groups) {
                through = through.plus(self.count(offsets, group));
            }
        }
        #[unroll]
        for bit in 0..5 {
            let below = shfl_up(through, 1u32 << bit);
            if t % 32 >= 1 << bit {
                through = through.plus(below);
            }
        }
        if t < RUNS as u32 {
            before[t as usize + 1] = through;
        }
        sync_threads();
        if t < RUNS as u32 {
            #[unroll]
            for warp in 1..RUNS / 32 {
                if warp <= t as usize / 32 {
                    through = through.plus(before[warp * 32]);
                }
            }
        }
        sync_threads();
        if t < RUNS as u32 {
            before[t as usize + 1] = through;
        }
        sync_threads();
        if t == 0 {
            before[0] = Count { full: 0, half: 0 };
            turns[0] = self.turns(before[RUNS], blocks);
        }
        sync_threads();
    }

    /// The turns of the block's cluster of `blocks` blocks, where there are `all` tiles in a column.
    fn turns(self, all: Count, blocks: u32) -> Turns {
        let (cluster, clusters) = (block_idx().x / blocks, grid_dim().x / blocks);
        let down = all.shares().wrapping_add(all.half % 2).min(self.most);
        let shares = down * self.across;
        let rest = shares % clusters;
        let single = if self.half > 0 && 2 * rest <= clusters { shares - rest } else { shares };
        Turns { cluster, clusters, down, across: self.across, single: 2 * single }
    }

    /// The last group before which there are up to `number` shares, or half-full tiles, and the tiles before it. There are more in all.
    fn find(self, offsets: &[u32], before: &[Count; RUNS + 1], number: u32, is_half: bool) -> (u32, Count) {
        let (mut least, mut most) = (0u32, RUNS as u32 - 1);
        while least < most {
            let middle = (least + most).div_ceil(2);
            if before[middle as usize].number(is_half) <= number {
                least = middle;
            } else {
                most = middle - 1;
            }
        }
        let mut group = least * self.run();
        let behind = (group + self.run()).min(self.groups);
        let mut found = before[least as usize];
        while group + 1 < behind {
            let next = found.plus(self.count(offsets, group));
            if next.number(is_half) > number {
                break;
            }
            found = next;
            group += 1;
        }
        (group, found)
    }

    /// Tile number `number` of a group, or its last one if there are fewer.
    fn tile_of(self, offsets: &[u32], group: u32, number: u32) -> Part {
        let [before, count] = span(offsets, group, self.rows);
        let first = number.min(count / self.tile) * self.tile;
        let end = count.min(first + self.tile);
        Part { group, row: before + first, end: before + end, col: 0, is_full: false }
    }

    /// Half number `half` of the launch's shares.
    pub fn part(self, offsets: &[u32], before: &[Count; RUNS + 1], turns: Turns, half: u32) -> Part {
        let (all, is_second) = (before[RUNS], half % 2 == 1);
        let Place { row, col, .. } = place_of(half / 2, [turns.down, turns.across], [1, 1]);
        let share = row as u32;
        // The last half-full tile is a share of its own if it has no partner.
        let is_alone = share == all.shares();
        let (mut group, mut found) = (0, all);
        if !is_alone {
            (group, found) = self.find(offsets, before, share, false);
        }
        let number = share - found.shares();
        let mut part = if !is_alone && number < self.count(offsets, group).full {
            let mut part = self.tile_of(offsets, group, number);
            let middle = part.row + self.half;
            if half < turns.single {
                part.is_full = true;
            } else if is_second {
                part.row = middle;
            } else {
                part.end = part.end.min(middle);
            }
            part
        } else {
            if !is_second {
                group = self.find(offsets, before, found.half.wrapping_sub(1), true).0;
            }
            let mut part = self.tile_of(offsets, group, u32::MAX);
            if is_alone && is_second {
                part.end = part.row;
            }
            part
        };
        part.col = col as u32;
        part
    }
}

#[gpu_impl]
impl Turns {
    /// The first half of the cluster.
    pub fn first(self) -> u32 {
        if 2 * self.cluster < self.single {
            2 * self.cluster
        } else {
            self.single.saturating_add(self.cluster)
        }
    }

    /// Behind the last half of the launch.
    pub fn end(self) -> u32 {
        2 * self.down * self.across
    }

    /// The half of the cluster behind this one.
    pub fn after(self, half: u32, is_full: bool) -> u32 {
        if half >= self.single {
            half.saturating_add(self.clusters)
        } else if half.is_multiple_of(2) && !is_full {
            half + 1
        } else {
            let next = (half - half % 2).saturating_add(2 * self.clusters);
            if next < self.single { next } else { self.single.saturating_add(self.cluster) }
        }
    }
}
