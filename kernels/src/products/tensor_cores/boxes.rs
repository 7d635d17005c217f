//! Tiles of products by warpgroups whose operands are boxes of the copy engine, and their launches, for elements of `c` of 16 bits.

use warpsmith::prelude::*;
use warpsmith::tensor::{Swizzle64, Swizzle128};
use warpsmith::tensor_map::BoxLayout;
use warpsmith::tile::Unswizzled;

use super::super::Epilogue;
use super::super::element::Launching;
use super::super::problem::{Memory, Task};
use super::super::scales::scaling;
use super::super::tiles::{Chosen, Tile};
use super::call::{OF_WARPS, SPLIT, TensorCoreElement, WARPGROUPS};
use super::element::{Multiplied, Stored};
use super::split::{DEPTH, PARTS, gemm_split};
use super::warpgroups::{self, Beside, GROUP, Lines, Order, THREADS, gemm_warpgroups};
use crate::argument::Input;
use crate::call::{Step, step};
use crate::error::KernelError;

/// Tiles of clusters of two blocks below each other, which share the columns of `b`, and those of warps. A width that divides the
/// columns into full rounds of tiles is worth more than a wide tile.
pub(super) const BELOW: [Tile; 7] = [
    below(256, 1.0),
    below(224, 0.96),
    below(192, 0.99),
    below(144, 0.92),
    below(128, 0.9),
    below(112, 0.87),
    OF_WARPS[0],
];

/// Those of whole panels of 64 columns, for `b` with the elements of each row side by side.
pub(super) const OF_PANELS: [Tile; 3] = [BELOW[0], BELOW[4], OF_WARPS[0]];

/// Tiles of one block with all of up to 64 rows, and tiles that two blocks share.
const FEW_64: [Tile; 4] = [few(64, 64), few(64, 160), few(64, 224), shared(64, 64)];

/// The same for up to 128 rows.
const FEW_128: [Tile; 3] = [few(128, 48), few(128, 224), shared(128, 64)];

pub(super) const fn below(cols: usize, speed: f64) -> Tile {
    Tile::of_products(WARPGROUPS, [256, cols], 0.5, speed)
}

const fn few(rows: usize, cols: usize) -> Tile {
    Tile::of_loads(WARPGROUPS, [rows, cols], 1.0, 1.0)
}

/// Each block loads one half, and adding up their sums takes a fifth longer.
const fn shared(rows: usize, cols: usize) -> Tile {
    Tile::of_loads(SPLIT, [rows, cols], 0.5, 0.6)
}

/// The tiles that have all rows of a task with few; the last one is shared.
pub(super) fn of_few_rows(task: &Task) -> Option<&'static [Tile]> {
    match task.shape.m {
        _ if task.b_beside || task.by_blocks => None,
        33..=64 => Some(&FEW_64),
        65..=128 => Some(&FEW_128),
        _ => None,
    }
}

/// Rows of a tile for this task, and the blocks that compute them.
fn rows_of(task: &Task) -> (usize, usize) {
    of_few_rows(task).map_or((BELOW[0].rows, 2), |tiles| (tiles[0].rows, 1))
}

/// Columns of a part of `c` that a warpgroup stores at a time.
const fn part(rows: usize, cols: usize) -> usize {
    match (rows, cols) {
        (64, 64) => 32,
        (64, 160) => 80,
        (64, 224) | (_, 112) => 112,
        (_, 48 | 144) => 48,
        (_, 224) => 32,
        _ => 64,
    }
}

/// Blocks, threads, bytes of shared memory and of workspace.
pub(super) fn plan(chosen: &Chosen, task: &Task, multiprocessors: u32) -> (u32, u32, usize, usize) {
    let (rows, blocks) = rows_of(task);
    let out = 2 * part(rows / blocks, chosen.tile.cols);
    plan_clusters(chosen, [rows, blocks], out, multiprocessors)
}

/// The same for tiles of these rows and clusters of these blocks, with rows of `out` bytes in parts of `c`.
pub(super) fn plan_clusters(
    chosen: &Chosen,
    [rows, blocks]: [usize; 2],
    out: usize,
    multiprocessors: u32,
) -> (u32, u32, usize, usize) {
    let shared = warpgroups::shared(rows / blocks, chosen.tile.cols, out);
    let blocks = blocks as u32;
    ((blocks * chosen.grid).min(multiprocessors / blocks * blocks), THREADS, shared, 0)
}

