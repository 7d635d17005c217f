//! One launch of a compiled text: its arguments, its threads, and how they end.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::library::{Entry, Exports};
use crate::argument::KernelArg;
use crate::codegen::{CudaSource, Site};
use crate::fault::Failure;
use crate::interpreter::{AskedShape, Rules};
use crate::ir::{CoarsenNeeds, KernelAttributes, Location, TensorMapType};
use crate::memory::image::ImageObject;
use crate::simulator::context::Child;
use crate::simulator::{ChildOrder, FaultSite, Instruction, Line, SimFault, Space, context, global};

/// A text that can be launched.
pub(crate) struct Text {
    pub(super) source: CudaSource,
    pub(super) exports: Exports,
    /// The location of the kernel's definition.
    pub(super) at: Location,
    /// Held by a launch that has put its statics into the library.
    pub(super) statics: Mutex<()>,
}

/// A launch.
pub(crate) struct PrintedLaunch<'t> {
    text: &'t Text,
    params: Vec<*const c_void>,
    /// The memory behind the parameters' addresses.
    _words: Vec<Box<[u64]>>,
    record: Box<UnsafeCell<Record>>,
    reached: Reachable,
    /// Steps are those that a thread may make without an operation of the machine.
    rules: Rules,
    _statics: Option<MutexGuard<'t, ()>>,
}

/// The memory that a launch may access besides the blocks' and its threads' own.
#[derive(Default)]
pub(crate) struct Reachable {
    /// The ranges of memory of its arguments.
    pub ranges: Vec<Range<usize>>,
    /// Whether it may reach any buffer: by an address that is in a value or in memory.
    pub any_buffer: bool,
}

/// `struct ws_Fault` of the printed CUDA.
///
/// The lowest bits of its address are free for the elements of a coarsened kernel's thread.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Record {
    state: u32,
    site: u32,
    block: [u32; 3],
    thread: [u32; 3],
    a: u64,
    b: u64,
    any: *const Cell<u32>,
}

/// State of a record that is complete.
const WRITTEN: u32 = 2;

/// The payload with which a thread that ends by itself unwinds.
struct Left;

thread_local! {
    /// The launch whose threads this OS thread runs, or null.
    static CURRENT: Cell<*const PrintedLaunch<'static>> = const { Cell::new(ptr::null()) };
    /// The word that says that there is a record.
    static ANY: Cell<u32> = const { Cell::new(0) };
}

impl<'t> PrintedLaunch<'t> {
    /// A launch with these arguments.
    ///
    /// A coarsened text receives the number of threads that the launch asked for. A thread may make `rules.steps` steps; each is
    /// a piece of the text without a branch, from one barrier, exchange or atomic to the next.
    pub fn new(
        text: &'t Text,
        args: &[KernelArg],
        threads: u64,
        mut reached: Reachable,
        rules: Rules,
    ) -> Self {
        let words: Vec<Box<[u64]>> = args.iter().map(words).collect();
        let mut params: Vec<*const c_void> = Vec::new();
        for (arg, words) in args.iter().zip(&words) {
            let starts = if matches!(arg, KernelArg::Slice { .. }) { 2 } else { 1 };
            let first = if matches!(arg, KernelArg::TensorMap { .. }) { map_start(words) } else { 0 };
            params.extend(words.iter().skip(first).take(starts).map(|word| ptr::from_ref(word).cast()));
        }
        let threads = Box::new([threads]);
        if text.coarsened().is_some() {
            params.push(threads.as_ptr().cast());
        }
        let any = ANY.with(ptr::from_ref);
        let record = Record { state: 0, site: 0, block: [0; 3], thread: [0; 3], a: 0, b: 0, any };
        let record = Box::new(UnsafeCell::new(record));
        let fault = Box::new([record.get().expose_provenance() as u64]);
        if text.source.has_fault_param {
            params.push(fault.as_ptr().cast());
        }
        let mut words = words;
        words.push(fault);
        words.push(threads);
        let record_at = record.get().addr();
        reached.ranges.push(record_at..record_at + size_of::<Record>());
        reached.ranges.push(any.addr()..any.addr() + size_of::<u32>());
        text.exports.set_budget(rules.steps);
        Self { text, params, _words: words, record, reached, rules, _statics: text.put_statics() }
    }

    /// Runs one simulated thread.
    pub fn thread(&self) {
        self.run(self.text.exports.entry(), &self.params);
    }

