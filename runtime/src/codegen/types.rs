//! Types in CUDA C++.

use super::{Printer, names, prelude};
use crate::ir::{Scalar, StructType, Type};

/// CUDA's name of a scalar.
pub(crate) fn scalar(s: Scalar) -> &'static str {
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
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

impl Printer<'_> {
    /// The type of a value.
    pub(super) fn ty(&mut self, ty: &Type) -> String {
        match ty {
            Type::Unit | Type::Never => "void".into(),
            Type::Scalar(s) => scalar(*s).into(),
            Type::Array(elem, n) => {
                self.need(&prelude::ARRAY);
                format!("ws_Array<{}, {n}>", self.ty(elem))
            }
            Type::Tuple(_) | Type::Struct(_) => self.aggregate(ty),
            Type::View { elem, mutable } => {
                self.need(&prelude::VIEW);
                format!("ws_View<{}{}>", if *mutable { "" } else { "const " }, self.ty(elem))
            }
            Type::Ref { to, mutable } => {
                let constant = if *mutable { "" } else { "const " };
                match &**to {
                    Type::Slice(elem) | Type::Shared { elem, .. } => format!("{constant}{}*", self.ty(elem)),
                    to => format!("{constant}{}*", self.ty(to)),
                }
            }
            Type::Slice(elem) | Type::Shared { elem, .. } => self.ty(elem),
            Type::Closure => "auto".into(),
        }
    }

    /// The name of a struct or tuple, defining it before its first use.
    fn aggregate(&mut self, ty: &Type) -> String {
        if let Some(name) = self.struct_names.get(ty) {
            return name.clone();
        }
        let (wanted, definition) = match ty {
            Type::Struct(s) => match s.cuda_name {
                Some(name) => return name.to_owned(),
                None => (s.name.clone(), self.struct_body(s)),
            },
            Type::Tuple(items) => {
                let suffix: Vec<String> = items.iter().map(crate::__macro::type_suffix).collect();
                let mut fields = String::new();
                for (i, item) in items.iter().enumerate() {
                    fields.push_str(&format!("    {} _{i};\n", self.ty(item)));
                }
                (format!("Tuple_{}", suffix.join("_")), (fields, Vec::new()))
            }
            _ => return "void".into(),
        };
        let name = names::fresh(&wanted, &self.globals);
        self.globals.insert(name.clone());
        self.struct_names.insert(ty.clone(), name.clone());
        let (fields, asserts) = definition;
        let asserts: String = asserts.iter().map(|a| a.replace("{name}", &name)).collect();
        self.structs.push(format!("struct {name} {{\n{fields}}};\n{asserts}"));
        name
    }

    /// Fields, and assertions that CUDA lays them out as rustc does.
    fn struct_body(&mut self, s: &StructType) -> (String, Vec<String>) {
        self.need(&prelude::OFFSETOF);
        let mut fields = String::new();
        let mut asserts = vec![format!(
            "static_assert(sizeof({{name}}) == {}, \"{} is laid out as in Rust\");\n",
            s.size, s.name
        )];
        for field in &s.fields {
            let name = names::fresh(field.name, &names::reserved());
            fields.push_str(&format!("    {} {name};\n", self.ty(&field.ty)));
            asserts.push(format!(
                "static_assert(ws_offsetof({{name}}, {name}) == {}, \"{}.{} is laid out as in Rust\");\n",
                field.offset, s.name, field.name
            ));
        }
        (fields, asserts)
    }
}
