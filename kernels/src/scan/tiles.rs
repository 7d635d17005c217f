//! The threads of tiles, in all kernels that look back; for scans by key, whose lanes take neighbouring elements, also the size of tiles and
//! the plan.

use super::exchange::Exchange;
use super::word::Word;
use crate::call::Plan;

/// Threads of a block.
pub const THREADS: u32 = 256;
/// [`THREADS`] as a number of elements.
pub const LANES: usize = THREADS as usize;
/// Warps of a block.
pub const WARPS: usize = LANES / 32;

/// Elements of a thread, for elements of `size` bytes: up to 64 bytes, and 16 elements.
pub const fn rounds(size: usize) -> usize {
    match size {
        0..=4 => 16,
        5..=8 => 8,
        9..=16 => 4,
        _ => 1,
    }
}

/// The plan of a kernel for `len` elements of type `T`, whose tiles have sums of type `W`.
pub fn plan<T, W: Word>(kernel: &'static str, types: String, len: usize, why: &str) -> Plan {
    let tile = LANES * rounds(size_of::<T>());
    let grid = u32::try_from(len.div_ceil(tile)).unwrap_or(u32::MAX);
    Plan {
        kernel,
        types,
        tile,
        grid,
        block: THREADS,
        shared: (WARPS + 1) * size_of::<W>() + size_of::<u32>(),
        workspace: Exchange::bytes::<W>(grid),
        why: why.to_owned(),
    }
}

/// A step that launches a kernel of tiles: `tiles_step!(target, plan, exchange, kernel(arguments))`. Each launch has its own number.
macro_rules! tiles_step {
    ($target:expr, $plan:expr, $exchange:ident, $launch:expr) => {{
        let ready = $target.prepare($launch.grid($plan.grid).block($plan.block))?;
        $crate::call::Step::new(move || {
            let launched = ready.launch($launch);
            $exchange.advance();
            Ok(launched?)
        })
    }};
}
pub(crate) use tiles_step;
