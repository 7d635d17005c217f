//! `println!` in kernels: what a process writes, compared with Rust's own formatting.

use std::process::Command;

use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

use super::compiles;

#[gpu_kernel]
fn speaks(x: &[f32], n: &[i64]) {
    let (a, b) = (x[0], n[0]);
    let byte = n[1] as i8;
    let half = f16::from_f32(a);
    let yes = b > 0;
    print!("plain {{}} 100% \"quoted\"\t");
    println!("{b} {} {0} {other:>6}|{:<6}|{:06}|{:+}", n[1], 7u8, -42i16, 5u32, other = b - 1);
    println!("{:x} {byte:X} {:#x} {:#010x} {:o} {:#o}", 255u32, 0u64, n[0], 8u16, 64u8);
    println!("{a:.3} {a:8.2}|{a:<8.1}|{a:+.1}|{:08.3}|{half:.2}", -a);
    println!("{yes} {:>6}|{:6}|{:?}", !yes, yes, byte);
    println!("{:+} {:+06} {:<+6}|{:+x} {:+#06X} {:+}", u64::MAX, 7u64, 8u64, 255u32, 10u8, yes);
    println!("{a:e} {:.2e} {:.3E}", 150.0f64, a);
}

/// The output of `speaks`, by Rust itself; C writes exponents with a sign and two digits.
fn expected(a: f32, n: [i64; 2]) -> String {
    let (b, byte, half, yes) = (n[0], n[1] as i8, f16::from_f32(a), n[0] > 0);
    let mut text = String::from("plain {} 100% \"quoted\"\t");
    text += &format!("{b} {} {0} {other:>6}|{:<6}|{:06}|{:+}\n", n[1], 7u8, -42i16, 5u32, other = b - 1);
    text += &format!("{:x} {byte:X} {:#x} {:#010x} {:o} {:#o}\n", 255u32, 0u64, n[0], 8u16, 64u8);
    text += &format!("{a:.3} {a:8.2}|{a:<8.1}|{a:+.1}|{:08.3}|{half:.2}\n", -a);
    text += &format!("{yes} {:>6}|{:6}|{:?}\n", !yes, yes, byte);
    text += &format!("{:+} {:+06} {:<+6}|{:+x} {:+#06X} {:+}\n", u64::MAX, 7u64, 8u64, 255u32, 10u8, yes);
    text
}

/// Only run by the test below, which reads what it writes.
#[test]
#[ignore = "a process of another test"]
fn process_that_talks() {
    let device = match std::env::var("SPEAKER").as_deref() {
        Ok("gpu") => Device::gpu(0).expect("a GPU"),
        Ok("printed") => {
            Device::simulator_with(Settings { executor: Executor::Printed, ..Settings::default() })
        }
        _ => Device::simulator_with(Settings { executor: Executor::Interpreter, ..Settings::default() }),
    };
    let (x, n) = (device.upload(&[2.5f32]).unwrap(), device.upload(&[1234i64, -3]).unwrap());
    println!("<<<");
    speaks(&x, &n).grid(1).block(1).launch(&device).and_then(|()| device.synchronize()).unwrap();
    println!(">>>");
}

#[test]
fn println_writes_what_rust_writes() {
    compiles::<speaks>(&());
    let gpu = Device::gpu(0).is_ok().then_some("gpu");
    let printed = warpsmith::printed::compiler().is_ok().then_some("printed");
    for device in ["simulator"].into_iter().chain(gpu).chain(printed) {
        let exe = std::env::current_exe().expect("this program");
        let output = Command::new(exe)
            .args(["talk::process_that_talks", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env("SPEAKER", device)
            .output()
            .expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let said =
            text.split_once("<<<\n").and_then(|(_, rest)| rest.split_once(">>>")).expect("both marks").0;
        let last = said.lines().last().expect("lines");
        assert_eq!(
            said.strip_suffix(&format!("{last}\n")),
            Some(expected(2.5, [1234, -3]).as_str()),
            "on the {device}"
        );
        let numbers: Vec<f64> = last.split(' ').map(|n| n.parse().expect("a number")).collect();
        assert_eq!(numbers, [2.5, 150.0, 2.5], "on the {device}");
    }
}

#[gpu_kernel]
fn signed_and_padded(n: u64) {
    println!("{:+8}", n);
}

#[test]
fn a_sign_that_c_would_pad_elsewhere_is_refused() {
    let error = signed_and_padded::cuda_source().expect_err("no CUDA").to_string();
    assert!(error.contains("`println!` cannot take `+` and a width for a `u64`"), "{error}");
}
