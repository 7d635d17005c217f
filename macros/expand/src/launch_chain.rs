//! `kernel(args).grid(…).block(…).launch()` in a kernel: one expression, from the kernel's name to `launch`.

use proc_macro2::{Delimiter, Group, Ident};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprMethodCall, ExprPath};

use super::lower::{Lower, Lowered, last_span, parenthesized, spanned_group};
use super::operands::Operands;

/// Methods that say the shape, each with one operand.
const SHAPE: [&str; 4] = ["grid", "over", "block", "dynamic_shared"];
/// Methods that say the order, without operands.
const ORDER: [&str; 2] = ["tail", "fire_and_forget"];
/// Methods of a launch that only the host has.
const HOST: [&str; 10] = [
    "over_2d",
    "cluster",
    "cooperative",
    "priority",
    "mem_sync_domain",
    "mem_sync_domain_map",
    "programmatic_serialization",
    "access_policy_window",
    "on",
    "seed",
];

/// A launch, taken apart.
pub struct LaunchChain<'a> {
    call: &'a ExprCall,
    path: &'a ExprPath,
    /// The methods between the call and `launch`, in order.
    methods: Vec<&'a ExprMethodCall>,
    last: &'a ExprMethodCall,
}

impl<'a> LaunchChain<'a> {
    /// The launch that a method call ends, if its names say that it is one.
    pub fn of(last: &'a ExprMethodCall) -> Option<Self> {
        if last.method != "launch" && last.method != "launch_unchecked" {
            return None;
        }
        let mut methods = Vec::new();
        let mut receiver = &*last.receiver;
        while let Expr::MethodCall(call) = receiver {
            methods.push(call);
            receiver = &call.receiver;
        }
        methods.reverse();
        let Expr::Call(call) = receiver else { return None };
        let Expr::Path(path) = &*call.func else { return None };
        let known = |m: &&ExprMethodCall| {
            let name = m.method.to_string();
            [&SHAPE[..], &ORDER, &HOST].concat().contains(&name.as_str())
        };
        let named = path.path.segments.last()?.ident.to_string().starts_with(|c: char| c.is_lowercase());
        (named && methods.iter().any(known)).then_some(Self { call, path, methods, last })
    }

    /// The mistake in it, with its place.
    fn mistake(&self) -> Option<(proc_macro2::TokenStream, String)> {
        for (i, call) in self.methods.iter().enumerate() {
            let name = call.method.to_string();
            if let Some(message) = wrong_method(&name) {
                return Some((call.method.to_token_stream(), message));
            }
            if self.methods[..i].iter().any(|earlier| same(&earlier.method.to_string(), &name)) {
                let message = format!(
                    "`.{name}(…)` repeats or contradicts an earlier call of this launch; keep one of them"
                );
                return Some((call.method.to_token_stream(), message));
            }
        }
        if self.last.method != "launch" {
            let message = "a launch in a kernel is checked as its kernel is; write `.launch()`".to_owned();
            return Some((self.last.method.to_token_stream(), message));
        }
        if let Some(device) = self.last.args.first() {
            let message = "a launch in a kernel takes no device; write `.launch()`".to_owned();
            return Some((device.to_token_stream(), message));
        }
        if !self.methods.iter().any(|call| call.method == "grid" || call.method == "over") {
            let message = "a launch needs a grid; write `.grid(blocks)` or `.over(items)` before `.launch()`";
            return Some((self.last.method.to_token_stream(), message.to_owned()));
        }
        None
    }

    /// The expressions in the order of evaluation, and the settings of the launch.
    fn operands(&self) -> (Vec<&'a Expr>, Vec<(String, bool)>) {
        let mut operands: Vec<&Expr> = self.call.args.iter().collect();
        operands.extend(self.methods.iter().flat_map(|call| &call.args));
        let said = self.methods.iter().map(|call| (call.method.to_string(), !call.args.is_empty()));
        (operands, said.collect())
    }
}

/// Why a method cannot stand in a launch in a kernel.
fn wrong_method(name: &str) -> Option<String> {
    if SHAPE.contains(&name) || ORDER.contains(&name) {
        return None;
    }
    if HOST.contains(&name) {
        return Some(format!(
            "`.{name}(…)` is for launches of the host; a launch in a kernel has a grid, a block, dynamic shared memory and an order"
        ));
    }
    Some(format!(
        "a launch in a kernel has no method `{name}`; it knows `grid`, `over`, `block`, `dynamic_shared`, `tail` and `fire_and_forget`"
    ))
}

/// Returns whether two methods say the same part of a launch.
fn same(a: &str, b: &str) -> bool {
    let part = |name: &str| match name {
        "over" => "grid".to_owned(),
        "fire_and_forget" => "tail".to_owned(),
        other => other.to_owned(),
    };
    part(a) == part(b)
}

/// The method that launches on the simulator.
pub fn twin_method(launch: &Ident) -> Ident {
    format_ident!("launch_in_kernel", span = launch.span())
}

impl Lower<'_> {
    /// The witness calls the kernel's own function and the builder's own methods, as the twin does.
    pub fn launch(&mut self, e: &ExprMethodCall, chain: &LaunchChain<'_>) -> Lowered {
        if let Some((tokens, message)) = chain.mistake() {
            return self.refuse(tokens, message);
        }
        let (operands, said) = chain.operands();
        let Operands { witness, setup, names } = self.arguments(&operands);
        let (path, first) = (chain.path, chain.path.span());
        let (fn_probe, fn_index) = self.fn_probe(first);
        let own = self.own_name("__v", first);
        let callee = parenthesized(last_span(path), quote!(#path));
        let (given, of_methods) = witness.split_at(chain.call.args.len());
        let given = Group::new(Delimiter::Parenthesis, quote!(#(#given),*));
        let given = spanned_group(given, chain.call.paren_token.span.close());
        let mut operand = of_methods.iter();
        let methods = chain.methods.iter().map(|call| {
            let (dot, method) = (&call.dot_token, &call.method);
            let operand = operand.by_ref().take(call.args.len());
            quote!(#dot #method(#(#operand)*))
        });
        let value = quote_spanned! {first=> {
            let #own = #callee #given #(#methods)*;
            ::warpsmith::__macro::launched(&#own, &#fn_probe);
        }};
        let line = self.line(e.method.span());
        let said = said.iter().map(|(name, operand)| quote!((#name, #operand)));
        Lowered {
            witness: value,
            emit: quote!({ #setup #line __r.launch(__t.callee(#fn_index), &[#(#said),*], ::warpsmith::__macro::list([#(#names),*])) }),
        }
    }
}
