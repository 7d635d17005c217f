//! Random integer expressions: their values lie in the reported intervals, and arithmetic that is reported exact does not
//! overflow.

use super::{FunctionScope, Kind};
use crate::ir::{
    BinaryOp, Block, Builtin, ConstValue, CudaText, Effect, Expr, ExprKind, Facts, Function, Location, Name,
    Position, ResultRange, Scalar, Type, UnaryOp,
};
use crate::limits;

const AT: Location = Location { file: "", line: 0 };
const SCALARS: [Scalar; 6] = [Scalar::I8, Scalar::U8, Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64];
const OPERATORS: [BinaryOp; 8] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::Shr,
];

const fn builtin(facts: Facts) -> Builtin {
    Builtin { facts, ..Builtin::pure(Name::new(""), |_, _| CudaText::new("")) }
}

static THREAD_RANK: Builtin = builtin(Facts::at(Position::ThreadRank));
static BLOCK_SIZE: Builtin = builtin(Facts::at(Position::BlockSize));
static LANE: Builtin = builtin(Facts::at(Position::LaneId));
static ONES: Builtin = builtin(Facts::within(ResultRange::UpToBits));
static LESS: Builtin = builtin(Facts::within(ResultRange::UpToFirst));
static LEAST: Builtin = builtin(Facts::within(ResultRange::Least));
static GREATEST: Builtin = builtin(Facts::within(ResultRange::Greatest));

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }

    fn constant(&mut self, scalar: Scalar) -> Expr {
        let (least, most) = scalar.int_range().unwrap_or_default();
        let value = match self.below(6) {
            0 => least,
            1 => most,
            2 => i128::from(self.0) % (most / 2 + 1),
            n => n as i128 - 3,
        };
        Expr::constant(ConstValue::Int(value.clamp(least, most)), Type::Scalar(scalar))
    }

    fn expr(&mut self, scalar: Scalar, depth: usize) -> Expr {
        let of = |kind| Expr { kind, ty: Type::Scalar(scalar) };
        let call = |op: &'static Builtin, args| of(ExprKind::Builtin { op, meaning: None, args, at: AT });
        if depth == 0 {
            let here = [&THREAD_RANK, &BLOCK_SIZE, &LANE];
            return match self.below(3) {
                0 if scalar == Scalar::U32 => call(here[self.below(3)], Vec::new()),
                _ => self.constant(scalar),
            };
        }
        match self.below(9) {
            0 => {
                let from = SCALARS[self.below(SCALARS.len())];
                of(ExprKind::Cast(self.expr(from, depth - 1).into()))
            }
            1 if scalar.is_signed() => of(ExprKind::Unary(UnaryOp::Neg, self.expr(scalar, depth - 1).into())),
            2 if scalar == Scalar::U32 => {
                let from = SCALARS[self.below(SCALARS.len())];
                call(&ONES, vec![self.expr(from, depth - 1)])
            }
            3 => {
                let op = [&LEAST, &GREATEST, &LESS][self.below(3)];
                call(op, vec![self.expr(scalar, depth - 1), self.expr(scalar, depth - 1)])
            }
            _ => {
                let op = OPERATORS[self.below(OPERATORS.len())];
                let (a, b) = (self.expr(scalar, depth - 1), self.expr(scalar, depth - 1));
                of(ExprKind::Binary(op, a.into(), b.into()))
            }
        }
    }
}

/// A thread of a block, and the expression's values there.
struct Run<'a> {
    scope: &'a FunctionScope<'a>,
    rank: i128,
    threads: i128,
    /// Intervals narrower than their types, and sums and products that cannot overflow.
    said: [usize; 2],
}

impl Run<'_> {
    /// The value; nothing where Rust would panic but for overflow.
    fn value(&mut self, e: &Expr) -> Option<i128> {
        let scalar = e.ty.scalar()?;
        let exact = self.exact(e, scalar)?;
        let value = wrapped(exact, scalar);
        let (low, high) = self.scope.interval(e).expect("an integer");
        assert!((low..=high).contains(&value), "{e:?} is {value}, not in {low}..={high}");
        self.said[0] += usize::from(Some((low, high)) != scalar.int_range());
        if let ExprKind::Binary(op, a, b) = &e.kind
            && self.scope.cannot_overflow(*op, a, b, scalar)
        {
            assert_eq!(value, exact, "{e:?} overflows");
            self.said[1] += 1;
        }
        Some(value)
    }

    fn exact(&mut self, e: &Expr, scalar: Scalar) -> Option<i128> {
        match &e.kind {
            ExprKind::Const(_) => e.as_int(),
            ExprKind::Cast(inner) => self.value(inner),
            ExprKind::Unary(_, inner) => Some(-self.value(inner)?),
            ExprKind::Builtin { op, args, .. } => {
                let values: Option<Vec<i128>> = args.iter().map(|arg| self.value(arg)).collect();
                Some(match (op.position(), values?.as_slice()) {
                    (Some(Position::ThreadRank), _) => self.rank,
                    (Some(Position::BlockSize), _) => self.threads,
                    (Some(_), _) => self.rank % i128::from(limits::WARP),
                    (None, [a]) => {
                        let bits = args[0].ty.scalar()?.bits();
                        i128::from((*a as u128 & (u128::MAX >> (128 - bits))).count_ones())
                    }
                    (None, [a, b]) if op.is(&LEAST) => *a.min(b),
                    (None, [a, b]) if op.is(&GREATEST) => *a.max(b),
                    (None, [a, b]) => (a - b).max(scalar.int_range()?.0).min(scalar.int_range()?.1),
                    _ => return None,
                })
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                Some(match op {
                    BinaryOp::Add => a + b,
                    BinaryOp::Sub => a - b,
                    BinaryOp::Mul => a.checked_mul(b)?,
                    BinaryOp::Div => a.checked_div(b)?,
                    BinaryOp::Rem => a.checked_rem(b)?,
                    BinaryOp::BitAnd => a & b,
                    BinaryOp::BitOr => a | b,
                    _ if (0..i128::from(scalar.bits())).contains(&b) => a >> b,
                    _ => return None,
                })
            }
            _ => None,
        }
    }
}

/// A value with the bits that a type has room for.
fn wrapped(value: i128, scalar: Scalar) -> i128 {
    let bits = scalar.bits();
    let low = value as u128 & (u128::MAX >> (128 - bits));
    match scalar.is_signed() && low >> (bits - 1) == 1 {
        true => low as i128 - (1 << bits),
        false => low as i128,
    }
}

#[test]
fn values_lie_in_their_intervals() {
    let function = Function {
        name: String::new(),
        params: Vec::new(),
        ret: Type::Unit,
        vars: Vec::new(),
        body: Block { stmts: Vec::new() },
        foreign: None,
        inline: None,
        meaning: None,
        effect: Effect::Pure,
        at: AT,
    };
    let kind = Kind { is_kernel: false, lifts: false, most_threads: None };
    let scope = FunctionScope::new(&[], &function, &function.body, kind);
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut said = [0; 2];
    for _ in 0..20_000 {
        let scalar = SCALARS[dice.below(SCALARS.len())];
        let depth = 1 + dice.below(4);
        let e = dice.expr(scalar, depth);
        for (rank, threads) in [(0, 1), (31, 32), (1023, 1024), (77, 256)] {
            let mut run = Run { scope: &scope, rank, threads, said };
            run.value(&e);
            said = run.said;
        }
    }
    assert!(said[0] > 10_000 && said[1] > 10_000, "hardly anything is said: {said:?}");
}
