//! The effect of an access-policy window: a hot buffer that fits the part of the L2 cache that is set aside, read again
//! and again while 2 GiB stream through the cache.
//!
//! Four states, one after another: nothing set aside; set aside, but no window; a persisting window over the hot
//! buffer; the persisting lines made normal ones again.

use corpus::cases::Random;
use warpsmith::launch::AccessWindow;
use warpsmith::prelude::*;

use super::measure::{Bench, Unit, Work, same};

/// `cold[i] += hot[i & mask]`: neighbours read neighbours.
#[gpu_kernel]
fn hot_in_order(hot: &[u32], cold: &mut [u32], mask: u32) {
    for i in (global_id()..cold.len()).step_by(global_size()) {
        cold[i] = cold[i].wrapping_add(hot[i as u32 & mask]);
    }
}

/// `cold[i] += hot[hash(i)]`: each lane reads a sector of its own.
#[gpu_kernel]
fn hot_scattered(hot: &[u32], cold: &mut [u32], mask: u32) {
    for i in (global_id()..cold.len()).step_by(global_size()) {
        cold[i] = cold[i].wrapping_add(hot[scattered(i as u32) & mask]);
    }
}

/// A hash whose low bits depend on all bits.
#[gpu_fn]
fn scattered(i: u32) -> u32 {
    let i = i.wrapping_mul(0x9e37_79b1);
    i ^ (i >> 16)
}

/// Elements at either end of the result that are compared.
const COMPARED: usize = 1 << 12;

/// A hot buffer, of which each element of a cold one adds one element.
struct Traffic {
    host: Vec<u32>,
    hot: Buffer<u32>,
    cold: Buffer<u32>,
    index: fn(u32) -> u32,
}

impl Traffic {
    fn mask(&self) -> u32 {
        self.host.len() as u32 - 1
    }
}

impl Work for Traffic {
    fn clear(&mut self, bench: &Bench) -> warpsmith::Result<()> {
        self.cold = bench.device.alloc_zeroed(self.cold.len())?;
        Ok(())
    }

    fn check(&self, bench: &Bench) -> warpsmith::Result<Result<(), String>> {
        let mut part = bench.device.alloc_zeroed::<u32>(COMPARED)?;
        for start in [0, self.cold.len() - COMPARED] {
            bench.stream.copy(self.cold.slice(start..start + COMPARED)?, &mut part)?;
            let want = |i: usize| self.host[((self.index)((start + i) as u32) & self.mask()) as usize];
            if let Err(error) = same(&bench.device.download(&part)?, want) {
                return Ok(Err(format!("from element {start} on, {error}")));
            }
        }
        Ok(Ok(()))
    }
}

pub fn run(bench: &Bench) -> warpsmith::Result<()> {
    let limit = bench.device.limits().persisting_l2;
    println!("figure l2_can_be_set_aside {limit} bytes");
    let sizes = bench
        .scale
        .pick(&[("4KiB", 1 << 10)][..], &[("4MiB", 1 << 20), ("8MiB", 2 << 20), ("16MiB", 4 << 20)]);
    for (label, len) in sizes {
        if len * size_of::<u32>() > limit {
            println!("skipped: {label} cannot be set aside");
            continue;
        }
        let host = Random::new("persistence").words(*len);
        let traffic = &mut Traffic {
            hot: bench.device.upload(&host)?,
            cold: bench.device.alloc_zeroed(bench.scale.pick(1 << 13, 1 << 29))?,
            index: |i| i,
            host,
        };
        states(bench, traffic, &format!("in_order_{label}"), Access::InOrder)?;
        traffic.index = |i| scattered(i);
        states(bench, traffic, &format!("scattered_{label}"), Access::Scattered)?;
    }
    Ok(())
}

/// Which elements of the hot buffer neighbours read.
#[derive(Clone, Copy)]
enum Access {
    InOrder,
    Scattered,
}

/// Times one access to one hot buffer in the four states.
fn states(bench: &Bench, traffic: &mut Traffic, label: &str, access: Access) -> warpsmith::Result<()> {
    set_aside(bench, 0)?;
    time(bench, traffic, &format!("l2_plain/{label}"), access, false)?;
    set_aside(bench, bench.device.limits().persisting_l2)?;
    time(bench, traffic, &format!("l2_set_aside/{label}"), access, false)?;
    time(bench, traffic, &format!("l2_window/{label}"), access, true)?;
    if let Some(gpu) = bench.device.as_gpu() {
        gpu.reset_persisting_l2()?;
    }
    time(bench, traffic, &format!("l2_after_reset/{label}"), access, false)?;
    set_aside(bench, 0)
}

fn set_aside(bench: &Bench, bytes: usize) -> warpsmith::Result<()> {
    if let Some(gpu) = bench.device.as_gpu() {
        gpu.set_persisting_l2(bytes)?;
    }
    Ok(())
}

/// Times one state.
fn time(
    bench: &Bench,
    traffic: &mut Traffic,
    name: &str,
    access: Access,
    window: bool,
) -> warpsmith::Result<()> {
    let grid = bench.scale.pick(4, 132 * 8);
    let window = window.then(|| AccessWindow::over(&traffic.hot));
    macro_rules! launched {
        ($kernel:ident) => {
            bench.compare(name, Unit::Milliseconds, traffic, |t, start| {
                let mask = t.mask();
                let launch = $kernel(&t.hot, &mut t.cold, mask).grid(grid).block(256);
                start.launch(match window {
                    Some(window) => launch.access_policy_window(window),
                    None => launch,
                })
            })
        };
    }
    match access {
        Access::InOrder => launched!(hot_in_order),
        Access::Scattered => launched!(hot_scattered),
    }
}
