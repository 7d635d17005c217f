//! `#[derive(GpuType)]` of enums, and equality that Rust and the device share.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Data, DataEnum, DeriveInput, Fields};

use super::derive::{argument_names, bounded, erased, layouts, plain_impl, representation, with_stand_ins};
use super::derive_field::check_field;
use crate::errors::Errors;

const INTEGERS: [&str; 8] = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"];

/// Expands the derive of an enum, which may be ordered by its fields.
pub fn expand(item: &DeriveInput, data: &DataEnum, by_fields: bool, errors: &mut Errors) -> TokenStream {
    if data.variants.is_empty() {
        errors.at(&item.ident, "a device enum has at least one variant");
    }
    data.variants.iter().flat_map(|v| v.fields.iter()).for_each(|f| check_field(f, errors));
    let repr = representation(item);
    let plain = data.variants.iter().all(|v| v.fields.is_empty());
    let integer = repr.iter().find(|r| INTEGERS.contains(&r.as_str()));
    let in_memory = if plain { integer.is_some() || repr.iter().any(|r| r == "C") } else { repr == ["C"] };
    if !plain && integer.is_some() {
        errors.at(
            &item.ident,
            "an enum with fields is laid out as in CUDA by `#[repr(C)]`, not by the `repr` of an integer",
        );
    }
    let name = &item.ident;
    let generics = bounded(item, &quote!(::warpsmith::__macro::DeviceType));
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let (erased, text, arguments) = (erased(item), name.to_string(), argument_names(item));
    let tag = match integer {
        Some(integer) => format_ident!("{}", integer.to_uppercase()),
        None => format_ident!("I32"),
    };
    let tags = tags(data);
    let variants = data.variants.iter().zip(&tags).map(|(variant, tag)| {
        let name = variant.ident.to_string();
        let fields = variant.fields.members().zip(&variant.fields).map(|(member, field)| {
            let (member, ty) = (member.to_token_stream().to_string(), &field.ty);
            quote!((#member, <#ty as ::warpsmith::__macro::DeviceType>::ty()))
        });
        quote!(::warpsmith::ir::VariantType { name: #name, tag: #tag, fields: ::warpsmith::__macro::list([#(#fields),*]) })
    });
    let values = values(item, data, &tags, in_memory);
    let gpu_type = if in_memory {
        plain_impl(item, data.variants.iter().flat_map(|v| v.fields.iter()))
    } else {
        quote!()
    };
    let constant = constant_impl(item, data, &tags);
    let zero = if in_memory { zero_check(data, &tags) } else { quote!() };
    let is_ordered = is_ordered_by_tags(item, data);
    let by_tags = if is_ordered {
        by_tags(data, &tags)
    } else {
        quote!(let __type = ::warpsmith::__macro::order::ordered(__type, #by_fields);)
    };
    let device = with_stand_ins(&quote! {
        impl #impl_generics ::warpsmith::__macro::DeviceType for #name #ty_generics #where_clause {
            type Erased = #erased;
            fn ty() -> ::warpsmith::ir::Type {
                let __type = ::warpsmith::__macro::enum_type(
                    #text,
                    &[#(#arguments),*],
                    ::warpsmith::ir::Scalar::#tag,
                    ::warpsmith::__macro::list([#(#variants),*]),
                    #in_memory,
                );
                #by_tags
                __type
            }
            #values
        }
    });
    let order = is_ordered.then(|| {
        // A lifetime keeps rustc from asking at once whether the type has Rust's `Ord`.
        quote! {
            impl ::warpsmith::__macro::operators::Ord for #name where for<'__a> #name: ::core::cmp::Ord {
                type Larger = ::warpsmith::__macro::ordered::larger<Self>;
                type Smaller = ::warpsmith::__macro::ordered::smaller<Self>;
                type Clamped = ::warpsmith::__macro::ordered::clamped<Self>;
            }

            impl ::warpsmith::__macro::operators::PartialOrd for #name where for<'__a> #name: ::core::cmp::PartialOrd {
                type Compared = ::warpsmith::__macro::ordered::partial_order<Self>;
            }
        }
    });
    quote!(#device #gpu_type #constant #zero #order)
}

/// Notes whether an order that a user wrote is that of the tags, which kernels compare.
fn by_tags(data: &DataEnum, tags: &[TokenStream]) -> TokenStream {
    let idents = data.variants.iter().map(|variant| &variant.ident);
    quote! {
        static __BY_TAGS: ::std::sync::OnceLock<bool> = ::std::sync::OnceLock::new();
        let __by_tags = *__BY_TAGS.get_or_init(|| {
            use ::warpsmith::__macro::order::{Ordered as _, Unordered as _};
            let __order = ::warpsmith::__macro::order::Order::<Self>(::core::marker::PhantomData);
            (&__order).is_by_tags(&[#((Self::#idents, #tags)),*])
        });
        let __type = ::warpsmith::__macro::order::ordered(__type, __by_tags);
    }
}

/// How values of an enum are laid out in the IR, read and written.
fn values(item: &DeriveInput, data: &DataEnum, tags: &[TokenStream], in_memory: bool) -> TokenStream {
    let integer = representation(item).into_iter().find(|r| INTEGERS.contains(&r.as_str()));
    let tag_type = format_ident!("{}", integer.as_deref().unwrap_or("i32"));
    let (name, layouts) = (item.ident.to_string(), data.variants.iter().map(|v| layouts(&v.fields)));
    // The offset of the fields.
    let start = quote! {
        ::warpsmith::__macro::ValueLayout::payload(::warpsmith::__macro::ValueLayout::of::<#tag_type>(), Self::VARIANTS)
    };
    let mut reads = Vec::new();
    let mut writes = Vec::new();
    for (index, (variant, tag)) in data.variants.iter().zip(tags).enumerate() {
        let ident = &variant.ident;
        let members = variant.fields.members();
        let types: Vec<_> = variant.fields.iter().map(|f| &f.ty).collect();
        let (pattern, names) = named(&variant.fields, "__f");
        let offsets: Vec<_> = (0..names.len())
            .map(|i| quote!(const { #start + ::warpsmith::__macro::ValueLayout::offset(Self::VARIANTS[#index], #i) }))
            .map(|offset| quote!(__at.add(#offset)))
            .collect();
        reads.push(quote! {
            if __tag == #tag {
                // SAFETY: the fields of the variant are where the layout says.
                return Self::#ident { #(#members: unsafe { ::warpsmith::__macro::Field::<#types>::from_ir(#offsets) }),* };
            }
        });
        writes.push(quote! {
            Self::#ident #pattern => {
                // SAFETY: as in `from_ir`.
                unsafe { ::warpsmith::__macro::DeviceType::to_ir((#tag) as #tag_type, __at) };
                #(unsafe { ::warpsmith::__macro::Field::<#types>::to_ir(#names, #offsets) };)*
            }
        });
    }
    quote! {
        const VARIANTS: &'static [&'static [::warpsmith::__macro::ValueLayout]] = &[#(#layouts),*];
        const LAYOUT: ::warpsmith::__macro::ValueLayout = ::warpsmith::__macro::ValueLayout {
            as_in_rust: #in_memory,
            ..::warpsmith::__macro::ValueLayout::tagged(
                ::warpsmith::__macro::ValueLayout::of::<#tag_type>(),
                Self::VARIANTS,
            )
        };

        #[inline]
        unsafe fn from_ir(__at: *const u8) -> Self {
            // SAFETY: the tag comes first.
            let __tag = unsafe { <#tag_type as ::warpsmith::__macro::DeviceType>::from_ir(__at) } as i128;
            #(#reads)*
            ::warpsmith::__macro::no_variant(#name, __tag)
        }

        #[inline]
        unsafe fn to_ir(self, __at: *mut u8) {
            match self { #(#writes)* }
        }
    }
}

/// The tag of each variant: what was written, or one more than the variant before.
pub fn tags(data: &DataEnum) -> Vec<TokenStream> {
    let mut tags: Vec<TokenStream> = Vec::new();
    for variant in &data.variants {
        let tag = match (&variant.discriminant, tags.last()) {
            (Some((_, value)), _) => quote!(((#value) as i128)),
            (None, Some(before)) => quote!((#before + 1)),
            (None, None) => quote!(0i128),
        };
        tags.push(tag);
    }
    tags
}

/// Memory that was only zeroed must hold a variant.
fn zero_check(data: &DataEnum, tags: &[TokenStream]) -> TokenStream {
    if data.variants.iter().all(|v| v.discriminant.is_none()) {
        return TokenStream::new();
    }
    quote! {
        const _: () = ::core::assert!(
            #(#tags == 0)||*,
            "an enum of a kernel needs a variant with the value 0, which zeroed memory holds; give one this value",
        );
    }
}

fn constant_impl(item: &DeriveInput, data: &DataEnum, tags: &[TokenStream]) -> TokenStream {
    if item.generics.lifetimes().next().is_some() {
        return TokenStream::new();
    }
    let name = &item.ident;
    let generics = bounded(item, &quote!(::warpsmith::types::Constant));
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let arms = data.variants.iter().zip(tags).enumerate().map(|(index, (variant, tag))| {
        let ident = &variant.ident;
        let (pattern, names) = named(&variant.fields, "__f");
        let types = variant.fields.iter().map(|f| &f.ty);
        quote! {
            Self::#ident #pattern => ::warpsmith::__macro::enum_constant(
                __ty, #index, #tag,
                ::warpsmith::__macro::list([#(::warpsmith::__macro::Field::<#types>::to_expr(#names)),*]),
            ),
        }
    });
    with_stand_ins(&quote! {
        impl #impl_generics ::warpsmith::types::Constant for #name #ty_generics #where_clause {
            fn to_expr(&self, _name: ::core::option::Option<&'static str>) -> ::warpsmith::ir::Expr {
                let __ty = <Self as ::warpsmith::__macro::DeviceType>::ty();
                match self { #(#arms)* }
            }
        }
    })
}

/// The pattern of the fields of a variant, and the names that it gives them.
pub fn named(fields: &Fields, prefix: &str) -> (TokenStream, Vec<syn::Ident>) {
    let names: Vec<_> = (0..fields.len()).map(|i| format_ident!("{prefix}{i}")).collect();
    let members = fields.members();
    let pattern = match fields {
        Fields::Unit => quote!(),
        _ => quote!({ #(#members: #names),* }),
    };
    (pattern, names)
}

/// Returns whether an enum is ordered by its tags alone, which `derive(GpuType)` finds out by itself.
pub fn is_ordered_by_tags(item: &DeriveInput, data: &DataEnum) -> bool {
    item.generics.params.is_empty() && data.variants.iter().all(|v| v.fields.is_empty())
}

/// `PartialEq` in Rust and on the device, field by field, from one place.
pub fn equality(item: &DeriveInput) -> TokenStream {
    let name = &item.ident;
    let generics = bounded(item, &quote!(::core::cmp::PartialEq));
    let mut device = bounded(item, &quote!(::warpsmith::__macro::operators::PartialEq));
    let copies: Vec<_> = item.generics.type_params().map(|t| t.ident.clone()).collect();
    for ident in copies {
        device
            .make_where_clause()
            .predicates
            .push(syn::parse_quote!(#ident: ::warpsmith::types::GpuType + ::core::cmp::PartialEq));
    }
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let body = match &item.data {
        Data::Struct(data) => {
            let members: Vec<syn::Member> = data.fields.members().collect();
            if members.is_empty() { quote!(true) } else { quote!(#(self.#members == other.#members)&&*) }
        }
        Data::Enum(data) => enum_equality(data),
        Data::Union(_) => quote!(false),
    };
    let method: syn::ItemImpl = syn::parse_quote! {
        impl #impl_generics ::core::cmp::PartialEq for #name #ty_generics #where_clause {
            fn eq(&self, other: &Self) -> bool { #body }
        }
    };
    let mut method = method;
    method.generics = device;
    super::impls::expand_impl(&method)
}

fn enum_equality(data: &DataEnum) -> TokenStream {
    let arms = data.variants.iter().map(|variant| {
        let ident = &variant.ident;
        let [(lp, left), (rp, right)] = ["a", "b"].map(|prefix| named(&variant.fields, prefix));
        let test = if left.is_empty() { quote!(true) } else { quote!(#(*#left == *#right)&&*) };
        quote!((Self::#ident #lp, Self::#ident #rp) => #test,)
    });
    let rest = if data.variants.len() > 1 { quote!(_ => false,) } else { quote!() };
    quote!(match (self, other) { #(#arms)* #rest })
}
