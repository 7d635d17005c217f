//! What the interpreter tells observers, and the faults that it alone finds.

/// The events that observers receive.
mod told {
    use std::cell::RefCell;

    use warpsmith::prelude::*;
    use warpsmith::simulator::{
        Access, AccessKind, Branch, Instruction, Interests, Observer, Operation, SimFault, Space, Thread,
    };

    /// One event: the thread, what it was, and the instruction.
    type Event = (u32, String, Instruction);

    #[derive(Default)]
    struct Log(RefCell<Vec<Event>>);

    impl Observer for Log {
        fn interests(&self) -> Interests {
            Interests { accesses: true, branches: true, work: true, instances: true, ..Interests::default() }
        }
        fn on_access(&self, by: &Thread, access: &Access) -> Result<(), SimFault> {
            let what = match (access.kind, access.space) {
                (AccessKind::Read, Space::Global) => "read global",
                (AccessKind::Write, Space::Global) => "write global",
                (AccessKind::Read, Space::Shared { .. }) => "read shared",
                (AccessKind::Write, Space::Shared { .. }) => "write shared",
                (AccessKind::Read, Space::Constant) => "read constant",
                _ => "other",
            };
            let what = format!("{what} {} by {}", access.bytes, access.align);
            self.0.borrow_mut().push((by.linear, what, access.by));
            Ok(())
        }
        fn on_branch(&self, by: &Thread, branch: &Branch) {
            self.0.borrow_mut().push((by.linear, format!("branch {}", branch.taken), branch.by));
        }
        fn on_work(&self, by: &Thread, work: Operation, instruction: &Instruction) {
            self.0.borrow_mut().push((by.linear, format!("{work:?}"), *instruction));
        }
    }

    impl Log {
        /// The actions of a thread that begin with one of these words, in order.
        fn of(&self, thread: u32, words: &[&str]) -> Vec<String> {
            let log = self.0.borrow();
            let wanted = |what: &str| words.iter().any(|word| what.starts_with(word));
            let mine = log.iter().filter(|(linear, what, _)| *linear == thread && wanted(what));
            mine.map(|(_, what, _)| what.clone()).collect()
        }
    }

    #[gpu_kernel]
    fn wide(x: &[F32x4], out: &mut [F32x4]) {
        let mut tile = shared!([f32; 64]);
        let t = thread_idx().x;
        tile[t] = x[t].y;
        sync_threads();
        let mut v = x[t];
        v.x += tile[t ^ 1];
        out[t] = v;
    }

    #[test]
    fn accesses_have_their_width_and_their_memory() -> warpsmith::Result<()> {
        let device = Device::simulator();
        let x = device.upload(&[F32x4::splat(1.5); 64])?;
        let mut out = device.upload(&[F32x4::splat(0.0); 64])?;
        let log = Log::default();
        wide(&x, &mut out).grid(1).block(64).launch_observed(&device, &[&log])?;
        assert_eq!(device.download(&out)?[7], F32x4::new(3.0, 1.5, 1.5, 1.5));
        let told = log.of(9, &["read", "write"]);
        let wanted = [
            "read global 4 by 4",
            "write shared 4 by 4",
            "read global 16 by 16",
            "read shared 4 by 4",
            "write global 16 by 16",
        ];
        assert_eq!(told, wanted);
        Ok(())
    }

    #[gpu_kernel]
    fn uneven(x: &[u32], out: &mut [f32]) {
        let t = thread_idx().x;
        let mut sum = 0.0;
        for k in 0..x[t] {
            if k % 2 == 0 {
                sum = sum * 0.5 + x[k] as f32;
            }
        }
        out[t] = sum;
    }

