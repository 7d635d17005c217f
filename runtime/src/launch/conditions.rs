//! The conditions of a kernel that a launch fulfils.

use super::{Launch, LaunchShape, check};
use crate::argument::KernelArg;
use crate::codegen::Checks;
use crate::compile;
use crate::compile::kernel::Kernel;
use crate::driver::{Attributes, Recorded, Shown};
use crate::error::Result;
use crate::ir::{CoarsenNeeds, Condition, FulfilledConditions, LaunchValues, Parameter, Scalar};

/// A launch as its conditions see it.
struct Given<'a> {
    shape: &'a LaunchShape,
    args: &'a [KernelArg],
    /// The number of threads, which a coarsened kernel has as its last parameter.
    threads: Option<u64>,
}

impl<'a> Given<'a> {
    fn new(shape: &'a LaunchShape, args: &'a [KernelArg]) -> Self {
        Self { shape, args, threads: None }
    }
}

/// The checks that a launch needs: those that the conditions which it fulfils do not prove.
pub(super) fn checks(conditions: &[Condition], shape: &LaunchShape, args: &[KernelArg]) -> Checks {
    lifted(fulfilled(conditions, shape, args))
}

/// The checks of a launch that fulfils these conditions.
pub(super) fn lifted(fulfilled: u64) -> Checks {
    match fulfilled {
        0 => Checks::All,
        bits => Checks::Lifted(bits),
    }
}

/// The conditions that a launch fulfils, a bit each.
pub(super) fn fulfilled(conditions: &[Condition], shape: &LaunchShape, args: &[KernelArg]) -> u64 {
    let given = Given::new(shape, args);
    let bit = |(i, condition): (usize, &Condition)| u64::from(condition.holds(&given)) << i;
    conditions.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit)
}

/// The checks that a launch of a loaded kernel needs, and the facts that it shows about arithmetic and memory.
pub(super) fn of_recorded(
    recorded: &Recorded,
    shape: &LaunchShape,
    args: &[KernelArg],
    attributes: &Attributes,
) -> (u64, Shown) {
    let FulfilledConditions { checks, fits } = recorded.conditions.fulfilled(&Given::new(shape, args));
    (checks, Shown { fits, read_only: lent(recorded.read_only, args, attributes) })
}

/// The facts that a launch shows about a kernel's arithmetic and memory.
pub(super) fn showing(
    fits: &[Condition],
    read_only: u64,
    shape: &LaunchShape,
    args: &[KernelArg],
    attributes: &Attributes,
) -> Shown {
    Shown { fits: fulfilled(fits, shape, args), read_only: lent(read_only, args, attributes) }
}

/// Returns whether the arithmetic of a coarsened kernel fits its types in a launch of this shape, as it is asked for.
pub(super) fn of_coarsened(needs: &CoarsenNeeds, shape: &LaunchShape, args: &[KernelArg]) -> bool {
    let (started, threads) = shape.to_start(Some(needs));
    let given = Given { shape: &started, args, threads: Some(threads) };
    needs.fits.iter().all(|condition| condition.holds(&given))
}

/// The slices that nothing writes while the kernel runs.
fn lent(read_only: u64, args: &[KernelArg], attributes: &Attributes) -> u64 {
    // A kernel that starts before the one before it has ended may see slices change.
    if attributes.programmatic { 0 } else { check::unwritten(read_only, args) }
}

/// A kernel's conditions, evaluated as by each launch on a GPU: for a bench of the time that this takes.
#[doc(hidden)]
pub struct AskedConditions(Recorded);

impl AskedConditions {
    /// The conditions of a launch's kernel.
    pub fn new<K: Kernel>(launch: &Launch<'_, K>) -> Result<Self> {
        Ok(Self(Recorded::new(compile::module(&launch.kernel)?)))
    }

    /// The number of conditions.
    pub fn count(&self) -> usize {
        self.0.conditions.checks().len() + self.0.conditions.fits().len()
    }

    /// The grid of a launch, which a launch computes with or without conditions.
    pub fn shape<K: Kernel>(launch: &Launch<'_, K>) -> Result<[u32; 3]> {
        Ok(launch.setup.shape(K::NAME)?.grid)
    }

    /// Evaluates them for a launch: the fulfilled conditions that prove indices, those of narrow arithmetic, and the slices
    /// that nothing writes.
    pub fn of<K: Kernel>(&self, launch: &Launch<'_, K>) -> Result<[u64; 3]> {
        let (shape, args) = (launch.setup.shape(K::NAME)?, launch.args.as_ref());
        let (checks, Shown { fits, read_only }) =
            of_recorded(&self.0, &shape, args, &launch.setup.attributes);
        Ok([checks, fits, read_only])
    }
}

