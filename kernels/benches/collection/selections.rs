//! Selections of half of the elements, and runs of eight equal ones.

use warpsmith::prelude::*;
use warpsmith_kernels::selection::{partition, run_length_encode, select, unique};

use crate::function::Work::Bytes;
use crate::function::{Function, Result, Run, check, hashed, kept, launches};
use crate::inputs::naturals;

/// Elements of a run.
const RUN: usize = 8;

/// Sizes are numbers of elements.
pub const FUNCTIONS: &[Function] = &[
    Function::new("select_u32", Bytes(4.0 + 1.0 + 2.0), |d, n| flagged(d, n, false)),
    Function::new("partition_u32", Bytes(4.0 + 1.0 + 4.0), |d, n| flagged(d, n, true)),
    Function::new("unique_u32", Bytes(4.0 + 4.0 / RUN as f64), unique_u32),
    Function::new("run_length_u32", Bytes(4.0 + 8.0 / RUN as f64), run_length_u32),
];

fn flagged(device: &Device, n: usize, keeps_others: bool) -> Result<Run<'static>> {
    let host = naturals(n);
    let flags: Vec<bool> = (0..n).map(|i| hashed(i) < 0.0).collect();
    let (x, marks) = (kept(device.upload(&host)?), kept(device.upload(&flags)?));
    let (y, count) = (kept(device.alloc_zeroed::<u32>(n)?), kept(device.alloc_zeroed::<u64>(1)?));
    if keeps_others {
        partition(device, &*x, &*marks, &mut *y, &mut *count).run()?;
    } else {
        select(device, &*x, &*marks, &mut *y, &mut *count).run()?;
    }
    let want: Vec<u32> = host.iter().zip(&flags).filter(|(_, flag)| **flag).map(|(x, _)| *x).collect();
    let is_right = device.download(count)? == [want.len() as u64];
    check(is_right && device.download(y)?[..want.len()] == want, || format!("a wrong selection of {n}"))?;
    launches(
        device,
        if keeps_others {
            partition(device, &*x, &*marks, y, count)
        } else {
            select(device, &*x, &*marks, y, count)
        },
    )
}

/// Elements in runs; some neighbouring runs are equal.
fn in_runs(n: usize) -> Vec<u32> {
    (0..n).map(|i| (hashed(i / RUN) * 1000.0) as i32 as u32).collect()
}

fn unique_u32(device: &Device, n: usize) -> Result<Run<'static>> {
    let mut host = in_runs(n);
    let x = kept(device.upload(&host)?);
    let (y, count) = (kept(device.alloc_zeroed::<u32>(n)?), kept(device.alloc_zeroed::<u64>(1)?));
    unique(device, &*x, &mut *y, &mut *count).run()?;
    host.dedup();
    check(device.download(y)?[..host.len()] == host, || format!("wrong unique elements of {n}"))?;
    launches(device, unique(device, &*x, y, count))
}

fn run_length_u32(device: &Device, n: usize) -> Result<Run<'static>> {
    let host = in_runs(n);
    let x = kept(device.upload(&host)?);
    let (y, count) = (kept(device.alloc_zeroed::<u32>(n)?), kept(device.alloc_zeroed::<u64>(1)?));
    let lengths = kept(device.alloc_zeroed::<u32>(n)?);
    run_length_encode(device, &*x, &mut *y, &mut *lengths, &mut *count).run()?;
    let (values, sizes) = (device.download(y)?, device.download(lengths)?);
    let want = host.chunk_by(PartialEq::eq).map(|run| (run[0], run.len() as u32));
    let got = values.into_iter().zip(sizes);
    check(want.zip(got).all(|(want, got)| want == got), || format!("wrong runs of {n}"))?;
    launches(device, run_length_encode(device, &*x, y, lengths, count))
}
