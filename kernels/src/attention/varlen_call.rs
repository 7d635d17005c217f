//! `varlen_attention`: the call, and which kernel takes it.

use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::prelude::*;
use warpsmith::tensor::Swizzle128;

use super::call::{Attention, NEEDS, map};
use super::heads::{Heads, HeadsMut, Places};
use super::settings::Settings;
use super::shape::ALL;
use super::varlen::{Packed, varlen_by_three, varlen_by_two};
use crate::argument::{Input, Output};
use crate::call::{Call, Family, Plan, Step, Target, short_name, step};
use crate::error::KernelError;
use crate::products::TensorCoreElement;
use crate::segments::numbers;

/// [`attention`](super::attention) of sequences of any lengths, whose tokens lie one after another.
///
/// `q`, `o`: `[1, heads, queries of all sequences, size]`; `k`, `v`: `[1, heads of keys, keys of all sequences, size]`, as
/// [`packed`](super::packed) makes them. The queries of sequence `s` are `offsets_q[s]..offsets_q[s + 1]`, and its keys and values are
/// given by `offsets_k` in the same way; other libraries call these prefix sums `cu_seqlens`. There is one more offset than sequences.
/// Sequences may be empty. Results of queries before the first sequence and after the last do not change, and data there, or in another
/// sequence, does not influence any result. Heads are shared, and results without keys are defined, as in
/// [`attention`](super::attention).
///
/// | setting | does |
/// |---|---|
/// | [`causal()`](Call::causal) | leaves out the keys behind each query; the last query of a sequence belongs to its last key |
/// | [`window(left, right)`](Call::window) | leaves out keys more than `left` before each query, and more than `right` behind it |
/// | [`scale(s)`](Call::scale) | multiplies the scores; default: `1 / sqrt(size)` |
/// | [`lse(&mut l)`](Call::lse) | also writes the logarithm of the sum of `e^score` of each query: `[heads, queries of all sequences]` |
///
/// Offsets that decrease or exceed the number of tokens end the launch with a fault; nothing outside the arguments is read or written.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::attention::{packed, packed_mut, varlen_attention};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// // Sequences of two tokens, of none and of one.
/// let offsets = gpu.upload(&[0u32, 2, 2, 3])?;
/// let x = gpu.upload(&[bf16::from_f32(1.0); 3 * 8])?;
/// let v = gpu.upload(&[0.0f32, 3.0, 6.0].map(|x| [bf16::from_f32(x); 8]).concat())?;
/// let mut o = gpu.upload(&[bf16::ZERO; 3 * 8])?;
/// let extents = [3, 1, 8]; // tokens, heads, elements
/// let (q, k, v) = (packed(&x, extents)?, packed(&x, extents)?, packed(&v, extents)?);
/// varlen_attention(&gpu, q, k, v, &offsets, &offsets, packed_mut(&mut o, extents)?).run()?;
/// // Equal weights: the mean of the sequence's values.
/// let first: Vec<f32> = gpu.download(&o)?.chunks(8).map(|x| x[0].to_f32()).collect();
/// assert_eq!(first, [1.5, 1.5, 6.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// Those of [`attention`](super::attention), and [`KernelError::Shape`] for offsets whose numbers differ.
pub fn varlen_attention<'a, T: TensorCoreElement>(
    device: &Device,
    q: Heads<'a, T>,
    k: Heads<'a, T>,
    v: Heads<'a, T>,
    offsets_q: impl SliceArg<'a, u32>,
    offsets_k: impl SliceArg<'a, u32>,
    o: HeadsMut<'a, T>,
) -> Call<'a, VarlenAttention<'a, T>> {
    let offsets = [Input::new(offsets_q), Input::new(offsets_k)];
    Call::new(device, VarlenAttention { all: Attention::new([q, k, v], o), offsets })
}

/// An attention of sequences of any lengths with its arguments.
pub struct VarlenAttention<'a, T> {
    /// All tokens, as if they were of one sequence.
    all: Attention<'a, T>,
    offsets: [Input<'a, u32>; 2],
}

impl<'a, T: TensorCoreElement> Call<'a, VarlenAttention<'a, T>> {
    /// Writes the natural logarithm of the sum of `e^score` of each query to `lse`: `[heads, queries of all sequences]`.
    pub fn lse(self, lse: impl SliceMutArg<'a, f32>) -> Self {
        let lse = Some(Output::new(lse));
        self.map(|of| VarlenAttention { all: Attention { lse, ..of.all }, ..of })
    }
}

