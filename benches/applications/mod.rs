//! Times the larger kernels of the corpus, unchecked and checked, each after a check of its results.

use std::cell::Cell;

use corpus::cases::{self, HostCsr, Random, Scale};
use corpus::gemm::{self, sgemm};
use corpus::nbody::{BODY_TILE, Bodies, nbody};
use corpus::pointwise::{Complex, Market, black_scholes, mandelbrot};
use corpus::rows::{ROW_THREADS, rms_norm, softmax};
use corpus::scan::{SCAN_THREADS, SCAN_TILE, scan};
use corpus::sorting::{SORT_KEYS, SORT_THREADS, bitonic_sort};
use corpus::sparse::{Csr, spmv};
use corpus::stencils::{Field, JACOBI_COLS, JACOBI_ROWS, STENCIL_THREADS, jacobi, stencil};
use warpsmith::prelude::*;

use super::{N, PRODUCT, SIDE, time};

const ROWS: usize = 16_384;
const WIDTH: usize = 8192;
const BODIES: usize = 1 << 17;
const SPARSE_ROWS: usize = 1 << 20;
const OPTIONS: usize = 1 << 26;
const KEYS: usize = 1 << 26;
const IMAGE: usize = 8192;

/// Times one launch without checks and with them.
macro_rules! timed {
    ($device:ident, $name:literal, $launch:expr) => {{
        // SAFETY: the case of this kernel has just run with checks, in the same shape.
        time($device, $name, || unsafe { $launch.launch_unchecked($device) })?;
        time($device, concat!($name, "_checked"), || $launch.launch($device))?;
    }};
}

/// Every kernel of this file.
pub fn run(device: &Device) -> warpsmith::Result<()> {
    products(device)?;
    rows(device)?;
    prefix_sums(device)?;
    bodies(device)?;
    stencils(device)?;
    sparse_rows(device)?;
    options(device)?;
    images(device)?;
    sorted_blocks(device)
}

/// Compares a kernel's results of real size with the host's; a wrong kernel is not timed.
fn check(device: &Device, name: &str) {
    let case = cases::all().into_iter().find(|case| case.name == name);
    let outcome = case.map_or(Err("no such case".into()), |case| (case.check)(device, Scale::Real));
    outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
}

fn products(device: &Device) -> warpsmith::Result<()> {
    check(device, "sgemm");
    let mut random = Random::new("products");
    let len = PRODUCT * PRODUCT / 4;
    let (a, b) = (device.upload(&random.vectors(len))?, device.upload(&random.vectors(len))?);
    let mut c = device.alloc_zeroed::<F32x4>(len)?;
    let (side, tiles) = (PRODUCT as u32, PRODUCT as u32 / gemm::TILE);
    let shape = ([tiles, tiles], gemm::THREADS);
    timed!(device, "sgemm", sgemm(&a, &b, &mut c, side, side).grid(shape.0).block(shape.1));
    Ok(())
}

fn rows(device: &Device) -> warpsmith::Result<()> {
    check(device, "softmax");
    check(device, "rms_norm@vectors_8");
    let mut random = Random::new("rows");
    let x = device.upload(&random.vectors(ROWS * WIDTH / 4))?;
    let weight = device.upload(&random.vectors(WIDTH / 4))?;
    let mut y = device.alloc_zeroed::<F32x4>(ROWS * WIDTH / 4)?;
    timed!(device, "softmax", softmax(&x, &mut y, WIDTH as u32).grid(ROWS).block(ROW_THREADS));
    timed!(device, "rms_norm", rms_norm::<8>(&x, &weight, &mut y, 1e-5).grid(ROWS).block(ROW_THREADS));
    Ok(())
}

fn prefix_sums(device: &Device) -> warpsmith::Result<()> {
    check(device, "scan");
    let values: Vec<U32x4> = Random::new("prefix sums")
        .words(N)
        .chunks_exact(4)
        .map(|v| U32x4::new(v[0], v[1], v[2], v[3]))
        .collect();
    let tiles = N / SCAN_TILE as usize;
    let x = device.upload(&values)?;
    let mut y = device.alloc_zeroed::<U32x4>(N / 4)?;
    let mut words = device.alloc_zeroed::<u64>(tiles)?;
    let mut next_tile = device.alloc_zeroed::<u32>(1)?;
    let launches = Cell::new(0);
    let count = || {
        launches.set(launches.get() + 1);
        launches.get()
    };
    timed!(
        device,
        "scan",
        scan(&x, &mut y, &mut words, &mut next_tile, count()).grid(tiles).block(SCAN_THREADS)
    );
    Ok(())
}

