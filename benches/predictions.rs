//! Launches whose metrics are predicted on the simulator and measured by Nsight Compute; see `ncu.sh`.
//!
//! `predictions predict` prints `predicted NAME KERNEL METRIC VALUE` for each launch in turn, after `group TITLE`;
//! `predictions run` makes the same launches on the GPU, in the same order, and no other. With `patterns` behind them
//! they do so for patterns of accesses to shared memory, with `branches` for the branches that are measured with and without
//! optimisation, and with `tensors` for kernels with tensor cores and the copy engine, on compute capability 9.0.

use corpus::{bank_patterns, measured, measured_tensors};
use measured::{How, Measured};
use warpsmith::Device;
use warpsmith::metrics::Report;

fn main() -> warpsmith::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["predict"] => predict(),
        ["predict", "patterns"] => predict_patterns(),
        ["predict", "branches"] => predict_branches(),
        ["predict", "tensors"] => predict_tensors(),
        ["run"] => run(&Device::gpu(0)?, measured::all()),
        ["run", "branches"] => run(&Device::gpu(0)?, measured::branches()),
        ["run", "tensors"] => run(&Device::gpu(0)?, measured_tensors::all()),
        ["run", "patterns"] => run_patterns(&Device::gpu(0)?),
        _ => {
            println!("skipped: say `predict` or `run`, and `patterns`, `branches`, `tensors` or nothing");
            Ok(())
        }
    }
}

fn predict() -> warpsmith::Result<()> {
    for (title, launches) in measured::groups() {
        println!("group {title}");
        for launch in launches {
            print(launch.name, &launch.predict()?, |_| true);
        }
    }
    Ok(())
}

fn predict_patterns() -> warpsmith::Result<()> {
    let device = Device::simulator();
    for (access, pattern) in bank_patterns::all() {
        let report = pattern.launch(access, &device, How::Predict)?.unwrap_or_default();
        let name = format!("{}@{}", access.kernel(), pattern.name);
        print(&name, &report, |metric| metric.contains("mem_shared"));
    }
    Ok(())
}

fn predict_branches() -> warpsmith::Result<()> {
    measured::branches().iter().try_for_each(|launch| {
        print(launch.name, &launch.predict()?, |metric| metric.contains("branch"));
        Ok(())
    })
}

fn predict_tensors() -> warpsmith::Result<()> {
    measured_tensors::all().iter().try_for_each(|launch| {
        let report = launch.predict()?;
        print(launch.name, &report, |_| true);
        // What the copy engine moves passes the L2 cache, beside what threads load and store.
        let of = &report.total;
        let read = of.loads.sectors + of.copies.sectors + of.bulk_loads.sectors;
        let written = of.stores.sectors + of.bulk_stores.sectors;
        for (way, sectors) in [("read", read), ("write", written)] {
            let metric = format!("lts__t_sectors_srcunit_tex_op_{way}.sum");
            println!("predicted {} {} {metric} {sectors}", launch.name, report.kernel);
        }
        Ok(())
    })
}

fn print(name: &str, report: &Report, wanted: impl Fn(&str) -> bool) {
    let metrics = report.total.profiler();
    metrics.iter().filter(|(metric, _)| wanted(metric)).for_each(|(metric, value)| {
        println!("predicted {name} {} {metric} {value}", report.kernel);
    });
}

fn run(device: &Device, launches: Vec<Measured>) -> warpsmith::Result<()> {
    launches.iter().try_for_each(|launch| {
        (launch.launch)(device, How::Run)?;
        device.synchronize()
    })
}

fn run_patterns(device: &Device) -> warpsmith::Result<()> {
    bank_patterns::all().iter().try_for_each(|(access, pattern)| {
        pattern.launch(*access, device, How::Run)?;
        device.synchronize()
    })
}
