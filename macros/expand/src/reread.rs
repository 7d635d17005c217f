//! Parameters of a twin that refer to memory which other threads write.
//!
//! rustc promises LLVM that nobody else writes what a `&mut` parameter refers to while its function runs. Of shared and global
//! memory that is false: a kernel may wait for another thread, and then read what that thread wrote. rustc promises nothing of a
//! local variable, so each such parameter is bound again, from memory of which LLVM knows nothing.
//!
//! A `&T` is another matter: in Rust nobody writes what it refers to, and rustc itself reads it once.

use quote::format_ident;
use syn::visit;
use syn::{Block, FnArg, Generics, Pat, PatType, Receiver, ReceiverKind, Signature, Stmt, Type, parse_quote};

use super::signature;
use crate::visitor::{Below, Visit};

/// Binds the parameters of a twin again. What is constant waits for nobody.
pub fn bind(sig: &mut Signature, block: &mut Block) {
    if sig.constness.is_some() {
        return;
    }
    let generics = sig.generics.clone();
    let bound = sig.inputs.iter_mut().enumerate().filter_map(|(place, input)| match input {
        FnArg::Receiver(receiver) => own(receiver),
        FnArg::Typed(typed) => refers(&typed.ty, &generics).then(|| again(typed, place))?,
    });
    block.stmts.splice(0..0, bound.collect::<Vec<_>>());
}

/// The statement for a `&mut self`: it needs no more than that its address is known to others.
fn own(receiver: &Receiver) -> Option<Stmt> {
    matches!(receiver.kind, ReceiverKind::Reference(_, _, Some(_)))
        .then(|| parse_quote!(::warpsmith::__macro::reread(&raw const *self);))
}

/// The statement that binds a parameter's pattern.
fn again(typed: &mut PatType, place: usize) -> Option<Stmt> {
    let name = match &*typed.pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => pat.ident.clone(),
        Pat::Wild(_) => return None,
        _ => format_ident!("__parameter{place}"),
    };
    let pat = std::mem::replace(&mut *typed.pat, parse_quote!(#name));
    Some(parse_quote!(let #pat = ::warpsmith::__macro::reread(#name);))
}

/// Returns whether a parameter may hold a `&mut`. That of a slice is to a descriptor, which is the thread's own.
fn refers(ty: &Type, generics: &Generics) -> bool {
    struct Found(bool);
    impl<'a> Visit<'a> for Found {
        fn this(&mut self) -> &mut dyn Visit<'a> {
            self
        }

        fn visit_type_reference(&mut self, ty: &'a syn::TypeReference) {
            self.0 |= ty.mutability.is_some() && !matches!(*ty.elem, Type::Slice(_));
            visit::visit_type(&mut Below(self), &ty.elem);
        }
        fn visit_generic_argument(&mut self, argument: &'a syn::GenericArgument) {
            self.0 |= matches!(argument, syn::GenericArgument::Lifetime(_));
            visit::visit_generic_argument(&mut Below(self), argument);
        }
        fn visit_type_impl_trait(&mut self, _: &'a syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut found = Found(signature::closure_pointer(ty, generics).is_some());
    found.visit_type(ty);
    found.0
}
