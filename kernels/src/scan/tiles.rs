//! The threads of tiles, and their launches, in all kernels that look back.

/// Threads of a block.
pub const THREADS: u32 = 256;
/// [`THREADS`] as a number of elements.
pub const LANES: usize = THREADS as usize;
/// Warps of a block.
pub const WARPS: usize = LANES / 32;

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
