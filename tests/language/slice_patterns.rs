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

both!(named, named_on_host, |x, i, all| {
    let out = &mut all[i * 16..][..16];
    let part = &x[..i + 1];
    // Names that hide the slice.
    out[0] = match part {
        [part @ .., last] => *last * 100 + part.len() as i32,
        [] => 0,
    };
    out[1] = match part {
        [part, rest @ ..] if rest.len() > 2 => part + rest[0],
        [first, part @ .., last] => first * 100 + part.len() as i32 + last * 1000,
        [part] => *part + 1,
        [] => 0,
    };
    if let [first, part @ .., last] = part {
        out[2] = *last + first * 10 + part.len() as i32 * 100;
    }
    let mut left = part;
    while let [left_of @ .., last] = left {
        left = left_of;
        out[3] = out[3] * 3 % 1000 + last;
    }
    // Values.
    for pair in part.windows(2) {
        let &[a, b] = pair else { return };
        out[4] += a * b;
    }
    #[allow(clippy::match_ref_pats)]
    let of_values = match part {
        &[mut a, _, b @ 1..=9, ref rest @ ..] => {
            a += b;
            a * 10 + rest.len() as i32
        }
        &[.., y, z] => y - z,
        _ => 7,
    };
    out[5] = of_values;
    // Statements, and arms that leave the loop around.
    for k in 0..i {
        let from = &x[k..];
        match from {
            [3, ..] => continue,
            [a, _, c, ..] if a < c || *a == 5 => out[6] += a + c,
            [] => {}
            [a, rest @ ..] if rest.len() < 4 => {
                out[7] = *a;
                break;
            }
            _ => out[8] += 1,
        }
        out[9] += 1;
    }
    out[10] = -match part {
        [_, b, ..] => *b,
        _ => 4,
    } + 1;
});

both!(chained, chained_on_host, |x, i, all| {
    let out = &mut all[i * 16..][..16];
    let part = &x[i..];
    if part.len() > 2
        && let [a, rest @ ..] = part
        && let [b, .., c] = rest
        && a < c
        && let Some(d) = rest.get(*b as usize & 3)
    {
        out[0] = a * 100 + b * 10 + c + d;
    } else if let [a] = part
        && *a > 0
    {
        out[0] = a + 1;
    } else if let [.., _, 1..=9] = part {
        out[0] = 9;
    }
    let mut left = part;
    while out[1] < 20
        && let [a, rest @ ..] = left
    {
        out[1] += a + 1;
        left = rest;
    }
    out[2] = left.len() as i32;
    out[3] = matches!(part, [] | [_]) as i32
        + matches!(part, [3, ..]) as i32 * 2
        + matches!(part, [.., b, c] if b < c || *c == 0) as i32 * 4
        + matches!(part, [part @ .., _] if part.len() > 3) as i32 * 8
        + !matches!(part, &[a @ 3..=5, ..] if a != 4) as i32 * 16;
    let (low, high) = part.split_at(part.len() / 2);
    out[4] = match (low.len(), high.len()) {
        (0, _) => 1,
        (_, n) => n as i32,
    };
    match low {
        [.., b] => out[5] = *b,
        [] => out[5] = -1,
    }
    out[6] = if let [a, ..] = high { *a } else { 50 };
    let mut left = part;
    while let Some((first, rest)) = left.split_first() {
        if let [next, ..] = rest {
            out[7] = out[7] * 2 % 1000 + first * next;
        }
        left = rest;
    }
    let Some((last, rest)) = part.split_last() else { return };
    out[8] = match rest {
        [a, ..] if a == last => 1,
        [a, ..] => a - last,
        [] => 3,
    };
});

#[test]
fn names_of_patterns_are_parts_of_the_slice() {
    let values = [1, 0, 3, 3, 5, 4, -2, 8, 9];
    let mut expected = [[0; 128]; 2];
    (0..8).for_each(|i| {
        named_on_host(&values, i, &mut expected[0]);
        chained_on_host(&values, i, &mut expected[1]);
    });
    everywhere::<named>(&(), |gpu| {
        let x = gpu.upload(&values).expect("memory");
        let out = written(gpu, (128, 0), |out| named(&x, out).grid(1).block(8).launch(gpu));
        assert_eq!(out, expected[0]);
    });
    everywhere::<chained>(&(), |gpu| {
        let x = gpu.upload(&values).expect("memory");
        let out = written(gpu, (128, 0), |out| chained(&x, out).grid(1).block(8).launch(gpu));
        assert_eq!(out, expected[1]);
    });
}
