//! Coarsened kernels: their text against the uncoarsened kernel on the simulator, for lengths around every edge.

use corpus::coarsening::*;
use harness::{needs_cxx, on_every_device};
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Sanitizers, Settings};

mod refused;

/// Lengths around those of one and of several blocks, for any number of elements a thread.
const LENGTHS: [usize; 17] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 63, 64, 257, 1003];

/// A device that compares the twin, the interpreter and the text bit for bit.
fn comparing() -> Device {
    needs_cxx();
    Device::simulator_with(Settings {
        executor: Executor::All,
        sanitizers: Sanitizers::ALL,
        ..Settings::default()
    })
}

fn floats(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i as f32 * 0.37 - 11.0) * if i % 3 == 0 { -1.0 } else { 1.0 }).collect()
}

fn bytes(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 37 + 11) as u8).collect()
}

#[gpu_fn]
fn row(w: &[f32], r: usize, n: usize) -> &[f32] {
    &w[r * n..(r + 1) * n]
}

/// A function gives the slice of the weights.
#[gpu_kernel(coarsen)]
fn weighted_wide(x: &[f32], w: &[f32], y: &mut [f32]) {
    let i = global_id();
    let weights = row(w, 1, 4);
    if i < y.len() && i < x.len() {
        y[i] = x[i] * weights[i % 4] + row(w, i % 2, 3)[i % 3];
    }
}

