//! Names that C++, CUDA or the printed text have already: each means what it means in Rust.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals, clippy::min_max)]

use warpsmith::prelude::*;

use super::{everywhere, written};

/// Functions that are named as CUDA's, of other types.
mod mine {
    use warpsmith::prelude::*;

    #[gpu_fn]
    pub fn j0(x: f64) -> f64 {
        x + 77.0
    }

    #[gpu_fn]
    pub fn y1f(x: f32) -> f32 {
        x + 78.0
    }

    #[gpu_fn]
    pub fn isnan(x: u64) -> u64 {
        x + 1
    }

    #[gpu_fn]
    pub fn signbit(x: f32) -> u64 {
        x as u64 + 2
    }

    #[gpu_fn]
    pub fn lround(x: f64) -> u64 {
        x as u64 + 3
    }

    #[gpu_fn]
    pub fn make_float4(x: u64) -> u64 {
        x + 4
    }

    #[gpu_fn]
    pub fn double2(x: u64) -> (u64, u64) {
        (x, x + 1)
    }

    #[gpu_fn]
    pub fn apply<F0: Fn(u64) -> u64>(F0: F0, F1: u64) -> u64 {
        F0(F1) + F1
    }
}

#[gpu_const]
static uchar3: [u64; 2] = [70, 71];

#[gpu_static]
static ulonglong3: u64 = 5;

