//! Products of a warpgroup by their widths.

use corpus::random_products::Instruction;
use corpus::random_products::warpgroup::{Multiplied, product};
use warpsmith::prelude::*;

macro_rules! widths {
    ($t:ty, $in_registers:literal: $($c:literal)+) => {
        [$(product::<$t, $c, $in_registers>()),+]
    };
}

/// Products of a warpgroup: each type by every width that it has, and with the left operand in registers by some of these.
pub fn all() -> Vec<Instruction> {
    let mut all = Vec::new();
    floats::<f16>(&mut all);
    floats::<bf16>(&mut all);
    floats::<f32>(&mut all);
    floats::<F8E4M3>(&mut all);
    floats::<F8E5M2>(&mut all);
    integers::<i8>(&mut all);
    integers::<u8>(&mut all);
    all
}

fn floats<T: Multiplied>(to: &mut Vec<Instruction>) {
    to.extend(widths!(T, false: 5 7 9 11 13 15 17 19 21 23 25 27 29 31));
    integers::<T>(to);
}

/// The widths that integers have too.
fn integers<T: Multiplied>(to: &mut Vec<Instruction>) {
    to.extend(widths!(T, false: 1 2 3 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32));
    to.extend(widths!(T, true: 1 8 32));
}
