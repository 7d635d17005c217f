//! Searches over block shapes and comptime tiles, on a GPU timed and kept.

use std::path::PathBuf;

use corpus::vectors::sum_matrix_2d;
use warpsmith::Tuner;
use warpsmith::cache::Disk;
use warpsmith::prelude::*;
use warpsmith::tuner::{Outcome, Tried};

/// A folder of one test, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("warpsmith-tuner-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Self(folder)
    }

    fn disk(&self) -> Disk {
        Disk::new(&self.0, 1 << 20)
    }

    /// Every file below it.
    fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.path().is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
            }
        }
        files
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The seed's matrix sum with its four shapes, and one that no device launches.
fn sum_matrix(device: &Device, side: usize, folder: &Folder) -> Outcome {
    let ones = vec![1.0f32; side * side];
    let a = device.upload(&ones).expect("memory");
    let b = device.upload(&ones).expect("memory");
    let mut c = device.alloc_zeroed::<f32>(side * side).expect("memory");
    let n = side as u32;
    let mut tuner = Tuner::new("sumMatrixOnGPU2D").bytes(12 * (side * side) as u64).keep_in(folder.disk());
    let block = tuner.axis("block", [[32u32, 32], [32, 16], [16, 32], [16, 16], [64, 32]]);
    let outcome = tuner.tune(device, |candidate, trial| {
        let launch = sum_matrix_2d(&a, &b, &mut c, n, n);
        trial.launch(launch.over_2d([side, side]).block(candidate.get(block)?))
    });
    let outcome = outcome.expect("four shapes fit");
    assert!(outcome.best().get(block).is_ok_and(|block| block != [64, 32]));
    assert!(device.download(&c).expect("memory").iter().all(|sum| *sum == 2.0) || outcome.was_kept());
    outcome
}

#[test]
fn the_seeds_block_shapes_run_on_the_simulator_which_keeps_nothing() {
    let folder = Folder::new("simulator");
    let outcome = sum_matrix(&Device::simulator(), 50, &folder);
    let ran = outcome.rows().iter().filter(|row| row.tried == Tried::Ran).count();
    assert_eq!((ran, outcome.rows().len(), outcome.best_time()), (4, 5, None));
    assert!(matches!(&outcome.rows()[4].tried, Tried::Skipped { .. }));
    assert_eq!(folder.files(), Vec::<PathBuf>::new());
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn the_seeds_block_shapes_are_timed_on_a_gpu_and_kept() {
    let gpu = harness::needs_gpu();
    let folder = Folder::new("gpu");
    let outcome = sum_matrix(&gpu, 1 << 13, &folder);
    println!("{outcome}");
    assert!(!outcome.was_kept());
    for row in &outcome.rows()[..4] {
        let Tried::Timed { median, .. } = &row.tried else { panic!("{outcome}") };
        assert!(Some(*median) >= outcome.best_time() && median.as_nanos() > 0, "{outcome}");
        println!("figure tune_{} {} us", row.candidate, median.as_secs_f64() * 1e6);
    }
    assert!(matches!(&outcome.rows()[4].tried, Tried::Skipped { .. }));
    let again = sum_matrix(&gpu, 1 << 13, &folder);
    assert!(again.was_kept());
    assert_eq!(again.best_time(), outcome.best_time());
    assert_eq!(again.best().to_string(), outcome.best().to_string());
    assert!(!sum_matrix(&gpu, 1 << 11, &folder).was_kept(), "another size is another search");
    for file in folder.files().iter().filter(|file| file.to_string_lossy().contains("notes")) {
        let bytes = std::fs::read(file).expect("own file");
        std::fs::write(file, &bytes[..bytes.len() / 2]).expect("own file");
    }
    assert!(!sum_matrix(&gpu, 1 << 13, &folder).was_kept(), "a torn file is a miss");
}

#[gpu_kernel]
fn add_one(x: &mut [u32], #[comptime] each: u32) {
    let first = global_id() * each as usize;
    for i in first..first + each as usize {
        if i < x.len() {
            x[i] += 1;
        }
    }
}

#[test]
fn memory_that_is_reset_before_each_launch_ends_as_after_one() {
    let run = |device: &Device| {
        let folder = Folder::new(if device.is_simulator() { "reset-simulator" } else { "reset" });
        let zeros = vec![0u32; 5000];
        let mut x = device.upload(&zeros).expect("memory");
        let mut tuner = Tuner::new("add_one").launch_once_a_round().rounds(3).keep_in(folder.disk());
        let each = tuner.axis("each", [1u32, 4, 32]);
        let search = |x: &mut Buffer<u32>| {
            tuner.tune(device, |candidate, trial| {
                if trial.runs() {
                    device.write(x, &zeros)?;
                }
                let each = candidate.get(each)?;
                trial.launch(add_one(&mut *x, each).over(5000usize.div_ceil(each as usize)))
            })
        };
        let outcome = search(&mut x).expect("all fit");
        assert_eq!(outcome.rows().len(), 3);
        assert!(device.download(&x).expect("memory").iter().all(|n| *n == 1));
        device.write(&mut x, &zeros).expect("memory");
        let kept = search(&mut x).expect("all fit").was_kept();
        assert_eq!(kept, !device.is_simulator());
        let expected = if kept { 0 } else { 1 };
        assert!(device.download(&x).expect("memory").iter().all(|n| *n == expected), "looking runs nothing");
    };
    run(&Device::simulator());
    if let Some(gpu) = harness::gpu() {
        run(&gpu);
    }
}
