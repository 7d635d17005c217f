//! Copies, in the simulator's memory, of the memory that a launch on a GPU reaches: to count the launch's accesses there,
//! and to restore the GPU's memory.
//!
//! Copies keep the distances of addresses and their places in lines of 256 bytes; the sectors are therefore those of the
//! GPU.

use std::ops::Range;

use super::views::{Seen, Views};
use crate::argument::Order;
use crate::argument::{KernelArg, MemoryPlace};
use crate::compile::kernel::AnyKernel;
use crate::driver::{DriverError, Gpu, is_everywhere};
use crate::error::LaunchError;
use crate::error::Result;
use crate::ir::{Global, Module, Type};
use crate::memory::buffer::Memory;

/// The alignment of simulated buffers, in bytes.
const LINE: u64 = 256;

/// Copies of the memory that a launch reaches.
pub(super) struct Copies {
    /// The arguments, in the simulator's memory.
    pub args: Vec<KernelArg>,
    regions: Vec<Region>,
    statics: Vec<Static>,
}

/// Bytes of the GPU's memory, by its addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Span {
    range: Range<u64>,
    /// Whether the kernel may write it.
    mutable: bool,
}

/// A span that overlaps no other.
struct Region {
    span: Span,
    /// The simulator's copy, which begins as far behind a line as the span does.
    copy: Memory,
    /// The bytes that it may write, before the launch.
    before: Vec<u8>,
}

/// A device static, with the GPU's bytes before the launch.
struct Static {
    global: &'static Global,
    before: Vec<u8>,
}

impl Copies {
    /// Copies the arguments and statics of a launch, once all queued work is done.
    ///
    /// # Errors
    /// [`LaunchError::NotCopied`] for images, raw pointers, memory of another GPU, and constants that the
    /// simulator has otherwise; a driver error.
    pub fn new(gpu: &Gpu, kernel: &dyn AnyKernel, module: &Module, args: &[KernelArg]) -> Result<Self> {
        let refused = |what: String, why| LaunchError::NotCopied { kernel: kernel.name(), what, why };
        let types = module.kernel.params.iter().map(|id| &module.kernel.var(*id).ty);
        let mut spans = Vec::new();
        for ((arg, ty), name) in args.iter().zip(types).zip(kernel.params()) {
            let reached = reached(arg, ty, gpu.ordinal());
            spans.extend(reached.map_err(|why| refused(format!("argument `{name}`"), why))?);
        }
        let regions = merged(spans).into_iter().map(|span| Region::new(gpu, span));
        let regions = regions.collect::<std::result::Result<Vec<_>, _>>()?;
        let statics = statics(gpu, module, |name, why| refused(format!("static `{name}`"), why))?;
        let mut args = args.to_vec();
        for (arg, id) in args.iter_mut().zip(&module.kernel.params) {
            moved(arg, &module.kernel.var(*id).ty, &regions);
        }
        Ok(Self { args, regions, statics })
    }

    /// Runs something on the simulator while its statics are those of the GPU.
    pub fn with_statics<R>(&self, run: impl FnOnce() -> R) -> R {
        let saved: Vec<Vec<u8>> = self.statics.iter().map(Static::simulated).collect();
        self.statics.iter().for_each(|of| of.simulate(&of.before));
        let result = run();
        self.statics.iter().zip(&saved).for_each(|(of, bytes)| of.simulate(bytes));
        result
    }

    /// Puts everything that the launch may write on the GPU back as it was.
    pub fn restore(&self, gpu: &Gpu) -> std::result::Result<(), DriverError> {
        for region in self.regions.iter().filter(|region| region.span.mutable) {
            // SAFETY: the span is of the launch's arguments, which it keeps borrowed mutably.
            unsafe { gpu.write_address(region.span.range.start, &region.before) }?;
        }
        self.statics.iter().try_for_each(|of| gpu.write_static(of.global, &of.before))
    }
}

impl Region {
    fn new(gpu: &Gpu, span: Span) -> std::result::Result<Self, DriverError> {
        let (len, behind) =
            ((span.range.end - span.range.start) as usize, (span.range.start % LINE) as usize);
        let mut copy = Memory::simulator(behind + len)?;
        let bytes = &mut copy.simulated_bytes()[behind..behind + len];
        // SAFETY: the span is of the launch's arguments, which it keeps borrowed.
        unsafe { gpu.read_address(span.range.start, bytes) }?;
        let before = if span.mutable { bytes.to_vec() } else { Vec::new() };
        Ok(Self { span, copy, before })
    }

    /// The simulator's address of one of the GPU's.
    fn translated(&self, address: u64) -> u64 {
        self.copy.address() + self.span.range.start % LINE + (address - self.span.range.start)
    }
}

impl Static {
    fn simulated(&self) -> Vec<u8> {
        // SAFETY: a static's memory of this size, which is written between launches alone.
        unsafe { std::slice::from_raw_parts((self.global.address)(), self.before.len()) }.to_vec()
    }

