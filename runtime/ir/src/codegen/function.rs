//! Functions: parameters, names, and the lines of the body.

use std::collections::{HashMap, HashSet};

use super::known_inside::{Along, Early, Once};
use super::precedence::Text;
use super::{Printer, names};
use crate::ir::{BinaryOp, Expr, Function, LoopId, Module, RangeLoop, Roles, Scalar, Type, VarId, Variable};
use crate::ranges::{FunctionScope, Interval, Kind, Known, lent};

/// The function that is being printed.
#[derive(Default)]
pub(super) struct OpenFunction<'m> {
    /// The function itself.
    pub of: Option<&'m Function>,
    vars: Vec<Variable>,
    names: HashMap<VarId, String>,
    scopes: Vec<HashSet<String>>,
    globals: HashSet<String>,
    lines: Vec<String>,
    depth: usize,
    /// Loops around the statement, innermost last.
    pub loops: Vec<LoopId>,
    /// Labels that some `goto` of the function names.
    pub labels: HashSet<String>,
    /// Arrays that print as those of C.
    pub arrays: HashSet<VarId>,
    /// Counters of half-open ranges: one more than each is still of its type.
    pub below_max: HashSet<VarId>,
    /// The ranges of integers.
    ranges: Option<FunctionScope<'m>>,
    /// The lengths of slices that the body declares: lines that no other line asks for are dropped by their names.
    pub lengths: HashSet<String>,
    /// The names of all other variables so far.
    kept: HashSet<String>,
    /// Whether slices are `__restrict__`.
    pub restrict: bool,
    /// Whether it is a kernel, which has tensor maps by value.
    pub is_kernel: bool,
    /// Of a kernel: the roles of its warpgroups.
    pub roles: Option<Roles>,
    /// Slices that nothing writes while the kernel runs.
    pub read_only: HashSet<VarId>,
    /// Whether the body is the user's own CUDA.
    foreign: bool,
    /// The Rust line that each line of CUDA is mapped to, if any is.
    pub line: Option<crate::ir::Location>,
    /// The statement that is being printed.
    pub at: Option<crate::ir::Location>,
    /// The lambda around, which is compiled with checks and without.
    pub once: Option<Once>,
    /// Indices that a comparison before the loop has shown to be in bounds.
    pub along: Vec<Along>,
    /// Indices of the surrounding statements that have passed their checks, or will have before they are printed.
    pub early: Vec<Early>,
    /// Expressions that were evaluated before the statement or the loop, and the names of their values.
    pub evaluated: Vec<(*const Expr, String)>,
    /// Variables whose address is taken somewhere, or that a closure assigns.
    pub lent: HashSet<VarId>,
    /// Slices whose lengths fit `int`.
    pub short: HashSet<VarId>,
    /// The lengths of parts of slices, of names that keep their values.
    pub parts: HashMap<VarId, Text>,
    /// The access of the atomic operation whose place is being printed.
    pub atomic: Option<crate::ir::ArgumentAccess>,
}

impl<'m> OpenFunction<'m> {
    fn new(module: &'m Module, function: &'m Function, globals: &HashSet<String>) -> Self {
        let kind = Kind { is_kernel: false, lifts: false, most_threads: None };
        Self {
            of: Some(function),
            ranges: Some(FunctionScope::new(&module.functions, function, &function.body, kind)),
            vars: function.vars.clone(),
            arrays: super::arrays::indexed_only(function),
            lent: lent(&function.body),
            globals: if function.foreign.is_some() { HashSet::new() } else { globals.clone() },
            foreign: function.foreign.is_some(),
            scopes: vec![HashSet::new()],
            ..Self::default()
        }
    }

    /// Returns whether a variable is a parameter of the kernel, not of one of its closures.
    pub fn is_kernel_param(&self, id: VarId) -> bool {
        self.is_kernel && self.of.is_some_and(|function| function.params.contains(&id))
    }

    /// The range of an integer; all of its type, if no more is known.
    pub fn interval(&self, e: &Expr) -> Option<Interval> {
        self.ranges.as_ref()?.interval(e)
    }

    /// Returns whether `a op b` is computed without overflow.
    pub fn cannot_overflow(&self, op: BinaryOp, a: &Expr, b: &Expr, scalar: Scalar) -> bool {
        self.ranges.as_ref().is_some_and(|ranges| ranges.cannot_overflow(op, a, b, scalar))
    }

    /// Remembers what a variable is initialised with.
    pub fn define(&mut self, var: VarId, init: &Expr) {
        if let Some(ranges) = &mut self.ranges {
            ranges.define(var, init, &Known::default());
        }
    }

    /// Remembers the values of a counter.
    pub fn count(&mut self, range: &RangeLoop) {
        if let Some(ranges) = &mut self.ranges {
            ranges.count(range);
        }
    }

