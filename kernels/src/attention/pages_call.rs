//! `paged_attention`: the call, and how many blocks share a sequence.

use warpsmith::Device;
use warpsmith::args::{SliceArg, SliceMutArg};
use warpsmith::driver::Limits;
use warpsmith::prelude::*;

use super::call::{check_scale, check_size, same_extents, sharing};
use super::heads::{Heads, HeadsMut, Places};
use super::pages::{self, Paged, ROWS, Sum, THREADS, attention_to_pages, tokens};
use crate::argument::{Input, Matrix, Output, length, side_by_side};
use crate::call::{Call, Family, MOST_BLOCKS, Plan, Step, Target, short_name, step};
use crate::error::KernelError;
use crate::products::TensorCoreElement;

/// Starting a block and joining its results take as long as this number of tokens, on an H200.
const TOKENS_OF_A_START: usize = 200;

/// Attention of one query of each sequence, its last token, to keys and values in pages, computed in `f32`.
///
/// `q`, `o`: `[sequences, heads, 1, size]`; `k`, `v`: `[pages, heads of keys, tokens of a page, size]`. Row `s` of `table` lists the pages
/// of sequence `s` in order, and `lengths[s]` is the number of its tokens. Heads are shared, and results without keys are defined, as in
/// [`attention`](super::attention). A page that does not exist, or more tokens than the row of the table covers, ends the launch with a
/// fault.
///
/// [`scale`](Call::scale) and [`lse`](Call::lse) are as in [`attention`](super::attention).
///
/// ```
/// use warpsmith::prelude::*;
/// use warpsmith_kernels::argument::matrix;
/// use warpsmith_kernels::attention::{heads, heads_mut, paged_attention};
///
/// # fn main() -> Result<(), warpsmith_kernels::KernelError> {
/// # let gpu = Device::simulator();
/// // Three pages of two tokens; a sequence of three tokens in pages 2 and 0.
/// let vectors = |x: &[f32]| gpu.upload(&x.iter().flat_map(|x| [bf16::from_f32(*x); 8]).collect::<Vec<_>>());
/// let (q, k) = (vectors(&[1.0])?, vectors(&[1.0; 6])?);
/// let v = vectors(&[6.0, 100.0, 100.0, 100.0, 0.0, 3.0])?;
/// let (table, lengths) = (gpu.upload(&[2u32, 0])?, gpu.upload(&[3u32])?);
/// let mut o = vectors(&[0.0])?;
/// let (of_k, of_v) = (heads(&k, [3, 1, 2, 8])?, heads(&v, [3, 1, 2, 8])?);
/// let to = heads_mut(&mut o, [1, 1, 1, 8])?;
/// paged_attention(&gpu, heads(&q, [1, 1, 1, 8])?, of_k, of_v, matrix(&table, 1, 2)?, &lengths, to).run()?;
/// assert_eq!(gpu.download(&o)?[0].to_f32(), 3.0); // the mean of 0, 3 and 6
/// # Ok(()) }
/// ```
///
/// # Errors
/// From the call's methods: [`KernelError::Shape`] if the arguments do not fit together, or keys and values do not begin at multiples of
/// 16 bytes; [`KernelError::Overlap`] if results share memory with another argument.
pub fn paged_attention<'a, T: TensorCoreElement>(
    device: &Device,
    q: Heads<'a, T>,
    k: Heads<'a, T>,
    v: Heads<'a, T>,
    table: Matrix<'a, u32>,
    lengths: impl SliceArg<'a, u32>,
    o: HeadsMut<'a, T>,
) -> Call<'a, PagedAttention<'a, T>> {
    let lengths = Input::new(lengths);
    Call::new(device, PagedAttention { q, k, v, table, lengths, o, lse: None, scale: None, splits: None })
}

/// An attention to pages with its arguments.
pub struct PagedAttention<'a, T> {
    q: Heads<'a, T>,
    k: Heads<'a, T>,
    v: Heads<'a, T>,
    table: Matrix<'a, u32>,
    lengths: Input<'a, u32>,
    o: HeadsMut<'a, T>,
    lse: Option<Output<'a, f32>>,
    scale: Option<f32>,
    splits: Option<u32>,
}

