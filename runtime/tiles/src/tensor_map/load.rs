//! The methods of barriers that load tiles, written in the kernel language itself.

use warpsmith_macros::{gpu_impl, gpu_trait};

use super::copies::tma_load;
use super::{BoxLayout, LoadMap, MappedElement};
use crate::device_api::barrier::Barrier;
use crate::device_api::mbarrier::mbarrier_expect_tx;
use crate::tile::Tile;
use crate::types::IndexInteger;

/// Loads of tiles that a barrier counts.
#[gpu_trait]
pub trait TileLoads {
    /// Starts a copy into a tile of the box whose first element has these coordinates, `[row, col]` in a matrix, and lets the
    /// phase wait for its bytes. It does not arrive.
    ///
    /// One thread calls it, and arrives after its last load. The copy is `ptx::tma_load`.
    #[track_caller]
    fn load_tile<
        T: MappedElement,
        const ROWS: usize,
        const COLS: usize,
        L: BoxLayout,
        M: LoadMap<T, ROWS, COLS, L, RANK>,
        const RANK: usize,
        I: IndexInteger,
    >(
        &self,
        tile: Tile<T, ROWS, COLS, L>,
        map: &M,
        at: [I; RANK],
    );
}

#[gpu_impl]
impl TileLoads for Barrier {
    #[track_caller]
    fn load_tile<
        T: MappedElement,
        const ROWS: usize,
        const COLS: usize,
        L: BoxLayout,
        M: LoadMap<T, ROWS, COLS, L, RANK>,
        const RANK: usize,
        I: IndexInteger,
    >(
        &self,
        tile: Tile<T, ROWS, COLS, L>,
        map: &M,
        at: [I; RANK],
    ) {
        mbarrier_expect_tx(self, Tile::<T, ROWS, COLS, L>::SIZE);
        tma_load(tile, map, at, self);
    }
}
