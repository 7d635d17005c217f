//! References in values: what is borrowed to be written and lent to be read, and temporaries that are lent longer than their block.

use warpsmith::prelude::*;
use warpsmith::types::{Shared, Shared2};

use super::{everywhere, written};

#[gpu_fn]
fn first(of: Option<&[i32]>) -> i32 {
    of.map_or(-1, |s| s[0] + s.len() as i32)
}

#[gpu_fn]
fn first_shared(of: Option<&Shared<i32>>) -> i32 {
    of.map_or(-1, |s| s[0] + s.len() as i32)
}

/// A `&mut` that becomes a `&` as a part of options, tuples, arrays and branches.
#[gpu_kernel]
#[allow(clippy::borrow_deref_ref)]
fn lent(x: &[i32], out: &mut [i32]) {
    let t = thread_idx().x as usize;
    let mut local = [x[t], 2, 3, 4];
    let written = &mut local[1..];
    written[0] += 10;
    let some = Some(&*written);
    let pair: (&[i32], usize) = (written, t);
    let list: [&[i32]; 2] = [&*written, x];
    let either = if t > 1 { &*written } else { x };
    let nested = (&*pair.0, 1);
    out[8 * t] = first(some) + first(None);
    out[8 * t + 1] = pair.0[1] + pair.0.len() as i32 + nested.0[2];
    out[8 * t + 2] = list[t % 2][0] + list[1].len() as i32;
    out[8 * t + 3] = either[1] + either.len() as i32;
    let element = &mut local[3];
    *element += 1;
    let element: (&i32, i32) = (element, 5);
    out[8 * t + 4] = element.0 * element.1;
}

/// The same of shared arrays, whose references have a length in every value.
#[gpu_kernel]
fn lent_shared(out: &mut [i32]) {
    let t = thread_idx().x as usize;
    let mut a = shared!([i32; 4]);
    let mut b = shared!([i32; 8]);
    a[t] = t as i32;
    b[t] = 10;
    b[t + 4] = 20;
    sync_warp();
    let (from, to) = (&mut a, &mut b);
    let list = [&*from, &*to];
    let some = if t > 1 { Some(&*from) } else { None };
    let ((left, _), _) = ((&*from, 0), 1);
    out[8 * t] = list[t % 2][3] + list[1].len() as i32;
    out[8 * t + 1] = match some {
        Some(s) if s.len() > 3 => s[t],
        _ => -1,
    };
    out[8 * t + 2] = first_shared(some) + first_shared(Some(&*to));
    out[8 * t + 3] = list.iter().map(|s| s[0] + s.len() as i32).sum::<i32>() + left.len() as i32;
}

#[test]
fn what_is_borrowed_to_be_written_is_lent_in_values() {
    everywhere::<lent>(&(), |gpu| {
        let x = gpu.upload(&[5, 6, 7, 8]).expect("memory");
        let out = written(gpu, (32, 0), |out| lent(&x, out).grid(1).block(4).launch(gpu));
        for (t, row) in out.chunks(8).enumerate() {
            let either = if t > 1 { 3 + 3 } else { 6 + 4 };
            let list = if t % 2 == 0 { 12 } else { 5 };
            assert_eq!(row[..5], [12 + 3 - 1, 3 + 3 + 4, list + 4, either, 25], "thread {t}");
        }
    });
    everywhere::<lent_shared>(&(), |gpu| {
        let out = written(gpu, (32, 0), |out| lent_shared(out).grid(1).block(4).launch(gpu));
        for (t, row) in out.chunks(8).enumerate() {
            let list = if t % 2 == 0 { 3 } else { 10 };
            let some = if t > 1 { [t as i32, 4 + 18] } else { [-1, -1 + 18] };
            assert_eq!(row[..4], [list + 8, some[0], some[1], 4 + 18 + 4], "thread {t}");
        }
    });
}

#[gpu_fn]
fn pair(a: i32) -> [i32; 2] {
    [a, a + 1]
}

const TABLE: [i32; 2] = [70, 80];

#[gpu_fn]
fn table_or(own: &[i32; 2], table: bool) -> &[i32; 2] {
    if table { &TABLE } else { own }
}

/// References to temporaries of branches, of arms and of blocks, and to constants, which live for ever.
#[gpu_kernel]
fn kept(x: &[i32], out: &mut [i32]) {
    let t = thread_idx().x as usize;
    let own = [x[0], x[1]];
    let branch = if t > 1 { &own } else { &[t as i32, 9] };
    let deeper = if t > 0 { if t > 2 { &pair(t as i32) } else { &pair(30) } } else { &own };
    let arm = match t {
        0 => &own[..1],
        1 => &[4, 5, 6][..],
        n => &[n as i32, 7][..],
    };
    let block = {
        let twice = 2 * t as i32;
        &(twice + 1)
    };
    let mut constant = &x[0];
    let mut some: Option<&[i32; 2]> = None;
    for i in 0..t {
        if i == 1 {
            constant = &77;
            some = Some(&[1, 2]);
        }
    }
    let more = [x[t] * 2, x[t] * 3, x[t] * 4];
    out[8 * t] = branch[0] * 10 + branch[1];
    out[8 * t + 1] = deeper[0] * 10 + deeper[1];
    out[8 * t + 2] = arm[arm.len() - 1] * 10 + arm.len() as i32;
    out[8 * t + 3] = *block;
    out[8 * t + 4] = *constant + some.map_or(0, |s| 100 * s[1]);
    out[8 * t + 5] = table_or(&own, t > 1)[1];
    out[8 * t + 6] = more[t % 3];
}

