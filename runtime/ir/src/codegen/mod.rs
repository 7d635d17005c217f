//! Prints a [`ValidModule`] as CUDA C++.
//!
//! Looks at no user tokens and calls no CUDA. The text depends on the module and the [`PrintOptions`]
//! alone, so it is safe to hash. What it needs beyond the language stands in a prelude, printed on demand. Bounds checks and
//! the report of faults are the same for all kernels: they stand in a header (`checks.h`), which [`complete`] puts into the text.

mod affine;
mod alike;
mod arith;
mod arrays;
mod batches;
mod counting;
mod cursors;
mod early;
mod enums;
mod expr;
mod function;
mod guard;
mod half_precision;
mod hoisted;
#[doc(hidden)]
pub mod images;
mod known_inside;
mod launch;
mod literal;
mod loop_head;
mod loops;
mod names;
mod once;
mod precedence;
mod prelude;
mod print;
mod reported;
mod shadow;
mod slice;
mod source;
mod statics;
mod stmt;
mod symbols;
mod template;
pub mod tensor_map;
mod trial;
mod types;
mod vector;

pub use guard::GpuChecks;
#[doc(hidden)]
#[doc(hidden)]
pub use prelude::{ARRAY, SHORT};
pub use prelude::{CHECKS_HEADER, CHECKS_HEADER_NAME, complete};
pub use source::{Ahead, CudaSource, Needs, PrintedLoop, Site, SiteKind};
#[doc(hidden)]
#[doc(hidden)]
pub use types::{plain_type_name, scalar as scalar_name};

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::deep_stack;
use crate::ir::{
    ConstValue, DeclaredShared, Effect, Expr, ExprKind, Extent, FnId, Form, Module, Prelude, Proof, Spelling,
    Type, VarKind, Variable,
};
use crate::validate::ValidModule;

/// The indices that are compared with their lengths, and whether `debug_assert!` is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Checks {
    /// No indices: the author vouches for them.
    #[default]
    None,
    /// The indices that neither the kernel's text proves nor a launch that fulfils these of [`CudaSource::conditions`], a
    /// bit each.
    Lifted(u64),
    /// The indices that the kernel's text does not prove.
    All,
    /// The same, and these of every access.
    Also(GpuChecks),
}

impl Checks {
    /// The checks that are left for a launch that fulfils all of this number of conditions.
    #[doc(hidden)]
    pub fn fulfilling_all(conditions: usize) -> Self {
        match conditions {
            0 => Checks::All,
            n => Checks::Lifted(u64::MAX >> 64usize.saturating_sub(n)),
        }
    }
}

/// How to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PrintOptions {
    /// The indices that are compared with their lengths.
    pub checks: Checks,
    /// Whether `#line` maps each statement to its Rust line.
    pub line_directives: bool,
}

/// Prints a module.
pub fn print(module: &ValidModule, options: &PrintOptions) -> CudaSource {
    deep_stack::run(|| {
        let module = match options.line_directives {
            // A directive names the line of each statement.
            true => Cow::Borrowed(module.module()),
            false => alike::merged(module.module(), options.checks != Checks::None),
        };
        Printer::new(&module, *options).module()
    })
}

/// State while a module is printed: its sections, and what the open function is.
struct Printer<'m> {
    module: &'m Module,
    options: PrintOptions,
    /// Prelude pieces in order of first need.
    prelude: Vec<&'static Prelude>,
    /// Functions of the prelude by which builtins act.
    operations: BTreeSet<String>,
    /// `static constexpr` lines, and the values that may be spelled by name.
    consts: Vec<String>,
    /// What is printed initialises constant memory, so it must be a constant expression of C++.
    initializes: bool,
    named: HashMap<&'static str, Option<(Type, ConstValue)>>,
    structs: Vec<String>,
    /// The types that `structs` defines.
    defined: HashSet<Type>,
    symbols: symbols::Symbols,
    /// Whether the kernels take the fault record.
    kernels_fault: bool,
    /// The launched kernel that is being printed.
    launched: Option<&'static str>,
    faulting: HashSet<u32>,
    /// Functions that are unsafe to call with values that the Rust program never passes: they follow pointers, divide, or loop, or
    /// call such functions.
    wild: HashSet<u32>,
    sites: Vec<Site>,
    needs: Needs,
    loops: Vec<PrintedLoop>,
    /// The offsets of the kernel's arrays in shared memory.
    shared: DeclaredShared,
    dynamic_names: HashMap<String, Type>,
    /// Array constants by name and text, and globals, with their symbols.
    tables: Vec<(String, String)>,
    global_symbols: Vec<(&'static crate::ir::Global, String)>,
    function: function::OpenFunction<'m>,
}

