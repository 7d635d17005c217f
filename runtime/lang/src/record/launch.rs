//! Launches of kernels by kernels: the launched kernel becomes part of the module.

use std::any::Any;

use super::{Callee, RecordError, Recorder};
use crate::ir::{
    Effect, Expr, ExprKind, Function, KernelAttributes, KernelId, LaunchOrder, LaunchedKernel, Location,
    Module, NestedGrid, NestedLaunch, Proof, Scalar, StmtKind, Type,
};

/// Kernels of one module at most: a kernel whose comptime values change at every launch never ends.
const MOST_KERNELS: usize = 64;

/// A kernel that a kernel launches.
#[derive(Clone, Copy)]
pub struct KernelCallee {
    name: &'static str,
    /// Names of the comptime parameters, at their places among all.
    comptime: &'static [Option<&'static str>],
    instance: fn(&mut Recorder, &[Expr]) -> Option<KernelId>,
}

/// A method between a kernel's name and `launch`, with its operand.
type Said<'a> = (&'a str, Option<Expr>);

/// A kernel of the module that is being recorded.
pub(super) struct Instance {
    /// A type of the kernel alone.
    comptime: Box<dyn Any>,
    kernel: Option<LaunchedKernel>,
}

/// A kernel that is to be recorded.
pub struct Definition<'a> {
    /// Its name.
    pub name: &'static str,
    /// The settings of its attribute.
    pub attributes: KernelAttributes,
    /// The location of its definition.
    pub at: Location,
    /// Its comptime values, as a type that tells kernels apart.
    pub comptime: Box<dyn Any>,
    /// Whether another kernel's comptime values belong to this kernel and are the same.
    pub same: &'a dyn Fn(&dyn Any) -> bool,
    /// Records the body.
    pub emit: &'a dyn Fn(&mut Recorder),
}

/// Records a kernel and every kernel that it launches.
///
/// # Errors
/// The first construct whose types the kernel language does not support, with its Rust line.
pub fn record(definition: Definition<'_>) -> Result<Module, RecordError> {
    let at = definition.at;
    let mut recorder = Recorder::new();
    recorder.kernel(definition);
    let mut kernels: Vec<LaunchedKernel> = recorder.kernels.into_iter().filter_map(|k| k.kernel).collect();
    if let Some(error) = recorder.error {
        return Err(error);
    }
    if kernels.is_empty() {
        return Err(RecordError::Internal { what: "a kernel without a body", at });
    }
    let LaunchedKernel { function, attributes, .. } = kernels.remove(0);
    Ok(Module {
        functions: recorder.functions,
        kernel: function,
        attributes,
        conditions: Vec::new(),
        fits: Vec::new(),
        read_only: 0,
        short: 0,
        launched: kernels,
        coarsened: None,
    })
}

impl KernelCallee {
    /// The callee of a kernel's name; `instance` records it for comptime values that are constants.
    pub fn new(
        name: &'static str,
        comptime: &'static [Option<&'static str>],
        instance: fn(&mut Recorder, &[Expr]) -> Option<KernelId>,
    ) -> Self {
        Self { name, comptime, instance }
    }
}

impl Recorder {
    /// The kernel for these comptime values, recorded at its first launch.
    pub fn kernel(&mut self, definition: Definition<'_>) -> Option<KernelId> {
        let Definition { name, attributes, at, comptime, same, emit } = definition;
        if let Some(index) = self.kernels.iter().position(|known| same(&*known.comptime)) {
            return Some(KernelId(index as u32));
        }
        if self.kernels.len() == MOST_KERNELS {
            let at = self.location();
            self.fail(RecordError::ManyKernels { kernel: name, limit: MOST_KERNELS, at });
            return None;
        }
        let index = self.kernels.len();
        // The place is taken before the body is recorded, so a kernel that launches itself finds it there.
        self.kernels.push(Instance { comptime, kernel: None });
        let function = self.function(name, Type::Unit, at, emit);
        let function = Function { effect: Effect::Writes, ..function };
        self.kernels[index].kernel = Some(LaunchedKernel { name, function, attributes });
        Some(KernelId(index as u32))
    }

