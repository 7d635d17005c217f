//! The memory of statics on the host: addresses, parts that are copied, slices for other kernels, managed statics.

use corpus::vectors::doubled;
use warpsmith::driver::DriverError;
use warpsmith::prelude::*;
use warpsmith::{Error, PartMut};

use super::{everywhere, written};

#[gpu_static]
static BINS: [u32; 8] = [1; 8];

/// Tests run at the same time: this one is not theirs that count into [`BINS`].
#[gpu_static]
static PARTS: [u32; 8] = [1; 8];

#[gpu_static]
static LIMIT: f64 = 2.5;

#[gpu_const]
static WEIGHTS: [f32; 4] = [1.0, 2.0, 3.0, 4.0];

/// Counts into the static by its name.
#[gpu_kernel]
fn count(values: &[u32]) {
    let i = global_id();
    if i < values.len() {
        atomic_add(&mut BINS.get_mut()[values[i] % 8], 1);
    }
}

/// Writes the second half of the static by its name.
#[gpu_kernel]
fn to_second_half(values: &[u32]) {
    let i = global_id();
    if i < values.len() && i < 4 {
        BINS.get_mut()[i + 4] = values[i];
    }
}

/// Knows nothing of constants.
#[gpu_kernel]
fn copied(from: &[f32], to: &mut [f32]) {
    let i = global_id();
    if i < from.len() && i < to.len() {
        to[i] = from[i];
    }
}

/// Reads the constant by its name.
#[gpu_kernel]
fn weights(to: &mut [f32]) {
    let i = global_id();
    if i < 4 && i < to.len() {
        to[i] = WEIGHTS[i];
    }
}

#[test]
fn a_static_is_an_argument_of_kernels_that_do_not_name_it() {
    everywhere::<count>(&(), |device| {
        BINS.write(device, [1; 8]).expect("memory");
        let values = device.upload(&(0..100u32).collect::<Vec<_>>()).expect("memory");
        count(&values).over(100).block(64).launch(device).expect("it runs");
        let mut bins = BINS.elements(device).expect("memory");
        assert_eq!(
            (bins.len(), bins.is_empty(), bins.address()),
            (8, false, BINS.address(device).expect("memory"))
        );
        doubled(&mut bins).over(8).block(32).launch(device).expect("it runs");
        doubled(bins.slice_mut(1..3).expect("a part")).over(2).block(32).launch(device).expect("it runs");
        // 13 of the first four bins and 12 of the others, one more in each before; doubled, then two of them again.
        let first = [28, 56, 56, 28];
        assert_eq!(
            BINS.read(device).expect("memory"),
            [28, 56, 56, 28, 26, 26, 26, 26],
            "on {}",
            device.name()
        );
        to_second_half(bins.slice(..4).expect("a part")).over(4).block(32).launch(device).expect("it runs");
        assert_eq!(BINS.read(device).expect("memory")[4..], first, "on {}", device.name());
    });
}

#[test]
fn parts_of_statics_are_copied_both_ways() {
    harness::on_every_device(|device| {
        PARTS.write(device, [1; 8]).expect("memory");
        let mut bins = PARTS.elements(device).expect("memory");
        bins.slice_mut(2..5).expect("a part").write(&[7, 8, 9]).expect("three elements");
        assert_eq!(bins.slice(1..4).expect("a part").to_vec().expect("memory"), [1, 7, 8]);
        assert_eq!(PARTS.read(device).expect("memory"), [1, 1, 7, 8, 9, 1, 1, 1]);

        let stream = device.stream().expect("a stream");
        let source = device.upload(&[20u32, 21, 22]).expect("memory");
        stream
            .copy(source.slice(1..).expect("a part"), bins.slice_mut(6..).expect("a part"))
            .expect("a copy");
        let mut target = device.alloc_zeroed::<u32>(4).expect("memory");
        stream.copy(bins.slice(4..).expect("a part"), &mut target).expect("a copy");
        assert_eq!(device.download(&target).expect("memory"), [9, 1, 21, 22]);

        let mut limit = LIMIT.memory(device).expect("memory");
        PartMut::from(&mut limit).write(&[0.75]).expect("one element");
        assert_eq!(LIMIT.read(device).expect("memory"), 0.75);
        LIMIT.write(device, 2.5).expect("memory");

        let beyond = bins.slice(5..9).expect_err("refused").to_string();
        assert!(beyond.contains("5..9") && beyond.contains('8'), "{beyond}");
        let uneven = bins.slice_mut(..2).expect("a part").write(&[1]).expect_err("refused").to_string();
        assert!(uneven.contains('2') && uneven.contains('1'), "{uneven}");
    });
}