    /// Runs one thread of a kernel of the text.
    fn run(&self, entry: Entry, params: &[*const c_void]) {
        CURRENT.set(ptr::from_ref(self).cast());
        let Location { file, line } = self.text.at;
        context::set_instruction(Some(Instruction {
            at: Line { file, line, column: 0 },
            site: 0,
            instance: 0,
        }));
        // SAFETY: the parameters have the types that the printed kernel declares.
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| unsafe { entry(params.as_ptr()) }));
        if let Err(payload) = outcome
            && !payload.is::<Left>()
        {
            panic::resume_unwind(payload);
        }
        context::set_instruction(None);
    }

    fn record(&self) -> Record {
        // SAFETY: threads of the launch write it, all of them on this OS thread.
        unsafe { self.record.get().read_volatile() }
    }
}

/// The words of an argument: a slice's address and length, a value's bytes.
fn words(arg: &KernelArg) -> Box<[u64]> {
    match arg {
        KernelArg::Slice { ptr, len, .. } => Box::new([*ptr, *len]),
        KernelArg::Value(value) => value.words().into(),
        KernelArg::Image { access, .. } => {
            let access = access.get();
            // The object is the image's address; the extents stand behind it as on a GPU.
            Box::new(ImageObject::words(ptr::from_ref(access).expose_provenance() as u64, access.extents))
        }
        KernelArg::TensorMap { map, .. } => {
            // The first word of the map is the host's, by its address.
            let mut words = vec![0; 2 * MAP_WORDS].into_boxed_slice();
            let first = map_start(&words);
            words[first] = Arc::as_ptr(map).expose_provenance() as u64;
            words
        }
    }
}

/// Words of a tensor map.
const MAP_WORDS: usize = TensorMapType::SIZE / size_of::<u64>();

/// The first of these words at which a map may lie.
fn map_start(words: &[u64]) -> usize {
    let beyond = words.as_ptr().addr() % TensorMapType::ALIGN;
    (TensorMapType::ALIGN - beyond) % TensorMapType::ALIGN / size_of::<u64>()
}

impl Text {
    /// The requirements on its launches.
    pub fn needs(&self) -> &crate::codegen::Needs {
        &self.source.needs
    }

    /// The requirements on its launches, if its threads do several elements each.
    pub fn coarsened(&self) -> Option<&CoarsenNeeds> {
        self.source.needs.coarsened.as_ref()
    }

    /// Writes constants, and the addresses of device statics, where the text has them.
    fn put_statics(&self) -> Option<MutexGuard<'_, ()>> {
        if self.source.globals.is_empty() {
            return None;
        }
        let held = self.statics.lock().unwrap_or_else(PoisonError::into_inner);
        for (place, (global, _)) in self.source.globals.iter().enumerate() {
            let (to, from) = (self.exports.symbol(place), (global.address)());
            // SAFETY: the symbol is a value of the constant's type, or a pointer.
            unsafe {
                if global.is_constant() {
                    to.copy_from_nonoverlapping(from, (global.ty)().size());
                } else {
                    to.cast::<*mut u8>().write(from);
                }
            }
        }
        Some(held)
    }
}

/// The launch of the running thread.
fn current<'a>() -> &'a PrintedLaunch<'static> {
    // SAFETY: set by the thread that runs, whose launch lives until all its threads have ended.
    unsafe { &*CURRENT.get() }
}

/// The location of the running kernel's definition.
fn kernel_line() -> Line {
    let Location { file, line } = current().text.at;
    Line { file, line, column: 0 }
}

/// Ends the running thread; ends the launch if it, or another, has written what failed.
pub(super) fn exit() -> ! {
    let run = current();
    let record = run.record();
    if record.state == WRITTEN
        && let Some(site) = run.text.source.sites.get(record.site as usize)
    {
        raise(site, &record, run.text.coarsened().is_some());
    }
    panic::resume_unwind(Box::new(Left));
}

