//! CUDA of the atomic operations: CUDA's functions where they are relaxed, else PTX.

use super::atomic::{cast_call, sub_text};
use super::memory::{volatile_store_text, volatile_text};
use super::ordered::{BLOCK, CLUSTER, DEVICE};
use super::text::type_name;
use crate::ir::{CudaText, Scalar, Type};

/// The operations, as const generics name them.
pub(super) struct Op;

impl Op {
    pub const LOAD: u8 = 0;
    pub const STORE: u8 = 1;
    pub const SWAP: u8 = 2;
    pub const CAS: u8 = 3;
    pub const ADD: u8 = 4;
    pub const SUB: u8 = 5;
    pub const MIN: u8 = 6;
    pub const MAX: u8 = 7;
    pub const AND: u8 = 8;
    pub const OR: u8 = 9;
    pub const XOR: u8 = 10;
    pub const INC: u8 = 11;
    pub const DEC: u8 = 12;

    /// The Rust name.
    pub const fn name(op: u8) -> &'static str {
        match op {
            Self::LOAD => "load",
            Self::STORE => "store",
            Self::SWAP => "swap",
            Self::CAS => "compare_exchange",
            Self::ADD => "fetch_add",
            Self::SUB => "fetch_sub",
            Self::MIN => "fetch_min",
            Self::MAX => "fetch_max",
            Self::AND => "fetch_and",
            Self::OR => "fetch_or",
            Self::XOR => "fetch_xor",
            Self::INC => "fetch_inc",
            _ => "fetch_dec",
        }
    }
}

/// Orderings by the tags of Rust's enum, as the kernel's constants give them.
const RELAXED: i128 = 0;
const SEQ_CST: i128 = 4;

/// The stronger of two orderings of a compare-and-exchange.
fn joined(success: i128, failure: i128) -> i128 {
    match (success, failure) {
        (SEQ_CST, _) | (_, SEQ_CST) => SEQ_CST,
        (RELAXED, 2) => 2,
        (1, 2) => 3,
        (success, _) => success,
    }
}

/// The text of an operation in a scope; the ordering is the last argument.
///
/// Relaxed loads and stores are those of a `volatile` place, which PTX defines as relaxed in the scope of the system.
/// Like CUDA's functions they are no `asm`, so the compiler sees that a place lies in shared memory.
pub(super) fn op_text<const OP: u8, const SCOPE: u8>(args: &[Type], constants: &[Option<i128>]) -> CudaText {
    let order = |back: usize| constants.len().checked_sub(back).and_then(|i| constants[i]).unwrap_or(SEQ_CST);
    let order = if OP == Op::CAS { joined(order(2), order(1)) } else { order(1) };
    let relaxed = order == RELAXED && SCOPE != CLUSTER && !is_half(args);
    let suffix = match SCOPE {
        BLOCK => "_block",
        DEVICE => "",
        _ => "_system",
    };
    let name = match OP {
        Op::SWAP => "atomicExch",
        Op::ADD => "atomicAdd",
        Op::MIN => "atomicMin",
        Op::MAX => "atomicMax",
        Op::AND => "atomicAnd",
        Op::OR => "atomicOr",
        Op::XOR => "atomicXor",
        Op::INC => "atomicInc",
        Op::DEC => "atomicDec",
        Op::SUB if relaxed => return sub_text(args, suffix),
        _ => "",
    };
    if relaxed && OP == Op::LOAD && !is_wide(args) {
        return volatile_text(args, "{0}");
    }
    if relaxed && OP == Op::STORE && !is_wide(args) {
        return volatile_store_text(args);
    }
    if relaxed && OP == Op::CAS && !is_wide(args) {
        return exchange_text(args, suffix);
    }
    if relaxed && !name.is_empty() {
        let mut text = classic(name, &args[..2]);
        text.template = text.template.replace(&format!("{name}("), &format!("{name}{suffix}("));
        return text;
    }
    ptx(OP, order, scope_name(SCOPE), args)
}

fn classic(name: &str, args: &[Type]) -> CudaText {
    match name {
        "atomicExch" => cast_call("atomicExch")(args, &Type::Unit),
        "atomicAdd" => cast_call("atomicAdd")(args, &Type::Unit),
        "atomicMin" => cast_call("atomicMin")(args, &Type::Unit),
        "atomicMax" => cast_call("atomicMax")(args, &Type::Unit),
        "atomicAnd" => cast_call("atomicAnd")(args, &Type::Unit),
        "atomicOr" => cast_call("atomicOr")(args, &Type::Unit),
        "atomicXor" => cast_call("atomicXor")(args, &Type::Unit),
        other => CudaText::new(format!("{other}({{0}}, {{1}})")),
    }
}

fn scope_name(scope: u8) -> &'static str {
    match scope {
        BLOCK => "cta",
        CLUSTER => "cluster",
        DEVICE => "gpu",
        _ => "sys",
    }
}

