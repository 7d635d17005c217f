//! Every kernel of the corpus as printed CUDA on the simulator, compared with the twin bit for bit.
//!
//! Without a C++ compiler the tests are ignored.

#[path = "printed/early.rs"]
mod early;

use corpus::cases::{self, Case, Scale};
use harness::needs_cxx;
use warpsmith::Device;
use warpsmith::codegen::{Checks, PrintOptions};
use warpsmith::printed::{self, Sanitizers};
use warpsmith::simulator::{Executor, Settings};

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn every_kernel_of_the_corpus_does_as_printed_cuda_what_its_twin_does() {
    needs_cxx();
    compile_ahead(Sanitizers::NONE);
    let device = Device::simulator_with(Settings { executor: Executor::All, ..Settings::default() });
    let wrong: Vec<String> = cases::all().iter().filter_map(|case| problem(case, &device)).collect();
    assert!(wrong.is_empty(), "{} kernels\n{}", wrong.len(), wrong.join("\n"));
}

/// Compiles what most launches will run, many texts at a time.
fn compile_ahead(sanitizers: Sanitizers) {
    let start = std::time::Instant::now();
    let text = |case: &Case| {
        let checked = PrintOptions { checks: Checks::All, line_directives: true };
        let all = (case.print)(&checked).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        match all.conditions.len() {
            0 => all,
            n => {
                let lifted = Checks::Lifted(u64::MAX >> (64 - n));
                (case.print)(&PrintOptions { checks: lifted, ..checked }).expect("it prints")
            }
        }
    };
    let texts: Vec<_> = cases::all().iter().map(text).collect();
    printed::compile_ahead(&texts, sanitizers).expect("a compiler");
    println!("{} texts in {:?}", texts.len(), start.elapsed());
}

/// What is wrong with a case.
fn problem(case: &Case, device: &Device) -> Option<String> {
    Some(format!("{}: {}", case.name, (case.check)(device, Scale::Small).err()?))
}

/// The texts do nothing that C++ leaves undefined, and access nothing but their arguments and shared memory.
#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn sanitizers_find_nothing_in_the_corpus() {
    needs_cxx();
    let sanitizers = Sanitizers::ALL;
    compile_ahead(sanitizers);
    let device =
        Device::simulator_with(Settings { executor: Executor::Printed, sanitizers, ..Settings::default() });
    let wrong: Vec<String> = cases::all().iter().filter_map(|case| problem(case, &device)).collect();
    assert!(wrong.is_empty(), "{} kernels\n{}", wrong.len(), wrong.join("\n"));
}

mod faults {
    use super::*;
    use warpsmith::prelude::*;

    fn fault(launch: impl FnOnce(&Device, &mut Buffer<u32>) -> warpsmith::Result<()>) -> String {
        let settings =
            Settings { executor: Executor::Printed, sanitizers: Sanitizers::ALL, ..Settings::default() };
        let device = Device::simulator_with(settings);
        let mut out = device.upload(&[0u32; 8]).expect("memory");
        launch(&device, &mut out).expect_err("a fault").to_string()
    }

    #[gpu_kernel]
    fn past_the_end(out: &mut [u32]) {
        out[thread_idx().x + 1] = 7;
    }

    #[gpu_kernel]
    fn asserts(out: &mut [u32]) {
        assert!(out[thread_idx().x] == 1, "it is not one");
    }

    #[gpu_kernel]
    fn divides(out: &mut [u32]) {
        out[0] = 7 / out[1];
    }

    #[gpu_kernel]
    fn divides_signed(out: &mut [u32]) {
        out[0] = (out[1] as i32 / out[2] as i32) as u32;
    }

    #[gpu_kernel]
    fn parts_of_a_block(out: &mut [u32]) {
        let mut tile = shared!([u32; 8]);
        tile[thread_idx().x] = 1;
        if uniform(thread_idx().x) < 4 {
            sync_threads();
        }
        out[thread_idx().x] = tile[0];
    }

    const SHUFFLED: u32 = line!() + 6;

    /// The last thread is not among the lanes that it names.
    #[gpu_kernel]
    fn shuffles_a_pair(out: &mut [u32]) {
        let i = thread_idx().x;
        out[i] = shfl_sync(0x7f, (i, 7u64, i), 0, 8).0;
    }