impl<'a, T: TensorCoreElement> Call<'a, PagedAttention<'a, T>> {
    /// Multiplies the scores by `scale`, a positive number. Default: `1 / sqrt(size)`.
    pub fn scale(self, scale: f32) -> Self {
        self.map(|of| PagedAttention { scale: Some(scale), ..of })
    }

    /// Writes the natural logarithm of the sum of `e^score` of each query to `lse`: `[sequences, heads]`.
    pub fn lse(self, lse: impl SliceMutArg<'a, f32>) -> Self {
        self.map(|of| PagedAttention { lse: Some(Output::new(lse)), ..of })
    }

    /// Sets how many blocks share the tokens of a sequence, up to 128. Default: enough to keep the device busy.
    pub fn splits(self, splits: u32) -> Self {
        self.map(|of| PagedAttention { splits: Some(splits), ..of })
    }
}

impl<T: TensorCoreElement> PagedAttention<'_, T> {
    fn check(&self) -> Result<(), KernelError> {
        let (q, k) = (self.q.places(), self.k.places());
        same_extents("q", q, Places { tokens: 1, ..q }, "one query of each sequence")?;
        same_extents("o", self.o.places(), q, "those of `q`")?;
        same_extents("v", self.v.places(), k, "those of `k`")?;
        same_extents("k", k, Places { size: q.size, ..k }, "the size of `q`")?;
        sharing(q, k)?;
        check_size(q.size, 256)?;
        check_scale(self.scale)?;
        let table = self.table.layout();
        side_by_side("table", table)?;
        if table.rows != q.sequences {
            return Err(KernelError::Shape {
                what: "table",
                expected: format!("{}, one for each sequence", q.sequences),
                got: format!("{} rows", table.rows),
                way_out: "a row has the numbers of the pages of a sequence",
            });
        }
        length("lengths", self.lengths.len(), q.sequences, "one for each sequence")?;
        if let Some(lse) = &self.lse {
            length("lse", lse.len(), q.sequences * q.heads, "one for each head of each sequence")?;
        }
        let tokens = table.cols.saturating_mul(k.tokens);
        for (what, count) in [("k", k.sequences), ("table", tokens)] {
            if count > i32::MAX as usize {
                return Err(KernelError::Shape {
                    what,
                    expected: format!("up to {} pages, and tokens of a sequence", i32::MAX),
                    got: format!("{count} of them"),
                    way_out: "pass a part of the pages",
                });
            }
        }
        self.check_memory()
    }

    fn check_memory(&self) -> Result<(), KernelError> {
        for (name, input) in [("k", &self.k), ("v", &self.v)] {
            input.places().in_units(name, input.memory().misalignment())?;
        }
        self.apart("o", self.o.memory())?;
        if let Some(lse) = &self.lse {
            self.apart("lse", lse)?;
            lse.apart_from("lse", &self.o.memory().read(), "o")?;
        }
        Ok(())
    }

    /// Refuses results that share memory with an input.
    fn apart<U>(&self, name: &'static str, output: &Output<'_, U>) -> Result<(), KernelError> {
        output.apart_from(name, self.q.memory(), "q")?;
        output.apart_from(name, self.k.memory(), "k")?;
        output.apart_from(name, self.v.memory(), "v")?;
        output.apart_from(name, self.table.memory(), "table")?;
        output.apart_from(name, &self.lengths, "lengths")
    }

    /// The size that vectors are filled to with zeros, and the blocks of a multiprocessor.
    fn width(&self) -> (usize, usize) {
        match self.q.places().size {
            0..=64 => (64, 2),
            65..=128 => (128, 2),
            _ => (256, 1),
        }
    }

    /// Heads of queries that share a head of keys, in blocks of up to [`ROWS`], of all sequences.
    fn groups(&self) -> usize {
        let (q, k) = (self.q.places(), self.k.places());
        q.sequences * k.heads * (q.heads / k.heads.max(1)).div_ceil(ROWS)
    }

    /// Blocks that share a sequence: the fewest by which the device is done first, if all sequences fill their rows of the table.
    fn splits(&self, limits: &Limits) -> usize {
        if let Some(splits) = self.splits {
            return (splits as usize).clamp(1, pages::MOST_SPLITS);
        }
        let tokens = self.table.layout().cols * self.k.places().tokens;
        let (at_once, groups) = (limits.multiprocessors as usize * self.width().1, self.groups());
        let time = |splits: &usize| {
            (groups * splits).div_ceil(at_once.max(1)) * (tokens.div_ceil(*splits) + TOKENS_OF_A_START)
        };
        (1..=pages::MOST_SPLITS).min_by_key(time).unwrap_or(1)
    }

    /// The extents as the kernel has them.
    fn paged(&self, splits: usize) -> Paged {
        let (q, k, v, o) = (self.q.places(), self.k.places(), self.v.places(), self.o.places());
        let table = self.table.layout();
        Paged {
            heads: q.heads as u32,
            sharing: (q.heads / k.heads.max(1)) as u32,
            size: q.size as u32,
            tokens: k.tokens as u32,
            pages: k.sequences as u32,
            columns: table.cols as u32,
            row_stride: table.row_stride,
            q: [q.strides[0], q.strides[1]],
            o: [o.strides[0], o.strides[1]],
            k: k.strides,
            v: v.strides,
            splits: splits as u32,
        }
    }
}

