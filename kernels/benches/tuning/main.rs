#[path = "../../../benches/turns.rs"]
#[allow(dead_code)]
mod turns;
use std::time::Instant;
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::movement::{Outer, Axis, Turned, transpose, transpose_cells};
use warpsmith_kernels::sorting::*;

fn hash(i: usize) -> u64 {
    let mut h = (i as u64).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h ^= h >> 31;
    h = h.wrapping_mul(0x94d0_49bb_1331_11eb);
    h ^ h >> 29
}

fn median(mut t: Vec<f32>) -> f32 {
    t.sort_by(f32::total_cmp);
    t[t.len() / 2]
}

fn time(device: &Device, mut launch: impl FnMut()) -> f32 {
    let mut f = || { launch(); Ok(()) };
    turns::samples(device, 3, &mut f).unwrap();
    median(turns::samples(device, 9, &mut f).unwrap())
}

fn sorts<K: Key + PartialEq, V: Value>(device: &Device, n: usize, of: fn(u64) -> K, v: fn(usize) -> V, values: bool, variants: &[&str], name: &str) -> Result<(), KernelError>
where K::Word: Ord {
    let x: Vec<K> = (0..n).map(|i| of(hash(i))).collect();
    let mut want = x.clone();
    want.sort_unstable_by_key(|k| k.word());
    let xs = device.upload(&x)?;
    let vs = device.upload(&(0..if values { n } else { 1 }).map(v).collect::<Vec<V>>())?;
    let mut y = device.alloc_zeroed::<K>(n)?;
    let mut yv = device.alloc_zeroed::<V>(if values { n } else { 1 })?;
    for variant in variants {
        // SAFETY: one thread.
        unsafe { if variant.is_empty() { std::env::remove_var("SORT") } else { std::env::set_var("SORT", variant) } };
        let begun = Instant::now();
        let ms = if values {
            let mut call = sort_pairs(device, &xs, &vs, &mut y, &mut yv).prepare()?;
            call.launch()?;
            time(device, || call.launch().unwrap())
        } else {
            let mut call = sort(device, &xs, &mut y).prepare()?;
            call.launch()?;
            time(device, || call.launch().unwrap())
        };
        let right = device.download(&y)? == want;
        println!("{name} {n} {variant:12} {ms:.4} ms {:.2} Gkeys/s right {right} ({:.1} s)", n as f32 / ms * 1e-6, begun.elapsed().as_secs_f32());
    }
    Ok(())
}

fn turn<const SIZE: usize, const SPAN: usize, const PARTS: usize, const BLOCKS: usize, const HINTS: usize>(device: &Device, x: &Buffer<U32x4>, y: &mut Buffer<U32x4>, band: u32, most: usize) {
    let m = ((x.len() * 16 / SIZE) as f64).sqrt() as usize;
    let (packs, tiles) = (m * SIZE / 16, m / (256 / SIZE * SPAN));
    let of = Turned { rows: packs, cols: packs, x_stride: packs, y_stride: packs, tile_rows: tiles as u32, tile_cols: tiles as u32, band, batch: 1 };
    let outer = Outer::new(&[] as &[Axis]);
    let grid = (tiles * tiles).min(most) as u32;
    macro_rules! l { () => { transpose_cells::<SIZE, SPAN, PARTS, BLOCKS, HINTS>(x, &mut *y, of, outer, false) } }
    let ready = l!().grid(grid).block(256u32).prepare(device).unwrap();
    let ms = time(device, || ready.launch(l!()).unwrap());
    println!("cells size {SIZE} span {SPAN} blocks {BLOCKS} hints {HINTS} band {band} grid {grid}: {ms:.4} ms {:.0} GB/s", 2.0 * (m * m * SIZE) as f32 / ms * 1e-6);
}

fn old<T: GpuType + 'static>(device: &Device, n: usize, band: u32) -> Result<(), KernelError> {
    let m = (n as f64).sqrt() as usize;
    let x = device.alloc_zeroed::<T>(n)?;
    let mut y = device.alloc_zeroed::<T>(n)?;
    let mut call = transpose(device, matrix(&x, m, m)?, matrix_mut(&mut y, m, m)?).band(band).prepare()?;
    let ms = time(device, || call.launch().unwrap());
    println!("old {} band {band}: {ms:.4} ms {:.0} GB/s", size_of::<T>(), 2.0 * (n * size_of::<T>()) as f32 / ms * 1e-6);
    Ok(())
}