    #[gpu_fn(cuda = "return x + 1;")]
    fn increment(x: i32) -> i32 {
        x.wrapping_add(1)
    }

    #[gpu_kernel]
    fn overflows(out: &mut [u32]) {
        out[0] = increment(i32::MAX) as u32;
    }

    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn a_fault_inside_a_function_of_the_prelude_is_at_the_line_that_calls_it() {
        needs_cxx();
        let text = fault(|device, out| shuffles_a_pair(out).grid(1).block(8).launch(device));
        assert!(text.contains(&format!("tests/printed.rs:{SHUFFLED}")), "{text}");
    }

    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn a_failed_check_of_the_text_is_a_fault_at_the_rust_line() {
        needs_cxx();
        let text = fault(|device, out| past_the_end(out).grid(1).block(8).launch(device));
        assert!(text.starts_with("index 8 is out of bounds for length 8 at tests/printed.rs:"), "{text}");
        assert!(text.contains("thread (7, 0, 0) of kernel `past_the_end`"), "{text}");
        let text = fault(|device, out| asserts(out).grid(1).block(8).launch(device));
        assert!(text.starts_with("it is not one at tests/printed.rs:"), "{text}");
    }

    /// The processor would end the process at either.
    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn a_division_without_a_result_is_a_fault_without_sanitizers_too() {
        needs_cxx();
        let device = Device::simulator_with(Settings { executor: Executor::Printed, ..Settings::default() });
        for (divisor, what) in [(0, "a division by zero"), (u32::MAX, "a division that overflows")] {
            let mut out = device.upload(&[0, i32::MIN as u32, divisor]).expect("memory");
            let fault =
                divides_signed(&mut out).grid(1).block(1).launch(&device).expect_err("a fault").to_string();
            assert!(fault.contains(&format!("leaves undefined: {what} at tests/printed.rs:")), "{fault}");
        }
    }

    #[gpu_kernel]
    fn spins(out: &mut [u32]) {
        while atomic(&mut out[0]).load(Ordering::Acquire) == 0 {}
    }

    /// The operation is in a function of the prelude, the line is that of its call.
    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn a_fault_in_the_prelude_is_at_the_line_that_calls_it() {
        needs_cxx();
        let settings = Settings { atomic_budget: 1000, ..Settings::default() };
        let faults = [Executor::Twin, Executor::Printed].map(|executor| {
            let device = Device::simulator_with(Settings { executor, ..settings.clone() });
            let mut out = device.upload(&[0u32; 8]).expect("memory");
            spins(&mut out).grid(1).block(2).launch(&device).expect_err("a fault").to_string()
        });
        assert_eq!(faults[0], faults[1]);
    }

    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn what_the_machine_sees_is_a_fault_as_for_the_twin() {
        needs_cxx();
        let settings = Settings { executor: Executor::Twin, ..Settings::default() };
        let twin = Device::simulator_with(Settings { returned_threads_pass: false, ..settings.clone() });
        let printed = Settings { executor: Executor::Printed, returned_threads_pass: false, ..settings };
        let [twin, printed] = [twin, Device::simulator_with(printed)].map(|device| {
            let mut out = device.upload(&[0u32; 8]).expect("memory");
            parts_of_a_block(&mut out).grid(1).block(8).launch(&device).expect_err("a fault").to_string()
        });
        assert_eq!(twin, printed);
    }

    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn undefined_cpp_is_a_fault() {
        needs_cxx();
        let text = fault(|device, out| divides(out).grid(1).block(1).launch(device));
        assert!(text.contains("leaves undefined: a division by zero at tests/printed.rs:"), "{text}");
        let text = fault(|device, out| overflows(out).grid(1).block(1).launch(device));
        assert!(text.contains("an addition of signed integers that overflows"), "{text}");
    }

    #[gpu_fn(cuda = "while (x == 0u) {}")]
    fn waits(x: u32) {
        let _ = x;
    }

