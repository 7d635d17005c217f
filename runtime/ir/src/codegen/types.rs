//! Types in CUDA C++.

use super::{Printer, half_precision, images, prelude, tensor_map, vector};
use crate::ir::{ImageType, Scalar, StructType, Type, VarId};

/// CUDA's name of a scalar.
pub fn scalar(s: Scalar) -> &'static str {
    match s {
        Scalar::Bool => "bool",
        Scalar::I8 => "signed char",
        Scalar::I16 => "short",
        Scalar::I32 => "int",
        Scalar::I64 => "long long",
        Scalar::U8 => "unsigned char",
        Scalar::U16 => "unsigned short",
        Scalar::U32 => "unsigned int",
        Scalar::U64 => "unsigned long long",
        Scalar::F16 => "ws_f16",
        Scalar::BF16 => "ws_bf16",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// The name of a scalar, a vector or an array of them, which depends on no module.
pub fn plain_type_name(ty: &Type) -> String {
    match ty {
        Type::Scalar(s) => scalar(*s).into(),
        Type::Vector(s, n) => vector::builtin_name(*s, *n).unwrap_or_else(|| vector::own_name(*s, *n)),
        Type::Array(elem, n) => format!("ws_Array<{}, {n}>", plain_type_name(elem)),
        Type::Unit | Type::Never => "void".into(),
        other => unreachable!("only a module knows the name of `{other}`"),
    }
}

/// The scalar that an operand of an operator, a printed value or a constant is.
pub(super) fn scalar_of(ty: &Type) -> Scalar {
    let Some(scalar) = ty.scalar() else { unreachable!("the recorder makes no number of a `{ty}`") };
    scalar
}

impl Printer<'_> {
    /// The type of a value.
    pub(super) fn ty(&mut self, ty: &Type) -> String {
        match ty {
            Type::Unit | Type::Never => "void".into(),
            Type::Scalar(s) => self.scalar(*s).into(),
            Type::Array(elem, n) => {
                self.need(&prelude::ARRAY);
                format!("ws_Array<{}, {n}>", self.part_ty(elem))
            }
            Type::Vector(s, n) => self.vector(*s, *n),
            Type::Tuple(_) | Type::Struct(_) => self.aggregate(ty),
            Type::Enum(e) => self.enum_(e),
            Type::View { elem, mutable, rank } => {
                let (piece, suffix) = match rank {
                    1 => (&prelude::VIEW, ""),
                    2 => (&prelude::VIEW2, "2"),
                    _ => (&prelude::VIEW3, "3"),
                };
                self.need(piece);
                format!("ws_View{suffix}<{}>", self.qualified(elem, *mutable))
            }
            Type::Ptr { to, mutable } => format!("{}*", self.qualified(to, *mutable)),
            Type::Ref { to, mutable } => match &**to {
                Type::Slice(elem) | Type::Shared { elem, .. } => {
                    format!("{}*", self.qualified(elem, *mutable))
                }
                Type::Image(image) => self.image(*image),
                Type::TensorMap(_) => format!("const {}*", self.tensor_map()),
                to => format!("{}*", self.qualified(to, *mutable)),
            },
            Type::Slice(elem) | Type::Shared { elem, .. } => self.ty(elem),
            Type::Image(image) => self.image(*image),
            Type::TensorMap(_) => self.tensor_map(),
            Type::Closure => "auto".into(),
        }
    }

    /// The type of a part of a value: a slice, elsewhere a pointer with its length beside it, is one value there.
    pub(super) fn part_ty(&mut self, ty: &Type) -> String {
        match ty {
            Type::Ref { to, mutable } => match &**to {
                Type::Slice(elem) | Type::Shared { elem, rank: 1 } => {
                    self.need(&prelude::VIEW);
                    format!("ws_View<{}>", self.qualified(elem, *mutable))
                }
                _ => self.ty(ty),
            },
            _ => self.ty(ty),
        }
    }

    /// The type of what may be written, or not: the `const` of a pointer stands behind it.
    fn qualified(&mut self, ty: &Type, mutable: bool) -> String {
        let name = self.ty(ty);
        match mutable {
            true => name,
            false if name.ends_with('*') => format!("{name} const"),
            false => format!("const {name}"),
        }
    }

    /// The handle and the extents of an image.
    fn image(&mut self, image: ImageType) -> String {
        self.need(images::image(image));
        format!("ws_{image}")
    }

    /// Returns whether a variable is a kernel's parameter that is a map: its name stands for the map, elsewhere for its address.
    pub(super) fn is_map_by_value(&self, id: VarId) -> bool {
        let var = self.function.var(id);
        self.function.is_kernel_param(id)
            && matches!(&var.ty, Type::Ref { to, .. } if matches!(**to, Type::TensorMap(_)))
    }

    /// A tensor map as a kernel is given it.
    pub(super) fn tensor_map(&mut self) -> String {
        self.need(&tensor_map::TENSOR_MAP);
        self.needs.min_compute = self.needs.min_compute.max(tensor_map::MIN_COMPUTE);
        tensor_map::TENSOR_MAP.name.to_owned()
    }

    /// The name of a scalar, defining the half-precision ones before their first use.
    pub(super) fn scalar(&mut self, s: Scalar) -> &'static str {
        if s.is_half() {
            let exact = !self.module.attributes.fmad;
            self.need(if exact { &half_precision::ROUNDED } else { &half_precision::CONTRACTED });
            self.need(if s == Scalar::F16 { &half_precision::F16 } else { &half_precision::BF16 });
            if s == Scalar::BF16 {
                self.needs.min_compute = self.needs.min_compute.max((8, 0));
            }
        }
        scalar(s)
    }

    fn vector(&mut self, s: Scalar, n: usize) -> String {
        let component = self.scalar(s);
        if let Some(name) = vector::builtin_name(s, n) {
            return name;
        }
        let name = vector::own_name(s, n);
        let align = Type::Vector(s, n).align();
        let members = vector::components(n).map(|c| format!("    {component} {c};\n")).collect::<String>();
        self.define(format!("struct __align__({align}) {name} {{\n{members}}};\n"));
        name
    }

    /// Adds a definition that stands before the functions, once.
    pub(super) fn define(&mut self, text: String) {
        if !self.structs.contains(&text) {
            self.structs.push(text);
        }
    }

    /// The name of a struct or tuple, defining it before its first use.
    fn aggregate(&mut self, ty: &Type) -> String {
        if let Type::Struct(s) = ty
            && let Some(name) = s.cuda_name
        {
            return name.to_owned();
        }
        let name = self.symbols.ty(ty);
        if !self.defined.insert(ty.clone()) {
            return name;
        }
        let (fields, asserts) = match ty {
            Type::Struct(s) => self.struct_body(s),
            Type::Tuple(items) => {
                let mut fields = String::new();
                for (i, item) in items.iter().enumerate().filter(|(_, item)| **item != Type::Unit) {
                    fields.push_str(&format!("    {} _{i};\n", self.part_ty(item)));
                }
                (fields, Vec::new())
            }
            _ => return "void".into(),
        };
        let asserts: String = asserts.iter().map(|a| a.replace("{name}", &name)).collect();
        // CUDA aligns a struct as its fields ask; a larger alignment is written out.
        let natural = match ty {
            Type::Struct(s) => s.fields.iter().map(|f| f.ty.align()).max().unwrap_or(1) >= s.align,
            _ => true,
        };
        let align = if natural { String::new() } else { format!("__align__({}) ", ty.align()) };
        self.structs.push(format!("struct {align}{name} {{\n{fields}}};\n{asserts}"));
        name
    }

    /// Fields, and assertions that CUDA lays them out as rustc does.
    fn struct_body(&mut self, s: &StructType) -> (String, Vec<String>) {
        let mut fields = String::new();
        let mut asserts = Vec::new();
        if s.size > 0 {
            self.need(&prelude::OFFSETOF);
            asserts.push(format!(
                "static_assert(sizeof({{name}}) == {}, \"{} is laid out as in Rust\");\n",
                s.size, s.name
            ));
        }
        let members = self.symbols.members(s.fields.iter().map(|f| f.name), &[]);
        for (field, name) in s.fields.iter().zip(members).filter(|(f, _)| f.ty != Type::Unit) {
            fields.push_str(&format!("    {} {name};\n", self.ty(&field.ty)));
            if s.size > 0 {
                asserts.push(format!(
                    "static_assert(ws_offsetof({{name}}, {name}) == {}, \"{}.{} is laid out as in Rust\");\n",
                    field.offset, s.name, field.name
                ));
            }
        }
        (fields, asserts)
    }
}
