//! Tests of the recorder's own decisions: constants that fold, operands that are kept, copies that are no places.

use super::iter::Iter;
use super::place::copied;
use super::{RecordError, Recorder};
use crate::ir::{BinaryOp, Effect, Expr, ExprKind, FnId, Scalar, StmtKind, Type};

/// Compares folding of every operator with Rust's own, over the edges of a type.
macro_rules! folds_as {
    ($ty:ident, $scalar:ident) => {{
        let edges = [
            0,
            1,
            2,
            3,
            7,
            100,
            <$ty>::MAX - 1,
            <$ty>::MAX,
            <$ty>::MIN,
            <$ty>::MIN + 1,
            (<$ty>::MAX / 3).wrapping_neg(),
        ];
        let folded = |op, a: $ty, b: $ty| {
            let mut r = Recorder::new();
            let [a, b] = [a, b].map(|v| r.literal(&v.to_string(), Type::Scalar(Scalar::$scalar)));
            let value = r.binary(op, a, b).as_int();
            if r.error.is_some() { None } else { value }
        };
        for (a, b) in edges.iter().flat_map(|a| edges.iter().map(move |b| (*a, *b))) {
            let wide = |v: Option<$ty>| v.map(i128::from);
            assert_eq!(folded(BinaryOp::Add, a, b), wide(a.checked_add(b)), "{a} + {b}");
            assert_eq!(folded(BinaryOp::Sub, a, b), wide(a.checked_sub(b)), "{a} - {b}");
            assert_eq!(folded(BinaryOp::Mul, a, b), wide(a.checked_mul(b)), "{a} * {b}");
            assert_eq!(folded(BinaryOp::Div, a, b), wide(a.checked_div(b)), "{a} / {b}");
            assert_eq!(folded(BinaryOp::Rem, a, b), wide(a.checked_rem(b)), "{a} % {b}");
            assert_eq!(folded(BinaryOp::BitAnd, a, b), Some(i128::from(a & b)), "{a} & {b}");
            assert_eq!(folded(BinaryOp::BitOr, a, b), Some(i128::from(a | b)), "{a} | {b}");
            assert_eq!(folded(BinaryOp::BitXor, a, b), Some(i128::from(a ^ b)), "{a} ^ {b}");
        }
    }};
}

#[test]
fn constants_fold_as_rust_computes() {
    folds_as!(i8, I8);
    folds_as!(u8, U8);
    folds_as!(i16, I16);
    folds_as!(u32, U32);
    folds_as!(i32, I32);
    folds_as!(i64, I64);
    folds_as!(u64, U64);
}

/// A variable that may change, of an array of words.
fn row(r: &mut Recorder) -> Expr {
    let row = r.param("row", true, Type::Array(Type::U64.into(), 4));
    r.local(&row)
}

fn element(r: &mut Recorder, base: Expr) -> Expr {
    let one = r.constant(&1usize, None);
    r.index(base, one)
}

/// The number of variables with a value.
fn temporaries(r: &mut Recorder) -> usize {
    r.frame()
        .block()
        .stmts
        .iter()
        .filter(|stmt| matches!(stmt.kind, StmtKind::Let { init: Some(_), .. }))
        .count()
}

#[test]
fn operands_before_an_effect_are_kept() {
    let act = || Expr {
        kind: ExprKind::Call { function: FnId(0), args: Vec::new(), effect: Effect::Writes },
        ty: Type::U64,
    };
    for (acts, kept) in [(true, 1), (false, 0)] {
        let mut r = Recorder::new();
        r.at("", 1);
        let row = row(&mut r);
        let read = element(&mut r, row);
        let second = if acts { act() } else { r.constant(&1u64, None) };
        let mut operands = [read, second];
        r.sequence(&mut operands);
        assert_eq!(temporaries(&mut r), kept);
        assert_eq!(matches!(operands[0].kind, ExprKind::Var(_)), acts);
    }
}

#[test]
fn a_copy_is_no_place() {
    let mut r = Recorder::new();
    r.at("", 1);
    let row = row(&mut r);
    // `{ row }` is a value that Rust computes: another array.
    let value = r.rvalue(row.clone());
    assert_ne!(format!("{value:?}"), format!("{row:?}"));
    assert_eq!(temporaries(&mut r), 1);
    // A part of a copy is borrowed from a copy, and read where it is.
    let part = element(&mut r, copied(row.clone()));
    let read = r.value(part.clone());
    assert!(matches!(read.kind, ExprKind::Index { .. }));
    let reference = r.ref_(false, part);
    assert!(matches!(reference.kind, ExprKind::Ref(place) if matches!(place.kind, ExprKind::Var(_))));
    assert_eq!(temporaries(&mut r), 2);
    let place = element(&mut r, row);
    let reference = r.ref_(false, place);
    assert!(matches!(reference.kind, ExprKind::Ref(place) if matches!(place.kind, ExprKind::Index { .. })));
}

/// The macro refuses these where the user wrote them; the recorder does not rely on that.
#[test]
fn adapters_that_count_steps_refuse_steps_that_give_no_item() {
    type Adapter = for<'a> fn(&mut Recorder, Iter<'a>) -> Iter<'a>;
    fn skipped<'a>(r: &mut Recorder) -> Iter<'a> {
        let base = row(r);
        let iter = r.iter_elements(base, false);
        let iter = r.iter_map(iter, |_, item| item);
        let two = r.constant(&2usize, None);
        r.iter_skip(iter, two)
    }
    let adapters: [(&str, Adapter); 3] = [
        ("zip", |r, iter| {
            let base = row(r);
            let other = r.iter_elements(base, false);
            r.iter_zip(iter, other)
        }),
        ("rev", |r, iter| r.iter_rev(iter)),
        ("step_by", |r, iter| {
            let two = r.constant(&2usize, None);
            r.iter_step_by(iter, two)
        }),
    ];
    for (name, adapt) in adapters {
        let mut r = Recorder::new();
        let iter = skipped(&mut r);
        assert!(r.error.is_none(), "{name}");
        drop(adapt(&mut r, iter));
        let is_it = matches!(r.error, Some(RecordError::Order { adapter, .. }) if adapter == name);
        assert!(is_it, "{name}: {:?}", r.error);
    }
}
