//! The transpose ladder, from the copies that bound it on: bandwidth at 16384² elements of `f32`.

use corpus::cases::Random;
use corpus::transpose::{
    BDIMX, BDIMY, PAD, TILE_DIM, copy_col, copy_row, transpose_diagonal_col, transpose_diagonal_row,
    transpose_naive_col, transpose_naive_row, transpose_smem, transpose_smem_dyn, transpose_smem_pad,
    transpose_smem_pad_dyn, transpose_smem_unroll_pad, transpose_unroll4_col, transpose_unroll4_row,
};
use warpsmith::prelude::*;

use super::measure::{Bench, Unit, Work, same};

/// Rows of the result that are compared, at most.
const COMPARED: usize = 64;

/// A square matrix and its transpose, or its copy.
struct Square {
    side: usize,
    host: Vec<f32>,
    input: Buffer<f32>,
    out: Buffer<f32>,
    transposed: bool,
}

impl Square {
    fn new(bench: &Bench) -> warpsmith::Result<Self> {
        let side = bench.scale.pick(128, 16_384);
        let host = Random::new("transposes").floats(side * side);
        let input = bench.device.upload(&host)?;
        let out = bench.device.alloc_zeroed(side * side)?;
        Ok(Self { side, host, input, out, transposed: false })
    }

    fn want(&self, row: usize, col: usize) -> f32 {
        self.host[if self.transposed { col * self.side + row } else { row * self.side + col }]
    }
}

impl Work for Square {
    fn clear(&mut self, bench: &Bench) -> warpsmith::Result<()> {
        self.out = bench.device.alloc_zeroed(self.side * self.side)?;
        Ok(())
    }

    /// Whole rows, so far apart that every row of a tile is among them.
    fn check(&self, bench: &Bench) -> warpsmith::Result<Result<(), String>> {
        let mut line = bench.device.alloc_zeroed::<f32>(self.side)?;
        let apart = (self.side / COMPARED - 1).max(1);
        for row in (0..self.side).step_by(apart).chain([self.side - 1]) {
            bench.stream.copy(self.out.slice(row * self.side..(row + 1) * self.side)?, &mut line)?;
            let outcome = same(&bench.device.download(&line)?, |col| self.want(row, col));
            if let Err(error) = outcome {
                return Ok(Err(format!("row {row}: {error}")));
            }
        }
        Ok(Ok(()))
    }
}

/// Times kernels, each with its block, the elements that a block covers, and its bytes of shared memory.
macro_rules! rungs {
    ($bench:expr, $square:expr, $($kernel:ident $block:expr, $covers:expr, $shared:expr;)+) => {{
        let (bench, square) = ($bench, $square);
        let bytes = 2 * size_of::<f32>() * square.side * square.side;
        $({
            square.transposed = stringify!($kernel).starts_with("transpose");
            let name = format!("{}/{}", stringify!($kernel), square.side);
            bench.compare(&name, Unit::Bandwidth(bytes), square, |s, start| {
                let (side, covers): (u32, [u32; 2]) = (s.side as u32, $covers);
                let launch = $kernel(&mut s.out, &s.input, side, side).grid(covers.map(|extent| side / extent));
                start.launch(launch.block($block).dynamic_shared($shared as usize))
            })?;
        })+
        Ok(())
    }};
}

const BLOCK: [u32; 2] = [32, 8];
const TILE: [u32; 2] = [TILE_DIM, TILE_DIM];
const UNROLLED: [u32; 2] = [16, 16];
const FOUR: [u32; 2] = [64, 16];
const WIDE: [u32; 2] = [BDIMX, BDIMY];
const PAIR: [u32; 2] = [BDIMX * 2, BDIMY];

pub fn run(bench: &Bench) -> warpsmith::Result<()> {
    let square = &mut Square::new(bench)?;
    rungs!(bench, square,
        copy_row BLOCK, BLOCK, 0;
        copy_col BLOCK, BLOCK, 0;
        transpose_naive_row BLOCK, BLOCK, 0;
        transpose_naive_col BLOCK, BLOCK, 0;
        transpose_unroll4_row UNROLLED, FOUR, 0;
        transpose_unroll4_col UNROLLED, FOUR, 0;
        transpose_diagonal_row BLOCK, BLOCK, 0;
        transpose_diagonal_col BLOCK, BLOCK, 0;
        transpose_smem BLOCK, TILE, 0;
        transpose_smem_pad BLOCK, TILE, 0;
        transpose_smem_dyn WIDE, WIDE, 4 * BDIMX * BDIMY;
        transpose_smem_pad_dyn WIDE, WIDE, 4 * (BDIMX + PAD) * BDIMY;
        transpose_smem_unroll_pad WIDE, PAIR, 0;
    )
}