fn norms(device: &Device, threads: u32) -> Result<(), KernelError> {
    use warpsmith_kernels::rows::*;
    let (rows, cols) = (1 << 14, 8192usize);
    let x = device.upload(&(0..rows * cols).map(|i| bf16::from_f32((hash(i) % 1000) as f32 * 0.001)).collect::<Vec<_>>())?;
    let w = device.upload(&vec![bf16::from_f32(1.0); cols])?;
    let mut y = device.alloc_zeroed::<bf16>(rows * cols)?;
    let rate = |ms: f32| 4.0 * (rows * cols) as f32 / ms * 1e-6;
    let mut call = softmax(device, matrix(&x, rows, cols)?, matrix_mut(&mut y, rows, cols)?).threads(threads).prepare()?;
    println!("softmax bf16 threads {threads} {:.0} GB/s", rate(time(device, || call.launch().unwrap())));
    drop(call);
    let mut call = layer_norm(device, matrix(&x, rows, cols)?, matrix_mut(&mut y, rows, cols)?).weight(&w).threads(threads).prepare()?;
    println!("layer_norm bf16 threads {threads} {:.0} GB/s", rate(time(device, || call.launch().unwrap())));
    drop(call);
    let mut q = device.alloc_zeroed::<i8>(rows * cols)?;
    let mut s = device.alloc_zeroed::<f32>(rows)?;
    let mut call = rms_norm_quantized(device, matrix(&x, rows, cols)?, matrix_mut(&mut q, rows, cols)?, &mut s).weight(&w).prepare()?;
    println!("rms_norm_quantized bf16 i8 {:.0} GB/s", 3.0 * (rows * cols) as f32 / time(device, || call.launch().unwrap()) * 1e-6);
    drop(call);
    let table = device.upload(&vec![0.5f32; rows * 64])?;
    let mut call = rotary(device, matrix(&x, rows, cols)?, cols / 128, &table, &table, matrix_mut(&mut y, rows, cols)?).prepare()?;
    println!("rotary bf16 {:.0} GB/s", rate(time(device, || call.launch().unwrap())));
    drop(call);
    let list = device.upload(&(0..rows).map(|i| (hash(i) % rows as u64) as u32).collect::<Vec<u32>>())?;
    let mut call = warpsmith_kernels::movement::gather_rows(device, matrix(&x, rows, cols)?, &list, matrix_mut(&mut y, rows, cols)?).prepare()?;
    println!("gather_rows 16 KiB {:.0} GB/s", rate(time(device, || call.launch().unwrap())));
    Ok(())
}

fn main() -> Result<(), KernelError> {
    let device = Device::gpu(0)?;
    let what = std::env::args().nth(1).unwrap_or_default();
    let n = 1 << 26;
    match what.as_str() {
        "u32" => sorts::<u32, u32>(&device, n, |h| h as u32, |i| i as u32, false, &["384,20,3,0", "384,20,3,2", "384,20,3,4", "384,20,3,8", "384,20,3,14", "384,24,3,14", "384,22,3,12", "512,18,3,12", "512,20,2,14", "512,24,2,14", "256,24,4,14", "384,28,2,14", "512,16,3,14"], "u32")?,
        "pairs" => sorts::<u32, u32>(&device, n, |h| h as u32, |i| i as u32, true, &["384,20,2,0", "384,20,2,14", "384,24,2,14", "512,20,2,14", "384,16,3,14", "256,20,3,14", "512,24,2,14"], "pairs u32")?,
        "u64" => sorts::<u64, u32>(&device, n, |h| h, |i| i as u32, false, &["256,16,4,0", "256,16,4,14", "384,16,3,14", "256,20,3,14", "384,20,2,14", "512,16,3,14"], "u64")?,
        "equal" => sorts::<u32, u32>(&device, n, |_| 77, |i| i as u32, false, &["384,20,3,0", "384,20,3,14", "384,22,3,12"], "equal u32")?,
        "big" => sorts::<u32, u32>(&device, 1 << 28, |h| h as u32, |i| i as u32, false, &["384,20,3,0"], "u32")?,
        _ => {

            let packs = (1usize << 28) / 16;
            let x = device.alloc_zeroed::<U32x4>(packs)?;
            let mut y = device.alloc_zeroed::<U32x4>(packs)?;
            for _ in 0..2 { for band in [64] { turn::<1, 1, 4, 2, 0>(&device, &x, &mut y, band, usize::MAX); } }
            for band in [32, 64, 128] { old::<u16>(&device, 1 << 28, band)?; old::<u32>(&device, 1 << 28, band)?; }
            for threads in [64, 128, 256, 512] { norms(&device, threads)?; }
            old::<u8>(&device, 1 << 28, 64)?;
            old::<u16>(&device, 1 << 28, 64)?;
            old::<u32>(&device, 1 << 28, 64)?;
        }
    }
    Ok(())
}