fn bodies(device: &Device) -> warpsmith::Result<()> {
    check(device, "nbody");
    let mut random = Random::new("bodies");
    let positions = device.upload(&random.vectors(BODIES))?;
    let mut velocities = device.upload(&random.vectors(BODIES))?;
    let mut moved = device.alloc_zeroed::<F32x4>(BODIES)?;
    let blocks = BODIES / BODY_TILE as usize;
    timed!(device, "nbody", {
        let bodies = Bodies { positions: positions.view(), velocities: velocities.view_mut() };
        nbody(bodies, &mut moved, BODIES as u32, 1e-6).grid(blocks).block(BODY_TILE)
    });
    Ok(())
}

fn stencils(device: &Device) -> warpsmith::Result<()> {
    check(device, "stencil");
    check(device, "jacobi");
    let x = device.upload(&Random::new("stencils").floats(N))?;
    let mut y = device.alloc_zeroed::<f32>(N)?;
    let blocks = N / STENCIL_THREADS as usize;
    timed!(device, "stencil", stencil(&x, &mut y).grid(blocks).block(STENCIL_THREADS));
    timed!(device, "jacobi", {
        let field = Field { width: SIDE as u32, height: SIDE as u32, cells: x.view() };
        jacobi(field, &mut y).over_2d([SIDE, SIDE]).block([JACOBI_COLS, JACOBI_ROWS])
    });
    Ok(())
}

fn sparse_rows(device: &Device) -> warpsmith::Result<()> {
    check(device, "spmv");
    let mut random = Random::new("sparse rows");
    let host = HostCsr::random(&mut random, SPARSE_ROWS);
    let (starts, columns) = (device.upload(&host.starts)?, device.upload(&host.columns)?);
    let (values, x) = (device.upload(&host.values)?, device.upload(&random.floats(SPARSE_ROWS))?);
    let mut y = device.alloc_zeroed::<f32>(SPARSE_ROWS)?;
    timed!(device, "spmv", {
        let matrix = Csr { starts: starts.view(), columns: columns.view(), values: values.view() };
        spmv(matrix, &x, &mut y).over(SPARSE_ROWS * 32).block(256)
    });
    Ok(())
}

fn options(device: &Device) -> warpsmith::Result<()> {
    check(device, "black_scholes");
    let mut random = Random::new("options");
    let mut between = |low: f32, high: f32| {
        let values: Vec<f32> =
            random.floats(OPTIONS).iter().map(|v| low + (high - low) * 0.5 * (v + 1.0)).collect();
        device.upload(&values)
    };
    let (price, strike, years) = (between(5.0, 30.0)?, between(1.0, 100.0)?, between(0.25, 10.0)?);
    let mut call = device.alloc_zeroed::<f32>(OPTIONS)?;
    let mut put = device.alloc_zeroed::<f32>(OPTIONS)?;
    let market = Market { riskless: 0.02, volatility: 0.3 };
    timed!(
        device,
        "black_scholes",
        black_scholes(&price, &strike, &years, &mut call, &mut put, market).over(OPTIONS).block(256)
    );
    Ok(())
}

fn images(device: &Device) -> warpsmith::Result<()> {
    check(device, "mandelbrot");
    let mut times = device.alloc_zeroed::<u32>(IMAGE * IMAGE)?;
    let (side, pitch) = (IMAGE as u32, 2.5 / IMAGE as f32);
    let corner = Complex { re: -2.0, im: -1.25 };
    timed!(
        device,
        "mandelbrot",
        mandelbrot(&mut times, side, side, corner, pitch, 1000).over_2d([IMAGE, IMAGE]).block([32, 8])
    );
    Ok(())
}

fn sorted_blocks(device: &Device) -> warpsmith::Result<()> {
    check(device, "bitonic_sort");
    let keys = device.upload(&Random::new("sorted blocks").words(KEYS))?;
    let mut sorted = device.alloc_zeroed::<u32>(KEYS)?;
    let blocks = KEYS / SORT_KEYS as usize;
    timed!(device, "bitonic_sort", bitonic_sort(&keys, &mut sorted).grid(blocks).block(SORT_THREADS));
    Ok(())
}
