//! Runs kernels of integers thread by thread.

use std::collections::HashMap;

use super::super::wide;
use super::random_elementwise::Dice;
use crate::ir::{
    BinaryOp, Block, Expr, ExprKind, Function, LoopId, Module, Position, Proof, Scalar, Stmt, StmtKind, Type,
    UnaryOp, VarId,
};

/// The elements of the slices and the values of the other parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    slices: HashMap<VarId, Vec<i128>>,
    values: HashMap<VarId, i128>,
}

/// The thread of the launch that fails, and the line.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    thread: u64,
    line: u32,
}

impl Memory {
    /// Slices about as long as there are threads.
    pub fn random(dice: &mut Dice, kernel: &Function, threads: u32) -> Self {
        let (mut slices, mut values) = (HashMap::new(), HashMap::new());
        for param in &kernel.params {
            let around = |dice: &mut Dice| (threads as usize + dice.below(5)).saturating_sub(dice.below(5));
            match &kernel.var(*param).ty {
                Type::Ref { .. } => {
                    let elem =
                        kernel.var(*param).ty.element().and_then(|elem| elem.scalar()).expect("integers");
                    let len = if dice.below(4) == 0 { dice.below(4) } else { around(dice) };
                    slices.insert(*param, (0..len).map(|_| wrap(dice.word() as i128, elem)).collect());
                }
                _ => drop(values.insert(*param, around(dice) as i128)),
            }
        }
        Self { slices, values }
    }
}

/// How control leaves a statement other than at its end.
enum Exit {
    Break(LoopId),
    Continue(LoopId),
    Return,
    Fault(u32),
}

type Flow<T = ()> = Result<T, Exit>;

pub struct Machine<'m> {
    module: &'m Module,
    memory: Memory,
    locals: HashMap<VarId, i128>,
    arrays: HashMap<VarId, Vec<Option<i128>>>,
    thread: u32,
    block: u32,
    block_extent: u32,
    /// The element of a coarsened thread.
    element: i128,
    /// How often elements were loaded or stored together.
    together: u64,
}

impl<'m> Machine<'m> {
    /// The memory after all threads, or the first that fails.
    pub fn run(module: &'m Module, block: u32, blocks: u32, memory: Memory) -> Result<Memory, Fault> {
        Self::threads(module, block, blocks, memory, 1).0
    }

    /// The same of a coarsened kernel for such a launch, and how often elements were accessed together.
    pub fn run_coarsened(
        module: &'m Module,
        block: u32,
        blocks: u32,
        mut memory: Memory,
    ) -> (Result<Memory, Fault>, u64) {
        let coarsened = module.coarsened.as_ref().expect("a coarsened kernel");
        let factor = coarsened.needs.factor;
        let count = *module.kernel.params.last().expect("the number of threads");
        memory.values.insert(count, i128::from(block * blocks));
        let (outcome, together) = Self::threads(module, block, blocks.div_ceil(factor), memory, factor);
        let without_count = |mut memory: Memory| {
            memory.values.remove(&count);
            memory
        };
        (outcome.map(without_count), together)
    }

    fn threads(
        module: &'m Module,
        block_extent: u32,
        blocks: u32,
        memory: Memory,
        factor: u32,
    ) -> (Result<Memory, Fault>, u64) {
        let (locals, arrays) = (HashMap::new(), HashMap::new());
        let mut machine = Machine {
            module,
            memory,
            locals,
            arrays,
            thread: 0,
            block: 0,
            block_extent,
            element: 0,
            together: 0,
        };
        for block in 0..blocks {
            for thread in 0..block_extent {
                (machine.block, machine.thread, machine.element) = (block, thread, 0);
                machine.locals.clear();
                machine.arrays.clear();
                if let Err(Exit::Fault(line)) = machine.block(&module.kernel.body) {
                    let first = u64::from(block * block_extent + thread) * u64::from(factor);
                    return (Err(Fault { thread: first + machine.element as u64, line }), machine.together);
                }
            }
        }
        (Ok(machine.memory), machine.together)
    }

