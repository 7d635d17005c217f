//! Launches of kernels by kernels, as `kernel<<<grid, block>>>(args)`.

use super::precedence::BETWEEN_ANGLES;
use super::{Printer, SiteKind, prelude, slice};
use crate::ir::{
    Expr, Function, KernelId, LaunchOrder, Location, NestedGrid, NestedLaunch, Scalar, StmtKind,
};

impl Printer<'_> {
    /// `kernel<<<grid, block>>>(args);`, and in checked code what became of it.
    pub(super) fn launch(&mut self, launch: &NestedLaunch, at: Location) {
        let name = self.symbols.kernels[launch.kernel.0 as usize].clone();
        let shape = self.launch_shape(launch);
        let mut args: Vec<String> = launch.args.iter().map(|arg| self.launched_argument(arg)).collect();
        if self.kernels_fault {
            args.push("ws_fault".into());
        }
        self.function.push(&format!("{name}<<<{shape}>>>({});", args.join(", ")));
        if self.checks() {
            self.need(&prelude::LAUNCHED);
            let launched = self.module.kernels().nth(launch.kernel.0 as usize);
            let kernel = launched.map_or(String::new(), |(function, _)| function.name.clone());
            let site = self.site(SiteKind::Launch(kernel), at);
            self.function.push(&format!("ws_launched({site}, ws_fault);"));
        }
    }

    fn launched_argument(&mut self, arg: &Expr) -> String {
        if slice::is_slice(&arg.ty) {
            let (ptr, len) = self.slice_parts(arg);
            return format!("{ptr}, {len}");
        }
        self.argument(arg)
    }

    /// The text between the angle brackets.
    fn launch_shape(&mut self, launch: &NestedLaunch) -> String {
        let block = self.launch_extents(&launch.block);
        let grid = match &launch.grid {
            NestedGrid::Blocks(extents) => self.launch_extents(extents),
            NestedGrid::Items(items) => {
                self.need(&prelude::COVERING);
                format!("ws_covering({}, {block})", self.argument(items))
            }
        };
        let stream = match launch.order {
            LaunchOrder::Block => None,
            LaunchOrder::Free => Some("cudaStreamFireAndForget"),
            LaunchOrder::Tail => Some("cudaStreamTailLaunch"),
        };
        let shared = launch.dynamic_shared.as_ref().map(|bytes| self.between_angles(bytes));
        let shared = shared.or_else(|| stream.map(|_| "0".to_owned()));
        let parts = [Some(grid), Some(block), shared, stream.map(str::to_owned)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// A number, or `dim3(x, y, z)`.
    fn launch_extents(&mut self, extents: &[Expr]) -> String {
        match extents {
            [one] => self.launch_extent(one),
            many => {
                let many: Vec<String> = many.iter().map(|e| self.argument(e)).collect();
                format!("dim3({})", many.join(", "))
            }
        }
    }

    /// An extent of another type than `u32` is brought into its range, as on the host.
    fn launch_extent(&mut self, extent: &Expr) -> String {
        if extent.ty.scalar() == Some(Scalar::U32) {
            return self.between_angles(extent);
        }
        self.need(&prelude::EXTENT);
        format!("ws_extent({})", self.argument(extent))
    }

    /// An expression between `<<<` and `>>>`: its own comparisons stand in parentheses.
    fn between_angles(&mut self, e: &Expr) -> String {
        self.expr(e).at(BETWEEN_ANGLES)
    }

    /// Declarations of the kernels that are launched before they are printed: `printed` is their order.
    pub(super) fn launched_before_printed(&mut self, printed: &[usize]) -> Vec<String> {
        let module = self.module;
        let mut declared = Vec::new();
        for (place, index) in printed.iter().enumerate() {
            let Some((kernel, _)) = module.kernels().nth(*index) else { continue };
            let later = |id: &KernelId| printed.iter().skip(place + 1).any(|later| *later == id.0 as usize);
            declared.extend(launched(kernel).into_iter().filter(later).map(|id| id.0 as usize));
        }
        declared.sort_unstable();
        declared.dedup();
        declared.into_iter().map(|index| format!("{};\n", self.kernel_signature(index))).collect()
    }
}

/// The kernels that a kernel launches.
pub(super) fn launched(kernel: &Function) -> Vec<KernelId> {
    let mut found = Vec::new();
    crate::ir::visit::stmts(&kernel.body, &mut |stmt| {
        if let StmtKind::Launch(launch) = &stmt.kind {
            found.push(launch.kernel);
        }
    });
    found
}