    #[gpu_kernel]
    fn never_ends(out: &mut [u32]) {
        waits(out[0]);
    }

    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn a_thread_that_never_ends_is_a_fault() {
        needs_cxx();
        let settings = Settings { executor: Executor::Printed, step_budget: 1 << 20, ..Settings::default() };
        let device = Device::simulator_with(settings);
        let mut out = device.upload(&[0u32]).expect("memory");
        let fault = never_ends(&mut out).grid(1).block(1).launch(&device).expect_err("a fault").to_string();
        assert!(
            fault.starts_with("a thread has gone 1048576 times round loops and has not ended"),
            "{fault}"
        );
    }

    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn an_access_outside_of_all_arguments_is_a_fault_of_unchecked_text() {
        needs_cxx();
        // SAFETY: it is the mistake that is to be found, and found before the access.
        let text =
            fault(|device, out| unsafe { past_the_end(out).grid(1).block(8).launch_unchecked(device) });
        assert!(text.contains("the printed CUDA writes 4 bytes at"), "{text}");
    }
}

mod differences {
    use super::*;
    use warpsmith::prelude::*;

    #[gpu_fn(cuda = "return x + (x == 5u);")]
    fn same(x: u32) -> u32 {
        x
    }

    #[gpu_kernel]
    fn copies(x: &[u32], y: &mut [u32]) {
        let i = global_id();
        if i < y.len() && i < x.len() {
            y[i] = same(x[i]);
        }
    }

    fn run(values: &[u32]) -> warpsmith::Result<()> {
        let device = Device::simulator_with(Settings { executor: Executor::All, ..Settings::default() });
        let (x, mut y) = (device.upload(values)?, device.upload(&[0u32; 8])?);
        let outcome = copies(&x, &mut y).over(8).launch(&device);
        // Whatever the text did, what the launch wrote is what the twin wrote.
        assert_eq!(device.download(&y)?, values);
        outcome
    }

    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn a_text_that_does_not_do_what_the_twin_does_is_a_fault() {
        needs_cxx();
        run(&[0, 1, 2, 3, 4, 6, 7, 8]).expect("no difference");
        let fault = run(&[0, 1, 2, 3, 4, 5, 6, 7]).expect_err("a difference").to_string();
        let said = "kernel `copies` runs differently as printed CUDA than by its twin: byte 20 of `y` is 0x05 by the twin, 0x06";
        assert!(fault.starts_with(said), "{fault}");
    }

    #[gpu_fn(ptx = "mma.sync.aligned {ret}, {x};", pure)]
    fn unknown(x: u32) -> u32 {
        x
    }

    #[gpu_kernel]
    fn by_hand(y: &mut [u32]) {
        y[0] = unknown(7);
    }

    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn what_the_host_cannot_run_is_refused_by_name() {
        needs_cxx();
        let device = Device::simulator_with(Settings { executor: Executor::Printed, ..Settings::default() });
        let mut y = device.upload(&[0u32]).expect("memory");
        let refused = by_hand(&mut y).grid(1).block(1).launch(&device).expect_err("no such instruction");
        let text = refused.to_string();
        assert!(text.contains("the host does not run the PTX `mma.sync.aligned`"), "{text}");
    }
}

/// Loops that only read, which the checked text tries first.
mod tried {
    use harness::needs_cxx;
    use warpsmith::codegen::{Checks, PrintOptions};
    use warpsmith::prelude::*;
    use warpsmith::simulator::{Executor, Settings};

    /// The least and the sum of what each row names; a row begins where the one before it ends.
    #[gpu_kernel]
    fn gathers(starts: &[u32], names: &[u32], x: &[i32], least: &mut [i32], sums: &mut [i32]) {
        let row = global_id();
        if row < least.len() {
            let (mut lowest, mut sum) = (i32::MAX, 7);
            for at in starts[row]..starts[row + 1] {
                let value = x[names[at]];
                if value < lowest {
                    lowest = value;
                }
                sum += value;
            }
            least[row] = lowest;
            sums[row] = sum;
        }
    }

    struct Rows {
        starts: [u32; 5],
        names: Vec<u32>,
    }

    impl Rows {
        fn new() -> Self {
            Self { starts: [0, 3, 3, 8, 12], names: (0..12).map(|at| at * 5 % 9).collect() }
        }

