//! The rounding of doubles at every tie, and the small types against those of the crate.

use super::{Nearest, bf16, f16, nearest_half, small};

/// The double between each two neighbours, and those beside it, are rounded to the even one of the two and to the nearer.
fn ties(infinity: u16, widen: impl Fn(u16) -> f64, nearest: impl Fn(f64) -> u16) {
    // Behind the greatest number rounding goes on as if the next were finite.
    let next = 2.0 * widen(infinity - 1) - widen(infinity - 2);
    for (sign, negative) in [(1.0, 0), (-1.0, 0x8000)] {
        for low in 0..infinity {
            let high = if low + 1 == infinity { next } else { widen(low + 1) };
            let tie = (widen(low) + high) / 2.0;
            let got = [tie.next_down(), tie, tie.next_up()].map(|x| nearest(sign * x));
            assert_eq!(got, [low, low + low % 2, low + 1].map(|bits| bits | negative), "{:e}", sign * tie);
            assert_eq!(nearest(sign * widen(low)), low | negative);
        }
        assert_eq!([next, f64::MAX, f64::INFINITY].map(|x| nearest(sign * x)), [infinity | negative; 3]);
        assert_eq!([0.0, 5e-324].map(|x| nearest(sign * x)), [negative; 2]);
        assert!((nearest(sign * f64::NAN) & 0x7fff) > infinity);
    }
}

#[test]
fn a_tie_goes_to_the_even_neighbour_and_what_is_beside_it_to_the_nearer() {
    ties(0x7c00, |bits| f16::from_bits(bits).to_f64(), |x| f16::nearest(x).to_bits());
    ties(0x7f80, |bits| bf16::from_bits(bits).to_f64(), |x| bf16::nearest(x).to_bits());
    ties(0x7c00, |bits| f16::from_bits(bits).to_f64(), |x| f16::from_f64_const(nearest_half(x)).to_bits());
}

/// Doubles around every number of a format and between neighbours, and many of random bits.
fn doubles(bits_to_f64: impl Fn(u16) -> f64) -> Vec<f64> {
    let mut all: Vec<f64> = (0..=u16::MAX).map(&bits_to_f64).filter(|x| x.is_finite()).collect();
    all.sort_by(f64::total_cmp);
    let between: Vec<f64> = all.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).collect();
    let steps = between.iter().flat_map(|x| [x.next_down(), *x, x.next_up()]).collect::<Vec<_>>();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let random = std::iter::repeat_with(|| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        f64::from_bits(state ^ state >> 29)
    });
    let ends = [
        0.0,
        -0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN_POSITIVE,
        65_520.0,
        65_519.99,
        3.4e38,
    ];
    all.into_iter().chain(steps).chain(random.take(100_000)).chain(ends).collect()
}

macro_rules! same {
    ($($test:ident $name:ident;)+) => {$(
        #[test]
        fn $test() {
            type Crate = ::half::$name;
            type Small = small::$name;
            for bits in 0..=u16::MAX {
                let (expected, found) = (Crate::from_bits(bits).to_f64(), Small::from_bits(bits).to_f64());
                assert_eq!((expected.to_bits(), expected.is_nan()), (found.to_bits(), found.is_nan()), "{bits:#x}");
            }
            for x in doubles(|bits| Crate::from_bits(bits).to_f64()).into_iter().filter(|x| !x.is_nan()) {
                let narrow = x as f32;
                assert_eq!(Crate::from_f32(narrow).to_bits(), Small::from_f32(narrow).to_bits(), "{narrow:e}");
                assert_eq!(Crate::nearest(x).to_bits(), Small::from_f64(x).to_bits(), "{x:e}");
            }
            assert!(Small::from_f64(f64::NAN).to_f32().is_nan());
            assert_eq!(Crate::MAX.to_bits(), Small::MAX.to_bits());
            assert_eq!(Crate::ONE.to_bits(), Small::ONE.to_bits());
        }
    )+};
}

same! {
    halves_are_those_of_the_crate f16;
    brain_floats_are_those_of_the_crate bf16;
}
