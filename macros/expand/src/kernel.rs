//! `#[gpu_kernel]`: a type that records and simulates the kernel, and a function that launches it.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{Expr, FnArg, ItemFn, Lifetime, PatType, ReturnType, Stmt, Type};

use super::images;
use super::lower::Name;
use super::plain::PlainForms;
use super::recording::{self, Guard, Recording};
use super::signature::{self, Param};
use super::twin::twin;
use super::types::{device_type, host_type, twin_type};
use crate::attr::KernelAttr;
use crate::errors::Errors;
use crate::tokens::optional;
use crate::visitor::{Below, Visit, VisitMut};
use syn::visit;

/// Expands a kernel.
pub fn expand(attr: TokenStream, item: &ItemFn) -> TokenStream {
    let mut errors = Errors::default();
    let first = match &item.vis {
        syn::Visibility::Inherited => item.sig.to_token_stream(),
        vis => vis.to_token_stream(),
    };
    let keyword = first.into_iter().next().map_or_else(Span::call_site, |token| token.span());
    if item.sig.receiver().is_some() || super::surroundings::in_an_impl(&item.sig.ident, keyword) {
        let message = "a kernel must be outside of `impl` and `trait`; move it out, and give it what it needs as parameters";
        errors.at(&item.sig.ident, message);
        return errors.into_tokens();
    }
    let mut item = item.clone();
    PlainForms::default().visit_item_fn_mut(&mut item);
    super::foreign_names::replace_types(&mut item, &mut errors);
    signature::name_impl_params(&mut item.sig);
    for param in signature::unbounded(&item.sig.generics) {
        errors.at(param, signature::needs_bound(&param.ident));
    }
    super::foreign::add_device_bounds(&mut item.sig.generics);
    super::copied::of_kernel(&mut item.sig);
    let item = &item;
    let attr = KernelAttr::parse(attr, &parameter_names(item), &mut errors);
    let refused = check(item, &mut errors);
    let mut params = signature::params(&item.sig, None, &mut errors);
    for param in params.iter_mut().filter(|p| !matches!(p.written, Type::Reference(_))) {
        param.by_value = true;
    }
    for pat in params.iter().filter_map(|p| p.destructured.as_ref()) {
        errors.at(pat, "a parameter of a kernel is a single name");
    }
    for param in params.iter().filter(|p| p.kind == Name::Closure) {
        errors.at(&param.pat, "a kernel cannot take a closure; call a `#[gpu_fn]` that takes it");
    }
    if !refused.is_empty() {
        return without_parameters(item, &mut params, &refused, errors);
    }
    super::body_check::check(&item.block, &params, &item.sig.generics, &mut errors);
    let name = &item.sig.ident;
    let plain = item.sig.generics.params.is_empty().then(|| quote!(#name::__twin));
    let guard = Guard { path: quote!(Self::__twin), plain };
    let recording =
        recording::recording(&params, &ReturnType::Default, &item.block, Some(&guard), &mut errors);
    let parts = Parts::new(item, &params);
    if errors.any() {
        return parts.fallback(errors);
    }
    let (kernel_type, kernel_impl) = (parts.kernel_type(), parts.kernel_impl(&attr, &recording));
    let host_fn = parts.host_fn(&parts.make_launch());
    quote!(#kernel_type #kernel_impl #host_fn)
}

/// The names of the parameters.
fn parameter_names(item: &ItemFn) -> Vec<syn::Ident> {
    let name = |input: &FnArg| match input {
        FnArg::Typed(PatType { pat, .. }) => match &**pat {
            syn::Pat::Ident(name) => Some(name.ident.clone()),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    };
    item.sig.inputs.iter().filter_map(name).collect()
}

/// The fallback of a kernel whose parameters cannot be had: its body would only repeat that.
fn without_parameters(item: &ItemFn, params: &mut [Param], refused: &[usize], errors: Errors) -> TokenStream {
    for index in refused {
        if let Some(param) = params.get_mut(*index) {
            param.written = syn::parse_quote!(impl ::core::marker::Sized);
            param.kind = Name::Local;
        }
    }
    Parts::new(item, params).fallback(errors)
}

/// Reports what no kernel has; the result are the parameters that no kernel takes.
fn check(item: &ItemFn, errors: &mut Errors) -> Vec<usize> {
    let mut refused = Vec::new();
    for (i, input) in item.sig.inputs.iter().enumerate() {
        if let FnArg::Typed(typed) = input
            && let Some(message) = refused_parameter(typed)
        {
            errors.at(&typed.ty, message);
            refused.push(i);
        }
    }
    check_result(item, errors);
    refused
}

fn check_result(item: &ItemFn, errors: &mut Errors) {
    if let ReturnType::Type(_, ty) = &item.sig.output {
        return errors.at(ty, "a kernel returns nothing; write results through a `&mut [T]` parameter");
    }
    Returned { errors }.visit_block(&item.block);
    if let Some(Stmt::Expr(value, None)) = item.block.stmts.last()
        && is_value(value)
    {
        errors.at(value, NO_VALUE);
    }
}

const NO_VALUE: &str = "a kernel returns no value; write it to a `&mut [T]` parameter";

/// The reason why a kernel cannot take this parameter, if its type's name shows it.
fn refused_parameter(param: &PatType) -> Option<String> {
    if let Some(message) = super::foreign_names::host_type(&param.ty) {
        return Some(message);
    }
    if let Some(message) = images::refused(&param.ty) {
        return Some(message);
    }
    let comptime = param.attrs.iter().any(|a| a.path().is_ident("comptime"));
    match &*param.ty {
        Type::Reference(reference) if is_slice_of_references(reference) => Some(
            "a slice of references does not exist in device memory; pass one slice of all elements, and where each part starts, or a `View2` of rows".to_owned(),
        ),
        Type::Tuple(tuple) if tuple.elems.iter().any(|elem| matches!(elem, Type::Reference(_) | Type::Slice(_))) => {
            Some("a kernel takes each slice as a parameter of its own; take the tuple apart".to_owned())
        }
        Type::Reference(_) if comptime => Some(
            "a `#[comptime]` parameter is a value that can be compared: an integer, a `bool`, an enum"
                .to_owned(),
        ),
        Type::Path(path) if comptime && (path.path.is_ident("f32") || path.path.is_ident("f64")) => Some(
            "a `#[comptime]` float cannot be compared; pass its bits, and write `f32::from_bits(bits)`"
                .to_owned(),
        ),
        Type::Slice(slice) => {
            let shown = slice.to_token_stream();
            Some(format!("a slice is passed by reference; write `&{shown}` or `&mut {shown}`"))
        }
        ty if images::parameter(ty).is_some() => None,
        Type::Reference(reference) if let Type::Array(array) = &*reference.elem => {
            let shown = |tokens: &dyn ToTokens| crate::rustc_span::text(tokens.span());
            let elem = shown(&array.elem).unwrap_or_else(|| "T".to_owned());
            let len = shown(&array.len).unwrap_or_else(|| "N".to_owned());
            let mutability = reference.mutability.map(|_| "mut ").unwrap_or_default();
            Some(format!("a kernel parameter is a value, `&[T]` or `&mut [T]`; write `&{mutability}[{elem}]`, where `assume(x.len() == {len})` tells the compiler the length"))
        }
        Type::Reference(reference) if !matches!(*reference.elem, Type::Slice(_)) => Some(
            "a kernel parameter is a value, `&[T]` or `&mut [T]`; pass a slice of one element".to_owned(),
        ),
        Type::Path(path) if is_option_of_reference(path) => Some(
            "a kernel parameter cannot be an `Option` of a slice; take the slice and pass an empty one for `None`, or add a `#[comptime]` `bool`".to_owned(),
        ),
        _ => None,
    }
}

/// `&[&T]`
fn is_slice_of_references(reference: &syn::TypeReference) -> bool {
    matches!(&*reference.elem, Type::Slice(slice) if matches!(*slice.elem, Type::Reference(_)))
}

/// `Option<&T>`, `Option<&mut T>`
fn is_option_of_reference(path: &syn::TypePath) -> bool {
    let Some(last) = path.path.segments.last().filter(|s| s.ident == "Option") else { return false };
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return false };
    arguments.args.iter().any(|a| matches!(a, syn::GenericArgument::Type(Type::Reference(_))))
}

/// Returns whether an expression at the end of a kernel is certainly a value.
fn is_value(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Lit(_) | Expr::Index(_) | Expr::Path(_) | Expr::Field(_) | Expr::Cast(_) | Expr::Reference(_)
    )
}

/// Refuses `return` with a value.
struct Returned<'e> {
    errors: &'e mut Errors,
}

impl<'a> Visit<'a> for Returned<'_> {
    fn this(&mut self) -> &mut dyn Visit<'a> {
        self
    }

    fn visit_expr_return(&mut self, e: &'a syn::ExprReturn) {
        match &e.expr {
            Some(value) if is_value(value) => self.errors.at(value, NO_VALUE),
            _ => visit::visit_expr_return(&mut Below(self), e),
        }
    }

    fn visit_expr_closure(&mut self, _: &'a syn::ExprClosure) {}
}

