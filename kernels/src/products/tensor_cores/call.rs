//! Kernels and tiles of products on tensor cores, and how one is chosen.

use warpsmith::driver::Limits;
use warpsmith::prelude::*;
use warpsmith::tensor::HalfElement;

use super::super::Epilogue;
use super::super::element::{Cores, Launching, Request};
use super::super::problem::{Memory, Task};
use super::super::scales::scaling;
use super::super::tiles::{Tile, choose};
use super::along::{self, Output};
use super::boxes;
use super::element::Multiplied;
use super::stream_k::{self, MOST_SCALED, Shares, gemm_stream_k};
use super::warpgroups::DEPTH_BYTES;
use super::warps::{self, Across, Along, Side, gemm_warps};
use crate::call::{Plan, Step, step};
use crate::error::KernelError;

const WARPS: &str = "gemm_warps";
pub(super) const WARPGROUPS: &str = "gemm_warpgroups";
pub(super) const SPLIT: &str = "gemm_split";
const STREAM_K: &str = "gemm_stream_k";

/// Tiles of warps, for every task.
pub(super) const OF_WARPS: [Tile; 1] = [Tile::of_products(WARPS, [128, 128], 2.0, 0.5)];
/// Tiles whose steps the blocks share, for operands that the copy engine loads.
const OF_STREAM_K: [Tile; 4] = [of_stream_k(16), of_stream_k(32), of_stream_k(64), of_stream_k(128)];
/// The most blocks that share a tile as a cluster. An H200 does not run 32 clusters of four at once, with a multiprocessor for each block.
const MOST_PARTS: usize = 3;
/// The most rows and columns of an operand whose boxes the copy engine finds. Source: PTX ISA, `cp.async.bulk.tensor`, whose coordinates
/// are of type `.s32`.
pub(super) const MOST_EXTENT: usize = 1 << 31;
/// The fewest steps of a block that shares a tile.
const FEWEST_STEPS: usize = 2;

const fn of_stream_k(rows: usize) -> Tile {
    Tile::of_products(STREAM_K, [rows, stream_k::LINES], 1.0, 1.0)
}

/// Kernels that multiply by the instructions of tensor cores.
pub struct TensorCores;

/// Floats of sixteen bits, which all kernels of tensor cores multiply.
pub trait TensorCoreElement: Multiplied<Total = f32> + HalfElement + Num {}

impl TensorCoreElement for bf16 {}
impl TensorCoreElement for f16 {}

/// Elements with the launches of the kernels that multiply them.
pub trait Operand: Multiplied {
    /// Whether elements are floats of sixteen bits, whose order is free, and which have tiles of more extents.
    const IS_HALF: bool;
    /// The least compute capability.
    const NEEDS: (u32, u32);

    /// The launch of a plan.
    fn step<'a, C: Output, E: Epilogue>(of: Launching<'a, '_, Self, C, E>) -> Result<Step<'a>, KernelError>;
}

/// Halves, and elements along `k` alone: of these, elements of 16, 64 and 128 bytes, and the least compute capability.
macro_rules! operands {
    (halves $($t:ty)+) => {$(
        impl Operand for $t {
            const IS_HALF: bool = true;
            const NEEDS: (u32, u32) = (8, 0);

            fn step<'a, C: Output, E: Epilogue>(
                of: Launching<'a, '_, Self, C, E>,
            ) -> Result<Step<'a>, KernelError> {
                type Lines = Along<$t, 32, 8>;
                const RINGS: usize = warps::rings(2);
                match (of.plan.kernel, of.task.a_beside, of.task.b_beside) {
                    (WARPGROUPS, _, true) => boxes::step_panels(of),
                    (WARPGROUPS, ..) => boxes::step::<Self, C, E, 8, 64>(of),
                    (SPLIT, ..) => boxes::step_split(of),
                    (STREAM_K, ..) => in_shares::<Self, C, E, 8, 64>(of),
                    (_, false, false) => by_warps::<Self, C, E, Lines, Lines, 32, RINGS>(of),
                    (_, false, true) => by_warps::<Self, C, E, Lines, Across<$t>, 32, RINGS>(of),
                    (_, true, false) => by_warps::<Self, C, E, Across<$t>, Lines, 32, RINGS>(of),
                    (_, true, true) => by_warps::<Self, C, E, Across<$t>, Across<$t>, 32, RINGS>(of),
                }
            }
        }
    )+};
    ($($t:ty: $unit:literal, $half:literal, $depth:literal, $needs:expr;)+) => {$(
        impl Operand for $t {
            const IS_HALF: bool = false;
            const NEEDS: (u32, u32) = $needs;

            fn step<'a, C: Output, E: Epilogue>(
                of: Launching<'a, '_, Self, C, E>,
            ) -> Result<Step<'a>, KernelError> {
                type Lines = Along<$t, $half, $unit>;
                const RINGS: usize = warps::rings(16 / $unit);
                match of.plan.kernel {
                    WARPGROUPS => C::step::<Self, E, $unit, $depth>(of),
                    STREAM_K => in_shares::<Self, C, E, $unit, $depth>(of),
                    _ => by_warps::<Self, C, E, Lines, Lines, $half, RINGS>(of),
                }
            }
        }
    )+};
}