impl<'m> Printer<'m> {
    /// Returns whether an index is compared with its length.
    fn is_checked(&self, proof: Proof) -> bool {
        match (self.options.checks, proof) {
            (Checks::None, _) | (_, Proof::Text) => false,
            (Checks::Lifted(fulfilled), Proof::Launch(needed)) => needed & !fulfilled != 0,
            (Checks::Lifted(_) | Checks::All | Checks::Also(_), _) => true,
        }
    }

    /// Returns whether an assertion is printed.
    fn asserts(&self, debug: bool, proof: Proof) -> bool {
        !debug || self.is_checked(proof)
    }

    /// Returns whether anything is checked.
    fn checks(&self) -> bool {
        self.options.checks != Checks::None
    }

    fn new(module: &'m Module, options: PrintOptions) -> Self {
        let mut printer = Self {
            module,
            options,
            prelude: Vec::new(),
            operations: BTreeSet::new(),
            consts: Vec::new(),
            initializes: false,
            named: HashMap::new(),
            structs: Vec::new(),
            defined: HashSet::new(),
            symbols: symbols::Symbols::default(),
            kernels_fault: false,
            launched: None,
            faulting: HashSet::new(),
            wild: HashSet::new(),
            sites: Vec::new(),
            needs: Needs::default(),
            loops: Vec::new(),
            shared: DeclaredShared::default(),
            dynamic_names: HashMap::new(),
            tables: Vec::new(),
            global_symbols: Vec::new(),
            function: function::OpenFunction::default(),
        };
        printer.collect();
        printer
    }

    /// Walks the module once for what must be known before anything is printed.
    fn collect(&mut self) {
        let module = self.module;
        self.needs.shadow_bytes = self.shadow_bytes();
        for (index, function) in module.functions.iter().enumerate() {
            if self.can_fault(&function.body) {
                self.faulting.insert(index as u32);
            }
            if self.is_wild(&function.body) {
                self.wild.insert(index as u32);
            }
        }
        // One kernel launches another with the record, so all of them take it or none does.
        self.kernels_fault = module.kernels().any(|(kernel, _)| self.can_fault(&kernel.body));
        for function in module.all_functions() {
            crate::ir::visit::exprs(&function.body, &mut |e| self.note(e));
        }
        for function in module.all_functions() {
            let shared = function.vars.iter().filter_map(|var| match &var.kind {
                VarKind::Shared { extents, .. } => Some(extents),
                _ => None,
            });
            shared.flatten().for_each(|extent| self.note_extent(extent));
        }
        for function in module.functions.iter().chain([&module.kernel]) {
            let is_dynamic = |var: &Variable| var.kind == VarKind::DynamicShared;
            self.needs.uses_dynamic_shared |= function.vars.iter().any(is_dynamic);
        }
        self.shared = module
            .declared_shared(&module.kernel)
            .unwrap_or_else(|_| unreachable!("validate::shared lets no module with too many instances pass"));
        self.needs.static_shared_bytes = self.shared.bytes;
        self.needs.shared_padding = self.shared.padding;
        self.needs.large_shared_bytes = self.shared.large_bytes;
        self.needs.max_threads = module.attributes.max_threads;
        self.needs.cluster = module.attributes.cluster;
        self.needs.noalias = module.attributes.noalias;
        self.needs.coarsened = module.coarsened.as_ref().map(|coarsened| coarsened.needs.clone());
        self.needs.launches = module.kernels().any(|(kernel, _)| !launch::launched(kernel).is_empty());
        if module.attributes.cluster.is_some() {
            self.needs.min_compute = self.needs.min_compute.max((9, 0));
        }
        self.symbols = symbols::Symbols::new(module, self.named.keys().copied().collect());
    }

