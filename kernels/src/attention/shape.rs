//! Extents of an attention as its kernels see them: the order of its tiles, and which keys a query sees.

use warpsmith::prelude::*;

/// Heads of sequences, their tokens, and the keys that each query sees.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Shape {
    /// Number of sequences.
    pub sequences: u32,
    /// Heads of queries of a sequence.
    pub heads: u32,
    /// Heads of queries that share a head of keys and values.
    pub sharing: u32,
    /// Queries of a head.
    pub queries: i32,
    /// Keys of a head.
    pub keys: i32,
    /// Keys that a query sees before its own, which is as far from the last key as the query from the last query.
    pub left: i32,
    /// Keys that it sees behind its own.
    pub right: i32,
    /// Heads that blocks work on at the same time; the L2 cache keeps their keys and values.
    pub near: u32,
}

/// No bound of the keys that a query sees: more than a head has.
pub const ALL: i32 = 1 << 30;

/// Consecutive queries of a head.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Place {
    /// The sequence.
    pub sequence: u32,
    /// The head.
    pub head: u32,
    /// The first query.
    pub row: i32,
}

/// The keys of a tile of queries, in steps of consecutive keys; or the queries of a tile of keys.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Steps {
    /// The first step.
    pub from: i32,
    /// Behind the last step; there are none if it is not above `from`.
    pub to: i32,
    /// All queries see all keys of the steps from this one on,
    pub clear_from: i32,
    /// up to the one before this one.
    pub clear_to: i32,
}

#[gpu_impl]
impl Shape {
    /// Tiles of `rows` queries of all heads.
    pub fn tiles(self, rows: i32) -> u32 {
        self.sequences * self.heads * self.tiles_of_queries(rows)
    }

    /// Tiles of `rows` queries of a head.
    pub fn tiles_of_queries(self, rows: i32) -> u32 {
        ((self.queries + rows - 1) / rows) as u32
    }

    /// The place of tile `i` of all. The last queries, which may see the most keys, come first.
    pub fn place_of(self, i: u32, rows: i32) -> Place {
        let tiles = self.tiles_of_queries(rows);
        let first = i / (self.near * tiles) * self.near;
        let heads = (self.sequences * self.heads - first).min(self.near);
        let within = i - first * tiles;
        let head = first + within % heads;
        let row = (tiles - 1 - within / heads) as i32 * rows;
        Place { sequence: head / self.heads, head: head % self.heads, row }
    }

    /// The first key that a query sees, which may be before the first of all, and the one behind the last.
    pub fn seen(self, query: i32) -> [i32; 2] {
        let own = query + self.keys - self.queries;
        [own - self.left, (own + self.right + 1).min(self.keys)]
    }

    /// Whether a query does not see a key.
    pub fn hides(self, query: i32, key: i32) -> bool {
        let [from, to] = self.seen(query);
        key < from || key >= to
    }

    /// The steps of `keys` keys for `rows` queries from `row` on.
    pub fn steps(self, row: i32, rows: i32, keys: i32) -> Steps {
        let [first, clear_to] = self.seen(row);
        let [clear_from, last] = self.seen((row + rows).min(self.queries) - 1);
        Steps {
            from: first.max(0) / keys,
            to: (last.max(0) + keys - 1) / keys,
            clear_from: (clear_from.max(0) + keys - 1) / keys,
            clear_to: clear_to.max(0) / keys,
        }
    }

    /// The place of tile `i` of all tiles of `keys` keys: head after head of keys.
    pub fn keys_of(self, i: u32, keys: i32) -> Place {
        let (tiles, heads) = ((self.keys + keys - 1) / keys, self.heads / self.sharing);
        let (head, row) = (i / tiles as u32, (i % tiles as u32) as i32 * keys);
        Place { sequence: head / heads, head: head % heads, row }
    }

    /// The steps of `rows` queries that see some of the `keys` keys from `key` on.
    pub fn steps_of_keys(self, key: i32, keys: i32, rows: i32) -> Steps {
        let behind = self.keys - self.queries;
        let (first, last) = (key - behind, key + keys - 1 - behind);
        let seen = last.min(self.queries - 1);
        let clear_to = (first + self.left + 1).max(0) / rows;
        Steps {
            from: (first - self.right).max(0) / rows,
            to: ((seen + self.left + 1).min(self.queries).max(0) + rows - 1) / rows,
            clear_from: ((last - self.right).max(0) + rows - 1) / rows,
            clear_to: if key + keys <= self.keys { clear_to } else { 0 },
        }
    }
}

#[gpu_impl]
impl Steps {
    /// Whether all queries see all keys of a step.
    pub fn is_clear(self, step: i32) -> bool {
        step >= self.clear_from && step < self.clear_to
    }
}
