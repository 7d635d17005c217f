//! `attention`: the call, and which kernel takes it.

use warpsmith::args::SliceMutArg;
use warpsmith::driver::Limits;
use warpsmith::prelude::*;
use warpsmith::tensor::Swizzle128;

use super::forward::{self, attention_by_three, attention_by_two};
use super::heads::{Heads, HeadsMut, Places, UNIT};
use super::settings::Settings;
use super::shape::Shape;
use crate::argument::{Output, length};
use crate::call::{Call, Family, Plan, Step, Target, short_name, step};
use crate::error::KernelError;
use crate::products::TensorCoreElement;

/// The compute capability that has warpgroups.
pub(super) const NEEDS: (u32, u32) = (9, 0);

/// Bytes of keys and values that blocks work on at a time: a part of the L2 cache.
const NEAR: usize = 32 << 20;

/// `o = softmax(scale * q * kᵀ) * v` of each head, computed in `f32`.
///
/// `q`, `o`: `[sequences, heads, queries, size]`; `k`, `v`: `[sequences, heads of keys, keys, size]`. The number of key heads divides the
/// number of query heads; consecutive query heads share a key head. `size` is a multiple of 8 up to 256. The last query is aligned with
/// the last key.
///
/// | setting | does |
/// |---|---|
/// | [`causal()`](Call::causal) | leaves out the keys behind each query |
/// | [`window(left, right)`](Call::window) | leaves out keys more than `left` before each query, and more than `right` behind it |
/// | [`scale(s)`](Call::scale) | multiplies the scores; default: `1 / sqrt(size)` |
/// | [`lse(&mut l)`](Call::lse) | also writes the logarithm of the sum of `e^score` of each query |
///
/// A query without a key, or whose scores are all negative infinity, gets the result zero and negative infinity as its logarithm. A score
/// that is NaN or positive infinity makes the query's result NaN. Weights are rounded to `T` before they multiply values, so an infinite
/// value makes a result NaN if its weight rounds to zero.
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::attention::{attention, heads, heads_mut};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// // Two heads of queries that share a head of keys; three tokens.
/// let x = gpu.upload(&[bf16::from_f32(1.0); 2 * 3 * 8])?;
/// let v = gpu.upload(&[0.0f32, 3.0, 6.0].map(|x| [bf16::from_f32(x); 8]).concat())?;
/// let mut o = gpu.upload(&[bf16::ZERO; 2 * 3 * 8])?;
/// let (q, k) = (heads(&x, [1, 2, 3, 8])?, heads(&x, [1, 1, 3, 8])?);
/// attention(&gpu, q, k, heads(&v, [1, 1, 3, 8])?, heads_mut(&mut o, [1, 2, 3, 8])?).causal().run()?;
/// // Equal weights: the mean of the values so far.
/// let first: Vec<f32> = gpu.download(&o)?.chunks(8).map(|x| x[0].to_f32()).collect();
/// assert_eq!(first, [0.0, 1.5, 3.0, 0.0, 1.5, 3.0]);
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if the arguments do not fit together, or do not begin at multiples of 16 bytes;
/// [`KernelError::Overlap`] if results share memory with another argument; [`KernelError::Device`] for a device that has no warpgroups.
pub fn attention<'a, T: TensorCoreElement>(
    device: &Device,
    q: Heads<'a, T>,
    k: Heads<'a, T>,
    v: Heads<'a, T>,
    o: HeadsMut<'a, T>,
) -> Call<'a, Attention<'a, T>> {
    Call::new(device, Attention::new([q, k, v], o))
}

/// An attention with its arguments.
pub struct Attention<'a, T> {
    pub(super) q: Heads<'a, T>,
    pub(super) k: Heads<'a, T>,
    pub(super) v: Heads<'a, T>,
    pub(super) o: HeadsMut<'a, T>,
    pub(super) lse: Option<Output<'a, f32>>,
    pub(super) settings: Settings,
}

impl<'a, T: TensorCoreElement> Call<'a, Attention<'a, T>> {
    /// Writes the natural logarithm of the sum of `e^score` of each query to `lse`: `[sequences, heads, queries]`.
    pub fn lse(self, lse: impl SliceMutArg<'a, f32>) -> Self {
        self.map(|of| Attention { lse: Some(Output::new(lse)), ..of })
    }
}

/// A kernel for vectors up to a size: the only table of the family.
pub(super) struct Choice {
    kernel: &'static str,
    /// The same for sequences of any lengths.
    pub varlen: &'static str,
    /// The size that vectors are filled to with zeros.
    pub size: usize,
    /// Warpgroups that multiply.
    pub groups: usize,
    /// Keys of a step.
    pub keys: usize,
    /// Tiles of shared memory for queries and results: with one, the results replace the queries.
    pub tiles: usize,
}

