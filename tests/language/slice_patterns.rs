//! Patterns of slices, as a kernel and as a function of the host.

use warpsmith::prelude::*;

use super::{everywhere, written};

macro_rules! both {
    ($kernel:ident, $host:ident, |$x:ident, $i:ident, $out:ident| $body:block) => {
        #[gpu_kernel]
        fn $kernel($x: &[i32], $out: &mut [i32]) {
            let $i = thread_idx().x as usize;
            $body
        }

        fn $host($x: &[i32], $i: usize, $out: &mut [i32]) $body
    };
}

both!(matched, matched_on_host, |x, i, all| {
    let out = &mut all[i * 12..][..12];
    let part = &x[..i];
    out[0] = match part {
        [] => 0,
        [a] => *a,
        [a, b] => a * 10 + b,
        [a, .., b] => a * 100 + b,
    };
    out[1] = match part {
        [first, rest @ ..] if rest.len() > 2 => match rest {
            [second, ..] if *second == 0 => *first + rest[1],
            other => other.len() as i32,
        },
        [0, ..] => -5,
        [1 | 3, middle @ .., last] => middle.len() as i32 * 10 + *last,
        _ => 77,
    };
    out[2] = if let [_, b, ..] = part { *b } else { -1 };
    for pair in x.windows(2) {
        if let [a, b] = pair {
            out[3] += (a > b) as i32;
        }
    }
    out[4] = x
        .windows(3)
        .map(|w| match w {
            [a, b, c] => a * c - b,
            _ => 0,
        })
        .sum();
    out[5] = x.chunks(4).map(|c| if let [a, b, ..] = c { a + b } else { 9 }).sum();
    out[6] = match part {
        [a, 0, ..] => a - 1,
        [.., 1..=9] => 100,
        other => other.len() as i32 + 50,
    };
    out[7] = match x {
        [.., y, z] => y * z,
        all => all.len() as i32,
    };
    out[8] = match part {
        [] | [_] => 1,
        [_, rest @ ..] => rest.len() as i32,
    };
    let mut rest = part;
    while let [a, b, tail @ ..] = rest {
        if *a == 3 {
            rest = &rest[1..];
            continue;
        }
        out[9] = out[9] * 10 + a + b;
        rest = tail;
    }
    let [head, others @ ..] = part else { return };
    out[10] = *head + others.len() as i32;
    let [.., last] = others else { return };
    out[11] = *last;
});

#[test]
fn patterns_take_slices_apart() {
    let values = [1, 0, 3, 3, 5, 4, -2, 8, 9];
    let mut expected = [0; 96];
    (0..8).for_each(|i| matched_on_host(&values, i, &mut expected));
    everywhere::<matched>(&(), |gpu| {
        let x = gpu.upload(&values).expect("memory");
        let out = written(gpu, (96, 0), |out| matched(&x, out).grid(1).block(8).launch(gpu));
        assert_eq!(out, expected);
    });
}
