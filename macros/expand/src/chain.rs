//! Long chains: a sum of hundreds of terms, hundreds of calls one after the other.
//!
//! The tree of such an expression is as deep as the chain is long, and what is made of it a multiple of that, for
//! which rustc has no stack. A long chain is lowered in pieces: `{ let part = first terms; part + further terms }`,
//! which evaluates the same in the same order.

use syn::{BinOp, Expr, parse_quote};

use super::assign::compound;

/// Links of a chain that are lowered in one piece.
const PIECE: usize = 24;

/// A chain in two pieces, if it is long.
pub fn split(expr: &Expr) -> Option<Expr> {
    let mut rest = expr;
    for _ in 0..2 * PIECE {
        rest = link(rest)?;
    }
    let mut last = expr.clone();
    let mut place = &mut last;
    for _ in 0..PIECE {
        place = link_mut(place)?;
    }
    let first = std::mem::replace(place, parse_quote!(__part));
    Some(parse_quote!({ let mut __part = #first; #last }))
}

/// The base of a link of a chain.
fn link(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Binary(e) if is_link(&e.op) => Some(&e.left),
        Expr::MethodCall(e) => Some(&e.receiver),
        _ => None,
    }
}

fn link_mut(expr: &mut Expr) -> Option<&mut Expr> {
    match expr {
        Expr::Binary(e) if is_link(&e.op) => Some(&mut e.left),
        Expr::MethodCall(e) => Some(&mut e.receiver),
        _ => None,
    }
}

/// Returns whether an operator gives a value that the next one of a chain takes.
fn is_link(op: &BinOp) -> bool {
    compound(op).is_none()
}
