//! Sums of floats by tensor cores, bit for bit as an H200 computes them.

use corpus::random_products::{Element, Instruction, warp, warpgroup};
use warpsmith::Device;
use warpsmith::simulator::{Executor, Settings, TensorCores};

/// Sums that an H200 computed (driver 580.159.04, NVRTC 13.0), two products of every instruction that adds floats, as
/// `random_products record` writes them.
const RECORDED: &str = include_str!("h200_products.txt");

/// A recorded product: its instruction, the seed of its operands, its number, its sums.
struct Recorded {
    of: Instruction,
    seed: u64,
    product: u32,
    sums: Vec<u64>,
}

fn recorded() -> Vec<Recorded> {
    let read = |line: &str| {
        let mut words = line.split(' ');
        let mut word = || words.next().expect("a name, a seed and a number");
        let (name, seed, product) =
            (word(), word().parse().expect("a seed"), word().parse().expect("a number"));
        let mut known = warp::all().into_iter().chain(warpgroup::some());
        let of = known.find(|of| of.name == name).unwrap_or_else(|| panic!("there is no {name}"));
        let sums = words.map(|sum| u64::from_str_radix(sum, 16).expect("bits")).collect();
        Recorded { of, seed, product, sums }
    };
    RECORDED.lines().map(read).collect()
}

impl Recorded {
    /// Places of the sums that a device computes differently.
    fn different(&self, device: &Device) -> Vec<usize> {
        let (of, products) = (&self.of, self.product..self.product + 1);
        let got = (of.run)(of, device, &of.pools(self.seed), products)
            .unwrap_or_else(|e| panic!("{}: {e}", of.name));
        assert_eq!(got.len(), self.sums.len(), "{}", of.name);
        (0..got.len()).filter(|i| got[*i] != self.sums[*i]).collect()
    }
}

fn simulator(tensor_cores: TensorCores, executor: Executor) -> Device {
    Device::simulator_with(Settings { tensor_cores, executor, ..Settings::default() })
}

#[test]
fn every_executor_adds_as_an_h200_does() {
    let executor = if harness::runs_printed() { Executor::All } else { Executor::Both };
    let device = simulator(TensorCores::Hopper, executor);
    for of in recorded() {
        assert_eq!(of.different(&device), [], "{} {}", of.of.name, of.product);
    }
}

#[test]
fn every_instruction_that_adds_floats_is_recorded() {
    let recorded = recorded();
    for of in warp::all().iter().chain(&warpgroup::some()).filter(|of| of.c != Element::S32) {
        assert_eq!(recorded.iter().filter(|line| line.of.name == of.name).count(), 2, "{}", of.name);
    }
}

#[test]
fn exact_sums_are_others() {
    let device = simulator(TensorCores::Exact, Executor::Interpreter);
    // A sum of `f16` is nearly always the exact one, and one of `f64` is the same in both modes.
    for of in recorded().iter().filter(|line| line.of.c == Element::F32 && line.product != 0) {
        assert_ne!(of.different(&device), [], "{} {}", of.of.name, of.product);
    }
}

/// The record is what such a GPU computes.
#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_gpu_adds_as_it_did() {
    let device = harness::needs_gpu();
    if device.as_gpu().expect("a GPU").limits().compute != (9, 0) {
        return println!("skipped: these are the numbers of compute capability 9.0");
    }
    for of in recorded() {
        assert_eq!(of.different(&device), [], "{} {}", of.of.name, of.product);
    }
}
