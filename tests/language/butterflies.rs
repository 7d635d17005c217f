//! Butterflies as Fourier transforms, Walsh transforms, wavelets and bitonic sorts have them: right, and in bounds without a check.

use harness::on_every_device;
use warpsmith::prelude::*;

use super::{everywhere, written};

/// Stages of a transform of `2^log_n` words, with a shift for what is divided by.
#[gpu_kernel]
fn stages(x: &[u32], y: &mut [u32], log_n: u32) {
    let mut data = dynamic_shared::<u32>();
    let n = 1u32 << log_n;
    let t = thread_idx().x;
    data[t] = x[t];
    data[t + n / 2] = x[t + n / 2];
    sync_threads();
    for stage in 0..log_n {
        let span = 1u32 << stage;
        let low = ((t >> stage) << (stage + 1)) + (t & (span - 1));
        let high = low + span;
        let (a, b) = (data[low], data[high]);
        data[low] = a.wrapping_add(b);
        data[high] = a.wrapping_sub(b).rotate_left(stage);
        sync_threads();
    }
    y[t] = data[t];
    y[t + n / 2] = data[t + n / 2];
}

/// The same by a stride that is halved, in a signed type, for more pairs than threads.
#[gpu_kernel]
fn strides(x: &[u32], y: &mut [u32], log_n: i32) {
    let mut s = dynamic_shared::<u32>();
    let n = 1 << log_n;
    let (t, threads) = (thread_idx().x as i32, block_dim().x as i32);
    let mut pos = t;
    while pos < n {
        s[pos] = x[pos];
        pos += threads;
    }
    let mut stride = n / 2;
    while stride >= 1 {
        sync_threads();
        let mut pos = t;
        while pos < n / 2 {
            let lo = pos & (stride - 1);
            let first = ((pos - lo) << 1) + lo;
            let second = first + stride;
            let (a, b) = (s[first], s[second]);
            s[first] = a.wrapping_add(b);
            s[second] = a.wrapping_sub(b).rotate_left(stride as u32);
            pos += threads;
        }
        stride >>= 1;
    }
    sync_threads();
    let mut pos = t;
    while pos < n {
        y[pos] = s[pos];
        pos += threads;
    }
}

/// A bitonic sort.
#[gpu_kernel]
fn sorted(x: &[u32], y: &mut [u32], length: u32) {
    let mut s = shared!([u32; 128]);
    let t = thread_idx().x;
    s[t] = x[t];
    s[t + 64] = x[t + 64];
    let mut size = 2;
    while size <= length {
        let descends = t & (size / 2) != 0;
        let mut stride = size / 2;
        while stride > 0 {
            sync_threads();
            let pos = 2 * t - (t & (stride - 1));
            if (s[pos] > s[pos + stride]) != descends {
                let key = s[pos];
                s[pos] = s[pos + stride];
                s[pos + stride] = key;
            }
            stride >>= 1;
        }
        size <<= 1;
    }
    sync_threads();
    y[t] = s[t];
    y[t + 64] = s[t + 64];
}

/// One stage in global memory, by a half that only the launch knows.
#[gpu_kernel]
fn stage(x: &[u32], y: &mut [u32], half: usize) {
    let t = global_id();
    if t < x.len() / 2 {
        let i = t / half * (2 * half) + t % half;
        y[i] = x[i].wrapping_add(x[i + half]);
        y[i + half] = x[i].wrapping_sub(x[i + half]);
    }
}

/// A wavelet by a half that is doubled.
#[gpu_kernel]
fn wavelet(x: &[u32], y: &mut [u32]) {
    let mut s = shared!([u32; 128]);
    let t = thread_idx().x as usize;
    s[t] = x[t];
    s[t + 64] = x[t + 64];
    let mut half = 1;
    while half < 128 {
        sync_threads();
        let i = (t / half) * half * 2 + t % half;
        let (a, b) = (s[i], s[i + half]);
        s[i] = a.wrapping_add(b);
        s[i + half] = a ^ b;
        half *= 2;
    }
    sync_threads();
    y[t] = s[t];
    y[t + 64] = s[t + 64];
}

fn words(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_769).rotate_left(i % 31)).collect()
}

/// The stages of a transform on the host: each pair of elements that are a span apart becomes what `of` says.
fn pairs(data: &mut [u32], span: usize, of: impl Fn(u32, u32) -> (u32, u32)) {
    for low in (0..data.len()).filter(|i| i / span % 2 == 0) {
        (data[low], data[low + span]) = of(data[low], data[low + span]);
    }
}

/// Runs a launch that has no check left, and compares what it wrote.
macro_rules! proven {
    ($device:ident, $n:expr, $want:expr, |$x:ident, $y:ident| $launch:expr) => {{
        let $x = $device.upload(&words($n)).expect("memory");
        let got = written($device, ($n, 77), |$y| {
            let launch = $launch;
            let explained = launch.explain().expect("it is valid");
            assert_eq!(explained.checked().count(), 0, "{}", explained.proven());
            launch.launch($device)
        });
        assert_eq!(got, $want, "on {}", $device.name());
    }};
}

