//! Random products of tensor cores on a GPU beside the simulator's sums, bit for bit.
//!
//! `random_products compare PRODUCTS [PART OF A NAME]` runs this number of products of each instruction. It prints how many sums differ from
//! those of `TensorCores::Hopper`, and for these the hypotheses that come nearest, with examples. `random_products record FILE` writes the
//! sums of two products of each instruction, which `tests/numbers/tensor_cores.rs` compares without a GPU. With `simulated` in front, the
//! simulator takes the place of the GPU.

mod comparison;
mod hypothesis;
mod widths;

use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use corpus::random_products::{Instruction, Pools, Sums, warp, warpgroup};
use warpsmith::Device;
use warpsmith::simulator::{Settings, TensorCores};

use comparison::{Comparison, TRIED};

/// Products that are run at once. Each such part has pools of its own.
const PART: u32 = 1 << 15;
/// The seed of the recorded products' operands.
const RECORDED_SEED: u64 = 0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (simulated, words) = match words[..] {
        ["simulated", ref rest @ ..] => (true, rest),
        ref all => (false, all),
    };
    let device = || match simulated {
        true => {
            Ok(Device::simulator_with(Settings { tensor_cores: TensorCores::Hopper, ..Settings::default() }))
        }
        false => Device::gpu(0),
    };
    match *words {
        ["compare", products] => compare(&device()?, products.parse()?, ""),
        ["compare", products, part] => compare(&device()?, products.parse()?, part),
        ["record", file] => Ok(std::fs::write(file, recorded(&device()?)?)?),
        _ => {
            println!("skipped: say `compare PRODUCTS` or `record FILE`");
            Ok(())
        }
    }
}

/// Compares products of every instruction whose name has this part, an instruction on each core.
fn compare(device: &Device, products: u32, part: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut all = warp::all();
    all.extend(widths::all());
    all.retain(|of| of.name.contains(part));
    // Those of floats first: where time is short, they tell more.
    all.sort_by_key(|of| of.floats().is_none());
    let (next, wrong) = (AtomicUsize::new(0), AtomicU64::new(0));
    let failed = Mutex::new(Ok(()));
    let start = Instant::now();
    let work = || {
        while let Some(of) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            match compared(of, device, products) {
                Ok(found) => {
                    wrong.fetch_add(found.wrong(), Ordering::Relaxed);
                    print!("{}: {products} products, {}", of.name, found.text());
                }
                Err(error) => *failed.lock().expect("no thread fails") = Err(error),
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    println!("{} instructions, {} sums differ, {:.1?}", all.len(), wrong.into_inner(), start.elapsed());
    Ok(failed.into_inner().expect("no thread fails")?)
}

/// Compares products of an instruction.
fn compared(of: &Instruction, device: &Device, products: u32) -> warpsmith::Result<Comparison> {
    let mut total = Comparison::default();
    for (seed, first) in (0..products).step_by(PART as usize).enumerate() {
        let (pools, numbers) = (of.pools(seed as u64), first..products.min(first + PART));
        let got = (of.run)(of, device, &pools, numbers.clone())?;
        total.add(of, &pools, numbers, &got);
    }
    Ok(total)
}

/// The sums of two products of instructions that add floats: of the first, and of the one with the most sums that are not the
/// exact ones, or no number.
fn recorded(device: &Device) -> warpsmith::Result<String> {
    let mut text = String::new();
    for of in warp::all().iter().chain(&warpgroup::some()).filter(|of| of.sums == Sums::Float) {
        let pools = of.pools(RECORDED_SEED);
        let got = (of.run)(of, device, &pools, 0..TRIED)?;
        text += &telling(of, &pools, &got);
    }
    Ok(text)
}

/// Lines of these products: the instruction, the seed, the number of the product, its sums.
fn telling(of: &Instruction, pools: &Pools, got: &[u64]) -> String {
    let products: Vec<&[u64]> = got.chunks(of.compared()).collect();
    let tells = |product: &usize| {
        let differs = |(i, got): &(usize, &u64)| {
            let exact = of.sum(TensorCores::Exact, &of.operands(pools, *product as u32, *i));
            **got != exact || of.c.value(**got).is_nan()
        };
        products[*product].iter().enumerate().filter(differs).count()
    };
    let best = (1..products.len()).max_by_key(tells).unwrap_or_default();
    let mut text = String::new();
    let digits = 2 * of.c.bytes();
    for product in [0, best] {
        let _ = write!(text, "{} {RECORDED_SEED} {product}", of.name);
        products[product].iter().for_each(|sum| _ = write!(text, " {sum:0digits$x}"));
        text.push('\n');
    }
    text
}
