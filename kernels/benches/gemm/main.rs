//! Times products of matrices on a GPU: in bursts and sustained, or, with `serve`, in turns with cuBLAS (`kernels/benches/gemm.py`).
//!
//! Names are `bf16_tn`, `bf16_nn`, `f32_tn` and `f32_nn`, with a size of square matrices, and `shape` with the line of a shape in
//! `shapes.txt`, from 0 on. Some elements of each product are checked. It prints `ours NAME_SIZE_MODE VALUE TFLOP/s`. `TILE=256x128`
//! sets the tile.

#[path = "../function.rs"]
mod function;

use function::Work::Operations;
use function::{Function, Result, Run, check, hashed, kept, launches, setting, time};
use warpsmith::prelude::*;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::products::{ProductElement, gemm};

const SHAPES: &str = include_str!("shapes.txt");

/// After this number of elements, a prime, they repeat: most time would be that of making them.
const PERIOD: usize = 1_048_573;

const FUNCTIONS: [Function; 5] = [
    Function::new("bf16_tn", Operations(cube), |d, n| product::<bf16>(d, [n; 3], true)),
    Function::new("bf16_nn", Operations(cube), |d, n| product::<bf16>(d, [n; 3], false)),
    Function::new("f32_tn", Operations(cube), |d, n| product::<f32>(d, [n; 3], true)),
    Function::new("f32_nn", Operations(cube), |d, n| product::<f32>(d, [n; 3], false)),
    Function::new("shape", Operations(|line| shape(line).map_or(f64::NAN, operations)), |d, line| {
        product::<bf16>(d, shape(line)?, true)
    }),
];

fn main() -> Result<()> {
    time(&FUNCTIONS.each_ref(), |name| name != "shape", &[4096, 8192])
}

fn cube(size: usize) -> f64 {
    operations([size; 3])
}

fn operations([m, n, k]: [usize; 3]) -> f64 {
    2.0 * m as f64 * n as f64 * k as f64
}

/// The extents of a line of the shapes.
fn shape(line: usize) -> Result<[usize; 3]> {
    let found = SHAPES.lines().filter(|line| !line.starts_with('#')).nth(line);
    let numbers = found.into_iter().flat_map(|line| line.split(' ').filter_map(|word| word.parse().ok()));
    let extents = numbers.collect::<Vec<usize>>().try_into();
    extents.map_err(|_| format!("line {line} of shapes.txt has no three extents").into())
}

fn product<T: ProductElement>(
    device: &Device,
    [m, n, k]: [usize; 3],
    is_turned: bool,
) -> Result<Run<'static>> {
    let numbers: Vec<T> = (0..PERIOD).map(|i| hashed(i).cast()).collect();
    let host = |len: usize, from: usize| -> Vec<T> {
        let mut all = Vec::with_capacity(len);
        all.extend_from_slice(&numbers[from..][..len.min(PERIOD - from)]);
        while all.len() < len {
            all.extend_from_slice(&numbers[..PERIOD.min(len - all.len())]);
        }
        all
    };
    let (x, w) = (host(m * k, 0), host(n * k, 77));
    let (a, b) = (&*kept(device.upload(&x)?), &*kept(device.upload(&w)?));
    let c = kept(device.alloc_zeroed::<T>(m * n)?);
    let of_b = || if is_turned { Ok(matrix(b, n, k)?.t()) } else { matrix(b, k, n) };
    gemm(device, matrix(a, m, k)?, of_b()?, matrix_mut(&mut *c, m, n)?).run()?;
    let all = device.download(c)?;
    let value = |x: T| f64::from(x.cast::<f32>());
    for i in 0..200 {
        let (row, col) = (i * 7919 % m, i * 104_729 % n);
        let at = |e: usize| if is_turned { col * k + e } else { e * n + col };
        let want: f64 = (0..k).map(|e| value(x[row * k + e]) * value(w[at(e)])).sum();
        let got = value(all[row * n + col]);
        let is_right = (got - want).abs() < 0.01 * want.abs() + 0.01;
        check(is_right, || format!("({row}, {col}): {got} instead of {want}"))?;
    }
    let call = gemm(device, matrix(a, m, k)?, of_b()?, matrix_mut(c, m, n)?);
    let tile: Option<String> = setting("TILE");
    let tile = tile.as_deref().and_then(|tile| tile.split_once('x'));
    launches(
        device,
        match tile.and_then(|(rows, cols)| rows.parse().ok().zip(cols.parse().ok())) {
            Some((rows, cols)) => call.tile(rows, cols),
            None => call,
        },
    )
}