/// The common part of the three expansions of a kernel.
struct Parts<'a> {
    item: &'a ItemFn,
    params: &'a [Param],
    generics: syn::Generics,
    comptime: Vec<&'a Param>,
    runtime: Vec<&'a Param>,
}

impl<'a> Parts<'a> {
    fn new(item: &'a ItemFn, params: &'a [Param]) -> Self {
        let mut generics = signature::without_lifetimes(&item.sig.generics);
        for param in generics.type_params_mut() {
            param.bounds.push(syn::parse_quote!('static));
        }
        let (comptime, runtime) = params.iter().partition(|p| p.kind == Name::Comptime);
        Self { item, params, generics, comptime, runtime }
    }

    fn kernel_type(&self) -> TokenStream {
        let (vis, name) = (&self.item.vis, &self.item.sig.ident);
        let (declarations, types) = signature::bare_declarations(&self.generics);
        let docs = self.item.attrs.iter().filter(|a| a.path().is_ident("doc"));
        quote! {
            #(#docs)*
            #[allow(non_camel_case_types)]
            #vis struct #name<#(#declarations),*> { _generics: ::core::marker::PhantomData<fn() -> (#(#types,)*)> }
        }
    }

    /// The tuples of the comptime parameters and of their types, which stands at the first.
    fn comptime_values(&self) -> (TokenStream, TokenStream) {
        let names = self.comptime.iter().map(|p| &p.pat.ident);
        let types = self.comptime.iter().map(|p| &p.written);
        let mut tuple = Group::new(Delimiter::Parenthesis, quote!(#(#types,)*));
        if let Some(first) = self.comptime.first() {
            tuple.set_span(first.written.span());
        }
        (quote!((#(#names,)*)), quote!(#tuple))
    }

    fn kernel_impl(&self, attr: &KernelAttr, recording: &Recording) -> TokenStream {
        let (vis, name) = (&self.item.vis, &self.item.sig.ident);
        let text = name.to_string();
        let (impl_generics, ty_generics, where_clause) = self.generics.split_for_impl();
        let (values, types) = self.comptime_values();
        let names = self.runtime.iter().map(|p| p.pat.ident.to_string());
        let count = self.runtime.len();
        let record = recording.record();
        let (comptime, constants) = (self.comptime_names(), self.comptime_constants());
        let (attributes, at) = (attr.to_tokens(), signature::location(name));
        let twin = self.twin();
        let (decode, pass) = self.decode();
        let quiet = signature::quiet();
        quote! {
            impl #impl_generics #name #ty_generics #where_clause {
                #[doc(hidden)]
                #[allow(dead_code)]
                #vis fn called_in_a_kernel<__F, __M>(_: __F, _: &::warpsmith::__macro::FnProbe<__M>)
                where
                    (__M,): ::warpsmith::__macro::CalledFromKernels<Self>,
                {
                }

                #twin
            }

            #quiet
            impl #impl_generics ::warpsmith::KernelDefinition for #name #ty_generics #where_clause {
                const NAME: &'static str = #text;
                const PARAMS: &'static [&'static str] = &[#(#names),*];
                type Comptime = #types;
                type Args = [::warpsmith::KernelArg; #count];

                const ATTRIBUTES: ::warpsmith::ir::KernelAttributes = #attributes;
                const AT: ::warpsmith::ir::Location = #at;
                const COMPTIME: &'static [::core::option::Option<&'static str>] = &[#(#comptime),*];

                fn emit(__comptime: &Self::Comptime, __r: &mut ::warpsmith::__macro::Recorder) {
                    let #values = ::core::clone::Clone::clone(__comptime);
                    #record
                }

                fn comptime_of(__given: &[::warpsmith::ir::Expr]) -> ::core::option::Option<Self::Comptime> {
                    use ::warpsmith::__macro::{NoConst as _, PlainConst as _};
                    ::core::option::Option::Some((#(#constants,)*))
                }

                fn run_thread(__comptime: &Self::Comptime, __args: &[::warpsmith::KernelArg]) {
                    let #values = ::core::clone::Clone::clone(__comptime);
                    #decode
                    ::warpsmith::__macro::HasTypes::body(Self::__twin(::core::marker::PhantomData::<()>))(#(#pass),*)
                }
            }
        }
    }

    /// The names of the comptime parameters, at their places among all.
    fn comptime_names(&self) -> Vec<TokenStream> {
        let name = |p: &Param| optional((p.kind == Name::Comptime).then(|| p.pat.ident.to_string()));
        self.params.iter().map(name).collect()
    }

    /// The comptime values that constants of the kernel language give.
    fn comptime_constants(&self) -> Vec<TokenStream> {
        let constant = |(i, p): (usize, &&Param)| {
            let ty = &p.written;
            quote!((&&::warpsmith::__macro::ConstOf::<#ty>::new()).read(__given.get(#i)?)?)
        };
        self.comptime.iter().enumerate().map(constant).collect()
    }

    /// The stand-in for the kernel when it has mistakes.
    fn fallback(&self, errors: Errors) -> TokenStream {
        let host_fn = self.host_fn(&quote!(::core::unimplemented!()));
        super::fallback::kernel(self.item, &self.comptime_values().1, &host_fn, errors)
    }

    /// The twin: a function that gives it as a closure, whose hidden type is an error if the closure has mistakes.
    fn twin(&self) -> TokenStream {
        let (params, body) = (self.twin_params(), twin(&self.item.block, None));
        let types: Vec<_> = self.params.iter().map(|p| twin_type(&p.written)).collect();
        let attrs =
            self.item.attrs.iter().filter(|a| a.path().is_ident("allow") || a.path().is_ident("expect"));
        let mut generics = signature::lifetimes(&self.item.sig.generics);
        generics.params.push(syn::parse_quote!(__X));
        let (generics, _, bounds) = generics.split_for_impl();
        quote! {
            #[inline]
            #(#attrs)*
            fn __twin #generics(_: ::core::marker::PhantomData<__X>) -> impl ::warpsmith::__macro::HasTypes<fn(#(#types),*)> #bounds {
                let __twin: fn(#(#types),*) = |#(#params),*| #body;
                ::warpsmith::__macro::typed(__twin)
            }
        }
    }

    fn twin_params(&self) -> Vec<TokenStream> {
        let param = |p: &Param| {
            let (pat, ty) = (&p.pat, twin_type(&p.written));
            quote!(#pat: #ty)
        };
        self.params.iter().map(param).collect()
    }

    /// Reads the arguments of one simulated thread, and passes them to the twin in order.
    fn decode(&self) -> (TokenStream, Vec<TokenStream>) {
        let mut decode = TokenStream::new();
        for (i, param) in self.runtime.iter().enumerate() {
            let (ident, ty) = (format_ident!("__a{i}"), &param.ty);
            // SAFETY of the expansion: `Launch::new` was given arguments of these very types.
            decode.extend(match slice_element(&param.ty) {
                Some(elem) => {
                    quote!(let mut #ident = unsafe { ::warpsmith::__macro::slice_arg::<#elem>(__args, #i) };)
                }
                None => match images::parameter(&param.ty) {
                    Some(elem) => {
                        quote!(let mut #ident = unsafe { ::warpsmith::__macro::image_arg::<#elem>(__args, #i) };)
                    }
                    None => quote!(let #ident = unsafe { ::warpsmith::__macro::value_arg::<#ty>(__args, #i) };),
                },
            });
        }
        let mut next = 0;
        let pass = self.params.iter().map(|param| {
            if param.kind == Name::Comptime {
                let ident = &param.pat.ident;
                return quote!(#ident);
            }
            let ident = format_ident!("__a{next}");
            next += 1;
            match &param.written {
                Type::Reference(r) if r.mutability.is_some() => quote!(&mut #ident),
                Type::Reference(_) => quote!(&#ident),
                _ => quote!(#ident),
            }
        });
        let pass = pass.collect();
        (decode, pass)
    }

    /// The function that users call to get a launch.
    fn host_fn(&self, body: &TokenStream) -> TokenStream {
        let (vis, name) = (&self.item.vis, &self.item.sig.ident);
        let lifetime = Lifetime::new("'__launch", Span::call_site());
        let declared = self.generics.params.iter();
        let where_clause = &self.generics.where_clause;
        let arguments = signature::arguments(&self.generics);
        let inputs = self.params.iter().map(|p| {
            let (ident, ty) = (&p.pat.ident, host_param(p, &lifetime));
            quote!(#ident: #ty)
        });
        let docs = self.item.attrs.iter().filter(|a| a.path().is_ident("doc"));
        quote! {
            #(#docs)*
            #[must_use = "a launch does nothing until `.launch(&device)`"]
            #[allow(clippy::too_many_arguments)]
            #vis fn #name<#lifetime, #(#declared),*>(#(#inputs),*) -> ::warpsmith::Launch<#lifetime, #name<#(#arguments),*>>
            #where_clause
            { #body }
        }
    }

    /// The launch of the function that users call.
    fn make_launch(&self) -> TokenStream {
        let make = self.runtime.iter().map(|p| {
            let ident = &p.pat.ident;
            match &p.written {
                ty if images::parameter(ty).is_some() => {
                    quote!(::warpsmith::__macro::ImageArg::into_arg(#ident))
                }
                Type::Reference(r) if r.mutability.is_some() => {
                    quote!(::warpsmith::__macro::SliceMutArg::into_arg(#ident))
                }
                Type::Reference(_) => quote!(::warpsmith::__macro::SliceArg::into_arg(#ident)),
                ty => {
                    let ty = device_type(ty);
                    quote! {
                        ::warpsmith::KernelArg::Value((<#ty as ::warpsmith::__macro::GpuType>::__by_value().bytes)(#ident))
                    }
                }
            }
        });
        let values = self.comptime_values().0;
        quote!(::warpsmith::Launch::new(#values, [#(#make),*]))
    }
}

fn host_param(param: &Param, lifetime: &Lifetime) -> TokenStream {
    if let Some(image) = images::parameter(&param.written) {
        let image = images::with_lifetime(&host_type(image, lifetime), lifetime);
        return quote!(impl ::warpsmith::__macro::ImageArg<#lifetime, #image>);
    }
    if let Type::Reference(reference) = &param.written
        && let Type::Slice(slice) = &*reference.elem
    {
        let elem = host_type(&slice.elem, lifetime);
        let argument = match reference.mutability {
            Some(_) => quote!(SliceMutArg),
            None => quote!(SliceArg),
        };
        return quote!(impl ::warpsmith::__macro::#argument<#lifetime, #elem>);
    }
    host_type(&param.written, lifetime).to_token_stream()
}

/// `T` of `&Slice<T>`.
fn slice_element(ty: &Type) -> Option<TokenStream> {
    let Type::Reference(reference) = ty else { return None };
    let Type::Path(path) = &*reference.elem else { return None };
    let last = path.path.segments.last().filter(|s| s.ident == "Slice")?;
    match &last.arguments {
        syn::PathArguments::AngleBracketed(args) => {
            let args = &args.args;
            Some(quote!(#args))
        }
        _ => None,
    }
}
