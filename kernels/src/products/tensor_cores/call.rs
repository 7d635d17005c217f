//! Kernels and tiles of products on tensor cores, and how one is chosen.

use std::any::TypeId;

use warpsmith::driver::Limits;
use warpsmith::prelude::*;
use warpsmith::ptx::WgmmaElement;
use warpsmith::tensor::{HalfElement, Swizzle128, TensorElement};
use warpsmith::tensor_map::MappedElement;

use super::super::problem::{Memory, Problem, Task};
use super::super::tiles::{Tile, choose};
use super::super::{Epilogue, Unchanged};
use super::warpgroups::{self, gemm_warpgroups};
use super::warps::{self, gemm_warps};
use crate::call::{Plan, Step, Target, step};
use crate::error::KernelError;

/// Tiles of warps, for every task from compute capability 8.0 on.
const OF_WARPS: [Tile; 1] = [Tile { rows: 128, cols: 128, blocks: 2.0, speed: 0.5 }];
/// Those, and tiles of clusters of two blocks, which have a multiprocessor each: compute capability 9.0, for operands that the copy
/// engine knows.
const OF_WARPGROUPS: [Tile; 3] = [
    Tile { rows: warpgroups::ROWS, cols: 256, blocks: 0.5, speed: 1.0 },
    Tile { rows: warpgroups::ROWS, cols: 128, blocks: 0.5, speed: 0.9 },
    OF_WARPS[0],
];

/// Elements that both kernels multiply.
pub trait TensorCoreElement:
    TensorElement<Sum = f32> + WgmmaElement<Sum = f32> + MappedElement + HalfElement + Num + 'static
{
}

impl TensorCoreElement for bf16 {}
impl TensorCoreElement for f16 {}

/// Chooses a kernel and a tile.
pub fn plan<T: TensorCoreElement, E: Epilogue>(
    problem: &Problem<'_, T, E>,
    task: &Task,
    types: String,
    limits: &Limits,
) -> Result<Plan, KernelError> {
    if limits.compute < (8, 0) {
        return Err(KernelError::Device { kernel: "gemm", needs: (8, 0), has: limits.compute });
    }
    let refused = not_for_warpgroups(problem, task, limits);
    let tiles: &[Tile] = if refused.is_some() { &OF_WARPS } else { &OF_WARPGROUPS };
    let chosen = choose(tiles, problem.tile, task, limits)?;
    let Tile { rows, cols, .. } = chosen.tile;
    let is_of_warps = rows == warps::TILE;
    let why = match refused {
        Some(why) => format!("{}; no warpgroups, as {why}", chosen.why),
        None => chosen.why,
    };
    let of_warpgroups = warpgroups::STAGES * (warpgroups::HALF + cols) * warpgroups::DEPTH
        + 4 * warpgroups::BOX * warpgroups::BOX;
    let most = limits.multiprocessors / 2 * 2;
    Ok(Plan {
        kernel: if is_of_warps { "gemm_warps" } else { "gemm_warpgroups" },
        types,
        tile: rows * cols,
        grid: if is_of_warps { chosen.grid } else { (2 * chosen.grid).min(most.max(2)) },
        block: if is_of_warps { warps::THREADS } else { warpgroups::THREADS },
        shared: if is_of_warps { warps::RINGS } else { of_warpgroups } * size_of::<T>(),
        workspace: 0,
        why,
    })
}

/// Why the copy engine or warpgroups do not take a task.
fn not_for_warpgroups<T: TensorCoreElement, E: Epilogue>(
    problem: &Problem<'_, T, E>,
    task: &Task,
    limits: &Limits,
) -> Option<&'static str> {
    let units = |stride: usize| stride.is_multiple_of(16 / size_of::<T>());
    let begins = [
        problem.a.memory().misalignment(),
        problem.b.memory().misalignment(),
        problem.c.memory().misalignment(),
    ];
    if limits.compute != (9, 0) {
        Some("only compute capability 9.0 has them")
    } else if task.a_beside {
        Some("the elements of a column of the left operand lie side by side")
    } else if task.count > 1 {
        Some("there are several products")
    } else if task.how.beta != 0.0 {
        Some("elements of `c` are added")
    } else if begins != [Some(0); 3]
        || ![task.shape.a_stride, task.shape.b_stride, task.how.c_stride].into_iter().all(units)
    {
        Some("not all rows begin at multiples of 16 bytes")
    } else if task.shape.k == 0 {
        Some("there is nothing to add")
    } else {
        None
    }
}

