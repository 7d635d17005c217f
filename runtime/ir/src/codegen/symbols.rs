//! The names of the global scope: all are known before the first function is printed, so no variable hides one.

use std::collections::{HashMap, HashSet, VecDeque};

use super::names;
use crate::ir::{EnumType, Expr, ExprKind, Function, Global, Module, Type, visit};

/// The symbols of a module.
#[derive(Default)]
pub(super) struct Symbols {
    taken: HashSet<String>,
    /// The kernels, the module's own first.
    pub kernels: Vec<String>,
    pub functions: Vec<String>,
    consts: HashMap<&'static str, String>,
    types: HashMap<Type, String>,
    type_names: HashSet<String>,
    /// The enumerators, or the constructors, of enums.
    variants: HashMap<Type, Vec<String>>,
    globals: Vec<(&'static Global, String)>,
    /// The names of each array constant, one for every value of that name.
    tables: HashMap<&'static str, VecDeque<String>>,
}

impl Symbols {
    /// The symbols of a module with these named constants.
    pub fn new(module: &Module, mut consts: Vec<&'static str>) -> Self {
        let mut symbols = Self::default();
        // Names that the driver looks up have the first choice.
        let kernel = symbols.claim(&module.kernel.name);
        symbols.kernels.push(kernel);
        consts.sort_unstable();
        for name in consts {
            let printed = symbols.claim(name);
            symbols.consts.insert(name, printed);
        }
        for launched in &module.launched {
            let name = symbols.claim(&launched.function.name);
            symbols.kernels.push(name);
        }
        for function in &module.functions {
            let name = symbols.claim(&function.name);
            symbols.functions.push(name);
        }
        let mut tables = HashSet::new();
        for function in module.all_functions() {
            symbols.of_function(function, &mut tables);
        }
        symbols
    }

