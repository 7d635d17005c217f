//! `#[derive(GpuType)]`: the layout of a struct or enum, as rustc chose it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Field, Fields, GenericParam, parse_quote};

use super::derive_field::{check_field, check_held, slice_in};
use super::derive_wanted::Wanted;
use crate::errors::Errors;
use crate::visitor::{Below, Visit};
use syn::visit;

/// Expands the derive.
pub fn expand(item: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    check_bounds(item, &mut errors);
    let wanted = Wanted::of(item, &mut errors);
    let tokens = match &item.data {
        Data::Struct(data) => structure(item, &data.fields, wanted.partial_order, &mut errors),
        Data::Enum(data) => super::derive_enum::expand(item, data, wanted.partial_order, &mut errors),
        Data::Union(union) => {
            errors.at(
                union.union_token,
                "a union cannot be a device type; write an enum, or read bytes with `bit_cast`",
            );
            TokenStream::new()
        }
    };
    if errors.any() {
        let (errors, stand_in) = (errors.into_tokens(), stand_in(item));
        return quote!(#errors #stand_in);
    }
    let equality = if wanted.equality { super::derive_enum::equality(item) } else { TokenStream::new() };
    let order = super::derive_order::expand(item, &wanted);
    let bits = if wanted.any_bits { any_bits(item) } else { TokenStream::new() };
    let user = user_type(item);
    // A type that only lacks its `repr` is a device type all the same: one mistake is one error.
    let missing = missing_repr(item).into_tokens();
    quote!(#missing #tokens #equality #order #bits #user)
}

/// A device type without a layout, for a type with mistakes: its users see no errors of their own.
fn stand_in(item: &DeriveInput) -> TokenStream {
    if let Data::Union(_) = item.data {
        return TokenStream::new();
    }
    let name = &item.ident;
    let (impl_generics, ty_generics, where_clause) = item.generics.split_for_impl();
    let [device, mut plain, constant] = [
        quote!(::warpsmith::__macro::DeviceType),
        quote!(::warpsmith::types::GpuType),
        quote!(::warpsmith::types::Constant),
    ]
    .map(|bound| {
        let mut generics = bounded(item, &bound);
        of_themselves(item, &mut generics);
        generics
    });
    let (device, constant) = (device.where_clause, constant.where_clause);
    // A lifetime keeps rustc from asking at once whether the type is `Copy`.
    plain
        .make_where_clause()
        .predicates
        .push(parse_quote!(for<'__a> #name #ty_generics: ::core::marker::Copy));
    let plain = plain.where_clause;
    let erased = erased(item);
    quote! {
        impl #impl_generics ::warpsmith::__macro::DeviceType for #name #ty_generics #device {
            type Erased = #erased;
            const VARIANTS: &'static [&'static [::warpsmith::__macro::ValueLayout]] = &[];
            const LAYOUT: ::warpsmith::__macro::ValueLayout = ::warpsmith::__macro::ValueLayout::of::<()>();
            fn ty() -> ::warpsmith::ir::Type { ::core::unreachable!() }
            unsafe fn from_ir(_: *const u8) -> Self { ::core::unreachable!() }
            unsafe fn to_ir(self, _: *mut u8) { ::core::unreachable!() }
        }
        // SAFETY: the type has a mistake, so no program holds a value of it.
        unsafe impl #impl_generics ::warpsmith::types::GpuType for #name #ty_generics #plain {}
        impl #impl_generics ::warpsmith::types::Constant for #name #ty_generics #constant {
            fn to_expr(&self, _: ::core::option::Option<&'static str>) -> ::warpsmith::ir::Expr { ::core::unreachable!() }
        }
        impl #impl_generics ::warpsmith::__macro::operators::UserType for #name #ty_generics #where_clause {}
    }
}

/// Expands `#[derive(DeviceType)]`: a struct that exists only in kernels, and whose values are moved.
pub fn expand_moved(item: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let Data::Struct(data) = &item.data else {
        errors.at(&item.ident, "`derive(DeviceType)` is for structs; an enum derives `GpuType`");
        return errors.into_tokens();
    };
    let fields = &data.fields;
    let refers = |f: &&Field| matches!(f.ty, syn::Type::Reference(_)) && slice_in(&f.ty).is_none();
    fields.iter().filter(|f| !refers(f)).for_each(|f| check_field(f, &mut errors));
    if errors.any() {
        let (errors, stand_in) = (errors.into_tokens(), stand_in(item));
        return quote!(#errors #stand_in);
    }
    let (missing, device, user) =
        (missing_repr(item).into_tokens(), device_type(item, fields, false), user_type(item));
    let never_dropped = never_dropped(item);
    quote!(#missing #device #user #never_dropped)
}

/// Refuses an `impl Drop`, which a kernel would not run.
fn never_dropped(item: &DeriveInput) -> TokenStream {
    let name = &item.ident;
    let (impl_generics, ty_generics, where_clause) = item.generics.split_for_impl();
    quote! {
        const _: () = {
            trait KernelsRunNoDrop {}
            #[allow(drop_bounds, clippy::drop_bounds)]
            impl<__T: ::core::ops::Drop> KernelsRunNoDrop for __T {}
            impl #impl_generics KernelsRunNoDrop for #name #ty_generics #where_clause {}
        };
    }
}

/// The parameters of a stand-in are types without lifetimes, which meet the user's bounds as they are.
fn of_themselves(item: &DeriveInput, generics: &mut syn::Generics) {
    for param in item.generics.type_params().filter(|param| !is_phantom(item, &param.ident)) {
        let name = &param.ident;
        let bound = parse_quote!(#name: ::warpsmith::__macro::DeviceType<Erased = #name> + 'static);
        generics.make_where_clause().predicates.push(bound);
    }
}

/// Refuses bounds that a parameter's type with `'static` lifetimes is not known to meet. A trait of the library or of the user's
/// own beside them tells that it is the same type.
fn check_bounds(item: &DeriveInput, errors: &mut Errors) {
    const ALONE: [&str; 9] =
        ["GpuType", "Copy", "Clone", "Default", "PartialEq", "PartialOrd", "Eq", "Ord", "Debug"];
    let is_alone = |bound: &syn::TypeParamBound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| ALONE.iter().any(|name| last.ident == name))
        }
        _ => false,
    };
    for param in item.generics.type_params().filter(|param| !is_phantom(item, &param.ident)) {
        if let Some(first) = param.bounds.first()
            && param.bounds.iter().all(is_alone)
        {
            let name = &param.ident;
            errors.at(
                first,
                format!("a struct in a kernel needs no such bound; write `{name}`, and the bound where functions use the struct"),
            );
        }
    }
}

/// `AnyBits`, and the checks that every field is and that nothing lies between them.
fn any_bits(item: &DeriveInput) -> TokenStream {
    let (name, Data::Struct(data)) = (&item.ident, &item.data) else { return TokenStream::new() };
    let types: Vec<&syn::Type> = data.fields.iter().map(|f| &f.ty).collect();
    let filled = quote!(assert!(
        ::core::mem::size_of::<Self>() == 0 #(+ ::core::mem::size_of::<#types>())*,
        "`#[gpu(AnyBits)]` is for structs without padding: add a field for the bytes between or after the others",
    ));
    let bounds = types.iter().map(|ty| {
        let any_bits = quote_spanned!(ty.span().resolved_at(proc_macro2::Span::call_site())=> ::warpsmith::types::AnyBits);
        quote!(#ty: #any_bits)
    });
    let (impl_generics, ty_generics, where_clause) = item.generics.split_for_impl();
    let own = where_clause.map(|clause| &clause.predicates).into_iter().flatten();
    // A generic struct is checked once an instance, where memory is read as one.
    let at_once = item
        .generics
        .params
        .is_empty()
        .then(|| quote!(const _: () = <#name as ::warpsmith::types::AnyBits>::FILLED;));
    quote! {
        // SAFETY: every field is any bits, and the fields are all there is.
        unsafe impl #impl_generics ::warpsmith::types::AnyBits for #name #ty_generics
        where
            Self: ::warpsmith::types::GpuType,
            #(#bounds,)*
            #(#own,)*
        {
            const FILLED: () = #filled;
        }
        #at_once
    }
}

/// Marks the type as one whose operators need `#[gpu_impl]`.
fn user_type(item: &DeriveInput) -> TokenStream {
    let name = &item.ident;
    let (impl_generics, ty_generics, where_clause) = item.generics.split_for_impl();
    quote! {
        impl #impl_generics ::warpsmith::__macro::operators::UserType for #name #ty_generics #where_clause {}
    }
}

/// The value of `#[repr(...)]`: `C`, `u8`, ….
pub fn representation(item: &DeriveInput) -> Vec<String> {
    let mut found = Vec::new();
    for attr in item.attrs.iter().filter(|a| a.path().is_ident("repr")) {
        // rustc itself refuses what does not parse.
        let _ = attr.parse_nested_meta(|meta| {
            if let Some(ident) = meta.path.get_ident() {
                found.push(ident.to_string());
            }
            if meta.input.peek(syn::token::Paren) {
                let inner;
                syn::parenthesized!(inner in meta.input);
                inner.parse::<TokenStream>()?;
            }
            Ok(())
        });
    }
    found
}

/// Refuses a struct whose layout is not C's; without fields there is none to agree on.
fn missing_repr(item: &DeriveInput) -> Errors {
    let mut errors = Errors::default();
    let known = || representation(item).iter().any(|r| r == "C" || r == "transparent");
    if let Data::Struct(data) = &item.data
        && !data.fields.is_empty()
        && !known()
    {
        errors.at(&item.ident, "a device struct needs `#[repr(C)]`, so that CUDA lays it out as Rust does");
    }
    errors
}

fn structure(item: &DeriveInput, fields: &Fields, by_fields: bool, errors: &mut Errors) -> TokenStream {
    fields.iter().for_each(|f| check_field(f, errors));
    fields.iter().for_each(|f| check_held(f, errors));
    let device = device_type(item, fields, by_fields);
    let constant = constant_impl(item, fields);
    let plain = plain_impl(item, fields.iter());
    let plain = if fields.is_empty() { TokenStream::new() } else { plain };
    quote!(#device #plain #constant)
}

/// `DeviceType` of a struct, which may be ordered by its fields.
pub fn device_type(item: &DeriveInput, fields: &Fields, by_fields: bool) -> TokenStream {
    let name = &item.ident;
    let generics = bounded(item, &quote!(::warpsmith::__macro::DeviceType));
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let (erased, text, arguments) = (erased(item), name.to_string(), argument_names(item));
    let members: Vec<syn::Member> = fields.members().collect();
    let field_types = fields.iter().zip(&members).enumerate().map(|(index, (f, member))| {
        let ty = &f.ty;
        let text = member.to_token_stream().to_string();
        quote_spanned! {ty.span().resolved_at(proc_macro2::Span::call_site())=>
            ::warpsmith::ir::FieldType {
                name: #text,
                ty: <#ty as ::warpsmith::__macro::DeviceType>::ty(),
                offset: if Self::LAYOUT.as_in_rust {
                    ::core::mem::offset_of!(Self, #member)
                } else {
                    ::warpsmith::__macro::ValueLayout::offset(Self::VARIANTS[0], #index)
                },
            }
        }
    });
    let values = values(fields);
    with_stand_ins(&quote! {
        impl #impl_generics ::warpsmith::__macro::DeviceType for #name #ty_generics #where_clause {
            type Erased = #erased;
            fn ty() -> ::warpsmith::ir::Type {
                ::warpsmith::__macro::struct_type(
                    #text,
                    &[#(#arguments),*],
                    ::warpsmith::__macro::list([#(#field_types),*]),
                    Self::LAYOUT.size,
                    Self::LAYOUT.align,
                    #by_fields,
                )
            }
            #values
        }
    })
}

/// Items that name `Field`s: a type that is none of the device's has stand-ins there, and one item reports it.
pub fn with_stand_ins(items: &TokenStream) -> TokenStream {
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use ::warpsmith::__macro::NoField as _;
            #items
        };
    }
}

/// How values of a struct are laid out in the IR, read and written.
fn values(fields: &Fields) -> TokenStream {
    let layouts = layouts(fields);
    let members: Vec<syn::Member> = fields.members().collect();
    let types: Vec<_> = fields.iter().map(|f| &f.ty).collect();
    let offsets: Vec<_> = (0..members.len())
        .map(|i| quote!(const { ::warpsmith::__macro::ValueLayout::offset(Self::VARIANTS[0], #i) }))
        .collect();
    quote! {
        const VARIANTS: &'static [&'static [::warpsmith::__macro::ValueLayout]] = &[#layouts];
        const LAYOUT: ::warpsmith::__macro::ValueLayout =
            ::warpsmith::__macro::ValueLayout::structure::<Self>(Self::VARIANTS[0]);

        #[inline]
        unsafe fn from_ir(__at: *const u8) -> Self {
            if const { Self::LAYOUT.as_in_rust } {
                // SAFETY: as promised by the caller; the type is laid out as in Rust.
                return unsafe { __at.cast::<Self>().read_unaligned() };
            }
            // SAFETY: the fields are where the layout says.
            Self { #(#members: unsafe { ::warpsmith::__macro::Field::<#types>::from_ir(__at.add(#offsets)) }),* }
        }

        #[inline]
        unsafe fn to_ir(self, __at: *mut u8) {
            if const { Self::LAYOUT.as_in_rust } {
                // SAFETY: as in `from_ir`.
                return unsafe { __at.cast::<Self>().write_unaligned(self) };
            }
            let __value = ::core::mem::ManuallyDrop::new(self);
            // SAFETY: as in `from_ir`; each field is read once, and the value is not dropped.
            #(unsafe { ::warpsmith::__macro::Field::<#types>::to_ir(::core::ptr::read(&raw const __value.#members), __at.add(#offsets)) };)*
        }
    }
}

/// The layouts of the fields of a struct or a variant.
pub fn layouts(fields: &Fields) -> TokenStream {
    let layouts = fields.iter().map(|f| {
        let ty = &f.ty;
        let span = ty.span().resolved_at(proc_macro2::Span::call_site());
        quote_spanned!(span=> ::warpsmith::__macro::Field::<#ty>::LAYOUT)
    });
    quote!(&[#(#layouts),*])
}

/// `GpuType`, and the check that every field is plain data.
pub fn plain_impl<'a>(item: &DeriveInput, fields: impl Iterator<Item = &'a Field>) -> TokenStream {
    let name = &item.ident;
    let (_, ty_generics, _) = item.generics.split_for_impl();
    let plain = bounded(item, &quote!(::warpsmith::types::GpuType));
    let (plain_generics, _, plain_where) = plain.split_for_impl();
    let checks = fields.map(|f| {
        let ty = &f.ty;
        quote_spanned!(ty.span().resolved_at(proc_macro2::Span::call_site())=> ::warpsmith::__macro::Field::<#ty>::assert_plain();)
    });
    let checked = with_stand_ins(&quote! {
        #[allow(dead_code)]
        fn fields_are_plain #plain_generics (_: #name #ty_generics) #plain_where { #(#checks)* }
    });
    quote! {
        // SAFETY: it has a `repr`, every field is `GpuType`, and `DeviceType` requires `Copy` of it.
        unsafe impl #plain_generics ::warpsmith::types::GpuType for #name #ty_generics #plain_where {}

        #checked
    }
}

/// Names of the generic arguments, as parts of the C++ name.
pub fn argument_names(item: &DeriveInput) -> Vec<TokenStream> {
    let name = |p: &GenericParam| match p {
        GenericParam::Type(t) if is_phantom(item, &t.ident) => {
            let ident = &t.ident;
            Some(quote!(::warpsmith::__macro::marker_suffix::<#ident>()))
        }
        GenericParam::Type(t) => {
            let ident = &t.ident;
            Some(quote!(<#ident as ::warpsmith::__macro::DeviceType>::ty().suffix()))
        }
        GenericParam::Const(c) => {
            let ident = &c.ident;
            Some(quote!(::std::format!("{}", #ident)))
        }
        GenericParam::Lifetime(_) => None,
    };
    item.generics.params.iter().filter_map(name).collect()
}

/// The generics, with every type parameter bounded by a trait of the library; a parameter that only
/// marks the type may be any type.
pub fn bounded(item: &DeriveInput, bound: &TokenStream) -> syn::Generics {
    let mut generics = item.generics.clone();
    let types: Vec<_> = generics.type_params().map(|t| t.ident.clone()).collect();
    for ident in types {
        let predicate = if is_phantom(item, &ident) {
            parse_quote!(#ident: 'static + ::core::marker::Copy)
        } else {
            parse_quote!(#ident: #bound)
        };
        generics.make_where_clause().predicates.push(predicate);
    }
    generics
}

/// Returns whether a type parameter stands in no field but `PhantomData`.
fn is_phantom(item: &DeriveInput, param: &syn::Ident) -> bool {
    struct Uses<'a>(&'a syn::Ident, bool);

    impl<'ast> Visit<'ast> for Uses<'_> {
        fn this(&mut self) -> &mut dyn Visit<'ast> {
            self
        }

        fn visit_path(&mut self, path: &'ast syn::Path) {
            if path.segments.last().is_some_and(|s| s.ident == "PhantomData") {
                return;
            }
            self.1 |= path.segments.first().is_some_and(|s| s.ident == *self.0);
            visit::visit_path(&mut Below(self), path);
        }
    }

    let mut uses = Uses(param, false);
    match &item.data {
        Data::Struct(data) => data.fields.iter().for_each(|f| uses.visit_type(&f.ty)),
        Data::Enum(data) => data.variants.iter().flat_map(|v| &v.fields).for_each(|f| uses.visit_type(&f.ty)),
        Data::Union(_) => {}
    }
    !uses.1
}

/// The type with every lifetime `'static`.
pub fn erased(item: &DeriveInput) -> TokenStream {
    let name = &item.ident;
    let arguments = item.generics.params.iter().map(|p| match p {
        GenericParam::Lifetime(_) => quote!('static),
        GenericParam::Type(t) if is_phantom(item, &t.ident) => t.ident.to_token_stream(),
        GenericParam::Type(t) => {
            let ident = &t.ident;
            quote!(<#ident as ::warpsmith::__macro::DeviceType>::Erased)
        }
        GenericParam::Const(c) => {
            let ident = &c.ident;
            quote!(#ident)
        }
    });
    quote!(#name<#(#arguments),*>)
}

/// Constants of the type, unless it has lifetimes: an address is no constant.
fn constant_impl(item: &DeriveInput, fields: &Fields) -> TokenStream {
    if item.generics.lifetimes().next().is_some() {
        return TokenStream::new();
    }
    let name = &item.ident;
    let generics = bounded(item, &quote!(::warpsmith::types::Constant));
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let (members, types) = (fields.members(), fields.iter().map(|f| &f.ty));
    with_stand_ins(&quote! {
        impl #impl_generics ::warpsmith::types::Constant for #name #ty_generics #where_clause {
            fn to_expr(&self, _name: ::core::option::Option<&'static str>) -> ::warpsmith::ir::Expr {
                ::warpsmith::__macro::struct_constant(
                    <Self as ::warpsmith::__macro::DeviceType>::ty(),
                    ::warpsmith::__macro::list([#(::warpsmith::__macro::Field::<#types>::to_expr(&self.#members)),*]),
                )
            }
        }
    })
}