/// Launches with each number of elements a thread.
macro_rules! each_factor {
    ($device:expr, $n:expr, $launch:expr) => {
        for block in [100u32, 128] {
            $launch.over($n).block(block).launch($device).unwrap_or_else(|e| panic!("{} {block}: {e}", $n));
            for factor in [1, 2, 4, 8, 16] {
                let launched = $launch.over($n).block(block).coarsen(factor).launch($device);
                launched.unwrap_or_else(|e| panic!("{} elements, {block} threads, {factor}: {e}", $n));
            }
        }
    };
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn coarsened_texts_of_floats_do_what_the_kernels_do() {
    let device = &comparing();
    for n in LENGTHS {
        let x = device.upload(&floats(n)).expect("memory");
        let z = device.upload(&floats(n + 3)).expect("memory");
        let b = device.upload(&bytes(n)).expect("memory");
        let weights = device.upload(&floats(8)).expect("memory");
        let mut y = device.upload(&vec![0.5f32; n + 1]).expect("memory");
        let (mut p, mut q) =
            (device.upload(&floats(n)).expect("memory"), device.upload(&floats(n)).expect("memory"));
        each_factor!(device, n, saxpy_wide(2.0, &z, &mut y));
        each_factor!(device, n, add_wide(n as u32, &x, &z, &mut y));
        each_factor!(device, n, copy_wide(&x, &mut y));
        each_factor!(device, n, widen_wide(&b, &mut y));
        each_factor!(device, n, particles_wide(0.5, &mut p, &mut q, &mut y, &x, &z, &x));
        each_factor!(device, n, positive_wide(&x, &mut y));
        each_factor!(device, n, smooth_wide(&z, &mut p));
        each_factor!(device, n, inner_wide(&x, &mut y));
        each_factor!(device, n, weighted_wide(&x, &weights, &mut y));
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn coarsened_texts_of_other_elements_do_what_the_kernels_do() {
    let device = &comparing();
    let a16 = bf16::from_f32(1.5);
    for n in LENGTHS {
        let x = device.upload(&floats(n)).expect("memory");
        let z = device.upload(&floats(n + 3)).expect("memory");
        let b = device.upload(&bytes(n)).expect("memory");
        let u = device.upload(&(0..n as u32).map(|i| i * 7 % 31).collect::<Vec<_>>()).expect("memory");
        let mut half = device.upload(&vec![bf16::from_f32(3.0); n]).expect("memory");
        let mut out = device.upload(&vec![7u8; n]).expect("memory");
        let (mut v, mut w) =
            (device.upload(&vec![9u32; n]).expect("memory"), device.upload(&vec![8u32; n]).expect("memory"));
        let mut p = device.upload(&floats(n)).expect("memory");
        each_factor!(device, n, narrow_wide(&x, &mut half));
        each_factor!(device, n, bytes_wide(&b, &mut out));
        each_factor!(device, n, scale_bf16_wide(a16, &mut half));
        each_factor!(device, n, steps_wide(&u, &mut v, &mut w));
        let pairs = |n: usize| {
            (0..n).map(|i| Estimate { value: i as f32, error: 7.0 - i as f32 }).collect::<Vec<_>>()
        };
        let e = device.upload(&pairs(n)).expect("memory");
        let mut f = device.upload(&pairs(n + 1)).expect("memory");
        each_factor!(device, n, estimates_wide(n as i32, 0.5, &e, &mut f));
        let mut age = device.upload(&bytes(n)).expect("memory");
        each_factor!(device, n, {
            let (x, speed, age) = (p.view_mut(), z.view(), age.view_mut());
            cloud_wide(Cloud { dt: 0.5, count: n as u32, x, speed, age })
        });
        let i = device.upload(&(0..n as i32).collect::<Vec<_>>()).expect("memory");
        let (mut j, mut k) =
            (device.upload(&vec![3; n]).expect("memory"), device.upload(&vec![4; n]).expect("memory"));
        each_factor!(device, n, squares_wide(i.view(), j.view_mut(), &mut k));
    }
}

/// Slices that begin anywhere.
#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn parts_of_buffers_are_right_wherever_they_begin() {
    let device = &comparing();
    let x = device.upload(&floats(300)).expect("memory");
    let mut y = device.upload(&floats(300)).expect("memory");
    for (from, at) in [(0, 0), (1, 0), (0, 1), (3, 3), (4, 8), (2, 6)] {
        for n in [0, 1, 5, 64, 201] {
            let (part, mut to) =
                (x.slice(from..from + n).expect("a part"), y.slice_mut(at..at + n).expect("a part"));
            saxpy_wide(0.5, part, &mut to).over(n).block(64).launch(device).expect("it is right");
        }
    }
    // Parts of one buffer, side by side.
    let (mut first, mut rest) = y.split_at_mut(100).expect("two parts");
    steps_like(&mut first, &mut rest).over(100).launch(device).expect("it is right");
}

/// On a GPU too: every length, every factor, parts that begin anywhere, prepared launches and graphs.
#[test]
fn every_device_gives_the_results_of_the_kernel() {
    on_every_device(|device| {
        let saxpy =
            |x: &[f32], y: &[f32]| -> Vec<f32> { x.iter().zip(y).map(|(x, y)| 2.0 * x + y).collect() };
        for n in LENGTHS.into_iter().chain([100_003]) {
            // Whole numbers, whose sums are exact.
            let (xs, ys): (Vec<f32>, Vec<f32>) =
                (0..n + 5).map(|i| ((i % 97) as f32, (i % 31) as f32)).unzip();
            for (factor, from) in [(2, 0), (4, 0), (8, 0), (16, 0), (4, 1), (8, 2), (4, 4), (1, 0)] {
                let from = n.min(from);
                let x = device.upload(&xs).expect("memory");
                let mut y = device.upload(&ys).expect("memory");
                let (part, mut to) =
                    (x.slice(from..n).expect("a part"), y.slice_mut(from..n).expect("a part"));
                let launch = saxpy_wide(2.0, part, &mut to).over(n).block(96);
                launch.coarsen(factor).launch(device).expect("a right launch");
                let mut want = ys.clone();
                want[from..n].copy_from_slice(&saxpy(&xs[from..n], &ys[from..n]));
                assert_eq!(device.download(&y).expect("no fault"), want, "{n} × {factor} from {from}");
            }
        }
    });
}

#[test]
fn the_tuner_chooses_the_number_of_elements() {
    on_every_device(|device| {
        let x = device.upload(&[1.0f32; 4096]).expect("memory");
        let mut y = device.upload(&[1.0f32; 4096]).expect("memory");
        let mut tuner = warpsmith::Tuner::new("saxpy_wide");
        let elements = tuner.axis("elements", [1u32, 2, 4, 8, 16]);
        let outcome = tuner.forget().tune(device, |candidate, trial| {
            trial.launch(saxpy_wide(0.0, &x, &mut y).over(4096).coarsen(candidate.get(elements)?))
        });
        let best = outcome.expect("an outcome").best().get(elements).expect("the axis is the tuner's");
        saxpy_wide(2.0, &x, &mut y).over(4096).coarsen(best).launch(device).expect("a right launch");
        assert_eq!(device.download(&y).expect("no fault"), [3.0; 4096]);
    });
}

#[test]
fn prepared_launches_and_graphs_take_arguments_that_are_aligned_otherwise() {
    on_every_device(|device| {
        let xs: Vec<f32> = (0..1000).map(|i| i as f32).collect();
        let x = device.upload(&xs).expect("memory");
        let mut y = device.upload(&[0.0f32; 1000]).expect("memory");
        let prepared = copy_wide(&x, &mut y).over(1000).prepare(device).expect("a right launch");
        prepared.launch(copy_wide(&x, &mut y)).expect("aligned");
        assert_eq!(device.download(&y).expect("no fault"), xs);
        let (part, mut to) = (x.slice(3..900).expect("a part"), y.slice_mut(1..898).expect("a part"));
        prepared.launch(copy_wide(part, &mut to)).expect("aligned otherwise");
        assert_eq!(device.download(&y).expect("no fault")[1..898], xs[3..900]);
        let mut graph = Graph::new(device);
        let (x, y) = (graph.hold(x).expect("held"), graph.hold(y).expect("held"));
        graph.add(|memory| Ok(copy_wide(memory.read(x)?, memory.write(y)?).over(1000))).expect("a launch");
        graph.launch().expect("it runs");
        assert_eq!(device.download(graph.buffer(y).expect("held")).expect("no fault"), xs);
    });
}

/// An argument that is what it is told: to make two arguments of one buffer.
struct Same(warpsmith::KernelArg);

// SAFETY: the argument of a borrowed buffer.
unsafe impl warpsmith::args::SliceArg<'_, f32> for Same {
    fn into_arg(self) -> warpsmith::KernelArg {
        self.0
    }
}

/// A caller that lends one buffer twice gets the kernel as it is, in which each thread does one element.
#[test]
fn slices_that_overlap_are_not_coarsened() {
    on_every_device(|device| {
        let mut y = device.upload(&[1.0f32; 64]).expect("memory");
        let same = Same(warpsmith::args::SliceArg::into_arg(&y));
        copy_wide(same, &mut y).over(64).block(32).launch(device).expect("a right launch");
        assert_eq!(device.download(&y).expect("no fault"), [1.0; 64]);
    });
}

#[test]
fn a_failed_check_names_the_thread_that_would_do_the_element_alone() {
    on_every_device(|device| {
        let mut values = vec![1.0f32; 1000];
        values[777] = -1.0;
        let x = device.upload(&values).expect("memory");
        let mut y = device.upload(&[0.0f32; 1000]).expect("memory");
        let launched = roots(&x, &mut y).over(1000).block(96).launch(device);
        let fault = launched
            .and_then(|()| device.synchronize())
            .expect_err("a root of a negative number")
            .to_string();
        assert!(fault.starts_with("a root of a negative number at tests/coarsening/main.rs:"), "{fault}");
        assert!(fault.contains("in block (8, 0, 0), thread (9, 0, 0) of kernel `roots`"), "{fault}");
        let short = device.upload(&values[..999]).expect("memory");
        let launched = shifted(&short, &mut y).over(998).block(64).launch(device);
        launched.and_then(|()| device.synchronize()).expect_err("one element is missing in the last threads");
        let mut out = device.upload(&[0u16; 41]).expect("memory");
        let words = device.upload(&[7u16; 40]).expect("memory");
        let launched = unguarded(&words, &mut out).grid(1).block(41).launch(device);
        let fault =
            launched.and_then(|()| device.synchronize()).expect_err("an element is missing").to_string();
        assert!(fault.starts_with("index 40 is out of bounds for length 40"), "{fault}");
        assert!(fault.contains("in block (0, 0, 0), thread (40, 0, 0) of kernel `unguarded`"), "{fault}");
    });
}

/// Writes two slices.
#[gpu_kernel(coarsen)]
fn steps_like(x: &mut [f32], y: &mut [f32]) {
    let i = global_id();
    if i < x.len() && i < y.len() {
        x[i] += y[i];
        y[i] = -x[i];
    }
}

#[gpu_fn]
fn checked_root(x: f32) -> f32 {
    assert!(x >= 0.0, "a root of a negative number");
    x.sqrt()
}

/// Fails in a device function.
#[gpu_kernel(coarsen = 8)]
fn roots(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = checked_root(x[i]);
    }
}

