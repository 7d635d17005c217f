//! Instances of functions that are made by hand, one array of 128 bytes in the lowest.

use super::*;
use crate::ir::{Block, Effect, KernelAttributes, Location, Stmt, Variable};

const AT: Location = Location { file: "instances.rs", line: 1 };

fn variable(ty: Type, kind: VarKind) -> Variable {
    Variable { name: String::new(), ty, mutable: false, kind }
}

/// A function of the closures `0`, `1`, …, with the values of its expression statements.
fn function(closures: usize, body: Vec<Expr>) -> Function {
    let stmts = body.into_iter().map(|e| Stmt { kind: StmtKind::Expr(e), at: AT }).collect();
    Function {
        name: "f".into(),
        params: (0..closures as u32).map(VarId).collect(),
        ret: Type::Unit,
        vars: vec![variable(Type::Closure, VarKind::Param); closures],
        body: Block { stmts },
        foreign: None,
        inline: None,
        meaning: None,
        effect: Effect::Writes,
        at: AT,
    }
}

fn array(elem: Type, len: usize, align: Option<u32>) -> Variable {
    let extents = vec![Extent { len, spelled: None }];
    variable(Type::Shared { elem: elem.into(), rank: 1 }, VarKind::Shared { extents, align })
}

/// The function that has the array, of one closure.
fn lowest() -> Function {
    let mut function = function(1, Vec::new());
    function.vars.push(array(Type::U32, 32, None));
    function
}

fn call(function: u32, args: Vec<Expr>) -> Expr {
    let kind = ExprKind::Call { function: FnId(function), args, effect: Effect::Writes };
    Expr { kind, ty: Type::Unit }
}

/// A closure that is written here, with a call in it.
fn written(call: Option<Expr>) -> Expr {
    let stmts = call.into_iter().map(|e| Stmt { kind: StmtKind::Expr(e), at: AT }).collect();
    let closure = Closure { params: Vec::new(), body: Block { stmts }, ret: Type::Unit, by_value: false };
    Expr { kind: ExprKind::Closure(closure.into()), ty: Type::Closure }
}

fn named(var: u32) -> Expr {
    Expr { kind: ExprKind::Var(VarId(var)), ty: Type::Closure }
}

fn bytes(functions: Vec<Function>, kernel: Vec<Expr>) -> Result<usize, TooManyInstances> {
    shared(functions, function(0, kernel)).map(|shared| shared.bytes)
}

fn shared(functions: Vec<Function>, kernel: Function) -> Result<DeclaredShared, TooManyInstances> {
    let attributes = KernelAttributes::NONE;
    let (conditions, launched) = (Vec::new(), Vec::new());
    let module = Module {
        functions,
        kernel,
        attributes,
        conditions,
        fits: vec![],
        read_only: 0,
        launched,
        coarsened: None,
    };
    module.declared_shared(&module.kernel)
}

#[test]
fn each_closure_that_is_written_makes_an_instance() {
    assert_eq!(bytes(vec![lowest()], vec![call(0, vec![written(None)])]), Ok(128));
    assert_eq!(
        bytes(vec![lowest()], vec![call(0, vec![written(None)]), call(0, vec![written(None)])]),
        Ok(256)
    );
}

#[test]
fn a_function_that_nothing_calls_has_none() {
    assert_eq!(bytes(vec![lowest()], Vec::new()), Ok(0));
}

#[test]
fn a_closure_that_is_passed_on_by_name_makes_one_instance() {
    let passes = function(1, vec![call(0, vec![named(0)]), call(0, vec![named(0)])]);
    assert_eq!(bytes(vec![lowest(), passes], vec![call(1, vec![written(None)])]), Ok(128));
}

#[test]
fn a_closure_is_written_anew_in_each_instance_around_it() {
    let wraps = function(1, vec![call(0, vec![written(None)]), call(0, vec![named(0)])]);
    let kernel = (0..3).map(|_| call(1, vec![written(None)])).collect();
    assert_eq!(bytes(vec![lowest(), wraps], kernel), Ok(3 * 256));
}

#[test]
fn a_call_in_the_body_of_a_closure_counts() {
    let takes = function(1, Vec::new());
    let inner = call(0, vec![written(None)]);
    assert_eq!(bytes(vec![lowest(), takes], vec![call(1, vec![written(Some(inner))])]), Ok(128));
}

#[test]
fn more_instances_than_a_compiler_could_follow_are_refused() {
    let doubled = |next| function(1, vec![call(next, vec![written(None)]), call(next, vec![written(None)])]);
    let functions = |levels| [lowest()].into_iter().chain((0..levels).map(doubled)).collect();
    let kernel = |level| vec![call(level, vec![written(None)])];
    assert_eq!(bytes(functions(8), kernel(8)), Ok(256 * 128));
    assert_eq!(bytes(functions(40), kernel(40)), Err(TooManyInstances { limit: MOST_INSTANCES }));
}

#[test]
fn padding_is_what_any_order_needs() {
    let of = |vars: Vec<Variable>| {
        let declared =
            shared(Vec::new(), Function { vars, ..function(0, Vec::new()) }).expect("one instance");
        (declared.bytes, declared.padding)
    };
    let words = || array(Type::U32, 5, None);
    assert_eq!(of(vec![words(), words()]), (40, 0));
    // The bytes may lie before the words, before the aligned pair, or both may.
    let mixed =
        vec![array(Type::BOOL, 3, None), words(), array(Type::Scalar(crate::ir::Scalar::F32), 2, Some(16))];
    assert_eq!(of(mixed), (31, 18));
    let dynamic = variable(Type::Shared { elem: Type::U32.into(), rank: 1 }, VarKind::DynamicShared);
    assert_eq!(of(vec![words(), dynamic]), (20, 12));
}

#[test]
fn what_static_memory_does_not_hold_lies_in_dynamic_memory() {
    let large = || array(Type::U32, 10_000, None);
    let aligned = || array(Type::U32, 1_000, Some(1024));
    let of = |vars: Vec<Variable>| {
        let declared =
            shared(Vec::new(), Function { vars, ..function(0, Vec::new()) }).expect("one instance");
        let mut at: Vec<usize> = declared.large.into_values().collect();
        at.sort_unstable();
        (at, declared.large_bytes, declared.bytes)
    };
    assert_eq!(of(vec![large()]), (vec![], 0, 40_000));
    // The aligned array comes first, whichever is declared first.
    assert_eq!(of(vec![large(), aligned(), large()]), (vec![0, 4_000, 44_000], 84_000, 0));
}

#[test]
fn arrays_of_several_instances_stay_static() {
    let kernel = Function { vars: vec![array(Type::U32, 20_000, None)], ..function(0, Vec::new()) };
    let calls = vec![call(0, vec![written(None)]), call(0, vec![written(None)])];
    let kernel = Function { body: function(0, calls).body, ..kernel };
    let declared = shared(vec![lowest()], kernel).expect("few instances");
    assert_eq!((declared.large_bytes, declared.bytes), (80_000, 256));
}