    /// `kernel(args…).setting(…)….launch()`; the operands of the settings follow the arguments.
    pub fn launch(
        &mut self,
        callee: Option<Callee>,
        said: &[(&'static str, bool)],
        operands: Vec<Expr>,
    ) -> Expr {
        let at = self.location();
        let Some(Callee::Kernel(callee)) = callee else {
            self.fail(RecordError::Internal { what: "a launch without a kernel", at });
            return Expr::unit();
        };
        let mut args = operands;
        let given = said.iter().filter(|(_, operand)| *operand).count();
        let mut given = args.split_off(args.len().saturating_sub(given)).into_iter();
        let said = said.iter().map(|(name, operand)| (*name, operand.then(|| given.next()).flatten()));
        let said: Vec<Said<'_>> = said.collect();
        let (comptime, args) = self.split_arguments(&callee, args);
        let Some(kernel) = (callee.instance)(self, &comptime) else {
            self.refuse_comptime(&callee, at);
            return Expr::unit();
        };
        let args = args.into_iter().map(|arg| self.launched_argument(arg)).collect();
        let launch = self.nested(kernel, args, said);
        self.frame().add_effect(Effect::Writes);
        self.push(StmtKind::Launch(Box::new(launch)));
        Expr::unit()
    }

    /// The comptime arguments, which must be constants, and the others.
    fn split_arguments(&mut self, callee: &KernelCallee, args: Vec<Expr>) -> (Vec<Expr>, Vec<Expr>) {
        let at = self.location();
        let (mut comptime, mut runtime) = (Vec::new(), Vec::new());
        for (arg, name) in args.into_iter().zip(callee.comptime) {
            let Some(argument) = *name else {
                runtime.push(arg);
                continue;
            };
            if arg.as_const().is_none() {
                self.fail(RecordError::LaunchedComptime { kernel: callee.name, argument, at });
            }
            comptime.push(arg);
        }
        (comptime, runtime)
    }

    /// A comptime value that no constant of the device gives; anything else has been said already.
    fn refuse_comptime(&mut self, callee: &KernelCallee, at: Location) {
        if let Some(argument) = callee.comptime.iter().copied().flatten().next() {
            self.fail(RecordError::LaunchedComptime { kernel: callee.name, argument, at });
        }
    }

    /// An argument by value is read; a slice stays what it is.
    fn launched_argument(&mut self, arg: Expr) -> Expr {
        match &arg.ty {
            Type::Ref { to, .. } if to.is_described() => arg,
            _ => self.value(arg),
        }
    }

    fn nested(&mut self, kernel: KernelId, args: Vec<Expr>, said: Vec<Said<'_>>) -> NestedLaunch {
        let mut launch = NestedLaunch {
            kernel,
            args,
            grid: NestedGrid::Blocks(Vec::new()),
            block: vec![self.constant(&256u32, None)],
            dynamic_shared: None,
            order: LaunchOrder::Block,
        };
        for (method, operand) in said {
            match (method, operand) {
                ("grid", Some(blocks)) => launch.grid = NestedGrid::Blocks(self.extents(blocks)),
                ("over", Some(items)) => launch.grid = NestedGrid::Items(self.value(items).into()),
                ("block", Some(threads)) => launch.block = self.extents(threads),
                ("dynamic_shared", Some(bytes)) => launch.dynamic_shared = Some(self.value(bytes)),
                ("tail", None) => launch.order = LaunchOrder::Tail,
                ("fire_and_forget", None) => launch.order = LaunchOrder::Free,
                _ => {
                    let at = self.location();
                    self.fail(RecordError::Internal { what: "an unknown method of a launch", at });
                }
            }
        }
        launch
    }

    /// One to three extents: of a number, an array or a tuple.
    fn extents(&mut self, given: Expr) -> Vec<Expr> {
        let given = self.value(given);
        let (count, tuple) = match &given.ty {
            Type::Array(_, n) => (*n, false),
            Type::Tuple(items) => (items.len(), true),
            _ => return vec![self.extent(given)],
        };
        match given.kind {
            ExprKind::ArrayList(items) | ExprKind::Tuple(items) => items,
            _ => {
                let whole = self.bind(given);
                (0..count).map(|i| self.part_of(&whole, i, tuple)).collect()
            }
        }
    }

    fn part_of(&mut self, whole: &Expr, i: usize, tuple: bool) -> Expr {
        if tuple {
            let kind = ExprKind::Field(whole.clone().into(), i.to_string());
            return Expr { kind, ty: Type::U32 };
        }
        let (index, at) = (self.constant(&i, None), self.location());
        let kind =
            ExprKind::Index { base: whole.clone().into(), index: index.into(), at, proof: Proof::Text };
        Expr { kind, ty: Type::U32 }
    }

    /// A constant extent as the `u32` that it is; any other keeps its type.
    fn extent(&mut self, n: Expr) -> Expr {
        match n.as_int() {
            Some(value) if n.ty.scalar() != Some(Scalar::U32) => {
                let value = u32::try_from(value.max(0)).unwrap_or(u32::MAX);
                self.constant(&value, None)
            }
            _ => n,
        }
    }
}

/// The value of a comptime parameter that a constant of the device gives.
pub struct ConstOf<T>(core::marker::PhantomData<T>);

impl<T> ConstOf<T> {
    /// For parameters of type `T`.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self(core::marker::PhantomData)
    }
}

/// The constant of an integer, a `bool`, or an enum with a `repr` and without fields.
pub trait PlainConst<T> {
    /// The value of a constant.
    fn read(&self, constant: &Expr) -> Option<T>;
}

/// No constant, for every other type.
pub trait NoConst<T> {
    /// No value.
    fn read(&self, constant: &Expr) -> Option<T>;
}

impl<T: crate::device_type::GpuType> PlainConst<T> for &ConstOf<T> {
    fn read(&self, constant: &Expr) -> Option<T> {
        let ty = T::ty();
        let plain = match &ty {
            Type::Scalar(scalar) => scalar.is_int() || *scalar == Scalar::Bool,
            Type::Enum(def) => def.is_plain(),
            _ => false,
        };
        if !plain || constant.ty != ty || size_of::<T>() > 8 {
            return None;
        }
        let value = match constant.as_bool() {
            Some(value) => i128::from(value),
            None => constant.as_int()?,
        };
        let bytes = (value as i64).to_le_bytes();
        // SAFETY: the constant has the type `T`: an integer, a `bool`, or the tag of a variant, whose bytes are
        // those of the value; there are at most eight.
        Some(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
    }
}

impl<T> NoConst<T> for ConstOf<T> {
    fn read(&self, _: &Expr) -> Option<T> {
        None
    }
}
