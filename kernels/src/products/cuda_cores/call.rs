//! Tiles of products on CUDA cores, and how one is chosen.

use warpsmith::driver::Limits;

use super::super::Epilogue;
use super::super::problem::{Memory, Problem, Task};
use super::super::tiles::{Tile, choose};
use super::copy::{DEPTH, PAD};
use super::kernel::{STAGES, THREADS, gemm_cuda_cores};
use crate::call::{Plan, Step, Target, step};
use crate::error::KernelError;

/// The tiles: larger ones read less shared memory for each product, smaller ones make more blocks.
const TILES: [Tile; 3] = [
    Tile { rows: 128, cols: 256, blocks: 1.0, speed: 1.0 },
    Tile { rows: 128, cols: 128, blocks: 2.0, speed: 0.95 },
    Tile { rows: 64, cols: 64, blocks: 4.0, speed: 0.75 },
];

/// Chooses a tile.
pub fn plan<E>(
    problem: &Problem<'_, f32, E>,
    task: &Task,
    types: String,
    limits: &Limits,
) -> Result<Plan, KernelError> {
    if limits.compute < (8, 0) {
        return Err(KernelError::Device { kernel: "gemm", needs: (8, 0), has: limits.compute });
    }
    let chosen = choose(&TILES, problem.tile, task, limits)?;
    let Tile { rows, cols, .. } = chosen.tile;
    let copies = if is_wide(problem, task) {
        "copies of 16 bytes where elements lie side by side"
    } else {
        "copies of 4 bytes"
    };
    Ok(Plan {
        kernel: "gemm_cuda_cores",
        types,
        tile: rows * cols,
        grid: chosen.grid,
        block: THREADS,
        shared: STAGES * DEPTH * (rows + cols + 2 * PAD) * size_of::<f32>(),
        workspace: 0,
        why: format!("{}, {copies}", chosen.why),
    })
}

/// The launch for a plan's tile.
pub fn step<'a, E: Epilogue>(
    problem: Problem<'a, f32, E>,
    task: &Task,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    match plan.tile {
        0x8000 => by_operands::<E, 128, 256, 2, 4, 1>(problem, task, plan, target),
        0x4000 => by_operands::<E, 128, 128, 2, 2, 2>(problem, task, plan, target),
        _ => by_operands::<E, 64, 64, 1, 1, 4>(problem, task, plan, target),
    }
}

/// Whether groups of four elements that lie side by side begin at multiples of 16 bytes.
fn is_wide<E>(problem: &Problem<'_, f32, E>, task: &Task) -> bool {
    let begins = [problem.a.memory().misalignment(), problem.b.memory().misalignment()];
    task.in_units(4, begins)
}

fn by_operands<
    'a,
    E: Epilogue,
    const M: usize,
    const N: usize,
    const R: usize,
    const C: usize,
    const BLOCKS: usize,
>(
    problem: Problem<'a, f32, E>,
    task: &Task,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let is_wide = is_wide(&problem, task);
    match (task.a_beside, task.b_beside, is_wide) {
        (false, false, _) => {
            launch::<E, false, false, false, M, N, R, C, BLOCKS>(problem, task, plan, target)
        }
        (false, true, false) => {
            launch::<E, false, true, false, M, N, R, C, BLOCKS>(problem, task, plan, target)
        }
        (false, true, true) => {
            launch::<E, false, true, true, M, N, R, C, BLOCKS>(problem, task, plan, target)
        }
        (true, false, false) => {
            launch::<E, true, false, false, M, N, R, C, BLOCKS>(problem, task, plan, target)
        }
        (true, false, true) => {
            launch::<E, true, false, true, M, N, R, C, BLOCKS>(problem, task, plan, target)
        }
        (true, true, false) => {
            launch::<E, true, true, false, M, N, R, C, BLOCKS>(problem, task, plan, target)
        }
        (true, true, true) => launch::<E, true, true, true, M, N, R, C, BLOCKS>(problem, task, plan, target),
    }
}

fn launch<
    'a,
    E: Epilogue,
    const A_BESIDE: bool,
    const B_BESIDE: bool,
    const WIDE: bool,
    const M: usize,
    const N: usize,
    const R: usize,
    const C: usize,
    const BLOCKS: usize,
>(
    problem: Problem<'a, f32, E>,
    task: &Task,
    plan: &Plan,
    target: &Target,
) -> Result<Step<'a>, KernelError> {
    let (Memory { a, b, mut c, bias, residual }, epilogue) = problem.memory(task);
    let (shape, how, grid, block) = (task.shape, task.how, plan.grid, plan.block);
    Ok(step!(
        target,
        (grid, block),
        gemm_cuda_cores::<E, A_BESIDE, B_BESIDE, WIDE, M, N, R, C, BLOCKS>(
            &a, &b, &mut c, &bias, &residual, shape, how, epilogue
        )
    ))
}
