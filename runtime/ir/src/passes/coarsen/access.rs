//! The slices that a kernel touches at its threads' own numbers, and the paths through the body that touch them.

use std::collections::BTreeSet;

use super::own_element::Threads;
use super::refusal::{CoarsenRefusal, NotCoarsened};
use super::slices::{self, Slice, slice_of};
use crate::ir::{BinaryOp, Block, Expr, ExprKind, Function, Location, Stmt, StmtKind, Type, VarId, visit};

/// A slice whose elements a thread has in registers.
#[derive(Clone, Debug)]
pub(super) struct WideSlice {
    pub slice: Slice,
    pub elem: Type,
    /// Whether the elements are read before they are written.
    pub load: bool,
    pub store: bool,
}

/// The slices whose own element a body touches.
pub(super) fn touched(kernel: &Function, body: &Block, threads: &Threads) -> Vec<Slice> {
    let mut found = Vec::new();
    visit::exprs(body, &mut |e| {
        if let ExprKind::Index { base, index, .. } = &e.kind
            && let Some(slice) = slice_of(kernel, base)
            && threads.is_own(index)
            && !found.contains(&slice)
        {
            found.push(slice);
        }
    });
    found
}

/// Checks that written slices are touched at the thread's own element only.
pub(super) fn check(kernel: &Function, threads: &Threads) -> Result<(), NotCoarsened> {
    let mut found = None;
    visit::stmts(&kernel.body, &mut |stmt| {
        for e in visit::operands(stmt) {
            elsewhere(kernel, threads, e, stmt.at, &mut found);
        }
    });
    found.map_or(Ok(()), Err)
}

/// Notes the first use of a written slice other than by the thread's own element or its length.
fn elsewhere(kernel: &Function, threads: &Threads, e: &Expr, at: Location, found: &mut Option<NotCoarsened>) {
    let refused = |slice: String, at| {
        Some(NotCoarsened { kernel: kernel.name.clone(), why: CoarsenRefusal::Elsewhere { slice }, at })
    };
    let written = |e: &Expr| slice_of(kernel, e).filter(|slice| slice.is_written(kernel));
    match &e.kind {
        _ if found.is_some() => {}
        ExprKind::Index { base, index, at, .. } if written(base).is_some() => {
            if !threads.is_own(index) {
                *found = written(base).and_then(|slice| refused(slice.name(kernel), *at));
            }
            elsewhere(kernel, threads, index, *at, found);
        }
        ExprKind::Len(of) if slice_of(kernel, of).is_some() => {}
        ExprKind::Var(_) | ExprKind::Field(..) if written(e).is_some() => {
            *found = written(e).and_then(|slice| refused(slice.name(kernel), at));
        }
        // A struct as a whole, and not one of its other fields.
        ExprKind::Field(base, _) if matches!(base.kind, ExprKind::Var(_)) => {}
        ExprKind::Var(var) if gives_written(kernel, *var) => {
            *found = refused(kernel.var(*var).name.clone(), at)
        }
        _ => e.each_operand(|operand| elsewhere(kernel, threads, operand, at, found)),
    }
}

/// Returns whether a variable is a struct in which there are slices that can be written.
fn gives_written(kernel: &Function, var: VarId) -> bool {
    slices::all(kernel).iter().any(|slice| slice.param == var && slice.is_written(kernel))
}

/// The slices that a body reads or writes at the thread's own element whichever way it goes.
pub(super) fn wide(kernel: &Function, body: &Block, threads: &Threads) -> Vec<WideSlice> {
    let mut walk = Walk { kernel, threads, ..Walk::new(kernel, threads) };
    if let Some(end) = walk.block(body, Touched::default()) {
        walk.leave(&end);
    }
    let always = walk.at_exits.clone().unwrap_or_default();
    let in_registers = |slice: Slice| {
        let elem = slice.ty(kernel).element().filter(|elem| matches!(elem.size(), 1 | 2 | 4 | 8))?;
        let (load, store) = (always.read.contains(&slice), walk.written.contains(&slice));
        let is_set = always.written.contains(&slice) && !walk.read.contains(&slice);
        let borrowed = walk.borrowed.contains(&slice);
        (!borrowed && (load || is_set)).then_some(WideSlice { slice, elem, load, store })
    };
    slices::all(kernel).into_iter().filter_map(in_registers).collect()
}

/// The slices whose own element was touched on the way to a place.
#[derive(Clone, Debug, Default)]
struct Touched {
    /// Read before it was written.
    read: BTreeSet<Slice>,
    written: BTreeSet<Slice>,
}

impl Touched {
    fn meet(mut self, other: &Touched) -> Touched {
        self.read.retain(|slice| other.read.contains(slice));
        self.written.retain(|slice| other.written.contains(slice));
        self
    }
}

