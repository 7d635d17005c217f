//! The analysis walks through each function a few times, however often it is called.

use super::{Analysis, Control, summary};
use crate::ir::Module;
use crate::prelude::*;

/// A chain of functions, each of which calls the next one twice.
macro_rules! doubling {
    ($name:ident $next:ident $($rest:ident)*) => {
        #[gpu_fn]
        fn $name(a: u64, b: u64) -> u64 {
            let x = $next(a, b + 1);
            let y = $next(b, a ^ x);
            if x < y { x + 1 } else { x ^ y }
        }

        doubling! { $next $($rest)* }
    };
    ($last:ident) => {
        #[gpu_fn]
        fn $last(a: u64, b: u64) -> u64 {
            sync_threads();
            a + b
        }
    };
}

doubling! { step0 step1 step2 step3 step4 step5 step6 step7 step8 step9 step10 step11 step12 step13 step14 step15 step16 step17 step18 step19 step20 step21 step22 step23 step24 }

#[gpu_kernel]
fn deep(x: &[u64], out: &mut [u64]) {
    let i = global_id();
    if x.len() == 77 {
        out[0] = step0(x[0], i as u64);
    }
}

/// How many times functions are walked through, besides for their summaries.
fn walks(module: &Module) -> usize {
    let results = summary::of(module);
    let mut analysis = Analysis::new(module, &results);
    analysis.function(&module.kernel, &[], &Control::default()).expect("it is uniform");
    analysis.walks
}

#[test]
fn functions_that_call_each_other_twice_take_linear_time() {
    let started = std::time::Instant::now();
    let module = deep::record(&()).expect("it records");
    assert_eq!(module.functions.len(), 25);
    let walks = walks(&module);
    // Two walks to settle and one to check, for at most three kinds of arguments.
    assert!(walks <= 25 * 3 * 4, "{walks} walks");
    // With an exponential pass this would take hours.
    deep::cuda_source().expect("it prints");
    deep::checked_cuda_source_for(&()).expect("it prints");
    let device = crate::Device::simulator();
    let (x, mut out) = (device.upload(&[1u64]).expect("memory"), device.upload(&[0u64]).expect("memory"));
    deep(&x, &mut out).grid(1).block(1).launch(&device).expect("it runs");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

/// Gives its second argument, whatever the first is.
#[gpu_fn]
fn second(a: u32, b: u32) -> u32 {
    if a > 3 {
        volatile_load(&a);
    }
    b
}

#[gpu_kernel]
fn uniform_of_varying(y: &mut [u32], n: u32) {
    if second(thread_idx().x, n) > 2 {
        sync_threads();
    }
    y[0] = 0;
}

#[gpu_kernel]
fn varying_of_uniform(y: &mut [u32], n: u32) {
    if second(n, thread_idx().x) > 2 {
        sync_threads();
    }
    y[0] = 0;
}

#[test]
fn a_result_varies_as_those_arguments_do_that_it_depends_on() {
    let check = |module: Module| crate::validate::validate(module).map(|_| ());
    assert_eq!(check(uniform_of_varying::record(&()).expect("it records")), Ok(()));
    let refused = check(varying_of_uniform::record(&()).expect("it records"));
    assert!(matches!(refused, Err(crate::validate::ValidateError::DivergentBarrier { .. })), "{refused:?}");
}

#[gpu_fn]
fn meet(steps: u32) {
    if steps > 1 {
        sync_threads();
    }
}

/// A call that passes does not let a later one pass that varies by more.
#[gpu_kernel]
fn twice(y: &mut [u32], n: u32) {
    meet(n);
    meet(thread_idx().x);
    y[0] = 0;
}

#[test]
fn every_call_is_checked_with_what_it_passes() {
    let refused = crate::validate::validate(twice::record(&()).expect("it records")).map(|_| ());
    assert!(matches!(refused, Err(crate::validate::ValidateError::DivergentBarrier { .. })), "{refused:?}");
}
