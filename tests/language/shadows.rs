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

/// Builtins of the prelude beside functions of the same names, which hide them.
mod beside {
    use warpsmith::prelude::*;

    #[gpu_fn]
    pub fn mul24(x: u32) -> u32 {
        x + 1
    }

    #[gpu_fn]
    pub fn ballot(x: u32) -> u32 {
        x * 2
    }

    pub mod below {
        use super::*;

        #[gpu_fn]
        pub fn popc(x: u32) -> u32 {
            x * 3
        }

        #[gpu_fn]
        pub fn j0<const N: usize>(x: [u32; N]) -> u32 {
            x[N - 1]
        }

        #[gpu_kernel]
        pub fn hidden(out: &mut [u32]) {
            out[0] = mul24(out[1]) + j0::<2>([0, 1]);
            out[1] = ballot(out[1]) + popc(1) * 100 + popc(clz(1)) * 1000;
        }
    }
}

#[test]
fn a_device_function_beside_the_prelude_hides_a_builtin() {
    use beside::below::hidden;
    everywhere::<hidden>(&(), |device| {
        let out = written(device, (2, 5), |out| hidden(out).grid(1).block(1).launch(device));
        assert_eq!(out, [7, 10 + 300 + 93_000], "on {}", device.name());
    });
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

/// A trait that has the name of one of the library's own.
#[gpu_trait]
trait Parts: Copy {
    fn parts(self) -> [u32; 2];
}

#[gpu_impl]
impl Parts for u64 {
    fn parts(self) -> [u32; 2] {
        [self as u32, (self >> 32) as u32]
    }
}

#[gpu_kernel]
fn takes_apart(x: u64, out: &mut [u32]) {
    let [low, high] = x.parts();
    out[0] = low;
    out[1] = high;
}

#[test]
fn a_trait_may_have_the_name_of_one_that_the_library_keeps_to_itself() {
    everywhere::<takes_apart>(&(), |device| {
        let out =
            written(device, (2, 0u32), |out| takes_apart((7 << 32) | 5, out).grid(1).block(1).launch(device));
        assert_eq!(out, [5, 7]);
    });
}

/// Traits of the user's own beside a glob import of the prelude, named as its traits, its types and Rust's operators.
mod named_as_known_traits {
    use warpsmith::prelude::*;

    #[derive(Clone, Copy, GpuType)]
    #[repr(C)]
    pub struct Point {
        x: u32,
    }

    #[gpu_trait]
    trait Num: Copy {
        fn squared(self) -> u32;
    }

    #[gpu_impl]
    impl Num for Point {
        fn squared(self) -> u32 {
            self.x * self.x
        }
    }

    #[gpu_trait]
    trait Filter {
        const TAPS: u32;
        fn filtered(self) -> u32;
    }

    #[gpu_impl]
    impl Filter for Point {
        const TAPS: u32 = 5;
        fn filtered(self) -> u32 {
            self.x + Self::TAPS
        }
    }

    #[gpu_trait]
    trait Index {
        fn at(self) -> u32;
    }

    #[gpu_impl]
    impl Index for u32 {
        fn at(self) -> u32 {
            self + 100
        }
    }

    #[gpu_trait]
    trait Add {
        fn add(self, other: u32) -> u32;
    }

    #[gpu_impl]
    impl Add for Point {
        fn add(self, other: u32) -> u32 {
            self.x ^ other
        }
    }

    #[gpu_fn]
    fn both<T: Num + Filter>(value: T) -> u32 {
        value.squared() + value.filtered()
    }

    #[gpu_kernel]
    pub fn named(x: u32, out: &mut [u32]) {
        out[0] = both(Point { x });
        out[1] = x.at();
        out[2] = Point { x }.add(1);
    }
}

#[test]
fn a_trait_of_ones_own_may_be_named_as_one_of_the_prelude_or_of_an_operator() {
    use named_as_known_traits::named;
    everywhere::<named>(&(), |device| {
        let out = written(device, (3, 0), |out| named(6, out).grid(1).block(1).launch(device));
        assert_eq!(out, [36 + 11, 106, 7], "on {}", device.name());
    });
}
