//! All conditions of a kernel, evaluated at once for a launch.
//!
//! Most launches have the same lengths, shape and integers as the launch before. These numbers are read and compared, and
//! the conditions are computed only if one of them has changed.

use std::sync::Mutex;

use super::condition::{Condition, LaunchValues};
use super::quantity::Quantity;

/// The greatest number of remembered numbers of a launch.
const MOST_NUMBERS: usize = 64;

/// The conditions of a kernel, with the answer to the last launch.
#[derive(Debug)]
pub struct ConditionSet {
    checks: Vec<Condition>,
    fits: Vec<Condition>,
    /// The numbers that the conditions are made of, each once.
    numbers: Vec<Quantity>,
    last: Mutex<Last>,
}

/// The conditions that a launch fulfils, one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FulfilledConditions {
    /// Among those that prove indices.
    pub checks: u64,
    /// Among those under which arithmetic fits `int`.
    pub fits: u64,
}

/// The numbers of the last launch and the conditions that it fulfilled; nothing before the first launch.
#[derive(Debug)]
struct Last {
    is_known: bool,
    numbers: [i64; MOST_NUMBERS],
    fulfilled: FulfilledConditions,
}

impl ConditionSet {
    /// Makes the set from the conditions that prove indices and those under which arithmetic fits `int`.
    pub fn new(checks: Vec<Condition>, fits: Vec<Condition>) -> Self {
        let mut numbers = Vec::new();
        for Condition { below, limit } in checks.iter().chain(&fits) {
            below.numbers(&mut numbers);
            limit.numbers(&mut numbers);
        }
        let last =
            Last { is_known: false, numbers: [0; MOST_NUMBERS], fulfilled: FulfilledConditions::default() };
        Self { checks, fits, numbers, last: Mutex::new(last) }
    }

    /// The conditions that prove indices.
    pub fn checks(&self) -> &[Condition] {
        &self.checks
    }

    /// The conditions under which arithmetic fits `int`.
    pub fn fits(&self) -> &[Condition] {
        &self.fits
    }

    /// The conditions that a launch fulfils. Allocates nothing, and waits for no other thread.
    pub fn fulfilled(&self, launch: &impl LaunchValues) -> FulfilledConditions {
        if self.checks.is_empty() && self.fits.is_empty() {
            return FulfilledConditions::default();
        }
        let mut numbers = [0; MOST_NUMBERS];
        let Some(numbers) = self.read(launch, &mut numbers) else { return self.computed(launch) };
        let Ok(mut last) = self.last.try_lock() else { return self.computed(launch) };
        if !last.is_known || last.numbers[..numbers.len()] != *numbers {
            last.fulfilled = self.computed(launch);
            last.numbers[..numbers.len()].copy_from_slice(numbers);
            last.is_known = true;
        }
        last.fulfilled
    }

    /// The numbers of a launch; `None` if one is unknown or beyond 64 bits, or if there are too many.
    fn read<'n>(
        &self,
        launch: &impl LaunchValues,
        numbers: &'n mut [i64; MOST_NUMBERS],
    ) -> Option<&'n [i64]> {
        let own = numbers.get_mut(..self.numbers.len())?;
        for (number, quantity) in own.iter_mut().zip(&self.numbers) {
            *number = quantity.value(launch)?;
        }
        Some(own)
    }

    fn computed(&self, launch: &impl LaunchValues) -> FulfilledConditions {
        let of = |conditions: &[Condition]| {
            let bit = |(i, condition): (usize, &Condition)| u64::from(condition.holds(launch)) << i;
            conditions.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit)
        };
        FulfilledConditions { checks: of(&self.checks), fits: of(&self.fits) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Scalar;
    use crate::ir::quantity::Parameter;

    /// A launch with one integer, one length and one extent of its grid.
    struct Given(Option<i128>, i128, u32);

    impl LaunchValues for Given {
        fn param(&self, _: &Parameter) -> Option<i128> {
            self.0
        }
        fn len(&self, _: usize) -> Option<i128> {
            Some(self.1)
        }
        fn block_dim(&self) -> [u32; 3] {
            [32, 1, 1]
        }
        fn grid_dim(&self) -> [u32; 3] {
            [self.2, 1, 1]
        }
        fn shared_bytes(&self) -> u32 {
            0
        }
        fn address(&self, _: usize) -> Option<u64> {
            Some(256)
        }
    }

    fn n() -> Quantity {
        Quantity::Param(Parameter { position: 0, offset: 0, scalar: Scalar::I64, name: "n".into() })
    }

    fn set() -> ConditionSet {
        let len = Quantity::Len(1, "x".into());
        let threads = Quantity::GridDim(0).product(Quantity::BlockDim(0));
        let checks = vec![
            Condition { below: n(), limit: len.clone() },
            Condition { below: threads.clone().plus(-1), limit: len.clone() },
        ];
        ConditionSet::new(checks, vec![Condition { below: n().product(threads), limit: len.plus(1 << 20) }])
    }

    #[test]
    fn what_was_remembered_is_what_would_be_computed() {
        let set = set();
        assert_eq!(set.numbers.len(), 4, "each once: {:?}", set.numbers);
        let launches = [
            Given(Some(3), 64, 2),
            Given(Some(3), 64, 2),
            Given(Some(64), 64, 2),
            Given(Some(3), 64, 2),
            Given(Some(3), 63, 2),
            Given(Some(3), 64, 3),
            // Unknown, beyond 64 bits, and known again.
            Given(None, 64, 2),
            Given(Some(1 << 80), 64, 2),
            Given(Some(-(1 << 80)), 64, 2),
            Given(Some(3), 64, 2),
        ];
        for launch in &launches {
            assert_eq!(set.fulfilled(launch), set.computed(launch));
        }
        assert_eq!(set.fulfilled(&launches[0]), FulfilledConditions { checks: 3, fits: 1 });
        assert_eq!(set.fulfilled(&launches[2]).checks, 2);
    }

    #[test]
    fn more_numbers_than_are_remembered_are_computed() {
        let many = (0..MOST_NUMBERS as i128 + 1).map(|at| {
            let limit = Quantity::Len(at as usize, format!("x{at}").into());
            Condition { below: Quantity::Const(at), limit }
        });
        let set = ConditionSet::new(
            many.take(64).collect(),
            vec![Condition { below: n(), limit: Quantity::SharedBytes }],
        );
        assert!(set.numbers.len() > MOST_NUMBERS);
        let launch = Given(Some(-1), 40, 1);
        for _ in 0..2 {
            assert_eq!(set.fulfilled(&launch), FulfilledConditions { checks: (1 << 40) - 1, fits: 1 });
        }
    }

    #[test]
    fn nothing_is_asked_of_a_kernel_without_conditions() {
        let none = ConditionSet::new(Vec::new(), Vec::new());
        assert_eq!(none.fulfilled(&Given(None, 0, 1)), FulfilledConditions::default());
    }
}