operands! { halves bf16 f16 }

operands! {
    f32: 4, 16, 32, (8, 0);
    F8E4M3: 16, 64, 128, (8, 9);
    F8E5M2: 16, 64, 128, (8, 9);
    i8: 16, 64, 128, (8, 0);
}

impl<T: Operand, C: Output> Cores<T, C> for TensorCores {
    fn plan<E: Epilogue>(of: &Request<'_, '_, T, C, E>) -> Result<Plan, KernelError> {
        if of.limits.compute < T::NEEDS {
            return Err(KernelError::Device { kernel: "gemm", needs: T::NEEDS, has: of.limits.compute });
        }
        along::check(of)?;
        let (tiles, why) = tiles(of)?;
        let chosen = choose(tiles, of.problem.tile, &of.task, of.limits)?;
        let why = format!("{}; {why}", chosen.why);
        let multiprocessors = of.limits.multiprocessors.max(2);
        let (grid, block, shared, workspace) = match chosen.tile.kernel {
            WARPGROUPS if size_of::<C>() == 2 => boxes::plan(&chosen, &of.task, multiprocessors),
            WARPGROUPS => along::plan(&chosen, multiprocessors),
            SPLIT => boxes::plan_split(&chosen),
            STREAM_K => {
                let rows = chosen.tile.rows;
                let Sharing { blocks, workspace: [quads, counters], .. } =
                    sharing::<T>(rows, &of.task, of.limits);
                let workspace = quads * size_of::<F32x4>() + counters * size_of::<u32>();
                (blocks, stream_k::THREADS, stream_k::shared(rows), workspace)
            }
            _ => (chosen.grid, warps::THREADS, warps::rings(size_of::<T>()) * size_of::<T>(), 0),
        };
        Ok(Plan {
            kernel: chosen.tile.kernel,
            types: of.types.clone(),
            tile: chosen.tile.rows * chosen.tile.cols,
            grid,
            block,
            shared,
            workspace,
            why,
        })
    }

    fn step<'a, E: Epilogue>(of: Launching<'a, '_, T, C, E>) -> Result<Step<'a>, KernelError> {
        T::step(of)
    }
}

/// The tiles that a task may have, and why those.
fn tiles<T: Operand, C: Output, E: Epilogue>(
    of: &Request<'_, '_, T, C, E>,
) -> Result<(&'static [Tile], String), KernelError> {
    let (not_loaded, not_stored) = (not_loaded(of), not_stored(of));
    if of.task.by_blocks {
        if not_loaded.is_none() && of.task.shape.m <= MOST_SCALED {
            let why = "few rows, and each step is scaled by the factors of its blocks";
            return Ok((of_shared_steps(of), why.to_owned()));
        }
        return match not_loaded.or(not_stored) {
            None => Ok((&along::OF_BLOCKS, "each step is scaled by the factors of its blocks".to_owned())),
            Some(why) => Err(KernelError::Shape {
                what: "scales",
                expected: "operands and a `c` that the copy engine loads and stores, for factors of blocks"
                    .to_owned(),
                got: format!("others, as {why}"),
                way_out: "pass matrices whose rows begin at multiples of 16 bytes, without `beta`, on compute capability 9.0",
            }),
        };
    }
    if let Some(why) = not_loaded {
        return Ok((&OF_WARPS, format!("no copy engine, as {why}")));
    }
    Ok(of_boxes(of, not_stored))
}

/// The tile of few rows that has all of them, or all such tiles if the caller asks for one. Steps with block factors are those of few
/// rows.
fn of_shared_steps<T, C, E>(of: &Request<'_, '_, T, C, E>) -> &'static [Tile] {
    let first = OF_STREAM_K.iter().take_while(|tile| tile.rows < of.task.shape.m).count();
    match (of.problem.tile, of.task.by_blocks) {
        (None, _) => &OF_STREAM_K[first..=first],
        (Some(_), false) => &OF_STREAM_K,
        (Some(_), true) => &OF_STREAM_K[..3],
    }
}