    #[test]
    fn lanes_at_the_same_iteration_execute_together() -> warpsmith::Result<()> {
        let device = Device::simulator();
        let x = device.upload(&[4u32, 2, 4, 0])?;
        let mut out = device.upload(&[0.0f32; 4])?;
        let log = Log::default();
        uneven(&x, &mut out).grid(1).block(4).launch_observed(&device, &[&log])?;
        let log = log.0.into_inner();
        let products = |thread: u32| -> Vec<Instruction> {
            log.iter().filter(|e| e.0 == thread && e.1 == "FloatMul(32)").map(|e| e.2).collect()
        };
        assert_eq!(products(0).len(), 2);
        assert_eq!(products(0), products(2));
        assert_eq!(products(0)[..1], products(1)[..]);
        assert_ne!(products(0)[0], products(0)[1]);
        assert!(products(3).is_empty());
        let line = products(0)[0].at;
        assert!(line.file.ends_with("interpreter.rs") && line.line > 0, "{line}");
        let stores: Vec<Instruction> = log.iter().filter(|e| e.1.starts_with("write")).map(|e| e.2).collect();
        assert!(
            stores.len() == 4 && stores.iter().all(|store| *store == stores[0]),
            "after the loop all meet"
        );
        Ok(())
    }

    #[test]
    fn every_branch_and_iteration_is_told() -> warpsmith::Result<()> {
        let device = Device::simulator();
        let x = device.upload(&[3u32, 0, 0])?;
        let mut out = device.upload(&[0.0f32; 2])?;
        let log = Log::default();
        uneven(&x, &mut out).grid(1).block(2).launch_observed(&device, &[&log])?;
        let (yes, no) = ("branch true".to_owned(), "branch false".to_owned());
        // A first iteration, three that ask whether `k` is even, two that go on, and the end.
        let wanted = [&yes, &yes, &yes, &no, &yes, &yes, &no].map(Clone::clone);
        assert_eq!(log.of(0, &["branch"]), wanted);
        assert_eq!(log.of(1, &["branch"]), [no]);
        Ok(())
    }
}

/// Faults that the interpreter finds, with the lines of the kernel.
mod faults {
    use warpsmith::prelude::*;
    use warpsmith::simulator::{Executor, Settings, SimFault};

    fn interpreter(settings: Settings) -> Device {
        Device::simulator_with(Settings { executor: Executor::Interpreter, ..settings })
    }

    fn fault(outcome: warpsmith::Result<()>) -> SimFault {
        match outcome {
            Err(warpsmith::Error::Simulator(fault)) => *fault,
            other => panic!("no fault of the simulator: {other:?}"),
        }
    }

    #[gpu_kernel]
    fn endless(x: &mut [u32]) {
        while x[0] == 0 {
            x[1] += 0;
        }
    }

    #[test]
    fn a_loop_without_end_is_a_fault_at_its_line() -> warpsmith::Result<()> {
        let device = interpreter(Settings { step_budget: 1000, ..Settings::default() });
        let mut x = device.upload(&[0u32; 2])?;
        let found = fault(endless(&mut x).grid(1).block(1).launch(&device));
        assert!(matches!(&found, SimFault::Endless { steps: 1000, line, .. } if *line > 0), "{found}");
        Ok(())
    }

    #[gpu_kernel]
    fn divided(x: &mut [i32]) {
        x[0] = x[1] / x[2];
        x[3] = x[1] + x[4];
        x[5] = 1 << x[6];
    }

    #[test]
    fn arithmetic_that_rust_refuses_is_a_fault_alike() -> warpsmith::Result<()> {
        for (values, message) in [
            ([0, 7, 0, 0, 0, 0, 0], "attempt to divide by zero"),
            ([0, i32::MIN, -1, 0, 0, 0, 0], "attempt to divide with overflow"),
            ([0, i32::MAX, 1, 0, 1, 0, 0], "attempt to add with overflow"),
            ([0, 1, 1, 0, 1, 0, 32], "attempt to shift left with overflow"),
            ([0, 1, 1, 0, 1, 0, -1], "attempt to shift left with overflow"),
        ] {
            let device = Device::simulator_with(Settings { executor: Executor::Both, ..Settings::default() });
            let mut x = device.upload(&values)?;
            let found = fault(divided(&mut x).grid(1).block(1).launch(&device));
            assert!(matches!(&found, SimFault::Panic { message: said, .. } if said == message), "{found}");
        }
        let device = interpreter(Settings { overflow: false, ..Settings::default() });
        let mut x = device.upload(&[0, i32::MAX, 1, 0, 1, 0, 33])?;
        divided(&mut x).grid(1).block(1).launch(&device)?;
        assert_eq!(device.download(&x)?[3..6], [i32::MIN, 1, 2]);
        Ok(())
    }

