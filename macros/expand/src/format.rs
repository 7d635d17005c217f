//! Format strings of `println!` and `print!` in kernels.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, Ident, LitStr};

use crate::tokens::optional;

/// The placeholders of a kernel's format strings, for errors.
const KNOWN: &str = "a kernel's `println!` knows `{}`, `{:?}`, `{:x}`, `{:X}`, `{:o}` and `{:e}`, with `<`, `>`, `+`, `#`, `0`, a width and a precision: `{:>8.3}`";

/// The pieces as tokens of the library, and the arguments that they print, in order.
pub fn parse(text: &LitStr, given: &[Expr], newline: bool) -> syn::Result<(Vec<TokenStream>, Vec<Expr>)> {
    let mut pieces = Vec::new();
    let mut arguments = Arguments { text, given, used: vec![false; given.len()], next: 0 };
    let mut values = Vec::new();
    let mut literal = String::new();
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
        pieces.push(Spec::parse(spec).ok_or_else(|| fail(KNOWN))?.piece());
        values.push(arguments.take(name.trim())?);
    }
    arguments.all_used()?;
    literal.push_str(rest);
    if newline {
        literal.push('\n');
    }
    pieces.push(text_piece(&literal));
    Ok((pieces, values))
}

/// Returns whether a text names values of its own: `{x}`.
pub fn names_values(text: &LitStr) -> bool {
    parse(text, &[], false).map_or(true, |(_, values)| !values.is_empty())
}

fn text_piece(text: &str) -> TokenStream {
    quote!(::warpsmith::__macro::text(#text))
}

/// The arguments after the format string.
struct Arguments<'a> {
    text: &'a LitStr,
    given: &'a [Expr],
    used: Vec<bool>,
    /// The argument of the next `{}`.
    next: usize,
}

impl Arguments<'_> {
    /// The value of `{}`, `{0}` or `{name}`.
    fn take(&mut self, name: &str) -> syn::Result<Expr> {
        let index = match name {
            "" => {
                self.next += 1;
                Some(self.next - 1)
            }
            digits if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse().ok(),
            name => match self.given.iter().position(|e| named(e).is_some_and(|(n, _)| n == name)) {
                Some(index) => Some(index),
                None => return self.variable(name),
            },
        };
        match index.and_then(|i| Some((i, self.given.get(i)?))) {
            Some((i, value)) => {
                self.used[i] = true;
                Ok(named(value).map_or(value, |(_, value)| value).clone())
            }
            None => Err(syn::Error::new_spanned(self.text, "more placeholders than arguments")),
        }
    }

    /// A variable that the string itself names.
    fn variable(&self, name: &str) -> syn::Result<Expr> {
        let mut ident: Ident =
            syn::parse_str(name).or_else(|_| syn::parse_str(&format!("r#{name}"))).map_err(|_| {
                syn::Error::new_spanned(self.text, "a placeholder names a variable, an argument or nothing")
            })?;
        ident.set_span(self.text.span());
        Ok(syn::parse_quote!(#ident))
    }

    fn all_used(&self) -> syn::Result<()> {
        match self.used.iter().position(|used| !used) {
            Some(index) => {
                Err(syn::Error::new_spanned(&self.given[index], "more arguments than placeholders"))
            }
            None => Ok(()),
        }
    }
}

/// The parts of `name = value`.
fn named(argument: &Expr) -> Option<(String, &Expr)> {
    let Expr::Assign(assign) = argument else { return None };
    let Expr::Path(path) = &*assign.left else { return None };
    Some((path.path.get_ident()?.to_string(), &assign.right))
}

/// The text after the colon of a placeholder.
#[derive(Default)]
struct Spec {
    left: Option<bool>,
    plus: bool,
    alternate: bool,
    zeros: bool,
    width: Option<u32>,
    precision: Option<u32>,
    letter: char,
}

impl Spec {
    fn parse(spec: &str) -> Option<Self> {
        let mut parsed = Self { letter: ' ', ..Self::default() };
        let mut rest = spec;
        for (mark, left) in [('<', true), ('>', false)] {
            if let Some(after) = rest.strip_prefix(mark) {
                (parsed.left, rest) = (Some(left), after);
            }
        }
        let flag = |rest: &mut &str, mark: char| match rest.strip_prefix(mark) {
            Some(after) => {
                *rest = after;
                true
            }
            None => false,
        };
        parsed.plus = flag(&mut rest, '+');
        parsed.alternate = flag(&mut rest, '#');
        parsed.zeros = flag(&mut rest, '0');
        parsed.width = number(&mut rest)?;
        if flag(&mut rest, '.') {
            parsed.precision = Some(number(&mut rest)??);
        }
        match rest {
            "" => {}
            "?" => parsed.alternate = false,
            "x" | "X" | "o" | "e" | "E" => parsed.letter = rest.chars().next()?,
            _ => return None,
        }
        // C pads between the base and the digits, Rust before the base.
        let padded_base = parsed.alternate && parsed.width.is_some() && !parsed.zeros;
        (!padded_base).then_some(parsed)
    }

    fn piece(&self) -> TokenStream {
        let Self { left, plus, alternate, zeros, width, precision, letter } = self;
        let (left, width, precision) = (optional(*left), optional(*width), optional(*precision));
        quote! {
            ::warpsmith::ir::FormatPiece::Arg(::warpsmith::ir::FormatSpec {
                left: #left,
                plus: #plus,
                alternate: #alternate,
                zeros: #zeros,
                width: #width,
                precision: #precision,
                letter: #letter,
            })
        }
    }
}

/// Takes digits off the front; `Some(None)` if there are none.
fn number(rest: &mut &str) -> Option<Option<u32>> {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    *rest = after;
    if digits.is_empty() { Some(None) } else { digits.parse().ok().map(Some) }
}
