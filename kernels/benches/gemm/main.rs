//! Times products of matrices on a GPU: in bursts and sustained, or, with `serve`, in turns with cuBLAS (`kernels/benches/gemm.py`).
//!
//! Names are `bf16_tn`, `bf16_nn`, `f32_tn` and `f32_nn`, `tf32`, `s8`, `fp8`, `fp8_lines` and `fp8_blocks`, with a size of square
//! matrices, `shape`, `shape_tf32` and so on, with the line of a shape in `shapes.txt`, from 0 on, and the layers of `grouped.txt`, with a
//! number of rows. Some elements of each product are checked. It prints `ours NAME_SIZE_MODE VALUE TFLOP/s`. `TILE=256x128` sets the tile.

#[path = "../function.rs"]
mod function;
mod grouped;

use function::Work::Operations;
use function::{Function, Result, Run, check, hashed, kept, launches, setting, time};
use warpsmith::prelude::*;
use warpsmith_kernels::Call;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::products::{Gemm, Precision, ProductElement, Scales, Unchanged, gemm};

const SHAPES: &str = include_str!("shapes.txt");

/// After this number of elements, a prime, they repeat: most time would be that of making them.
const PERIOD: usize = 1_048_573;

/// A layer of experts by its name.
macro_rules! layer {
    ($name:literal) => {
        Function::new($name, Operations(|rows| grouped::operations($name, rows)), |d, rows| {
            grouped::product(d, $name, rows)
        })
    };
}

const FUNCTIONS: [Function; 21] = [
    Function::new("bf16_tn", Operations(cube), |d, n| product(d, [n; 3], &BF16)),
    Function::new("bf16_nn", Operations(cube), |d, n| {
        product(d, [n; 3], &Product { is_turned: false, ..BF16 })
    }),
    Function::new("f32_tn", Operations(cube), |d, n| product(d, [n; 3], &F32)),
    Function::new("f32_nn", Operations(cube), |d, n| {
        product(d, [n; 3], &Product { is_turned: false, ..F32 })
    }),
    Function::new("tf32", Operations(cube), |d, n| product(d, [n; 3], &TF32)),
    Function::new("s8", Operations(cube), |d, n| product(d, [n; 3], &S8)),
    Function::new("fp8", Operations(cube), |d, n| product(d, [n; 3], &FP8)),
    Function::new("fp8_lines", Operations(cube), |d, n| product(d, [n; 3], &FP8_LINES)),
    Function::new("fp8_blocks", Operations(cube), |d, n| product(d, [n; 3], &FP8_BLOCKS)),
    Function::new("shape", Operations(of_line), |d, line| product(d, shape(line)?, &BF16)),
    Function::new("shape_tf32", Operations(of_line), |d, line| product(d, shape(line)?, &TF32)),
    Function::new("shape_s8", Operations(of_line), |d, line| product(d, shape(line)?, &S8)),
    Function::new("shape_fp8", Operations(of_line), |d, line| product(d, shape(line)?, &FP8)),
    Function::new("shape_fp8_lines", Operations(of_line), |d, line| product(d, shape(line)?, &FP8_LINES)),
    Function::new("shape_fp8_blocks", Operations(of_line), |d, line| product(d, shape(line)?, &FP8_BLOCKS)),
    layer!("mixtral_up"),
    layer!("mixtral_down"),
    layer!("qwen_up"),
    layer!("qwen_down"),
    layer!("deepseek_up"),
    layer!("deepseek_down"),
];

/// Products of `T` whose elements are `C`.
struct Product<T: 'static, C: 'static> {
    is_turned: bool,
    /// The element for a number of [-1, 1).
    of: fn(f32) -> T,
    value: fn(T) -> f64,
    stored: fn(C) -> f64,
    set: Setting<T, C>,
    /// The factor of each sum.
    factor: f64,
}

/// Sets what a product of these extents needs.
type Setting<T, C> = fn(Bench<T, C>, [usize; 3]) -> Result<Bench<T, C>>;

/// A product on its way.
struct Bench<T: 'static, C: 'static> {
    device: Device,
    call: Call<'static, Gemm<'static, T, C, Unchanged>>,
}

const BF16: Product<bf16, bf16> = Product {
    is_turned: true,
    of: bf16::from_f32,
    value: bf16::to_f64,
    stored: bf16::to_f64,
    set: |bench, _| Ok(bench),
    factor: 1.0,
};
const F32: Product<f32, f32> = Product {
    is_turned: true,
    of: |x| x,
    value: f64::from,
    stored: f64::from,
    set: |bench, _| Ok(bench),
    factor: 1.0,
};
const TF32: Product<f32, f32> =
    Product { set: |bench, _| Ok(bench.map(|call| call.precision(Precision::TensorFloat32))), ..F32 };
