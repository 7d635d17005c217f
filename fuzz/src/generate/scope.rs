//! What a piece of generated code may use: variables, loops, functions, and how much more to write.

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
}

/// A loop around the code that is written.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its label.
    pub label: Option<String>,
    /// The type that `break` carries; `None` for loops without a value.
    pub value: Option<Ty>,
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
}

/// What `return` gives.
#[derive(Clone, Debug)]
pub enum Return {
    /// A value of a device function or closure.
    Value(Ty),
    /// Nothing; the kernel first writes a hash.
    Kernel,
}

impl Gen<'_> {
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
        self.vars.push(Var { name: name.to_owned(), ty, mutable, reference: false, constant: false });
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

    fn usable(&self, i: usize) -> bool {
        let name = &self.vars[i].name;
        !self.frozen.contains(&i) && !self.vars[i + 1..].iter().any(|later| later.name == *name)
    }

    fn writable(&self, i: usize) -> bool {
        self.vars[i].mutable && i >= self.write_floor
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

    fn parts(&self, ty: &Ty, path: &mut Path, fits: &impl Fn(&Ty) -> bool, found: &mut Vec<Path>) {
        if fits(ty) {
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
            _ => Vec::new(),
        };
        for (step, inner) in steps {
            path.steps.push(step);
            self.parts(inner, path, fits, found);
            path.steps.pop();
        }
    }

    /// A part as Rust source, with indices that are in bounds.
    pub fn place(&mut self, path: &Path) -> String {
        let var = self.vars[path.var].clone();
        let bare = path.steps.is_empty() || self.random.chance(40);
        let mut text = if var.reference && bare { format!("(*{})", var.name) } else { var.name };
        for step in &path.steps {
            match step {
                Step::Field(name) => text = format!("{text}.{name}"),
                Step::Index(len) => text = format!("{text}[{}]", self.index(*len)),
            }
        }
        text
    }

    /// A random part that `fits`, as Rust source, with its type's variable.
    pub fn pick_place(&mut self, write: bool, fits: impl Fn(&Ty) -> bool) -> Option<(String, Path)> {
        let paths = self.paths(write, fits);
        if paths.is_empty() {
            return None;
        }
        let path = self.random.pick(&paths).clone();
        Some((self.place(&path), path))
    }

    /// The type of a part.
    pub fn type_of(&self, path: &Path) -> Ty {
        let mut ty = self.vars[path.var].ty.clone();
        for step in &path.steps {
            ty = match (ty, step) {
                (Ty::Tuple(items), Step::Field(i)) => items[i.parse::<usize>().unwrap_or(0)].clone(),
                (Ty::Struct(id), Step::Field(name)) => {
                    let fields = &self.structs.0[id].fields;
                    fields.iter().find(|(n, _)| n == name).map_or(Ty::Bool, |(_, t)| t.clone())
                }
                (Ty::Array(elem, _), Step::Index(_)) => *elem,
                (other, _) => other,
            };
        }
        ty
    }
}
