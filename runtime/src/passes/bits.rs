//! Ranges of what bits make up.

use crate::ir::Quantity;

/// The greatest value of `a | b` and of `a ^ b`, where neither is negative: no bit is above the highest of
/// both, and no value above their sum.
pub(super) fn joined(a: Quantity, b: Quantity) -> Quantity {
    match (a.as_const(), b.as_const()) {
        (Some(a), Some(b)) => Quantity::Const(ones(a.max(b)).min(a.saturating_add(b))),
        _ => a.sum(b),
    }
}

/// The least number of ones, as bits, that is not below a value.
fn ones(value: i128) -> i128 {
    let width = i128::BITS - value.max(0).leading_zeros();
    if width >= i128::BITS - 1 { i128::MAX } else { (1 << width) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_bits_are_never_more() {
        for a_most in 0..40 {
            for b_most in 0..40 {
                let most = joined(Quantity::Const(a_most), Quantity::Const(b_most)).most();
                for (a, b) in (0..=a_most).flat_map(|a| (0..=b_most).map(move |b| (a, b))) {
                    assert!((a | b) <= most && (a ^ b) <= most, "{a} {b} {most}");
                }
            }
        }
        assert_eq!(joined(Quantity::Const(31), Quantity::Const(31)).most(), 31);
        assert_eq!(joined(Quantity::Const(0), Quantity::Const(9)).most(), 9);
    }
}