/// Refuses tokens that are not those of one sequence, and offsets that do not belong to each other.
fn check_offsets(offsets: &[Input<'_, u32>; 2], q: Places, k: Places) -> Result<(), KernelError> {
    for (what, places) in [("q", q), ("k", k)] {
        if places.sequences != 1 {
            return Err(KernelError::Shape {
                what,
                expected: "one, with the tokens of all".to_owned(),
                got: format!("{} sequences", places.sequences),
                way_out: "make it with `packed`, whose extents are tokens, heads and elements of a vector",
            });
        }
    }
    let [of_q, of_k] = offsets.each_ref().map(Input::len);
    if of_q == 0 || of_q != of_k {
        return Err(KernelError::Shape {
            what: if of_q == 0 { "offsets_q" } else { "offsets_k" },
            expected: format!("{}, one more than sequences", of_q.max(1)),
            got: format!("{} elements", if of_q == 0 { of_q } else { of_k }),
            way_out: "an offset is the number of tokens of all sequences before; the last offset is the number of all tokens",
        });
    }
    Ok(())
}

impl<'a, T: TensorCoreElement> VarlenAttention<'a, T> {
    /// With other settings.
    pub(super) fn with(self, change: impl FnOnce(Settings) -> Settings) -> Self {
        Self { all: self.all.with(change), ..self }
    }

    fn check(&self) -> Result<(), KernelError> {
        let Attention { q, k, o, lse, .. } = &self.all;
        check_offsets(&self.offsets, q.places(), k.places())?;
        self.all.check()?;
        for (name, offsets) in ["offsets_q", "offsets_k"].into_iter().zip(&self.offsets) {
            o.memory().apart_from("o", offsets, name)?;
            if let Some(lse) = lse {
                lse.apart_from("lse", offsets, name)?;
            }
        }
        if self.filled() >= ALL as usize {
            return Err(KernelError::Shape {
                what: "offsets_q",
                expected: format!("fewer than {ALL} queries, if each sequence has one more tile of them"),
                got: format!("{} sequences", self.sequences()),
                way_out: "attend to some of the sequences after the others",
            });
        }
        Ok(())
    }

    fn sequences(&self) -> usize {
        self.offsets[0].len() - 1
    }

    /// Queries that fill the tiles of a head, with one more tile for each sequence.
    fn filled(&self) -> usize {
        let rows = self.all.choice().rows();
        numbers(self.sequences(), self.all.q.places().tokens, rows).saturating_mul(rows)
    }
}

impl<'a, T: TensorCoreElement> Family<'a> for VarlenAttention<'a, T> {
    const NEEDS: (u32, u32) = NEEDS;

    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let (q, choice) = (self.all.q.places(), self.all.choice());
        if q.is_empty() || self.sequences() == 0 {
            return Ok(Plan::nothing(short_name::<T>(), "there are no queries"));
        }
        let tiles = q.heads as u128 * (self.filled() / choice.rows()) as u128;
        choice.plan::<T>(choice.varlen, tiles, limits)
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        Ok(vec![match self.all.choice().size {
            64 => self.by_three::<64, 128, 2>(plan, target)?,
            128 => self.by_two::<128, 128, 2>(plan, target)?,
            _ => self.by_two::<256, 80, 1>(plan, target)?,
        }])
    }
}

/// A function that launches a kernel whose tiles have this number of queries.
macro_rules! launched {
    ($name:ident, $kernel:ident, $rows:expr) => {
        fn $name<const D: usize, const KEYS: usize, const TILES: usize>(
            self,
            plan: &Plan,
            target: &Target,
        ) -> Result<Step<'a>, KernelError> {
            let shape = self.all.shape(self.filled());
            let Self { all: Attention { q, k, v, o, lse, settings }, offsets: [offsets_q, offsets_k] } = self;
            let (of_q, of_k, of_o) = (q.places(), k.places(), o.places());
            let scale = settings.scale_of(of_q.size);
            let at = Packed {
                queries: of_q.tokens as u32,
                keys: of_k.tokens as u32,
                size: of_q.size as u32,
                o: [of_o.strides[1], of_o.strides[2]],
            };
            let device = &target.device;
            // Without keys, nothing reads these maps.
            let (k, v) = if of_k.is_empty() { (q.clone(), q.clone()) } else { (k, v) };
            let q: TensorMap4<'a, T, 1, 1, { $rows }, 64, Swizzle128> = map!(device.tensor_map4(q));
            let k: TensorMap4<'a, T, 1, 1, KEYS, 64, Swizzle128> = map!(device.tensor_map4(k));
            let v: TensorMap4<'a, T, 1, 1, KEYS, 64, Swizzle128> = map!(device.tensor_map4(v));
            let mut o = o.into_memory();
            let mut lse = lse.unwrap_or_else(|| o.nothing().into_values());
            let mut next: Buffer<u32> = device.alloc_zeroed(1)?;
            Ok(step!(
                target,
                (plan.grid, plan.block),
                $kernel::<T, D, KEYS, TILES>(
                    &q, &k, &v, &mut o, &mut lse, &mut next, shape, scale, &offsets_q, &offsets_k, at
                )
            ))
        }
    };
}

impl<'a, T: TensorCoreElement> VarlenAttention<'a, T> {
    launched!(by_two, varlen_by_two, 128);
    launched!(by_three, varlen_by_three, 192);
}
