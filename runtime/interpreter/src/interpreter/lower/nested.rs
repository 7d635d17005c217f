//! Launches of kernels by kernels.

use super::{Lower, Result};
use crate::interpreter::nested::{Grid, Launched, Passed};
use crate::interpreter::program::{Index, Op};
use crate::ir::{Expr, LaunchOrder, NestedGrid, NestedLaunch, Type};
use crate::simulator::ChildOrder;

impl<'m> Lower<'m> {
    /// `kernel(args).grid(…).block(…).launch()`
    pub(super) fn nested_launch(&mut self, launch: &'m NestedLaunch) -> Result<()> {
        let kernel = launch.kernel.0 as usize;
        let Some((_, attributes)) = self.module.kernels().nth(kernel) else {
            return self.unsupported("a launch of a kernel that the module does not have");
        };
        let mut args = Vec::new();
        for arg in &launch.args {
            args.push((self.value(arg)?, passed(&arg.ty)));
        }
        let grid = match &launch.grid {
            NestedGrid::Blocks(extents) => Grid::Blocks(self.extents(extents)?),
            NestedGrid::Items(items) => Grid::Items(self.subscript(items)?),
        };
        let launched = Launched {
            kernel,
            name: match kernel.checked_sub(1) {
                None => None,
                Some(i) => Some(self.module.launched[i].name),
            },
            attributes: attributes.clone(),
            args,
            grid,
            block: self.extents(&launch.block)?,
            dynamic_shared: launch.dynamic_shared.as_ref().map(|e| self.subscript(e)).transpose()?,
            order: match launch.order {
                LaunchOrder::Tail => ChildOrder::Tail,
                LaunchOrder::Free => ChildOrder::Free,
                LaunchOrder::Block => ChildOrder::Block,
            },
        };
        let (table, site) = (self.program.launches.len() as u32, self.site());
        self.program.launches.push(launched);
        self.push(Op::Launch { table, site });
        Ok(())
    }

    fn extents(&mut self, extents: &'m [Expr]) -> Result<Vec<Index>> {
        extents.iter().map(|e| self.subscript(e)).collect()
    }
}

fn passed(ty: &Type) -> Passed {
    match ty {
        ty if ty.is_slice() => Passed::Slice,
        Type::Ref { to, .. } if matches!(**to, Type::Image(_)) => Passed::Image,
        ty => Passed::Value(ty.size()),
    }
}
