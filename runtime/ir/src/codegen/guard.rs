//! Accesses of memory that are checked on the GPU itself, by the settings of [`GpuChecks`].
//!
//! A checked access prints as a pointer that a function of the prelude returns after its test. The record of written bytes
//! exists at run time only: for the block's shared memory a bit for each byte, in shared memory too; for global memory a
//! byte for each byte of the allocations that have such a shadow.

use super::precedence::{ASSIGNMENT, Text, UNARY};
use super::{Checks, Printer, SiteKind, prelude, shadow};
use crate::ir::{ArgumentAccess, Builtin, Expr, ExprKind, Form, Function, Location, Type, VarKind, visit};

/// The checks of every access on a GPU, besides bounds.
///
/// A check that is off leaves no trace in the CUDA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GpuChecks {
    /// Whether addresses must be multiples of their type's alignment.
    pub alignment: bool,
    /// Whether shared memory, and memory of `Device::alloc_uninit`, must be written before it is read, by byte. A block
    /// with shared memory takes 29,184 bytes more of it; memory of `alloc_uninit` on a device with this check takes twice
    /// its size.
    pub initialisation: bool,
}

impl GpuChecks {
    /// Everything that a GPU can check.
    pub const ALL: Self = Self { alignment: true, initialisation: true };

    /// Bounds alone.
    pub const NONE: Self = Self { alignment: false, initialisation: false };

    /// Returns whether anything is checked.
    pub fn any(self) -> bool {
        self != Self::NONE
    }
}

/// How the memory of a place is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// By the name of a shared array.
    Shared,
    /// By a pointer, which may point anywhere.
    Pointer,
}

