//! Both executors on the same launch: what tests of the simulator itself compare.

use crate::args::KernelArg;
use crate::ir::{ExprKind, Module, Type, visit};
use crate::simulator::{SimFault, SimReport};

/// What a run of a launch ended with.
type Outcome = Result<SimReport, SimFault>;

/// Memory that a kernel may write.
pub(super) struct Region {
    what: String,
    start: *mut u8,
    bytes: usize,
}

impl Region {
    fn saved(&self) -> Vec<u8> {
        // SAFETY: memory of the launch, which its arguments borrow, or of a static.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }.to_vec()
    }

    fn restore(&self, saved: &[u8]) {
        // SAFETY: as in `saved`; the bytes are those that were there.
        unsafe { self.start.copy_from_nonoverlapping(saved.as_ptr(), self.bytes) }
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
        if let Some(byte) = (0..region.bytes).find(|i| twin[*i] != interpreter[*i]) {
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
                regions.push(Region { what: format!("`{name}`"), start, bytes });
            }
            KernelArg::Image { access, mutable } => {
                let texels = access.get().texels.filter(|_| *mutable);
                regions.extend(texels.map(|texels| {
                    let (start, bytes) = (texels.base as *mut u8, texels.bytes());
                    Region { what: format!("`{name}`"), start, bytes }
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

/// The elements of the views in a value.
fn views(ty: &Type, at: *const u8, name: &str, regions: &mut Vec<Region>) {
    match ty {
        Type::View { elem, rank, mutable: true } => {
            // SAFETY: the value is a view: an address, extents and strides.
            let word = |i: usize| unsafe { at.cast::<usize>().add(i).read_unaligned() };
            let elements = match rank {
                1 => word(1),
                2 => word(1).saturating_sub(1) * word(3) + word(2),
                _ => word(1).saturating_sub(1) * word(4) + word(2).saturating_sub(1) * word(5) + word(3),
            };
            let empty = (1..=*rank).any(|i| word(i) == 0);
            let bytes = if empty { 0 } else { elements * elem.size() };
            regions.push(Region { what: format!("`{name}`"), start: word(0) as *mut u8, bytes });
        }
        Type::Struct(def) => {
            for field in &def.fields {
                views(&field.ty, at.wrapping_add(field.offset), name, regions);
            }
        }
        _ => {}
    }
}

fn statics(module: &Module, regions: &mut Vec<Region>) {
    for function in module.all_functions() {
        visit::exprs(&function.body, &mut |e| {
            if let ExprKind::Global(global) = &e.kind
                && !global.constant
                && regions.iter().all(|region| region.start != (global.address)())
            {
                let (start, bytes) = ((global.address)(), (global.ty)().size());
                regions.push(Region { what: format!("`{}`", global.name), start, bytes });
            }
        });
    }
}