    fn simulate(&self, bytes: &[u8]) {
        // SAFETY: as in `simulated`; the bytes were a value of its type.
        unsafe { (self.global.address)().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
    }
}

/// The memory that an argument reaches, or why it cannot be copied.
fn reached(arg: &KernelArg, ty: &Type, ordinal: usize) -> std::result::Result<Vec<Span>, &'static str> {
    match arg {
        KernelArg::Slice { place, order, .. }
            if *place != MemoryPlace::Gpu(ordinal) && !is_everywhere(order) =>
        {
            Err("it is in the memory of another GPU")
        }
        KernelArg::Slice { .. } if ty.element().is_some_and(|elem| elem.holds_address()) => {
            Err("its elements hold addresses")
        }
        KernelArg::Slice { ptr, bytes, mutable, .. } => {
            Ok(vec![Span { range: *ptr..*ptr + *bytes, mutable: *mutable }])
        }
        KernelArg::Image { .. } => Err("it is an image"),
        KernelArg::TensorMap { .. } => Err("it is a map of a tensor"),
        KernelArg::Value(value) => {
            let span = |Seen { range, mutable, .. }: Seen| Span { range, mutable };
            match Views::of(ty, value.words()) {
                Views { further: Some(why), .. } => Err(why),
                Views { list, further: None } => Ok(list.into_iter().map(span).collect()),
            }
        }
    }
}

/// Spans that do not overlap, in the order of their addresses; those that do become one. Empty ones are left out.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| !span.range.is_empty());
    spans.sort_by_key(|span| span.range.start);
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.range.start < last.range.end => {
                last.range.end = last.range.end.max(span.range.end);
                last.mutable |= span.mutable;
            }
            _ => merged.push(span),
        }
    }
    merged
}

/// Lets an argument reach the copies instead of the GPU's memory.
fn moved(arg: &mut KernelArg, ty: &Type, regions: &[Region]) {
    let translate = |range: &Range<u64>| {
        let region = regions.iter().find(|region| region.span.range.contains(&range.start));
        // An empty slice is in no region; its address is one that all types may have.
        region.filter(|_| !range.is_empty()).map_or(LINE, |region| region.translated(range.start))
    };
    match arg {
        KernelArg::Slice { ptr, bytes, place, order, .. } => {
            *ptr = translate(&(*ptr..*ptr + *bytes));
            (*place, *order) = (MemoryPlace::Simulator, Order::NONE);
        }
        KernelArg::Value(value) => {
            for Seen { word, range, .. } in Views::of(ty, value.words()).list {
                value.words_mut()[word] = translate(&range);
            }
        }
        KernelArg::Image { .. } | KernelArg::TensorMap { .. } => {}
    }
}

/// The device statics that a module reaches; its constants must have the simulator's values.
fn statics(
    gpu: &Gpu,
    module: &Module,
    refused: impl Fn(&str, &'static str) -> LaunchError,
) -> Result<Vec<Static>> {
    let mut statics: Vec<Static> = Vec::new();
    for global in module.globals() {
        let mut of = Static { global, before: vec![0; (global.ty)().size()] };
        if global.is_constant() {
            of.before = gpu.read_constant(global)?;
            if of.before != of.simulated() {
                let why =
                    "its value on the GPU is not the simulator's, which `.set(&Device::simulator(), …)` sets";
                return Err(refused(global.name, why).into());
            }
        } else if (global.ty)().holds_address() {
            return Err(refused(global.name, "it holds addresses").into());
        } else {
            gpu.synchronize()?;
            gpu.read_static(global, &mut of.before)?;
            statics.push(of);
        }
    }
    Ok(statics)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::args::SliceArg;
    use crate::prelude::*;

    fn span(range: Range<u64>, mutable: bool) -> Span {
        Span { range, mutable }
    }

    #[test]
    fn spans_that_overlap_are_one_and_keep_who_writes() {
        let spans = vec![span(90..120, true), span(10..20, false), span(100..110, false), span(5..5, true)];
        assert_eq!(merged(spans), [span(10..20, false), span(90..120, true)]);
        assert_eq!(merged(vec![span(0..8, false), span(8..16, true)]).len(), 2);
    }

    /// A weighted matrix, lent to a kernel.
    #[derive(Clone, Copy, GpuType)]
    #[repr(C)]
    struct Weighted<'a> {
        weight: f32,
        matrix: View2<'a, f32>,
    }

    #[test]
    fn an_argument_reaches_its_slice_and_the_views_in_its_value() {
        let device = Device::simulator();
        let buffer = device.upload(&[1.0f32; 64]).expect("memory");
        let start = buffer.address();
        let ty = <Weighted as crate::types::DeviceType>::ty();
        let matrix = buffer.view2(4, 8).expect("it fits");
        let value = KernelArg::value(Weighted { weight: 1.0, matrix });
        assert_eq!(reached(&value, &ty, 0), Ok(vec![span(start..start + 4 * 32, false)]));
        let slice = SliceArg::<f32>::into_arg(&buffer);
        let slice_type =
            Type::Ref { to: Type::Slice(Type::Scalar(crate::ir::Scalar::F32).into()).into(), mutable: false };
        assert_eq!(reached(&slice, &slice_type, 0), Err("it is in the memory of another GPU"));
        let pointer = KernelArg::value(std::ptr::null::<f32>());
        let refused = reached(&pointer, &<*const f32 as crate::types::DeviceType>::ty(), 0);
        assert!(refused.is_err_and(|why| why.contains("raw pointer")));
    }
}
