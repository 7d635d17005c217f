//! `attention_backward`: the call, and which kernel takes it.

use warpsmith::args::SliceArg;
use warpsmith::driver::Limits;
use warpsmith::prelude::*;
use warpsmith::tensor::Swizzle128;
use warpsmith::tile::Unswizzled;

use super::kernel::{self, KEYS, PART};
use super::rows::{self, Vectors, attention_join, attention_means};
use crate::argument::{Input, Output, length};
use crate::attention::call::{NEEDS, check_size, map, same_extents, sharing};
use crate::attention::heads::{Heads, HeadsMut, Places};
use crate::attention::settings::Settings;
use crate::attention::shape::Shape;
use crate::call::{Call, Family, MOST_BLOCKS, Plan, Step, Target, short_name, step};
use crate::error::KernelError;
use crate::products::TensorCoreElement;

/// The gradients `[dq, dk, dv]` of an [`attention`](crate::attention::attention) with the inputs `[q, k, v]`, the results `o` and the
/// logarithms `lse`: of the sum of all `o * of_o`.
///
/// Inputs are those of the attention, with its settings; `o` and `lse` are its results. `of_o` has the extents of `o`, and each gradient
/// those of its input. Vectors have up to 128 elements.
///
/// | setting | does |
/// |---|---|
/// | [`causal()`](Call::causal) | leaves out the keys behind each query |
/// | [`window(left, right)`](Call::window) | leaves out keys more than `left` before each query, and more than `right` behind it |
/// | [`scale(s)`](Call::scale) | the scale of the scores; default: `1 / sqrt(size)` |
///
/// Sums are `f32`; weights and the gradients of scores are rounded to `T` before they multiply vectors. `dk` and `dv` are bit-identical in
/// each launch. Blocks add to `dq` in no fixed order, so its last bits may differ. A query whose logarithm is negative infinity has seen
/// no key, and its gradient is zero. A query whose logarithm is NaN makes its own gradient NaN, those of all keys and values that it sees,
/// and possibly others of the head.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::attention::{attention, attention_backward, heads, heads_mut};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// // A head of two tokens.
/// let extents = [1, 1, 2, 8];
/// let x = gpu.upload(&[bf16::from_f32(1.0); 2 * 8])?;
/// let (mut o, mut lse) = (gpu.upload(&[bf16::ZERO; 2 * 8])?, gpu.upload(&[0.0f32; 2])?);
/// let of_x = || heads(&x, extents);
/// attention(&gpu, of_x()?, of_x()?, of_x()?, heads_mut(&mut o, extents)?).lse(&mut lse).run()?;
///
/// let [mut dq, mut dk, mut dv] = [gpu.alloc_zeroed(16)?, gpu.alloc_zeroed(16)?, gpu.alloc_zeroed(16)?];
/// let gradients = [heads_mut(&mut dq, extents)?, heads_mut(&mut dk, extents)?, heads_mut(&mut dv, extents)?];
/// attention_backward(&gpu, [of_x()?, of_x()?, of_x()?], heads(&o, extents)?, &lse, of_x()?, gradients).run()?;
/// // Each value has one half of the weight of each query.
/// assert_eq!(gpu.download(&dv)?, [bf16::from_f32(1.0); 16]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if the arguments do not fit together, do not begin at multiples of 16 bytes, or have
/// vectors of more than 128 elements; [`KernelError::Overlap`] if results share memory with another argument; [`KernelError::Device`] for
/// a device that has no warpgroups.
pub fn attention_backward<'a, T: TensorCoreElement>(
    device: &Device,
    [q, k, v]: [Heads<'a, T>; 3],
    o: Heads<'a, T>,
    lse: impl SliceArg<'a, f32>,
    of_o: Heads<'a, T>,
    [dq, dk, dv]: [HeadsMut<'a, T>; 3],
) -> Call<'a, AttentionBackward<'a, T>> {
    let (lse, settings) = (Input::new(lse), Settings::default());
    Call::new(device, AttentionBackward { q, k, v, o, lse, of_o, dq, dk, dv, settings })
}

/// The gradients of an attention with its arguments.
pub struct AttentionBackward<'a, T> {
    q: Heads<'a, T>,
    k: Heads<'a, T>,
    v: Heads<'a, T>,
    o: Heads<'a, T>,
    lse: Input<'a, f32>,
    of_o: Heads<'a, T>,
    dq: HeadsMut<'a, T>,
    dk: HeadsMut<'a, T>,
    dv: HeadsMut<'a, T>,
    settings: Settings,
}

/// An instance of the kernel for vectors up to a size.
#[derive(Clone, Copy)]
struct Choice {
    /// The size that vectors are filled to with zeros.
    size: usize,
    /// Queries of a step.
    queries: usize,
}

