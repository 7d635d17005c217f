//! Pages about real launches.

use corpus::transpose::transpose_smem;
use warpsmith::prelude::*;

#[test]
fn a_page_of_a_launch_has_its_source_and_its_figures() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let input = device.upload(&vec![1.0f32; 64 * 64])?;
    let mut out = device.upload(&vec![0.0f32; 64 * 64])?;
    let page = transpose_smem(&mut out, &input, 64, 64).grid([2, 2]).block([32, 8]).report(&device)?;
    let html = page.html();
    let line =
        html.lines().find(|line| line.contains("tile[thread_idx().x][thread_idx().y + j]")).expect("source");
    // 4 blocks of 8 warps that load 4 times, 32 wavefronts each.
    assert!(line.contains(">4,096<") && line.contains(">512<"), "{line}");
    assert!(html.contains("<h3><code>tile</code></h3>"), "the array by its name");
    assert!(html.contains("__syncthreads();"));
    let text = page.to_string();
    assert!(text.contains("pad the rows by one element"), "{text}");
    Ok(())
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn observers_do_not_watch_a_gpu() -> warpsmith::Result<()> {
    let gpu = harness::needs_gpu();
    let input = gpu.upload(&vec![1.0f32; 64 * 64])?;
    let mut out = gpu.upload(&vec![0.0f32; 64 * 64])?;
    let launch = transpose_smem(&mut out, &input, 64, 64).grid([2, 2]).block([32, 8]);
    let refused = launch.launch_observed(&gpu, &[]);
    assert!(refused.is_err_and(|error| error.to_string().contains("Device::simulator()")));
    Ok(())
}

#[gpu_static]
static LAUNCHES: u32 = 0;

/// Scales a matrix in place and says how often it was done.
#[gpu_kernel]
fn scaled_in_place(a: f32, y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] *= a;
    }
    if i == 0 {
        atomic(LAUNCHES.get_mut()).fetch_add(1, Ordering::Relaxed);
    }
}

/// A matrix that a kernel is lent in a struct.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Lent<'a> {
    scale: f32,
    from: View2<'a, f32>,
}

/// Rows of a lent matrix are summed.
#[gpu_kernel]
fn row_sums(lent: Lent, sums: &mut [f32]) {
    let row = global_id();
    if row < sums.len() {
        let mut sum = 0.0f32;
        for col in 0..lent.from.cols() {
            sum += lent.scale * lent.from[(row, col)];
        }
        sums[row] += sum;
    }
}

/// A launch that is counted and timed has the effect of one launch.
#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_report_on_a_gpu_has_the_effect_of_one_launch_and_the_figures_of_the_simulator() -> warpsmith::Result<()>
{
    const N: usize = 1 << 14;
    let simulator = Device::simulator();
    let mut here = simulator.upload(&vec![3.0f32; N])?;
    let predicted = scaled_in_place(2.0, &mut here).over(N).metrics(&simulator)?;
    let gpu = harness::needs_gpu();
    let simulated = LAUNCHES.read(&simulator)?;
    LAUNCHES.write(&gpu, 40)?;
    let mut y = gpu.upload(&vec![3.0f32; N])?;
    let page = scaled_in_place(2.0, &mut y).over(N).report(&gpu)?;
    assert_eq!(gpu.download(&y)?, vec![6.0f32; N]);
    assert_eq!((LAUNCHES.read(&gpu)?, LAUNCHES.read(&simulator)?), (41, simulated));
    assert_eq!(page.metrics().total.loads, predicted.total.loads);
    let timing = page.timing().expect("it was timed").clone();
    println!("figure report_scaled_in_place {:.2} µs", timing.median.as_secs_f64() * 1e6);
    println!("{page}");
    assert!(timing.launches >= 3 && timing.shortest <= timing.median && timing.median <= timing.longest);
    assert!(!timing.median.is_zero() && timing.device == gpu.name(), "{timing:?}");
    let html = page.html();
    assert!(html.contains("Achieved against predicted") && html.contains(">achieved<"), "{html}");

    let counted = scaled_in_place(2.0, &mut y).over(N).metrics(&gpu)?;
    assert_eq!(gpu.download(&y)?, vec![12.0f32; N]);
    assert_eq!((LAUNCHES.read(&gpu)?, LAUNCHES.read(&simulator)?), (42, simulated));
    assert_eq!(counted.total.stores, predicted.total.stores);
    Ok(())
}

/// Two views of one buffer, at an address that no allocation begins with, count as they do on the GPU.
#[test]
fn views_in_a_struct_are_copied_for_the_prediction() -> warpsmith::Result<()> {
    let numbers: Vec<f32> = (0..64 * 32).map(|i| (i % 7) as f32).collect();
    let run = |device: &Device| {
        let matrix = device.upload(&numbers)?;
        let mut sums = device.upload(&[1.0f32; 64])?;
        let from = matrix.view2(64, 32).expect("it fits");
        let report = row_sums(Lent { scale: 0.5, from }, &mut sums).over(64).metrics(device)?;
        Ok::<_, warpsmith::Error>((report.total.loads, report.total.stores, device.download(&sums)?))
    };
    let expected = run(&Device::simulator())?;
    assert_eq!(expected.2[1], 1.0 + 0.5 * numbers[32..64].iter().sum::<f32>());
    let Some(gpu) = harness::gpu() else { return Ok(()) };
    assert_eq!(run(&gpu)?, expected);
    Ok(())
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn what_cannot_be_copied_is_refused_before_anything_is_launched() -> warpsmith::Result<()> {
    #[gpu_kernel]
    fn through_a_pointer(from: *const f32, y: &mut [f32]) {
        let i = global_id();
        if i < y.len() {
            // SAFETY: the pointer is to as many elements.
            y[i] = unsafe { *from.add(i) };
        }
    }
    let gpu = harness::needs_gpu();
    let mut y = gpu.upload(&[1.0f32; 64])?;
    let refused = through_a_pointer(std::ptr::null(), &mut y).over(64).metrics(&gpu);
    let text = refused.expect_err("a pointer").to_string();
    assert!(text.contains("argument `from`") && text.contains("Device::simulator()"), "{text}");
    assert_eq!(gpu.download(&y)?, [1.0; 64]);
    Ok(())
}

/// Reports are snapshots of a launch: nothing in them is of the machine, the directory or the day.
#[test]
fn texts_hold_nothing_of_the_machine() -> warpsmith::Result<()> {
    let page = || {
        let device = Device::simulator();
        let input = device.upload(&vec![1.0f32; 64 * 64])?;
        let mut out = device.upload(&vec![0.0f32; 64 * 64])?;
        transpose_smem(&mut out, &input, 64, 64).grid([2, 2]).block([32, 8]).report(&device)
    };
    let (first, second) = (page()?, page()?);
    assert_eq!(first.html(), second.html());
    assert_eq!(first.metrics().to_string(), second.metrics().to_string());
    for text in [first.counted(), first.metrics().to_string()] {
        let here = std::env::current_dir().expect("a directory");
        assert!(!text.contains(here.to_str().expect("a path")), "{text}");
        for part in ["registers", "NVRTC", "occupancy"] {
            assert!(!text.contains(part), "`{part}` is of the machine:\n{text}");
        }
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../../snapshots" }, {
        insta::assert_snapshot!("page__transpose_smem", first.counted());
    });
    Ok(())
}