/// Fails on the way through the wide path: the neighbour is not the thread's own element.
#[gpu_kernel(coarsen)]
fn shifted(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = x[i + 1];
    }
}

/// Fails without a guard.
#[gpu_kernel(coarsen = 2)]
fn unguarded(x: &[u16], y: &mut [u16]) {
    let i = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    y[i as usize] = x[i as usize].wrapping_add(1);
}

/// A failed check names the same line, block and thread as in the kernel that is not coarsened.
#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn faults_are_those_of_the_kernel() {
    needs_cxx();
    let executors = [Executor::Interpreter, Executor::Printed];
    let devices =
        executors.map(|executor| Device::simulator_with(Settings { executor, ..Settings::default() }));
    let mut failed = 0;
    for n in LENGTHS {
        for short in [0, n / 3, n.saturating_sub(1), n] {
            let faults = devices.each_ref().map(|device| {
                let x = device.upload(&floats(short)).expect("memory");
                let positive: Vec<f32> = (0..n).map(|i| if i == short { -1.0 } else { i as f32 }).collect();
                let positive = device.upload(&positive).expect("memory");
                let words = device.upload(&vec![1u16; short]).expect("memory");
                let mut y = device.upload(&vec![1.0f32; n]).expect("memory");
                let mut out = device.upload(&vec![1u16; n]).expect("memory");
                let e = device.upload(&vec![Estimate { value: 1.0, error: 1.0 }; n]).expect("memory");
                let mut f = device.upload(&vec![Estimate { value: 1.0, error: 1.0 }; short]).expect("memory");
                let told = |outcome: warpsmith::Result<()>| outcome.map_err(|e| e.to_string()).err();
                [
                    told(saxpy_wide(2.0, &x, &mut y).over(n).block(32).launch(device)),
                    told(add_wide(n as u32, &x, &x, &mut y).over(n).block(48).launch(device)),
                    told(roots(&positive, &mut y).over(n).block(20).launch(device)),
                    told(shifted(&x, &mut y).over(n).block(32).launch(device)),
                    told(unguarded(&words, &mut out).over(n).block(16).launch(device)),
                    told(estimates_wide(n as i32, 1.0, &e, &mut f).over(n).block(32).launch(device)),
                    told(estimates_wide(n as i32, -1.0, &e, &mut f).over(n).block(32).launch(device)),
                    told(
                        squares_wide(
                            devices[0].upload(&[0i32]).expect("memory").view(),
                            device.upload(&vec![1; short]).expect("memory").view_mut(),
                            &mut device.upload(&vec![1; short / 2]).expect("memory"),
                        )
                        .over(n)
                        .launch(device),
                    ),
                ]
            });
            let [interpreted, printed] = faults;
            assert_eq!(interpreted, printed, "{n} elements, {short} of them there");
            failed += interpreted.iter().flatten().count();
        }
    }
    assert!(failed > 200, "{failed} faults");
}
