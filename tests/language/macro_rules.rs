//! Kernels that `macro_rules` writes: types, expressions and patterns come to the attributes in invisible groups.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Pair {
    a: i32,
    b: i32,
}

#[gpu_trait]
trait Combined {
    const FIRST: Self;
    fn combined(self, other: Self) -> Self;
    fn above_first(self) -> Option<Self>
    where
        Self: Sized;
}

macro_rules! combined {
    ($($t:ty => $first:expr, $op:tt);+) => {$(
        #[gpu_impl]
        impl Combined for $t {
            const FIRST: $t = $first;
            fn combined(self, other: $t) -> $t {
                self $op other
            }
            fn above_first(self) -> Option<$t> {
                (self > $first).then_some(self)
            }
        }
    )+};
}

combined! { i32 => 1 + 1, +; u8 => 3, ^ }

/// Functions whose types, and a kernel whose expressions, are fragments.
macro_rules! fragments {
    ($kernel:ident($y:ident: $slice:ty, $pairs:ident), $some:ty, $array:ty, $number:ty, $sum:expr, $place:expr, $scale:expr, $walk:expr,
     $test:expr, $pair:expr, $pattern:pat, $literal:literal) => {
        #[gpu_fn]
        fn raised(value: $number, by: $some) -> $some {
            let by = by?;
            Some(by + value)
        }

        #[gpu_fn]
        fn turned(a: $array, out: &mut $number) -> $array {
            *out -= a[0] * $sum;
            [a[1], a[0]]
        }

        #[gpu_fn]
        fn twice(step: impl Fn($number) -> $number, start: $number) -> $number {
            step(step(start))
        }

        #[gpu_kernel]
        fn $kernel($y: $slice) {
            let mut $pairs = [[1, 2], [3, 4]];
            let scaled = $sum * 10 - -$sum;
            $place[0] += 5;
            $place[$literal] *= $sum;
            $place.swap(0, 1);
            let mut rest: $number = $literal;
            for v in $walk {
                rest += v;
            }
            while $test && rest < 40 {
                rest += $sum;
            }
            std::mem::swap(&mut $place[0], &mut rest);
            $place = turned($place, &mut rest);
            let held: $some = raised($sum, Some(twice($scale, 2)));
            let tile = {
                let mut tile = shared!([$number; 1 + $literal]);
                tile[$literal] = $sum % 2;
                tile[$literal]
            };
            assert!($sum == $sum);
            $y[0] = scaled;
            $y[1] = $place[0] * 1000 + $place[1];
            $y[2] = rest;
            $y[3] = held.unwrap_or(-1) + tile;
            $y[4] = $pair.a * 10 + (&$pair).b;
            $y[5] = match ($literal, $sum) {
                $pattern => $sum as $number,
                _ => 0,
            };
            $y[6] = matches!(($sum, 1), $pattern) as $number + $pairs[0][0];
            $y[7] = <$number>::FIRST.combined($sum).above_first().unwrap_or(<$number as Combined>::FIRST);
            $y[8] = 7u8.combined(<u8>::FIRST).above_first().map_or(-1, |v| v as $number);
        }
    };
}

fragments! {
    generated(y: &mut [i32], pairs), Option<i32>, [i32; 2], i32, 1 + 2, pairs[1], |v: i32| v * 3,
    (0..4).map(|v| v + 1), pairs[0][0] > 0 && pairs[0][1] > 0, Pair { a: 5, b: 6 }, (1, 3), 1
}

#[test]
fn fragments_mean_what_they_do_in_rust() {
    everywhere::<generated>(&(), |gpu| {
        let y = written(gpu, (9, 0), |y| generated(y).grid(1).block(1).launch(gpu));
        // pairs[1]: [3, 4], [8, 12], [12, 8]; rest: 1 + 1 + 2 + 3 + 4 = 11, then 41; exchanged: [41, 8] and 12, turned: [8, 41].
        assert_eq!(y, [33, 8041, 12 - 41 * 3, 18 + 3 + 1, 56, 3, 1, 5, 4]);
    });
}
