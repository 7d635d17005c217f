//! The seed's sum of two matrices, 16384² elements, by blocks of the four shapes that it compares.

use corpus::cases::Random;
use corpus::vectors::sum_matrix_2d;
use warpsmith::prelude::*;

use super::measure::{Bench, Unit, Work, same};

/// Two matrices and their sum.
struct Sum {
    side: usize,
    host: [Vec<f32>; 2],
    a: Buffer<f32>,
    b: Buffer<f32>,
    c: Buffer<f32>,
}

impl Work for Sum {
    fn clear(&mut self, bench: &Bench) -> warpsmith::Result<()> {
        self.c = bench.device.alloc_zeroed(self.side * self.side)?;
        Ok(())
    }

    fn check(&self, bench: &Bench) -> warpsmith::Result<Result<(), String>> {
        let [a, b] = &self.host;
        Ok(same(&bench.device.download(&self.c)?, |i| a[i] + b[i]))
    }
}

pub fn run(bench: &Bench) -> warpsmith::Result<()> {
    let side: usize = bench.scale.pick(64, 1 << 14);
    let a = Random::new("sums").floats(side * side);
    let mut b = a.clone();
    b.rotate_left(side / 2 + 1);
    let sum = &mut Sum {
        side,
        a: bench.device.upload(&a)?,
        b: bench.device.upload(&b)?,
        c: bench.device.alloc_zeroed(side * side)?,
        host: [a, b],
    };
    let bytes = 3 * size_of::<f32>() * side * side;
    for [x, y] in [[32u32, 32], [32, 16], [16, 32], [16, 16]] {
        let name = format!("sum_matrix_2d_{x}x{y}/block_shapes");
        bench.compare(&name, Unit::Bandwidth(bytes), sum, |sum, start| {
            let launch = sum_matrix_2d(&sum.a, &sum.b, &mut sum.c, side as u32, side as u32);
            start.launch(launch.over_2d([side, side]).block([x, y]))
        })?;
    }
    Ok(())
}