/// Those of a task whose operands the copy engine loads, and why it does not store `c`.
fn of_boxes<T: Operand, C: Output, E: Epilogue>(
    of: &Request<'_, '_, T, C, E>,
    not_stored: Option<&str>,
) -> (&'static [Tile], String) {
    let few = if size_of::<C>() == 2 { boxes::of_few_rows(&of.task) } else { None };
    if let (None, Some(tiles)) = (not_stored, few) {
        // The last one is shared, which only halves are.
        let tiles = if T::IS_HALF { tiles } else { &tiles[..tiles.len() - 1] };
        return (tiles, "few rows, where loading the operands takes longest".to_owned());
    }
    match not_stored {
        _ if of.task.shape.m <= 128 && !of.task.b_beside => {
            let why = "few rows, whose sums take as long as reading the right operand";
            (of_shared_steps(of), why.to_owned())
        }
        Some(why) if !of.task.b_beside && are_counted::<T>(&of.task) => {
            (&OF_STREAM_K[3..], format!("stored by threads, as {why}"))
        }
        Some(why) => (&OF_WARPS, format!("no warpgroups, as {why}")),
        None if of.task.b_beside => (&boxes::OF_PANELS, "the copy engine loads and stores".to_owned()),
        None if size_of::<C>() == 2 => (&boxes::BELOW, "the copy engine loads and stores".to_owned()),
        None => (&along::TILES, "the copy engine loads and stores".to_owned()),
    }
}

/// Why the copy engine cannot load the operands, or no warpgroup can multiply them.
fn not_loaded<T, C, E>(of: &Request<'_, '_, T, C, E>) -> Option<&'static str> {
    let task = &of.task;
    if of.limits.compute != (9, 0) {
        Some("only that of compute capability 9.0 is used")
    } else if task.a_beside {
        Some("the elements of a column of the left operand lie side by side")
    } else if task.count > 1 {
        Some("there are several products")
    } else if of.problem.misalignments(task) != [Some(0); 2]
        || ![task.shape.a_stride, task.shape.b_stride].into_iter().all(is_in_units::<T>)
    {
        Some("not all rows of the operands begin at multiples of 16 bytes")
    } else if [task.shape.m, task.shape.n, task.shape.k].into_iter().any(|extent| extent > MOST_EXTENT) {
        Some("an extent is above 2^31, and the copy engine counts with 32 bits and a sign")
    } else if task.shape.k == 0 {
        Some("there is nothing to add")
    } else {
        None
    }
}

/// Why the copy engine cannot store `c`.
fn not_stored<T, C, E>(of: &Request<'_, '_, T, C, E>) -> Option<&'static str> {
    if of.task.how.beta != 0.0 {
        Some("elements of `c` are added")
    } else if of.problem.c.memory().misalignment() != Some(0) || !is_in_units::<C>(of.task.how.c_stride) {
        Some("not all rows of `c` begin at multiples of 16 bytes")
    } else {
        None
    }
}

pub(super) fn is_in_units<T>(stride: usize) -> bool {
    stride.is_multiple_of(16 / size_of::<T>())
}

/// How blocks share the steps of all tiles.
struct Sharing {
    shares: Shares,
    blocks: u32,
    /// The blocks that share a tile as a cluster, if each tile has as many.
    parts: Option<u32>,
    /// Quads of partial sums, and counters.
    workspace: [usize; 2],
}

/// Whether 32 bits count the steps of all of the largest tiles that blocks share.
fn are_counted<T>(task: &Task) -> bool {
    let [_, _, _, Tile { rows, cols, .. }] = OF_STREAM_K;
    let tiles = task.shape.m.div_ceil(rows).saturating_mul(task.shape.n.div_ceil(cols));
    let steps = task.shape.k.div_ceil(DEPTH_BYTES / size_of::<T>());
    tiles.saturating_mul(steps) <= u32::MAX as usize
}

