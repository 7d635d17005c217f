//! Launches of kernels by kernels.

use super::{Expr, Function, KernelAttributes};

/// A kernel of one module, by its place among [`Module::kernels`](super::Module::kernels).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelId(pub u32);

/// A kernel that another kernel of the module launches.
#[derive(Clone, Debug)]
pub struct LaunchedKernel {
    /// Its Rust name.
    pub name: &'static str,
    /// Its body.
    pub function: Function,
    /// The settings of its own attribute.
    pub attributes: KernelAttributes,
}

/// `kernel(args).grid(…).block(…).launch()` in a kernel.
#[derive(Clone, Debug)]
pub struct NestedLaunch {
    /// The number of the kernel.
    pub kernel: KernelId,
    /// Its run-time arguments.
    pub args: Vec<Expr>,
    /// Blocks in the grid.
    pub grid: NestedGrid,
    /// Threads in a block, one to three extents.
    pub block: Vec<Expr>,
    /// Dynamic shared memory of a block, in bytes.
    pub dynamic_shared: Option<Expr>,
    /// The work that it is ordered after.
    pub order: LaunchOrder,
}

/// The grid of a nested launch, or the number of items that it must cover.
#[derive(Clone, Debug)]
pub enum NestedGrid {
    /// One to three extents.
    Blocks(Vec<Expr>),
    /// Items that a one-dimensional grid has threads for.
    Items(Box<Expr>),
}

/// The work that a nested launch is ordered after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaunchOrder {
    /// The earlier launches of the same block.
    Block,
    /// No other work.
    Free,
    /// The whole launching grid, its other launches included.
    Tail,
}

impl NestedLaunch {
    /// Its expressions, in the order of evaluation.
    pub fn operands(&self) -> Vec<&Expr> {
        let grid: Vec<&Expr> = match &self.grid {
            NestedGrid::Blocks(extents) => extents.iter().collect(),
            NestedGrid::Items(items) => vec![items],
        };
        self.args.iter().chain(grid).chain(&self.block).chain(&self.dynamic_shared).collect()
    }

    /// Its expressions, to be rewritten in place.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        let grid: Vec<&mut Expr> = match &mut self.grid {
            NestedGrid::Blocks(extents) => extents.iter_mut().collect(),
            NestedGrid::Items(items) => vec![items],
        };
        self.args.iter_mut().chain(grid).chain(&mut self.block).chain(&mut self.dynamic_shared).collect()
    }
}
