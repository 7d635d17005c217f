//! Lowering of blocks, statements and `let`.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Block, Expr, Ident, Item, Local, Pat, Stmt, Token, Type, parse_quote};

use super::builtin_macros::SharedArray;
use super::inner_function::InnerFunction;
use super::lower::{Lower, Lowered, Name, any_ident, held, see, spanned_group};
use super::pattern::{Binds, assigned_later, names_of};
use super::types::device_type;
use crate::visitor::{Below, Visit};

impl Lower<'_> {
    /// A block; its emitter is an expression of type `ir::Expr`.
    pub fn block(&mut self, block: &Block) -> Lowered {
        let two = self.scoped(|lower| lower.statements(&block.stmts));
        let (witness, emit) = (two.witness, two.emit);
        // rustc reports the same about the block as in the twin.
        let shown = spanned_group(Group::new(Delimiter::Brace, witness), block.brace_token.span.join());
        Lowered { witness: shown.into_token_stream(), emit: quote!({ #emit }) }
    }

    /// Statements in the scope that is open.
    pub fn statements(&mut self, stmts: &[Stmt]) -> Lowered {
        let mut witness = TokenStream::new();
        let mut emit = TokenStream::new();
        let mut has_value = false;
        for (i, stmt) in stmts.iter().enumerate() {
            let last = i + 1 == stmts.len();
            let two = match stmt {
                Stmt::Local(local) => self.let_(local),
                Stmt::Item(item) => self.item(item),
                // A `;` alone.
                Stmt::Expr(Expr::Verbatim(nothing), Some(_)) if nothing.is_empty() => continue,
                Stmt::Expr(expr, None) if last => {
                    has_value = true;
                    let line = self.line(expr.span());
                    let two = self.expr(expr);
                    let value = two.emit;
                    Lowered { witness: two.witness, emit: quote!(#line #value) }
                }
                Stmt::Expr(expr, _) => self.expr_statement(expr),
                Stmt::Macro(mac) if let Some(function) = InnerFunction::of(&mac.mac) => {
                    Lowered { witness: function.witness, emit: function.emit }
                }
                Stmt::Macro(mac) => {
                    let line = self.line(mac.span());
                    let two = self.macro_(&mac.mac);
                    let (w, e) = (two.witness, two.emit);
                    Lowered {
                        witness: quote!(#w;),
                        emit: quote!(#line { let __v = #e; __r.statement(__v); }),
                    }
                }
            };
            witness.extend(two.witness);
            emit.extend(two.emit);
        }
        if !has_value {
            emit.extend(quote!(__r.unit_here()));
        }
        Lowered { witness, emit }
    }

    fn expr_statement(&mut self, expr: &Expr) -> Lowered {
        let line = self.line(expr.span());
        let Lowered { witness, emit } = match expr {
            Expr::Block(block) if block.label.is_none() => self.scope_statement(&block.block),
            other => self.expr(other),
        };
        Lowered { witness: quote!(#witness;), emit: quote!(#line { let __v = #emit; __r.statement(__v); }) }
    }

    /// `{ … }` as a statement keeps its scope in CUDA.
    fn scope_statement(&mut self, block: &Block) -> Lowered {
        let two = self.block(block);
        let emit = two.emit;
        let emit = quote!({ __r.scope_begin(); let __v = #emit; __r.statement(__v); __r.scope_end(); ::warpsmith::ir::Expr::unit() });
        Lowered { witness: two.witness, emit }
    }

    fn item(&mut self, item: &Item) -> Lowered {
        if let Item::Macro(item) = item
            && let Some(InnerFunction { witness, emit, .. }) = InnerFunction::of(&item.mac)
        {
            return Lowered { witness, emit };
        }
        match item {
            Item::Const(c) => {
                self.bind(&c.ident, Name::Comptime);
                if let Some((_, element)) = super::derive_field::slice_in(&c.ty) {
                    let element = element.to_token_stream();
                    let mut message = format!(
                        "a slice that is a constant of a kernel is an array with a length: `&[{element}; N]`"
                    );
                    if let Type::Array(_) = &*c.ty {
                        message.push_str("; slices of several lengths are one array of all elements beside one of their starts: `&ALL[START[i]..START[i + 1]]`");
                    }
                    self.errors.at(&c.ty, message);
                }
                Lowered { witness: c.to_token_stream(), emit: c.to_token_stream() }
            }
            Item::Use(u) => Lowered { witness: u.to_token_stream(), emit: u.to_token_stream() },
            Item::Type(alias) => {
                self.refuse_slice_alias(alias);
                Lowered { witness: alias.to_token_stream(), emit: alias.to_token_stream() }
            }
            other => {
                if let Item::Macro(declared) = other {
                    self.own_macros.extend(declared.ident.as_ref().map(ToString::to_string));
                }
                self.errors.at(
                    other,
                    format!(
                        "only `const`, `use`, `type` and `fn` items may be inside a kernel; {}",
                        outside(other)
                    ),
                );
                Lowered { witness: TokenStream::new(), emit: TokenStream::new() }
            }
        }
    }

    /// `type Row<'a> = &'a [f32];`: what a slice is in a kernel, its tokens tell where they stand.
    fn refuse_slice_alias(&mut self, alias: &syn::ItemType) {
        struct Slices<'a>(Option<&'a Type>);
        impl<'a> Visit<'a> for Slices<'a> {
            fn this(&mut self) -> &mut dyn Visit<'a> {
                self
            }

            fn visit_type(&mut self, ty: &'a Type) {
                match ty {
                    Type::Slice(_) => self.0 = Some(ty),
                    other => syn::visit::visit_type(&mut Below(self), other),
                }
            }
        }
        let mut slices = Slices(None);
        slices.visit_type(&alias.ty);
        if let Some(slice) = slices.0 {
            self.errors.at(slice, "a type that has a slice in it gets no other name inside a kernel; write the type where it is used");
        }
    }

    fn let_(&mut self, local: &Local) -> Lowered {
        let line = self.line(local.let_token.span());
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        let two = match (&local.init, pat) {
            (Some(syn::LocalInit { expr, diverge: Some((_, diverge)), .. }), _) => {
                let annotation = annotation(ty);
                self.let_else(pat, &annotation, expr, diverge)
            }
            (None, _) => self.let_late(pat, ty),
            (Some(init), _) => self.let_init(pat, ty, &init.expr),
        };
        let emit = two.emit;
        Lowered { witness: two.witness, emit: quote!(#line #emit) }
    }

    fn let_late(&mut self, pat: &Pat, ty: Option<&Type>) -> Lowered {
        let (assigned, annotation) = (assigned_later(pat), annotation(ty));
        let mut witness = quote!(let #assigned #annotation = ::warpsmith::__macro::never_called(););
        let mut emit = TokenStream::new();
        // A single name declares a variable, whatever it looks like.
        let names = if let Pat::Ident(name) = pat { vec![&name.ident] } else { names_of(pat) };
        for ident in names {
            let text = ident.to_string();
            let (probe, index) = self.probe(ident.span());
            self.bind(ident, Name::Local);
            let held = held(ident);
            witness.extend(see(&probe, ident));
            emit.extend(quote!(let #held = __r.let_late(#text, __t.ty(#index));));
        }
        Lowered { witness, emit }
    }

    fn let_init(&mut self, pat: &Pat, ty: Option<&Type>, init: &Expr) -> Lowered {
        if let Pat::Ident(name) = pat {
            if let Expr::Macro(mac) = init
                && mac.mac.path.is_ident("shared")
            {
                return self.let_shared(name, &mac.mac);
            }
            if is_dynamic_shared(init) {
                return self.let_dynamic_shared(name, init);
            }
        }
        if let (Pat::Ident(name), Expr::Closure(closure)) = (pat, init) {
            return self.let_closure(name, closure);
        }
        if let (Pat::Ident(name), None) = (pat, ty)
            && self.makes_kept(init)
        {
            return self.let_iterator(name, init);
        }
        let annotation = annotation(ty);
        let (value, hold) = self.scrutinee(init, [pat]);
        let (value_witness, value_emit) = (value.witness, value.emit);
        match pat {
            Pat::Ident(name) if name.subpat.is_none() && name.by_ref.is_none() => {
                let tapped = self.last_tap.take().filter(|_| ty.is_none() && constructs(init));
                let known = ty.map_or_else(|| self.known_value(init), super::signature::known);
                let bound = match written_type(ty, init) {
                    Some(ty) => self.typed_binding(name, ty),
                    None => self.binding(name, &quote!(__v)),
                };
                self.know(&name.ident, known);
                let (mut see, make, ident) = (bound.witness, bound.emit, held(&name.ident));
                // A type that is no device type is blamed where the value is made, and not again.
                if let (Some(value), Some(binding)) = (tapped, self.last_probe()) {
                    see = quote!(::warpsmith::__macro::same(&#binding, &#value););
                }
                Lowered {
                    witness: quote!(let #pat #annotation = #value_witness; #see),
                    emit: quote!(let #ident = { let __v = #value_emit; #make };),
                }
            }
            Pat::Wild(_) => Lowered {
                witness: quote!(let _ #annotation = #value_witness;),
                emit: quote!({ let __v = #value_emit; __r.statement(__v); }),
            },
            _ => {
                let of = self.part_ident();
                let tested = self.pattern(pat, &of, Binds::Variables);
                let (setup, bindings, held) = (tested.setup, tested.bindings, tested.held);
                Lowered {
                    witness: quote!(let #pat #annotation = #value_witness; #held),
                    emit: quote!(let #of = { let __v = #value_emit; #hold }; #setup #bindings),
                }
            }
        }
    }

    /// `let name = |…| …;`
    fn let_closure(&mut self, name: &syn::PatIdent, closure: &syn::ExprClosure) -> Lowered {
        let Lowered { witness, emit } = self.closure(closure);
        let (ident, text) = (held(&name.ident), name.ident.to_string());
        self.bind(&name.ident, Name::Closure);
        Lowered {
            witness: quote!(let #name = #witness;),
            emit: quote!(let #ident = { let __v = #emit; __r.let_closure(#text, __v) };),
        }
    }

    /// `see` for the witness, and the `Local` of a new variable with the value `value`.
    pub fn binding(&mut self, name: &syn::PatIdent, value: &TokenStream) -> Lowered {
        let ident = &name.ident;
        let (text, mutable) = (ident.to_string(), name.mutability.is_some());
        let (probe, index) = self.probe(ident.span());
        self.bind(ident, Name::Local);
        Lowered {
            witness: see(&probe, ident),
            emit: quote!(__r.let_(#text, #mutable, __t.ty(#index), #value)),
        }
    }

    /// [`Lower::binding`] of a variable whose type is written, where a type that is no device type is blamed.
    fn typed_binding(&mut self, name: &syn::PatIdent, ty: &Type) -> Lowered {
        let (ident, ty) = (&name.ident, device_type(ty));
        let (text, mutable) = (ident.to_string(), name.mutability.is_some());
        self.bind(ident, Name::Local);
        let emit = quote!(__r.let_(#text, #mutable, <#ty as ::warpsmith::__macro::DeviceType>::ty(), __v));
        Lowered { witness: TokenStream::new(), emit }
    }

    fn let_shared(&mut self, name: &syn::PatIdent, mac: &syn::Macro) -> Lowered {
        let array: SharedArray = match mac.parse_body() {
            Ok(array) => array,
            Err(error) => {
                self.errors.add(error);
                self.bind(&name.ident, Name::Local);
                return Lowered { witness: TokenStream::new(), emit: TokenStream::new() };
            }
        };
        if let Some(message) = super::foreign_names::host_type(array.elem()) {
            self.errors.at(array.elem(), message);
        }
        self.refuse_runtime_extents(&array);
        let Some(owner) = &array.owner else {
            return self.shared_array(name, &name.ident.to_string(), &array);
        };
        let text = format!("{}_memory", name.ident);
        let mut memory = name.clone();
        memory.ident = Ident::new("__memory", name.ident.span());
        memory.mutability = Some(Token![mut](name.ident.span()));
        let array = self.shared_array(&memory, &text, &array);
        let held = &memory.ident;
        let value = self.let_init(&Pat::Ident(name.clone()), None, &parse_quote!(<#owner>::new(&mut #held)));
        let (array_witness, array_emit, value_witness, value_emit) =
            (array.witness, array.emit, value.witness, value.emit);
        Lowered { witness: quote!(#array_witness #value_witness), emit: quote!(#array_emit #value_emit) }
    }

    fn shared_array(&mut self, name: &syn::PatIdent, text: &str, array: &SharedArray) -> Lowered {
        let (ident, mutability) = (&name.ident, &name.mutability);
        self.bind(ident, Name::Local);
        self.know(ident, super::lower::Known::of_elements(super::signature::known(array.elem())));
        let held = held(ident);
        let (ty, align) = (array.ty(), array.align());
        let extents = array.extents().iter().map(|extent| match self.spelled(extent) {
            Some(spelled) => quote!({ let __n = #spelled; __r.shared_extent(__n) }),
            None => {
                quote!({ __r.evaluated_extent(|| ::warpsmith::__macro::IndexInteger::to_index(#extent)) })
            }
        });
        Lowered {
            witness: quote!(let #mutability #ident: #ty = ::warpsmith::__macro::never_called();),
            emit: quote!(let #held = { let __extents = ::warpsmith::__macro::list([#(#extents),*]); __r.shared(#text, <#ty as ::warpsmith::__macro::DeviceType>::ty(), __extents, #align) };),
        }
    }

    fn refuse_runtime_extents(&mut self, array: &SharedArray) {
        for extent in array.extents() {
            for name in names_in(extent) {
                if self.lookup(&name) == Some(Name::Local) {
                    let message = format!(
                        "`{name}` is known only when the kernel runs; an extent of `shared!` is a constant, a const generic or a `#[comptime]` parameter, or use `dynamic_shared`"
                    );
                    self.errors.at(name, message);
                }
            }
        }
    }

    fn let_dynamic_shared(&mut self, name: &syn::PatIdent, init: &Expr) -> Lowered {
        let (ident, pat) = (&name.ident, name);
        let (text, (probe, index)) = (ident.to_string(), self.probe(ident.span()));
        self.bind(ident, Name::Local);
        let (see, held) = (see(&probe, ident), held(ident));
        Lowered {
            witness: quote!(let #pat = #init; #see),
            emit: quote!(let #held = __r.dynamic_shared(#text, __t.ty(#index));),
        }
    }
}

/// The variables that an expression names.
fn names_in(expr: &Expr) -> Vec<syn::Ident> {
    struct Names(Vec<syn::Ident>);
    impl<'a> Visit<'a> for Names {
        fn this(&mut self) -> &mut dyn Visit<'a> {
            self
        }

        fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
            self.0.extend(path.path.get_ident().cloned());
        }
    }
    let mut names = Names(Vec::new());
    names.visit_expr(expr);
    names.0
}

/// Returns whether an expression is `Name { … }` or `Name(…)`, whose type is witnessed where it is made.
fn constructs(init: &Expr) -> bool {
    match init {
        Expr::Struct(_) => true,
        Expr::Call(call) => matches!(&*call.func, Expr::Path(path) if path.path.segments.last().is_some_and(
            |last| last.ident.to_string().starts_with(char::is_uppercase)
        )),
        _ => false,
    }
}

/// The type of a `let`, as the witness spells it.
fn annotation(ty: Option<&Type>) -> TokenStream {
    match ty {
        Some(ty) => {
            let ty = device_type(ty);
            quote!(: #ty)
        }
        None => TokenStream::new(),
    }
}

/// The type that a `let` spells, in its annotation or in a cast of its value.
fn written_type<'a>(annotation: Option<&'a Type>, init: &'a Expr) -> Option<&'a Type> {
    let ty = match (annotation, init) {
        (Some(ty), _) => ty,
        (None, Expr::Cast(cast)) => &*cast.ty,
        _ => return None,
    };
    let inferred = any_ident(ty.to_token_stream(), &|ident| ident == "_");
    (!inferred).then_some(ty)
}

/// Returns whether an expression is `dynamic_shared::<T>()`.
pub fn is_dynamic_shared(expr: &Expr) -> bool {
    match expr {
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => path.path.segments.last().is_some_and(|s| s.ident == "dynamic_shared"),
            _ => false,
        },
        _ => false,
    }
}

/// What to write for an item outside the kernel.
fn outside(item: &Item) -> &'static str {
    match item {
        Item::Static(_) => {
            "write `#[gpu_static]` above a static outside of the function, or `shared!` for a block's memory"
        }
        Item::Struct(_) | Item::Enum(_) => "move this out of the function, and derive `GpuType`",
        Item::Impl(_) => "move this out of the function, and write `#[gpu_impl]` above it",
        Item::Trait(_) => "move this out of the function, and write `#[gpu_trait]` above it",
        _ => "move this out of the function",
    }
}
