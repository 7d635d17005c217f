//! Products of a warpgroup by their widths.

use corpus::random_products::Instruction;
use corpus::random_products::warpgroup::{Multiplied, product};
use warpsmith::prelude::*;

/// Products of a warpgroup: each type by 8 to 256 columns, and with the left operand in registers by some of these.
pub fn all() -> Vec<Instruction> {
    let mut all = Vec::new();
    of::<f16>(&mut all);
    of::<bf16>(&mut all);
    of::<f32>(&mut all);
    of::<F8E4M3>(&mut all);
    of::<F8E5M2>(&mut all);
    of::<i8>(&mut all);
    of::<u8>(&mut all);
    all
}

fn of<T: Multiplied>(to: &mut Vec<Instruction>) {
    macro_rules! widths {
        ($in_registers:literal: $($c:literal)+) => {
            to.extend([$(product::<T, $c, $in_registers>()),+]);
        };
    }
    widths!(false: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
    widths!(true: 1 8 32);
}
