//! Macros that a kernel may call: `shared!`, `assert!` and its family, `println!`, `panic!`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Lit, LitStr, Token, Type, parse_quote};

use super::format;
use super::fragments::Fragments as _;
use super::lower::{Lower, Lowered};
use super::operands::Operands;
use super::types::device_type;
use crate::rustc_span;
use crate::tokens::optional;

/// The argument of `shared!([[T; cols]; rows])`, or of `shared!(Tile<…>)`.
pub struct SharedArray {
    elem: Type,
    extents: Vec<Expr>,
    align: Option<Expr>,
    /// The type whose memory the array is, if not an array was asked for.
    pub owner: Option<Type>,
}

impl Parse for SharedArray {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let given = input.cursor().token_stream();
        let mut ty: Type = input.parse().map_err(|_| {
            syn::Error::new_spanned(given, "`shared!` takes a type and no values, which kernels write: `shared!([f32; N])`, or `shared!([[f32; COLS]; ROWS])`")
        })?;
        ty.write_out();
        let whole = ty.clone();
        let scalar = |path: &syn::TypePath| {
            path.path
                .get_ident()
                .is_some_and(|name| super::spelled::PRIMITIVES.contains(&name.to_string().as_str()))
        };
        if matches!(&ty, Type::Path(path) if !scalar(path)) {
            return Ok(Self::of(ty));
        }
        let mut extents = Vec::new();
        while let Type::Array(array) = ty {
            extents.push(array.len);
            ty = *array.elem;
        }
        if !(1..=3).contains(&extents.len()) {
            let message = "`shared!` takes an array of one to three dimensions: `shared!([f32; N])`, `shared!([[f32; COLS]; ROWS])`; of one value, `shared!([f32; 1])`";
            return Err(syn::Error::new_spanned(whole, message));
        }
        Ok(Self {
            elem: ty,
            extents,
            align: alignment(input)?.map(|bytes| parse_quote!(#bytes)),
            owner: None,
        })
    }
}

/// `, align = 16`
fn alignment(input: ParseStream<'_>) -> syn::Result<Option<syn::LitInt>> {
    if input.parse::<Option<Token![,]>>()?.is_none() || input.is_empty() {
        return Ok(None);
    }
    let name: syn::Ident = input.parse()?;
    input.parse::<Token![=]>()?;
    let bytes: syn::LitInt = input.parse()?;
    let legal = bytes.base10_parse::<u32>().is_ok_and(|n| n.is_power_of_two() && n <= 1024);
    if name != "align" || !legal {
        let message = "`shared!` takes an alignment in bytes, a power of two up to 1024: `shared!([f32; N], align = 16)`";
        return Err(syn::Error::new_spanned(bytes, message));
    }
    Ok(Some(bytes))
}

impl SharedArray {
    /// The memory of a type that says itself how much it takes.
    fn of(owner: Type) -> Self {
        let span = owner.span();
        let in_shared = quote_spanned!(span=> <#owner as ::warpsmith::types::InShared>);
        Self {
            elem: parse_quote!(#in_shared::Element),
            extents: vec![parse_quote!(#in_shared::LEN)],
            align: Some(parse_quote!(#in_shared::ALIGN)),
            owner: Some(owner),
        }
    }

    /// The alignment as the recorder and the twin take it.
    pub fn align(&self) -> TokenStream {
        optional(self.align.as_ref())
    }

    /// The descriptor type of the twin and the witness.
    pub fn ty(&self) -> TokenStream {
        let elem = device_type(&self.elem);
        match self.extents.len() {
            1 => quote!(::warpsmith::types::Shared<#elem>),
            2 => quote!(::warpsmith::types::Shared2<#elem>),
            _ => quote!(::warpsmith::types::Shared3<#elem>),
        }
    }

    /// The type of an element.
    pub fn elem(&self) -> &Type {
        &self.elem
    }

    /// Extents, outermost first.
    pub fn extents(&self) -> &[Expr] {
        &self.extents
    }

    /// The twin's code for the `shared!` at `span`.
    pub fn twin(&self, span: proc_macro2::Span) -> TokenStream {
        let (ty, extents) = (self.ty(), &self.extents);
        let (line, column) = (rustc_span::line(span) as u32, rustc_span::column(span) as u32);
        let (elem, align) = (device_type(&self.elem), self.align());
        let array = quote! {
            {
                let __extents = [#(::warpsmith::__macro::IndexInteger::to_index(#extents)),*];
                // SAFETY: the memory is this block's, of the size that the extents ask for.
                unsafe {
                    <#ty>::from_raw_parts(
                        ::warpsmith::__macro::shared_alloc::<#elem, _>(
                            &__extents, #align, ::core::file!(), #line, #column, || {}
                        ),
                        __extents,
                    )
                }
            }
        };
        match &self.owner {
            Some(owner) => quote!(<#owner>::new(&mut *::warpsmith::__macro::kept(#array))),
            None => array,
        }
    }
}

/// Arguments of `assert!` and friends.
pub struct Arguments(pub Punctuated<Expr, Token![,]>);

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut arguments = Punctuated::parse_terminated(input)?;
        arguments.iter_mut().for_each(Expr::write_out);
        Ok(Self(arguments))
    }
}

/// The message of an assertion.
#[derive(Default)]
struct Message {
    /// The text, with placeholders as they are written.
    text: Option<String>,
    /// What prints the text with its values.
    values: Option<Lowered>,
}

/// An assertion. Values of its message are printed where it fails; what is left out of unchecked launches prints none.
fn asserted(
    mac: &syn::Macro,
    witness: TokenStream,
    cond: &TokenStream,
    message: &TokenStream,
    values: Option<Lowered>,
) -> Lowered {
    let debug = is_debug(mac);
    let (shown, told) = match values {
        Some(Lowered { witness, emit }) if !debug => (witness, quote!(let __c = __r.told(__c, |__r| #emit);)),
        Some(Lowered { witness, .. }) => (witness, TokenStream::new()),
        None => Default::default(),
    };
    Lowered {
        witness: quote!({ #witness #shown; }),
        emit: quote!({ let __c = #cond; #told __r.assert(__c, #message, #debug) }),
    }
}

/// Returns whether an assertion is left out of unchecked launches.
fn is_debug(mac: &syn::Macro) -> bool {
    name(mac).is_some_and(|name| name.starts_with("debug_"))
}

/// The name of a macro, if it is one of the standard library or of ours as far as its path tells.
pub fn name(mac: &syn::Macro) -> Option<String> {
    let names: Vec<String> = mac.path.segments.iter().map(|s| s.ident.to_string()).collect();
    match &names[..] {
        [name] => Some(name.clone()),
        [library, name] if library == "std" || library == "core" => Some(name.clone()),
        _ => None,
    }
}

/// The macros that a body may call, with arguments that each takes.
const KNOWN: [(&str, &str); 16] = [
    ("assert", "true"),
    ("assert_eq", "(), ()"),
    ("assert_ne", "0, 1"),
    ("cfg", "all()"),
    ("column", ""),
    ("debug_assert", "true"),
    ("debug_assert_eq", "(), ()"),
    ("debug_assert_ne", "0, 1"),
    ("line", ""),
    ("matches", "0, 0"),
    ("panic", ""),
    ("print", "\"\""),
    ("println", ""),
    ("todo", ""),
    ("unimplemented", ""),
    ("unreachable", ""),
];

/// An import of these macros from the standard library.
pub fn imports() -> TokenStream {
    let names = KNOWN.iter().map(|(name, _)| syn::Ident::new(name, Span::call_site()));
    quote!(pub use ::std::{#(#names),*};)
}

impl Lower<'_> {
    /// Notes that the body calls a macro by a name that others may have. The witness calls it once, beside an import of those
    /// that we mean: if another has the name, rustc says that it is ambiguous.
    fn call_known(&mut self, mac: &syn::Macro) {
        if let Some(ident) = mac.path.get_ident()
            && let Some((name, arguments)) = KNOWN.iter().find(|(name, _)| ident == name)
            && !self.own_macros.contains(*name)
        {
            self.known_macros.entry(name).or_insert_with(|| {
                let arguments: TokenStream = arguments.parse().unwrap_or_default();
                quote!(#ident!(#arguments);)
            });
        }
    }

    /// The calls of [`Lower::call_known`], in the witness.
    pub fn known_macros(&self) -> TokenStream {
        let calls = self.known_macros.values();
        match self.known_macros.is_empty() {
            true => TokenStream::new(),
            false => quote!(let _ = || { use ::warpsmith::__macro::known_macros::*; #(#calls)* };),
        }
    }

    pub(super) fn macro_(&mut self, mac: &syn::Macro) -> Lowered {
        let name = name(mac).unwrap_or_default();
        self.call_known(mac);
        match name.as_str() {
            "assert" | "debug_assert" => self.assert(mac),
            "assert_eq" | "debug_assert_eq" => self.assert_pair(mac, "=="),
            "assert_ne" | "debug_assert_ne" => self.assert_pair(mac, "!="),
            "println" | "print" => self.println(mac, name == "println"),
            "matches" => self.matches(mac),
            "panic" | "unreachable" => self.panic(mac, &name),
            "cfg" => known_to_rustc(mac, &name, quote!(bool)),
            "line" | "column" => known_to_rustc(mac, &name, quote!(u32)),
            "file" | "module_path" | "stringify" | "concat" | "env" => {
                self.refuse(mac, format!("a kernel has no text as a value; write what `{name}!` gives into the string of `println!` or `assert!`"))
            }
            "shared" => self.refuse(mac, "`shared!` must initialise a variable: `let mut tile = shared!([f32; 256]);`"),
            name if self.own_macros.contains(name) => Lowered::nothing(),
            "todo" | "unimplemented" => self.refuse(mac, format!("a kernel has no `{name}!`; write `panic!(\"why\")`")),
            "vec" => self.refuse(mac, "`Vec` lives on the host; in a kernel write an array, `[0; N]`, or `shared!`"),
            _ => self.refuse(mac, "this macro is not supported in a kernel; `shared!`, `assert!`, `assert_eq!`, `assert_ne!`, `debug_assert!`, `println!`, `print!`, `matches!`, `panic!`, `unreachable!`, `cfg!`, `line!` and `column!` are; for a macro of your own write a `#[gpu_fn]`"),
        }
    }

    fn parse_arguments(&mut self, mac: &syn::Macro) -> Option<Vec<Expr>> {
        match mac.parse_body::<Arguments>() {
            Ok(arguments) => Some(arguments.0.into_iter().collect()),
            Err(error) => {
                self.errors.add(error);
                None
            }
        }
    }

    /// The message of an assertion, if there is one: the text as it stands, and its values, which are printed before.
    fn message(&mut self, arguments: &[Expr]) -> Message {
        let (text, values) = match arguments {
            [] => return Message::default(),
            [Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }), values @ ..] => (text, values),
            [first, ..] => {
                self.errors.at(first, "a message in a kernel is a string, with or without placeholders");
                return Message::default();
            }
        };
        match format::parse(text, values, true) {
            Ok((_, values)) if values.is_empty() => {
                let unescaped = text.value().replace("{{", "{").replace("}}", "}");
                Message { text: Some(unescaped), values: None }
            }
            Ok((pieces, values)) => {
                Message { text: Some(text.value()), values: Some(self.print(&pieces, &values)) }
            }
            Err(error) => {
                self.errors.add(error);
                Message::default()
            }
        }
    }

    fn assert(&mut self, mac: &syn::Macro) -> Lowered {
        let Some(arguments) = self.parse_arguments(mac) else { return unit() };
        let Some((cond, rest)) = arguments.split_first() else {
            return self.refuse(mac, "`assert!` needs a condition");
        };
        let Lowered { witness, emit } = self.expr(cond);
        let message = self.message(rest);
        // The words of Rust, which the twin says.
        let text = match &message.text {
            Some(text) => quote!(#text),
            None => quote!(::core::concat!("assertion failed: ", ::core::stringify!(#cond))),
        };
        asserted(mac, quote!(::core::assert!(#witness);), &emit, &text, message.values)
    }

    fn assert_pair(&mut self, mac: &syn::Macro, symbol: &str) -> Lowered {
        let Some(arguments) = self.parse_arguments(mac) else { return unit() };
        let [left, right, rest @ ..] = arguments.as_slice() else {
            return self.refuse(mac, "this assertion compares two values");
        };
        let op = Token![==](mac.path.span());
        let equal = syn::ExprBinary {
            attrs: vec![],
            left: Box::new(left.clone()),
            op: if symbol == "==" { BinOp::Eq(op) } else { BinOp::Ne(Token![!=](mac.path.span())) },
            right: Box::new(right.clone()),
        };
        let Lowered { witness, emit } = self.binary(&equal);
        let message = self.message(rest);
        let own = message.text.map_or_else(String::new, |text| format!(": {text}"));
        let text = format!("assertion `left {symbol} right` failed{own}");
        asserted(mac, quote!(let _ = #witness;), &emit, &quote!(#text), message.values)
    }

    fn panic(&mut self, mac: &syn::Macro, name: &str) -> Lowered {
        let Some(arguments) = self.parse_arguments(mac) else { return unit() };
        let default =
            if name == "panic" { "explicit panic" } else { "internal error: entered unreachable code" };
        let Message { text, values } = self.message(&arguments);
        let message = match (text, name) {
            (Some(message), "unreachable") => format!("{default}: {message}"),
            (Some(message), _) => message,
            (None, _) => default.to_owned(),
        };
        let (shown, told) = values.map_or_else(Default::default, |Lowered { witness, emit }| {
            (witness, quote!({ let __v = #emit; __r.statement(__v); }))
        });
        Lowered {
            witness: quote!({ #shown; ::core::panic!() }),
            emit: quote!({ #told let __c = __r.bool_(false); __r.assert(__c, #message, false); ::warpsmith::ir::Expr::never() }),
        }
    }

    fn println(&mut self, mac: &syn::Macro, newline: bool) -> Lowered {
        if mac.tokens.is_empty() {
            let text = if newline { "\n" } else { "" };
            return Lowered {
                witness: quote!(()),
                emit: quote!(__r.print(::warpsmith::__macro::list([::warpsmith::__macro::text(#text)]), ::warpsmith::__macro::list([]))),
            };
        }
        let Some(arguments) = self.parse_arguments(mac) else { return unit() };
        let [Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }), values @ ..] = arguments.as_slice() else {
            return self.refuse(mac, "`println!` needs a format string");
        };
        let (pieces, values) = match format::parse(text, values, newline) {
            Ok(parsed) => parsed,
            Err(error) => {
                self.errors.add(error);
                return unit();
            }
        };
        self.print(&pieces, &values)
    }

    /// Prints values between pieces of text.
    fn print(&mut self, pieces: &[TokenStream], values: &[Expr]) -> Lowered {
        let references: Vec<&Expr> = values.iter().collect();
        let Operands { witness, setup, names } = self.arguments(&references);
        Lowered {
            witness: quote!({ #(let _ = #witness;)* }),
            emit: quote!({ #setup __r.print(::warpsmith::__macro::list([#(#pieces),*]), ::warpsmith::__macro::list([#(#names),*])) }),
        }
    }
}

/// A macro whose value rustc knows.
fn known_to_rustc(mac: &syn::Macro, name: &str, ty: TokenStream) -> Lowered {
    let (name, arguments) = (syn::Ident::new(name, mac.path.span()), &mac.tokens);
    let span = mac.path.span();
    let value = quote_spanned!(span=> ::core::#name!(#arguments));
    Lowered {
        witness: value.clone(),
        emit: quote!({ let __v: #ty = #value; __r.constant(&__v, ::core::option::Option::None) }),
    }
}

fn unit() -> Lowered {
    Lowered { witness: quote!(()), emit: quote!(::warpsmith::ir::Expr::unit()) }
}

/// A string literal of a macro body that starts with one.
pub fn leading_string(mac: &syn::Macro) -> Option<LitStr> {
    let arguments = mac.parse_body::<Arguments>().ok()?;
    match arguments.0.first()? {
        Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
        _ => None,
    }
}