impl<'a, T: TensorCoreElement> Family<'a> for PagedAttention<'a, T> {
    const NEEDS: (u32, u32) = (8, 0);

    fn plan(&self, limits: &Limits) -> Result<Plan, KernelError> {
        self.check()?;
        let types = short_name::<T>();
        if self.q.places().is_empty() {
            return Ok(Plan::nothing(types, "there are no queries"));
        }
        let (size, splits, groups) = (self.width().0, self.splits(limits), self.groups());
        if groups > MOST_BLOCKS / splits {
            return Err(KernelError::Shape {
                what: "q",
                expected: format!("up to {} heads of keys of all sequences", MOST_BLOCKS / splits),
                got: format!("{groups} of them"),
                way_out: "attend to parts of the sequences one after another",
            });
        }
        let grid = groups * splits;
        Ok(Plan {
            kernel: "attention_to_pages",
            types: format!("{types}, {size}"),
            tile: pages::step(size) * size,
            grid: grid as u32,
            block: THREADS,
            shared: pages::shared(size) * size_of::<T>() + pages::SHARED_SUMS,
            workspace: grid * ROWS * (size * size_of::<f32>() + size_of::<Sum>()) + groups * size_of::<u32>(),
            why: format!("{splits} blocks share the tokens of a sequence, and the last joins their results"),
        })
    }

    fn steps(self, plan: &Plan, target: &Target) -> Result<Vec<Step<'a>>, KernelError> {
        if plan.grid == 0 {
            return Ok(Vec::new());
        }
        Ok(vec![match self.width().0 {
            64 => self.launch::<64, 8, { tokens(64) }, { tokens(64) / 8 }>(plan, target)?,
            128 => self.launch::<128, 16, { tokens(128) }, { tokens(128) / 8 }>(plan, target)?,
            _ => self.launch::<256, 32, { tokens(256) }, { tokens(256) / 8 }>(plan, target)?,
        }])
    }
}

impl<'a, T: TensorCoreElement> PagedAttention<'a, T> {
    fn launch<const D: usize, const COLS: usize, const TOKENS: usize, const SCORES: usize>(
        self,
        plan: &Plan,
        target: &Target,
    ) -> Result<Step<'a>, KernelError> {
        let (grid, groups) = (plan.grid as usize, self.groups());
        let at = self.paged(grid / groups);
        let scale = self.scale.unwrap_or_else(|| 1.0 / (self.q.places().size as f32).sqrt());
        let device = &target.device;
        let mut partials: Buffer<f32> = device.alloc_zeroed(grid * ROWS * D)?;
        let mut tops: Buffer<Sum> = device.alloc_zeroed(grid * ROWS)?;
        let mut arrived: Buffer<u32> = device.alloc_zeroed(groups)?;
        let Self { q, k, v, table, lengths, o, lse, .. } = self;
        let (q, k, v, table) = (q.into_memory(), k.into_memory(), v.into_memory(), table.into_memory());
        let mut o = o.into_memory();
        let mut lse = lse.unwrap_or_else(|| o.nothing().into_values());
        Ok(step!(
            target,
            (plan.grid, plan.block),
            attention_to_pages::<T, D, COLS, TOKENS, SCORES>(
                &q,
                &k,
                &v,
                &table,
                &lengths,
                &mut o,
                &mut lse,
                &mut partials,
                &mut tops,
                &mut arrived,
                at,
                scale
            )
        ))
    }
}