/// Returns whether the place holds halves; CUDA's functions take halves only with a header.
pub(in super::super::device_api) fn is_half(args: &[Type]) -> bool {
    match args.first().map(Type::peeled) {
        Some(Type::Scalar(s) | Type::Vector(s, _)) => s.is_half(),
        _ => false,
    }
}

/// Returns whether the place is two or four words, which only one PTX instruction reads or writes at once.
fn is_wide(args: &[Type]) -> bool {
    matches!(args.first().map(Type::peeled), Some(Type::Vector(..)))
}

/// A relaxed compare-and-exchange by CUDA's function, which takes words.
fn exchange_text(args: &[Type], suffix: &str) -> CudaText {
    let ty = args.first().map(|ty| ty.peeled().clone()).unwrap_or(Type::U32);
    let (c, word) = (type_name(&ty), word_of(&ty));
    let name = format!("ws_compare_exchange{suffix}");
    let old =
        format!("atomicCAS{suffix}(({word}*)p, {}, {})", bits(word, &c, "expected"), bits(word, &c, "v"));
    let definition = format!(
        "template <class R>\n__device__ __forceinline__ R {name}({c}* p, {c} expected, {c} v) {{\n    {c} old = {};\n{}}}\n",
        bits(&c, word, &old),
        outcome(&ty)
    );
    CudaText {
        definitions: vec![definition],
        ..CudaText::new(format!("{name}<{{ret}}>({{0}}, {{1}}, {{2}})"))
    }
}

/// A value as the bits of another type.
fn bits(to: &str, from: &str, value: &str) -> String {
    if to == from { value.to_owned() } else { format!("__builtin_bit_cast({to}, {value})") }
}

/// The unsigned type of a scalar's size.
fn word_of(ty: &Type) -> &'static str {
    if ty.size() == 8 { "unsigned long long" } else { "unsigned int" }
}

/// Relaxed addition of halves at device scope.
pub(in super::super::device_api) fn half_add(args: &[Type]) -> CudaText {
    ptx(Op::ADD, RELAXED, "gpu", args)
}

/// How PTX names the type, and the constraint of its register.
fn register(ty: &Type) -> (&'static str, &'static str) {
    match ty {
        Type::Vector(Scalar::F16, 2) => ("f16x2", "r"),
        Type::Vector(Scalar::BF16, 2) => ("bf16x2", "r"),
        Type::Vector(..) => ("b128", "l"),
        other => match other.scalar() {
            Some(Scalar::I32) => ("s32", "r"),
            Some(Scalar::U64) => ("u64", "l"),
            Some(Scalar::I64) => ("s64", "l"),
            Some(Scalar::F32) => ("f32", "f"),
            Some(Scalar::F64) => ("f64", "d"),
            Some(Scalar::F16) => ("f16", "h"),
            Some(Scalar::BF16) => ("bf16", "h"),
            _ => ("u32", "r"),
        },
    }
}

/// A function of one PTX instruction, and its call.
fn ptx(op: u8, order: i128, scope: &str, args: &[Type]) -> CudaText {
    let ty = args.first().map(|ty| ty.peeled().clone()).unwrap_or(Type::U32);
    let (ptx_ty, _) = register(&ty);
    let ordering = match order {
        0 => "relaxed",
        1 => "release",
        2 => "acquire",
        3 => "acq_rel",
        _ => "seq_cst",
    };
    let sem = match (op, order) {
        (_, 0..=3) => ordering,
        (Op::LOAD, _) => "acquire",
        (Op::STORE, _) => "relaxed",
        _ => "acq_rel",
    };
    let fence = if order == SEQ_CST {
        format!("    asm volatile(\"fence.sc.{scope};\" ::: \"memory\");\n")
    } else {
        String::new()
    };
    let name = format!("ws_{}_{ordering}_{scope}_{ptx_ty}", Op::name(op).trim_start_matches("fetch_"));
    let (params, body) = function(op, sem, scope, &ty);
    let c_type = type_name(&ty);
    let ret = match op {
        Op::STORE => "void".to_owned(),
        Op::CAS => "R".to_owned(),
        _ => c_type.clone(),
    };
    let template = if op == Op::CAS { "template <class R>\n" } else { "" };
    let definition =
        format!("{template}__device__ __forceinline__ {ret} {name}({params}) {{\n{fence}{body}}}\n");
    let call = match op {
        Op::LOAD => format!("{name}({{0}})"),
        Op::CAS => format!("{name}<{{ret}}>({{0}}, {{1}}, {{2}})"),
        _ => format!("{name}({{0}}, {{1}})"),
    };
    CudaText { definitions: vec![definition], ..CudaText::new(call) }
}

