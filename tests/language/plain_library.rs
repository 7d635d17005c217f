//! Functions of Rust's library by the path of an imported module, beside plain Rust.

use std::{array, cmp, mem};

use warpsmith::prelude::*;

use super::everywhere;
use super::plain::{CASES, Plain, check};

plain! { library(i, x):
    functions_of_imported_modules {
        let made: [u64; 4] = array::from_fn(|k| x[i + k] ^ k as u64);
        let written = array::from_fn::<_, 3, _>(|k| x[k] as u8);
        let (mut a, mut b) = (made[0], made[3]);
        mem::swap(&mut a, &mut b);
        let before = mem::replace(&mut a, 7) ^ mem::take(&mut b);
        before ^ a ^ b ^ cmp::max(made[1], written[2] as u64) ^ cmp::min(made[2], 9) ^ mem::size_of::<u64>() as u64
    }
    functions_imported_in_the_body {
        use std::array::from_fn;
        use std::cmp::max;
        let made: [u64; 3] = from_fn(|k| x[i + k]);
        let pairs = from_fn::<_, 2, _>(|k| (x[k], k));
        max(made[0], made[2]) ^ pairs[1].0 ^ pairs[1].1 as u64
    }
}

#[test]
fn imported_functions_are_rusts() {
    check::<library::cases>();
}

mod own {
    use super::*;

    /// Modules of the user's own that are named as some of Rust's library.
    mod mem {
        use super::*;

        #[gpu_fn]
        pub fn swap(a: &mut u32, b: &mut u32) {
            *a += *b;
        }
    }

    mod array {
        use super::*;

        #[gpu_fn]
        pub fn from_fn(f: impl Fn(usize) -> u32) -> [u32; 2] {
            [f(5), f(6)]
        }
    }

    #[gpu_kernel]
    pub fn calls_own(out: &mut [u32]) {
        let (mut a, mut b) = (1, 20);
        mem::swap(&mut a, &mut b);
        let [c, d] = array::from_fn(|k| k as u32 * 10);
        out[0] = a;
        out[1] = b;
        out[2] = c;
        out[3] = d;
    }
}

#[test]
fn functions_of_own_modules_are_called() {
    everywhere::<own::calls_own>(&(), |device| {
        let mut out = device.upload(&[0u32; 4]).expect("memory");
        own::calls_own(&mut out).grid(1).block(1).launch(device).expect("no fault");
        assert_eq!(device.download(&out).expect("memory"), [21, 20, 50, 60], "on {}", device.name());
    });
}

mod without_a_device_side {
    use super::*;

    mod array {
        pub fn from_fn<const N: usize>(f: impl Fn(usize) -> u32) -> [u32; N] {
            [f(1); N]
        }
    }

    #[gpu_kernel]
    pub fn calls_the_hosts(out: &mut [u32]) {
        let made: [u32; 2] = array::from_fn(|k| k as u32);
        out[0] = made[0];
    }
}

#[test]
fn a_function_of_an_own_module_is_not_taken_for_rusts() {
    let device = Device::simulator();
    let mut out = device.upload(&[0u32; 1]).expect("memory");
    let launch = without_a_device_side::calls_the_hosts(&mut out).grid(1).block(1).launch(&device);
    let error = launch.expect_err("the function is not Rust's").to_string();
    assert!(error.contains("array::from_fn`; write `#[gpu_fn]` above it"), "{error}");
}