        fn run(&self, executor: Executor) -> Result<Vec<i32>, String> {
            let device = Device::simulator_with(Settings { executor, ..Settings::default() });
            let up = |values: &[u32]| device.upload(values).expect("memory");
            let (starts, names) = (up(&self.starts), up(&self.names));
            let x = device.upload(&[4, -3, 9, 2, 8, 1, -7, 5, 6]).expect("memory");
            let [mut least, mut sums] = [(); 2].map(|()| device.upload(&[0i32; 4]).expect("memory"));
            let launch = gathers(&starts, &names, &x, &mut least, &mut sums).grid(1).block(4);
            launch.launch(&device).map_err(|fault| fault.to_string())?;
            Ok([least, sums].iter().flat_map(|of| device.download(of).expect("memory")).collect())
        }

        /// The fault of the twin, which the text must tell alike.
        fn fault(&self) -> String {
            let faults = [Executor::Twin, Executor::Interpreter, Executor::Printed].map(|executor| {
                let fault = self.run(executor).expect_err("a fault");
                fault.lines().next().unwrap_or_default().to_owned()
            });
            assert_eq!([&faults[0], &faults[0]], [&faults[1], &faults[2]]);
            faults[0].clone()
        }
    }

    #[test]
    fn a_loop_that_only_reads_is_printed_twice() {
        let options = PrintOptions { checks: Checks::All, line_directives: false };
        let text = gathers::print(&(), &options).expect("a kernel").code;
        let twice = "int value = ws_try(x, names[at], x_len, failed);";
        assert!(text.contains(twice), "{text}");
        assert!(text.contains("int value = x[ws_at(names[ws_at(at, names_len, "), "{text}");
        assert!(text.contains("lowest = lowest_before;") && text.contains("sum = sum_before;"), "{text}");
        assert!(!gathers::cuda_source().expect("a kernel").contains("failed"));
    }

    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn a_trial_that_fails_leaves_no_trace() {
        needs_cxx();
        let rows = Rows::new();
        let want: Vec<i32> = (0..4)
            .map(|row| (rows.starts[row] as usize, rows.starts[row + 1] as usize))
            .map(|(from, to)| rows.names[from..to].to_vec())
            .map(|names| {
                names.iter().map(|at| [4, -3, 9, 2, 8, 1, -7, 5, 6][*at as usize]).collect::<Vec<i32>>()
            })
            .flat_map(|row| [row.iter().copied().min().unwrap_or(i32::MAX), 7 + row.iter().sum::<i32>()])
            .collect();
        let got = rows.run(Executor::All).expect("no fault");
        let paired: Vec<i32> = (0..4).flat_map(|row| [got[row], got[4 + row]]).collect();
        assert_eq!(paired, want);
    }

    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn what_is_out_of_bounds_is_told_as_by_the_twin() {
        needs_cxx();
        // An element that is not there, in the last but one iteration of the third row.
        let fault = Rows { names: [0, 1, 2, 3, 4, 5, 99, 7, 8, 0, 1, 2].into(), ..Rows::new() }.fault();
        assert!(fault.starts_with("index 99 is out of bounds for length 9 at tests/printed.rs:"), "{fault}");
        // A row that runs past what it names, and one that would run for as good as ever.
        for end in [13, u32::MAX] {
            let fault = Rows { starts: [0, 3, 3, 8, end], ..Rows::new() }.fault();
            assert!(
                fault.starts_with("index 12 is out of bounds for length 12 at tests/printed.rs:"),
                "{fault}"
            );
        }
    }
}

/// Loops whose counters run along slices, which one comparison shows to be in bounds.
mod along {
    use harness::needs_cxx;
    use warpsmith::codegen::{Checks, PrintOptions};
    use warpsmith::prelude::*;
    use warpsmith::simulator::{Executor, Settings};

    /// Fills each row with what its thread has, and counts up beside it.
    #[gpu_kernel]
    fn fills(
        shift: u32,
        starts: &[u32],
        ends: &[u32],
        text: &mut [u32],
        wide: &mut [u32],
        from: u64,
        low: i32,
        high: i32,
    ) {
        let row = global_id() as u32;
        for at in starts[row]..ends[row] {
            text[at] += row + 1;
            text[at + shift] += 100;
        }
        for at in (starts[row]..ends[row]).step_by(3) {
            text[at] += 1000;
        }
        for at in 0..ends[row] as u64 {
            wide[from + at] += 1;
        }
        for at in low..high {
            wide[at] += 10;
        }
    }

