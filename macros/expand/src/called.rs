//! Functions that stand by their names where closures are expected: `fold(0, Add::add)`, `map(f32::sqrt)`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, ExprPath, Macro, parse_quote};

use super::spelled::PRIMITIVES;

/// A closure that calls a function.
pub struct Called {
    pub closure: ExprClosure,
    /// Checks in the witness that the path names the function that the closure calls; empty if the closure calls the path.
    pub check: TokenStream,
}

/// The macro of a body that the witness checks; no user writes its name.
const CHECKED: &str = "__checked";

impl Called {
    /// The closure, with the check in its body.
    pub fn checked(self) -> ExprClosure {
        let Self { mut closure, check } = self;
        if !check.is_empty() {
            let (name, body) = (format_ident!("{CHECKED}"), &closure.body);
            *closure.body = parse_quote!(#name! { { #check } { #body } });
        }
        closure
    }
}

/// The check and the value of the body that [`Called::checked`] makes.
pub fn checked_body(mac: &Macro) -> Option<(TokenStream, Expr)> {
    if !mac.path.is_ident(CHECKED) {
        return None;
    }
    let groups = mac.tokens.clone().into_iter().filter_map(|tree| match tree {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    });
    let [check, body] = groups.collect::<Vec<_>>().try_into().ok()?;
    Some((check, syn::parse2(body).ok()?))
}

/// The witness of a body behind a check that is compiled and never runs.
pub fn with_check(check: &TokenStream, witness: &TokenStream) -> TokenStream {
    quote!(loop { if false { break #check; } break #witness; })
}

/// The traits of operators, their methods and what these are.
const OPERATORS: &[(&str, &str, &str)] = &[
    ("Add", "add", "+"),
    ("Sub", "sub", "-"),
    ("Mul", "mul", "*"),
    ("Div", "div", "/"),
    ("Rem", "rem", "%"),
    ("BitAnd", "bitand", "&"),
    ("BitOr", "bitor", "|"),
    ("BitXor", "bitxor", "^"),
    ("Shl", "shl", "<<"),
    ("Shr", "shr", ">>"),
];

/// Other methods of traits: module, trait, name, number of parameters.
const METHODS: &[(&str, &str, &str, usize)] = &[
    ("cmp", "Ord", "cmp", 2),
    ("cmp", "Ord", "max", 2),
    ("cmp", "Ord", "min", 2),
    ("cmp", "PartialOrd", "partial_cmp", 2),
    ("convert", "Into", "into", 1),
    ("clone", "Clone", "clone", 1),
];

/// A function's name as a closure that calls it.
pub fn called(path: &ExprPath, parameters: usize) -> Called {
    let names = names(path, parameters);
    if let Some(known) = operator(path, &names).or_else(|| method(path, &names)) {
        return known;
    }
    let closure = match owner(path).as_str() {
        // Of a reference, too.
        "Option" | "Result" if parameters > 0 && path.qself.is_none() && !makes(path) => {
            let (method, first, others) = (last(path), &names[0], &names[1..]);
            parse_quote!(|#(#names),*| #first.#method(#(#others),*))
        }
        _ => by_path(path, parameters),
    };
    Called { closure, check: TokenStream::new() }
}

/// A closure that calls a function by its path.
fn by_path(path: &ExprPath, parameters: usize) -> ExprClosure {
    let names = names(path, parameters);
    parse_quote!(|#(#names),*| #path(#(#names),*))
}

fn names(path: &ExprPath, parameters: usize) -> Vec<Ident> {
    (0..parameters).map(|i| format_ident!("arg{i}", span = path.span())).collect()
}

/// `Add::add` and `u64::add`
fn operator(path: &ExprPath, names: &[Ident]) -> Option<Called> {
    let [left, right] = names else { return None };
    let method = last(path)?;
    let owner = owner(path);
    let of_number = path.path.segments.len() == 2 && PRIMITIVES.contains(&owner.as_str());
    let (name, _, symbol) = OPERATORS
        .iter()
        .find(|(name, known, _)| method == known && (of_number || owner == *name && is_in(path, "ops")))?;
    let (of, symbol) = (Ident::new(name, path.span()), symbol.parse::<TokenStream>().ok()?);
    let check = check(path, names, &quote!(<_ as ::core::ops::#of<_>>::#method));
    Some(Called { closure: parse_quote!(|#left, #right| #left #symbol #right), check })
}

/// `Ord::cmp`
fn method(path: &ExprPath, names: &[Ident]) -> Option<Called> {
    let (first, others) = names.split_first()?;
    let (method, owner) = (last(path)?, owner(path));
    let (module, name, ..) = METHODS.iter().find(|(module, name, known, parameters)| {
        owner == *name && method == known && *parameters == names.len() && is_in(path, module)
    })?;
    let [module, of] = [module, name].map(|name| Ident::new(name, path.span()));
    let arguments = if *name == "Into" || *name == "PartialOrd" { quote!(<_>) } else { quote!() };
    let check = check(path, names, &quote!(<_ as ::core::#module::#of #arguments>::#method));
    Some(Called { closure: parse_quote!(|#(#names),*| #first.#method(#(#others),*)), check })
}

/// An expression of the type of the result, which asks whether a path names the function of Rust's library.
fn check(path: &ExprPath, names: &[Ident], known: &TokenStream) -> TokenStream {
    let span = path.span();
    quote_spanned!(span=> { let __f = #path; ::warpsmith::__macro::same_item(&__f, &#known); __f(#(#names),*) })
}

/// Returns whether a path of a trait's method begins with the trait, or with its module in Rust's library.
fn is_in(path: &ExprPath, module: &str) -> bool {
    let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let around = &names[..names.len().saturating_sub(2)];
    match around {
        [] => path.qself.is_none(),
        [only] => only == module,
        [root, inner] => (root == "std" || root == "core") && inner == module,
        _ => false,
    }
}

/// The last but one name of a path.
fn owner(path: &ExprPath) -> String {
    let mut segments = path.path.segments.iter().rev().skip(1);
    segments.next().map(|segment| segment.ident.to_string()).unwrap_or_default()
}

fn last(path: &ExprPath) -> Option<Ident> {
    path.path.segments.last().map(|segment| segment.ident.clone())
}

/// Returns whether a path is that of a variant.
fn makes(path: &ExprPath) -> bool {
    last(path).is_some_and(|last| last.to_string().starts_with(char::is_uppercase))
}
