//! Format strings of `println!` in kernels.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, Ident, LitStr};

/// The pieces as tokens of the library, and the arguments that they print, in order.
pub fn parse(text: &LitStr, given: &[Expr]) -> syn::Result<(Vec<TokenStream>, Vec<Expr>)> {
    let (mut pieces, mut values) = (Vec::new(), Vec::new());
    let mut literal = String::new();
    let mut next = given.iter();
    let value = text.value();
    let mut rest = value.as_str();
    let fail = |message: &str| syn::Error::new_spanned(text, message);
    while let Some(position) = rest.find(['{', '}']) {
        literal.push_str(&rest[..position]);
        let brace = &rest[position..=position];
        rest = &rest[position + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            literal.push_str(brace);
            rest = after;
            continue;
        }
        let Some(end) = rest.find('}').filter(|_| brace == "{") else {
            return Err(fail("unmatched brace in the format string"));
        };
        let (placeholder, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        if !literal.is_empty() {
            pieces.push(text_piece(&literal));
            literal.clear();
        }
        let (name, spec) = placeholder.split_once(':').unwrap_or((placeholder, ""));
        pieces.push(argument(spec).ok_or_else(|| {
            fail("a kernel's `println!` knows `{}`, `{:?}`, `{:x}`, a width and a precision: `{:8.3}`")
        })?);
        values.push(match name {
            "" => next.next().cloned().ok_or_else(|| fail("more placeholders than arguments"))?,
            name => {
                let ident: Ident =
                    syn::parse_str(name).map_err(|_| fail("a placeholder names a variable or nothing"))?;
                let ident = Ident::new(&ident.to_string(), text.span());
                syn::parse_quote!(#ident)
            }
        });
    }
    if let Some(extra) = next.next() {
        return Err(syn::Error::new_spanned(extra, "more arguments than placeholders"));
    }
    literal.push_str(rest);
    literal.push('\n');
    pieces.push(text_piece(&literal));
    Ok((pieces, values))
}

fn text_piece(text: &str) -> TokenStream {
    quote!(::warpsmith::__macro::text(#text))
}

/// The piece of a placeholder's `:spec`.
fn argument(spec: &str) -> Option<TokenStream> {
    let spec = spec.strip_suffix('?').unwrap_or(spec);
    let (spec, hex) = match spec.strip_suffix('x') {
        Some(rest) => (rest, true),
        None => (spec, false),
    };
    let (width, precision) = spec.split_once('.').unwrap_or((spec, ""));
    let number = |text: &str| match text {
        "" => Some(quote!(::core::option::Option::None)),
        digits => digits.parse::<u32>().ok().map(|n| quote!(::core::option::Option::Some(#n))),
    };
    // Zeros in front, and whatever else Rust knows there, are refused.
    if width.starts_with('0') {
        return None;
    }
    let (width, precision) = (number(width)?, number(precision)?);
    Some(quote!(::warpsmith::ir::FormatPiece::Arg { width: #width, precision: #precision, hex: #hex }))
}