    /// The variable of an id.
    pub fn var(&self, id: VarId) -> &Variable {
        &self.vars[id.0 as usize]
    }

    /// Returns whether a variable has been declared by now, in a scope that is open.
    pub fn is_declared(&self, id: VarId) -> bool {
        self.names.get(&id).is_some_and(|name| self.is_in_scope(name))
    }

    /// The C++ name of a variable in scope.
    pub fn name(&self, id: VarId) -> String {
        self.names.get(&id).cloned().unwrap_or_else(|| format!("v{}", id.0))
    }

    /// Brings a variable into the open scope; its name.
    pub fn declare(&mut self, id: VarId) -> String {
        let wanted = self.var(id).name.clone();
        if !wanted.is_empty() {
            return self.declare_as(id, &wanted);
        }
        let name = self.temporary();
        self.names.insert(id, name.clone());
        name
    }

    /// The name of a temporary, which no variable of the user's has.
    fn temporary(&mut self) -> String {
        self.reserve_unwanted("t")
    }

    /// Reserves a name in the open scope that no variable of the user's has anywhere.
    pub fn reserve_unwanted(&mut self, wanted: &str) -> String {
        let is_taken = |name: &str| self.is_taken(name) || self.is_wanted(name);
        let name = names::fresh_inside(wanted, &is_taken);
        self.enter(name.clone());
        name
    }

    fn declare_as(&mut self, id: VarId, wanted: &str) -> String {
        // The text of a foreign body says the names as they were written.
        let name = if self.foreign { wanted.to_owned() } else { self.reserve(wanted) };
        self.names.insert(id, name.clone());
        name
    }

    /// Brings a slice into the open scope: its name, and with `_len` behind it that of its length.
    pub fn declare_slice(&mut self, id: VarId) -> String {
        let Variable { name: wanted, ty, .. } = self.var(id);
        let extents = extents(ty);
        let with_extents = |name: &str| {
            let extent_is_taken = |extent: &&str| {
                let extent = format!("{name}_{extent}");
                self.is_in_scope(&extent) || self.kept.contains(&extent)
            };
            self.is_taken(name) || extents.iter().any(extent_is_taken)
        };
        let name = match wanted.as_str() {
            "" => names::fresh_inside("t", &|name| with_extents(name) || self.is_wanted(name)),
            wanted => names::fresh_inside(wanted, &with_extents),
        };
        self.kept.insert(name.clone());
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.clone());
            scope.extend(extents.iter().map(|extent| format!("{name}_{extent}")));
        }
        self.names.insert(id, name.clone());
        name
    }

    /// Returns whether a name means something else here.
    fn is_in_scope(&self, name: &str) -> bool {
        self.globals.contains(name) || self.scopes.iter().any(|scope| scope.contains(name))
    }

    /// Returns whether a name means something else here, or would be taken for the length of a slice.
    fn is_taken(&self, name: &str) -> bool {
        self.is_in_scope(name) || self.lengths.contains(name)
    }

    /// Returns whether a variable of the user's has the name.
    fn is_wanted(&self, name: &str) -> bool {
        self.vars.iter().any(|var| var.name == name)
    }

    /// Reserves a name in the open scope.
    pub fn reserve(&mut self, wanted: &str) -> String {
        let name = names::fresh_inside(wanted, &|name| self.is_taken(name));
        self.enter(name.clone());
        name
    }

    /// Brings an array into the open scope that has a name of the global scope too.
    pub fn declare_linked(&mut self, id: VarId, is_refused: &dyn Fn(&str) -> bool) -> String {
        let name = names::fresh(&self.var(id).name, &|name| self.is_taken(name) || is_refused(name));
        self.enter(name.clone());
        self.names.insert(id, name.clone());
        name
    }

    /// Brings a name into the open scope.
    pub fn enter(&mut self, name: String) {
        self.kept.insert(name.clone());
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name);
        }
    }

    pub fn open_scope(&mut self) {
        self.scopes.push(HashSet::new());
    }

    pub fn close_scope(&mut self) {
        self.scopes.pop();
    }

    /// Adds a line at the current depth.
    pub fn push(&mut self, line: &str) {
        // A statement may print several lines, and `#line` numbers the lines after it upwards.
        if let Some(at) = self.line {
            self.lines.push(format!("#line {} \"{}\"", at.line, at.file.replace('\\', "/")));
        }
        let indent = self.indent();
        self.lines.push(format!("{indent}{line}"));
    }

    /// Opens a brace and a scope.
    pub fn open(&mut self, line: &str) {
        self.push(line);
        self.depth += 1;
        self.open_scope();
    }

    /// Closes both, `line` is `}` and what follows it.
    pub fn close(&mut self, line: &str) {
        self.close_scope();
        self.depth = self.depth.saturating_sub(1);
        self.push(line);
    }

    /// One deeper, in a new scope, after a line that ends in an open brace.
    pub fn deepen(&mut self) {
        self.depth += 1;
        self.open_scope();
    }

    /// The number of lines.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Puts the lines from `start` on into braces.
    pub fn wrap_from(&mut self, start: usize) {
        let indent = self.indent();
        let inner = self.lines.split_off(start);
        self.lines.push(format!("{indent}{{"));
        self.lines.extend(inner.into_iter().map(|l| format!("    {l}")));
        self.lines.push(format!("{indent}}}"));
    }

    /// Returns whether a line from `start` on has a word.
    pub fn mentions(&self, start: usize, word: &str) -> bool {
        self.lines.iter().skip(start).any(|line| line.contains(word))
    }

    /// Takes the lines from `start` on.
    pub fn split_lines(&mut self, start: usize) -> Vec<String> {
        self.lines.split_off(start)
    }

    /// Puts lines back behind the others.
    pub fn extend_lines(&mut self, lines: Vec<String>) {
        self.lines.extend(lines);
    }

    /// White space of the current depth.
    pub fn indent(&self) -> String {
        "    ".repeat(self.depth + 1)
    }

    pub fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    pub fn replace_lines(&mut self, lines: Vec<String>) -> Vec<String> {
        std::mem::replace(&mut self.lines, lines)
    }
}

