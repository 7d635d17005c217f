//! The difference of two quantities, whatever the launch.

use super::quantity::Quantity;

/// A quantity less another one, with what stands in both taken out.
#[derive(Default)]
pub(super) struct Difference<'a> {
    terms: Vec<(&'a Quantity, i128)>,
    constant: i128,
}

impl<'a> Difference<'a> {
    pub fn new(of: &'a Quantity, less: &'a Quantity) -> Self {
        let mut difference = Self::default();
        difference.add(of, 1);
        difference.add(less, -1);
        difference
    }

    fn add(&mut self, of: &'a Quantity, times: i128) {
        match of {
            Quantity::Const(n) => self.constant = self.constant.saturating_add(n.saturating_mul(times)),
            Quantity::Offset(a, c) => {
                self.constant = self.constant.saturating_add(c.saturating_mul(times));
                self.add(a, times);
            }
            Quantity::Sum(ab) => ab.iter().for_each(|a| self.add(a, times)),
            Quantity::Negated(a) => self.add(a, times.saturating_neg()),
            Quantity::Product(ab) if ab[0].as_const().is_some() || ab[1].as_const().is_some() => {
                let (n, a) =
                    if let Some(n) = ab[0].as_const() { (n, &ab[1]) } else { (ab[1].most(), &ab[0]) };
                self.add(a, times.saturating_mul(n));
            }
            // Dividing and then multiplying a number again does not increase it.
            Quantity::Quotient(a, c) if times > 0 && times % c == 0 && a.minimum() >= 0 => {
                self.add(a, times / c);
            }
            _ => match self.terms.iter_mut().find(|(term, _)| *term == of) {
                Some((_, count)) => *count = count.saturating_add(times),
                None => self.terms.push((of, times)),
            },
        }
    }

    /// The upper bound of the difference.
    pub fn most(&self) -> i128 {
        let paired = self.paired();
        paired.most_by_terms().min(self.most_by_terms())
    }

    /// A difference that is at least as large, in which quotients cancel with dividends that are subtracted: `c` times `a / c` is at most `a`,
    /// and so is `(a + d) / c` for `d` below `c`.
    fn paired(&self) -> Self {
        let mut terms = self.terms.clone();
        for at in 0..terms.len() {
            let (Quantity::Quotient(whole, c), times) = terms[at] else { continue };
            let (of, each) = match &**whole {
                Quantity::Offset(of, d) if (0..*c).contains(d) => (&**of, 1),
                own => (own, *c),
            };
            let dividend = terms.iter().position(|(own, less)| *own == of && *less < 0);
            let Some(dividend) = dividend.filter(|_| times > 0 && of.minimum() >= 0) else { continue };
            let taken = times.min(each.saturating_mul(terms[dividend].1.saturating_neg()));
            terms[at].1 -= taken;
            terms[dividend].1 += taken / each + i128::from(taken % each != 0);
        }
        Self { terms, constant: self.constant }
    }

    fn most_by_terms(&self) -> i128 {
        let most = |(term, times): &(&Quantity, i128)| match times.signum() {
            0 => 0,
            1 => term.most().saturating_mul(*times),
            _ => term.minimum().saturating_mul(*times),
        };
        self.terms.iter().map(most).fold(self.constant, i128::saturating_add)
    }
}