/// The launch of a plan.
pub fn step<'a, T: TensorCoreElement, E: Epilogue>(
    problem: Problem<'a, T, E>,
    task: &Task,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let is_wide = plan.tile == warpgroups::ROWS * 256;
    match (plan.kernel, task.a_beside, task.b_beside) {
        ("gemm_warpgroups", _, false) if is_wide => in_boxes::<T, E, false, 256>(problem, task, plan, target),
        ("gemm_warpgroups", _, false) => in_boxes::<T, E, false, 128>(problem, task, plan, target),
        ("gemm_warpgroups", _, true) if is_wide => in_boxes::<T, E, true, 256>(problem, task, plan, target),
        ("gemm_warpgroups", _, true) => in_boxes::<T, E, true, 128>(problem, task, plan, target),
        (_, false, false) => by_warps::<T, E, false, false>(problem, task, plan, target),
        (_, false, true) => by_warps::<T, E, false, true>(problem, task, plan, target),
        (_, true, false) => by_warps::<T, E, true, false>(problem, task, plan, target),
        (_, true, true) => by_warps::<T, E, true, true>(problem, task, plan, target),
    }
}

fn by_warps<'a, T: TensorCoreElement, E: Epilogue, const A_BESIDE: bool, const B_BESIDE: bool>(
    problem: Problem<'a, T, E>,
    task: &Task,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let (Memory { a, b, mut c, bias, residual }, epilogue) = problem.memory(task);
    let (shape, how, grid, block) = (task.shape, task.how, plan.grid, plan.block);
    Ok(step!(
        target,
        (grid, block),
        gemm_warps::<T, E, A_BESIDE, B_BESIDE>(&a, &b, &mut c, &bias, &residual, shape, how, epilogue)
    ))
}

fn in_boxes<'a, T: TensorCoreElement, E: Epilogue, const B_BESIDE: bool, const COLS: usize>(
    problem: Problem<'a, T, E>,
    task: &Task,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let how = task.how;
    let is_plain = how.alpha == 1.0
        && !how.has_bias
        && !how.has_residual
        && TypeId::of::<E>() == TypeId::of::<Unchanged>();
    if is_plain {
        launch::<T, E, B_BESIDE, COLS, true>(problem, task, plan, target)
    } else {
        launch::<T, E, B_BESIDE, COLS, false>(problem, task, plan, target)
    }
}

fn launch<
    'a,
    T: TensorCoreElement,
    E: Epilogue,
    const B_BESIDE: bool,
    const COLS: usize,
    const PLAIN: bool,
>(
    problem: Problem<'a, T, E>,
    task: &Task,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let (Memory { a, b, c, bias, residual }, epilogue) = problem.memory(task);
    let (shape, how, grid, block) = (task.shape, task.how, plan.grid, plan.block);
    let device = &target.device;
    let of_b = if B_BESIDE { [shape.k, shape.n] } else { [shape.n, shape.k] };
    let a: TensorMap<'a, T, { warpgroups::HALF }, { warpgroups::DEPTH }, Swizzle128> =
        device.tensor_map(a, [shape.m, shape.k], shape.a_stride)?;
    let b: TensorMap<'a, T, { warpgroups::BOX }, { warpgroups::DEPTH }, Swizzle128> =
        device.tensor_map(b, of_b, shape.b_stride)?;
    let mut c: TensorMapMut<'a, T, { warpgroups::BOX }, { warpgroups::BOX }, Swizzle128> =
        device.tensor_map_mut(c, [shape.m, shape.n], how.c_stride)?;
    Ok(step!(
        target,
        (grid, block),
        gemm_warpgroups::<T, E, B_BESIDE, COLS, PLAIN>(
            &a, &b, &mut c, &bias, &residual, shape, how, epilogue
        )
    ))
}