const CHOICES: [Choice; 2] = [Choice { size: 64, queries: 128 }, Choice { size: 128, queries: 64 }];

/// Numbers of the launches of a call.
struct Extents {
    /// Heads of queries of all sequences; at least one.
    lines: usize,
    /// Queries of a head, filled up to whole steps; at least one.
    filled: usize,
    /// Parts of the gradients of queries.
    parts: usize,
    /// Tiles of keys of all heads.
    blocks: usize,
}

impl<T: TensorCoreElement> AttentionBackward<'_, T> {
    /// With other settings.
    pub(in crate::attention) fn with(self, change: impl FnOnce(Settings) -> Settings) -> Self {
        Self { settings: change(self.settings), ..self }
    }

    fn check(&self) -> Result<(), KernelError> {
        let (q, k) = (self.q.places(), self.k.places());
        for (name, places) in [("o", self.o.places()), ("of_o", self.of_o.places()), ("dq", self.dq.places())]
        {
            same_extents(name, places, q, "those of `q`")?;
        }
        for (name, places) in [("v", self.v.places()), ("dk", self.dk.places()), ("dv", self.dv.places())] {
            same_extents(name, places, k, "those of `k`")?;
        }
        let like_q = Places { heads: k.heads, tokens: k.tokens, ..q };
        same_extents("k", k, like_q, "the sequences and the size of `q`")?;
        sharing(q, k)?;
        check_size(q.size, 128)?;
        self.settings.check(q, k)?;
        length("lse", self.lse.len(), q.sequences * q.heads * q.tokens, "one for each query of each head")?;
        self.check_memory()
    }

    fn check_memory(&self) -> Result<(), KernelError> {
        let inputs = [("q", &self.q), ("k", &self.k), ("v", &self.v), ("o", &self.o), ("of_o", &self.of_o)];
        let results = [("dq", &self.dq), ("dk", &self.dk), ("dv", &self.dv)];
        for (name, input) in inputs {
            input.places().in_units(name, input.memory().misalignment())?;
        }
        for (i, (name, result)) in results.into_iter().enumerate() {
            result.places().in_units(name, result.memory().misalignment())?;
            for (of, input) in inputs {
                result.memory().apart_from(name, input.memory(), of)?;
            }
            result.memory().apart_from(name, &self.lse, "lse")?;
            for (of, other) in &results[..i] {
                result.memory().apart_from(name, &other.memory().read(), of)?;
            }
        }
        Ok(())
    }

    /// The instance for the vectors' size.
    fn choice(&self) -> &'static Choice {
        if self.q.places().size <= CHOICES[0].size { &CHOICES[0] } else { &CHOICES[1] }
    }

    fn extents(&self) -> Extents {
        let (q, k, choice) = (self.q.places(), self.k.places(), self.choice());
        let lines = (q.sequences * q.heads).max(1);
        let filled = q.tokens.max(1).next_multiple_of(choice.queries);
        Extents {
            lines,
            filled,
            parts: lines * filled * choice.size / PART,
            blocks: k.sequences * k.heads * k.tokens.div_ceil(KEYS),
        }
    }
}

impl<'a, T: TensorCoreElement> Family<'a> for AttentionBackward<'a, T> {
    const NEEDS: (u32, u32) = NEEDS;

    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let types = short_name::<T>();
        if self.q.places().is_empty() && self.k.places().is_empty() {
            return Ok(Plan::nothing(types, "there are neither queries nor keys"));
        }
        let (kernel, Choice { size, queries }) = ("attention_backward", *self.choice());
        if limits.compute.0 != 9 {
            return Err(KernelError::Device { kernel, needs: Self::NEEDS, has: limits.compute });
        }
        let Extents { lines, filled, parts, blocks } = self.extents();
        // A block writes the means of 16 queries.
        let most = parts.max(lines.saturating_mul(filled) / rows::QUERIES).max(blocks);
        if most > MOST_BLOCKS {
            return Err(KernelError::Shape {
                what: "q",
                expected: format!("up to {MOST_BLOCKS} times 16 queries, and tiles of {KEYS} keys"),
                got: format!("{most} of them"),
                way_out: "pass some of the heads or sequences at a time",
            });
        }
        let (kernel, grid, block, shared) = if blocks > 0 {
            (kernel, blocks, kernel::THREADS, kernel::shared(size, queries))
        } else {
            ("attention_join", parts, rows::JOINING, rows::SHARED)
        };
        Ok(Plan {
            kernel,
            types: format!("{types}, {size}"),
            tile: KEYS * size,
            grid: grid as u32,
            block,
            shared,
            workspace: lines * filled * (2 + size) * size_of::<f32>(),
            why: format!(
                "{blocks} tiles of {KEYS} keys, {queries} queries at a time, by warpgroups and the copy engine; blocks add to `dq`"
            ),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.block == 0 {
            return Ok(Vec::new());
        }
        match self.choice().size {
            64 => self.launches::<64, 128>(target),
            _ => self.launches::<128, 64>(target),
        }
    }
}