/// The same for blocks that share tiles.
pub(super) fn plan_split(chosen: &Chosen) -> (u32, u32, usize, usize) {
    let Tile { rows, cols, .. } = chosen.tile;
    let grid = PARTS * chosen.grid;
    (grid, THREADS, warpgroups::shared(rows, cols, 0), grid as usize * rows * cols * size_of::<f32>())
}

/// Rows and columns of a block, columns of a warpgroup, those of `b` that are loaded at a time, and blocks of a cluster.
macro_rules! launch {
    ($of:ident, $unit:expr, $depth:expr, $order:ty, $layout:ty: $rows:literal, $cols:literal, $own:literal, $box:literal, $blocks:literal) => {{
        let is_streamed = streams(&$of);
        by_warpgroups::<
            _,
            _,
            _,
            $order,
            $layout,
            $unit,
            $depth,
            $rows,
            $cols,
            $own,
            { part($rows, $cols) },
            $box,
            { warpgroups::stages($rows, $cols, 2 * part($rows, $cols)) },
            $blocks,
        >($of, is_streamed)
    }};
}

/// The launch for `b` with the elements of each row side by side.
pub(super) fn step_panels<'a, T: TensorCoreElement, C: Stored, E: Epilogue>(
    of: Launching<'a, '_, T, C, E>,
) -> Result<Step<'a>, KernelError> {
    match of.plan.tile / BELOW[0].rows {
        256 => launch!(of, 8, 64, Beside<T>, Swizzle128: 128, 256, 256, 64, 2),
        _ => launch!(of, 8, 64, Beside<T>, Swizzle128: 128, 128, 128, 64, 2),
    }
}

/// The launch for `b` with the elements of each column side by side, and elements of `c` of 16 bits.
pub(super) fn step<'a, T: Multiplied, C: Stored, E: Epilogue, const UNIT: usize, const DEPTH: usize>(
    of: Launching<'a, '_, T, C, E>,
) -> Result<Step<'a>, KernelError> {
    let rows = rows_of(&of.task).0;
    match (rows, of.plan.tile / rows) {
        (64, 64) => launch!(of, UNIT, DEPTH, Lines<T>, Swizzle64: 64, 64, 32, 64, 1),
        (64, 160) => launch!(of, UNIT, DEPTH, Lines<T>, Unswizzled: 64, 160, 80, 160, 1),
        (64, _) => launch!(of, UNIT, DEPTH, Lines<T>, Unswizzled: 64, 224, 112, 224, 1),
        (128, 48) => launch!(of, UNIT, DEPTH, Lines<T>, Unswizzled: 128, 48, 48, 48, 1),
        (128, _) => launch!(of, UNIT, DEPTH, Lines<T>, Swizzle64: 128, 224, 224, 224, 1),
        (_, 256) => launch!(of, UNIT, DEPTH, Lines<T>, Swizzle128: 128, 256, 256, 128, 2),
        (_, 224) => launch!(of, UNIT, DEPTH, Lines<T>, Swizzle64: 128, 224, 224, 112, 2),
        (_, 192) => launch!(of, UNIT, DEPTH, Lines<T>, Swizzle128: 128, 192, 192, 96, 2),
        (_, 144) => launch!(of, UNIT, DEPTH, Lines<T>, Unswizzled: 128, 144, 144, 72, 2),
        (_, 112) => launch!(of, UNIT, DEPTH, Lines<T>, Unswizzled: 128, 112, 112, 56, 2),
        _ => launch!(of, UNIT, DEPTH, Lines<T>, Swizzle128: 128, 128, 128, 64, 2),
    }
}

pub(super) fn step_split<'a, T: TensorCoreElement, C: Stored, E: Epilogue>(
    of: Launching<'a, '_, T, C, E>,
) -> Result<Step<'a>, KernelError> {
    match rows_of(&of.task) {
        (64, _) => by_split::<T, C, E, 64, 64, 32, { warpgroups::stages(64, 64, 0) }>(of),
        _ => by_split::<T, C, E, 128, 64, 64, { warpgroups::stages(128, 64, 0) }>(of),
    }
}

