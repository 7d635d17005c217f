//! Enums: a C++ enum where no variant has fields, else a tag and a union.

use std::collections::HashSet;
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
        let name = self.claim(&e.name);
        self.struct_names.insert(ty.clone(), name.clone());
        let values: Vec<String> =
            e.variants.iter().map(|variant| self.claim(&format!("{name}_{}", variant.name))).collect();
        self.variant_names.insert(ty, values.clone());
        let text = if e.is_plain() { plain(e, &name, &values) } else { tagged(e, &name, &variants) };
        self.structs.push(text);
        if !e.is_plain() {
            for (variant, value) in e.variants.iter().zip(&values) {
                let constructor = self.constructor(&name, value, variant);
                self.structs.push(constructor);
            }
        }
        name
    }

    /// The enumerator or the constructor of a variant.
    fn variant_name(&mut self, e: &Arc<EnumType>, index: usize) -> String {
        self.enum_(e);
        let names = self.variant_names.get(&Type::Enum(e.clone()));
        names
            .and_then(|names| names.get(index))
            .cloned()
            .unwrap_or_else(|| unreachable!("a variant of the enum"))
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
                structs.push(format!("struct {{ {fields}}} {};\n", variant_member(variant.name)));
            }
        }
        structs
    }

    /// A function that makes a value of a variant.
    fn constructor(&mut self, name: &str, constructor: &str, variant: &VariantType) -> String {
        let fields: Vec<_> = variant.fields.iter().filter(|(_, ty)| *ty != Type::Unit).collect();
        let mut taken: HashSet<String> = fields.iter().map(|(field, _)| member(field)).collect();
        taken.insert(name.to_owned());
        let value = names::fresh("value", &taken);
        let mut params = Vec::new();
        let mut lines = format!("    {value}.tag = {};\n", variant.tag);
        for (field, ty) in fields {
            let ty = self.ty(ty);
            let field = member(field);
            // A parameter would hide a type that is named as it.
            let param = if field == name { format!("{field}_") } else { field.clone() };
            lines.push_str(&format!("    {value}.{}.{field} = {param};\n", variant_member(variant.name)));
            params.push(format!("{ty} {param}"));
        }
        let params = params.join(", ");
        format!(
            "__device__ __forceinline__ {name} {constructor}({params}) {{\n    {name} {value};\n{lines}    return {value};\n}}\n"
        )
    }

    /// `Shape_Circle(radius)`
    pub(super) fn variant(&mut self, e: &Arc<EnumType>, index: usize, items: &[Expr]) -> Text {
        let name = self.variant_name(e, index);
        let items: Vec<String> =
            items.iter().filter(|e| e.ty != Type::Unit).map(|e| self.argument(e)).collect();
        Text::primary(format!("{name}({})", items.join(", ")))
    }

    /// A value of an enum without fields.
    pub(super) fn enumerator(&mut self, e: &Arc<EnumType>, tag: i128) -> Text {
        let name = self.enum_(e);
        match e.variants.iter().position(|v| v.tag == tag) {
            Some(index) => Text::primary(self.variant_name(e, index)),
            None => Text::cast(&name, Text::primary(tag.to_string())),
        }
    }

    /// The C++ path of a field of a variant: `Circle._0`.
    pub(super) fn payload_member(name: &str) -> String {
        match name.split_once('.') {
            Some((variant, field)) => format!("{}.{}", variant_member(variant), member(field)),
            None => name.to_owned(),
        }
    }
}

/// The member that holds the fields of a variant, which is not the tag.
fn variant_member(name: &str) -> String {
    if name.trim_end_matches('_') == "tag" { format!("{name}_") } else { member(name) }
}

fn plain(e: &EnumType, name: &str, values: &[String]) -> String {
    let variants: Vec<String> =
        e.variants.iter().zip(values).map(|(v, value)| format!("    {value} = {},\n", v.tag)).collect();
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
