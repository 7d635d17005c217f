//! Both executors on the same launch: what tests of the simulator itself compare.

use std::ops::Range;

use crate::args::KernelArg;
use crate::ir::{ExprKind, Function, Module, Scalar, Type, visit};
use crate::simulator::{SimFault, SimReport};

/// What a run of a launch ended with.
type Outcome = Result<SimReport, SimFault>;

/// Memory that a kernel may write.
pub(super) struct Region {
    pub what: String,
    start: *mut u8,
    bytes: usize,
    /// What it is elements of.
    elem: Type,
}

impl Region {
    /// Its addresses.
    pub fn addresses(&self) -> Range<usize> {
        self.start as usize..self.start as usize + self.bytes
    }

    pub(super) fn saved(&self) -> Vec<u8> {
        // SAFETY: memory of the launch, which its arguments borrow, or of a static.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }.to_vec()
    }

    /// The first byte that means another thing in `a` than in `b`: neither bytes between fields mean anything, nor the
    /// sign and payload of a NaN.
    pub(super) fn difference(&self, a: &[u8], b: &[u8], counts: impl Fn(usize) -> bool) -> Option<usize> {
        let mut differs = vec![false; a.len()];
        let size = self.elem.size().max(1);
        let elements = a.chunks_exact(size).zip(b.chunks_exact(size));
        for ((a, b), differs) in elements.zip(differs.chunks_exact_mut(size)) {
            if a != b {
                mark(&self.elem, (a, b), differs);
            }
        }
        (0..differs.len()).find(|byte| differs[*byte] && counts(*byte))
    }

    pub(super) fn restore(&self, saved: &[u8]) {
        // SAFETY: as in `saved`; the bytes are those that were there.
        unsafe { self.start.copy_from_nonoverlapping(saved.as_ptr(), self.bytes) }
    }
}

/// Marks the bytes in which two values differ.
fn mark(ty: &Type, (a, b): (&[u8], &[u8]), differs: &mut [bool]) {
    let mut part = |at: usize, ty: &Type| {
        let bytes = at..at + ty.size();
        mark(ty, (&a[bytes.clone()], &b[bytes.clone()]), &mut differs[bytes]);
    };
    match ty {
        Type::Struct(def) => def.fields.iter().for_each(|field| part(field.offset, &field.ty)),
        Type::Tuple(items) => {
            for (i, item) in items.iter().enumerate() {
                part(ty.field_offset(i).unwrap_or(0), item);
            }
        }
        Type::Array(elem, n) => (0..*n).for_each(|i| part(i * elem.size(), elem)),
        Type::Vector(scalar, n) => {
            let elem = Type::Scalar(*scalar);
            (0..*n).for_each(|i| part(i * elem.size(), &elem));
        }
        Type::Enum(def) => {
            let tag = Type::Scalar(def.tag);
            part(def.tag_offset(), &tag);
            let width = tag.size();
            let is = |tag: i128| tag.to_le_bytes()[..width] == a[def.tag_offset()..][..width];
            if let Some(v) = def.variants.iter().position(|variant| is(variant.tag)) {
                for (i, (_, field)) in def.variants[v].fields.iter().enumerate() {
                    part(def.field_offset(v, i), field);
                }
            }
        }
        Type::Scalar(scalar) if is_nan(*scalar, a) && is_nan(*scalar, b) => {}
        _ => a.iter().zip(b).zip(differs).for_each(|((a, b), differs)| *differs = a != b),
    }
}

/// Whether these bytes are a NaN of a type of floats.
fn is_nan(scalar: Scalar, bytes: &[u8]) -> bool {
    match (scalar, bytes) {
        (Scalar::F16, &[a, b]) => half::f16::from_le_bytes([a, b]).is_nan(),
        (Scalar::BF16, &[a, b]) => half::bf16::from_le_bytes([a, b]).is_nan(),
        (Scalar::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).is_nan(),
        (Scalar::F64, _) => bytes.try_into().is_ok_and(|bytes| f64::from_le_bytes(bytes).is_nan()),
        _ => false,
    }
}

