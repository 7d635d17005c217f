//! The tiled product of the courses as compute capability 9.0 does it: the copy engine brings tiles, tensor cores multiply them.

use warpsmith::prelude::*;
use warpsmith::ptx::warpgroup_id;
use warpsmith::tensor::Accumulator;

/// Rows and columns of a tile.
pub const TILE: usize = 64;
/// Threads of a block: a warpgroup that multiplies, and one of which a thread loads.
pub const THREADS: u32 = 256;

/// A tile of each factor.
#[derive(Stage)]
struct Step<'a> {
    a: Tile<'a, bf16, TILE, TILE, Swizzle128>,
    b: Tile<'a, bf16, TILE, TILE, Swizzle128>,
}

/// `c = a * b`, summed in `f32`. `a`: row-major `[m, k]`; `b`: `[k, n]`; `c`: `[m, n]`, of any size. `steps`: `k / TILE`, rounded up.
///
/// The grid is `[n / TILE, m / TILE]`, rounded up. What lies outside of a matrix is loaded as zeros and not stored.
#[gpu_kernel]
pub fn tensor_core_product(
    a: &TensorMap<bf16, TILE, TILE, Swizzle128>,
    b: &TensorMap<bf16, TILE, TILE, Swizzle128>,
    c: ViewMut2<f32>,
    steps: u32,
) {
    let ring = shared!(Pipeline<Step, 4>);
    let (row, col) = (block_idx().y * TILE as u32, block_idx().x * TILE as u32);
    if warpgroup_id() == 1 {
        if thread_idx().x == 128 {
            let mut load = ring.producer();
            for step in 0..steps {
                let slot = load.acquire(); // waits until the tiles there have been read
                slot.load(slot.tiles().a, a, [row, step * TILE as u32]);
                slot.load(slot.tiles().b, b, [step * TILE as u32, col]);
                load.commit(slot);
            }
        }
    } else {
        let mut math = ring.consumer();
        let mut sums = Accumulator::<f32, TILE>::zero();
        for _ in 0..steps {
            let stage = math.wait(); // both tiles are complete
            sums.mma_ab(stage.tiles().a, stage.tiles().b, true);
            math.release(stage); // they have been read; the next copy may overwrite them
        }
        sums.store(c, row as usize, col as usize, |sum| sum);
    }
}
