//! The CUDA of the main kernels: as snapshots, compiled by NVRTC where there is one, and run by every executor of the simulator.

use warpsmith::prelude::*;
use warpsmith_kernels::reduction::{
    ArgMax, OwnSum, Reduction, Sum, Variance, columns_kernel, dot_kernel, reduce, rows_kernel,
    short_rows_kernel,
};
use warpsmith_kernels::scan::{inclusive_scan, scan_kernel};

/// Compares the CUDA of a kernel with its snapshot; compiles it with and without checks.
fn prints<K: Kernel>(name: &str, comptime: K::Comptime) {
    let cuda = K::cuda_source_for(&comptime).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, cuda));
    harness::compiles::<K>(&comptime);
}

#[test]
fn the_main_kernels_print_what_the_snapshots_show() {
    prints::<rows_kernel<Sum<f32>, 4>>("reduce_rows@sum_f32", ());
    prints::<rows_kernel<Sum<bf16>, 8>>("reduce_rows@sum_bf16", ());
    prints::<rows_kernel<ArgMax<f32>, 4>>("reduce_rows@arg_max_f32", ());
    prints::<rows_kernel<Variance<f32>, 4>>("reduce_rows@variance_f32", ());
    prints::<short_rows_kernel<Sum<f32>, 4>>("reduce_short_rows@8_lanes", (8,));
    prints::<columns_kernel<Sum<f32>, 4>>("reduce_columns@sum_f32", ());
    prints::<dot_kernel<f32, 4>>("dot@f32", ());
    prints::<scan_kernel<OwnSum<u32>, 4, 4>>("scan@inclusive_u32", (true, false));
    prints::<scan_kernel<Sum<i64>, 2, 4>>("scan@exclusive_i64", (true, true));
}

fn reduced<R: Reduction>(device: &Device, x: &[R::Element], shape: [usize; 3]) -> Vec<R::Output> {
    let x = device.upload(x).expect("device memory");
    let mut y = device.alloc_zeroed::<R::Output>(shape[0] * shape[2]).expect("device memory");
    reduce::<R>(device, &x, &mut y).axis(&shape, 1).blocks(2).run().unwrap_or_else(|e| panic!("{e}"));
    device.download(&y).expect("no fault")
}

#[test]
fn twin_interpreter_and_printed_cuda_agree() {
    let x: Vec<i32> = (0..6000i32).map(|i| (i * 7919) % 1000).collect();
    let total: i64 = x.iter().map(|x| i64::from(*x)).sum();
    for device in harness::devices() {
        assert_eq!(reduced::<Sum<i32>>(&device, &x, [1, 6000, 1]), [total]);
        let at = x.iter().position(|v| v == x.iter().max().expect("some")).expect("there") as u64;
        assert_eq!(reduced::<ArgMax<i32>>(&device, &x, [1, 6000, 1]), [at]);
        let of_columns = |c: usize| x.iter().skip(c).step_by(20).map(|x| i64::from(*x)).sum::<i64>();
        assert_eq!(
            reduced::<Sum<i32>>(&device, &x, [1, 300, 20]),
            (0..20).map(of_columns).collect::<Vec<_>>()
        );
        let x: Vec<u32> = x.iter().map(|x| *x as u32).collect();
        let buffer = device.upload(&x).expect("device memory");
        let mut y = device.alloc_zeroed::<u32>(6000).expect("device memory");
        inclusive_scan::<OwnSum<u32>>(&device, &buffer, &mut y).run().unwrap_or_else(|e| panic!("{e}"));
        let y = device.download(&y).expect("no fault");
        assert!(y.iter().zip(0..).all(|(y, i)| *y == x[..=i].iter().sum::<u32>()));
    }
}
