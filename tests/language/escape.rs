//! Bodies in CUDA and PTX, attributes of kernels, hints, and clocks.

use warpsmith::prelude::*;

use super::{everywhere, written};

/// `a * b + c` of 24-bit integers, by CUDA's intrinsic.
#[gpu_fn(cuda = "return __mul24(a, b) + c;", pure)]
fn mad24(a: i32, b: i32, c: i32) -> i32 {
    ((a << 8 >> 8) * (b << 8 >> 8)).wrapping_add(c)
}

/// Bits `low` to `low + count` of a word, by one instruction.
#[gpu_fn(ptx = "bfe.u32 {ret}, {x}, {low}, {count};", pure)]
fn bits(x: u32, low: u32, count: u32) -> u32 {
    if count == 0 { 0 } else { x >> low & (u32::MAX >> (32 - count)) }
}

/// Several instructions with registers of their own.
#[gpu_fn(
    ptx = "{
    .reg .f32 %half, t;
    mul.f32 t, {x}, 0f3F000000;
    .reg .pred p;
    setp.lt.f32 p, t, 0f00000000;
    selp.f32 {ret}, 0f00000000, t, p;
}",
    pure
)]
fn half_ramp(x: f32) -> f32 {
    (x * 0.5).max(0.0)
}

/// Adds to memory behind a pointer, with a predicate in CUDA's own syntax.
#[gpu_fn(cuda = "if (at % 2 == 0) {\n    *p += by;\n}")]
unsafe fn add_if_even(p: *mut i64, by: i64, at: u32) {
    if at % 2 == 0 {
        // SAFETY: as promised by the caller.
        unsafe { *p += by };
    }
}

#[gpu_kernel]
fn foreign(x: &[i32], words: &mut [u32], floats: &mut [f32], sums: &mut [i64]) {
    let i = global_id();
    if i >= x.len() || i >= words.len() || i >= floats.len() || i >= sums.len() {
        return;
    }
    words[i] = bits(x[i] as u32, 4, 12) + mad24(x[i], -3, 7) as u32;
    floats[i] = half_ramp(x[i] as f32) + half_ramp(-1.0);
    // SAFETY: the element is this thread's own.
    unsafe { add_if_even(sums.as_mut_ptr().add(i), x[i] as i64, i as u32) };
}

/// A function of the same name as a parameter above.
#[gpu_fn]
fn low(x: u32) -> u32 {
    x & 15
}

#[gpu_kernel]
fn named_alike(x: &[u32], out: &mut [u32]) {
    let i = global_id();
    if i < x.len() && i < out.len() {
        out[i] = low(x[i]) * 1000 + bits(x[i], low(x[i]) % 16, 5);
    }
}

fn bits_on_host(x: u32, low: u32, count: u32) -> u32 {
    (u64::from(x) >> low & ((1 << count) - 1)) as u32
}

#[test]
fn bodies_in_cuda_and_ptx_mean_their_rust() {
    everywhere::<foreign>(&(), |device| {
        let x = [0, 1, -1, 70_000, -8_000_000, 0x12_3456, 77, 8_388_607];
        let input = device.upload(&x).expect("memory");
        let mut floats = device.upload(&[f32::NAN; 8]).expect("memory");
        let mut sums = device.upload(&[100i64; 8]).expect("memory");
        let words = written(device, (8, 9), |words| {
            foreign(&input, words, &mut floats, &mut sums).over(8).launch(device)
        });
        for (i, x) in x.into_iter().enumerate() {
            let want = bits_on_host(x as u32, 4, 12).wrapping_add((x * -3 + 7) as u32);
            assert_eq!(words[i], want, "on {}", device.name());
        }
        let ramps: Vec<f32> = x.iter().map(|v| (*v as f32 * 0.5).max(0.0)).collect();
        assert_eq!(device.download(&floats).expect("memory"), ramps, "on {}", device.name());
        let want: Vec<i64> = (0..8).map(|i| 100 + if i % 2 == 0 { i64::from(x[i]) } else { 0 }).collect();
        assert_eq!(device.download(&sums).expect("memory"), want, "on {}", device.name());
    });
}

