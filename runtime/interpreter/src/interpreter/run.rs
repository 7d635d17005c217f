//! One launch of a program: its arguments, and frames for its threads.

use std::cell::RefCell;
use std::sync::Arc;

use super::execute::RunningThread;
use super::nested::ChildShape;
use super::program::Program;
use crate::argument::{ImageAccess, KernelArg, TensorMapObject};
use crate::simulator::Synchronisation;
use crate::types::Slice;

/// Alignment of a frame, in bytes.
const ALIGN: usize = 16;

/// An argument of a kernel.
pub enum Argument {
    /// A value in the IR's layout.
    Value(Vec<u8>),
    /// A slice, by its descriptor.
    Slice(Slice<u8>),
    /// A texture or a surface, by its descriptor.
    Image(ImageAccess),
    /// A tensor map, by its descriptor.
    TensorMap(Arc<TensorMapObject>),
}

/// The limits of a launch.
#[derive(Clone, Copy)]
pub struct Rules {
    /// Iterations of loops that a thread may make.
    pub steps: u64,
    /// The shapes of launches by kernels.
    pub child_shape: ChildShape,
}

/// A launch.
pub struct InterpretedLaunch {
    program: Arc<Program>,
    kernel: usize,
    name: &'static str,
    args: Vec<Argument>,
    rules: Rules,
    /// Frames of threads that have ended.
    frames: RefCell<Vec<Frame>>,
}

/// Memory of one thread, constants below its base.
struct Frame {
    words: Box<[u128]>,
    /// Bytes below the base.
    below: usize,
}

impl InterpretedLaunch {
    /// A launch of one of a program's kernels.
    pub fn new(
        program: Arc<Program>,
        kernel: usize,
        name: &'static str,
        args: Vec<Argument>,
        rules: Rules,
    ) -> Self {
        Self { program, kernel, name, args, rules, frames: RefCell::default() }
    }

    /// The synchronisations of its program, in the order of the text.
    pub fn synchronisations(&self) -> Vec<Synchronisation> {
        self.program.synchronisations()
    }

    /// Runs one simulated thread.
    pub fn thread(&self) {
        let frame = self.frames.borrow_mut().pop();
        let mut frame = frame.unwrap_or_else(|| Frame::new(&self.program));
        let base = frame.base();
        let entry = &self.program.entries[self.kernel];
        for (param, arg) in entry.params.iter().zip(&self.args) {
            // SAFETY: the lowering reserved room for the parameter at its slot.
            unsafe { arg.write(base.offset(param.slot as isize), param.bytes) };
        }
        RunningThread::new(&self.program, self.name, base, self.rules).run(entry.pc as usize);
        self.frames.borrow_mut().push(frame);
    }
}

impl Frame {
    fn new(program: &Program) -> Self {
        let below = program.constants.len().next_multiple_of(ALIGN);
        let words = vec![0u128; (below + program.frame).div_ceil(ALIGN)].into_boxed_slice();
        let mut frame = Self { words, below };
        let constants = &program.constants;
        // SAFETY: the frame has room below its base for the constants, which end there.
        unsafe {
            let start = frame.base().sub(constants.len());
            start.copy_from_nonoverlapping(constants.as_ptr(), constants.len());
            for (slot, global) in &program.globals {
                frame.base().offset(*slot as isize).cast::<*mut u8>().write((global.address)());
            }
        }
        frame
    }

    fn base(&mut self) -> *mut u8 {
        // SAFETY: at least this number of bytes was allocated.
        unsafe { self.words.as_mut_ptr().cast::<u8>().add(self.below) }
    }
}

impl Argument {
    /// The arguments of a launch by the host; `bytes` are those of each parameter.
    pub fn of(program: &Program, args: &[KernelArg]) -> Vec<Self> {
        let params = &program.entries[0].params;
        args.iter().zip(params).map(|(arg, param)| Self::one(arg, param.bytes)).collect()
    }

    fn one(arg: &KernelArg, bytes: usize) -> Self {
        match arg {
            KernelArg::Value(value) => {
                // SAFETY: the bytes of a value of the parameter's type.
                Self::Value(unsafe { std::slice::from_raw_parts(value.as_ptr(), bytes) }.to_vec())
            }
            KernelArg::Slice { ptr, len, .. } => {
                // SAFETY: the launch borrows the memory for as long as it runs.
                Self::Slice(unsafe { Slice::from_raw_parts(*ptr as *mut u8, *len as usize) })
            }
            KernelArg::Image { access, .. } => Self::Image(*access),
            KernelArg::TensorMap { map, .. } => Self::TensorMap(map.clone()),
        }
    }

    /// Writes the parameter's value.
    ///
    /// # Safety
    /// `to` has room for `bytes` bytes.
    unsafe fn write(&self, to: *mut u8, bytes: usize) {
        // SAFETY: as promised by the caller.
        unsafe {
            match self {
                Self::Value(value) => {
                    to.copy_from_nonoverlapping(value.as_ptr(), value.len().min(bytes));
                }
                Self::Slice(descriptor) => to.cast::<*const Slice<u8>>().write(descriptor),
                Self::Image(descriptor) => to.cast::<*const ImageAccess>().write(descriptor),
                Self::TensorMap(descriptor) => to.cast::<*const Arc<TensorMapObject>>().write(descriptor),
            }
        }
    }
}
