//! Tiles of products on CUDA cores, and how one is chosen.

use super::super::Epilogue;
use super::super::element::{Cores, Launching, Request};
use super::super::problem::{Memory, Problem, Task};
use super::super::tiles::{Tile, choose};
use super::copy::{DEPTH, PAD};
use super::kernel::{STAGES, THREADS, gemm_cuda_cores};
use crate::call::{Plan, Step, step};
use crate::error::KernelError;

const KERNEL: &str = "gemm_cuda_cores";
/// The tiles: larger ones read less shared memory for each product, smaller ones make more blocks.
const TILES: [Tile; 3] = [
    Tile::of_products(KERNEL, [256, 128], 1.0, 1.0),
    Tile::of_products(KERNEL, [128, 128], 2.0, 0.98),
    Tile::of_products(KERNEL, [64, 64], 4.0, 0.75),
];

/// Kernels that sum in the registers of threads.
pub struct CudaCores;

impl Cores<f32, f32> for CudaCores {
    fn plan<E: Epilogue>(of: &Request<'_, '_, f32, f32, E>) -> Result<Plan, KernelError> {
        let chosen = choose(&TILES, of.problem.tile, &of.task, of.limits)?;
        let Tile { rows, cols, .. } = chosen.tile;
        let copies = if is_wide(of.problem, &of.task) {
            "copies of 16 bytes where elements lie side by side"
        } else {
            "copies of 4 bytes"
        };
        Ok(Plan {
            kernel: KERNEL,
            types: of.types.clone(),
            tile: rows * cols,
            grid: chosen.grid,
            block: THREADS,
            shared: STAGES * DEPTH * (rows + cols + 2 * PAD) * size_of::<f32>(),
            workspace: 0,
            why: format!("{}, {copies}", chosen.why),
        })
    }

    fn step<'a, E: Epilogue>(of: Launching<'a, '_, f32, f32, E>) -> Result<Step<'a>, KernelError> {
        match of.plan.tile {
            0x8000 => by_operands::<E, 256, 128, 4, 2, 1>(of),
            0x4000 => by_operands::<E, 128, 128, 2, 2, 2>(of),
            _ => by_operands::<E, 64, 64, 1, 1, 4>(of),
        }
    }
}

/// Whether groups of four elements that lie side by side begin at multiples of 16 bytes.
fn is_wide<E>(problem: &Problem<'_, f32, f32, E>, task: &Task) -> bool {
    task.in_units(4, problem.misalignments(task))
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
    of: Launching<'a, '_, f32, f32, E>,
) -> Result<Step<'a>, KernelError> {
    match (of.task.a_beside, of.task.b_beside, is_wide(&of.problem, &of.task)) {
        (false, false, _) => launch::<E, false, false, false, M, N, R, C, BLOCKS>(of),
        (false, true, false) => launch::<E, false, true, false, M, N, R, C, BLOCKS>(of),
        (false, true, true) => launch::<E, false, true, true, M, N, R, C, BLOCKS>(of),
        (true, false, false) => launch::<E, true, false, false, M, N, R, C, BLOCKS>(of),
        (true, false, true) => launch::<E, true, false, true, M, N, R, C, BLOCKS>(of),
        (true, true, false) => launch::<E, true, true, false, M, N, R, C, BLOCKS>(of),
        (true, true, true) => launch::<E, true, true, true, M, N, R, C, BLOCKS>(of),
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
    of: Launching<'a, '_, f32, f32, E>,
) -> Result<Step<'a>, KernelError> {
    let (Memory { a, b, mut c, bias, residual, .. }, epilogue) = of.problem.memory(&of.task);
    let (shape, how) = (of.task.shape, of.task.how);
    Ok(step!(
        of.target,
        (of.plan.grid, of.plan.block),
        gemm_cuda_cores::<E, A_BESIDE, B_BESIDE, WIDE, M, N, R, C, BLOCKS>(
            &a, &b, &mut c, &bias, &residual, shape, how, epilogue
        )
    ))
}