    #[gpu_kernel]
    fn converted(x: &[f32], y: &[u64], out: &mut [i32]) {
        out[0] = (x[0] * x[1]) as i32;
        out[y[0] as u32] = 1;
    }

    #[test]
    fn conversions_and_nan_are_faults_where_asked() -> warpsmith::Result<()> {
        let run = |settings: Settings, x: [f32; 2], y: u64| {
            let device = interpreter(settings);
            let (x, y) = (device.upload(&x)?, device.upload(&[y])?);
            let mut out = device.upload(&[0i32; 4])?;
            converted(&x, &y, &mut out).grid(1).block(1).launch(&device)
        };
        let plain = Settings::default;
        run(plain(), [f32::INFINITY, 0.0], 1 << 32)?;
        let nan = fault(run(Settings { nan: true, ..plain() }, [f32::INFINITY, 0.0], 1));
        assert!(matches!(&nan, SimFault::NotANumber { operands, .. } if operands == &["inf", "0"]), "{nan}");
        let lossy = fault(run(Settings { float_to_int: true, ..plain() }, [3e9, 1.0], 1));
        assert!(matches!(&lossy, SimFault::LossyCast { to, .. } if to == "i32"), "{lossy}");
        let index = fault(run(Settings { index_casts: true, ..plain() }, [1.5, 1.0], 1 << 32));
        assert!(
            matches!(&index, SimFault::LossyCast { value, to, .. } if value == "4294967296" && to == "u32"),
            "{index}"
        );
        Ok(())
    }
}

/// The defaults of a simulator.
mod defaults {
    use warpsmith::prelude::*;
    use warpsmith::simulator::{Executor, Settings, SimChecks, SimFault};

    fn fault(outcome: warpsmith::Result<()>) -> SimFault {
        match outcome {
            Err(warpsmith::Error::Simulator(fault)) => *fault,
            other => panic!("no fault of the simulator: {other:?}"),
        }
    }

    #[gpu_kernel]
    fn one_place(x: &mut [u32]) {
        x[0] = global_id() as u32;
    }

    #[test]
    fn a_race_is_found_by_the_interpreter_and_by_both_and_not_by_the_twin() -> warpsmith::Result<()> {
        assert_eq!(Settings::default().executor, Executor::Both);
        assert_eq!(Settings::default().checks, SimChecks::ALL);
        let run = |executor, checks| {
            let device = Device::simulator_with(Settings { executor, checks, ..Settings::default() });
            let mut x = device.upload(&[0u32])?;
            one_place(&mut x).grid(1).block(2).launch(&device)
        };
        for executor in [Executor::Interpreter, Executor::Both] {
            let found = fault(run(executor, SimChecks::ALL));
            assert!(matches!(found, SimFault::DataRace(_)), "{found}");
            run(executor, SimChecks::NONE)?;
        }
        run(Executor::Twin, SimChecks::ALL)
    }

    #[gpu_kernel]
    fn in_order(flag: &mut [u32]) {
        if block_idx().x == 0 {
            atomic_add(&mut flag[0], 1);
        } else {
            assert!(atomic_add(&mut flag[0], 0) == 1, "the other block came first");
        }
    }