/// Parameters and body of the function.
fn function(op: u8, sem: &str, scope: &str, ty: &Type) -> (String, String) {
    let c = type_name(ty);
    let (t, reg) = register(ty);
    let bits = format!("b{}", ty.size() * 8);
    let pair = matches!(ty, Type::Vector(_, 2)) && ty.size() == 4;
    match op {
        Op::LOAD => (
            format!("const {c}* p"),
            format!(
                "    {c} r;\n    asm volatile(\"ld.{sem}.{scope}.{t} %0, [%1];\" : \"={reg}\"(r) : \"l\"(p) : \"memory\");\n    return r;\n"
            ),
        ),
        Op::STORE => (
            format!("{c}* p, {c} v"),
            format!(
                "    asm volatile(\"st.{sem}.{scope}.{t} [%0], %1;\" :: \"l\"(p), \"{reg}\"(v) : \"memory\");\n"
            ),
        ),
        Op::CAS if ty.size() == 16 => (format!("{c}* p, {c} expected, {c} v"), wide_exchange(sem, scope, &c)),
        Op::CAS => (
            format!("{c}* p, {c} expected, {c} v"),
            format!(
                "    {c} old;\n    asm volatile(\"atom.{sem}.{scope}.cas.{bits} %0, [%1], %2, %3;\" : \"={reg}\"(old) : \"l\"(p), \"{reg}\"(expected), \"{reg}\"(v) : \"memory\");\n{}",
                outcome(ty)
            ),
        ),
        _ if pair || ty.size() == 2 => {
            // Halves are plain structs: their bits go through a register of the same size.
            let (word, constraint) = if pair { ("unsigned int", "r") } else { ("unsigned short", "h") };
            (
                format!("{c}* p, {c} v"),
                format!(
                    "    {word} r;\n    asm volatile(\"atom.{sem}.{scope}.add.noftz.{t} %0, [%1], %2;\" : \"={constraint}\"(r) : \"l\"(p), \"{constraint}\"(__builtin_bit_cast({word}, v)) : \"memory\");\n    return __builtin_bit_cast({c}, r);\n"
                ),
            )
        }
        _ => {
            let (instruction, t, value) = match op {
                Op::SWAP => ("exch", bits.as_str(), "v"),
                Op::AND => ("and", bits.as_str(), "v"),
                Op::OR => ("or", bits.as_str(), "v"),
                Op::XOR => ("xor", bits.as_str(), "v"),
                Op::MIN => ("min", t, "v"),
                Op::MAX => ("max", t, "v"),
                Op::INC => ("inc", t, "v"),
                Op::DEC => ("dec", t, "v"),
                // In two's complement signed addition is that of the unsigned type.
                Op::SUB if ty.size() == 8 => ("add", "u64", "0ull - (unsigned long long)v"),
                Op::SUB => ("add", "u32", "0u - (unsigned int)v"),
                _ => ("add", if t == "s64" { "u64" } else { t }, "v"),
            };
            (
                format!("{c}* p, {c} v"),
                format!(
                    "    {c} r;\n    asm volatile(\"atom.{sem}.{scope}.{instruction}.{t} %0, [%1], %2;\" : \"={reg}\"(r) : \"l\"(p), \"{reg}\"({value}) : \"memory\");\n    return r;\n"
                ),
            )
        }
    }
}

/// A `Result` with what the place held.
fn outcome(ty: &Type) -> String {
    let (c, word) = (type_name(ty), word_of(ty));
    let is_expected = format!("{} == {}", bits(word, &c, "old"), bits(word, &c, "expected"));
    format!(
        "    R r;\n    if ({is_expected}) {{\n        r.tag = 0;\n        r.Ok._0 = old;\n    }} else {{\n        r.tag = 1;\n        r.Err._0 = old;\n    }}\n    return r;\n"
    )
}

/// Compare and exchange of sixteen bytes. Compute capability 9.0.
fn wide_exchange(sem: &str, scope: &str, c: &str) -> String {
    format!(
        "    {c} old;\n    asm volatile(\"{{\\n\\t.reg .b128 e, n, o;\\n\\tmov.b128 e, {{%3, %4}};\\n\\tmov.b128 n, {{%5, %6}};\\n\\tatom.{sem}.{scope}.cas.b128 o, [%2], e, n;\\n\\tmov.b128 {{%0, %1}}, o;\\n\\t}}\" : \"=l\"(old.x), \"=l\"(old.y) : \"l\"(p), \"l\"(expected.x), \"l\"(expected.y), \"l\"(v.x), \"l\"(v.y) : \"memory\");\n    R r;\n    if (old.x == expected.x && old.y == expected.y) {{\n        r.tag = 0;\n        r.Ok._0 = old;\n    }} else {{\n        r.tag = 1;\n        r.Err._0 = old;\n    }}\n    return r;\n"
    )
}