#[test]
fn butterflies_are_in_bounds_without_a_check() {
    everywhere::<stages>(&(), |device| {
        let mut want = words(64);
        for stage in 0..6 {
            pairs(&mut want, 1 << stage, |a, b| (a.wrapping_add(b), a.wrapping_sub(b).rotate_left(stage)));
        }
        proven!(device, 64, want, |x, y| stages(&x, y, 6).grid(1).block(32).dynamic_shared(64 * 4));
    });
    everywhere::<strides>(&(), |device| {
        let mut want = words(64);
        for stride in [32, 16, 8, 4, 2, 1] {
            pairs(&mut want, stride, |a, b| {
                (a.wrapping_add(b), a.wrapping_sub(b).rotate_left(stride as u32))
            });
        }
        proven!(device, 64, want, |x, y| strides(&x, y, 6).grid(1).block(16).dynamic_shared(64 * 4));
    });
    everywhere::<sorted>(&(), |device| {
        let mut want = words(128);
        want.sort_unstable();
        proven!(device, 128, want, |x, y| sorted(&x, y, 128).grid(1).block(64));
    });
    everywhere::<stage>(&(), |device| {
        // A half that is no power of two, too.
        for (n, half) in [(64, 8), (96, 12), (6, 3)] {
            let mut want = words(n);
            pairs(&mut want, half, |a, b| (a.wrapping_add(b), a.wrapping_sub(b)));
            proven!(device, n, want, |x, y| stage(&x, y, half).grid(2).block(32));
        }
    });
    everywhere::<wavelet>(&(), |device| {
        let mut want = words(128);
        for stage in 0..7 {
            pairs(&mut want, 1 << stage, |a, b| (a.wrapping_add(b), a ^ b));
        }
        proven!(device, 128, want, |x, y| wavelet(&x, y).grid(1).block(64));
    });
}

/// Butterflies of which some leave the memory: `half` becomes no power of two, `t` is not below a multiple of it, the remainder is of
/// another number, or the span is shifted further than the quotient.
#[gpu_kernel]
fn out_of_bounds(y: &mut [u32], half: u32, by: u32, #[comptime] case: u32) {
    let t = thread_idx().x;
    let mut own = half;
    let mut power = 1u32;
    while power < 32 {
        power *= 2;
        if case == 0 && t == 63 {
            power += 100;
        }
    }
    if case == 1 {
        own = half + t % 2;
    }
    let at = match case {
        0 => 2 * t - (t & (power - 1)) + power,
        1 => t / own * (2 * own) + t % own + own,
        2 => (t - t % half) * 2 + t % (half + 1) + half,
        3 => ((t >> by) << (by + 2)) + (t & ((1 << by) - 1)),
        4 => (t / half) * (3 * half) + t % half + half,
        5 => ((t & !(half - 1)) << 1) + (t & (half - 1)) + half,
        _ => 2 * t - (t % half) + 2 * half,
    };
    y[at] = t;
}

#[test]
fn indices_that_are_no_butterflies_are_checked() {
    on_every_device(|device| {
        for case in 0..7 {
            let mut y = device.upload(&[0u32; 128]).expect("memory");
            let launch = out_of_bounds(&mut y, 32, 5, case).grid(1).block(64);
            let explained = launch.explain().expect("it is valid");
            let is_right = case == 5;
            assert!(is_right || explained.checked().count() > 0, "case {case}: {}", explained.proven());
            let result = launch.launch(device).and_then(|()| device.synchronize());
            assert_eq!(result.is_ok(), is_right, "case {case} on {}: {result:?}", device.name());
        }
    });
}

#[test]
fn a_transform_of_too_little_memory_is_a_fault() {
    on_every_device(|device| {
        let x = device.upload(&words(64)).expect("memory");
        let launch = |half: usize, n: usize| {
            let mut y = device.upload(&vec![0u32; n]).expect("memory");
            stage(&x, &mut y, half).grid(1).block(32).launch(device).and_then(|()| device.synchronize())
        };
        assert!(launch(8, 64).is_ok());
        // 32 is no multiple of 24, and so the last half of the last pair lies above.
        assert!(launch(24, 64).is_err(), "on {}", device.name());
        assert!(launch(8, 63).is_err(), "on {}", device.name());
    });
}

/// Spans that become zero, are shifted in another type, or by a count with a sign; parts of slices whose index is a difference.
#[gpu_kernel]
fn odd_spans(y: &mut [u32], stages: u32, bits: u32, count: i32, #[comptime] case: u32) {
    let t = thread_idx().x;
    match case {
        0 => {
            let mut half = 32u32;
            for _ in 0..stages {
                let low = t / half * (2 * half) + t % half;
                y[low + half] = 1;
                half /= 2;
            }
        }
        1 => {
            let at = 0u32.wrapping_sub(t % 8);
            let part = &mut y[2 * t..];
            part[at] = 1;
        }
        2 if bits < 31 => {
            let span = (1u8 << bits) as u32;
            let at = ((t / span) << (bits + 1)) + t % span;
            y[at] = 1;
        }
        3 if count < 6 => {
            let span = 1u32 << count;
            let low = ((t >> count) << (count + 1)) + (t & (span - 1));
            y[low + span] = 1;
        }
        4 if count < 6 => y[1u32 << count] = 1,
        _ => {}
    }
}

#[test]
fn spans_that_are_zero_or_of_another_type_are_checked() {
    on_every_device(|device| {
        for case in 0..5 {
            let mut y = device.upload(&[0u32; 128]).expect("memory");
            let launch = odd_spans(&mut y, 7, 8, -1, case).grid(1).block(64);
            let explained = launch.explain().expect("it is valid");
            assert!(explained.checked().count() > 0, "case {case}: {}", explained.proven());
        }
    });
}
