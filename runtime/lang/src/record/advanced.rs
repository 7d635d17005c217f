//! Ranges in variables that are advanced: `r.next()`, `r.next_back()`, `r.nth(n)`.

use super::range::inclusive_range;
use super::{RecordError, Recorder};
use crate::ir::{BinaryOp, ConstValue, Expr, Type};

impl Recorder {
    /// `range.next()`
    pub fn range_next(&mut self, range: Expr, ty: Type) -> Expr {
        let Some([start, end]) = self.advancing(&range, "next") else { return Expr::never() };
        let found = self.nothing_yet(&ty);
        let some = self.binary(BinaryOp::Lt, start.clone(), end);
        self.when(some, |r| {
            let first = r.bind_always(start.clone());
            r.start_behind(start, &first);
            r.found(&found, first)
        });
        self.accumulated(found)
    }

    /// `range.next_back()`
    pub fn range_next_back(&mut self, range: Expr, ty: Type) -> Expr {
        let Some([start, end]) = self.advancing(&range, "next_back") else { return Expr::never() };
        let found = self.nothing_yet(&ty);
        let some = self.binary(BinaryOp::Lt, start, end.clone());
        self.when(some, |r| {
            let one = Expr::constant(ConstValue::Int(1), end.ty.clone());
            let last = r.binary(BinaryOp::Sub, end.clone(), one);
            let last = r.bind_always(last);
            let moved = r.assign(end, last.clone());
            r.statement(moved);
            r.found(&found, last)
        });
        self.accumulated(found)
    }

    /// `range.nth(n)`. If the range has no more than `n` numbers, it is empty afterwards.
    pub fn range_nth(&mut self, range: Expr, ty: Type, n: Expr) -> Expr {
        let Some([start, end]) = self.advancing(&range, "nth") else { return Expr::never() };
        let n = self.cast(n, Type::U64);
        let n = self.simple(n);
        let (from, to) = (self.bind_always(start.clone()), self.bind_always(end));
        let walked = self.iter_range(from.clone(), to.clone(), false);
        let (count, _) = self.counted(walked);
        let found = self.nothing_yet(&ty);
        let some = self.binary(BinaryOp::Lt, n.clone(), count);
        if self.if_then(some) {
            let number = self.offset(BinaryOp::Add, from, n);
            let number = self.bind_always(number);
            self.start_behind(start.clone(), &number);
            let done = self.found(&found, number);
            self.if_value(done);
        }
        if self.if_else() {
            let emptied = self.assign(start, to);
            self.if_value(emptied);
        }
        let done = self.if_end();
        self.statement(done);
        self.accumulated(found)
    }

    /// The places of the bounds of a range, which does not include its end.
    fn advancing(&mut self, range: &Expr, method: &'static str) -> Option<[Expr; 2]> {
        if inclusive_range(range.ty.peeled()) != Some(false) {
            let at = self.location();
            let what = "a range that includes its end; name an iterator over it: `let mut numbers = (a..=b).into_iter();`";
            self.fail(RecordError::Argument { builtin: method, what: what.to_owned(), at });
            return None;
        }
        Some(["start", "end"].map(|name| self.field(range.clone(), name)))
    }

    /// Sets the start of a range to the number behind one of its own.
    fn start_behind(&mut self, start: Expr, number: &Expr) {
        let one = Expr::constant(ConstValue::Int(1), number.ty.clone());
        let behind = self.binary(BinaryOp::Add, number.clone(), one);
        let moved = self.assign(start, behind);
        self.statement(moved);
    }
}
