//! The seed's 1-D stencil over 2^26 elements, a block of 32 threads for each 32 of them: its weights in constant
//! memory, and in global memory through the read-only cache.

use corpus::cases::Random;
use corpus::stencils::{BDIM, COEF, RADIUS, stencil_1d, stencil_1d_read_only};
use warpsmith::prelude::*;

use super::measure::{Bench, Unit, Work};

/// The first derivative of eighth order: weights of the elements 1 to 4 away.
const DERIVATIVE: [f32; 5] = [0.0, 4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];

/// A line with a halo, and its derivative.
struct Line {
    host: Vec<f32>,
    input: Buffer<f32>,
    weights: Buffer<f32>,
    out: Buffer<f32>,
}

impl Work for Line {
    fn clear(&mut self, bench: &Bench) -> warpsmith::Result<()> {
        self.out = bench.device.upload(&vec![f32::NAN; self.out.len()])?;
        Ok(())
    }

    fn check(&self, bench: &Bench) -> warpsmith::Result<Result<(), String>> {
        let radius = RADIUS as usize;
        let x = |i: usize| f64::from(self.host[i]);
        for (i, got) in bench.device.download(&self.out)?.into_iter().enumerate() {
            let difference = |k: usize| x(i + radius + k) - x(i + radius - k);
            let want: f64 = (1..=radius).map(|k| f64::from(DERIVATIVE[k]) * difference(k)).sum();
            let close = (f64::from(got) - want).abs() < 1e-5;
            if !close {
                return Ok(Err(format!("element {i} is {got} instead of {want}")));
            }
        }
        Ok(Ok(()))
    }
}

pub fn run(bench: &Bench) -> warpsmith::Result<()> {
    let (label, n) = bench.scale.pick(("2^10", 1 << 10), ("2^26", 1 << 26));
    let host = Random::new("stencils").floats(n + 2 * RADIUS as usize);
    COEF.set(&bench.device, DERIVATIVE)?;
    let line = &mut Line {
        input: bench.device.upload(&host)?,
        weights: bench.device.upload(&DERIVATIVE)?,
        out: bench.device.alloc_zeroed(n)?,
        host,
    };
    let (n, grid) = (n as u32, n as u32 / BDIM);
    bench.compare(&format!("stencil_1d/{label}"), Unit::Milliseconds, line, |line, start| {
        start.launch(stencil_1d(&line.input, &mut line.out, n).grid(grid).block(BDIM))
    })?;
    bench.compare(&format!("stencil_1d_read_only/{label}"), Unit::Milliseconds, line, |line, start| {
        let launch = stencil_1d_read_only(&line.input, &mut line.out, n, &line.weights);
        start.launch(launch.grid(grid).block(BDIM))
    })
}