/// A reduction in memory, whose old value nobody gets.
#[gpu_fn(ptx = "red.relaxed.gpu.global.max.s32 [{to}], {x};")]
unsafe fn keep_larger(to: *mut i32, x: i32) {
    // SAFETY: as promised by the caller.
    atomic_max(unsafe { &mut *to }, x);
}

#[gpu_fn(ptx = "red.global.add.f32 [{to}], {x};")]
unsafe fn add_to(to: *mut f32, x: f32) {
    // SAFETY: as promised by the caller.
    atomic_add(unsafe { &mut *to }, x);
}

#[gpu_kernel]
fn reduced(x: &[i32], most: &mut [i32], sum: &mut [f32]) {
    let i = global_id();
    // SAFETY: both have an element.
    unsafe {
        keep_larger(most.as_mut_ptr(), x[i]);
        add_to(sum.as_mut_ptr(), x[i] as f32);
    }
}

#[test]
fn reductions_by_hand_are_those_of_memory() {
    everywhere::<reduced>(&(), |device| {
        let x = device.upload(&[-9, 4, -70, 11, 3]).expect("memory");
        let mut sum = device.upload(&[0.5f32]).expect("memory");
        let most = written(device, (1, i32::MIN), |most| {
            reduced(&x, most, &mut sum).grid(1).block(5).launch(device)
        });
        assert_eq!(most, [11], "on {}", device.name());
        assert_eq!(device.download(&sum).expect("memory"), [-60.5], "on {}", device.name());
    });
}

#[test]
fn operands_of_foreign_bodies_keep_their_names() {
    everywhere::<named_alike>(&(), |device| {
        let x = [0xdead_beefu32, 3, u32::MAX, 0x8000_0001];
        let input = device.upload(&x).expect("memory");
        let out = written(device, (4, 9), |out| named_alike(&input, out).over(4).launch(device));
        let want = x.map(|v| (v & 15) * 1000 + bits_on_host(v, v & 15, 5));
        assert_eq!(out, want, "on {}", device.name());
    });
}

/// A device body only.
#[gpu_fn(cuda = "return __funnelshift_l(low, high, by);", pure)]
fn funnel(low: u32, high: u32, by: u32) -> u32;

#[gpu_kernel]
fn only_on_a_device(out: &mut [u32]) {
    out[0] = funnel(0xf000_0000, 1, 4);
}

#[test]
fn a_device_body_alone_is_no_simulation() {
    super::compiles::<only_on_a_device>(&());
    let simulator = Device::simulator();
    let mut out = simulator.upload(&[0u32]).expect("memory");
    let error = only_on_a_device(&mut out).grid(1).block(1).launch(&simulator).expect_err("no Rust body");
    let message = error.to_string();
    assert!(message.contains("`funnel`") && message.contains("cannot be simulated"), "{message}");
    if let Ok(gpu) = Device::gpu(0) {
        let out = written(&gpu, (1, 0), |out| only_on_a_device(out).grid(1).block(1).launch(&gpu));
        assert_eq!(out, [0x1f]);
    }
}

#[gpu_kernel(max_registers(40))]
fn few_registers(x: &[f32], out: &mut [f32]) {
    let i = global_id();
    let mut sum = 0.0;
    #[unroll(4)]
    for k in 0..16u32 {
        sum += x[k] * k as f32;
    }
    #[unroll]
    for k in 0..3 {
        sum += k as f32;
    }
    if likely(i < out.len()) {
        out[i] = sum;
    }
}

#[gpu_kernel(launch_bounds(64, 2), noalias)]
fn apart(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = global_id();
    assume(x.len() == y.len());
    if unlikely(i >= x.len() || i >= out.len()) {
        return;
    }
    out[i] = x[i] - y[i];
}

#[test]
fn attributes_stand_in_the_cuda() {
    let registers = few_registers::cuda_source().expect("CUDA").to_string();
    for text in
        ["__maxnreg__(40)", "#pragma unroll 4", "#pragma unroll\n", "__builtin_expect(i < out_len, 1)"]
    {
        assert!(registers.contains(text), "{text} in {registers}");
    }
    let bounds = apart::cuda_source().expect("CUDA").to_string();
    for text in ["__launch_bounds__(64, 2)", "const float* __restrict__ x", "float* __restrict__ out"] {
        assert!(bounds.contains(text), "{text} in {bounds}");
    }
    everywhere::<few_registers>(&(), |device| {
        let x: Vec<f32> = (0..16).map(|v| v as f32 - 5.0).collect();
        let input = device.upload(&x).expect("memory");
        let out = written(device, (9, f32::NAN), |out| few_registers(&input, out).over(9).launch(device));
        let want: f32 = x.iter().enumerate().map(|(k, v)| v * k as f32).sum::<f32>() + 3.0;
        assert_eq!(out, [want; 9], "on {}", device.name());
    });
}

