//! Every kernel of the corpus on the simulator, against host references.

use corpus::cases;
use warpsmith::Device;
use warpsmith::simulator::{Executor, Settings, SimChecks};

/// No data race, no read of unwritten shared memory, no misaligned access.
#[test]
fn every_kernel_is_right_on_the_simulator_and_passes_every_check() {
    let settings = Settings::default();
    assert_eq!(settings.executor, Executor::Both);
    assert_eq!(settings.checks, SimChecks { races: true, initialisation: true, alignment: true });
    cases::check_all(|| Device::simulator_with(Settings::default()));
}

/// The one result table of the notes that is wrong, and in what.
#[test]
fn no_mask_gives_the_butterfly_table_of_the_notes() {
    use corpus::shuffles::{NOTES_BUTTERFLY, WIDTH, shfl_butterfly};
    // Each lane names the mask that would give it its value.
    let mask_of = |lane: u32| lane ^ NOTES_BUTTERFLY[lane as usize] as u32;
    let unmoved: Vec<u32> = (0..WIDTH).filter(|lane| mask_of(*lane) == 0).collect();
    assert_eq!(unmoved, [2, 3]);
    assert!((0..WIDTH).filter(|lane| !unmoved.contains(lane)).all(|lane| mask_of(lane) == 1));
    let device = Device::simulator();
    let input: Vec<i32> = (0..WIDTH as i32).collect();
    let d_in = device.upload(&input).expect("memory");
    let differing = |lane_mask: u32| -> Vec<usize> {
        let mut d_out = device.upload(&[-1i32; WIDTH as usize]).expect("memory");
        shfl_butterfly(&mut d_out, &d_in, lane_mask).grid(1).block(WIDTH).launch(&device).expect("it runs");
        let got = device.download(&d_out).expect("memory");
        (0..got.len()).filter(|lane| got[*lane] != NOTES_BUTTERFLY[*lane]).collect()
    };
    assert!((0..WIDTH).all(|lane_mask| !differing(lane_mask).is_empty()));
    assert_eq!(differing(1), [2, 3], "the mask of the notes gives all else");
}

/// Compares the builtins that the corpus uses with those that have a Rust meaning.
#[test]
fn every_builtin_of_the_corpus_has_a_rust_meaning() {
    let without: Vec<String> = cases::all()
        .iter()
        .flat_map(|case| {
            let module = (case.module)().unwrap_or_else(|e| panic!("{}: {e}", case.name));
            harness::without_meaning(module.module())
                .into_iter()
                .map(|builtin| format!("{}: {builtin}", case.name))
        })
        .collect();
    assert!(without.is_empty(), "{}", without.join("\n"));
}

/// Device functions, methods and generics of another crate, in a kernel of this one.
mod across_crates {
    use corpus::language::{Vec2, iterate};
    use warpsmith::prelude::*;

    #[gpu_kernel]
    fn lengths(x: &[f32], out: &mut [f32]) {
        let i = global_id();
        if i < x.len() && i < out.len() {
            let v = Vec2::new(x[i], 2.0);
            out[i] = iterate(v.dot(v), 2, |s| s * 0.5);
        }
    }

    #[test]
    fn device_code_of_another_crate_is_called() -> warpsmith::Result<()> {
        let device = Device::open()?;
        let x = device.upload(&[0.0f32, 2.0, 4.0])?;
        let mut out = device.upload(&[f32::NAN; 3])?;
        lengths(&x, &mut out).over(3).launch(&device)?;
        assert_eq!(device.download(&out)?, [1.0, 2.0, 5.0]);
        Ok(())
    }
}

/// Names that C++ could take for something else.
mod names {
    use warpsmith::prelude::*;

    #[gpu_fn]
    fn exp(x: u32) -> u32 {
        x + 1
    }

    #[gpu_kernel]
    fn shadows(x_len: u32, x: &[u32], out: &mut [u32], #[comptime] block: u32) {
        let before = block;
        let block = block * 2;
        let int = exp(x_len);
        out[0] = before;
        out[1] = block;
        out[2] = int + x[0] + x.len() as u32;
        #[allow(clippy::nonminimal_bool)]
        if x_len == 0 || !(x[0] > 5) {
            out[2] += 0;
        }
    }

    #[test]
    fn shadowed_constants_lengths_and_library_names_keep_their_meaning() -> warpsmith::Result<()> {
        let cuda = shadows::cuda_source_for(&(8,))?;
        assert!(cuda.contains("unsigned int block_1 = "), "{cuda}");
        assert!(cuda.contains("__device__ unsigned int exp_("), "{cuda}");
        assert!(cuda.contains("const unsigned int* x_1, unsigned long long x_1_len"), "{cuda}");
        assert!(cuda.contains("if (x_len == 0u || !(x_1[0] > 5u)) {"), "{cuda}");
        let device = Device::open()?;
        let x = device.upload(&[5u32, 6])?;
        let mut out = device.upload(&[0u32; 3])?;
        shadows(100, &x, &mut out, 8).grid(1).block(1).launch(&device)?;
        assert_eq!(device.download(&out)?, [8, 16, 108]);
        Ok(())
    }

    #[gpu_kernel]
    fn offset_beyond(x: ViewMut<'_, u32>, start: u32) {
        let mut part = x.offset(start);
        part[0] = 1;
    }

    #[test]
    fn an_offset_beyond_the_end_is_a_fault() -> warpsmith::Result<()> {
        assert!(
            offset_beyond::checked_cuda_source_for(&())?
                .contains("ws_part(start, x.len, x.len, 0, ws_fault)")
        );
        let device = Device::open()?;
        let mut x = device.upload(&[0u32; 4])?;
        let outcome = offset_beyond(x.view_mut(), 5)
            .grid(1)
            .block(1)
            .launch(&device)
            .and_then(|()| device.synchronize());
        assert!(outcome.is_err_and(|e| e.to_string().contains("range bound 5 is beyond 4")));
        Ok(())
    }
}
