//! Functions of the user's own that are named as builtins: with `#[gpu_fn]` they are called, without they are refused.

use warpsmith::prelude::*;

use super::{everywhere, written};

mod own {
    use warpsmith::prelude::*;

    #[gpu_fn]
    pub fn lane_id() -> u32 {
        77
    }
}

mod plain {
    pub fn lane_id() -> u32 {
        78
    }
}

#[gpu_kernel]
fn shadowed(out: &mut [u32]) {
    use own::lane_id;
    out[0] = lane_id();
    out[1] = own::lane_id() + 1;
}

#[gpu_kernel]
fn mistaken(out: &mut [u32]) {
    use plain::lane_id;
    out[0] = lane_id();
}

#[test]
fn a_device_function_of_ones_own_hides_a_builtin() {
    everywhere::<shadowed>(&(), |device| {
        let out = written(device, (2, 0), |out| shadowed(out).grid(1).block(1).launch(device));
        assert_eq!(out, [77, 78], "on {}", device.name());
    });
}

#[test]
fn a_host_function_with_the_name_of_a_builtin_is_refused() {
    let refused = mistaken::cuda_source().expect_err("no device side").to_string();
    assert!(refused.contains("shadows::plain::lane_id`; write `#[gpu_fn]` above it"), "{refused}");
}