/// Equally many blocks for each tile, unless that leaves many multiprocessors idle; then a block for each of these.
fn sharing<T>(rows: usize, task: &Task, limits: &Limits) -> Sharing {
    let tiles = task.shape.m.div_ceil(rows) * task.shape.n.div_ceil(stream_k::LINES);
    // No memory holds operands with more steps than 32 bits count.
    let steps = task.shape.k.div_ceil(DEPTH_BYTES / size_of::<T>());
    let multiprocessors = limits.multiprocessors.max(2) as usize;
    let each = (multiprocessors / tiles).min(steps / FEWEST_STEPS).max(1);
    // Large sums are added up by the blocks of a cluster together, small ones by the last block of a tile.
    let in_cluster = if rows >= 64 { each.min(MOST_PARTS) } else { each };
    let is_busy = tiles <= multiprocessors && tiles * in_cluster * 10 >= multiprocessors * 7;
    let parts = (is_busy && in_cluster <= MOST_PARTS).then_some(in_cluster);
    let blocks = match parts {
        Some(parts) => tiles * parts,
        None if each > MOST_PARTS => tiles * each,
        None => multiprocessors.min(tiles * steps),
    };
    let all = tiles * steps;
    let shares = Shares { steps: steps as u32, each: (all / blocks) as u32, more: (all % blocks) as u32 };
    let quads = blocks * stream_k::quads(rows);
    let workspace = match parts {
        Some(1) => [0, 0],
        Some(_) => [quads, 0],
        None => [2 * quads, tiles * stream_k::GROUPS as usize],
    };
    Sharing { shares, blocks: blocks as u32, parts: parts.map(|parts| parts as u32), workspace }
}

/// Launches the kernel of warps, with operands of these orders.
fn by_warps<
    'a,
    T: Operand,
    C: Output,
    E: Epilogue,
    A: Side<Element = T>,
    B: Side<Element = T>,
    const DEPTH: usize,
    const RINGS: usize,
>(
    of: Launching<'a, '_, T, C, E>,
) -> Result<Step<'a>, KernelError> {
    let scaling = scaling(of.problem.scales.as_ref());
    let (Memory { a, b, mut c, bias, residual, scales: [a_scales, b_scales], strides }, epilogue) =
        of.problem.memory(&of.task);
    let (shape, how) = (of.task.shape, of.task.how);
    let (has_bias, has_residual, adds) = (how.has_bias, how.has_residual, how.beta != 0.0);
    Ok(step!(
        of.target,
        (of.plan.grid, of.plan.block),
        gemm_warps::<T, C, E, A, B, DEPTH, RINGS>(
            &a,
            &b,
            &mut c,
            &bias,
            &residual,
            &a_scales,
            &b_scales,
            shape,
            how,
            strides,
            epilogue,
            scaling,
            has_bias,
            has_residual,
            adds
        )
    ))
}

/// Launches the kernel whose blocks share the steps of tiles, with the rows of the plan.
fn in_shares<'a, T: Operand, C: Output, E: Epilogue, const UNIT: usize, const DEPTH: usize>(
    of: Launching<'a, '_, T, C, E>,
) -> Result<Step<'a>, KernelError> {
    match of.plan.tile / stream_k::LINES {
        16 => in_shares_of::<T, C, E, UNIT, DEPTH, 16, { stream_k::stages(16) }>(of),
        32 => in_shares_of::<T, C, E, UNIT, DEPTH, 32, { stream_k::stages(32) }>(of),
        64 => in_shares_of::<T, C, E, UNIT, DEPTH, 64, { stream_k::stages(64) }>(of),
        _ => in_shares_of::<T, C, E, UNIT, DEPTH, 128, { stream_k::stages(128) }>(of),
    }
}

fn in_shares_of<
    'a,
    T: Operand,
    C: Output,
    E: Epilogue,
    const UNIT: usize,
    const DEPTH: usize,
    const ROWS: usize,
    const STAGES: usize,
>(
    of: Launching<'a, '_, T, C, E>,
) -> Result<Step<'a>, KernelError> {
    let scaling = scaling(of.problem.scales.as_ref());
    let (Memory { a, b, mut c, bias, residual, scales: [a_scales, b_scales], strides }, epilogue) =
        of.problem.memory(&of.task);
    let (shape, how, device) = (of.task.shape, of.task.how, &of.target.device);
    let Sharing { shares, blocks, parts, workspace: [quads, counters] } =
        sharing::<T>(ROWS, &of.task, device.limits());
    let in_clusters = parts.is_some();
    let mut partials: Buffer<F32x4> = device.alloc_uninit(quads)?;
    let mut arrived: Buffer<u32> = device.alloc_zeroed(counters)?;
    let (a, b) = boxes::operands::<T, UNIT, DEPTH, ROWS, { stream_k::LINES }>(device, a, b, &of.task)?;
    Ok(step!(
        of.target,
        early(blocks, of.plan.block, parts.unwrap_or(1)),
        gemm_stream_k::<T, C, E, UNIT, DEPTH, ROWS, STAGES>(
            &a,
            &b,
            &mut c,
            &bias,
            &residual,
            &a_scales,
            &b_scales,
            &mut partials,
            &mut arrived,
            shape,
            how,
            strides,
            shares,
            epilogue,
            in_clusters,
            scaling
        )
    ))
}