impl LaunchValues for Given<'_> {
    fn param(&self, parameter: &Parameter) -> Option<i128> {
        if parameter.position == self.args.len() {
            return self.threads.map(i128::from);
        }
        let Some(KernelArg::Value(value)) = self.args.get(parameter.position) else { return None };
        // SAFETY: the argument was made of a value of the parameter's type, which has this scalar there; how
        // its parts are aligned is not asked.
        unsafe {
            let bytes = value.as_ptr().add(parameter.offset);
            Some(match parameter.scalar {
                Scalar::I8 => bytes.cast::<i8>().read().into(),
                Scalar::U8 => bytes.cast::<u8>().read().into(),
                Scalar::I16 => bytes.cast::<i16>().read_unaligned().into(),
                Scalar::I32 => bytes.cast::<i32>().read_unaligned().into(),
                Scalar::I64 => bytes.cast::<i64>().read_unaligned().into(),
                Scalar::U16 => bytes.cast::<u16>().read_unaligned().into(),
                Scalar::U32 => bytes.cast::<u32>().read_unaligned().into(),
                Scalar::U64 => bytes.cast::<u64>().read_unaligned().into(),
                Scalar::Bool | Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64 => return None,
            })
        }
    }

    fn len(&self, position: usize) -> Option<i128> {
        match self.args.get(position) {
            Some(KernelArg::Slice { len, .. }) => Some((*len).into()),
            _ => None,
        }
    }

    fn block_dim(&self) -> [u32; 3] {
        self.shape.block
    }

    fn grid_dim(&self) -> [u32; 3] {
        self.shape.grid
    }

    fn shared_bytes(&self) -> u32 {
        self.shape.dynamic_shared
    }

    fn address(&self, position: usize) -> Option<u64> {
        match self.args.get(position) {
            Some(KernelArg::Slice { ptr, .. }) => Some(*ptr),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Version;
    use crate::ir::{CoarsenFactor, Quantity};
    use crate::prelude::*;

    #[derive(Clone, Copy, GpuType)]
    #[repr(C)]
    struct Whole<'a> {
        first: u16,
        second: i32,
        cells: View2<'a, f32>,
    }

    #[test]
    fn parts_of_a_value_are_read_where_they_are() {
        let device = Device::simulator();
        let buffer = device.upload(&[0.0f32; 12]).expect("memory");
        let cells = buffer.view2(3, 4).expect("it fits");
        let args = [KernelArg::value(Whole { first: 65_535, second: -7, cells })];
        let shape = LaunchShape { grid: [1; 3], block: [1; 3], cluster: None, dynamic_shared: 0 };
        let given = Given::new(&shape, &args);
        let read = |offset, scalar| given.param(&Parameter { position: 0, offset, scalar, name: "".into() });
        assert_eq!((read(0, Scalar::U16), read(4, Scalar::I32)), (Some(65_535), Some(-7)));
        // The view begins at 8, with its address; then come rows and columns.
        assert_eq!((read(16, Scalar::U64), read(24, Scalar::U64)), (Some(3), Some(4)));
    }

    #[gpu_kernel]
    fn doubled(x: &mut [u8]) {
        let i = global_id();
        if i < x.len() {
            x[i] *= 2;
        }
    }

    #[test]
    fn a_coarsened_kernel_counts_with_int_up_to_what_that_holds() {
        let device = Device::simulator();
        let mut x = device.upload(&[1u8; 64]).expect("memory");
        let launch = doubled(&mut x);
        let module = compile::module(&launch.kernel).expect("the kernel is valid");
        let [narrow, wide] = Version::coarsened(Checks::None, CoarsenFactor::Times(16)).map(|version| {
            let module = compile::passed(&module, version).expect("the kernel is elementwise").into_owned();
            module.module().coarsened.clone().expect("it is coarsened").needs
        });
        let fits = |needs: &CoarsenNeeds, blocks| {
            let shape =
                LaunchShape { grid: [blocks, 1, 1], block: [1024, 1, 1], cluster: None, dynamic_shared: 0 };
            of_coarsened(needs, &shape, launch.args.as_ref())
        };
        let most = (1 << 21) - 16;
        assert_eq!([1, most, 1 << 21].map(|blocks| fits(&narrow, blocks)), [true, true, false]);
        assert!(fits(&wide, 1 << 21));
    }

    #[test]
    fn a_launch_that_fulfils_all_is_the_one_compiled_ahead() {
        let shape = LaunchShape { grid: [1; 3], block: [1; 3], cluster: None, dynamic_shared: 0 };
        let holds = Condition { below: Quantity::Const(0), limit: Quantity::Const(1) };
        for count in [0, 1, 2, 63, 64] {
            let conditions = vec![holds.clone(); count];
            assert_eq!(checks(&conditions, &shape, &[]), Checks::fulfilling_all(count), "{count}");
        }
    }
}
