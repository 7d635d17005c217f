//! Inputs that must not break the text: hostile names, many parameters, nested calls, waits by every atomic.

use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

use super::everywhere;

fn simulators() -> impl Iterator<Item = Device> {
    [Executor::Twin, Executor::Interpreter, Executor::Both].into_iter().map(|executor| {
        Device::simulator_with(Settings { executor, ..Settings::from_env().expect("settings") })
    })
}

mod mine {
    use warpsmith::prelude::*;

    #[gpu_fn]
    pub fn j0(x: f64) -> f64 {
        x + 77.0
    }

    #[gpu_fn]
    pub fn y1f(x: f32) -> f32 {
        x + 77.0
    }

    #[gpu_fn]
    pub fn isnan(x: f32) -> u32 {
        x as u32 + 1
    }

    #[gpu_fn]
    pub fn make_float4(x: u32) -> u32 {
        x + 2
    }
}

#[gpu_kernel]
fn functions_of_cuda(out: &mut [u32]) {
    let x = out.len() as f64;
    out[0] = mine::j0(x) as u32;
    out[1] = (j0(x) * 1000.0).abs() as u32;
    out[2] = mine::y1f(x as f32) as u32;
    out[3] = (y1(x as f32) * 1000.0).abs() as u32;
    out[4] = mine::isnan(3.0);
    out[5] = mine::make_float4(5);
}

#[test]
fn functions_that_are_named_as_those_of_cuda_are_other_functions() {
    everywhere::<functions_of_cuda>(&(), |device| {
        let mut out = device.alloc_zeroed::<u32>(6).expect("memory");
        functions_of_cuda(&mut out).grid(1).block(1).launch(device).expect("it runs");
        let out = device.download(&out).expect("memory");
        assert_eq!((out[0], out[2], out[4], out[5]), (83, 83, 4, 7));
        assert!((149..152).contains(&out[1]), "J0(6) is 0.1506: {out:?}");
        assert!((174..177).contains(&out[3]), "Y1(6) is -0.1750: {out:?}");
    });
    let text = functions_of_cuda::cuda_source().expect("it prints");
    for name in ["double j0_(double", "float y1f_(float", " isnan_(float", " make_float4_(unsigned int"] {
        assert!(text.contains(name), "{name} in {text}");
    }
}

#[derive(Clone, Copy, GpuType)]
#[gpu(PartialEq)]
#[repr(u32)]
enum Light {
    Red = 0,
    Green = 2,
}

#[derive(Clone, Copy, GpuType)]
enum Held {
    Value { value: u32, tag: u32 },
    Nothing,
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
#[allow(non_snake_case)]
struct Fields {
    int: u32,
    int_: u32,
    threadIdx: u32,
    float3: u32,
    NULL: u32,
}

#[gpu_kernel]
#[allow(non_snake_case)]
fn hostile_locals(out: &mut [u32]) {
    let float3 = 1u32;
    let uchar4 = 2u32;
    let Light_Red = 3u32;
    let Tuple_u32_u32 = 4u32;
    let out_len = 5u32;
    let ws_at = 6u32;
    let t = 7u32;
    let NULL = 8u32;
    let light = if out[0] == 0 { Light::Red } else { Light::Green };
    let pair = if out[1] == 0 { (float3, uchar4) } else { (uchar4, float3) };
    let v = F32x3::new(1.0, 2.0, 3.0);
    let held = if out[2] == 0 { Held::Value { value: 9, tag: t } } else { Held::Nothing };
    let fields = Fields { int: 1, int_: 2, threadIdx: 3, float3: 4, NULL: 5 };
    out[0] = if light == Light::Red { Light_Red } else { 100 };
    out[1] = pair.0 * 10 + pair.1 + Tuple_u32_u32 * 100;
    out[2] = match held {
        Held::Value { value, tag } => value * 10 + tag,
        Held::Nothing => 100,
    };
    out[3] = out_len + ws_at * 10 + NULL * 100 + v.y as u32 * 1000;
    out[4] =
        fields.int + fields.int_ * 10 + fields.threadIdx * 100 + fields.float3 * 1000 + fields.NULL * 10000;
}

#[test]
fn locals_fields_and_enumerators_keep_their_meaning_under_any_name() {
    everywhere::<hostile_locals>(&(), |device| {
        let mut out = device.alloc_zeroed::<u32>(5).expect("memory");
        hostile_locals(&mut out).grid(1).block(1).launch(device).expect("it runs");
        assert_eq!(device.download(&out).expect("memory"), [3, 412, 97, 2865, 54321]);
    });
}

#[gpu_fn(
    cuda = "return a + b * 2u + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q * 3u + r * 5u;",
    pure
)]
#[allow(clippy::too_many_arguments, clippy::many_single_char_names)]
fn eighteen(
    a: u32,
    b: u32,
    c: u32,
    d: u32,
    e: u32,
    f: u32,
    g: u32,
    h: u32,
    i: u32,
    j: u32,
    k: u32,
    l: u32,
    m: u32,
    n: u32,
    o: u32,
    p: u32,
    q: u32,
    r: u32,
) -> u32 {
    a + b * 2 + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q * 3 + r * 5
}

#[gpu_kernel]
fn many_parameters(out: &mut [u32]) {
    let x = out.len() as u32;
    out[0] = eighteen(x, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, x + 17);
}

