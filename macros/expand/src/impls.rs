//! `#[gpu_impl]` and `#[gpu_trait]`: methods and associated functions that kernels call.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{
    Generics, ImplItem, ImplItemFn, ItemImpl, ItemTrait, Signature, TraitItem, Type, WherePredicate,
    parse_quote,
};

use super::device_method::{hidden_method, walked_method};
use super::function::{twin_of, twin_signature};
use super::held_body::HeldBody;
use super::plain::PlainForms;
use super::recording::{self, Recording};
use super::signature;
use super::types::{Slices, device_type, twin_type};
use crate::errors::Errors;
use crate::visitor::VisitMut;

/// Expands an `impl` block.
pub fn expand_impl(item: &ItemImpl) -> TokenStream {
    let mut errors = Errors::default();
    let mut item = item.clone();
    PlainForms::default().visit_item_impl_mut(&mut item);
    super::foreign::add_device_bounds(&mut item.generics);
    super::copied::of_block(&mut item);
    let item = &item;
    if let Some((name, method)) = super::foreign::method(item, &mut errors) {
        return super::foreign::expand(item, &name, method);
    }
    if let (Type::Slice(slice), Some(_)) = (&*item.self_ty, &item.trait_) {
        let elem = crate::rustc_span::text(slice.elem.span()).unwrap_or_else(|| "T".to_owned());
        errors.at(&item.self_ty, format!("a slice has no methods of a trait of one's own in a kernel; write the `impl` for `View<'_, {elem}>`, which `View::new(x)` makes of a slice `x`, or a `#[gpu_fn]` that takes `&[{elem}]`"));
        return errors.into_tokens();
    }
    if errors.any() {
        return super::fallback::implementation(item, errors);
    }
    let type_name = type_name(&item.self_ty);
    if type_name.is_none() && item.trait_.is_none() {
        errors.at(&item.self_ty, "`#[gpu_impl]` takes an `impl` of a named type");
        return super::fallback::implementation(item, errors);
    }
    let mut kept = item.clone();
    kept.items.clear();
    let (mut markers, mut records) = (TokenStream::new(), TokenStream::new());
    for part in &item.items {
        match part {
            ImplItem::Fn(method) => {
                let Some(method) = Method::or_stand_in(item, method, &mut errors) else { continue };
                kept.items.push(method.twin());
                // The methods of a trait have markers beside the trait.
                let Some(type_name) = type_name.as_ref().filter(|_| item.trait_.is_none()) else {
                    records.extend(method.recorder());
                    continue;
                };
                markers.extend(method.marker(type_name));
                kept.items.push(ImplItem::Verbatim(method.recorder()));
                kept.items.push(method.witnessed(type_name));
            }
            other => kept.items.push(twin_item(other)),
        }
    }
    let errors = errors.into_tokens();
    match &item.trait_ {
        Some((path, _)) => {
            let (errors, kept) = (errors, with_device_side(kept, path, &records));
            quote!(#errors #kept)
        }
        None => quote!(#errors #kept #markers),
    }
}

/// An item that is no function, as the twin spells it.
pub(super) fn twin_item(item: &ImplItem) -> ImplItem {
    let mut item = item.clone();
    if let ImplItem::Type(associated) = &mut item {
        associated.ty = twin_type(&associated.ty);
    }
    item
}

/// The `impl` of a trait, with the items that record where the trait has `#[gpu_trait]`.
///
/// A macro of the trait's name then passes them on. If a trait has none, the import takes the trait alone, and a macro that
/// drops them comes from the glob: the errors of the calls tell what is missing.
fn with_device_side(mut kept: ItemImpl, path: &syn::Path, records: &TokenStream) -> TokenStream {
    let path = imported(path);
    let implemented = required_name();
    kept.items.push(ImplItem::Verbatim(quote! {
        __device_side! {
            #records
            #[doc(hidden)]
            fn #implemented() {}
        }
    }));
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use ::warpsmith::__macro::missing::items::*;
            const _: () = {
                #[allow(unused_imports)]
                use #path as __device_side;
                #kept
            };
        };
    }
}

