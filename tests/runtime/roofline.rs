//! Ceilings that are measured, and kernels under them.

use std::time::Instant;

use corpus::matmul::{Matrix, SubMatrix, mat_mul_naive, mat_mul_tiled};
use corpus::vectors::sum_matrix_2d;
use warpsmith::metrics::Report;
use warpsmith::report::{Bound, Ceilings, Roofline, Work};
use warpsmith::{Device, Tuner};

/// Side of the products that are counted.
const SIDE: u32 = 64;

/// Counts the course's naive product.
fn counted_naive() -> Report {
    let device = Device::simulator();
    let mut buffers = [(); 3].map(|()| device.upload(&vec![1.0f32; (SIDE * SIDE) as usize]).expect("memory"));
    let [a, b, c] =
        buffers.each_mut().map(|buffer| Matrix { width: SIDE, height: SIDE, elements: buffer.view_mut() });
    mat_mul_naive(a, b, c).over_2d([SIDE as usize; 2]).block([16, 16]).metrics(&device).expect("it runs")
}

/// Counts the course's tiled product.
fn counted_tiled() -> Report {
    let device = Device::simulator();
    let mut buffers = [(); 3].map(|()| device.upload(&vec![1.0f32; (SIDE * SIDE) as usize]).expect("memory"));
    let [a, b, c] = buffers.each_mut().map(|buffer| SubMatrix {
        width: SIDE,
        height: SIDE,
        stride: SIDE,
        elements: buffer.view_mut(),
    });
    mat_mul_tiled(a, b, c).over_2d([SIDE as usize; 2]).block([16, 16]).metrics(&device).expect("it runs")
}

/// Operations, and the bytes that threads ask global memory for, as the course counts them: without caches.
fn loaded(report: &Report) -> Work {
    Work::new(report.total.flops() as f64, (report.total.loads.lanes * size_of::<f32>() as u64) as f64)
}

#[test]
fn the_counted_naive_product_can_have_two_percent_of_an_a100() {
    let (naive, elements) = (loaded(&counted_naive()), f64::from(SIDE * SIDE));
    // A multiplication and an addition on two elements, for each element of a row and a column.
    assert_eq!(naive, Work::new(2.0 * elements * f64::from(SIDE), 8.0 * elements * f64::from(SIDE)));
    assert_eq!(naive.intensity(), 0.25);
    let a100 = Ceilings::known("NVIDIA A100-SXM4-40GB").expect("listed");
    let roofline = Roofline::new(a100.clone()).add("mat_mul_naive", naive, None);
    let point = &roofline.points()[0];
    assert_eq!((point.attainable, point.bound), (388.75e9, Bound::Memory), "{roofline}");
    let percent = ["f32", "tf32 tensor cores"].map(|name| {
        let peak = a100.peaks.iter().find(|peak| peak.name == name).expect(name);
        100.0 * point.part_of(peak.flops)
    });
    assert_eq!(format!("{:.0} % {:.2} %", percent[0], percent[1]), "2 % 0.25 %", "{roofline}");
    // The roofs meet at 12.5 FLOP/B: 50 operations on each element that is loaded.
    let ridge = a100.peaks[0].flops / a100.bandwidth;
    assert_eq!(format!("{ridge:.1} {:.0}", 4.0 * ridge), "12.5 50");
    assert!(
        roofline.to_string().contains("mat_mul_naive: 0.25 FLOP/B, bound by memory, at most 389 GFLOP/s"),
        "{roofline}"
    );
}

#[test]
fn tiles_of_16_raise_the_counted_intensity_by_16() {
    let tiled = loaded(&counted_tiled());
    assert_eq!(tiled.intensity(), 16.0 * loaded(&counted_naive()).intensity());
}

#[test]
#[cfg_attr(not(gpu), ignore = "needs a GPU")]
fn a_kernel_under_measured_ceilings_is_not_above_them() {
    let gpu = harness::needs_gpu();
    let started = Instant::now();
    let measured = Ceilings::measure(&gpu).expect("a GPU can be measured");
    println!("figure ceilings_measured_in {} ms", started.elapsed().as_secs_f64() * 1e3);
    println!("figure ceiling_bandwidth {} GB/s", measured.bandwidth / 1e9);
    println!("figure ceiling_f32 {} GFLOP/s", measured.peaks[0].flops / 1e9);
    let side = 1usize << 13;
    let ones = gpu.upload(&vec![1.0f32; side * side]).expect("memory");
    let mut c = gpu.alloc_zeroed::<f32>(side * side).expect("memory");
    let mut tuner = Tuner::new("sum").forget();
    tuner.axis("block", [[32u32, 8]]);
    let n = side as u32;
    let outcome = tuner.tune(&gpu, |_, trial| {
        trial.launch(sum_matrix_2d(&ones, &ones, &mut c, n, n).over_2d([side, side]).block([32, 8]))
    });
    let time = outcome.expect("fits").best_time();
    // One matrix is read twice, the second time from a cache.
    let elements = (side * side) as f64;
    let roofline = Roofline::new(measured.clone()).add("sum", Work::new(elements, 8.0 * elements), time);
    println!("{roofline}");
    let point = &roofline.points()[0];
    assert_eq!(point.bound, Bound::Memory);
    // The copy that was measured is no bound to the last percent.
    assert!(point.fraction().is_some_and(|fraction| fraction > 0.05 && fraction < 1.2), "{roofline}");
    if let Some(listed) = Ceilings::known(gpu.name()) {
        println!("{}", Roofline::new(listed.clone()).add("sum", Work::new(elements, 8.0 * elements), time));
        assert!(measured.bandwidth < listed.bandwidth * 1.05, "{measured} against {listed}");
        assert!(measured.peaks[0].flops < listed.peaks[0].flops * 1.05, "{measured} against {listed}");
    }
}