const CHOICES: [Choice; 3] = [
    Choice {
        kernel: "attention_by_three",
        varlen: "varlen_by_three",
        size: 64,
        groups: 3,
        keys: 128,
        tiles: 2,
    },
    Choice { kernel: "attention_by_two", varlen: "varlen_by_two", size: 128, groups: 2, keys: 128, tiles: 2 },
    Choice { kernel: "attention_by_two", varlen: "varlen_by_two", size: 256, groups: 2, keys: 80, tiles: 1 },
];

impl Choice {
    /// Queries of a tile.
    pub fn rows(&self) -> usize {
        64 * self.groups
    }

    /// The plan of a number of tiles for all multiprocessors of a device; `T` has two bytes.
    ///
    /// # Errors
    /// Too many tiles, or a device without warpgroups.
    pub fn plan<T>(&self, kernel: &'static str, tiles: u128, limits: &Limits) -> Result<Plan, KernelError> {
        let (rows, &Self { size, groups, keys, tiles: of_block, .. }) = (self.rows(), self);
        if limits.compute.0 != 9 {
            return Err(KernelError::Device { kernel, needs: NEEDS, has: limits.compute });
        }
        if tiles > 1 << 31 {
            return Err(KernelError::Shape {
                what: "q",
                expected: format!("up to {} tiles of {rows} queries", 1u32 << 31),
                got: format!("{tiles} of them"),
                way_out: "attend to parts of the sequences one after another",
            });
        }
        Ok(Plan {
            kernel,
            types: format!("{}, {size}", short_name::<T>()),
            tile: rows * size,
            grid: (tiles as u32).min(limits.multiprocessors),
            block: (groups as u32 + 1) * 128,
            shared: forward::shared(rows, keys, size, of_block) * size_of::<T>(),
            workspace: size_of::<u32>(),
            why: format!(
                "{tiles} tiles of {rows} queries, {keys} keys at a time, by warpgroups and the copy engine"
            ),
        })
    }
}

impl<'a, T: TensorCoreElement> Attention<'a, T> {
    pub(super) fn new([q, k, v]: [Heads<'a, T>; 3], o: HeadsMut<'a, T>) -> Self {
        Self { q, k, v, o, lse: None, settings: Settings::default() }
    }

    /// With other settings.
    pub(super) fn with(self, change: impl FnOnce(Settings) -> Settings) -> Self {
        Self { settings: change(self.settings), ..self }
    }

    pub(super) fn check(&self) -> Result<(), KernelError> {
        let (q, k, v, o) = (self.q.places(), self.k.places(), self.v.places(), self.o.places());
        same_extents("o", o, q, "those of `q`")?;
        same_extents("v", v, k, "those of `k`")?;
        same_extents(
            "k",
            k,
            Places { heads: k.heads, tokens: k.tokens, ..q },
            "the sequences and the size of `q`",
        )?;
        sharing(q, k)?;
        check_size(q.size, 256)?;
        self.settings.check(q, k)?;
        if let Some(lse) = &self.lse {
            length("lse", lse.len(), q.sequences * q.heads * q.tokens, "one for each query of each head")?;
        }
        self.check_memory()
    }

    fn check_memory(&self) -> Result<(), KernelError> {
        let inputs = [("q", &self.q), ("k", &self.k), ("v", &self.v)];
        for (name, input) in inputs {
            input.places().in_units(name, input.memory().misalignment())?;
            self.o.memory().apart_from("o", input.memory(), name)?;
            if let Some(lse) = &self.lse {
                lse.apart_from("lse", input.memory(), name)?;
            }
        }
        if let Some(lse) = &self.lse {
            lse.apart_from("lse", &self.o.memory().read(), "o")?;
        }
        self.o.places().in_units("o", self.o.memory().misalignment())
    }

    /// The kernel for the vectors' size.
    pub(super) fn choice(&self) -> &'static Choice {
        let size = self.q.places().size;
        CHOICES.iter().find(|choice| size <= choice.size).unwrap_or(&CHOICES[2])
    }

    /// The extents as the kernels have them, with this number of queries of a head.
    pub(super) fn shape(&self, queries: usize) -> Shape {
        let (q, k) = (Places { tokens: queries, ..self.q.places() }, self.k.places());
        let sharing = q.heads / k.heads.max(1);
        let of_head = (4 * k.tokens * self.choice().size).max(1);
        let near = (NEAR / of_head).max(1).saturating_mul(sharing).min(q.sequences * q.heads);
        self.settings.shape(q, k, near)
    }
}