const S8: Product<i8, i32> = Product {
    is_turned: true,
    of: |x| (x * 127.0) as i8,
    value: f64::from,
    stored: f64::from,
    set: |bench, _| Ok(bench),
    factor: 1.0,
};
const FP8: Product<F8E4M3, bf16> = Product {
    is_turned: true,
    of: F8E4M3::from_f32,
    value: |x| x.to_f32().into(),
    stored: bf16::to_f64,
    set: |bench, _| {
        let (a, b) = (bench.factors(1)?, bench.factors(1)?);
        Ok(bench.map(|call| call.scales(Scales::of_tensors(a, b))))
    },
    factor: 0.25,
};
const FP8_LINES: Product<F8E4M3, bf16> = Product {
    set: |bench, [m, n, _]| {
        let (a, b) = (bench.factors(m)?, bench.factors(n)?);
        Ok(bench.map(|call| call.scales(Scales::of_lines(a, b))))
    },
    ..FP8
};
/// The factors of a block of `k` of all rows lie side by side.
const FP8_BLOCKS: Product<F8E4M3, bf16> = Product {
    set: |bench, [m, n, k]| {
        let (m, n, k) = (m, n.div_ceil(128), k.div_ceil(128));
        let (a, b) = (bench.factors(m * k)?, bench.factors(n * k)?);
        let (a, b) = (matrix(a, k, m)?.t(), matrix(b, k, n)?);
        Ok(bench.map(|call| call.scales(Scales::of_blocks(a, b))))
    },
    ..FP8
};

impl<T: ProductElement<C>, C: Num> Bench<T, C> {
    fn map(
        self,
        set: impl FnOnce(
            Call<'static, Gemm<'static, T, C, Unchanged>>,
        ) -> Call<'static, Gemm<'static, T, C, Unchanged>>,
    ) -> Self {
        Self { call: set(self.call), ..self }
    }

    fn factors(&self, count: usize) -> Result<&'static Buffer<f32>> {
        Ok(&*kept(self.device.upload(&vec![0.5f32; count])?))
    }
}

fn main() -> Result<()> {
    time(
        &FUNCTIONS.each_ref(),
        |name| !name.contains("shape") && !name.contains("up") && !name.contains("down"),
        &[4096, 8192],
    )
}

fn cube(size: usize) -> f64 {
    operations([size; 3])
}

fn operations([m, n, k]: [usize; 3]) -> f64 {
    2.0 * m as f64 * n as f64 * k as f64
}

fn of_line(line: usize) -> f64 {
    shape(line).map_or(f64::NAN, operations)
}

/// The extents of a line of the shapes.
fn shape(line: usize) -> Result<[usize; 3]> {
    let found = SHAPES.lines().filter(|line| !line.starts_with('#')).nth(line);
    let numbers = found.into_iter().flat_map(|line| line.split(' ').filter_map(|word| word.parse().ok()));
    let extents = numbers.collect::<Vec<usize>>().try_into();
    extents.map_err(|_| format!("line {line} of shapes.txt has no three extents").into())
}

/// Elements for the numbers of a period, from number `from` of it on.
fn repeated<T: Copy>(len: usize, from: usize, of: fn(f32) -> T) -> Vec<T> {
    let numbers: Vec<T> = (0..PERIOD).map(|i| of(hashed(i))).collect();
    let mut all = Vec::with_capacity(len);
    all.extend_from_slice(&numbers[from..][..len.min(PERIOD - from)]);
    while all.len() < len {
        all.extend_from_slice(&numbers[..PERIOD.min(len - all.len())]);
    }
    all
}

fn product<T: ProductElement<C> + Copy, C: Num>(
    device: &Device,
    [m, n, k]: [usize; 3],
    how: &Product<T, C>,
) -> Result<Run<'static>> {
    let (x, w) = (repeated(m * k, 0, how.of), repeated(n * k, 77, how.of));
    let (a, b) = (&*kept(device.upload(&x)?), &*kept(device.upload(&w)?));
    let c: *mut Buffer<C> = kept(device.alloc_zeroed::<C>(m * n)?);
    let call = || -> Result<_> {
        let of_b = if how.is_turned { matrix(b, n, k)?.t() } else { matrix(b, k, n)? };
        // SAFETY: the buffer is never freed, and each call ends before the next use of it.
        let to = matrix_mut(unsafe { &mut *c }, m, n)?;
        let bench = Bench { device: device.clone(), call: gemm(device, matrix(a, m, k)?, of_b, to) };
        Ok((how.set)(bench, [m, n, k])?.call)
    };
    call()?.run()?;
    // SAFETY: as above.
    let all = device.download(unsafe { &*c })?;
    for i in 0..200 {
        let (row, col) = (i * 7919 % m, i * 104_729 % n);
        let at = |e: usize| if how.is_turned { col * k + e } else { e * n + col };
        let term = |e: usize| (how.value)(x[row * k + e]) * (how.value)(w[at(e)]);
        let (sum, size) = (0..k).map(term).fold((0.0, 0.0), |(sum, size), x: f64| (sum + x, size + x.abs()));
        let (want, size) = (how.factor * sum, how.factor * size);
        let got = (how.stored)(all[row * n + col]);
        let is_right = (got - want).abs() < 0.01 * want.abs() + 0.001 * size + 0.01;
        check(is_right, || format!("({row}, {col}): {got} instead of {want}"))?;
    }
    let call = call()?;
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