impl Printer<'_> {
    /// The checks of accesses.
    pub(super) fn gpu_checks(&self) -> GpuChecks {
        if let Checks::Also(checks) = self.options.checks { checks } else { GpuChecks::NONE }
    }

    /// Returns whether an expression prints a check of an access.
    pub(super) fn is_guarded(&self, e: &Expr) -> bool {
        if !self.gpu_checks().any() {
            return false;
        }
        match &e.kind {
            ExprKind::Builtin { op, args, .. } => args
                .iter()
                .enumerate()
                .any(|(i, arg)| matches!(arg.ty, Type::Ptr { .. }) || takes_pointer(op, i, &arg.ty)),
            ExprKind::Index { .. } | ExprKind::Field(..) | ExprKind::Deref(_) => is_sized(&e.ty),
            _ => false,
        }
    }

    /// A place of memory that is accessed, checked; nothing for what needs no check.
    pub(super) fn guarded(&mut self, place: &Expr, does: ArgumentAccess) -> Option<Text> {
        if !self.gpu_checks().any() || !is_sized(&place.ty) {
            return None;
        }
        let reach = self.reach(place)?;
        if !self.needs_guard(place.ty.align(), reach) {
            return None;
        }
        let text = self.place(place).at(UNARY);
        let pointer = match text.strip_prefix('*') {
            Some(pointer) => pointer.to_owned(),
            None => format!("&{text}"),
        };
        let at = location(place).or(self.function.at)?;
        Some(Text::unary(format!("*{}", self.guard(pointer, place.ty.align(), reach, does, at))))
    }

    /// The memory behind a raw pointer, checked.
    pub(super) fn guarded_pointee(&mut self, pointer: &Expr, does: ArgumentAccess, at: Location) -> Text {
        let place = self.pointee(pointer);
        let Type::Ptr { to, .. } = &pointer.ty else { return place };
        if !self.needs_guard(to.align(), Reach::Pointer) {
            return place;
        }
        let text = place.at(UNARY);
        let address = text.strip_prefix('*').map_or_else(|| format!("&{text}"), str::to_owned);
        Text::unary(format!("*{}", self.guard(address, to.align(), Reach::Pointer, does, at)))
    }

    /// The arguments of a builtin that accesses memory, checked.
    pub(super) fn guarded_arguments(
        &mut self,
        op: &Builtin,
        args: &[Expr],
        mut printed: Vec<Text>,
        at: Location,
    ) -> Vec<Text> {
        if !self.gpu_checks().any() {
            return printed;
        }
        match op.facts.form {
            Form::MatrixRows(matrices) => {
                return self.guarded_rows(op.facts.access(0), matrices, printed, at);
            }
            Form::BoxLoad | Form::BoxLoadToBlocks => return self.loaded_box(op.facts.form, args, printed),
            _ => {}
        }
        for (i, (arg, text)) in args.iter().zip(&mut printed).enumerate() {
            let Type::Ref { to, .. } = &arg.ty else { continue };
            if !takes_pointer(op, i, &arg.ty) || text.text.is_empty() {
                continue;
            }
            let reach = match &arg.kind {
                ExprKind::Ref(place) => self.reach(place),
                _ => Some(Reach::Pointer),
            };
            // The instruction copies all bytes at once, whatever the alignment of the type.
            let align = if op.facts.form == Form::WholeCopy { to.size() } else { to.align() };
            let Some(reach) = reach.map(|reach| if align > to.align() { Reach::Pointer } else { reach })
            else {
                continue;
            };
            if self.needs_guard(align, reach) {
                let pointer = std::mem::replace(text, Text::primary("")).at(ASSIGNMENT);
                let does = self.function.atomic.unwrap_or_else(|| op.facts.access(i));
                *text = Text::primary(self.guard(pointer, align, reach, does, at));
            }
        }
        printed
    }

    /// The arguments of a builtin that takes rows of matrices, the first of which is a lane's row, checked.
    fn guarded_rows(
        &mut self,
        does: ArgumentAccess,
        matrices: u32,
        mut printed: Vec<Text>,
        at: Location,
    ) -> Vec<Text> {
        let Some(row) = printed.first_mut() else { return printed };
        let GpuChecks { alignment, initialisation } = self.gpu_checks();
        let mut pointer = std::mem::replace(row, Text::primary("")).at(ASSIGNMENT);
        let lanes = 8 * matrices;
        if alignment {
            self.need(&prelude::CHECKS);
            self.need(&shadow::ALIGNED_ROW);
            let site = self.site(SiteKind::Aligned, at);
            pointer = format!("ws_aligned_row({pointer}, {lanes}, {site}, ws_fault)");
        }
        if initialisation && does == ArgumentAccess::Read {
            self.need_shadow();
            self.need(&shadow::READABLE_ROW);
            let site = self.site(SiteKind::Unwritten, at);
            pointer = format!("ws_readable_row({pointer}, {lanes}, {site}, ws_fault)");
        } else if initialisation {
            self.need_shadow();
            self.need(&shadow::WRITTEN_ROW);
            pointer = format!("ws_written_row({pointer}, {lanes})");
        }
        *row = Text::primary(pointer);
        printed
    }

    /// The arguments of a copy of a box into a tile, the first of them, which counts as written.
    fn loaded_box(&mut self, form: Form, args: &[Expr], mut printed: Vec<Text>) -> Vec<Text> {
        let map = args.iter().find_map(|arg| {
            let Type::Ref { to, .. } = &arg.ty else { return None };
            if let Type::TensorMap(map) = &**to { Some(map) } else { None }
        });
        let (true, Some(map), Some(tile)) = (self.gpu_checks().initialisation, map, printed.first_mut())
        else {
            return printed;
        };
        let bytes = map.elem.size() * map.extents.iter().product::<usize>();
        let text = std::mem::replace(tile, Text::primary("")).at(ASSIGNMENT);
        self.need_shadow();
        let marks = if form == Form::BoxLoad { &shadow::LOADED } else { &shadow::LOADED_TO_BLOCKS };
        self.need(marks);
        *tile = Text::primary(format!("{}({text}, {bytes}ull)", marks.name));
        printed
    }

    /// An argument of CUDA by hand, which may write what it points to: that counts as written.
    pub(super) fn handed_over(&mut self, arg: &Expr) -> String {
        let Type::Ref { to, mutable: true } = &arg.ty else { return self.plain_argument(arg) };
        if !self.gpu_checks().initialisation || matches!(**to, Type::Image(_) | Type::TensorMap(_)) {
            return self.plain_argument(arg);
        }
        self.need_shadow();
        self.need(&shadow::WRITTEN);
        if !super::slice::is_slice(&arg.ty) {
            return format!("ws_written({}, 1ull)", self.argument(arg));
        }
        let (pointer, extents) = self.slice_parts(arg);
        let count = match **to {
            Type::Shared { rank: 2.., .. } => extents.replace(", ", ") * ("),
            _ => extents.clone(),
        };
        format!("ws_written({pointer}, 1ull * ({count})), {extents}")
    }

    /// Returns whether an access that needs such an alignment is checked.
    fn needs_guard(&self, align: usize, reach: Reach) -> bool {
        let GpuChecks { alignment, initialisation } = self.gpu_checks();
        initialisation || alignment && reach == Reach::Pointer && align > 1
    }

    /// A pointer, after its tests.
    fn guard(
        &mut self,
        mut pointer: String,
        align: usize,
        reach: Reach,
        does: ArgumentAccess,
        at: Location,
    ) -> String {
        if self.gpu_checks().alignment && reach == Reach::Pointer && align > 1 {
            self.need(&prelude::CHECKS);
            let site = self.site(SiteKind::Aligned, at);
            pointer = format!("ws_aligned({pointer}, {align}, {site}, ws_fault)");
        }
        if !self.gpu_checks().initialisation {
            return pointer;
        }
        self.need_shadow();
        if does != ArgumentAccess::Write {
            self.need(&shadow::READABLE);
            let site = self.site(SiteKind::Unwritten, at);
            pointer = format!("ws_readable({pointer}, {site}, ws_fault)");
        }
        if does != ArgumentAccess::Read {
            self.need(&shadow::WRITTEN);
            pointer = format!("ws_written({pointer}, 1ull)");
        }
        pointer
    }

    fn need_shadow(&mut self) {
        self.needs.shadow_table = true;
        self.need(if self.needs.shadow_bytes == 0 { &shadow::NO_SHADOW } else { &shadow::SHADOW });
    }

    /// The shared memory that a block takes for the record of written bytes, in bytes.
    pub(super) fn shadow_bytes(&self) -> usize {
        let is_shared = |function: &Function| {
            let kinds = function.vars.iter().map(|var| &var.kind);
            kinds.into_iter().any(|kind| matches!(kind, VarKind::Shared { .. } | VarKind::DynamicShared))
        };
        // A kernel that a kernel launches has the shared memory that the launch says, and no more.
        let launches = self.module.kernels().any(|(kernel, _)| !super::launch::launched(kernel).is_empty());
        let wanted = self.gpu_checks().initialisation && !launches;
        if wanted && self.module.all_functions().any(is_shared) { shadow::SHADOW_BYTES } else { 0 }
    }

    /// The beginning of a kernel that records written bytes.
    pub(super) fn begin_shadow(&mut self) {
        if self.needs.shadow_bytes == 0 {
            return;
        }
        self.need(&shadow::SHADOW);
        self.function.push("ws_shadow_begin();");
        if self.reaches_other_blocks() {
            self.need(&shadow::SHADOW_CLUSTER);
            self.function.push("ws_shadow_cluster();");
        }
    }

    /// Returns whether a block may access the shared memory of another.
    fn reaches_other_blocks(&self) -> bool {
        let mut found = false;
        for function in self.module.all_functions() {
            visit::exprs(&function.body, &mut |e| {
                let ExprKind::Builtin { op, .. } = &e.kind else { return };
                found |= matches!(op.facts.form, Form::OtherBlock | Form::BoxLoadToBlocks);
            });
        }
        found
    }

    /// How a place is reached; nothing for a variable of the thread, a static or a value.
    fn reach(&self, place: &Expr) -> Option<Reach> {
        match &place.kind {
            ExprKind::Index { base, .. } => match &base.ty {
                Type::Ref { .. } | Type::View { .. } => Some(Reach::Pointer),
                _ => self.reach(base),
            },
            ExprKind::Field(base, _) => self.reach(base),
            ExprKind::Deref(pointer) => match &pointer.kind {
                ExprKind::Ref(place) => self.reach(place),
                _ => Some(Reach::Pointer),
            },
            ExprKind::Var(id) => match self.function.var(*id).kind {
                VarKind::Shared { .. } | VarKind::DynamicShared => Some(Reach::Shared),
                VarKind::Param | VarKind::Local | VarKind::Field { .. } => None,
            },
            _ => None,
        }
    }
}

/// The access of an operation to the place for atomic operations that is its first argument.
pub(super) fn atomic_effect(op: &Builtin) -> Option<ArgumentAccess> {
    (op.by_constant.is_some() && op.by_reference).then(|| op.facts.access(0))
}

/// Returns whether a builtin accesses what its argument at a position points to.
fn takes_pointer(op: &Builtin, position: usize, ty: &Type) -> bool {
    op.facts.access(position) != ArgumentAccess::None && matches!(ty, Type::Ref { to, .. } if is_sized(to))
}

/// Returns whether a place of this type is a value in memory, and not a row of a shared array or a slice.
fn is_sized(ty: &Type) -> bool {
    ty.size() > 0
}

/// The location of an index, or of the innermost index of a place.
fn location(place: &Expr) -> Option<Location> {
    match &place.kind {
        ExprKind::Index { at, .. } => Some(*at),
        ExprKind::Field(base, _) => location(base),
        _ => None,
    }
}