/// The types and traits of the prelude, but for traits that are made by `#[gpu_trait]`, as `tests/reference.rs` prints them.
const PRELUDE: &str = include_str!("prelude_types.txt");

/// The path by which an import finds a trait.
///
/// A trait that is named as an item of the prelude is the user's own. An import of the bare name would be ambiguous beside a glob
/// import of the prelude, since a macro has expanded the trait.
fn imported(path: &syn::Path) -> TokenStream {
    let mut path = path.clone();
    if let Some(last) = path.segments.last_mut() {
        last.arguments = syn::PathArguments::None;
    }
    let hides_the_prelude = path.get_ident().is_some_and(|name| PRELUDE.lines().any(|known| name == known));
    if hides_the_prelude { quote!(self::#path) } else { quote!(#path) }
}

/// One function of an `impl` block.
pub(super) struct Method<'a> {
    block: &'a ItemImpl,
    item: ImplItemFn,
    /// The signature, whose generic arguments a call may write.
    shown: Signature,
    recording: Recording,
    /// A copy of the body: if it has mistakes, the witness reports none.
    held_body: TokenStream,
}

impl<'a> Method<'a> {
    pub(super) fn new(block: &'a ItemImpl, item: &ImplItemFn, held: &HeldBody, errors: &mut Errors) -> Self {
        let mut item = item.clone();
        super::iterator_params::refuse(&mut item.sig, errors);
        super::foreign::add_device_bounds(&mut item.sig.generics);
        super::copied::of_function(&mut item.sig);
        super::part_method::refuse_own(&item.sig, errors);
        let shown = item.sig.clone();
        signature::name_impl_params(&mut item.sig);
        let self_ty: Type = parse_quote!(Self);
        let params = signature::params(&item.sig, Some(&self_ty), errors);
        super::body_check::check(&item.block, &params, &item.sig.generics, errors);
        let self_ty = &block.self_ty;
        let inherent = block.trait_.is_none() && block.generics.params.is_empty();
        let guard = held.guard(inherent.then(|| quote!(<#self_ty>)).as_ref(), &item.sig.generics);
        let mut recording =
            recording::recording(&params, &item.sig.output, &item.block, Some(&guard), errors);
        let held_body = held.function(&item.sig, &params, &item.block);
        recording.emitter.extend(recording::of_attributes(&item.attrs));
        Self { block, item, shown, recording, held_body }
    }

    /// The method. A method with mistakes keeps its signature, and its callers see no errors of their own.
    fn or_stand_in(block: &'a ItemImpl, item: &ImplItemFn, errors: &mut Errors) -> Option<Self> {
        let mut own = Errors::default();
        let held = HeldBody::of(held_name(&item.sig.ident));
        let method = Self::new(block, item, &held, &mut own);
        if !own.any() {
            return Some(method);
        }
        errors.append(own);
        let mut empty = item.clone();
        empty.attrs.push(parse_quote!(#[allow(warnings)]));
        empty.block = parse_quote!({ loop {} });
        super::iterator_params::refuse(&mut empty.sig, &mut Errors::default());
        signature::without_impl_result(&mut empty.sig);
        let mut signature = Errors::default();
        let method = Self::new(block, &empty, &held, &mut signature);
        (!signature.any()).then_some(method)
    }

    /// Its name.
    pub(super) fn name(&self) -> &Ident {
        &self.item.sig.ident
    }

    /// The twin.
    pub(super) fn twin(&self) -> ImplItem {
        let mut item = self.item.clone();
        (item.sig, item.block) = twin_of(&self.shown, &self.item.block);
        ImplItem::Fn(item)
    }

    /// The statements that witness and record it.
    pub(super) fn record(&self) -> TokenStream {
        self.recording.record()
    }

    /// The function that holds a copy of the body.
    pub(super) fn held_body(&self) -> &TokenStream {
        &self.held_body
    }

    /// The hidden function that records.
    fn recorder(&self) -> TokenStream {
        let (record, quiet) = (record_name(&self.item.sig.ident), signature::quiet());
        let (generics, body) = (self.own_generics(), self.record());
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let vis = if self.block.trait_.is_some() { quote!() } else { quote!(pub) };
        let held_body = &self.held_body;
        quote! {
            #held_body

            #quiet
            #vis fn #record #impl_generics(__r: &mut ::warpsmith::__macro::Recorder) #where_clause { #body }
        }
    }

    fn own_generics(&self) -> Generics {
        signature::instance_generics(&self.item.sig.generics)
    }

    /// The hidden method that witnesses a call.
    fn witnessed(&self, type_name: &Ident) -> ImplItem {
        let marker = marker_name(type_name, &self.item.sig.ident);
        let arguments = signature::arguments(&self.own_generics());
        let sig = witnessed_signature(&self.shown, &quote!(#marker<Self, #(#arguments),*>));
        let (vis, name) = (&self.item.vis, &self.item.sig.ident);
        ImplItem::Verbatim(hidden_methods(name, &sig, |sig| quote!(#vis #sig)))
    }

    /// The type that stands for an instance of the method.
    fn marker(&self, type_name: &Ident) -> TokenStream {
        let name = &self.item.sig.ident;
        let marker = marker_name(type_name, name);
        let own = self.own_generics();
        let mut all = self.block.generics.clone();
        all.params.extend(own.params.iter().cloned());
        if let Some(clause) = &own.where_clause {
            all.make_where_clause().predicates.extend(clause.predicates.iter().cloned());
        }
        let self_ty = &self.block.self_ty;
        let marker = Marker { name: marker, self_ty: quote!(#self_ty), declared: &own, own: &own, all: &all };
        marker.items(name, &quote!(<#self_ty>))
    }
}

/// The type that stands for an instance of a method.
struct Marker<'a> {
    name: Ident,
    /// The type of the receiver.
    self_ty: TokenStream,
    /// Generics that the marker declares besides the type it is called on.
    declared: &'a Generics,
    /// Generics of the method itself.
    own: &'a Generics,
    /// Generics of the block or trait and of the method.
    all: &'a Generics,
}

impl Marker<'_> {
    /// The struct and its `DeviceFn`; the method's emitter is a function of `owner`.
    fn items(&self, method: &Ident, owner: &TokenStream) -> TokenStream {
        let Self { name, self_ty, declared, own, all } = self;
        let (declarations, types) = signature::bare_declarations(declared);
        let arguments = signature::arguments(declared);
        let own = signature::arguments(own);
        let turbofish = if own.is_empty() { quote!() } else { quote!(::<#(#own),*>) };
        let (impl_generics, _, where_clause) = all.split_for_impl();
        let (record, text, at) = (record_name(method), method.to_string(), signature::location(method));
        let quiet = signature::quiet();
        quote! {
            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            pub struct #name<__S: ?Sized, #(#declarations),*> {
                _generics: ::core::marker::PhantomData<fn() -> (#(#types,)* ::core::marker::PhantomData<__S>,)>,
            }

            #quiet
            impl #impl_generics ::warpsmith::__macro::DeviceFn for #name<#self_ty, #(#arguments),*> #where_clause {
                fn callee() -> ::warpsmith::__macro::Callee {
                    ::warpsmith::__macro::Callee::Device(::warpsmith::__macro::DeviceCallee {
                        key: ::core::any::type_name::<Self>(),
                        name: #text,
                        at: #at,
                        record: #owner::#record #turbofish,
                    })
                }
            }
        }
    }
}

/// Expands a trait.
pub fn expand_trait(item: &ItemTrait) -> TokenStream {
    let mut errors = Errors::default();
    let mut item = item.clone();
    PlainForms::default().visit_item_trait_mut(&mut item);
    super::foreign::add_device_bounds(&mut item.generics);
    let added: Vec<_> = item.supertraits.iter().filter_map(super::foreign::device_bound).collect();
    item.supertraits.extend(added);
    // The `self` argument is a value of the device.
    if item.items.iter().any(|part| matches!(part, TraitItem::Fn(f) if f.sig.receiver().is_some())) {
        item.supertraits.push(parse_quote!(::warpsmith::types::DeviceType));
    }
    // A constant of the type itself, as the zero of a sum, is known where an instance is.
    if item.items.iter().any(|part| matches!(part, TraitItem::Const(c) if is_self(&c.ty))) {
        item.supertraits.push(parse_quote!(::warpsmith::types::Constant));
        item.supertraits.push(parse_quote!(::warpsmith::types::DeviceType<Erased = Self>));
        item.supertraits.push(parse_quote!('static));
    }
    let item = &item;
    let mut kept = item.clone();
    kept.items.clear();
    let mut markers = TokenStream::new();
    for part in &item.items {
        let TraitItem::Fn(method) = part else {
            let mut part = part.clone();
            if let TraitItem::Type(ty) = &mut part {
                super::copied::of_associated(ty);
            }
            kept.items.push(part);
            continue;
        };
        let mut method = method.clone();
        super::foreign::add_device_bounds(&mut method.sig.generics);
        super::copied::of_function(&mut method.sig);
        super::part_method::refuse_own(&method.sig, &mut errors);
        let shown = method.sig.clone();
        signature::name_impl_params(&mut method.sig);
        let name = &method.sig.ident;
        let marker = marker_name(&item.ident, name);
        let own = signature::instance_generics(&method.sig.generics);
        kept.items.extend(trait_items(item, &method, &shown, &marker, &mut errors));
        let trait_name = &item.ident;
        let (_, trait_arguments, _) = item.generics.split_for_impl();
        let mut all = item.generics.clone();
        all.params.insert(item.generics.lifetimes().count(), parse_quote!(__S: #trait_name #trait_arguments));
        all.params.extend(own.params.iter().cloned());
        if let Some(clause) = &own.where_clause {
            let predicates = clause.predicates.iter().cloned().map(of_instance);
            all.make_where_clause().predicates.extend(predicates);
        }
        let mut declared = signature::without_lifetimes(&item.generics);
        declared.params.extend(own.params.iter().cloned());
        let owner = quote!(<__S as #trait_name #trait_arguments>);
        let marker = Marker { name: marker, self_ty: quote!(__S), declared: &declared, own: &own, all: &all };
        markers.extend(marker.items(name, &owner));
    }
    if errors.any() {
        return super::fallback::trait_(item, errors);
    }
    let (vis, name, implemented) = (&item.vis, &item.ident, required_name());
    kept.items.push(TraitItem::Verbatim(quote! {
        #[doc(hidden)]
        fn #implemented() where Self: Sized;
    }));
    quote! {
        #kept
        #[doc(hidden)]
        #[allow(unused_imports)]
        #vis use ::warpsmith::__macro::gpu_trait_items as #name;
        #markers
    }
}

/// Returns whether a type is `Self`.
fn is_self(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("Self"))
}

/// The bound of a trait's method on `Self`, applied to the type that its marker names.
fn of_instance(mut predicate: WherePredicate) -> WherePredicate {
    struct Named;
    impl VisitMut for Named {
        fn this(&mut self) -> &mut dyn VisitMut {
            self
        }

        fn visit_ident_mut(&mut self, ident: &mut Ident) {
            if ident == "Self" {
                *ident = Ident::new("__S", ident.span());
            }
        }
    }
    Named.visit_where_predicate_mut(&mut predicate);
    predicate
}

/// The trait's own function, the hidden one that witnesses it, and the hidden one that records it.
fn trait_items(
    item: &ItemTrait,
    method: &syn::TraitItemFn,
    written: &Signature,
    marker: &Ident,
    errors: &mut Errors,
) -> Vec<TraitItem> {
    let own = signature::instance_generics(&method.sig.generics);
    let mut arguments = signature::arguments(&item.generics);
    arguments.extend(signature::arguments(&own));
    let quiet = signature::quiet();
    let mut shown = method.clone();
    (shown.sig, shown.default) = match &method.default {
        Some(block) => {
            let (sig, block) = twin_of(written, block);
            (sig, Some(block))
        }
        None => (twin_signature(written), None),
    };
    let sig = sized(&witnessed_signature(written, &quote!(#marker<Self, #(#arguments),*>)));
    let held = HeldBody::of(held_name(&method.sig.ident)).declaration(&sized(&method.sig));
    let record = record_name(&method.sig.ident);
    let (impl_generics, _, where_clause) = own.split_for_impl();
    let predicates = where_clause.map(|w| &w.predicates);
    let body = match &method.default {
        None => quote!({ ::warpsmith::__macro::never_called() }),
        Some(block) => {
            let self_ty: Type = parse_quote!(Self);
            let params = signature::params(&method.sig, Some(&self_ty), errors);
            let record = recording::recording(&params, &method.sig.output, block, None, errors).record();
            quote!({ #record })
        }
    };
    vec![
        TraitItem::Fn(shown),
        TraitItem::Verbatim(hidden_methods(&method.sig.ident, &sig, |sig| quote!(#sig))),
        TraitItem::Verbatim(quote!(#quiet #held { ::warpsmith::__macro::typed(()) })),
        TraitItem::Verbatim(quote! {
            #quiet
            fn #record #impl_generics(__r: &mut ::warpsmith::__macro::Recorder) where Self: Sized, #predicates #body
        }),
    ]
}

/// The hidden method of this signature, which witnesses a call of `name`, and the one for a call whose result is walked.
fn hidden_methods(name: &Ident, sig: &Signature, shown: impl Fn(&Signature) -> TokenStream) -> TokenStream {
    let walked = walked_method(name).map(|walked| Signature { ident: walked, ..sig.clone() });
    let (quiet, methods) = (signature::quiet(), [sig].into_iter().chain(&walked).map(shown));
    quote!(#(#quiet #methods { ::warpsmith::__macro::never_called() })*)
}

/// The signature under its hidden name, with the probe that learns the marker.
fn witnessed_signature(sig: &Signature, marker: &TokenStream) -> Signature {
    let mut sig = twin_signature(sig);
    sig.constness = None;
    sig.ident = hidden_method(&sig.ident);
    let probe = quote!(::warpsmith::__macro::FnProbe<#marker>);
    // Beside a parameter, a second reference would leave open what an elided lifetime of the result is.
    sig.inputs.push(match sig.receiver() {
        Some(_) => parse_quote!(__p: &#probe),
        None => parse_quote!(__p: *const #probe),
    });
    Slices.visit_signature_mut(&mut sig);
    sig
}

/// The item that an `impl` of a `#[gpu_trait]` lacks without `#[gpu_impl]`: rustc names it as missing.
fn required_name() -> Ident {
    Ident::new("gpu_impl_above_this_impl", proc_macro2::Span::call_site())
}

/// The hidden method of a method that was refused: its callers see no errors of their own.
pub(super) fn stand_in(sig: &Signature) -> TokenStream {
    let (sig, quiet) =
        (witnessed_signature(sig, &quote!(::warpsmith::__macro::HostFunction<()>)), signature::quiet());
    quote!(#quiet #sig { ::warpsmith::__macro::never_called() })
}

/// The signature for `Self` of a known size.
fn sized(sig: &Signature) -> Signature {
    let mut sig = sig.clone();
    sig.generics.make_where_clause().predicates.push(parse_quote!(Self: Sized));
    sig
}

fn held_name(method: &Ident) -> Ident {
    format_ident!("__gpu_body_{}", method)
}

fn record_name(method: &Ident) -> Ident {
    format_ident!("__gpu_record_{}", method)
}

fn marker_name(owner: &Ident, method: &Ident) -> Ident {
    format_ident!("__gpu_{}_{}", owner, method)
}

fn type_name(ty: &Type) -> Option<Ident> {
    match device_type(ty) {
        Type::Path(path) => path.path.segments.last().map(|s| s.ident.clone()),
        _ => None,
    }
}