#[test]
fn launches_keep_what_attributes_promise() {
    everywhere::<apart>(&(), |device| {
        let (a, b) = ([5.0f32, 7.0, 9.0], [1.0f32, 2.0, 4.0]);
        let (x, y) = (device.upload(&a).expect("memory"), device.upload(&b).expect("memory"));
        let out = written(device, (3, f32::NAN), |out| apart(&x, &y, out).over(3).block(64).launch(device));
        assert_eq!(out, [4.0, 5.0, 5.0], "on {}", device.name());
        let out = written(device, (3, f32::NAN), |out| apart(&x, &x, out).over(3).block(64).launch(device));
        assert_eq!(out, [0.0; 3], "two that are only read may be one");
        let mut out = device.upload(&[0.0f32; 3]).expect("memory");
        let wide = apart(&x, &y, &mut out).over(3).block(96).launch(device).expect_err("96 threads");
        assert!(wide.to_string().contains("64"), "{wide}");
        let same = Same(device.upload(&[1.0f32; 3]).expect("memory"));
        let error = apart(&x, &same, &same).over(3).block(64).launch(device).expect_err("`y` is `out`");
        let message = error.to_string();
        assert!(message.contains("`y`") && message.contains("`out`"), "{message}");
    });
}

/// A buffer that is lent twice.
struct Same(Buffer<f32>);

// SAFETY: the launch that lends it twice is refused.
unsafe impl<'a> warpsmith::args::SliceArg<'a, f32> for &'a Same {
    fn into_arg(self) -> warpsmith::KernelArg {
        warpsmith::args::SliceArg::into_arg(&self.0)
    }
}

// SAFETY: the launch that lends it twice is refused.
unsafe impl<'a> warpsmith::args::SliceMutArg<'a, f32> for &'a Same {
    fn into_arg(self) -> warpsmith::KernelArg {
        match warpsmith::args::SliceArg::into_arg(&self.0) {
            warpsmith::KernelArg::Slice { ptr, len, bytes, place, order, .. } => {
                warpsmith::KernelArg::Slice { ptr, len, bytes, place, mutable: true, order }
            }
            value => value,
        }
    }
}

#[gpu_kernel]
fn timed(out: &mut [u64]) {
    let i = global_id();
    let (start, began) = (clock(), global_timer());
    let mut x = i as u64;
    for _ in 0..50u32 {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    }
    nanosleep(100);
    sync_threads();
    let (end, ended) = (clock(), global_timer());
    out[i * 3] = end - start;
    out[i * 3 + 1] = (ended >= began) as u64 + multiprocessor_id() as u64 / 10_000;
    out[i * 3 + 2] = x;
}

#[test]
fn clocks_go_forward() {
    everywhere::<timed>(&(), |device| {
        let out = written(device, (192, 0), |out| timed(out).grid(2).block(32).launch(device));
        for (i, got) in out.chunks(3).enumerate() {
            assert!(got[0] > 0, "the clock of thread {i} stood still on {}", device.name());
            let step = |x: u64| x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            assert_eq!(got[1..], [1, (0..50).fold(i as u64, |x, _| step(x))]);
        }
    });
}

#[gpu_kernel]
fn assumed(x: &[u32], out: &mut [u32]) {
    assume(x[0] < 10);
    out[0] = x[0];
}

#[test]
fn a_false_assumption_is_found_on_the_simulator() {
    super::compiles::<assumed>(&());
    let simulator = Device::simulator();
    let x = simulator.upload(&[10u32]).expect("memory");
    let mut out = simulator.upload(&[0u32]).expect("memory");
    let error = assumed(&x, &mut out).grid(1).block(1).launch(&simulator).expect_err("10 is not below 10");
    assert!(error.to_string().contains("escape.rs"), "{error}");
}
