//! What a piece of generated code may use: variables, loops, functions, and how much more to write.

use std::collections::BTreeMap;

use super::types::{Len, Structs, Ty};
use crate::random::Random;

/// An expression as Rust source.
#[derive(Clone, Debug)]
pub struct Expr {
    /// In parentheses wherever an operator may follow.
    pub text: String,
    /// Whether the recorder may fold it: it refuses constant arithmetic that overflows.
    pub constant: bool,
}

impl Expr {
    /// An expression that only the device can compute.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), constant: false }
    }

    /// An expression that may be folded.
    pub fn constant(text: impl Into<String>) -> Self {
        Self { text: text.into(), constant: true }
    }
}

/// A variable in scope.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// Its type; what a reference refers to.
    pub ty: Ty,
    /// Whether it may be assigned.
    pub mutable: bool,
    /// Whether it is a reference, which is read as `*name`.
    pub reference: bool,
    /// Whether it is a value that the recorder knows.
    pub constant: bool,
    /// Whether its integers stay from 1 to 8; heads of loops may then name them.
    pub bounded: bool,
    /// Whether the elements of a slice may be written.
    pub elements: bool,
    /// The least and greatest value, where they are known: it may be an index as it is.
    pub range: Option<(i128, i128)>,
}

impl Var {
    /// A variable that nothing special is known of.
    pub fn new(name: &str, ty: Ty, mutable: bool) -> Self {
        let name = name.to_owned();
        Self {
            name,
            ty,
            mutable,
            reference: false,
            constant: false,
            bounded: false,
            elements: false,
            range: None,
        }
    }

    /// A reference.
    pub fn reference(name: &str, ty: Ty, mutable: bool) -> Self {
        Self { reference: true, ..Self::new(name, ty, mutable) }
    }
}

/// A loop around the code that is written.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its label.
    pub label: Option<String>,
    /// The type that `break` carries; `None` for loops without a value.
    pub value: Option<Ty>,
    /// Whether it is a labelled block, which only a `break` with its label leaves.
    pub block: bool,
}

/// A parameter of a generated device function.
#[derive(Clone, Debug)]
pub enum Passing {
    /// By value.
    Value(Ty),
    /// `&T`
    Shared(Ty),
    /// `&mut T`
    Mutable(Ty),
    /// `Struct { x, y }: &mut Struct`, by the struct's place.
    Pattern(usize),
    /// `&[T]`, `&mut [T]` or `mut s: &[T]`, of at least four elements.
    Slice {
        /// The type of an element.
        elem: Ty,
        /// Whether the function may write them.
        writes: bool,
    },
}

/// A device function that was generated for the kernel.
#[derive(Clone, Debug)]
pub struct Helper {
    /// Its name.
    pub name: String,
    /// Its parameters in order.
    pub params: Vec<Passing>,
    /// Its result.
    pub ret: Ty,
}

/// A step from a variable to a part of it.
#[derive(Clone, Debug)]
pub enum Step {
    /// `.name`
    Field(String),
    /// `[index]`
    Index(Len),
}

/// A part of a variable, before its indices are written.
#[derive(Clone, Debug)]
pub struct Path {
    /// Which variable.
    pub var: usize,
    /// Outermost first.
    pub steps: Vec<Step>,
}

/// The state while one function is written.
pub struct Gen<'r> {
    /// Where choices come from.
    pub random: &'r mut Random,
    /// The structs of the run.
    pub structs: &'r Structs,
    /// Functions that may be called.
    pub helpers: Vec<Helper>,
    /// Variables, innermost last; a later one hides an earlier one of its name.
    pub vars: Vec<Var>,
    /// Variables that may not be named, because a reference to them is alive.
    pub frozen: Vec<usize>,
    /// Variables before this one may not be written: a guard or a closure of `Fn`.
    pub write_floor: usize,
    /// Loops that `break` and `continue` may name.
    pub loops: Vec<Loop>,
    /// What `return` takes: `None` where there is none to write.
    pub returns: Option<Return>,
    /// The const generic in scope, a length of arrays.
    pub param: Option<&'static str>,
    /// How many more nodes to write before only leaves are.
    pub fuel: i32,
    /// Number of the next name.
    pub next: usize,
    /// Bits of `mask` and of `cut` that are in use; `None` where those are not in scope.
    pub holes: Option<Holes>,
    /// How often each production was used.
    pub seen: BTreeMap<&'static str, usize>,
}