    /// Notes named constants and what builtins ask of the device.
    fn note(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Const(_) => self.note_names(e),
            ExprKind::ArrayRepeat(_, extent) => self.note_extent(extent),
            ExprKind::Global(global) => {
                (global.extents)().iter().for_each(|extent| self.note_extent(extent));
            }
            ExprKind::Builtin { op, .. } => {
                self.needs.min_compute = self.needs.min_compute.max(op.min_compute);
                self.needs.arch_specific |= op.arch_specific;
                self.needs.uses_cluster |= op.effect == Effect::Sync(crate::ir::SyncScope::Cluster);
                self.needs.uses_grid |= op.effect == Effect::Sync(crate::ir::SyncScope::Grid);
            }
            _ => {}
        }
    }

    /// Notes the names that a constant is spelled by.
    fn note_names(&mut self, e: &Expr) {
        e.spelling_parts(&mut |c, ty| {
            if let Spelling::Name(name) = c.spelling {
                let value = Some((ty.clone(), c.value));
                let known = self.named.entry(name).or_insert_with(|| value.clone());
                if *known != value {
                    *known = None;
                }
            }
        });
    }

    fn note_extent(&mut self, extent: &Extent) {
        extent.spelled.iter().for_each(|e| self.note_names(e.before_casts()));
    }

    /// Returns whether running a block may end in a fault: an unproven index, an assertion, a call of such.
    fn can_fault(&self, block: &crate::ir::Block) -> bool {
        let mut found = false;
        crate::ir::visit::exprs(block, &mut |e| found |= self.fails_itself(e));
        crate::ir::visit::stmts(block, &mut |s| {
            found |= matches!(s.kind, crate::ir::StmtKind::Assert { debug, proof, .. } if self.asserts(debug, proof))
                || matches!(s.kind, crate::ir::StmtKind::Launch(_) if self.checks());
        });
        found
    }

    /// Whether evaluating an expression may end in a fault.
    fn may_fail(&self, e: &Expr) -> bool {
        let mut found = false;
        crate::ir::visit::expr(e, &mut |e| found |= self.fails_itself(e));
        found
    }

    /// The same, but for its operands.
    fn fails_itself(&self, e: &Expr) -> bool {
        self.is_guarded(e)
            || match &e.kind {
                ExprKind::Index { proof, .. } | ExprKind::SubSlice { proof, .. } => self.is_checked(*proof),
                ExprKind::Call { function: FnId(id), .. } => self.faulting.contains(id),
                ExprKind::Builtin { op, .. } => self.checks() && op.facts.form == Form::ViewOffset,
                _ => false,
            }
    }

    fn module(&mut self) -> CudaSource {
        let module = self.module;
        let mut functions = Vec::new();
        for (index, function) in module.functions.iter().enumerate() {
            let name = self.symbols.functions[index].clone();
            let faulting = self.faulting.contains(&(index as u32));
            functions.push(self.device_function(function, &name, faulting));
        }
        let kernels = self.kernels();
        self.needs.hidden_memory = self.hidden_memory();
        let mut sections = Vec::new();
        let mut printed = HashSet::new();
        let mut prelude = String::new();
        for piece in &self.prelude {
            self.print_prelude(piece, &mut printed, &mut prelude);
        }
        sections.extend([prelude, self.consts.concat()]);
        sections.extend(self.structs.iter().cloned());
        sections.extend(functions);
        sections.extend(kernels);
        sections.retain(|s| !s.is_empty());
        self.needs.parameter_bytes = module.parameter_bytes() + if self.kernels_fault { 8 } else { 0 };
        CudaSource {
            code: sections.join("\n"),
            kernel_name: self.symbols.kernels[0].clone(),
            sites: std::mem::take(&mut self.sites),
            has_fault_param: self.kernels_fault,
            needs: self.needs.clone(),
            conditions: module.conditions.clone(),
            globals: std::mem::take(&mut self.global_symbols),
            operations: std::mem::take(&mut self.operations),
            functions: self
                .symbols
                .functions
                .iter()
                .cloned()
                .zip(module.functions.iter().map(|f| f.at))
                .collect(),
            loops: std::mem::take(&mut self.loops),
        }
    }

    /// Returns whether a parameter can hold an address beside that of its slice, or a device static is used.
    fn hidden_memory(&self) -> bool {
        let kernel = &self.module.kernel;
        let in_parameter = kernel.params.iter().any(|id| match &kernel.var(*id).ty {
            Type::Ref { to, .. } => match &**to {
                Type::Slice(elem) => elem.holds_address(),
                other => other.holds_address(),
            },
            other => other.holds_address(),
        });
        in_parameter
            || self
                .global_symbols
                .iter()
                .any(|(global, _)| !global.is_constant() || (global.ty)().holds_address())
    }

    fn print_prelude(&self, piece: &'static Prelude, printed: &mut HashSet<&'static str>, out: &mut String) {
        if !printed.insert(piece.name) {
            return;
        }
        for needed in piece.needs {
            self.print_prelude(needed, printed, out);
        }
        if !out.is_empty() {
            out.push('\n');
        }
        match &self.module.coarsened {
            Some(coarsened) if piece.name == prelude::CHECKS.name => {
                out.push_str(&format!("#define ws_elements {}\n{}", coarsened.needs.factor, piece.code));
            }
            _ => out.push_str(piece.code),
        }
    }

    /// Asks for a prelude piece.
    fn need(&mut self, piece: &'static Prelude) {
        if !self.prelude.iter().any(|p| p.name == piece.name) {
            self.prelude.push(piece);
        }
    }
}

#[cfg(test)]
mod tests;
