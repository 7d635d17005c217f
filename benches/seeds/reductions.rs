//! The reduction ladder, in global memory and in shared memory: blocks of 512 threads, as the seed has them, and of
//! 256, over 2^24 and 2^28 integers.
//!
//! The kernels fold their input in place: it is copied back before each launch.

use corpus::cases::Random;
use corpus::reduction::{
    reduce_complete_unroll, reduce_complete_unroll_warps8, reduce_interleaved, reduce_neighbored,
    reduce_neighbored_less, reduce_unroll_warps8, reduce_unrolling2,
};
use corpus::shared_reduction::{
    reduce_gmem, reduce_smem_dyn, reduce_smem_unroll_dyn, reduce_smem_unroll_shfl,
};
use warpsmith::prelude::*;

use super::measure::{Bench, Unit, Work, same};

/// Elements of the smallest part that a block folds.
const LEAST: usize = 256;

/// A length, which the rows of the table are named by.
type Length = (&'static str, usize);

pub fn run(bench: &Bench) -> warpsmith::Result<()> {
    let lengths: [Length; 2] =
        bench.scale.pick([("2^12", 1 << 12), ("2^13", 1 << 13)], [("2^24", 1 << 24), ("2^28", 1 << 28)]);
    let input = Random::new("reductions").ints(lengths[1].1, -1000, 1000);
    for length in lengths {
        let mut ladder = Ladder::new(bench, &input[..length.1])?;
        for block in [512, 256] {
            in_global_memory(bench, &mut ladder, length, block)?;
            in_shared_memory(bench, &mut ladder, length, block)?;
        }
    }
    Ok(())
}

/// The input, its copy that kernels overwrite, and the sum of each block.
struct Ladder {
    input: Buffer<i32>,
    data: Buffer<i32>,
    unset: Buffer<i32>,
    sums: Buffer<i32>,
    /// Sums of `LEAST` elements each, by the host.
    parts: Vec<i32>,
    /// Elements that a block folds, of the kernel that is timed.
    folded: usize,
}

impl Ladder {
    fn new(bench: &Bench, input: &[i32]) -> warpsmith::Result<Self> {
        let unset = vec![i32::MIN; input.len() / LEAST];
        Ok(Self {
            input: bench.device.upload(input)?,
            data: bench.device.alloc_zeroed(input.len())?,
            unset: bench.device.upload(&unset)?,
            sums: bench.device.upload(&unset)?,
            parts: input.chunks(LEAST).map(|part| part.iter().sum()).collect(),
            folded: LEAST,
        })
    }
}

impl Work for Ladder {
    fn clear(&mut self, bench: &Bench) -> warpsmith::Result<()> {
        bench.stream.copy(&self.unset, &mut self.sums)
    }

    fn restore(&mut self, bench: &Bench) -> warpsmith::Result<()> {
        bench.stream.copy(&self.input, &mut self.data)
    }

    fn check(&self, bench: &Bench) -> warpsmith::Result<Result<(), String>> {
        let sums = bench.device.download(&self.sums)?;
        let parts: Vec<i32> = self.parts.chunks(self.folded / LEAST).map(|part| part.iter().sum()).collect();
        Ok(same(&sums[..parts.len()], |i| parts[i]))
    }
}

/// Times kernels, each with how many elements a thread folds and its bytes of shared memory. The suffix tells the two
/// ladders apart, whose gains are counted separately.
macro_rules! steps {
    ($bench:expr, $ladder:expr, $length:expr, $block:expr, $suffix:literal,
        $($kernel:ident, $per_thread:literal, |$l:ident, $n:ident| $call:expr, $shared:expr;)+) => {{
        let (ladder, block, (label, len)) = ($ladder, $block, $length);
        $({
            ladder.folded = block as usize * $per_thread;
            let name = format!("{}/{block}/{label}{}", stringify!($kernel), $suffix);
            $bench.compare(&name, Unit::Milliseconds, ladder, |$l, start| {
                let ($n, grid) = (len as u32, len / $l.folded);
                start.launch($call.grid(grid).block(block).dynamic_shared($shared))
            })?;
        })+
        Ok(())
    }};
}

fn in_global_memory(bench: &Bench, ladder: &mut Ladder, length: Length, block: u32) -> warpsmith::Result<()> {
    steps!(bench, ladder, length, block, "",
        reduce_neighbored, 1, |l, n| reduce_neighbored(l.data.view_mut(), &mut l.sums, n), 0;
        reduce_neighbored_less, 1, |l, n| reduce_neighbored_less(l.data.view_mut(), &mut l.sums, n), 0;
        reduce_interleaved, 1, |l, n| reduce_interleaved(l.data.view_mut(), &mut l.sums, n), 0;
        reduce_unrolling2, 2, |l, n| reduce_unrolling2(l.data.view_mut(), &mut l.sums, n), 0;
        reduce_unroll_warps8, 8, |l, n| reduce_unroll_warps8(l.data.view_mut(), &mut l.sums, n), 0;
        reduce_complete_unroll_warps8, 8,
            |l, n| reduce_complete_unroll_warps8(l.data.view_mut(), &mut l.sums, n), 0;
        reduce_complete_unroll, 8,
            |l, n| reduce_complete_unroll(l.data.view_mut(), &mut l.sums, n, block), 0;
    )
}

fn in_shared_memory(bench: &Bench, ladder: &mut Ladder, length: Length, block: u32) -> warpsmith::Result<()> {
    let bytes = block as usize * size_of::<i32>();
    steps!(bench, ladder, length, block, "/shared",
        reduce_gmem, 1, |l, n| reduce_gmem(l.data.view_mut(), &mut l.sums, n), 0;
        reduce_smem_dyn, 1, |l, _n| reduce_smem_dyn(&l.data, &mut l.sums), bytes;
        reduce_smem_unroll_dyn, 4, |l, n| reduce_smem_unroll_dyn(&l.data, &mut l.sums, n), bytes;
        reduce_smem_unroll_shfl, 4, |l, n| reduce_smem_unroll_shfl(&l.data, &mut l.sums, n), 0;
    )
}
