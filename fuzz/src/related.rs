//! A second family of loops whose indices may be out of bounds: nested ranges of which one begins at another's counter, steps
//! and cursors that a launch decides, closures, and guards that have a name.
//!
//! Their ends are small, since a guard ends no loop.

use warpsmith::prelude::*;

/// The number of times that each head, index and body of the family is chosen.
pub const WEIGHTS: [&[usize]; 3] =
    [&[6, 6, 4, 4, 5, 5, 4], &[3, 6, 6, 6, 5, 3, 4, 4, 4, 4], &[6, 4, 5, 5, 5, 4]];

/// A function that calls a closure in a loop of its own.
#[gpu_fn]
fn both<T: Num>(first: T, second: T, read: impl Fn(T) -> f32) -> f32 {
    read(first) + read(second) * 0.5
}

macro_rules! family {
    ($($name:ident $t:ty),+) => {$(
        family! { @of $name $t, a b i k other step:
            0 {} { for k in i + 1..b } {},
            1 {} { for k in (i..b).step_by(step) } {},
            2 {} { for k in (a..b).step_by(block_dim().x as usize) } {},
            3 {} { for k in i + 1..=b } {},
            4 { let mut k = i; } { while k < b } { k += step as $t; },
            5 { let mut k = a; } { while k < b && other < b } {
                if k < other { k += 1; } else { other += 1; }
            },
            6 {} { for k in (i + 1..b).rev() } {}
        }
    )+};
    (@of $name:ident $t:ty, $a:ident $b:ident $i:ident $k:ident $other:ident $step:ident:
        $($head:literal { $($before:tt)* } { $($each:tt)* } { $($after:tt)* }),+) => {
        /// A loop of the family with a counter of this type.
        #[gpu_kernel(fmad = false)]
        #[allow(
            clippy::too_many_arguments,
            clippy::reversed_empty_ranges,
            unused_mut,
            reason = "a family of loops in one"
        )]
        pub fn $name(
            x: &[f32],
            w: &[f32],
            order: &[u32],
            y: &mut [f32],
            $a: $t,
            $b: $t,
            o: $t,
            #[comptime] head: u32,
            #[comptime] at: u32,
            #[comptime] body: u32,
        ) {
            let mut sum = 0.5;
            let $step = (o & 3) as usize + 1;
            let read = |j: $t| x[j];
            let shifted = |j: $t| read(j + o) - w[j];
            for $i in $a..$b {
                let mut $other = $i;
                $(
                    if head == $head {
                        $($before)*
                        $($each)* {
                            let value = match at {
                                0 => x[$k],
                                1 => read($k),
                                2 => shifted($k),
                                3 => {
                                    let inside = ($k as usize) < x.len();
                                    if inside { x[$k] } else { 0.5 }
                                }
                                4 => {
                                    let inside = $k + o < x.len() as $t;
                                    if inside { read($k + o) } else { 0.5 }
                                }
                                5 => x[$i] - x[$k],
                                6 => x[$k - $i],
                                7 => {
                                    let last = x.len() as $t - 1;
                                    let beyond = $k > last;
                                    if !beyond { x[$k] } else { 0.5 }
                                }
                                8 => both($k, $i, |j: $t| x[j] + w[$i]),
                                _ => if $k < order.len() as $t { x[order[$k]] } else { 0.25 },
                            };
                            match body {
                                0 => sum += value,
                                1 => y[$k] = value + sum,
                                2 => sum += value * w[$k],
                                3 => {
                                    let mut store = |j: $t, v: f32| y[j] += v;
                                    store($k, value);
                                    store($i, sum);
                                }
                                4 => {
                                    let within = $k < w.len() as $t;
                                    if within && value > 2.0 {
                                        sum += w[$k] * read($i);
                                    }
                                }
                                _ => sum += w[$k.min(w.len() as $t - 1)] - value,
                            }
                            $($after)*
                        }
                    }
                )+
            }
            if y.len() > thread_idx().x as usize {
                y[thread_idx().x] += sum;
            }
        }
    };
}

family! { related_i32 i32, related_u64 u64 }
