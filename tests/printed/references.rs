//! Loops that are compiled twice, with indices behind references and pointers: what these lead to changes with the loop, or is
//! there no longer than Rust reads it.

use harness::needs_cxx;
use warpsmith::prelude::*;
use warpsmith::simulator::{Executor, Settings};

/// A place that each step moves.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Cursor {
    at: u32,
    steps: u32,
}

#[gpu_fn]
fn follow(at: &mut u32, names: &[u32], x: &[i32], end: u32) -> i32 {
    let (mut sum, mut k) = (0, 0);
    while k < end {
        sum += x[*at];
        *at = names[k];
        k += 1;
    }
    sum
}

#[gpu_fn]
fn follow_slot(slots: &mut [u32; 2], names: &[u32], x: &[i32], end: u32) -> i32 {
    let (mut sum, mut k) = (0, 0);
    while k < end {
        sum += x[slots[1]];
        slots[1] = names[k];
        k += 1;
    }
    sum
}

#[gpu_fn]
fn follow_field(cursor: &mut Cursor, names: &[u32], x: &[i32], end: u32) -> i32 {
    let (mut sum, mut k) = (0, 0);
    while k < end {
        sum += x[cursor.at];
        cursor.at = names[k];
        cursor.steps += 1;
        k += 1;
    }
    sum
}

/// The elements that each name leads to, by a place behind a reference.
#[gpu_kernel]
fn follows(names: &[u32], x: &[i32], out: &mut [i32], start: u32, end: u32, #[comptime] how: u32) {
    let mut at = start;
    let mut slots = [0, start];
    let mut cursor = Cursor { at: start, steps: 0 };
    out[0] = match how {
        0 => follow(&mut at, names, x, end),
        1 => follow_slot(&mut slots, names, x, end),
        _ => follow_field(&mut cursor, names, x, end),
    };
    out[1] = (at + slots[1] + cursor.at + cursor.steps) as i32;
}

#[gpu_fn]
unsafe fn beside(p: *const i32, name: u32) -> i32 {
    unsafe { *p.add(name as usize) }
}

/// The number of halvings, which for a zero never ends.
#[gpu_fn]
fn halvings(name: u32) -> i32 {
    let (mut rest, mut count) = (name, 0);
    while rest % 2 == 0 {
        rest /= 2;
        count += 1;
    }
    count
}

/// What names lead to by a pointer, which is read where the slice of the same length was.
#[gpu_kernel]
fn points(names: &[u32], x: &[i32], y: &[i32], out: &mut [i32], end: u32, #[comptime] how: u32) {
    let (p, first) = (x.as_ptr(), names.as_ptr());
    let (mut sum, mut at) = (0i32, 0u32);
    if how == 0 {
        for k in 0..end {
            let name = names[k];
            sum += y[name];
            sum += unsafe { *p.add(name as usize) };
        }
    } else if how == 1 {
        let name = names[end - 1];
        sum = y[name] + y[unsafe { *p.add(name as usize) }];
    } else if how == 2 {
        for k in 0..end {
            let name = names[k];
            sum += y[name] + unsafe { beside(p, name) };
        }
    } else if how == 3 {
        for k in 0..end {
            sum += halvings(y[names[k]] as u32);
        }
    } else {
        while at < end {
            sum += y[unsafe { *first.add(at as usize) }];
            out[0] = sum;
            at += 1;
        }
    }
    out[0] = sum;
}

/// A cursor that a pointer moves while a loop reads at it.
#[gpu_kernel]
#[allow(clippy::borrow_as_ptr, reason = "a kernel has no `&raw`")]
fn moves_by_pointer(x: &[i32], out: &mut [i32], end: u32) {
    let mut at = 0u32;
    let p = &mut at as *mut u32;
    let mut sum = 0;
    for k in 0..end {
        sum += x[k + at];
        unsafe { *p += 1 };
    }
    out[0] = sum;
}

fn moved(executor: Executor, end: u32) -> Ended {
    let device = Device::simulator_with(Settings { executor, ..Settings::default() });
    let x = device.upload(&[3, 1, 4, 1, 5]).expect("memory");
    let mut out = device.upload(&[0i32]).expect("memory");
    let done = moves_by_pointer(&x, &mut out, end).grid(1).block(1).launch(&device);
    done.map_err(super::first_line)?;
    Ok(device.download(&out).expect("memory"))
}

#[gpu_fn]
fn tripled(values: &mut [u8; 4], by: u8) -> u8 {
    values[1] = values[1].wrapping_mul(3);
    by
}

#[gpu_fn]
fn negated(value: &mut i32) -> i32 {
    *value = -*value;
    *value - 1
}

