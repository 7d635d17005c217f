//! Bodies and their parts that come through `macro_rules`: their names have another origin than those that the macro writes.

use harness::agree;
use warpsmith::prelude::*;
use warpsmith::tensor::WarpAccumulator;

use super::compiles;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Pair {
    a: u64,
    b: u64,
}

#[gpu_fn]
fn twice(step: impl Fn(u64) -> u64, start: u64) -> u64 {
    step(step(start))
}

#[gpu_fn]
fn halved(v: u64) -> Option<u64> {
    if v % 2 == 0 { Some(v / 2) } else { None }
}

/// A body as a block.
macro_rules! of_block {
    ($name:ident($x:ident, $out:ident) $body:block) => {
        #[gpu_kernel]
        fn $name($x: &[u64], $out: &mut [u64]) $body
    };
}

/// A body as tokens.
macro_rules! of_tokens {
    ($name:ident($x:ident, $out:ident) $body:tt) => {
        #[gpu_kernel]
        fn $name($x: &[u64], $out: &mut [u64]) $body
    };
}

/// A body as the tokens between its braces.
macro_rules! of_parts {
    ($name:ident($x:ident, $out:ident) { $($body:tt)* }) => {
        #[gpu_kernel]
        fn $name($x: &[u64], $out: &mut [u64]) { $($body)* }
    };
}

/// A body behind statements that declare the same names.
macro_rules! of_expr {
    ($name:ident($x:ident, $out:ident) $body:block) => {
        of_expr! { @ $name($x, $out) $body }
    };
    (@ $name:ident($x:ident, $out:ident) $body:expr) => {
        #[gpu_kernel]
        fn $name($x: &[u64], $out: &mut [u64]) {
            let v = 1000;
            let sum = |a: u64| a + v;
            $body;
            $out[15] = sum(v);
        }
    };
}

macro_rules! bodies {
    ($($of:ident $module:ident)+) => {$(
        mod $module {
            use super::*;

            $of! { memory(x, out) {
                let barrier = shared!(Barrier);
                let mut tile = shared!(Tile<u64, 2, 4>);
                let mut plain = shared!([u64; 4]);
                let late;
                barrier.init(1);
                tile[(1, 2)] = x[3];
                plain[2] = tile[(1, 2)] + 1;
                sync_threads();
                let mut phase = Phase::first();
                barrier.arrive();
                barrier.wait(&mut phase);
                late = plain[2];
                let mut other = shared!(Tile<u64, 2, 4>);
                other[(1, 2)] = late + 7;
                out[0] = late;
                out[1] = other[(1, 2)] * tile[(1, 2)];
            } }

            $of! { closures(x, out) {
                let v = x[2];
                let add = |a: u64| a + v;
                let both = |(a, b): (u64, u64), Pair { a: c, b: d }: Pair| a + b * 10 + c * 100 + d * 1000;
                let mut count = 0;
                let mut next = || {
                    count += 1;
                    count
                };
                out[0] = twice(add, x[5]) + next() + next();
                out[1] = twice(|w| w * v + 1, 3);
                out[2] = both((x[1], x[2]), Pair { a: x[3], b: x[4] });
                out[3] = Some(v).map(|some| some + v).filter(|kept| *kept > 1).map_or(7, |w| w * v);
            } }

            $of! { patterns(x, out) {
                let v = x[4];
                let Some(half) = halved(v) else { return };
                let (Pair { a, b: second }, [first, .., last]) = (Pair { a: v, b: half }, [v, half, 9, x[7]]);
                out[0] = match (a, second) {
                    (0, _) => 1,
                    (n @ 1..=9, m) if m > n => n + m,
                    (n, m) | (m, n) if n == m => 50,
                    (n, m) => n * 100 + m,
                };
                if let Some(quarter) = halved(half) && quarter > 0 && let Some(w) = halved(x[6]) {
                    out[1] = quarter * 10 + w + first + last;
                }
                if matches!(halved(v), Some(w) if w == half) {
                    out[2] = if let [start, middle @ .., end] = x { *start + *end + middle.len() as u64 } else { 0 };
                }
                let mut rest = v;
                while let Some(w) = halved(rest) {
                    if w == 0 {
                        break;
                    }
                    rest = w;
                }
                out[3] = rest;
            } }

            $of! { loops(x, out) {
                let v = x[1];
                out[0] = x.iter().map(|w| w * 3 + v).filter(|w| *w % 2 == 0).sum();
                for (i, w) in x.iter().enumerate().skip(2).step_by(3) {
                    out[1] += *w * i as u64 + v;
                }
                for w in [v, v + 4] {
                    out[2] += w;
                }
                'outer: for i in 0..6u64 {
                    for k in (0..i).rev() {
                        if i * k > 12 {
                            out[3] = i * 100 + k;
                            break 'outer;
                        }
                    }
                }
                for _ in 0..3 {
                    out[4] += v;
                }
                out[5] = loop {
                    out[6] += 1;
                    if out[6] > 105 {
                        break out[6] * v;
                    }
                };
                for (a, b) in x.iter().zip(x[1..].iter()).take(3) {
                    out[7] += a * b;
                }
                for part in x.chunks(5) {
                    out[8] += part[0] * part.len() as u64;
                }
                out[9] = 'named: {
                    if v > 0 {
                        break 'named v + 4;
                    }
                    3
                };
                out[10] = x.iter().position(|w| *w == v + 3).unwrap_or(99) as u64;
                out.swap(11, 12);
                let n = out.len();
                out[n - 1] = out[n - 2] + v + x.iter().fold(v, |a, w| a ^ w);
            } }

            agree! { memory closures patterns loops }
        }
    )+};
}