/// Names of the extents beside the pointer of a slice or shared array.
fn extents(ty: &Type) -> &'static [&'static str] {
    match ty {
        Type::Ref { to, .. } => match **to {
            Type::Shared { rank, .. } => super::slice::extent_names(rank),
            _ => &["len"],
        },
        _ => &["len"],
    }
}

impl<'m> Printer<'m> {
    /// A `__device__` function; closure parameters make it a template.
    pub(super) fn device_function(&mut self, function: &'m Function, name: &str, faulting: bool) -> String {
        self.function = OpenFunction::new(self.module, function, self.symbols.all());
        let closures = function.params.iter().filter(|p| function.var(**p).ty == Type::Closure).count();
        let template = match closures {
            0 => String::new(),
            n => {
                let names: Vec<String> = (0..n).map(|i| format!("class F{i}")).collect();
                format!("template <{}>\n", names.join(", "))
            }
        };
        let ret = self.part_ty(&function.ret);
        let inline = match function.inline {
            Some(true) => "__forceinline__ ",
            Some(false) => "__noinline__ ",
            None => "",
        };
        let signature =
            format!("{template}__device__ {inline}{ret} {name}({})", self.params(function, faulting));
        self.body(function, &signature)
    }

    /// The `__global__` functions: those that are launched, then the module's own.
    pub(super) fn kernels(&mut self) -> Vec<String> {
        let module = self.module;
        let order: Vec<usize> = (0..module.kernels().count()).rev().collect();
        let mut printed = self.launched_before_printed(&order).concat();
        let mut sections = Vec::new();
        for index in order {
            let Some((function, _)) = module.kernels().nth(index) else { continue };
            self.launched =
                index.checked_sub(1).and_then(|i| module.launched.get(i)).map(|kernel| kernel.name);
            let signature = self.kernel_signature(index);
            self.begin_shadow();
            let text = self.body(function, &signature);
            sections.push(std::mem::take(&mut printed) + &text);
        }
        sections
    }

    /// The text before the body of a kernel, whose parameters it opens.
    pub(super) fn kernel_signature(&mut self, index: usize) -> String {
        let Some((function, attributes)) = self.module.kernels().nth(index) else { return String::new() };
        self.function = OpenFunction::new(self.module, function, self.symbols.all());
        self.function.restrict = attributes.noalias;
        self.function.is_kernel = true;
        self.function.roles = attributes.roles;
        if index == 0 {
            let marked = |bits: u64| {
                let positions = function.params.iter().take(64).enumerate();
                positions.filter(|(at, _)| bits >> at & 1 == 1).map(|(_, id)| *id).collect()
            };
            self.function.read_only = marked(self.module.read_only);
            self.function.short = marked(self.module.short);
        }
        let bounds = match (attributes.max_threads, attributes.min_blocks) {
            (Some(threads), Some(blocks)) => format!("__launch_bounds__({threads}, {blocks}) "),
            (Some(threads), None) => format!("__launch_bounds__({threads}) "),
            _ => String::new(),
        };
        let registers = attributes.max_registers.map(|n| format!("__maxnreg__({n}) ")).unwrap_or_default();
        let cluster = attributes.cluster.map(|[x, y, z]| format!("__cluster_dims__({x}, {y}, {z}) "));
        let bounds = format!("{bounds}{registers}{}", cluster.unwrap_or_default());
        let (name, faulting) = (self.symbols.kernels[index].clone(), self.kernels_fault);
        format!("extern \"C\" __global__ void {bounds}{name}({})", self.params(function, faulting))
    }

