//! Launches of printed CUDA on the simulator: alone, and after the others from the same memory.

use super::conditions;
use super::simulated::Simulation;
use super::writable::{self, Writable};
use crate::args::KernelArg;
use crate::codegen::Checks;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::printed::{self, Run, Wanted};
use crate::simulator::{self, SimFault, SimLaunch};

impl Simulation {
    /// Runs the text that a GPU would be given for this launch.
    pub(super) fn run_printed<K: Kernel>(
        &self,
        comptime: &K::Comptime,
        launch: &SimLaunch<'_>,
        args: &[KernelArg],
    ) -> Result<()> {
        let wanted = Wanted { checks: self.checks(args), sanitizers: self.settings().sanitizers };
        let refused = |why| SimFault::NotPrinted { kernel: K::NAME.to_owned(), why };
        let text = printed::text::<K>(comptime, wanted).map_err(refused)?;
        let run = Run::new(&text, args);
        simulator::run(launch, &|| run.thread())?;
        Ok(())
    }

    /// The checks of the text, as a launch on a GPU chooses them.
    fn checks(&self, args: &[KernelArg]) -> Checks {
        match self.checked {
            true => conditions::checks(&self.module().module().conditions, self.shape(), args),
            false => Checks::None,
        }
    }

    /// Runs a launch on the twin and the interpreter, and then its text from the same memory.
    ///
    /// Where the others end with a fault, the text is not run: it has no checks but those of bounds.
    pub(super) fn run_all<K: Kernel>(&self, comptime: &K::Comptime, args: &[KernelArg]) -> Result<()> {
        let memory = writable::of_launch(self.module().module(), args, K::PARAMS);
        let save = || memory.iter().map(Writable::saved).collect::<Vec<_>>();
        let before = save();
        self.run_one::<K>(comptime, args)?;
        let after = save();
        for (region, saved) in memory.iter().zip(&before) {
            region.restore(saved);
        }
        let outcome = self.run_printed::<K>(comptime, &self.launch::<K>(args, &[])?, args);
        let differ = |what: String| SimFault::PrintedDiffers { kernel: K::NAME.to_owned(), what };
        match outcome {
            Err(Error::Simulator(refused)) if matches!(*refused, SimFault::NotPrinted { .. }) => {
                for (region, saved) in memory.iter().zip(&after) {
                    region.restore(saved);
                }
                return Err(Error::Simulator(refused));
            }
            Err(fault) => {
                return Err(differ(format!("the twin ends with no fault, the text with {fault}")).into());
            }
            Ok(()) => {}
        }
        for ((region, twin), printed) in memory.iter().zip(&after).zip(save()) {
            if let Some(byte) = region.difference(twin, &printed, |_| true) {
                let (a, b, what) = (twin[byte], printed[byte], &region.what);
                let what = format!("byte {byte} of {what} is {a:#04x} by the twin, {b:#04x} by the text");
                return Err(differ(what).into());
            }
        }
        Ok(())
    }
}
