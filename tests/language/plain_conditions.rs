//! What `#[cfg]` leaves out exists for no executor.

// `all()` and `any()` are the shortest conditions that always and never hold.
#![allow(clippy::non_minimal_cfg, clippy::let_and_return)]

use harness::agree;
use warpsmith::prelude::*;

use super::plain::{CASES, Plain, check};

const LEFT_OUT: u64 = 100;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Pair {
    a: u64,
    b: u64,
}

#[gpu_fn]
fn sum(#[cfg(any())] extra: u8, x: u64, #[cfg(all())] y: u64) -> u64 {
    #[cfg(any())]
    return LEFT_OUT;
    x + y
}

#[gpu_impl]
impl Pair {
    #[cfg(any())]
    fn weight(self) -> u64 {
        LEFT_OUT
    }

    #[cfg(not(any()))]
    fn weight(self) -> u64 {
        self.a * 3 + self.b
    }
}

#[gpu_trait]
trait Weighed {
    #[cfg(any())]
    fn doubled(self) -> u8;

    #[cfg(all())]
    fn doubled(self) -> u64;
}

#[gpu_impl]
impl Weighed for Pair {
    #[cfg(any())]
    fn doubled(self) -> u8 {
        7
    }

    #[cfg(all())]
    fn doubled(self) -> u64 {
        self.weight() * 2
    }
}

#[gpu_kernel]
fn statements(#[cfg(any())] never: u32, x: &[u64], out: &mut [u64]) {
    let mut v = x[0];
    #[cfg(any())]
    {
        v = LEFT_OUT;
    }
    #[cfg(any())]
    let v = LEFT_OUT;
    #[cfg(all())]
    let mut w = v + 1;
    #[cfg(not(all()))]
    let mut w = LEFT_OUT;
    #[cfg(any())]
    for _ in 0..3 {
        v += LEFT_OUT;
    }
    #[cfg(any())]
    if v > 0 {
        return;
    }
    #[cfg(any())]
    assert!(v == LEFT_OUT);
    #[cfg(any())]
    out.swap(0, 1);
    #[cfg(any())]
    sum(missing);
    #[cfg(not(any()))]
    while w < 50 {
        w = w * 2 + 1;
        #[cfg(any())]
        break;
    }
    v += 1;
    out[0] = v;
    out[1] = w;
    #[cfg(any())]
    return;
    out[2] = {
        v += 2;
        #[cfg(any())]
        {
            v = LEFT_OUT;
        }
        sum(v, w)
    };
}

#[gpu_kernel]
fn elements(x: &[u64], out: &mut [u64]) {
    let listed = [
        x[0],
        #[cfg(any())]
        LEFT_OUT,
        #[cfg(all())]
        x[1],
    ];
    let (a, b) = (
        #[cfg(any())]
        LEFT_OUT,
        x[2],
        x[3],
    );
    let pair = Pair {
        a,
        #[cfg(any())]
        b: LEFT_OUT,
        #[cfg(all())]
        b,
    };
    let Pair {
        a: c,
        #[cfg(any())]
        none,
        b: d,
    } = pair;
    let add = |#[cfg(any())] extra: u8, v: u64| {
        #[cfg(any())]
        return LEFT_OUT;
        v + listed.len() as u64
    };
    out[0] = match c & 1 {
        #[cfg(any())]
        0 => LEFT_OUT,
        #[cfg(any())]
        1 => LEFT_OUT,
        0 => 3,
        #[cfg(all())]
        _ => 4,
    };
    out[1] = sum(
        #[cfg(any())]
        LEFT_OUT,
        listed[1],
        d,
    );
    out[2] = add(c);
    out[3] = pair.weight() + pair.doubled();
}

/// Conditions of the build.
#[gpu_kernel]
#[allow(clippy::assertions_on_constants)]
fn build(x: &[u64], out: &mut [u64]) {
    #[cfg(debug_assertions)]
    let checked = 1;
    #[cfg(not(debug_assertions))]
    let checked = 2;
    out[0] = checked + x[0];
    out[1] = if cfg!(debug_assertions) { 1 } else { 2 };
    if cfg!(any()) {
        out[2] = LEFT_OUT;
    }
    out[3] = cfg!(target_pointer_width = "64") as u64;
    #[cfg_attr(all(), unroll)]
    for k in 0..4 {
        out[4] += x[k];
    }
    #[cfg_attr(any(), unroll, cfg(any()))]
    for k in 0..4 {
        out[5] += x[k] * 2;
    }
    #[cfg_attr(all(), cfg(any()), allow(unused))]
    {
        out[5] = LEFT_OUT;
    }
    #[allow(unused_variables)]
    let (line, column) = (line!(), column!());
    out[6] = line as u64 * 1000 + column as u64;
    std::assert!(out[6] > 0);
    out[7] = core::matches!(x[0], 0..5) as u64;
}

plain! { decided(i, x):
    statements_left_out {
        let mut v = x[i] % 100;
        #[cfg(any())]
        {
            v = LEFT_OUT;
        }
        #[cfg(not(debug_assertions))]
        let w = v * 3;
        #[cfg(debug_assertions)]
        let w = v * 5;
        #[cfg(any())]
        while v > 0 {
            v -= 1;
        }
        #[cfg(any())]
        return LEFT_OUT;
        #[cfg(all())]
        if v == 7 {
            return w;
        }
        #[cfg_attr(all(), cfg(any()))]
        v.swap_bytes();
        v += 1;
        v * 1000 + w
    }
    arms_left_out {
        match x[i] % 3 {
            #[cfg(any())]
            0 => LEFT_OUT,
            #[cfg(all())]
            0 if x[i + 1] % 2 == 0 => 5,
            #[cfg(not(all()))]
            _ => LEFT_OUT,
            1 => {
                #[cfg(any())]
                return LEFT_OUT;
                2
            }
            _ => 9,
        }
    }
    elements_left_out {
        let list = [#[cfg(any())] LEFT_OUT, x[i], #[cfg(all())] x[i + 1]];
        let (a, b) = (#[cfg(any())] LEFT_OUT, list[0], list[1]);
        let f = |#[cfg(any())] first: u8, v: u64| v ^ list.len() as u64;
        let pair = Pair { a, #[cfg(any())] b: LEFT_OUT, #[cfg(all())] b };
        let Pair { #[cfg(any())] none, a, b } = pair;
        f(#[cfg(any())] LEFT_OUT, a).max(#[cfg(any())] LEFT_OUT, b)
    }
    conditions_as_values {
        let debug = cfg!(debug_assertions) as u64 * 7 + cfg!(any()) as u64;
        if cfg!(not(any())) { debug + x[i] % 9 } else { LEFT_OUT }
    }
}

#[test]
fn what_rust_leaves_out_is_left_out() {
    check::<decided::cases>();
}

/// A condition that `macro_rules` gives, beside other fragments.
macro_rules! chosen {
    ($name:ident, $condition:meta, $b:block, $e:expr) => {
        #[gpu_kernel]
        fn $name(x: &[u64], out: &mut [u64]) {
            #[cfg($condition)]
            let w = $e;
            #[cfg(not($condition))]
            let w = x[2] + $e * 2;
            #[cfg($condition)]
            {
                out[3] += $b;
            }
            out[0] = w + $b + x[1];
        }
    };
}

chosen!(
    chosen_here,
    any(),
    {
        let three = 3;
        three
    },
    4 + 1
);
chosen!(
    chosen_there,
    all(),
    {
        let three = 3;
        three
    },
    4 + 1
);

agree! { statements elements build chosen_here chosen_there }
