//! The types that generated programs use, and how Rust spells them.

use crate::random::Random;

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int {
    /// Its Rust name.
    pub name: &'static str,
    /// Its width.
    pub bits: u32,
    /// Whether it has negative values.
    pub signed: bool,
}

impl Int {
    /// Its smallest value.
    pub fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    /// Its largest value.
    pub fn max(self) -> i128 {
        if self.signed { (1 << (self.bits - 1)) - 1 } else { (1 << self.bits) - 1 }
    }

    /// The unsigned type of its width, as Rust's `abs_diff` and `unsigned_abs` give it.
    pub fn unsigned(self) -> Int {
        let name = match self.name {
            "i8" => "u8",
            "i16" => "u16",
            "i32" => "u32",
            "i64" => "u64",
            "isize" => "usize",
            own => own,
        };
        Int { name, signed: false, ..self }
    }
}

const fn int(name: &'static str, bits: u32, signed: bool) -> Int {
    Int { name, bits, signed }
}

/// `u32`, which shifts, bit counts and votes give.
pub const U32: Int = int("u32", 32, false);
/// `i32`.
pub const I32: Int = int("i32", 32, true);
/// `u64`.
pub const U64: Int = int("u64", 64, false);
/// `usize`.
pub const USIZE: Int = int("usize", 64, false);

/// Every integer type.
pub const INTS: [Int; 10] = [
    int("i8", 8, true),
    int("i16", 16, true),
    I32,
    int("i64", 64, true),
    int("isize", 64, true),
    int("u8", 8, false),
    int("u16", 16, false),
    U32,
    U64,
    USIZE,
];

/// The length of an array: always a power of two, so that an index can be masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Len {
    /// A number.
    Fixed(usize),
    /// A const generic of the function.
    Param(&'static str),
}

impl Len {
    /// As Rust source.
    pub fn text(self) -> String {
        match self {
            Len::Fixed(n) => n.to_string(),
            Len::Param(name) => name.to_owned(),
        }
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// `bool`
    Bool,
    /// An integer.
    Int(Int),
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// Two or three components.
    Tuple(Vec<Ty>),
    /// An array.
    Array(Box<Ty>, Len),
    /// A struct, by its place in [`Structs`].
    Struct(usize),
}

impl Ty {
    /// Whether it is a number or `bool`.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Ty::Bool | Ty::Int(_) | Ty::F32 | Ty::F64)
    }
}

/// A struct that programs use.
#[derive(Clone, Debug)]
pub struct Struct {
    /// As a type: `Pair<i32>`.
    pub ty: String,
    /// As the head of a literal or pattern: `Pair`.
    pub head: String,
    /// Its fields in order.
    pub fields: Vec<(String, Ty)>,
}

/// Every struct of a run.
#[derive(Clone, Debug, Default)]
pub struct Structs(pub Vec<Struct>);

impl Structs {
    /// The structs that `random` determines, and the Rust that declares them.
    ///
    /// The instances of `Pair`, which the support module declares, come first.
    pub fn generate(random: &mut Random) -> (Self, String) {
        let mut structs = Structs::default();
        for elem in [Ty::Int(I32), Ty::Int(INTS[6]), Ty::F32, Ty::Int(U64)] {
            let fields = vec![("x".to_owned(), elem.clone()), ("y".to_owned(), elem.clone())];
            structs.0.push(Struct {
                ty: format!("Pair<{}>", structs.spell(&elem)),
                head: "Pair".into(),
                fields,
            });
        }
        let mut text = String::new();
        for n in 0..5 {
            let fields =
                (0..random.between(2, 4)).map(|f| (format!("f{f}"), structs.field_type(random, n >= 2)));
            let fields: Vec<_> = fields.collect();
            let name = format!("S{n}");
            text += &format!("#[derive(Clone, Copy, GpuType)]\n#[repr(C)]\npub struct {name} {{\n");
            for (field, ty) in &fields {
                text += &format!("    pub {field}: {},\n", structs.spell(ty));
            }
            text += "}\n\n";
            structs.0.push(Struct { ty: name.clone(), head: name, fields });
        }
        (structs, text)
    }

    fn field_type(&self, random: &mut Random, nested: bool) -> Ty {
        // Rust leaves the layout of a tuple open, so none is a field.
        match random.below(if nested { 10 } else { 6 }) {
            0..6 => scalar(random),
            6..8 => Ty::Struct(random.below(self.0.len())),
            8 => Ty::Array(scalar(random).into(), Len::Fixed(*random.pick(&[2, 4]))),
            _ => {
                let row = Ty::Array(scalar(random).into(), Len::Fixed(2));
                Ty::Array(row.into(), Len::Fixed(2))
            }
        }
    }

    /// A type as Rust source.
    pub fn spell(&self, ty: &Ty) -> String {
        match ty {
            Ty::Bool => "bool".into(),
            Ty::Int(int) => int.name.into(),
            Ty::F32 => "f32".into(),
            Ty::F64 => "f64".into(),
            Ty::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|t| self.spell(t)).collect();
                format!("({})", items.join(", "))
            }
            Ty::Array(elem, len) => format!("[{}; {}]", self.spell(elem), len.text()),
            Ty::Struct(id) => self.0[*id].ty.clone(),
        }
    }

    /// A type of any shape; `param` is a const generic that may be the length of an array.
    pub fn any(&self, random: &mut Random, param: Option<&'static str>) -> Ty {
        match random.below(20) {
            0..12 => scalar(random),
            12 | 13 => Ty::Tuple((0..random.between(2, 3)).map(|_| scalar(random)).collect()),
            14 => Ty::Tuple(vec![Ty::Tuple(vec![scalar(random), Ty::Bool]), scalar(random)]),
            15 | 16 => Ty::Array(scalar(random).into(), self.len(random, param)),
            17 => {
                let row = Ty::Array(scalar(random).into(), Len::Fixed(2));
                Ty::Array(row.into(), Len::Fixed(*random.pick(&[2, 4])))
            }
            18 if random.chance(30) => {
                Ty::Array(Ty::Struct(random.below(self.0.len())).into(), Len::Fixed(2))
            }
            _ => Ty::Struct(random.below(self.0.len())),
        }
    }

    fn len(&self, random: &mut Random, param: Option<&'static str>) -> Len {
        match param {
            Some(name) if random.chance(60) => Len::Param(name),
            _ => Len::Fixed(*random.pick(&[2, 4, 8])),
        }
    }
}

/// Any scalar type, integers of 32 bits most often.
pub fn scalar(random: &mut Random) -> Ty {
    match random.below(20) {
        0..3 => Ty::Bool,
        3 | 4 => Ty::F32,
        5 => Ty::F64,
        6 | 7 => Ty::Int(*random.pick(&[U32, I32])),
        _ => Ty::Int(*random.pick(&INTS)),
    }
}

/// Any integer type.
pub fn integer(random: &mut Random) -> Int {
    *random.pick(&INTS)
}