#[test]
fn buffers_are_read_and_written_in_parts_too() {
    harness::on_every_device(|device| {
        let mut x = device.upload(&[1i64, 2, 3, 4, 5]).expect("memory");
        x.slice_mut(1..3).expect("a part").write(&[-2, -3]).expect("two elements");
        assert_eq!(x.slice(2..).expect("a part").to_vec().expect("memory"), [-3, 4, 5]);
        assert_eq!(x.slice(5..).expect("nothing").to_vec().expect("memory"), [0i64; 0]);
        assert_eq!(device.download(&x).expect("memory"), [1, -2, -3, 4, 5]);
    });
}

#[test]
fn a_constant_has_an_address_that_has_its_value() {
    everywhere::<copied>(&(), |device| {
        WEIGHTS.set(device, [1.0, 2.0, 3.0, 4.0]).expect("memory");
        let read = |what: &[f32; 4]| {
            let memory = WEIGHTS.elements(device).expect("memory");
            let through_address =
                written(device, (4, f32::NAN), |out| copied(&memory, out).over(4).block(32).launch(device));
            let by_name = written(device, (4, f32::NAN), |out| weights(out).over(4).block(32).launch(device));
            assert_eq!(
                (through_address.as_slice(), by_name.as_slice()),
                (&what[..], &what[..]),
                "{}",
                device.name()
            );
            assert_eq!(memory.slice(1..3).expect("a part").to_vec().expect("memory"), what[1..3]);
        };
        read(&[1.0, 2.0, 3.0, 4.0]);
        WEIGHTS.set_part(device, 2, &[-3.0, -4.0]).expect("a part");
        read(&[1.0, 2.0, -3.0, -4.0]);
        let stream = device.stream().expect("a stream");
        let values = device.upload(&[[5.0f32, 6.0, 7.0, 8.0]]).expect("memory");
        WEIGHTS.set_on(&stream, &values).expect("a copy");
        read(&[5.0, 6.0, 7.0, 8.0]);
        let beyond = WEIGHTS.set_part(device, 3, &[0.0, 0.0]).expect_err("refused").to_string();
        assert!(beyond.contains("3..5") && beyond.contains('4'), "{beyond}");
        assert_eq!(WEIGHTS.memory(device).expect("memory").len(), 1);
    });
}

#[gpu_static(managed)]
static TOTALS: [i32; 3] = [10, 20, 30];

#[gpu_kernel]
fn accumulated(by: i32) {
    let i = global_id();
    if i < 3 {
        TOTALS.get_mut()[i] += by * TOTALS.get()[2];
    }
}

#[test]
fn host_and_kernels_share_a_managed_static() {
    everywhere::<accumulated>(&(), |device| {
        TOTALS.write(device, [10, 20, 30]).expect("managed memory");
        let host = TOTALS.host_ptr(device).expect("managed memory");
        // SAFETY: no kernel runs.
        unsafe { (*host)[2] = 3 };
        accumulated(2).grid(1).block(2).launch(device).expect("it runs");
        let host = TOTALS.host_ptr(device).expect("managed memory");
        // SAFETY: no kernel runs: the call has waited.
        assert_eq!(unsafe { *host }, [16, 26, 3], "on {}", device.name());
        assert_eq!(host as u64, TOTALS.address(device).expect("memory"), "one address on host and device");
        assert_eq!(TOTALS.read(device).expect("memory"), [16, 26, 3]);
        match BINS.host_ptr(device) {
            Err(Error::Driver(DriverError::Unavailable { why, .. })) => {
                assert!(why.contains("#[gpu_static(managed)]"), "{why}");
            }
            other => panic!("not refused: {other:?}"),
        }
    });
}