/// Device memory between the steps of a call: its first step owns it.
struct Workspace<'a> {
    /// Logarithms and means of queries.
    numbers: Input<'a, f32>,
    /// Gradients of queries, which blocks add to.
    added: Output<'a, F32x4>,
    /// The same, once they are added.
    joined: Input<'a, F32x4>,
}

impl<'a, T: TensorCoreElement> AttentionBackward<'a, T> {
    /// The means of queries, the gradients of keys and values, and those of queries from their parts.
    fn launches<const D: usize, const QUERIES: usize>(
        self,
        target: &Target,
    ) -> Result<Vec<Step<'a>>, KernelError> {
        let (at_q, at_k, has_queries) = (self.q.places(), self.k.places(), !self.q.places().is_empty());
        let Extents { lines, filled, parts, blocks } = self.extents();
        let shape =
            self.settings.shape(if has_queries { at_q } else { Places { tokens: 0, ..at_k } }, at_k, 1);
        let (means, Workspace { numbers, added, joined }) = self.means::<D>(target, shape)?;
        let mut steps = vec![means];
        let scale = self.settings.scale_of(at_q.size);
        let Self { q, k, v, of_o, dq, dk, dv, .. } = self;
        let device = &target.device;
        if blocks > 0 {
            // Without queries, nothing reads their maps.
            let (q, of_o) = if has_queries { (q, of_o) } else { (k.clone(), k.clone()) };
            let q: TensorMap4<'a, T, 1, 1, QUERIES, 64, Swizzle128> = map!(device.tensor_map4(q));
            let of_o: TensorMap4<'a, T, 1, 1, QUERIES, 64, Swizzle128> = map!(device.tensor_map4(of_o));
            let k: TensorMap4<'a, T, 1, 1, KEYS, 64, Swizzle128> = map!(device.tensor_map4(k));
            let v: TensorMap4<'a, T, 1, 1, KEYS, 64, Swizzle128> = map!(device.tensor_map4(v));
            let numbers: TensorMap<'a, f32, 1, QUERIES, Unswizzled> =
                device.tensor_map(numbers, [2 * lines, filled], filled)?;
            let mut added: Output<'a, f32> = added.into_values();
            let mut dk: TensorMapMut4<'a, T, 1, 1, 64, 64, Swizzle128> = map!(device.tensor_map4_mut(dk));
            let mut dv: TensorMapMut4<'a, T, 1, 1, 64, 64, Swizzle128> = map!(device.tensor_map4_mut(dv));
            steps.push(step!(
                target,
                (blocks as u32, kernel::THREADS),
                kernel::attention_backward::<T, D, QUERIES>(
                    &q, &k, &v, &of_o, &numbers, &mut added, &mut dk, &mut dv, shape, scale
                )
            ));
        }
        if has_queries {
            let mut dq: TensorMapMut4<'a, T, 1, 1, 64, 64, Swizzle128> = map!(device.tensor_map4_mut(dq));
            steps.push(step!(
                target,
                (parts as u32, rows::JOINING),
                attention_join::<T, D, QUERIES>(&joined, &mut dq, shape, scale)
            ));
        }
        Ok(steps)
    }

    /// The step that computes means, and the memory that it owns.
    fn means<const D: usize>(
        &self,
        target: &Target,
        shape: Shape,
    ) -> Result<(Step<'a>, Workspace<'a>), KernelError> {
        let Extents { lines, filled, parts, .. } = self.extents();
        let q = self.q.places();
        // Each is written before it is read.
        let mut numbers: Box<Buffer<f32>> = Box::new(target.device.alloc_uninit(2 * lines * filled)?);
        let mut sums: Box<Buffer<F32x4>> = Box::new(target.device.alloc_uninit(parts * PART / 4)?);
        // SAFETY: the step owns both buffers.
        let workspace = unsafe {
            Workspace {
                numbers: Input::of_step(&numbers),
                added: Output::of_step(&mut sums),
                joined: Input::of_step(&sums),
            }
        };
        let at = Vectors {
            size: if q.is_empty() { 0 } else { q.size as u32 },
            filled: filled as u32,
            o: self.o.places().strides,
            of_o: self.of_o.places().strides,
        };
        let (o, of_o, lse) = (self.o.memory().clone(), self.of_o.memory().clone(), self.lse.clone());
        let grid = ((lines * filled / rows::QUERIES) as u32, rows::THREADS);
        let packs = (D / 4) as u32;
        let step = step!(
            target,
            grid,
            attention_means::<T>(&o, &of_o, &lse, &mut *numbers, &mut *sums, packs, at, shape)
        );
        Ok((step, workspace))
    }
}