    fn params(&mut self, function: &Function, faulting: bool) -> String {
        let mut closures = 0;
        let mut printed = Vec::new();
        for id in &function.params {
            if function.var(*id).ty == Type::Closure {
                let name = self.function.declare(*id);
                printed.push(format!("F{closures}&& {name}"));
                closures += 1;
            } else {
                printed.extend(self.given_param(*id));
            }
        }
        if faulting {
            self.need(&super::prelude::CHECKS);
            // The elements of a coarsened kernel each have an address of their own for it.
            let is_kernel = std::ptr::eq(function, &self.module.kernel);
            let name = if is_kernel && self.module.coarsened.is_some() { "ws_record" } else { "ws_fault" };
            printed.push(format!("ws_Fault* {name}"));
        }
        printed.join(", ")
    }

    /// A parameter's declaration; a unit value is not handed over.
    pub(super) fn given_param(&mut self, id: VarId) -> Option<String> {
        (self.function.var(id).ty != Type::Unit).then(|| self.declare_param(id))
    }

    /// A parameter's declaration; a slice is a pointer and a length.
    pub(super) fn declare_param(&mut self, id: VarId) -> String {
        let ty = self.function.var(id).ty.clone();
        let printed = self.ty(&ty);
        match &ty {
            ty if super::slice::is_slice(ty) => {
                let name = self.function.declare_slice(id);
                let extents: String =
                    extents(ty).iter().map(|e| format!(", unsigned long long {name}_{e}")).collect();
                // Only a kernel's own slices are known not to overlap, or not to be written.
                let is_alone = self.function.restrict || self.function.read_only.contains(&id);
                let restrict =
                    if is_alone && self.function.is_kernel_param(id) { "__restrict__ " } else { "" };
                format!("{printed} {restrict}{name}{extents}")
            }
            _ if self.is_map_by_value(id) => {
                let map = self.tensor_map();
                format!("const __grid_constant__ {map} {}", self.function.declare(id))
            }
            _ => format!("{printed} {}", self.function.declare(id)),
        }
    }

    fn body(&mut self, function: &Function, signature: &str) -> String {
        if let Some(foreign) = function.foreign {
            let ret = self.ty(&function.ret);
            let lines: Vec<String> =
                foreign.trim().lines().map(|l| format!("    {}\n", l.replace("{ret}", &ret))).collect();
            return format!("{signature} {{\n{}}}\n", lines.concat());
        }
        if std::ptr::eq(function, &self.module.kernel) {
            self.coarsened_comment();
        }
        self.statements(&function.body);
        let lines = self.function.take_lines();
        let mut text = format!("{signature} {{\n");
        for line in used_lengths(lines, &self.function.lengths) {
            text.push_str(&line);
            text.push('\n');
        }
        text.push_str("}\n");
        text
    }
}

impl Printer<'_> {
    /// The comment that a reader of a coarsened kernel needs.
    fn coarsened_comment(&mut self) {
        if let Some(coarsened) = &self.module.coarsened {
            let elements = coarsened.needs.factor;
            self.function.push(&format!(
                "// {elements} elements a thread: together if none is left out, else one by one."
            ));
        }
    }
}

/// The lines without the lengths of slices that nothing asks for.
fn used_lengths(mut lines: Vec<String>, lengths: &HashSet<String>) -> Vec<String> {
    loop {
        let unused: Vec<String> =
            lengths.iter().filter(|name| !lines.iter().any(|line| asks_for(line, name))).cloned().collect();
        let before = lines.len();
        lines.retain(|line| !unused.iter().any(|name| declares(line, name)));
        // The dropped line may have been the last that needs these.
        if lines.len() == before {
            return lines;
        }
    }
}

/// The text behind the name in a line that declares or assigns a length.
fn declared<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let line = line.trim_start();
    line.strip_prefix("unsigned long long ").unwrap_or(line).strip_prefix(name)
}

fn declares(line: &str, name: &str) -> bool {
    declared(line, name).is_some_and(|rest| rest.starts_with(" = ") || rest.starts_with(';'))
}

/// Returns whether a line names a length other than to declare or assign it.
fn asks_for(line: &str, name: &str) -> bool {
    let text = if declares(line, name) { declared(line, name).unwrap_or(line) } else { line };
    let part_of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + name.len()..].chars().next());
        !before.is_some_and(part_of_a_name) && !after.is_some_and(part_of_a_name)
    })
}