bodies! { of_block blocks of_tokens tokens of_parts parts of_expr exprs }

/// A body as statements, and a block among others.
macro_rules! of_statements {
    ($name:ident($x:ident, $out:ident) $block:block $effect:block [$($item:item)+] $($statement:stmt;)+) => {
        #[gpu_kernel]
        fn $name($x: &[u64], $out: &mut [u64]) {
            let v = 3;
            {
                $block;
            }
            $($item)+
            $($statement;)+
            $effect
            $out[9] = v + $block;
        }
    };
}

of_statements! { statements(x, out)
    {
        out[8] += 1;
        out[8]
    }
    {
        out[7] += 1;
    }
    [use Pair as Renamed; const BY: u64 = 3;]
    let v: u64 = x[2] * BY;
    let Some(half) = halved(v) else { return };
    let late;
    let Renamed { a, b } = Pair { a: half, b: v };
    late = a + b;
    assert!(late > v);
    if late > 2 { out[0] = late; } else { out[0] = 0; };
    for i in 0..BY { out[1] += i; };
    out[2] = v;
}

/// Operands, statements and conditions between those of the macro.
macro_rules! woven {
    ($x:ident, $out:ident, $v:ident, $first:stmt, $e:expr, $place:expr, $test:expr, $pat:pat, $step:expr, $b:block, $memory:expr) => {
        #[gpu_kernel]
        fn woven($x: &[u64], $out: &mut [u64]) {
            let v = 100;
            $first;
            let mut tile = $memory;
            let w = $e + v;
            tile[1] = w;
            $place += w;
            let add = move |v: u64| v + $e;
            let step = $step;
            while $test {
                $place += step(v) + add(v);
                $v += 4;
            }
            let Some(v) = halved($e * 2) else { return };
            $out[1] = match $e + v {
                $pat => v + $b,
                w => w * 3,
            };
            for v in 0..$e {
                $out[2] += v + $b + tile[1];
            }
            $out[3] = $x.iter().map(|v| v * $e).max().map_or(v, |w| w + v);
            assert!($e < 1000, "{v} {}", $e);
            $out[4] = [$e, v].iter().sum();
            $out[5] = if matches!($e, w if w > v) { 1 } else { 2 };
        }
    };
}

woven!(x, out, v, let mut v = x[2] + 1, v + 2, out[0], v < 12, 10 | 34, |w: u64| w * 2, { let v = 8; v + 1 }, shared!([u64; 3]));

agree! { statements woven }

#[derive(Stage)]
struct Words<'a> {
    words: Tile<'a, f32, 8, 32, Swizzle128<4>>,
}

macro_rules! of_tensors {
    ($y:ident, $halves:ident, $out:ident, $body:block) => {
        #[gpu_kernel]
        fn tensors(
            $y: &TensorMap<f32, 8, 32, Swizzle128<4>>,
            mut $halves: ViewMut2<f32>,
            $out: &mut [f32],
        ) $body
    };
}

of_tensors!(y, halves, out, {
    let ring = shared!(Pipeline<Words, 2>);
    let staged = shared!(Tile<f16, 32, 32, Swizzle64>);
    let mut sums = WarpAccumulator::<f32, 2, 4>::zero();
    if warp_id() == 1 {
        if lane_id() == 0 {
            let mut load = ring.producer();
            let slot = load.acquire();
            slot.load(slot.tiles().words, y, [0, 0]);
            load.commit(slot);
            load.drain();
        }
    } else {
        let mut read = ring.consumer();
        let stage = read.wait();
        let tiles = stage.tiles();
        out[1] = tiles.words[(0, 1)];
        read.release(stage);
    }
    sums.for_each(|row, col, sum| halves[(row, col)] = sum + 1.0);
    let most = sums.reduce_rows(0.0, |a, b| a.max(b));
    sums.map_rows(most, |sum, most| sum - most);
    sums.store_tile(staged, 0, |sum| (sum / 64.0).cast::<f16>());
});

#[test]
fn tensors_of_other_origins_compile() {
    compiles::<tensors>(&());
}