    #[test]
    fn a_fault_names_the_seed_that_replays_it() -> warpsmith::Result<()> {
        for executor in [Executor::Interpreter, Executor::Twin, Executor::Both] {
            let device = Device::simulator_with(Settings { executor, ..Settings::default() });
            let run = |seed: u64| {
                let mut flag = device.upload(&[0u32])?;
                in_order(&mut flag).grid(2).block(1).seed(seed).launch(&device)
            };
            run(0)?;
            let seed = (1..100).find(|seed| run(*seed).is_err()).expect("an order in which it faults");
            let found = fault(run(seed));
            let said = found.to_string();
            assert!(said.contains("the other block came first"), "{said}");
            let replay = format!("`.seed({seed})` or `WARPSMITH_SIM_SEED={seed}`");
            assert!(said.contains(&replay), "{said}");
            assert!(matches!(found.found(), SimFault::Panic { block: [1, 0, 0], .. }), "{said}");
            assert_eq!(fault(run(seed)), found);
        }
        Ok(())
    }

    #[test]
    fn a_launch_that_is_refused_names_no_seed() -> warpsmith::Result<()> {
        let settings = Settings { seed: 7, ..Settings::default() };
        let device = Device::simulator_with(settings);
        let mut x = device.upload(&[0u32])?;
        let race = fault(one_place(&mut x).grid(1).block(2).launch(&device)).to_string();
        assert!(race.contains("data race") && race.contains("WARPSMITH_SIM_SEED=7"), "{race}");
        let device = Device::simulator_with(Settings { shared_limit: 16, seed: 7, ..Settings::default() });
        let refused =
            one_place(&mut x).grid(1).block(2).dynamic_shared(64).launch(&device).map_err(|e| e.to_string());
        assert!(refused.is_err_and(|said| !said.contains("SEED")));
        Ok(())
    }

    #[gpu_fn(cuda = "return x + 1;")]
    fn on_a_device(x: u32) -> u32;

    #[gpu_kernel]
    fn past_it(x: &mut [u32], device: u32) {
        if device == 1 {
            x[0] = on_a_device(x[0]);
        } else {
            x[0] += 2;
        }
    }

    #[test]
    fn a_device_body_is_a_fault_only_where_a_thread_comes_to_it() -> warpsmith::Result<()> {
        for executor in [Executor::Interpreter, Executor::Twin] {
            let device = Device::simulator_with(Settings { executor, ..Settings::default() });
            let mut x = device.upload(&[5u32])?;
            past_it(&mut x, 0).grid(1).block(1).launch(&device)?;
            assert_eq!(device.download(&x)?, [7]);
            let said = fault(past_it(&mut x, 1).grid(1).block(1).launch(&device)).to_string();
            assert!(said.contains("`on_a_device` has a device body only"), "{said}");
        }
        Ok(())
    }
}

/// Launches by the interpreter and again by the twin, which is the default of a simulator.
mod compared {
    use std::process::Command;

    use warpsmith::prelude::*;
    use warpsmith::simulator::{Executor, Settings, SimFault};

    /// Sums and places that depend on the order of threads.
    #[gpu_kernel]
    fn depends_on_order(x: &mut [f32], y: &mut [u32], times: &mut [u64]) {
        let i = global_id();
        let place = atomic_add(&mut y[0], 1);
        y[1 + place] = i as u32;
        atomic_add(&mut x[0], 1.0 / (1.0 + i as f32));
        atomic_exchange(&mut x[1], i as f32);
        times[i] = clock();
        if atomic_inc(&mut y[257], 1000) == 255 {
            y[257] = i as u32;
        }
    }

    #[test]
    fn what_depends_on_the_order_of_threads_is_the_same_by_both() -> warpsmith::Result<()> {
        for seed in [0, 1, 7, 1234] {
            let run = |executor| {
                let device = Device::simulator_with(Settings { executor, seed, ..Settings::default() });
                let (mut x, mut y) = (device.upload(&[0.0f32; 2])?, device.alloc_zeroed::<u32>(258)?);
                let mut times = device.alloc_zeroed::<u64>(256)?;
                depends_on_order(&mut x, &mut y, &mut times).grid(4).block(64).launch(&device)?;
                warpsmith::Result::Ok((device.download(&x)?, device.download(&y)?, device.download(&times)?))
            };
            let left = run(Executor::Both)?;
            assert_eq!(left, run(Executor::Interpreter)?);
            assert_eq!(left.1[0], 256);
        }
        Ok(())
    }