#[test]
fn temporaries_are_kept_as_long_as_references_to_them() {
    let source = kept::cuda_source().expect("it prints");
    let body = &source[source.find("__global__").expect("a kernel")..];
    let nested = body.lines().filter(|line| line.starts_with("        "));
    let declared: Vec<&str> = nested.filter(|line| line.trim_start().starts_with("ws_Array<")).collect();
    assert!(declared.is_empty(), "temporaries end with their blocks: {declared:?}");
    everywhere::<kept>(&(), |gpu| {
        let x = gpu.upload(&[5, 6, 7, 8]).expect("memory");
        let out = written(gpu, (32, 0), |out| kept(&x, out).grid(1).block(4).launch(gpu));
        let rows: Vec<&[i32]> = out.chunks(8).map(|row| &row[..7]).collect();
        assert_eq!(rows[0], [9, 56, 51, 1, 5, 6, 10]);
        assert_eq!(rows[1], [19, 331, 63, 3, 5, 6, 18]);
        assert_eq!(rows[2], [56, 331, 72, 5, 277, 80, 28]);
        assert_eq!(rows[3], [56, 34, 72, 7, 277, 80, 16]);
    });
}

#[gpu_fn]
fn zero_or(x: &[i32], i: usize) -> &i32 {
    if i < x.len() { &x[i] } else { &0 }
}

#[gpu_kernel]
fn gives_a_constant(x: &[i32], out: &mut [i32]) {
    out[0] = *zero_or(x, 3);
}

#[gpu_kernel]
fn closure_gives_a_constant(x: &[i32], out: &mut [i32]) {
    let own = [x[0], x[1]];
    let chosen = |first: bool| if first { &own } else { &[8, 9] };
    out[0] = chosen(x[0] > 3)[1];
}

#[gpu_fn]
fn passed_on<'a>(x: &'a [i32], _: &[i32]) -> &'a [i32] {
    let whole = x;
    &whole[1..]
}

#[gpu_fn]
fn constant_passed_on(_: &[i32]) -> &'static [i32] {
    passed_on(&[77, 78], &[1])
}

#[gpu_kernel]
fn gives_a_constant_that_another_gives(x: &[i32], out: &mut [i32]) {
    out[0] = constant_passed_on(x)[0];
}

#[gpu_kernel]
fn closure_gives_a_constant_that_another_gives(x: &[i32], out: &mut [i32]) {
    let constant = &[7, 8];
    let given = |i: usize| &passed_on(if i > 3 { &constant[..] } else { &[4, 5][..] }, x)[i..];
    out[0] = given(x.len())[0];
}

#[gpu_fn]
fn beside_a_constant(x: &[i32]) -> &[i32] {
    passed_on(x, &[1])
}

#[gpu_kernel]
fn gives_what_it_takes(x: &[i32], out: &mut [i32]) {
    out[0] = beside_a_constant(x)[0];
}

#[gpu_fn]
fn plane(tile: &Shared2<i32>) -> &Shared2<i32> {
    tile
}

#[gpu_kernel]
fn gives_a_plane(out: &mut [i32]) {
    let mut tile = shared!([[i32; 2]; 2]);
    tile[0][0] = 1;
    out[0] = plane(&tile)[0][0];
}

#[gpu_fn(cuda = "return {x, 1};")]
fn by_hand(x: &[i32]) -> &[i32] {
    &x[..1]
}

#[gpu_kernel]
fn gives_a_slice_by_hand(x: &[i32], out: &mut [i32]) {
    out[0] = by_hand(x)[0];
}

#[gpu_kernel]
fn closure_stores_a_constant(x: &[i32], out: &mut [i32]) {
    let mut kept = &x[0];
    let mut set = |i: usize| kept = if i > 2 { &77 } else { &x[i] };
    set(3);
    out[0] = *kept;
}

#[gpu_fn]
fn stores_in(at: &mut Option<&i32>) {
    *at = Some(&77);
}

#[gpu_kernel]
fn stores_a_constant(out: &mut [i32]) {
    let mut kept = None;
    stores_in(&mut kept);
    out[0] = kept.map_or(0, |v| *v);
}

#[test]
fn references_that_cuda_cannot_give_are_refused() {
    let message = |result: warpsmith::Result<String>| result.expect_err("refused").to_string();
    let constant = "returns a reference to a temporary, which CUDA does not keep alive";
    assert!(message(gives_a_constant::cuda_source()).contains(&format!("`zero_or` {constant}")));
    assert!(message(closure_gives_a_constant::cuda_source()).contains(&format!("`closure` {constant}")));
    let by_another = message(gives_a_constant_that_another_gives::cuda_source());
    assert!(by_another.contains(&format!("`constant_passed_on` {constant}")), "{by_another}");
    let by_closure = message(closure_gives_a_constant_that_another_gives::cuda_source());
    assert!(by_closure.contains(&format!("`closure` {constant}")), "{by_closure}");
    gives_what_it_takes::cuda_source().expect("the temporary is not given back");
    let plane = "`plane` cannot return a reference to a shared array of several dimensions";
    assert!(message(gives_a_plane::cuda_source()).contains(plane));
    let by_hand = "the body of `by_hand` is not Rust, so it cannot return a slice";
    assert!(message(gives_a_slice_by_hand::cuda_source()).contains(by_hand));
    assert!(message(closure_stores_a_constant::cuda_source()).contains(&format!("`closure` {constant}")));
    assert!(message(stores_a_constant::cuda_source()).contains(&format!("`stores_in` {constant}")));
}