const long4: u64 = 90;
const LIGHT_GREEN: u64 = 40;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Tuple_u64_u64 {
    Tuple_u64_u64: u64,
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct uchar4 {
    float3: u64,
    int: u64,
    int_: u64,
    Option_u64: u64,
    operator: [u64; 2],
}

#[derive(Clone, Copy, GpuType)]
#[gpu(PartialEq)]
#[repr(u32)]
enum LIGHT {
    RED = 0,
    GREEN = 2,
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
enum Option_u64 {
    Tag(u64),
    Value { value: u64, dim3: u64, tag: u64 },
    union,
}

#[gpu_fn]
fn light_red(of: LIGHT) -> u64 {
    if of == LIGHT::GREEN { LIGHT_GREEN } else { LIGHT_GREEN + 1 }
}

#[gpu_fn]
fn sum(x: Option_u64) -> u64 {
    match x {
        Option_u64::Tag(tag) => tag,
        Option_u64::Value { value, dim3, tag } => value + 10 * dim3 + 100 * tag,
        Option_u64::union => 9,
    }
}

#[gpu_kernel]
fn main_(blockIdx: &[u64], out: &mut [u64]) {
    let n = blockIdx[0];
    let f = n as f64 + 0.5;
    out[0] = mine::j0(f) as u64;
    out[1] = (j0(f) * 1000.0).abs() as u64;
    out[2] = mine::y1f(f as f32) as u64;
    out[3] = (y1(f as f32) * 1000.0).abs() as u64;
    out[4] = mine::isnan(n) + (f as f32).is_nan() as u64;
    out[5] = mine::signbit(3.5) + (-f).is_sign_negative() as u64;
    out[6] = mine::lround(f) + f.round() as u64;
    out[7] = mine::make_float4(n) + F32x4::new(1.0, 2.0, 3.0, 4.0).w as u64;
    let one = Tuple_u64_u64 { Tuple_u64_u64: n };
    let pair = mine::double2(n);
    out[8] = pair.0 * 100 + pair.1 + one.Tuple_u64_u64 - 3;
    out[9] = mine::apply(|t| t * n, 7);
    out[10] = uchar3[1] + ulonglong3.get() + long4;
    let uchar4 = uchar4 { float3: n, int: 2, int_: 3, Option_u64: 4, operator: [5, 6] };
    out[11] = uchar4.float3
        + 10 * uchar4.int
        + 100 * uchar4.int_
        + 1000 * uchar4.Option_u64
        + 10000 * uchar4.operator[1];
    let tagged = if n > 2 { Option_u64::Value { value: n, dim3: 1, tag: 2 } } else { Option_u64::Tag(n) };
    out[12] = sum(tagged) + sum(Option_u64::union) + sum(Option_u64::Tag(100));
    let LIGHT_RED_ = if n > 2 { LIGHT::RED } else { LIGHT::GREEN };
    out[13] = (LIGHT_RED_ == LIGHT::RED) as u64 + light_red(LIGHT_RED_);
}

/// Locals, beside what prints as the names that they have.
#[gpu_kernel]
fn locals(x: &[u64], out: &mut [u64]) {
    let float3 = x[0];
    let v = F32x3::new(1.0, 2.0, 3.0);
    let ulonglong2 = U64x2::new(float3, 4);
    let Tuple_u64_u64_ = float3 + 1;
    let pair = (Tuple_u64_u64_, ulonglong2.y);
    let blockDim = pair.0 + pair.1 + v.y as u64;
    out[0] = blockDim + block_dim().x as u64;
    let (y1f, fmodf, fabs, isinf) = (2.0f32, 3.5f32, 4.0f64, 7u64);
    out[1] = (y1(y1f).abs() * 1000.0) as u64 + (fmodf % y1f) as u64 + fabs.abs() as u64 + isinf;
    let (int, int_, int_1) = (1u64, 2u64, 3u64);
    out[2] = int + 10 * int_ + 100 * int_1;
    let Option_u64 = if float3 > 2 { Some(float3) } else { None };
    out[3] = Option_u64.unwrap_or(1);
    let ws_fault = out[(float3 % 4) as usize];
    out[4] = ws_fault;
}

/// Locals that are named as what loops, temporaries and lengths print as.
#[gpu_kernel]
fn of_the_printer(x: &[u64], out: &mut [u64]) {
    let (t, end, start, step, more, counter) = (x[0], 2u64, 3u64, 4u64, 5u64, 6u64);
    let x_len = 100u64;
    let mut limit = 20 + x[0];
    for counter in (0..limit).step_by(x[1] as usize) {
        limit -= 1;
        out[0] += counter * step + end;
    }
    for mut end in 0..=x[0] {
        end += more;
        out[1] += end + t;
    }
    for start in (x[0]..limit).rev() {
        limit = 3;
        out[2] += start + limit;
    }
    out[3] = t + end + start + step + more + counter + x_len + x.len() as u64;
    let (s, t_1) = (&x[1..], {
        out[4] += 1;
        out[4]
    });
    out[5] = s[0] + s.len() as u64 + t_1;
}

/// A variable that is named as the length of a slice whose length nothing asks for.
#[gpu_kernel]
fn lengths(x: &[u64], out: &mut [u64]) {
    let mut n = x[0];
    {
        let part = &x[1..];
        out[0] = part[0];
    }
    let part_len = {
        n += 1;
        atomic_add(&mut out[1], n)
    };
    {
        let other_len = atomic_add(&mut out[2], 5);
        let _ = other_len;
    }
    let other = &x[2..];
    out[3] = other[0] + n;
    let _ = part_len;
}

#[gpu_kernel]
fn shared_names(out: &mut [u64]) {
    let mut all = shared!([u64; 4]);
    let mut printf = shared!([u64; 4]);
    let mut ballot = dynamic_shared::<u64>();
    let thread = thread_idx().x as usize;
    if thread < 4 {
        all[thread] = 1 + thread as u64;
        printf[thread] = 10 * thread as u64;
        ballot[thread] = 100 * thread as u64;
    }
    sync_threads();
    if thread < 4 {
        out[thread] = all[3 - thread] + printf[3 - thread] + ballot[3 - thread];
    }
}

/// Kernels are looked up by their printed names.
mod kernels {
    use warpsmith::prelude::*;

    #[gpu_kernel]
    pub fn float(out: &mut [u64]) {
        out[0] = 1;
    }

    #[gpu_kernel]
    pub fn printf(out: &mut [u64]) {
        println!("{}", out[0]);
        out[0] = 2;
    }

    #[gpu_kernel]
    pub fn vprintf(out: &mut [u64]) {
        println!("{}", out[0]);
        out[0] = 3;
    }

    #[gpu_kernel]
    pub fn sqrtf(out: &mut [u64]) {
        out[0] = (out[0] as f32).sqrt() as u64;
    }
}

#[test]
fn functions_types_and_statics_named_as_cudas_are_the_users() {
    everywhere::<main_>(&(), |device| {
        let x = device.upload(&[3u64]).unwrap();
        let out = written(device, (14, 0u64), |out| main_(&x, out).grid(1).block(1).launch(device));
        let rest = [4, 6, 10, 11, 304, 28, 166, 64323, 322, 42];
        assert_eq!((out[0], out[2]), (80, 81));
        assert_eq!((out[1], out[3]), (380, 410), "Bessel functions");
        assert_eq!(out[4..], rest);
    });
}

#[test]
fn locals_named_as_types_and_functions_hide_nothing() {
    everywhere::<locals>(&(), |device| {
        let x = device.upload(&[3u64]).unwrap();
        let out = written(device, (5, 0u64), |out| locals(&x, out).grid(1).block(1).launch(device));
        assert_eq!(out, [11, 119, 321, 3, 3]);
    });
}

#[test]
fn locals_named_as_the_printers_own_hide_nothing() {
    everywhere::<of_the_printer>(&(), |device| {
        let x = device.upload(&[3u64, 7, 9]).unwrap();
        let out = written(device, (6, 0u64), |out| of_the_printer(&x, out).grid(1).block(1).launch(device));
        assert_eq!(out, [176, 38, 216, 126, 1, 10]);
    });
}

#[test]
fn variables_named_as_unused_lengths_keep_their_effects() {
    everywhere::<lengths>(&(), |device| {
        let x = device.upload(&[3u64, 7, 9]).unwrap();
        let out = written(device, (4, 0u64), |out| lengths(&x, out).grid(1).block(1).launch(device));
        assert_eq!(out, [7, 4, 5, 13]);
    });
}

#[test]
fn shared_arrays_named_as_functions_are_arrays() {
    everywhere::<shared_names>(&(), |device| {
        let out = written(device, (4, 0u64), |out| {
            shared_names(out).grid(1).block(4).dynamic_shared(32).launch(device)
        });
        assert_eq!(out, [334, 223, 112, 1]);
    });
}

#[test]
fn kernels_named_as_functions_are_found() {
    everywhere::<kernels::float>(&(), |device| {
        assert_eq!(
            written(device, (1, 0u64), |out| kernels::float(out).grid(1).block(1).launch(device)),
            [1]
        );
        assert_eq!(
            written(device, (1, 0u64), |out| kernels::printf(out).grid(1).block(1).launch(device)),
            [2]
        );
        assert_eq!(
            written(device, (1, 0u64), |out| kernels::vprintf(out).grid(1).block(1).launch(device)),
            [3]
        );
        assert_eq!(
            written(device, (1, 49u64), |out| kernels::sqrtf(out).grid(1).block(1).launch(device)),
            [7]
        );
    });
    super::compiles::<kernels::printf>(&());
    super::compiles::<kernels::vprintf>(&());
    super::compiles::<kernels::sqrtf>(&());
}

#[gpu_fn]
fn zzqf(zzq: u64) -> u64 {
    zzq + 1
}

#[gpu_kernel]
fn zzqk(zzq: &[u64], out: &mut [u64]) {
    let mut zzqs = shared!([u64; 4]);
    let mut zzqd = dynamic_shared::<u64>();
    let zzqn = zzq[0] + 1;
    zzqs[0] = zzqn + zzqf(zzqn);
    zzqd[0] = zzqs[0];
    out[0] = zzqd[0];
}

/// The text of `zzqk` with another name for one kind of item: its variables, its function or the kernel itself.
fn text_with(name: &str, kind: &str, rest: &str) -> String {
    use warpsmith::codegen::{PrintOptions, print};
    let mut module = zzqk::record(&()).unwrap();
    let renamed = |old: &str, own: &str| if old == kind { name.to_owned() } else { format!("{own}{rest}") };
    for var in module.kernel.vars.iter_mut().filter(|var| var.name.starts_with("zzq")) {
        var.name = renamed(&var.name, &var.name);
    }
    module.kernel.name = renamed("zzqk", "zzqk");
    for function in &mut module.functions {
        function.name = renamed("zzqf", "zzqf");
    }
    print(&warpsmith::validate::validate(module).unwrap(), &PrintOptions::default()).code
}

#[test]
fn no_name_that_nvrtc_knows_is_declared() {
    let table = include_str!("../../runtime/ir/src/codegen/names/reserved.txt");
    let names: Vec<&str> =
        table.lines().filter_map(|line| line.split_once(": ")).map(|(_, name)| name).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.contains(' ')).collect();
    assert!(names.len() > 1500);
    // A function and a kernel of one name have different texts.
    let mut batches = [const { String::new() }; 3];
    for (i, name) in names.iter().enumerate() {
        for kind in ["zzq", "zzqs", "zzqd", "zzqn", "zzqf", "zzqk"] {
            let text = text_with(name, kind, &format!("_r{i}{kind}"));
            // All printed names but the renamed one are those of the text without it.
            let expected = |new: &str| {
                let of_kind = text_with("zzqx", kind, &format!("_r{i}{kind}"));
                of_kind.replace("zzqx", new)
            };
            let harmless = ["zzq", "zzqs", "zzqn"].contains(&kind) && text == expected(name);
            assert!(
                harmless && is_hidden(name) || text == expected(&format!("{name}_")),
                "{name} as {kind}:\n{text}"
            );
            // NVRTC takes minutes for all of them.
            match kind {
                _ if i % 48 != 0 => {}
                "zzqn" | "zzqd" => batches[0].push_str(&text),
                "zzqf" => batches[1].push_str(&text),
                "zzqk" => batches[2].push_str(&text),
                _ => {}
            }
        }
    }
    let arch = warpsmith::nvrtc::Arch { major: 9, minor: 0, specific: true };
    for batch in &batches {
        harness::compiles_for("names", batch, &[arch]);
    }
}

/// Names of functions that no printed text calls by these names alone.
fn is_hidden(name: &str) -> bool {
    ["all", "any", "ballot", "j0", "j1", "norm", "rnorm", "std", "y0", "y1"].contains(&name)
}
