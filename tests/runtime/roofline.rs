//! Ceilings that are measured, and kernels under them.

use std::time::Instant;

use corpus::vectors::sum_matrix_2d;
use warpsmith::Tuner;
use warpsmith::report::{Bound, Ceilings, Roofline, Work};

#[test]
fn a_kernel_under_measured_ceilings_is_not_above_them() {
    let Some(gpu) = harness::gpu() else { return };
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
