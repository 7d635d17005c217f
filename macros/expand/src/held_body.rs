//! A copy of a body, by which the witness learns that the body has mistakes. rustc reports them once, since those of
//! the twin are the same, and the witness adds none.
//!
//! rustc checks its types and nothing else. `runtime/lang/src/witness.rs` says how the witness learns of a mistake.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Block, GenericParam, Generics, ReturnType, Signature, parse_quote};

use super::function::twin_signature;
use super::lower::{Name, own_self};
use super::recording::{self, Guard};
use super::signature::{self, Param};
use super::twin::twin;
use super::types::{device_type, elide_lifetimes};

/// The function that gives a body as a closure, whose hidden type is an error if the body has mistakes.
pub struct HeldBody {
    /// The owner of the function.
    pub owner: TokenStream,
    /// Its name.
    pub name: Ident,
    /// Whether it declares the types and constants of the body, which are otherwise the owner's.
    pub generic: bool,
}

impl HeldBody {
    /// A function of `Self`.
    pub fn of(name: Ident) -> Self {
        Self { owner: quote!(Self), name, generic: true }
    }

    /// The function, with the body.
    pub fn function(&self, sig: &Signature, params: &[Param], block: &Block) -> TokenStream {
        let output = match &sig.output {
            ReturnType::Default => quote!(()),
            ReturnType::Type(_, ty) => device_type(ty).to_token_stream(),
        };
        let lets = params.iter().map(|p| {
            let closure = p.kind == Name::Closure && names_closures(&sig.generics);
            let (pat, ty) = (&p.pat, if closure { &p.written } else { &p.ty });
            quote!(let #pat: #ty = ::warpsmith::__macro::never_called();)
        });
        let apart = params.iter().filter_map(|p| {
            let (pat, ident) = (p.destructured.as_ref()?, &p.pat.ident);
            Some(quote!(let #pat = #ident;))
        });
        let renamed = rename(block.to_token_stream());
        // An item of the body with a `self` of its own has been refused.
        let mut block: Block = syn::parse2(renamed).unwrap_or_else(|_| block.clone());
        elide_lifetimes(&mut block);
        let body = twin(&block, Some(sig));
        let missing = (!recording::gives_value(&sig.output, &block))
            .then(|| quote!(::warpsmith::__macro::never_called()));
        let (declaration, quiet) = (self.declaration(sig), signature::quiet());
        quote! {
            #quiet
            #declaration {
                ::warpsmith::__macro::typed(|| -> #output {
                    ::warpsmith::__macro::unreached();
                    #(#lets)*
                    #(#apart)*
                    unsafe { #body #missing }
                })
            }
        }
    }

    /// The function without its body.
    pub fn declaration(&self, sig: &Signature) -> TokenStream {
        let mut generics = self.generics(&sig.generics);
        if names_closures(&sig.generics) {
            let closures = signature::closure_declarations(&twin_signature(sig).generics);
            generics.params.extend(
                closures
                    .into_iter()
                    .map(|closure| -> syn::TypeParam { parse_quote!(#closure) })
                    .map(GenericParam::Type),
            );
        }
        generics.params.push(parse_quote!(__X));
        let (name, (parameters, _, bounds)) = (&self.name, generics.split_for_impl());
        quote!(fn #name #parameters(_: ::core::marker::PhantomData<__X>) -> impl ::core::marker::Sized #bounds)
    }

    /// How a witness names the function; `owner` is what it is a function of, for any item.
    pub fn guard(&self, owner: Option<&TokenStream>, generics: &Generics) -> Guard {
        let mut arguments = signature::arguments(&self.generics(generics));
        let plain = owner.filter(|_| arguments.is_empty());
        if names_closures(generics) {
            arguments.extend(signature::closure_pointers(generics).iter().map(ToTokens::to_token_stream));
        }
        let name = &self.name;
        let plain = plain.filter(|_| arguments.is_empty()).map(|owner| quote!(#owner::#name));
        let owner = &self.owner;
        Guard { path: quote!(#owner::#name::<#(#arguments,)* _>), plain }
    }

    fn generics(&self, generics: &Generics) -> Generics {
        if self.generic { signature::instance_generics(generics) } else { Generics::default() }
    }
}

/// Returns whether closures keep their names: those of types without lifetimes, which the function does not declare.
fn names_closures(generics: &Generics) -> bool {
    generics.lifetimes().next().is_none()
}

/// The tokens with `__self` for `self`, but for the module of that name.
fn rename(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut renamed = TokenStream::new();
    while let Some(token) = tokens.next() {
        let path = matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
        renamed.extend([match token {
            TokenTree::Ident(ident) if ident == "self" && !path => TokenTree::Ident(own_self(ident.span())),
            TokenTree::Group(group) => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), rename(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other,
        }]);
    }
    renamed
}