    fn of_function(&mut self, function: &Function, tables: &mut HashSet<(&'static str, String)>) {
        self.claim_type(&function.ret);
        for var in &function.vars {
            self.claim_type(&var.ty);
        }
        visit::exprs(&function.body, &mut |e| self.of_expr(e, tables));
    }

    fn of_expr(&mut self, e: &Expr, tables: &mut HashSet<(&'static str, String)>) {
        self.claim_type(&e.ty);
        match &e.kind {
            ExprKind::Closure(closure) => self.claim_type(&closure.ret),
            ExprKind::Global(global) => {
                self.claim_type(&(global.ty)());
                self.global(global);
            }
            ExprKind::Table { name, value } => {
                visit::expr(value, &mut |e| self.claim_type(&e.ty));
                if tables.insert((name, format!("{value:?}"))) {
                    let printed = self.claim(name);
                    self.tables.entry(name).or_default().push_back(printed);
                }
            }
            _ => {}
        }
    }

    /// Takes a name for the global scope.
    fn claim(&mut self, wanted: &str) -> String {
        let name = names::fresh(wanted, &|name| self.taken.contains(name));
        self.taken.insert(name.clone());
        name
    }

    fn claim_type(&mut self, ty: &Type) {
        match ty {
            Type::Unit
            | Type::Never
            | Type::Scalar(_)
            | Type::Vector(..)
            | Type::Image(_)
            | Type::TensorMap(_)
            | Type::Closure => {}
            Type::Array(elem, _) | Type::Slice(elem) => self.claim_type(elem),
            Type::View { elem, .. } | Type::Shared { elem, .. } => self.claim_type(elem),
            Type::Ptr { to, .. } | Type::Ref { to, .. } => self.claim_type(to),
            Type::Struct(_) | Type::Tuple(_) | Type::Enum(_) if self.types.contains_key(ty) => {}
            Type::Struct(s) => {
                s.fields.iter().for_each(|field| self.claim_type(&field.ty));
                if s.cuda_name.is_none() {
                    self.claim_aggregate(ty, &s.name);
                }
            }
            Type::Tuple(items) => {
                items.iter().for_each(|item| self.claim_type(item));
                let suffix: Vec<String> = items.iter().map(Type::suffix).collect();
                self.claim_aggregate(ty, &format!("Tuple_{}", suffix.join("_")));
            }
            Type::Enum(e) => self.claim_enum(ty, e),
        }
    }

    fn claim_aggregate(&mut self, ty: &Type, wanted: &str) -> String {
        let name = self.claim(wanted);
        self.types.insert(ty.clone(), name.clone());
        self.type_names.insert(name.clone());
        name
    }

    fn claim_enum(&mut self, ty: &Type, e: &EnumType) {
        e.variants.iter().flat_map(|variant| &variant.fields).for_each(|(_, field)| self.claim_type(field));
        let name = self.claim_aggregate(ty, &e.name);
        let variants = e.variants.iter().map(|v| self.claim(&format!("{name}_{}", v.name))).collect();
        self.variants.insert(ty.clone(), variants);
    }

    /// Returns whether the global scope has the name.
    pub fn has(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// All names of the global scope.
    pub fn all(&self) -> &HashSet<String> {
        &self.taken
    }

    /// A named constant.
    pub fn constant(&mut self, name: &'static str) -> String {
        if let Some(printed) = self.consts.get(name) {
            return printed.clone();
        }
        let printed = self.claim(name);
        self.consts.insert(name, printed.clone());
        printed
    }

    /// A struct, tuple or enum.
    pub fn ty(&mut self, ty: &Type) -> String {
        self.claim_type(ty);
        self.types.get(ty).cloned().unwrap_or_else(|| "void".to_owned())
    }

    /// The enumerators of an enum without fields, the constructors of another.
    pub fn variants(&mut self, ty: &Type) -> Vec<String> {
        self.claim_type(ty);
        self.variants.get(ty).cloned().unwrap_or_default()
    }

    /// A constant or a static in the device's memory.
    pub fn global(&mut self, global: &'static Global) -> String {
        if let Some((_, name)) = self.globals.iter().find(|(known, _)| std::ptr::eq(*known, global)) {
            return name.clone();
        }
        let name = self.claim(global.name);
        self.globals.push((global, name.clone()));
        name
    }

    /// The next array constant of a name.
    pub fn table(&mut self, name: &'static str) -> String {
        let known = self.tables.get_mut(name).and_then(VecDeque::pop_front);
        known.unwrap_or_else(|| self.claim(name))
    }

    /// The members of a struct whose fields have these names: `0` of a tuple is `_0`.
    ///
    /// C++ lets no member have the name of a type that the struct names too.
    pub fn members<'n>(&self, fields: impl Iterator<Item = &'n str>, kept: &[&str]) -> Vec<String> {
        let mut members: Vec<String> = Vec::new();
        for field in fields {
            let is_taken = |name: &str| {
                kept.contains(&name) || self.type_names.contains(name) || members.iter().any(|m| m == name)
            };
            let numbered = field.starts_with(|c: char| c.is_ascii_digit());
            let wanted = if numbered { format!("_{field}") } else { field.to_owned() };
            let member = names::fresh_inside(&wanted, &is_taken);
            members.push(member);
        }
        members
    }

    /// The member that a field of a struct, a tuple or a variant (`Circle._0`) is.
    pub fn member(&self, ty: &Type, field: &str) -> String {
        match ty {
            Type::Struct(s) => {
                let fields: Vec<&str> = s.fields.iter().map(|f| f.name).collect();
                self.one_of(&fields, field, &[])
            }
            Type::Enum(e) => match field.split_once('.') {
                Some((variant, field)) => self.payload(e, variant, field),
                None => field.to_owned(),
            },
            _ => self.one_of(&[field], field, &[]),
        }
    }

    fn payload(&self, e: &EnumType, variant: &str, field: &str) -> String {
        let variants: Vec<&str> = e.variants.iter().map(|v| v.name).collect();
        let known = e.variants.iter().find(|v| v.name == variant);
        let fields: Vec<&str> = known.iter().flat_map(|v| &v.fields).map(|(name, _)| &**name).collect();
        format!("{}.{}", self.one_of(&variants, variant, &[TAG]), self.one_of(&fields, field, &[]))
    }

    fn one_of(&self, fields: &[&str], field: &str, kept: &[&str]) -> String {
        let members = self.members(fields.iter().copied(), kept);
        let place = fields.iter().position(|name| *name == field);
        place.and_then(|place| members.get(place).cloned()).unwrap_or_else(|| field.to_owned())
    }
}

/// The member of an enum with fields that holds its variant.
pub(super) const TAG: &str = "tag";
