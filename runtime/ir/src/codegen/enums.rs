//! Enums: a C++ enum where no variant has fields, else a tag and a union.

use std::sync::Arc;

use super::precedence::Text;
use super::symbols::TAG;
use super::types::scalar;
use super::{Printer, names};
use crate::ir::{EnumType, Expr, Type, VariantType};

impl Printer<'_> {
    /// The name of an enum, defining it before its first use.
    pub(super) fn enum_(&mut self, e: &Arc<EnumType>) -> String {
        let ty = Type::Enum(e.clone());
        let name = self.symbols.ty(&ty);
        if !self.defined.insert(ty.clone()) {
            return name;
        }
        let printed = self.symbols.variants(&ty);
        if e.is_plain() {
            self.structs.push(plain(e, &name, &printed));
            return name;
        }
        let members = self.symbols.members(e.variants.iter().map(|v| v.name), &[TAG]);
        let variants = self.variant_structs(e, &members);
        self.structs.push(tagged(e, &name, &variants));
        for ((variant, member), constructor) in e.variants.iter().zip(&members).zip(&printed) {
            let constructor = self.constructor(&name, constructor, variant, member);
            self.structs.push(constructor);
        }
        name
    }

    /// The fields of each variant that has some, as an unnamed struct.
    fn variant_structs(&mut self, e: &EnumType, members: &[String]) -> Vec<String> {
        let mut structs = Vec::new();
        for (variant, member) in e.variants.iter().zip(members) {
            let mut fields = String::new();
            for (field, ty) in self.payload(variant) {
                fields.push_str(&format!("{} {field}; ", self.part_ty(&ty)));
            }
            if !fields.is_empty() {
                structs.push(format!("struct {{ {fields}}} {member};\n"));
            }
        }
        structs
    }

    /// The members of a variant that has fields, and their types.
    fn payload(&self, variant: &VariantType) -> Vec<(String, Type)> {
        let members = self.symbols.members(variant.fields.iter().map(|(name, _)| *name), &[]);
        let types = variant.fields.iter().map(|(_, ty)| ty.clone());
        members.into_iter().zip(types).filter(|(_, ty)| *ty != Type::Unit).collect()
    }

    /// A function that makes a value of a variant.
    fn constructor(&mut self, name: &str, function: &str, variant: &VariantType, member: &str) -> String {
        let mut params = Vec::new();
        let mut lines = format!("    value.tag = {};\n", variant.tag);
        let mut taken = vec!["value".to_owned()];
        for (field, ty) in self.payload(variant) {
            let is_taken = |name: &str| self.symbols.has(name) || taken.iter().any(|t| t == name);
            let param = names::fresh_inside(&field, &is_taken);
            params.push(format!("{} {param}", self.part_ty(&ty)));
            lines.push_str(&format!("    value.{member}.{field} = {param};\n"));
            taken.push(param);
        }
        format!(
            "__device__ __forceinline__ {name} {function}({}) {{\n    {name} value;\n{lines}    return value;\n}}\n",
            params.join(", ")
        )
    }

    /// `Shape_Circle(radius)`
    pub(super) fn variant(&mut self, e: &Arc<EnumType>, index: usize, items: &[Expr]) -> Text {
        self.enum_(e);
        let constructor = self.symbols.variants(&Type::Enum(e.clone()))[index].clone();
        let items: Vec<String> = items.iter().filter(|e| e.ty != Type::Unit).map(|e| self.part(e)).collect();
        Text::primary(format!("{constructor}({})", items.join(", ")))
    }

    /// A value of an enum without fields.
    pub(super) fn enumerator(&mut self, e: &Arc<EnumType>, tag: i128) -> Text {
        let name = self.enum_(e);
        match e.variants.iter().position(|v| v.tag == tag) {
            Some(index) => Text::primary(self.symbols.variants(&Type::Enum(e.clone()))[index].as_str()),
            None => Text::cast(&name, Text::primary(tag.to_string())),
        }
    }
}

fn plain(e: &EnumType, name: &str, printed: &[String]) -> String {
    let variants: Vec<String> =
        e.variants.iter().zip(printed).map(|(v, printed)| format!("    {printed} = {},\n", v.tag)).collect();
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
    format!("struct {name} {{\n    {} {TAG};\n{fields}}};\n{assertion}", scalar(e.tag))
}
