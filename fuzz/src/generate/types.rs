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
    /// A struct or vector, by its place in [`Structs`].
    Struct(usize),
    /// `f16` or `bf16`.
    Half(&'static str),
    /// `Option` of a scalar.
    Option(Box<Ty>),
    /// `Shape` of the support module: an enum with fields.
    Shape,
    /// `Light` of the support module: an enum without fields.
    Light,
    /// A slice of at least this number of elements, and at most ten.
    Slice(Box<Ty>, usize),
}

impl Ty {
    /// Returns whether it is a number or `bool`.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Ty::Bool | Ty::Int(_) | Ty::F32 | Ty::F64)
    }

    /// Returns whether `op=` of it is a trait's: then the place is evaluated before the value.
    pub fn is_overloaded(&self, structs: &Structs) -> bool {
        match self {
            Ty::Half(_) => true,
            Ty::Struct(id) => structs.0[*id].operators,
            _ => false,
        }
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
    /// Whether `+ - *`, their assignments and `==` are known of it.
    pub operators: bool,
    /// The `&mut self` method that gives the struct back, and the one that gives a field, with that
    /// field's number.
    pub methods: Option<Methods>,
}

/// Methods of a struct that give references.
#[derive(Clone, Debug)]
pub struct Methods {
    /// `fn me(&mut self) -> &mut Self`, which also changes the struct.
    pub whole: String,
    /// `fn part(&mut self) -> &mut Field`.
    pub part: String,
    /// Which field `part` gives.
    pub field: usize,
}

/// Where the structs of the support module stand in [`Structs`].
pub const BODY: usize = 4;
/// `Bank`, which has an `IndexMut` with effects.
pub const BANK: usize = 5;
/// `Ring`, which overloads operators.
pub const RING: usize = 6;
/// The vectors follow, and these are as many.
pub const VECTORS: [(&str, Ty, usize); 4] = [
    ("U32x2", Ty::Int(U32), 2),
    ("I32x4", Ty::Int(I32), 4),
    ("U64x2", Ty::Int(U64), 2),
    ("F32x2", Ty::F32, 2),
];

/// Every struct of a run.
#[derive(Clone, Debug, Default)]
pub struct Structs(pub Vec<Struct>);

impl Structs {
    /// The structs that `random` determines, and the Rust that declares them.
    ///
    /// Those of the support module come first: the instances of `Pair`, [`BODY`], [`BANK`], [`RING`], vectors.
    pub fn generate(random: &mut Random) -> (Self, String) {
        let mut structs = Self::of_support();
        let mut text = String::new();
        for n in 0..5 {
            let fields =
                (0..random.between(2, 4)).map(|f| (format!("f{f}"), structs.field_type(random, n >= 2)));
            let fields: Vec<_> = fields.collect();
            let hostile = *random.pick(&HOSTILE_STRUCTS);
            let is_hostile = n == 4 && !super::coverage::without("hostile name of a struct");
            let name = if is_hostile { hostile.to_owned() } else { format!("S{n}") };
            let methods =
                Methods { whole: "me".into(), part: "part".into(), field: random.below(fields.len()) };
            let own =
                Struct { ty: name.clone(), head: name, fields, operators: false, methods: Some(methods) };
            text += &structs.declaration(&own);
            structs.0.push(own);
        }
        (structs, text)
    }

    fn of_support() -> Self {
        let mut structs = Structs::default();
        for elem in [Ty::Int(I32), Ty::Int(U32), Ty::F32, Ty::Int(U64)] {
            let ty = format!("Pair<{}>", structs.spell(&elem));
            structs.known(&ty, "Pair", vec![("x", elem.clone()), ("y", elem)], None);
        }
        let array = |elem, n| Ty::Array(Box::new(elem), Len::Fixed(n));
        let fields = vec![
            ("at", array(Ty::F32, 2)),
            ("n", Ty::Int(U32)),
            ("q", Ty::Struct(0)),
            ("d", array(Ty::Int(U64), 4)),
        ];
        structs.known("Body", "Body", fields, Some(2));
        let rows = array(array(Ty::Int(U32), 4), 4);
        structs.known("Bank", "Bank", vec![("rows", rows), ("writes", Ty::Int(U32))], None);
        structs.known("Ring", "Ring", vec![("v", Ty::Int(U32))], None);
        for (name, elem, n) in VECTORS {
            let fields = ["x", "y", "z", "w"][..n].iter().map(|c| (*c, elem.clone())).collect();
            structs.known(name, name, fields, None);
        }
        for own in &mut structs.0[RING..] {
            own.operators = true;
        }
        structs
    }

    fn known(&mut self, ty: &str, head: &str, fields: Vec<(&str, Ty)>, part: Option<usize>) {
        let fields = fields.into_iter().map(|(name, ty)| (name.to_owned(), ty)).collect();
        let methods = part.map(|field| Methods { whole: "me".into(), part: "part".into(), field });
        self.0.push(Struct { ty: ty.into(), head: head.into(), fields, operators: false, methods });
    }

    /// A struct's Rust, with its methods.
    fn declaration(&self, own: &Struct) -> String {
        let name = &own.ty;
        let fields: String =
            own.fields.iter().map(|(f, ty)| format!("    pub {f}: {},\n", self.spell(ty))).collect();
        let mut text =
            format!("#[derive(Clone, Copy, GpuType)]\n#[repr(C)]\npub struct {name} {{\n{fields}}}\n\n");
        if let Some(methods) = &own.methods {
            let (field, ty) = &own.fields[methods.field];
            let change = own.fields.iter().find_map(|(f, ty)| match ty {
                Ty::Int(_) => Some(format!("self.{f} = self.{f}.wrapping_add(3);\n        ")),
                Ty::Bool => Some(format!("self.{f} = !self.{f};\n        ")),
                _ => None,
            });
            text += &format!(
                "#[gpu_impl]\nimpl {name} {{\n    pub fn me(&mut self) -> &mut Self {{\n        {}self\n    }}\n\n    pub fn part(&mut self) -> &mut {} {{\n        &mut self.{field}\n    }}\n}}\n\n",
                change.unwrap_or_default(),
                self.spell(ty),
            );
        }
        text
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
            Ty::Half(name) => (*name).to_owned(),
            Ty::Option(inner) => format!("Option<{}>", self.spell(inner)),
            Ty::Shape => "Shape".into(),
            Ty::Light => "Light".into(),
            Ty::Slice(elem, _) => format!("[{}]", self.spell(elem)),
        }
    }

    /// A type of any shape; `param` is a const generic that may be the length of an array.
    pub fn any(&self, random: &mut Random, param: Option<&'static str>) -> Ty {
        match random.below(25) {
            0..12 => scalar(random),
            20 => Ty::Half(if random.chance(60) { "f16" } else { "bf16" }),
            21 => Ty::Option(scalar(random).into()),
            22 => Ty::Shape,
            23 => Ty::Light,
            24 => Ty::Struct(random.between(BODY, RING + VECTORS.len())),
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

/// Names of structs that CUDA or the printed text also uses.
const HOSTILE_STRUCTS: [&str; 6] = ["float3", "uchar4", "Tuple_u64_u64", "Option_u32", "dim3", "ws_View"];

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
