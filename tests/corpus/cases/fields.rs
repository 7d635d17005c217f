//! Bodies and stencils.

use warpsmith::prelude::F32x4;
use warpsmith::{Buffer, Device};

use super::data::{Random, close, components};
use super::{Case, Scale, module, print, text};
use crate::nbody::{BODY_TILE, Bodies, SOFTENING, nbody};
use crate::stencils::{
    BDIM, COEF, COEFFICIENTS, Field, JACOBI_COLS, JACOBI_ROWS, RADIUS, STENCIL_THREADS, jacobi, stencil,
    stencil_1d, stencil_1d_read_only,
};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case { name: "nbody", print: print::<nbody>, module: module::<nbody>, check: check_nbody },
        Case { name: "stencil", print: print::<stencil>, module: module::<stencil>, check: check_stencil },
        Case {
            name: "stencil_1d",
            print: print::<stencil_1d>,
            module: module::<stencil_1d>,
            check: check_constant,
        },
        Case {
            name: "stencil_1d_read_only",
            print: print::<stencil_1d_read_only>,
            module: module::<stencil_1d_read_only>,
            check: check_read_only,
        },
        Case { name: "jacobi", print: print::<jacobi>, module: module::<jacobi>, check: check_jacobi },
    ]
}

/// Position and velocity of body `i` after a step, in `f64`.
fn moved(positions: &[F32x4], velocity: F32x4, i: usize, step: f64) -> [[f64; 3]; 2] {
    let wide = |v: F32x4| [v.x, v.y, v.z].map(f64::from);
    let (here, mut velocity) = (wide(positions[i]), wide(velocity));
    for other in positions {
        let to: Vec<f64> = wide(*other).iter().zip(here).map(|(there, h)| there - h).collect();
        let squared = to.iter().map(|d| d * d).sum::<f64>() + f64::from(SOFTENING);
        let pull = f64::from(other.w) * squared.powf(-1.5);
        velocity.iter_mut().zip(to).for_each(|(v, d)| *v += d * pull * step);
    }
    [std::array::from_fn(|c| here[c] + velocity[c] * step), velocity]
}

fn check_nbody(device: &Device, scale: Scale) -> Result<(), String> {
    let n = scale.pick(512, 1 << 16);
    let step = 1.0 / n as f32;
    let mut random = Random::new("nbody");
    // Masses are positive: a sum of forces has no more cancellation than gravity has.
    let positions: Vec<F32x4> =
        random.vectors(n).iter().map(|p| F32x4::new(p.x, p.y, p.z, p.w.abs())).collect();
    let velocities = random.vectors(n);
    let dp = device.upload(&positions).map_err(text)?;
    let mut dv = device.upload(&velocities).map_err(text)?;
    let mut dm = device.upload(&vec![F32x4::splat(f32::NAN); n]).map_err(text)?;
    let bodies = Bodies { positions: dp.view(), velocities: dv.view_mut() };
    nbody(bodies, &mut dm, n as u32, step)
        .grid(n as u32 / BODY_TILE)
        .block(BODY_TILE)
        .launch(device)
        .map_err(text)?;
    let (got_p, got_v) = (device.download(&dm).map_err(text)?, device.download(&dv).map_err(text)?);
    for i in (0..n).step_by(n / 64 + 1) {
        let [place, speed] = moved(&positions, velocities[i], i, f64::from(step));
        let got = components(&[got_p[i], got_v[i]]);
        let mass = f64::from(positions[i].w);
        let want = [place[0], place[1], place[2], mass, speed[0], speed[1], speed[2], 0.0];
        close(&got, |c| want[c], 1e-4).map_err(|e| format!("body {i}: {e}"))?;
    }
    Ok(())
}

fn check_stencil(device: &Device, scale: Scale) -> Result<(), String> {
    let n = scale.pick(1003, 1 << 28);
    let x = Random::new("stencil").floats(n);
    let dx = device.upload(&x).map_err(text)?;
    let mut dy = device.upload(&vec![f32::NAN; n]).map_err(text)?;
    stencil(&dx, &mut dy)
        .grid(n.div_ceil(STENCIL_THREADS as usize))
        .block(STENCIL_THREADS)
        .launch(device)
        .map_err(text)?;
    let at = |i: usize| i.checked_sub(RADIUS as usize).and_then(|i| x.get(i)).map_or(0.0, |v| f64::from(*v));
    let want = |i: usize| COEFFICIENTS.iter().enumerate().map(|(k, c)| f64::from(*c) * at(i + k)).sum();
    close(&device.download(&dy).map_err(text)?, want, 1e-5)
}

/// Weights of the derivative; none of the element itself.
const DERIVATIVE: [f32; 5] = [0.0, 4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];

fn check_constant(device: &Device, scale: Scale) -> Result<(), String> {
    COEF.set(device, DERIVATIVE).map_err(text)?;
    check_derivative(device, scale, |x, y, n, grid| stencil_1d(x, y, n).grid(grid).block(BDIM).launch(device))
}

fn check_read_only(device: &Device, scale: Scale) -> Result<(), String> {
    let weights = device.upload(&DERIVATIVE).map_err(text)?;
    check_derivative(device, scale, |x, y, n, grid| {
        stencil_1d_read_only(x, y, n, &weights).grid(grid).block(BDIM).launch(device)
    })
}

type Floats = Buffer<f32>;

/// By fewer blocks than cover the elements; the last block is ragged.
fn check_derivative(
    device: &Device,
    scale: Scale,
    launch: impl Fn(&Floats, &mut Floats, u32, u32) -> warpsmith::Result<()>,
) -> Result<(), String> {
    let (n, grid) = scale.pick((1003, 5), ((1 << 26) + 3, 4096));
    let radius = RADIUS as usize;
    let x = Random::new("stencil_1d").floats(n + 2 * radius);
    let dx = device.upload(&x).map_err(text)?;
    let mut dy = device.upload(&vec![f32::NAN; n]).map_err(text)?;
    launch(&dx, &mut dy, n as u32, grid).map_err(text)?;
    let difference = |i: usize, k: usize| f64::from(x[i + radius + k]) - f64::from(x[i + radius - k]);
    let want = |i: usize| (1..=radius).map(|k| f64::from(DERIVATIVE[k]) * difference(i, k)).sum();
    close(&device.download(&dy).map_err(text)?, want, 1e-5)
}

fn check_jacobi(device: &Device, scale: Scale) -> Result<(), String> {
    let (width, height) = scale.pick((67, 21), (16_384, 16_384));
    let x = Random::new("jacobi").floats(width * height);
    let dx = device.upload(&x).map_err(text)?;
    let mut dy = device.upload(&vec![f32::NAN; width * height]).map_err(text)?;
    let field = Field { width: width as u32, height: height as u32, cells: dx.view() };
    jacobi(field, &mut dy)
        .over_2d([width, height])
        .block([JACOBI_COLS, JACOBI_ROWS])
        .launch(device)
        .map_err(text)?;
    let at = |row: usize, col: usize| f64::from(x[row.min(height - 1) * width + col.min(width - 1)]);
    let want = |i: usize| {
        let (row, col) = (i / width, i % width);
        let vertical = at(row.saturating_sub(1), col) + at(row + 1, col);
        0.25 * (vertical + at(row, col.saturating_sub(1)) + at(row, col + 1))
    };
    close(&device.download(&dy).map_err(text)?, want, 1e-6)
}