    fn block(&mut self, block: &Block) -> Flow {
        block.stmts.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn statement(&mut self, stmt: &Stmt) -> Flow {
        match &stmt.kind {
            StmtKind::Let { var, init } => self.declare(*var, init.as_ref()),
            StmtKind::Assign { place, op, value } => {
                let mut value_of = self.value(value)?;
                if let Some(op) = op {
                    value_of = binary(*op, self.value(place)?, value_of, scalar(place));
                }
                self.assign(place, value_of)
            }
            StmtKind::Expr(e) => self.store(e),
            StmtKind::If { cond, then, otherwise } => {
                let taken = if self.value(cond)? != 0 { then } else { otherwise };
                self.block(taken)
            }
            StmtKind::For { id, range, body } => {
                let (start, end) = (self.value(&range.start)?, self.value(&range.end)?);
                for i in start..end {
                    self.locals.insert(range.var, i);
                    self.at_element(*id)?;
                    match self.block(body) {
                        Err(Exit::Continue(to)) if to == *id => {}
                        Err(Exit::Break(to)) if to == *id => break,
                        other => other?,
                    }
                }
                Ok(())
            }
            StmtKind::Block(inner) => self.block(inner),
            StmtKind::Return(None) => Err(Exit::Return),
            StmtKind::Break(id) => Err(Exit::Break(*id)),
            StmtKind::Continue(id) => Err(Exit::Continue(*id)),
            StmtKind::Assert { cond, .. } => match self.value(cond)? {
                0 => Err(Exit::Fault(stmt.at.line)),
                _ => Ok(()),
            },
            other => panic!("{other:?}"),
        }
    }

    /// In a loop over a thread's elements: which one it is at.
    fn at_element(&mut self, id: LoopId) -> Flow {
        let loops = self.module.coarsened.as_ref().map(|coarsened| &coarsened.loops);
        if let Some((_, element)) = loops.and_then(|loops| loops.iter().find(|(of, _)| *of == id)) {
            self.element = self.value(element)?;
        }
        Ok(())
    }

    fn declare(&mut self, var: VarId, init: Option<&Expr>) -> Flow {
        if let Type::Array(_, n) = &self.module.kernel.var(var).ty {
            let elements = match init {
                Some(load) => {
                    let (slice, first) = self.operands(load)?;
                    self.together += 1;
                    self.memory.slices[&slice][first..first + n].iter().copied().map(Some).collect()
                }
                None => vec![None; *n],
            };
            self.arrays.insert(var, elements);
        } else if let Some(init) = init {
            let value = self.value(init)?;
            self.locals.insert(var, value);
        }
        Ok(())
    }

    /// A store of several elements.
    fn store(&mut self, e: &Expr) -> Flow {
        let ExprKind::Builtin { op, args, .. } = &e.kind else { panic!("{e:?}") };
        assert!(op.is(&wide::STORE));
        let (slice, first) = self.operands(e)?;
        let ExprKind::Var(array) = args[1].kind else { panic!("{e:?}") };
        let elements = self.arrays[&array].iter().map(|element| element.expect("every element is written"));
        let elements: Vec<i128> = elements.collect();
        self.together += 1;
        self.memory.slices.get_mut(&slice).expect("a slice")[first..first + elements.len()]
            .copy_from_slice(&elements);
        Ok(())
    }

    /// The slice and the first element of an access of several.
    fn operands(&mut self, e: &Expr) -> Flow<(VarId, usize)> {
        let ExprKind::Builtin { args, .. } = &e.kind else { panic!("{e:?}") };
        let ExprKind::Ref(place) = &args[0].kind else { panic!("{e:?}") };
        let ExprKind::Index { base, index, .. } = &place.kind else { panic!("{e:?}") };
        let ExprKind::Var(slice) = base.kind else { panic!("{e:?}") };
        Ok((slice, self.value(index)? as usize))
    }

    fn assign(&mut self, place: &Expr, value: i128) -> Flow {
        match &place.kind {
            ExprKind::Var(var) => drop(self.locals.insert(*var, value)),
            _ => {
                let (var, index) = self.element(place)?;
                match self.arrays.get_mut(&var) {
                    Some(array) => array[index] = Some(value),
                    None => self.memory.slices.get_mut(&var).expect("a slice")[index] = value,
                }
            }
        }
        Ok(())
    }

    /// The array or slice of an element, and its index.
    fn element(&mut self, place: &Expr) -> Flow<(VarId, usize)> {
        let ExprKind::Index { base, index, at, proof } = &place.kind else { panic!("{place:?}") };
        let (index, ExprKind::Var(var)) = (self.value(index)?, &base.kind) else { panic!("{place:?}") };
        let len = self.arrays.get(var).map_or_else(|| self.memory.slices[var].len(), Vec::len);
        if index < 0 || index as usize >= len {
            assert_eq!(*proof, Proof::Open, "an index beyond the end that counts as proven");
            return Err(Exit::Fault(at.line));
        }
        Ok((*var, index as usize))
    }

    fn value(&mut self, e: &Expr) -> Flow<i128> {
        Ok(match &e.kind {
            ExprKind::Const(_) => e.as_int().unwrap_or_else(|| i128::from(e.as_bool() == Some(true))),
            ExprKind::Var(var) => match self.locals.get(var) {
                Some(value) => *value,
                None => self.memory.values[var],
            },
            ExprKind::Cast(of) => wrap(self.value(of)?, scalar(e)),
            ExprKind::Unary(UnaryOp::Not, of) => i128::from(self.value(of)? == 0),
            ExprKind::Binary(BinaryOp::And, a, b) => i128::from(self.value(a)? != 0 && self.value(b)? != 0),
            ExprKind::Binary(BinaryOp::Or, a, b) => i128::from(self.value(a)? != 0 || self.value(b)? != 0),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                binary(*op, a, b, scalar(e))
            }
            ExprKind::Select(cond, a, b) => {
                let taken = if self.value(cond)? != 0 { a } else { b };
                self.value(taken)?
            }
            ExprKind::Len(of) => match of.kind {
                ExprKind::Var(var) => self.memory.slices[&var].len() as i128,
                _ => panic!("{e:?}"),
            },
            ExprKind::Field(of, axis) if axis == "x" => self.value(of)?,
            ExprKind::Index { .. } => {
                let (var, index) = self.element(e)?;
                match self.arrays.get(&var) {
                    Some(array) => array[index].expect("an element is written before it is read"),
                    None => self.memory.slices[&var][index],
                }
            }
            ExprKind::Builtin { op, .. } => match op.position().expect("a position") {
                Position::ThreadIndex => self.thread.into(),
                Position::BlockIndex => self.block.into(),
                Position::BlockExtent => self.block_extent.into(),
                Position::GlobalId => {
                    i128::from(self.block) * i128::from(self.block_extent) + i128::from(self.thread)
                }
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        })
    }
}

fn scalar(e: &Expr) -> Scalar {
    e.ty.scalar().expect("an integer")
}

fn wrap(value: i128, scalar: Scalar) -> i128 {
    let Some((low, high)) = scalar.int_range() else { return i128::from(value != 0) };
    value.wrapping_sub(low).rem_euclid(high - low + 1) + low
}

fn binary(op: BinaryOp, a: i128, b: i128, scalar: Scalar) -> i128 {
    use BinaryOp::{Add, BitXor, Eq, Ge, Gt, Le, Lt, Mul, Ne, Sub};
    let holds = |outcome: bool| i128::from(outcome);
    match op {
        Add => wrap(a + b, scalar),
        Sub => wrap(a - b, scalar),
        Mul => wrap(a.wrapping_mul(b), scalar),
        BitXor => wrap(a ^ b, scalar),
        Lt => holds(a < b),
        Le => holds(a <= b),
        Gt => holds(a > b),
        Ge => holds(a >= b),
        Eq => holds(a == b),
        Ne => holds(a != b),
        other => panic!("{other:?}"),
    }
}

/// Makes a coarsened kernel believe that there are threads without end.
pub fn forget_the_count(body: &mut Block) {
    for stmt in &mut body.stmts {
        if let StmtKind::Let { init: Some(init), .. } = &mut stmt.kind
            && let ExprKind::Select(_, end, _) = &init.kind
        {
            *init = (**end).clone();
        }
        if let StmtKind::If { otherwise, .. } = &mut stmt.kind {
            forget_the_count(otherwise);
        }
    }
}