struct Walk<'a> {
    kernel: &'a Function,
    threads: &'a Threads,
    /// The slices that every way out of the kernel has touched; `None` before the first.
    at_exits: Option<Touched>,
    /// Touched on some way.
    read: BTreeSet<Slice>,
    written: BTreeSet<Slice>,
    /// Touched other than by a plain read or an assignment.
    borrowed: BTreeSet<Slice>,
}

impl<'a> Walk<'a> {
    fn new(kernel: &'a Function, threads: &'a Threads) -> Self {
        let none = BTreeSet::new;
        Self { kernel, threads, at_exits: None, read: none(), written: none(), borrowed: none() }
    }

    fn leave(&mut self, at: &Touched) {
        let known = self.at_exits.take();
        self.at_exits = Some(known.map_or_else(|| at.clone(), |known| known.meet(at)));
    }

    /// The slices that are touched at the end of a block; `None` if control does not get there.
    fn block(&mut self, block: &Block, mut touched: Touched) -> Option<Touched> {
        for stmt in &block.stmts {
            touched = self.statement(stmt, touched)?;
        }
        Some(touched)
    }

    fn statement(&mut self, stmt: &Stmt, mut touched: Touched) -> Option<Touched> {
        match &stmt.kind {
            StmtKind::Assign { place, op, value } => {
                self.expr(value, &mut touched, true);
                self.assigned(place, op.is_some(), &mut touched);
            }
            StmtKind::If { cond, then, otherwise } => {
                self.expr(cond, &mut touched, true);
                let ends = [self.block(then, touched.clone()), self.block(otherwise, touched)];
                return match ends {
                    [Some(a), Some(b)] => Some(a.meet(&b)),
                    [a, b] => a.or(b),
                };
            }
            StmtKind::While { cond, body, .. } => {
                self.expr(cond, &mut touched, true);
                self.block(body, touched.clone());
            }
            StmtKind::For { body, .. } => {
                visit::operands(stmt).into_iter().for_each(|e| self.expr(e, &mut touched, true));
                self.block(body, touched.clone());
            }
            StmtKind::Block(inner) => return self.block(inner, touched),
            StmtKind::Return(_) => {
                visit::operands(stmt).into_iter().for_each(|e| self.expr(e, &mut touched, true));
                self.leave(&touched);
                return None;
            }
            StmtKind::Break(_) | StmtKind::Continue(_) => return None,
            _ => visit::operands(stmt).into_iter().for_each(|e| self.expr(e, &mut touched, true)),
        }
        Some(touched)
    }

    /// An assignment to a place, or to a part of one, which leaves the rest as it was.
    fn assigned(&mut self, place: &Expr, reads: bool, touched: &mut Touched) {
        match &place.kind {
            ExprKind::Index { base, index, .. } if slice_of(self.kernel, base).is_some() => {
                let own = self.own(base, index);
                self.expr(index, touched, true);
                let Some(slice) = own else { return };
                if reads {
                    self.reads(&slice, touched, true);
                }
                self.written.insert(slice.clone());
                touched.written.insert(slice);
            }
            ExprKind::Field(base, _) => self.assigned(base, true, touched),
            ExprKind::Index { base, index, .. } if matches!(base.ty, Type::Array(..) | Type::Vector(..)) => {
                self.expr(index, touched, true);
                self.assigned(base, true, touched);
            }
            _ => self.expr(place, touched, true),
        }
    }

    fn own(&self, base: &Expr, index: &Expr) -> Option<Slice> {
        slice_of(self.kernel, base).filter(|_| self.threads.is_own(index))
    }

    fn reads(&mut self, slice: &Slice, touched: &mut Touched, surely: bool) {
        if !touched.written.contains(slice) {
            self.read.insert(slice.clone());
            if surely {
                touched.read.insert(slice.clone());
            }
        }
    }

    /// The reads of an expression; `surely` if it is evaluated whenever its statement is.
    fn expr(&mut self, e: &Expr, touched: &mut Touched, surely: bool) {
        match &e.kind {
            ExprKind::Index { base, index, .. } => {
                self.expr(index, touched, surely);
                match self.own(base, index) {
                    Some(slice) => self.reads(&slice, touched, surely),
                    None => self.expr(base, touched, surely),
                }
            }
            ExprKind::Ref(place) => self.borrow(place),
            ExprKind::Select(cond, a, b) => {
                self.expr(cond, touched, surely);
                self.expr(a, touched, false);
                self.expr(b, touched, false);
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.expr(a, touched, surely);
                self.expr(b, touched, false);
            }
            ExprKind::Closure(closure) => {
                visit::exprs(&closure.body, &mut |e| {
                    if let ExprKind::Index { base, index, .. } = &e.kind {
                        self.borrowed.extend(self.own(base, index));
                    }
                });
            }
            _ => e.each_operand(|operand| self.expr(operand, touched, surely)),
        }
    }

    fn borrow(&mut self, place: &Expr) {
        visit::expr(place, &mut |e| {
            if let ExprKind::Index { base, index, .. } = &e.kind {
                self.borrowed.extend(self.own(base, index));
            }
        });
    }
}
