//! Launches of printed CUDA on the simulator: alone, and after the others from the same memory.

use super::Simulation;
use super::children::rules;
use super::views::Views;
use super::writable::{self, Writable};
use crate::argument::KernelArg;
use crate::codegen::Checks;
use crate::compile::kernel::AnyKernel;
use crate::driver::{Attributes, Version};
use crate::error::{Error, Result};
use crate::launch::{coarsen, conditions};
use crate::passes;
use crate::printed::{self, PrintedLaunch, Reachable, TextOptions};
use crate::simulator::{self, SimFault, SimLaunch};

impl Simulation {
    /// Runs the text that a GPU would be given for this launch.
    pub(super) fn run_printed(
        &self,
        kernel: &dyn AnyKernel,
        launch: &SimLaunch<'_>,
        args: &[KernelArg],
    ) -> Result<()> {
        self.run_text(kernel, launch, args, self.checks(args))
    }

    fn run_text(
        &self,
        kernel: &dyn AnyKernel,
        launch: &SimLaunch<'_>,
        args: &[KernelArg],
        checks: Checks,
    ) -> Result<()> {
        let refused = |why| SimFault::NotPrinted { kernel: kernel.name().to_owned(), why };
        let text = printed::text(kernel, self.module(), self.text_options(kernel, args, checks)?)
            .map_err(refused)?;
        let (shape, threads) = self.shape().to_start(text.coarsened());
        let dynamic_shared = launch.dynamic_shared + text.needs().large_shared_bytes;
        let launch = SimLaunch { grid: shape.grid, dynamic_shared, ..launch.clone() };
        let run = PrintedLaunch::new(&text, args, threads, self.reached(args), rules(self.settings()));
        simulator::run(&launch, &|| run.thread())?;
        Ok(())
    }

    /// The form in which the text of this launch is printed and compiled.
    fn text_options(
        &self,
        kernel: &dyn AnyKernel,
        args: &[KernelArg],
        checks: Checks,
    ) -> Result<TextOptions> {
        let module = self.module();
        let shown = conditions::showing(
            &module.module().fits,
            passes::read_only(module),
            self.shape(),
            args,
            &Attributes::default(),
        );
        let wanted = self.coarsen.filter(|_| self.coarsens);
        let plain = Version::of_launch(checks, shown);
        let version = coarsen::settled(kernel, module, (wanted, plain), self.shape(), args)?;
        Ok(TextOptions { version, sanitizers: self.settings().sanitizers })
    }

    /// The memory that the arguments and statics let the kernel access.
    fn reached(&self, args: &[KernelArg]) -> Reachable {
        let module = self.module().module();
        let mut reached =
            Reachable { any_buffer: writable::reaches_further(&module.kernel), ..Reachable::default() };
        for (arg, id) in args.iter().zip(&module.kernel.params) {
            let ty = &module.kernel.var(*id).ty;
            match arg {
                KernelArg::Slice { ptr, bytes, .. } => {
                    reached.ranges.push(*ptr as usize..(*ptr + *bytes) as usize)
                }
                KernelArg::Value(value) => {
                    let views = Views::of(ty, value.words());
                    reached.any_buffer |= views.further.is_some();
                    let ranges =
                        views.list.iter().map(|view| view.range.start as usize..view.range.end as usize);
                    reached.ranges.extend(ranges);
                }
                KernelArg::Image { .. } => reached.any_buffer = true,
                KernelArg::TensorMap { map, .. } => {
                    let range = map.range();
                    reached.ranges.push(range.start as usize..range.end as usize);
                }
            }
        }
        for global in module.globals() {
            let (start, ty) = ((global.address)().addr(), (global.ty)());
            reached.ranges.push(start..start + ty.size());
            reached.any_buffer |= ty.holds_address();
        }
        reached
    }

    /// The checks of the text, as a launch on a GPU chooses them.
    fn checks(&self, args: &[KernelArg]) -> Checks {
        match self.checked {
            true => conditions::checks(&self.module().module().conditions, self.shape(), args),
            false => Checks::None,
        }
    }

    /// Runs a launch on the twin and the interpreter, and then its text, checked and unchecked, from the same memory.
    ///
    /// If the others end with a fault, the text does not run: it has no checks but those of bounds.
    pub(super) fn run_all(&self, kernel: &dyn AnyKernel, args: &[KernelArg]) -> Result<()> {
        let memory = writable::of_launch(self.module().module(), args, kernel.params());
        let save = || memory.iter().map(Writable::saved).collect::<Vec<_>>();
        let restore =
            |saved: &[Vec<u8>]| memory.iter().zip(saved).for_each(|(region, saved)| region.restore(saved));
        let before = save();
        self.run_one(kernel, args)?;
        let after = save();
        let launch = self.launch(kernel, args, &[])?;
        // A launch that passed all checks needs none.
        let both = [self.checks(args), Checks::None];
        let options = [self.text_options(kernel, args, both[0])?, self.text_options(kernel, args, both[1])?];
        printed::compile_together(kernel, self.module(), options);
        for checks in both {
            restore(&before);
            let outcome = self.run_text(kernel, &launch, args, checks);
            let printed = save();
            // Whatever the text does, the launch's results are the twin's.
            restore(&after);
            same(kernel.name(), outcome, &memory, &after, &printed)?;
        }
        Ok(())
    }
}

/// Whether a run of the text ended without a fault, with the memory that the twin left.
fn same(
    kernel: &str,
    outcome: Result<()>,
    memory: &[Writable],
    twin: &[Vec<u8>],
    printed: &[Vec<u8>],
) -> Result<()> {
    let differ = |what: String| Err(SimFault::PrintedDiffers { kernel: kernel.to_owned(), what }.into());
    match outcome {
        Err(Error::Simulator(refused)) if matches!(*refused, SimFault::NotPrinted { .. }) => {
            return Err(Error::Simulator(refused));
        }
        Err(fault) => return differ(format!("the twin ends without a fault, the text with: {fault}")),
        Ok(()) => {}
    }
    for (region, (twin, printed)) in memory.iter().zip(twin.iter().zip(printed)) {
        if let Some(byte) = region.difference(twin, printed, |_| true) {
            let (a, b, what) = (twin[byte], printed[byte], &region.what);
            return differ(format!("byte {byte} of {what} is {a:#04x} by the twin, {b:#04x} by the text"));
        }
    }
    Ok(())
}