/// Refuses heads of other extents.
pub(super) fn same_extents(
    what: &'static str,
    got: Places,
    wanted: Places,
    why: &str,
) -> Result<(), KernelError> {
    if got.extents() == wanted.extents() {
        return Ok(());
    }
    Err(KernelError::Shape {
        what,
        expected: format!("{:?}, {why}", wanted.extents()),
        got: format!("the extents {:?}", got.extents()),
        way_out: "extents are sequences, heads, tokens and elements of a vector",
    })
}

/// Refuses heads of keys that cannot be shared equally.
pub(super) fn sharing(q: Places, k: Places) -> Result<(), KernelError> {
    let is_shared = if k.heads == 0 { q.heads == 0 } else { q.heads.is_multiple_of(k.heads) };
    if is_shared {
        return Ok(());
    }
    Err(KernelError::Shape {
        what: "k",
        expected: format!("a number of heads that divides the {} of `q`", q.heads),
        got: format!("{} heads", k.heads),
        way_out: "as many heads of queries share each head of keys",
    })
}

/// Refuses vectors that no kernel takes.
pub(super) fn check_size(size: usize, most: usize) -> Result<(), KernelError> {
    if size <= most && size.is_multiple_of(UNIT) {
        return Ok(());
    }
    Err(KernelError::Shape {
        what: "q",
        expected: format!("a multiple of {UNIT} up to {most}"),
        got: format!("vectors of {size} elements"),
        way_out: if size > most {
            "`gemm` and `softmax` take scores of wider vectors"
        } else {
            "copy shorter vectors to longer ones that end with zeros"
        },
    })
}

/// Refuses factors that change the order of scores.
pub(super) fn check_scale(scale: Option<f32>) -> Result<(), KernelError> {
    match scale {
        Some(scale) if !(scale > 0.0 && scale.is_finite()) => Err(KernelError::Shape {
            what: "scale",
            expected: "a positive number".to_owned(),
            got: format!("the value {scale}"),
            way_out: "negate the queries instead",
        }),
        _ => Ok(()),
    }
}

impl<'a, T: TensorCoreElement> Family<'a> for Attention<'a, T> {
    const NEEDS: (u32, u32) = NEEDS;

    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let q = self.q.places();
        if q.is_empty() {
            return Ok(Plan::nothing(short_name::<T>(), "there are no queries"));
        }
        let choice = self.choice();
        let tiles = (q.sequences as u128 * q.heads as u128) * q.tokens.div_ceil(choice.rows()) as u128;
        choice.plan::<T>(choice.kernel, tiles, limits)
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        Ok(vec![match self.choice().size {
            64 => self.by_three::<64, 128, 2>(plan, target)?,
            128 => self.by_two::<128, 128, 2>(plan, target)?,
            _ => self.by_two::<256, 80, 1>(plan, target)?,
        }])
    }
}

/// The map of heads.
macro_rules! map {
    ($device:ident.$map:ident($heads:ident)) => {{
        let places = $heads.places();
        $device.$map($heads.into_memory(), places.extents(), places.mapped())?
    }};
}
pub(super) use map;

/// A function that launches a kernel whose tiles have this number of queries.
macro_rules! launched {
    ($name:ident, $kernel:ident, $rows:expr) => {
        fn $name<const D: usize, const KEYS: usize, const TILES: usize>(
            self,
            plan: &Plan,
            target: &Target,
        ) -> Result<Step<'a>, KernelError> {
            let shape = self.shape(self.q.places().tokens);
            let scale = self.settings.scale_of(self.q.places().size);
            let device = &target.device;
            let Self { q, k, v, o, lse, .. } = self;
            // Without keys, nothing reads these maps.
            let (k, v) = if k.places().is_empty() { (q.clone(), q.clone()) } else { (k, v) };
            let q: TensorMap4<'a, T, 1, 1, { $rows }, 64, Swizzle128> = map!(device.tensor_map4(q));
            let k: TensorMap4<'a, T, 1, 1, KEYS, 64, Swizzle128> = map!(device.tensor_map4(k));
            let v: TensorMap4<'a, T, 1, 1, KEYS, 64, Swizzle128> = map!(device.tensor_map4(v));
            let mut lse = match lse {
                Some(lse) => lse,
                None => o.memory().nothing().into_values(),
            };
            let mut o: TensorMapMut4<'a, T, 1, 1, 64, 64, Swizzle128> = map!(device.tensor_map4_mut(o));
            let mut next: Buffer<u32> = device.alloc_zeroed(1)?;
            Ok(step!(
                target,
                (plan.grid, plan.block),
                $kernel::<T, D, KEYS, TILES>(&q, &k, &v, &mut o, &mut lse, &mut next, shape, scale)
            ))
        }
    };
}

impl<'a, T: TensorCoreElement> Attention<'a, T> {
    launched!(by_two, attention_by_two, 128);
    launched!(by_three, attention_by_three, 192);
}
