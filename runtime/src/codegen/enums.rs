//! Enums: a C++ enum where no variant has fields, else a tag and a union.

use std::sync::Arc;

use super::precedence::Text;
use super::types::{member, scalar};
use super::{Printer, names};
use crate::ir::{EnumType, Expr, Type, VariantType};

impl Printer<'_> {
    /// The name of an enum, defining it before its first use.
    pub(super) fn enum_(&mut self, e: &Arc<EnumType>) -> String {
        let ty = Type::Enum(e.clone());
        if let Some(name) = self.struct_names.get(&ty) {
            return name.clone();
        }
        let variants: Vec<String> = if e.is_plain() { Vec::new() } else { self.variant_structs(e) };
        let name = names::fresh(&e.name, &self.globals);
        self.globals.insert(name.clone());
        self.struct_names.insert(ty, name.clone());
        for variant in &e.variants {
            self.globals.insert(format!("{name}_{}", variant.name));
        }
        let text = if e.is_plain() { plain(e, &name) } else { tagged(e, &name, &variants) };
        self.structs.push(text);
        if !e.is_plain() {
            for variant in &e.variants {
                let constructor = self.constructor(&name, variant);
                self.structs.push(constructor);
            }
        }
        name
    }

    /// The fields of each variant that has some, as an unnamed struct.
    fn variant_structs(&mut self, e: &EnumType) -> Vec<String> {
        let mut structs = Vec::new();
        for variant in &e.variants {
            let mut fields = String::new();
            for (name, ty) in variant.fields.iter().filter(|(_, ty)| *ty != Type::Unit) {
                fields.push_str(&format!("{} {}; ", self.ty(ty), member(name)));
            }
            if !fields.is_empty() {
                structs.push(format!("struct {{ {fields}}} {};\n", member(variant.name)));
            }
        }
        structs
    }

    /// A function that makes a value of a variant.
    fn constructor(&mut self, name: &str, variant: &VariantType) -> String {
        let mut params = Vec::new();
        let mut lines = format!("    value.tag = {};\n", variant.tag);
        for (field, ty) in variant.fields.iter().filter(|(_, ty)| *ty != Type::Unit) {
            let field = member(field);
            params.push(format!("{} {field}", self.ty(ty)));
            lines.push_str(&format!("    value.{}.{field} = {field};\n", member(variant.name)));
        }
        format!(
            "__device__ __forceinline__ {name} {name}_{}({}) {{\n    {name} value;\n{lines}    return value;\n}}\n",
            variant.name,
            params.join(", ")
        )
    }

    /// `Shape_Circle(radius)`
    pub(super) fn variant(&mut self, e: &Arc<EnumType>, index: usize, items: &[Expr]) -> Text {
        let name = self.enum_(e);
        let items: Vec<String> =
            items.iter().filter(|e| e.ty != Type::Unit).map(|e| self.argument(e)).collect();
        Text::primary(format!("{name}_{}({})", e.variants[index].name, items.join(", ")))
    }

    /// A value of an enum without fields.
    pub(super) fn enumerator(&mut self, e: &Arc<EnumType>, tag: i128) -> Text {
        let name = self.enum_(e);
        match e.variants.iter().find(|v| v.tag == tag) {
            Some(variant) => Text::primary(format!("{name}_{}", variant.name)),
            None => Text::cast(&name, Text::primary(tag.to_string())),
        }
    }

    /// The C++ path of a field of a variant: `Circle._0`.
    pub(super) fn payload_member(name: &str) -> String {
        match name.split_once('.') {
            Some((variant, field)) => format!("{}.{}", member(variant), member(field)),
            None => name.to_owned(),
        }
    }
}

fn plain(e: &EnumType, name: &str) -> String {
    let variants: Vec<String> =
        e.variants.iter().map(|v| format!("    {name}_{} = {},\n", v.name, v.tag)).collect();
    format!("enum {name} : {} {{\n{}}};\n", scalar(e.tag), variants.concat())
}

fn tagged(e: &EnumType, name: &str, variants: &[String]) -> String {
    let fields = match variants {
        [] => String::new(),
        [one] => format!("    {one}"),
        many => {
            let inner: String = many.iter().map(|v| format!("        {v}")).collect();
            format!("    union {{\n{inner}    }};\n")
        }
    };
    let assertion = if e.in_memory {
        format!("static_assert(sizeof({name}) == {}, \"{} is laid out as in Rust\");\n", e.size, e.name)
    } else {
        String::new()
    };
    format!("struct {name} {{\n    {} tag;\n{fields}}};\n{assertion}", scalar(e.tag))
}