    struct Fill {
        shift: u32,
        starts: [u32; 2],
        ends: [u32; 2],
        from: u64,
        low: i32,
        high: i32,
    }

    const PLAIN: Fill = Fill { shift: 2, starts: [2, 0], ends: [6, 8], from: 4, low: 3, high: 12 };

    impl Fill {
        fn run(&self, executor: Executor) -> Result<Vec<u32>, String> {
            let device = Device::simulator_with(Settings { executor, ..Settings::default() });
            let up = |values: &[u32]| device.upload(values).expect("memory");
            let (starts, ends) = (up(&self.starts), up(&self.ends));
            let (mut text, mut wide) = (up(&[0; 10]), up(&[0; 12]));
            // One thread after the other, as they write the same elements.
            let Fill { shift, from, low, high, .. } = *self;
            let launch = fills(shift, &starts, &ends, &mut text, &mut wide, from, low, high).grid(1).block(1);
            launch.launch(&device).map_err(|fault| fault.to_string())?;
            Ok([text, wide].iter().flat_map(|of| device.download(of).expect("memory")).collect())
        }

        /// The fault of the twin, which the text must tell alike.
        fn fault(&self) -> String {
            let faults = [Executor::Twin, Executor::Interpreter, Executor::Printed].map(|executor| {
                let fault = self.run(executor).expect_err("a fault");
                fault.lines().next().unwrap_or_default().to_owned()
            });
            assert_eq!([&faults[0], &faults[0]], [&faults[1], &faults[2]]);
            faults[0].clone()
        }
    }

    #[test]
    fn a_loop_along_a_slice_is_printed_twice() {
        let options = PrintOptions { checks: Checks::All, line_directives: false };
        let text = fills::print(&(), &options).expect("a kernel").code;
        for line in
            ["text[at] += row + 1u;", "wide[from + at] += 1u;", "wide[at] += 10u;", " <= text_len && "]
        {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(text.contains("wide[ws_at(from + at, wide_len, "), "{text}");
    }

    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn a_loop_along_a_slice_does_what_its_twin_does() {
        needs_cxx();
        let empty = Fill { starts: [8, 0], ends: [3, 0], low: 5, high: -5, ..PLAIN };
        let to_the_end = Fill { shift: 0, starts: [0, 0], ends: [10, 0], from: 2, low: 0, high: 12 };
        // Nothing is indexed from a place beyond the end, or with a sum that wraps.
        let beyond = Fill { ends: [0, 0], from: u64::MAX, low: i32::MAX, high: i32::MAX, ..PLAIN };
        for fill in [PLAIN, empty, to_the_end, beyond] {
            fill.run(Executor::All).expect("no fault, and no difference");
        }
    }

    #[test]
    #[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
    fn the_iteration_that_is_out_of_bounds_is_told() {
        needs_cxx();
        let cases = [
            (
                Fill { shift: 0, starts: [0, 0], ends: [11, 0], ..PLAIN },
                "index 10 is out of bounds for length 10",
            ),
            (
                Fill { shift: 6, starts: [6, 0], ends: [7, 0], ..PLAIN },
                "index 12 is out of bounds for length 10",
            ),
            (
                Fill { starts: [u32::MAX, 0], ends: [0, 0], low: -2, ..PLAIN },
                "index -2 is out of bounds for length 12",
            ),
            (Fill { from: 9, ..PLAIN }, "index 12 is out of bounds for length 12"),
            (Fill { from: u64::MAX, ..PLAIN }, "index -1 is out of bounds for length 12"),
            (Fill { high: 13, ..PLAIN }, "index 12 is out of bounds for length 12"),
            (Fill { low: i32::MIN, ..PLAIN }, "index -2147483648 is out of bounds for length 12"),
        ];
        for (fill, want) in cases {
            let fault = fill.fault();
            assert!(fault.starts_with(want), "{want}: {fault}");
        }
    }
}
