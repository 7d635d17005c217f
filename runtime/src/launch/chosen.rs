//! The text of a kernel that a launch runs: its version by the checks and facts that the launch proves.
//!
//! A GPU loads texts; a device of a bundle keeps them. Both choose here, so a launch finds in a bundle what was put there for it.

use std::sync::Arc;

use super::{LaunchShape, Setup, coarsen, conditions};
use crate::argument::KernelArg;
use crate::codegen::{Checks, GpuChecks, Needs};
use crate::compile::kernel::AnyKernel;
use crate::driver::{Attributes, Gpu, Loaded, Recorded, Shown, Version};
use crate::error::{Error, Result};
use crate::host::ahead::{Ahead, Text};
use crate::nvrtc::NvrtcError;

/// A device that has the texts of kernels.
pub(super) trait Texts {
    /// One version of a kernel.
    type Text;

    /// The facts about a kernel before it is compiled.
    fn recorded(&self, kernel: &dyn AnyKernel) -> Result<&Recorded>;

    /// A version of a kernel.
    fn text(&self, kernel: &dyn AnyKernel, version: Version) -> Result<&Arc<Self::Text>>;

    /// The requirements of a version.
    fn needs(text: &Self::Text) -> &Needs;
}

impl Texts for Gpu {
    type Text = Loaded;

    fn recorded(&self, kernel: &dyn AnyKernel) -> Result<&Recorded> {
        self.recorded(kernel)
    }

    fn text(&self, kernel: &dyn AnyKernel, version: Version) -> Result<&Arc<Loaded>> {
        self.loaded(kernel, version)
    }

    fn needs(text: &Loaded) -> &Needs {
        text.needs()
    }
}

impl Texts for Ahead {
    type Text = Text;

    fn recorded(&self, kernel: &dyn AnyKernel) -> Result<&Recorded> {
        self.recorded(kernel)
    }

    fn text(&self, kernel: &dyn AnyKernel, version: Version) -> Result<&Arc<Text>> {
        self.text(kernel, version)
    }

    fn needs(text: &Text) -> &Needs {
        &text.needs
    }
}

/// The facts that a chosen text rests on; a launch of it must show as much.
#[derive(Clone, Copy)]
pub(crate) struct Rests {
    /// The conditions that prove checks, a bit each.
    checks: u64,
    shown: Shown,
    /// The version for launches that show less.
    otherwise: Version,
}

/// The checks that a launch asks for, and what else decides which text it runs.
pub(super) struct Asked<'a> {
    /// Checks of indices.
    pub bounds: bool,
    /// Other checks on a GPU.
    pub others: GpuChecks,
    pub setup: &'a Setup,
}

/// The text with the checks that a launch needs, and what this rests on.
pub(super) fn chosen<'t, T: Texts>(
    texts: &'t T,
    kernel: &dyn AnyKernel,
    asked: &Asked<'_>,
    shape: &LaunchShape,
    args: &[KernelArg],
) -> Result<(&'t Arc<T::Text>, Rests)> {
    if asked.others.any() {
        let version = Version::from(Checks::Also(asked.others));
        return Ok((texts.text(kernel, version)?, Rests::on_nothing(version)));
    }
    let recorded = texts.recorded(kernel)?;
    let (fulfilled, shown) = conditions::of_recorded(recorded, shape, args, &asked.setup.attributes);
    let checks = if asked.bounds { conditions::lifted(fulfilled) } else { Checks::None };
    if let Some(factor) = asked.setup.coarsening_of(kernel.name(), recorded.coarsen, shape, args)? {
        for version in Version::coarsened(checks, factor) {
            match checked(texts, kernel, version) {
                Ok(found) if fits(T::needs(found.0), shape, args) => return Ok(found),
                // Compiled ahead of time, a kernel may not be there coarsened; it does the same as it is.
                Ok(_) | Err(Error::Nvrtc(NvrtcError::Missing)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    checked(texts, kernel, Version::of_launch(checks, shown))
}

/// The text for other arguments: the chosen one, if they show as much as it rests on.
pub(super) fn again<'t, T: Texts>(
    texts: &'t T,
    kernel: &dyn AnyKernel,
    (text, rests): (&'t Arc<T::Text>, Rests),
    shape: &LaunchShape,
    args: &[KernelArg],
    attributes: &Attributes,
) -> Result<&'t Arc<T::Text>> {
    let needs = T::needs(text);
    let fits = needs.coarsened.is_none() || fits(needs, shape, args);
    let fulfils = || -> Result<bool> {
        let (proven, shown) = conditions::of_recorded(texts.recorded(kernel)?, shape, args, attributes);
        Ok(rests.checks & !proven == 0 && shown.includes(rests.shown))
    };
    // Other arguments may need checks that the first ones did not, or are not aligned as they were.
    if fits && fulfils()? { Ok(text) } else { texts.text(kernel, rests.otherwise) }
}

/// Returns whether a text is coarsened for these arguments.
fn fits(needs: &Needs, shape: &LaunchShape, args: &[KernelArg]) -> bool {
    needs.coarsened.as_ref().is_some_and(|needs| coarsen::fits(needs, shape, args))
}

impl Rests {
    fn on_nothing(version: Version) -> Self {
        Self { checks: 0, shown: Shown::NOTHING, otherwise: version.for_any_launch() }
    }

    fn of(version: Version) -> Self {
        let checks = if let Checks::Lifted(checks) = version.checks { checks } else { 0 };
        // The needs of a coarsened text say what its arithmetic rests on.
        let shown = version.shown.filter(|_| version.coarsen.is_none()).unwrap_or(Shown::NOTHING);
        Self { checks, shown, ..Self::on_nothing(version) }
    }
}

/// A version of a kernel, or one that rests on nothing where only that is compiled ahead of time.
fn checked<'t, T: Texts>(
    texts: &'t T,
    kernel: &dyn AnyKernel,
    version: Version,
) -> Result<(&'t Arc<T::Text>, Rests)> {
    match texts.text(kernel, version) {
        Ok(text) => Ok((text, Rests::of(version))),
        // Compiled ahead of time, a kernel rests on nothing, or on all that a launch can show.
        Err(Error::Nvrtc(NvrtcError::Missing)) if version.rests_on_launch() => {
            let any = Version { coarsen: version.coarsen, ..version.for_any_launch() };
            Ok((texts.text(kernel, any)?, Rests::on_nothing(any)))
        }
        Err(error) => Err(error),
    }
}