/// Queues a launch by the running thread: a kernel of the text, its shape, and the bytes of its parameters.
///
/// # Safety
/// The values have the types and sizes of the parameters of the kernel that `entry` runs.
pub(super) unsafe fn launch(
    name: &'static str,
    entry: *const c_void,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u64,
    order: i32,
    values: impl Iterator<Item = (*const c_void, usize)>,
) {
    let at = context::here();
    let dynamic_shared = u32::try_from(shared).unwrap_or(u32::MAX);
    let attributes = &KernelAttributes::default();
    let asked = AskedShape { kernel: name, attributes, grid: Some(grid), items: 0, block, dynamic_shared };
    let parent = CURRENT.get();
    // SAFETY: the launch by the host lives until all that it launched has ended.
    let child_shape = unsafe { &*parent }.rules.child_shape;
    let (grid, dynamic_shared) = match child_shape(&asked) {
        Ok(shape) => shape,
        Err(refused) => context::fault_launch(name, refused, at),
    };
    // SAFETY: as promised by the caller.
    let copies: Vec<Box<[u128]>> = values.map(|(value, bytes)| unsafe { copy(value, bytes) }).collect();
    // SAFETY: the shim's own thunk.
    let entry = unsafe { std::mem::transmute::<*const c_void, Entry>(entry) };
    let thread = Box::new(move || {
        let params: Vec<*const c_void> = copies.iter().map(|copy| copy.as_ptr().cast()).collect();
        // SAFETY: the launch by the host lives until all that it launched has ended.
        unsafe { &*parent }.run(entry, &params);
    });
    let order = match order {
        0 => ChildOrder::Block,
        1 => ChildOrder::Free,
        _ => ChildOrder::Tail,
    };
    context::launch(Child { kernel: name, grid, block, dynamic_shared, order, number: 0, thread }, at);
}

/// A copy of a value's bytes, aligned for every type.
///
/// # Safety
/// `bytes` bytes can be read.
unsafe fn copy(value: *const c_void, bytes: usize) -> Box<[u128]> {
    let mut words = vec![0u128; bytes.div_ceil(16)].into_boxed_slice();
    // SAFETY: as promised, and there are at least as many bytes.
    unsafe { words.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(value.cast(), bytes) };
    words
}

/// Ends the launch with what failed. In a coarsened text the record names the thread that would do the element alone.
fn raise(site: &Site, record: &Record, is_coarsened: bool) -> ! {
    let line = Line { file: site.at.file, line: site.at.line, column: 0 };
    let place = |site: FaultSite| match is_coarsened {
        true => FaultSite { block: record.block, thread: record.thread, ..site },
        false => site,
    };
    context::fault_at(line, |at| fault(site, record, place(at)))
}

fn fault(
    site: &Site,
    record: &Record,
    FaultSite { kernel, file, line, block, thread }: FaultSite,
) -> SimFault {
    match site.failure(record.a, record.b) {
        Failure::Index { index, len } => {
            SimFault::OutOfBounds { kernel, file, line, block, thread, index, len: len as usize }
        }
        Failure::Range { bound, limit } => {
            SimFault::Range { kernel, file, line, block, thread, bound, limit: limit as usize }
        }
        Failure::Launch { child, why } => {
            let (child, why) = (child.to_owned(), why.into_owned());
            SimFault::Launch { kernel, child, why, file, line, block, thread }
        }
        failure @ (Failure::Assertion(_) | Failure::Misaligned { .. } | Failure::Unwritten { .. }) => {
            let message = failure.to_string();
            SimFault::Panic { kernel, message, file, line, block, thread }
        }
    }
}

/// Ends the launch: the running thread has made as many steps as it may.
pub(super) fn endless() -> ! {
    let steps = current().rules.steps;
    context::fault_at(kernel_line(), |FaultSite { kernel, file, line, block, thread }| SimFault::Endless {
        kernel,
        steps,
        file,
        line,
        block,
        thread,
    })
}

/// Ends the launch: the text does what C++ gives no meaning.
pub(super) fn undefined(what: &'static str, file: &'static str, line: u32) -> ! {
    let line = if file.starts_with(super::library::OWN_FILE) {
        context::here()
    } else {
        Line { file, line, column: 0 }
    };
    context::fault_at(line, |FaultSite { kernel, file, line, block, thread }| {
        let message = format!("the printed CUDA does what C++ leaves undefined: {what}");
        SimFault::Panic { kernel, message, file, line, block, thread }
    })
}

/// Ends the launch if the text must not access these bytes.
pub(super) fn accessed(address: usize, bytes: usize, write: bool) {
    let Reachable { ranges, any_buffer } = &current().reached;
    let inside = |range: &Range<usize>| range.start <= address && address + bytes <= range.end;
    if ranges.iter().any(inside)
        || matches!(context::space_of(address), Space::Shared { .. })
        || *any_buffer && global::holds(address, bytes)
    {
        return;
    }
    context::fault_at(kernel_line(), |FaultSite { kernel, file, line, block, thread }| {
        let does = if write { "writes" } else { "reads" };
        let message = format!(
            "the printed CUDA {does} {bytes} bytes at {address:#x}, in no argument, shared memory or variable"
        );
        SimFault::Panic { kernel, message, file, line, block, thread }
    })
}