#[test]
fn a_function_by_hand_has_any_number_of_parameters() {
    everywhere::<many_parameters>(&(), |device| {
        let mut out = device.alloc_zeroed::<u32>(1).expect("memory");
        many_parameters(&mut out).grid(1).block(1).launch(device).expect("it runs");
        assert_eq!(device.download(&out).expect("memory"), [1 + 4 + (3..=16).sum::<u32>() + 51 + 90]);
    });
}

macro_rules! levels {
    ($($name:ident calls $next:ident;)+) => {$(
        #[gpu_fn]
        fn $name(a: u64) -> u64 {
            let first = $next(a);
            let y = $next(a.wrapping_add(1));
            first.wrapping_add(y)
        }
    )+};
}

levels! {
    l1 calls l2; l2 calls l3; l3 calls l4; l4 calls l5; l5 calls l6; l6 calls l7; l7 calls l8; l8 calls l9;
    l9 calls l10; l10 calls l11; l11 calls l12; l12 calls l13; l13 calls l14; l14 calls l15; l15 calls l16;
    l16 calls l17; l17 calls l18; l18 calls l19; l19 calls l20; l20 calls l21; l21 calls l22; l22 calls l23;
    l23 calls l24;
}

#[gpu_fn]
fn l24(a: u64) -> u64 {
    a
}

#[gpu_kernel]
fn nested_calls(out: &mut [u64]) {
    if out[0] == 77 {
        out[0] = l1(out[0]);
    }
}

/// What looked through every call of every call would look at 2^24 of them, and not end.
#[test]
fn nested_calls_cost_what_their_text_does() {
    let text = nested_calls::cuda_source().expect("it prints");
    assert_eq!(text.matches("__device__").count(), 24, "{text}");
    nested_calls::checked_cuda_source_for(&()).expect("it prints");
    for device in simulators() {
        let mut out = device.upload(&[1u64]).expect("memory");
        nested_calls(&mut out).grid(1).block(1).launch(&device).expect("it runs");
        assert_eq!(device.download(&out).expect("memory"), [1]);
    }
}

macro_rules! waits {
    ($($name:ident |$place:ident| $wait:expr;)+) => {
        $(
            #[gpu_kernel]
            fn $name(flag: &mut [u32], out: &mut [u32]) {
                let i = thread_idx().x;
                if i == 0 {
                    let $place = &mut flag[0];
                    while $wait {}
                    out[0] = 1;
                } else if i == 32 {
                    atomic_or(&mut flag[0], 2);
                }
            }
        )+

        #[test]
        fn a_wait_by_any_atomic_ends() {
            for device in simulators() {
                $({
                    let mut flag = device.upload(&[0u32]).expect("memory");
                    let mut out = device.alloc_zeroed::<u32>(1).expect("memory");
                    let done = $name(&mut flag, &mut out).grid(1).block(64).launch(&device);
                    done.unwrap_or_else(|error| panic!("{}: {error}", stringify!($name)));
                    assert_eq!(device.download(&out).expect("memory"), [1], "{}", stringify!($name));
                })+
            }
        }
    };
}

/// A wait of a function's own.
#[gpu_fn]
fn polled(place: &mut u32) -> u32 {
    atomic_max(place, 0)
}

waits! {
    by_add |place| atomic_add(place, 0) == 0;
    by_sub |place| atomic_sub(place, 0) == 0;
    by_min |place| atomic_min(place, u32::MAX) == 0;
    by_max |place| atomic_max(place, 0) == 0;
    by_and |place| atomic_and(place, u32::MAX) == 0;
    by_or |place| atomic_or(place, 0) == 0;
    by_xor |place| atomic_xor(place, 0) == 0;
    by_exchange |place| atomic_exchange(place, 0) == 0;
    by_compare_exchange |place| atomic_compare_exchange(place, 2, 2) == 0;
    by_volatile |place| volatile_load(place) == 0;
    by_load |place| atomic(place).load(Ordering::Acquire) == 0;
    by_swap |place| atomic(place).swap(0, Ordering::AcqRel) == 0;
    by_fetch_add |place| atomic(place).fetch_add(0, Ordering::Relaxed) == 0;
    by_fetch_sub |place| atomic(place).fetch_sub(0, Ordering::Relaxed) == 0;
    by_fetch_min |place| atomic(place).fetch_min(u32::MAX, Ordering::Relaxed) == 0;
    by_fetch_max |place| atomic(place).fetch_max(0, Ordering::Relaxed) == 0;
    by_fetch_and |place| atomic(place).fetch_and(u32::MAX, Ordering::Relaxed) == 0;
    by_fetch_or |place| atomic(place).fetch_or(0, Ordering::Relaxed) == 0;
    by_fetch_xor |place| atomic(place).fetch_xor(0, Ordering::Relaxed) == 0;
    by_function |place| polled(place) == 0;
}

#[test]
fn memory_that_the_host_has_not_is_an_error_that_says_how_much() {
    let device = Device::simulator();
    let says = |result: warpsmith::Result<()>, part: &str| {
        let text = result.expect_err("no host has so much").to_string();
        assert!(text.contains(part), "{text}");
    };
    says(device.alloc_zeroed::<u64>(1 << 60).map(drop), "9223372036854775808 bytes");
    says(device.alloc_zeroed::<u8>(1 << 46).map(drop), "70368744177664 bytes");
    says(device.alloc_uninit::<u8>(1 << 46).map(drop), "70368744177664 bytes");
    says(device.alloc_uninit::<u8>(usize::MAX).map(drop), "18446744073709551615 bytes");
    says(device.alloc_zeroed::<u64>(usize::MAX).map(drop), "18446744073709551615 elements");
}