/// Launches the kernel of warpgroups.
pub(super) fn by_warpgroups<
    'a,
    T: Multiplied,
    C: Stored,
    E: Epilogue,
    O: Order<Element = T>,
    L: BoxLayout,
    const UNIT: usize,
    const DEPTH: usize,
    const ROWS: usize,
    const COLS: usize,
    const OWN: usize,
    const OUT: usize,
    const BOX: usize,
    const STAGES: usize,
    const BLOCKS: u32,
>(
    of: Launching<'a, '_, T, C, E>,
    streams: bool,
) -> Result<Step<'a>, KernelError> {
    let (scaling, is_plain) = (scaling(of.problem.scales.as_ref()), of.problem.is_plain());
    let (has_bias, has_residual) = (of.task.how.has_bias, of.task.how.has_residual);
    let (Memory { a, b, c, bias, residual, scales: [a_scales, b_scales], strides }, epilogue) =
        of.problem.memory(&of.task);
    let (shape, how, device) = (of.task.shape, of.task.how, &of.target.device);
    let (a, b) = operands::<T, UNIT, DEPTH, ROWS, BOX>(device, a, b, &of.task)?;
    let mut c: TensorMapMut<'a, C, GROUP, OUT, L> =
        device.tensor_map_mut(c, [shape.m, shape.n], how.c_stride)?;
    Ok(step!(
        of.target,
        early(of.plan.grid, of.plan.block, BLOCKS),
        gemm_warpgroups::<T, C, E, O, L, UNIT, DEPTH, ROWS, COLS, OWN, OUT, BOX, STAGES, BLOCKS>(
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
            is_plain,
            has_bias,
            has_residual,
            scaling,
            streams
        )
    ))
}

fn by_split<
    'a,
    T: TensorCoreElement,
    C: Stored,
    E: Epilogue,
    const ROWS: usize,
    const COLS: usize,
    const OWN: usize,
    const STAGES: usize,
>(
    of: Launching<'a, '_, T, C, E>,
) -> Result<Step<'a>, KernelError> {
    let (streams, scaling) = (streams(&of), scaling(of.problem.scales.as_ref()));
    let (Memory { a, b, mut c, bias, residual, scales: [a_scales, b_scales], strides }, epilogue) =
        of.problem.memory(&of.task);
    let (shape, how, device) = (of.task.shape, of.task.how, &of.target.device);
    let mut partials: Buffer<F32x4> = device.alloc_uninit(of.plan.workspace / size_of::<F32x4>())?;
    let (a, b) = operands::<T, 8, DEPTH, ROWS, COLS>(device, a, b, &of.task)?;
    Ok(step!(
        of.target,
        early(of.plan.grid, of.plan.block, PARTS),
        gemm_split::<T, C, E, ROWS, COLS, OWN, STAGES>(
            &a,
            &b,
            &mut c,
            &bias,
            &residual,
            &a_scales,
            &b_scales,
            &mut partials,
            shape,
            how,
            strides,
            epilogue,
            scaling,
            streams
        )
    ))
}

/// The maps by which blocks load boxes of `a` and of `b`.
type Operands<'a, T, const UNIT: usize, const DEPTH: usize, const OF_A: usize, const OF_B: usize> =
    (TensorMap<'a, T, OF_A, DEPTH, Swizzle128<UNIT>>, TensorMap<'a, T, OF_B, DEPTH, Swizzle128<UNIT>>);

/// The maps of a task's operands, for boxes of these rows.
pub(super) fn operands<
    'a,
    T: Multiplied,
    const UNIT: usize,
    const DEPTH: usize,
    const OF_A: usize,
    const OF_B: usize,
>(
    device: &Device,
    a: Input<'a, T>,
    b: Input<'a, T>,
    task: &Task,
) -> Result<Operands<'a, T, UNIT, DEPTH, OF_A, OF_B>, KernelError> {
    let shape = task.shape;
    let of_b = if task.b_beside { [shape.k, shape.n] } else { [shape.n, shape.k] };
    Ok((
        device.tensor_map(a, [shape.m, shape.k], shape.a_stride)?,
        device.tensor_map(b, of_b, shape.b_stride)?,
    ))
}

/// Whether blocks read `b`, of which each has columns of its own, past what the L2 cache keeps.
fn streams<T, C, E>(of: &Launching<'_, '_, T, C, E>) -> bool {
    let (_, blocks) = rows_of(&of.task);
    let l2 = of.target.device.limits().l2;
    blocks == 1 && of.task.shape.n * of.task.shape.k * size_of::<T>() > l2
}