    #[gpu_kernel]
    fn leaves_a_fault(y: &mut [u32]) {
        let t = thread_idx().x;
        y[t] += 1;
        assert!(t < 3, "the fourth thread");
    }

    #[test]
    fn a_fault_is_the_interpreters_and_leaves_what_it_did() -> warpsmith::Result<()> {
        let device = Device::simulator();
        let mut y = device.alloc_zeroed::<u32>(8)?;
        let fault = leaves_a_fault(&mut y).grid(1).block(8).launch(&device).expect_err("it fails");
        assert!(fault.to_string().contains("the fourth thread"), "{fault}");
        assert_eq!(device.download(&y)?, [1, 1, 1, 1, 0, 0, 0, 0]);
        Ok(())
    }

    /// The interpreter finds a thread that loops for ever.
    #[gpu_kernel]
    fn goes_round(y: &mut [u32]) {
        let mut i = y[0];
        while i < 10 {
            i = (i + 1) % 8;
        }
        y[0] = i;
    }

    #[test]
    fn a_loop_without_end_is_found_before_the_twin_runs_it() -> warpsmith::Result<()> {
        let device = Device::simulator_with(Settings { step_budget: 10_000, ..Settings::default() });
        let mut y = device.alloc_zeroed::<u32>(1)?;
        match goes_round(&mut y).grid(1).block(1).launch(&device) {
            Err(warpsmith::Error::Simulator(fault)) => assert!(matches!(*fault, SimFault::Endless { .. })),
            other => panic!("it ends: {other:?}"),
        }
        Ok(())
    }

    #[gpu_kernel]
    fn adds_up(y: &mut [i32]) {
        y[0] += i32::MAX;
    }

    #[test]
    fn overflow_that_only_the_twin_tells_of_is_no_difference() -> warpsmith::Result<()> {
        let device = Device::simulator_with(Settings { overflow: false, ..Settings::default() });
        let mut y = device.upload(&[1i32])?;
        adds_up(&mut y).grid(1).block(1).launch(&device)?;
        assert_eq!(device.download(&y)?, [i32::MIN]);
        Ok(())
    }

    #[gpu_kernel]
    fn prints(y: &mut [u32]) {
        println!("thread {} of {}", thread_idx().x, y.len());
        y[thread_idx().x] += 1;
    }

    #[gpu_kernel]
    fn through_addresses(places: &[*mut u32]) {
        let place = places[thread_idx().x];
        // SAFETY: one element each, which live as long as the launch.
        unsafe { *place += 1 };
    }

    /// Run by the test below, which reads what it prints.
    #[test]
    #[ignore = "part of another"]
    fn prints_and_says() -> warpsmith::Result<()> {
        let device = Device::simulator();
        let mut y = device.alloc_zeroed::<u32>(2)?;
        prints(&mut y).grid(1).block(2).launch(&device)?;
        let mut own = [5u32; 2];
        let first = own.as_mut_ptr();
        let places = device.upload(&[first, first.wrapping_add(1)])?;
        for _ in 0..3 {
            through_addresses(&places).grid(1).block(2).launch(&device)?;
        }
        // SAFETY: as the kernel wrote it, through addresses.
        assert_eq!(unsafe { first.cast::<[u32; 2]>().read_volatile() }, [8, 8]);
        Ok(())
    }

    #[test]
    fn output_appears_once_and_so_does_why_a_kernel_is_not_compared() {
        let test = std::env::current_exe().expect("this test");
        let output = Command::new(test)
            .args(["--exact", "compared::prints_and_says", "--ignored", "--nocapture"])
            .env_remove("WARPSMITH_SIM")
            .output()
            .expect("it runs");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{out}{err}");
        for line in ["thread 0 of 2", "thread 1 of 2"] {
            assert_eq!(out.matches(line).count(), 1, "{out}");
        }
        let why = "kernel `through_addresses` runs by the interpreter alone, not compared with its Rust code: `places`";
        assert_eq!(err.matches(why).count(), 1, "{err}");
        assert!(!err.contains("kernel `prints`"), "{err}");
    }
}