#[gpu_fn]
fn moved_on(at: &mut u32) -> u8 {
    *at += 1;
    4
}

/// Sums with what changes the place that they are kept in.
#[gpu_kernel]
fn changes_what_it_adds_to(out: &mut [i32]) {
    let mut values = [18u8; 4];
    values[1] += tripled(&mut values, 5);
    let mut sum = out[0];
    sum += negated(&mut sum);
    out[1] = sum;
    out[2] = values[1] as i32;
    out[0] -= negated(&mut out[0]);
    let mut at = 2u32;
    values[at] += moved_on(&mut at);
    out[3] = values[3] as i32 * 100 + values[2] as i32;
}

type Ended = Result<Vec<i32>, String>;

fn followed(executor: Executor, names: &[u32], start: u32, how: u32) -> Ended {
    let device = Device::simulator_with(Settings { executor, ..Settings::default() });
    let end = names.len() as u32;
    let names = device.upload(names).expect("memory");
    let x = device.upload(&[3, 1, 4, 1, 5]).expect("memory");
    let mut out = device.upload(&[0i32; 2]).expect("memory");
    let done = follows(&names, &x, &mut out, start, end, how).grid(1).block(1).launch(&device);
    done.map_err(super::first_line)?;
    Ok(device.download(&out).expect("memory"))
}

fn pointed(executor: Executor, names: &[u32], end: u32, how: u32) -> Ended {
    let device = Device::simulator_with(Settings { executor, ..Settings::default() });
    let names = device.upload(names).expect("memory");
    // No name leads to the last of them, which a trial would read instead of what is not there.
    let [x, y] = [(); 2].map(|()| device.upload(&[3, 1, 4, 1, 0]).expect("memory"));
    let mut out = device.upload(&[0i32; 2]).expect("memory");
    let done = points(&names, &x, &y, &mut out, end, how).grid(1).block(1).launch(&device);
    done.map_err(super::first_line)?;
    Ok(device.download(&out).expect("memory"))
}

/// What all executors say, which is the same.
fn same(ended: impl Fn(Executor) -> Ended) -> Ended {
    let [twin, interpreter, printed] = [Executor::Twin, Executor::Interpreter, Executor::Printed].map(ended);
    assert_eq!((&twin, &twin), (&interpreter, &printed));
    twin
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn an_index_behind_a_reference_is_compared_each_time_that_it_changes() {
    needs_cxx();
    for how in 0..3 {
        let all = same(|executor| followed(executor, &[1, 2, 0, 4, 3, 2, 1, 0], 2, how));
        assert!(all.is_ok(), "{all:?}");
        for at in 0..7 {
            let mut names = [1, 2, 0, 4, 3, 2, 1, 0];
            names[at] = 5;
            let fault = same(|executor| followed(executor, &names, 2, how)).expect_err("an index of 5");
            assert!(fault.starts_with("index 5 is out of bounds for length 5"), "{fault}");
        }
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn pointers_are_read_where_rust_reads_them() {
    needs_cxx();
    for how in 0..5 {
        let all = same(|executor| pointed(executor, &[1, 2, 0, 3, 3, 2, 1, 1], 8, how));
        assert!(all.is_ok(), "{all:?}");
        for far in [5, 1 << 30] {
            let fault = same(|executor| pointed(executor, &[1, 2, far], 3, how)).expect_err("too far");
            assert!(fault.starts_with(&format!("index {far} is out of bounds for length 5")), "{fault}");
        }
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_cursor_that_a_pointer_moves_is_compared_each_time() {
    needs_cxx();
    assert_eq!(same(|executor| moved(executor, 3)), Ok(vec![12]));
    let fault = same(|executor| moved(executor, 4)).expect_err("an index of 6");
    assert!(fault.starts_with("index 6 is out of bounds for length 5"), "{fault}");
}

#[test]
#[cfg_attr(not(cxx), ignore = "needs a C++ compiler")]
fn a_value_is_evaluated_before_the_place_that_it_is_added_to() {
    needs_cxx();
    let all = same(|executor| {
        let device = Device::simulator_with(Settings { executor, ..Settings::default() });
        let mut out = device.upload(&[20, 0, 0, 0]).expect("memory");
        changes_what_it_adds_to(&mut out)
            .grid(1)
            .block(1)
            .launch(&device)
            .map_err(|fault| fault.to_string())?;
        Ok(device.download(&out).expect("memory"))
    });
    assert_eq!(all, Ok(vec![1, -41, 59, 2218]));
    let text = changes_what_it_adds_to::cuda_source().expect("a kernel");
    assert!(text.contains("= tripled(&values, (unsigned char)5);"), "{text}");
}
