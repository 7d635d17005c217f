//! Launches of kernels by kernels: each thread that comes to a launch makes one.

use std::sync::Arc;

use super::execute::RunningThread;
use super::program::{Index, Program, Site, Slot};
use super::run::{Argument, InterpretedLaunch};
use crate::argument::ImageAccess;
use crate::ir::KernelAttributes;
use crate::simulator::ChildOrder;
use crate::simulator::context::{self, Child};
use crate::types::Slice;

/// The shape that a kernel asks for a launch.
pub struct AskedShape<'a> {
    /// The launched kernel.
    pub kernel: &'static str,
    /// The settings of its attribute.
    pub attributes: &'a KernelAttributes,
    /// Blocks of the grid; if there are none, the grid covers the items.
    pub grid: Option<[u32; 3]>,
    /// Items that the grid covers.
    pub items: u64,
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
}

/// The grid and the bytes of dynamic shared memory of a launch by a kernel; otherwise its mistake, in a GPU's words.
pub type ChildShape = fn(&AskedShape<'_>) -> Result<([u32; 3], usize), String>;

/// The grid of a launch, or the items that it covers.
pub(super) enum Grid {
    Blocks(Vec<Index>),
    Items(Index),
}

/// How an argument is passed on.
#[derive(Clone, Copy)]
pub(super) enum Passed {
    /// A value, with its number of bytes.
    Value(usize),
    /// A slice, by a descriptor of its own.
    Slice,
    /// A texture or a surface, by a descriptor of its own.
    Image,
}

/// A launch in a kernel.
pub(super) struct Launched {
    /// The number of the kernel in the program.
    pub kernel: usize,
    /// Its name; nothing for the program's own.
    pub name: Option<&'static str>,
    pub attributes: KernelAttributes,
    /// Arguments, and what each is.
    pub args: Vec<(Slot, Passed)>,
    pub grid: Grid,
    pub block: Vec<Index>,
    pub dynamic_shared: Option<Index>,
    pub order: ChildOrder,
}

impl RunningThread<'_> {
    /// Queues a launch.
    pub(super) fn launch(&mut self, program: &Arc<Program>, table: u32, site: Site) {
        let launched = &self.program.launches[table as usize];
        let name = launched.name.unwrap_or(self.name);
        let at = self.program.sites[site as usize];
        let block = self.extents(&launched.block);
        let (grid, items) = match &launched.grid {
            Grid::Blocks(extents) => (Some(self.extents(extents)), 0),
            Grid::Items(items) => (None, self.index(*items) as u64),
        };
        let dynamic = launched.dynamic_shared.map_or(0, |index| self.index(index));
        let dynamic_shared = u32::try_from(dynamic).unwrap_or(u32::MAX);
        let asked =
            AskedShape { kernel: name, attributes: &launched.attributes, grid, items, block, dynamic_shared };
        let shape = match (self.rules.child_shape)(&asked) {
            Ok(shape) => shape,
            Err(refused) => context::fault_launch(name, refused, at),
        };
        let args = launched.args.iter().map(|(slot, passed)| self.argument(*slot, *passed)).collect();
        let run = InterpretedLaunch::new(program.clone(), launched.kernel, name, args, self.rules);
        context::launch(
            Child {
                kernel: name,
                grid: shape.0,
                block,
                dynamic_shared: shape.1,
                order: launched.order,
                number: 0,
                thread: Box::new(move || run.thread()),
            },
            at,
        );
    }

    fn argument(&self, slot: Slot, passed: Passed) -> Argument {
        let from = self.frame.wrapping_offset(slot as isize);
        match passed {
            // SAFETY: the lowering reserved this number of bytes at the slot.
            Passed::Value(bytes) => unsafe {
                Argument::Value(std::slice::from_raw_parts(from, bytes).to_vec())
            },
            // SAFETY: the slot holds the address of the descriptor that the launching kernel was given.
            Passed::Image => unsafe { Argument::Image(**from.cast::<*const ImageAccess>()) },
            Passed::Slice => {
                let (ptr, len) = self.slice(slot);
                // SAFETY: what the launching thread has, which outlives the launch.
                Argument::Slice(unsafe { Slice::from_raw_parts(ptr, len) })
            }
        }
    }

    fn extents(&self, indices: &[Index]) -> [u32; 3] {
        let mut extents = [1; 3];
        for (extent, index) in extents.iter_mut().zip(indices) {
            *extent = u32::try_from(self.index(*index)).unwrap_or(u32::MAX);
        }
        extents
    }
}