/// Runs a launch twice from the same memory; the second outcome, if both agree.
pub(super) fn run_both(
    kernel: &str,
    memory: &[Region],
    twin: impl FnOnce() -> Outcome,
    interpreter: impl FnOnce() -> Outcome,
) -> Outcome {
    let save = || memory.iter().map(Region::saved).collect::<Vec<_>>();
    let before = save();
    let first = twin();
    let after = save();
    for (region, saved) in memory.iter().zip(&before) {
        region.restore(saved);
    }
    let second = interpreter();
    if second.as_ref().is_err_and(SimFault::is_of_checks) {
        return second;
    }
    let differ = |what: String| Err(SimFault::ExecutorsDiffer { kernel: kernel.to_owned(), what });
    let text = |outcome: &Outcome| match outcome {
        Ok(_) => "no fault".to_owned(),
        Err(fault) => fault.to_string(),
    };
    if text(&first) != text(&second) {
        return differ(format!(
            "the twin ends with {}, the interpreter with {}",
            text(&first),
            text(&second)
        ));
    }
    for ((region, twin), interpreter) in memory.iter().zip(&after).zip(save()) {
        if let Some(byte) = region.difference(twin, &interpreter, |_| true) {
            let (a, b) = (twin[byte], interpreter[byte]);
            let what = &region.what;
            return differ(format!(
                "byte {byte} of {what} is {a:#04x} by the twin, {b:#04x} by the interpreter"
            ));
        }
    }
    second
}

/// The memory that a kernel's arguments and statics let it write.
pub(super) fn writable(module: &Module, args: &[KernelArg], names: &[&str]) -> Vec<Region> {
    let mut regions = Vec::new();
    for ((arg, id), name) in args.iter().zip(&module.kernel.params).zip(names) {
        match arg {
            KernelArg::Slice { ptr, bytes, .. } => {
                let (start, bytes) = (*ptr as *mut u8, *bytes as usize);
                let elem = module.kernel.var(*id).ty.element().unwrap_or(Type::Unit);
                regions.push(Region { what: format!("`{name}`"), start, bytes, elem });
            }
            KernelArg::Image { access, mutable } => {
                let texels = access.get().texels.filter(|_| *mutable);
                regions.extend(texels.map(|texels| {
                    let (start, bytes) = (texels.base as *mut u8, texels.bytes());
                    Region { what: format!("`{name}`"), start, bytes, elem: Type::Scalar(Scalar::U8) }
                }));
            }
            KernelArg::Value(value) => {
                views(&module.kernel.var(*id).ty, value.as_ptr(), name, &mut regions);
            }
        }
    }
    statics(module, &mut regions);
    regions
}

/// Whether a kernel has addresses beside those that [`writable`] follows.
pub(super) fn reaches_further(kernel: &Function) -> bool {
    kernel.params.iter().any(|id| has_more_addresses(&kernel.var(*id).ty))
}

fn has_more_addresses(ty: &Type) -> bool {
    match ty {
        Type::View { elem, .. } => elem.holds_address(),
        Type::Struct(def) => def.fields.iter().any(|field| has_more_addresses(&field.ty)),
        Type::Ref { to, .. } => to.holds_address(),
        other => other.holds_address(),
    }
}

/// The elements of the views in a value.
fn views(ty: &Type, at: *const u8, name: &str, regions: &mut Vec<Region>) {
    match ty {
        Type::View { elem, rank, mutable: true } => {
            // SAFETY: the value is a view: an address, extents and strides.
            let word = |i: usize| unsafe { at.cast::<usize>().add(i).read_unaligned() };
            let bytes = view_elements(*rank, word) * elem.size();
            let (start, elem) = (word(0) as *mut u8, (**elem).clone());
            regions.push(Region { what: format!("`{name}`"), start, bytes, elem });
        }
        Type::Struct(def) => {
            for field in &def.fields {
                views(&field.ty, at.wrapping_add(field.offset), name, regions);
            }
        }
        _ => {}
    }
}

/// How many elements there are from the first of a view to its last, by the words of the view.
pub(super) fn view_elements(rank: usize, word: impl Fn(usize) -> usize) -> usize {
    if (1..=rank).any(|extent| word(extent) == 0) {
        return 0;
    }
    match rank {
        1 => word(1),
        2 => (word(1) - 1) * word(3) + word(2),
        _ => (word(1) - 1) * word(4) + (word(2) - 1) * word(5) + word(3),
    }
}

fn statics(module: &Module, regions: &mut Vec<Region>) {
    for function in module.all_functions() {
        visit::exprs(&function.body, &mut |e| {
            if let ExprKind::Global(global) = &e.kind
                && !global.constant
                && regions.iter().all(|region| region.start != (global.address)())
            {
                let (start, elem) = ((global.address)(), (global.ty)());
                let bytes = elem.size();
                regions.push(Region { what: format!("`{}`", global.name), start, bytes, elem });
            }
        });
    }
}