/// Bits of a kernel's comptime values that leave something out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Holes {
    /// Statements: bits of `mask`.
    pub statements: usize,
    /// Expressions: bits of `cut`.
    pub expressions: usize,
    /// Bits of `mask` that are kept for later statements.
    pub reserved: usize,
}

/// What `return` gives.
#[derive(Clone, Debug)]
pub enum Return {
    /// A value of a device function or closure.
    Value(Ty),
    /// Nothing; the kernel first writes a hash.
    Kernel,
}

impl<'r> Gen<'r> {
    /// A state in which nothing is in scope.
    pub fn new(random: &'r mut Random, structs: &'r Structs, helpers: Vec<Helper>) -> Self {
        Self {
            random,
            structs,
            helpers,
            vars: Vec::new(),
            frozen: Vec::new(),
            write_floor: 0,
            loops: Vec::new(),
            returns: None,
            param: None,
            fuel: 0,
            next: 0,
            holes: None,
            seen: BTreeMap::new(),
        }
    }
}

impl Gen<'_> {
    /// Counts a production, one of [`super::coverage::PRODUCTIONS`].
    pub fn seen(&mut self, production: &'static str) {
        *self.seen.entry(production).or_default() += 1;
    }

    /// A statement that a bit of `mask` may leave out; it declares nothing that others need.
    pub fn hole(&mut self, text: String) -> String {
        match &mut self.holes {
            Some(holes) if holes.statements < 64 - holes.reserved && !text.is_empty() => {
                let bit = 1u64 << holes.statements;
                holes.statements += 1;
                format!("if mask & {bit:#x} != 0 {{\n{text}\n}}")
            }
            _ => text,
        }
    }

    /// Reserves this number of bits of `mask` for the statements that follow.
    pub fn reserve_holes(&mut self, reserved: usize) {
        if let Some(holes) = &mut self.holes {
            holes.reserved = reserved;
        }
    }

    /// An expression that a bit of `cut` replaces by a simple one.
    pub fn cut(&mut self, long: Expr, short: impl FnOnce(&mut Self) -> Expr) -> Expr {
        let Some(bit) = self.holes.as_ref().map(|h| h.expressions).filter(|bit| *bit < 64) else {
            return long;
        };
        if let Some(holes) = &mut self.holes {
            holes.expressions += 1;
        }
        let (bit, short) = (1u64 << bit, short(self));
        let text = format!("(if cut & {bit:#x} == 0 {{ {} }} else {{ {} }})", long.text, short.text);
        Expr { text, constant: long.constant || short.constant }
    }

    /// Uses up fuel; whether there was some.
    pub fn burn(&mut self) -> bool {
        self.fuel -= 1;
        self.fuel > 0
    }

    /// A name that nothing else has.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// Brings a variable into scope.
    pub fn declare(&mut self, name: &str, ty: Ty, mutable: bool) {
        self.vars.push(Var::new(name, ty, mutable));
    }

    /// Writes in a scope of its own.
    pub fn scoped<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        let (vars, frozen) = (self.vars.len(), self.frozen.len());
        let result = body(self);
        self.vars.truncate(vars);
        self.frozen.truncate(frozen);
        result
    }

    /// Writes where nothing that exists may be assigned.
    pub fn read_only<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        let floor = std::mem::replace(&mut self.write_floor, self.vars.len());
        let result = self.scoped(body);
        self.write_floor = floor;
        result
    }

    /// Writes a function's or closure's body: no loop or `return` around it can be named.
    pub fn apart<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        let (loops, returns) = (std::mem::take(&mut self.loops), self.returns.take());
        let result = self.scoped(body);
        self.loops = loops;
        self.returns = returns;
        result
    }

    /// Returns whether a variable may be named.
    pub fn usable(&self, i: usize) -> bool {
        let name = &self.vars[i].name;
        !self.frozen.contains(&i) && !self.vars[i + 1..].iter().any(|later| later.name == *name)
    }

    /// Returns whether a variable may be changed: assigned, or, a slice, its elements.
    pub fn writable(&self, i: usize) -> bool {
        let var = &self.vars[i];
        let changes = if matches!(var.ty, Ty::Slice(..)) { var.elements } else { var.mutable };
        changes && i >= self.write_floor
    }

    /// Every part of a variable in scope that `fits`.
    pub fn paths(&self, write: bool, fits: impl Fn(&Ty) -> bool) -> Vec<Path> {
        let mut found = Vec::new();
        for i in 0..self.vars.len() {
            if self.usable(i) && (!write || self.writable(i)) {
                self.parts(&self.vars[i].ty, &mut Path { var: i, steps: Vec::new() }, &fits, &mut found);
            }
        }
        found
    }

    /// Every part of a type that `fits`; `path` leads to the type.
    pub fn parts(&self, ty: &Ty, path: &mut Path, fits: &impl Fn(&Ty) -> bool, found: &mut Vec<Path>) {
        if fits(ty) && !(path.steps.is_empty() && matches!(ty, Ty::Slice(..))) {
            found.push(path.clone());
        }
        let steps: Vec<(Step, &Ty)> = match ty {
            Ty::Tuple(items) => {
                items.iter().enumerate().map(|(i, t)| (Step::Field(i.to_string()), t)).collect()
            }
            Ty::Struct(id) => {
                self.structs.0[*id].fields.iter().map(|(name, t)| (Step::Field(name.clone()), t)).collect()
            }
            Ty::Array(elem, len) => vec![(Step::Index(*len), elem)],
            Ty::Slice(elem, least) => vec![(Step::Index(Len::Fixed(*least)), elem)],
            _ => Vec::new(),
        };
        for (step, inner) in steps {
            path.steps.push(step);
            self.parts(inner, path, fits, found);
            path.steps.pop();
        }
    }

    /// A part as Rust source, with indices that are in bounds.
    ///
    /// No index changes the variable itself, and none of a written part reads it: rustc would refuse it.
    pub fn place(&mut self, path: &Path) -> String {
        let var = self.vars[path.var].clone();
        let slice = matches!(var.ty, Ty::Slice(..));
        let bare = path.steps.is_empty() || self.random.chance(40);
        let text = if var.reference && bare && !slice { format!("(*{})", var.name) } else { var.name };
        self.scoped(|g| {
            g.frozen.push(path.var);
            g.steps(text, &path.steps)
        })
    }

    /// A part of what `text` is.
    pub fn steps(&mut self, mut text: String, steps: &[Step]) -> String {
        for step in steps {
            match step {
                Step::Field(name) => text = format!("{text}.{name}"),
                Step::Index(len) => text = format!("{text}[{}]", self.index(*len)),
            }
        }
        text
    }

    /// A random part that `fits`.
    pub fn pick_path(&mut self, write: bool, fits: impl Fn(&Ty) -> bool) -> Option<Path> {
        let paths = self.paths(write, fits);
        if paths.is_empty() { None } else { Some(self.random.pick(&paths).clone()) }
    }

    /// A random part that `fits`, as Rust source; to be written as one likes.
    pub fn pick_place(&mut self, write: bool, fits: impl Fn(&Ty) -> bool) -> Option<(String, Path)> {
        let mut paths = self.paths(write, fits);
        paths.retain(|p| !write || !self.vars[p.var].bounded);
        if paths.is_empty() {
            return None;
        }
        let path = self.random.pick(&paths).clone();
        Some((self.place(&path), path))
    }

    /// The type of a part.
    pub fn type_of(&self, path: &Path) -> Ty {
        self.type_at(self.vars[path.var].ty.clone(), &path.steps)
    }

    /// The type of a part of a type.
    pub fn type_at(&self, mut ty: Ty, steps: &[Step]) -> Ty {
        for step in steps {
            ty = match (ty, step) {
                (Ty::Tuple(items), Step::Field(i)) => items[i.parse::<usize>().unwrap_or(0)].clone(),
                (Ty::Struct(id), Step::Field(name)) => {
                    let fields = &self.structs.0[id].fields;
                    fields.iter().find(|(n, _)| n == name).map_or(Ty::Bool, |(_, t)| t.clone())
                }
                (Ty::Array(elem, _) | Ty::Slice(elem, _), Step::Index(_)) => *elem,
                (other, _) => other,
            };
        }
        ty
    }
}
