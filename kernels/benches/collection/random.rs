//! Fills with random numbers.

use warpsmith_kernels::random::{Normal, Numbers, Uniform, fill_normal, fill_uniform, words};

use crate::function::Work::Bytes;
use crate::function::{Function, Result, check, kept, launches};

/// The seed of all fills.
const SEED: u64 = 7;

/// Sizes are numbers of elements.
pub const FUNCTIONS: &[Function] = &[
    Function::new("uniform_f32", Bytes(4.0), |d, n| {
        let y = kept(d.alloc_zeroed::<f32>(n)?);
        fill_uniform(d, &mut *y, SEED).run()?;
        compare::<Uniform>(&d.download(y)?)?;
        launches(d, fill_uniform(d, y, SEED))
    }),
    Function::new("normal_f32", Bytes(4.0), |d, n| {
        let y = kept(d.alloc_zeroed::<f32>(n)?);
        fill_normal(d, &mut *y, SEED).run()?;
        compare::<Normal>(&d.download(y)?)?;
        launches(d, fill_normal(d, y, SEED))
    }),
];

/// Compares some numbers with those of the host, bit for bit.
fn compare<N: Numbers<Number = f32>>(got: &[f32]) -> Result<()> {
    let same = (0u64..).zip(got.chunks(4)).step_by(101).all(|(k, four)| {
        let want = N::of(words(SEED, k));
        four.iter().zip(want).all(|(got, want)| got.to_bits() == want.to_bits())
    });
    check(same, || format!("wrong numbers among {}", got.len()))
}
