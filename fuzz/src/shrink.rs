//! Makes a failure small: leaves out guarded statements while it stays.

/// The mask with as few bits as `fails` allows; `fails` holds for the mask given.
///
/// Bits are cleared one by one, again and again, until none can be: a statement may be needed only
/// as long as another one is there.
pub fn shrink(mask: u64, mut fails: impl FnMut(u64) -> bool) -> u64 {
    let mut mask = mask;
    loop {
        let before = mask;
        for bit in (0..64).map(|i| 1u64 << i) {
            if mask & bit != 0 && fails(mask & !bit) {
                mask &= !bit;
            }
        }
        if mask == before {
            return mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_statements_that_matter_are_left() {
        let mut tries = 0;
        let small = shrink(0xffff, |mask| {
            tries += 1;
            mask & 0x0210 == 0x0210
        });
        assert_eq!(small, 0x0210);
        assert!(tries <= 32, "{tries} tries for 16 bits");
    }

    #[test]
    fn a_statement_that_another_one_needs_goes_with_it() {
        // Bit 0 must stay while bit 3 is there.
        let fails = |mask: u64| mask & 2 != 0 && (mask & 8 == 0 || mask & 1 != 0);
        assert_eq!(shrink(0b1011, fails), 2);
    }

    #[test]
    fn a_failure_that_needs_nothing_becomes_empty() {
        assert_eq!(shrink(u64::MAX, |_| true), 0);
    }
}
