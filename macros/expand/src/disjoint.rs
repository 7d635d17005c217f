//! References to several elements of a slice, all of which may write: parts that `split_at_mut` gives, one element in each.

use proc_macro2::{Ident, Literal, Span};
use quote::format_ident;
use syn::{Expr, Pat, Stmt, parse_quote_spanned};

/// An index, from the start or from the end.
#[derive(Clone, Copy)]
pub enum At {
    Front(usize),
    Back(usize),
}

impl At {
    /// The index in a slice.
    pub fn index(self, slice: &Ident, span: Span) -> Expr {
        self.below(&parse_quote_spanned!(span=> #slice.len()), span)
    }

    fn below(self, len: &Expr, span: Span) -> Expr {
        let (Self::Front(n) | Self::Back(n)) = self;
        let n = Literal::usize_suffixed(n);
        match self {
            Self::Front(_) => parse_quote_spanned!(span=> #n),
            Self::Back(_) => parse_quote_spanned!(span=> #len - #n),
        }
    }
}

/// An element of a slice, or the elements up to an end, which may be the slice's.
pub struct Place {
    pub start: At,
    pub end: Option<Option<At>>,
}

impl Place {
    /// A reference to this place.
    pub fn of(&self, slice: &Ident, mutable: bool, span: Span) -> Expr {
        self.within(slice, &parse_quote_spanned!(span=> #slice.len()), mutable, span)
    }

    fn within(&self, slice: &Ident, len: &Expr, mutable: bool, span: Span) -> Expr {
        let start = self.start.below(len, span);
        let place: Expr = match self.end {
            None => parse_quote_spanned!(span=> #slice[#start]),
            Some(end) => {
                let end = end.map(|end| end.below(len, span)).into_iter();
                parse_quote_spanned!(span=> #slice[#start..#(#end)*])
            }
        };
        match mutable {
            true => parse_quote_spanned!(span=> &mut #place),
            false => parse_quote_spanned!(span=> &#place),
        }
    }

    /// A reference to this place, of the part that begins with it.
    fn first(&self, part: &Ident, len: &Expr, span: Span) -> Expr {
        let start = self.start.below(len, span);
        match self.end {
            None => parse_quote_spanned!(span=> &mut #part[0usize]),
            Some(None) => parse_quote_spanned!(span=> &mut #part[..]),
            Some(Some(end)) => {
                let end = end.below(len, span);
                parse_quote_spanned!(span=> &mut #part[..#end - #start])
            }
        }
    }
}

/// Gives names references to places, in the order of these. The statements stand before the references.
pub fn split(slice: &Ident, names: &mut [(Pat, Expr)], places: &[Place], span: Span) -> Vec<Stmt> {
    let (length, mut left) = (Ident::new("__taken_len", span), slice.clone());
    let len = parse_quote_spanned!(span=> #length);
    let mut setup = vec![parse_quote_spanned!(span=> let #length = #slice.len();)];
    // From the last on: an index counts from the start of what is left.
    for (k, ((_, value), place)) in names.iter_mut().zip(places).enumerate().rev() {
        if k == 0 {
            *value = place.within(&left, &len, true, span);
            break;
        }
        let (rest, part) =
            (format_ident!("__taken_left", span = span), format_ident!("__taken{k}", span = span));
        let start = place.start.below(&len, span);
        setup.push(parse_quote_spanned!(span=> let (#rest, #part) = #left.split_at_mut(#start);));
        *value = place.first(&part, &len, span);
        left = rest;
    }
    setup
}
