//! Lowering of what takes patterns apart: `match`, `let … else`, `matches!`.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Arm, Block, Expr, ExprMatch, Pat, Token};

use super::fragments::Fragments as _;
use super::lower::{Lower, Lowered, as_statement, last_span};
use super::pattern::{Binds, binding_names, binds_by_ref};
use super::places::Access;

/// An arm, lowered.
pub(super) struct LoweredArm {
    pub witness: TokenStream,
    setup: TokenStream,
    cond: TokenStream,
    body: TokenStream,
    guarded: bool,
}

/// The matched value, and the arms.
pub(super) struct Arms {
    pub scrutinee: Lowered,
    pub arms: Vec<LoweredArm>,
    /// All of it, for the emitter.
    pub emit: TokenStream,
}

/// The parts of an arm.
pub(super) struct ArmParts<'a> {
    pub pat: &'a Pat,
    pub guard: Option<&'a Expr>,
    pub body: Body<'a>,
}

/// The body of an arm.
#[derive(Clone, Copy)]
pub(super) enum Body<'a> {
    Expr(&'a Expr),
    Block(&'a Block),
    Bool(bool),
    Break,
}

impl Lower<'_> {
    /// `match`, as a chain of `if`s.
    pub fn match_(&mut self, e: &ExprMatch) -> Lowered {
        let cases: Vec<(Pat, &Arm)> = e.arms.iter().flat_map(|arm| self.cases_of(arm)).collect();
        let arms: Vec<ArmParts<'_>> = cases.iter().map(|(pat, arm)| arm_parts(pat, arm)).collect();
        let Arms { scrutinee, arms, emit } = self.arms(&e.expr, &arms);
        let witness = arms.iter().map(|arm| &arm.witness);
        let sw = &scrutinee.witness;
        let mut body = Group::new(Delimiter::Brace, quote!(#(#witness)*));
        body.set_span(e.brace_token.span.join());
        let keyword = &e.match_token;
        Lowered { witness: quote!(#keyword #sw #body), emit }
    }

    /// The patterns that an arm stands for, each with the arm.
    fn cases_of<'a>(&mut self, arm: &'a Arm) -> Vec<(Pat, &'a Arm)> {
        let (pat, guard) = guarded(arm);
        self.cases(pat, guard.is_some()).into_iter().map(|pat| (pat, arm)).collect()
    }

    pub(super) fn arms(&mut self, scrutinee: &Expr, arms: &[ArmParts<'_>]) -> Arms {
        let (scrutinee, hold) = self.scrutinee(scrutinee, arms.iter().map(|arm| arm.pat));
        let mut lowered = Vec::new();
        for arm in arms {
            self.forget_line();
            lowered.push(self.scoped(|lower| lower.arm(arm)));
        }
        self.forget_line();
        let chain = self.chain(&lowered);
        let value = &scrutinee.emit;
        let emit = quote!({ let __s = { let __v = #value; #hold }; #chain });
        Arms { scrutinee, arms: lowered, emit }
    }

    /// The emitter of arms.
    fn chain(&mut self, arms: &[LoweredArm]) -> TokenStream {
        let never = quote!(::warpsmith::ir::Expr::never());
        // rustc has proven the arms exhaustive, so the last one needs no test.
        let (tested, otherwise) = match arms.split_last() {
            Some((LoweredArm { setup, body, guarded: false, .. }, first)) => {
                (first, quote!({ #setup #body }))
            }
            _ => (arms, never),
        };
        let choices = tested.iter().map(|LoweredArm { setup, cond, body, .. }| Choice {
            setup: setup.clone(),
            cond: cond.clone(),
            body: quote!({ #body }),
        });
        self.choices(choices, &otherwise)
    }

    /// The emitter of the first choice whose condition holds, or of `otherwise`. One stands after the other, and not one
    /// inside the other: rustc has a limited stack.
    pub fn choices(&mut self, list: impl Iterator<Item = Choice>, otherwise: &TokenStream) -> TokenStream {
        self.parts += 1;
        let end = syn::Lifetime::new(&format!("'__choices{}", self.parts), Span::call_site());
        let choices: Vec<TokenStream> = list
            .map(|Choice { setup, cond, body }| {
                quote! {
                    #setup
                    let __c = #cond;
                    if __r.if_then(__c) { let __v = #body; __r.if_value(__v); }
                    if !__r.if_else() { break #end; }
                }
            })
            .collect();
        if choices.is_empty() {
            return otherwise.clone();
        }
        quote!({
            let __open = __r.choices_begin();
            #end: { #(#choices)* let __v = #otherwise; __r.if_value(__v); }
            __r.choices_end(__open)
        })
    }

    /// The value that patterns are matched with, as the emitter holds it: its value, or the place if a pattern takes a part
    /// by `ref`.
    pub fn scrutinee<'p>(
        &mut self,
        scrutinee: &Expr,
        patterns: impl IntoIterator<Item = &'p Pat>,
    ) -> (Lowered, TokenStream) {
        match patterns.into_iter().filter_map(binds_by_ref).reduce(|a, b| a || b) {
            Some(mutable) => (self.place(scrutinee, Access::of(mutable)), quote!(__r.bind_place(__v))),
            None => (self.expr(scrutinee), quote!(__r.bind_parts(__v))),
        }
    }

    fn arm(&mut self, arm: &ArmParts<'_>) -> LoweredArm {
        let of = syn::Ident::new("__s", Span::call_site());
        let tested = self.pattern(arm.pat, &of, Binds::Parts);
        let guard = arm.guard.map(|guard| {
            let Lowered { witness, emit } = self.expr(guard);
            Lowered { witness: as_statement(guard, witness), emit }
        });
        let body = self.body(arm.body);
        let (shown, bindings, test) = (binding_names(arm.pat), &tested.bindings, &tested.cond);
        let (body_witness, body_emit, held) = (body.witness, body.emit, &tested.held);
        let (cond, guard_witness) = match &guard {
            None => (quote!(#test), TokenStream::new()),
            Some(Lowered { witness, emit }) => (
                quote!({
                    let __a = #test;
                    if __r.and_begin(__a) { #bindings let __b = #emit; __r.if_value(__b); }
                    __r.and_end()
                }),
                if held.is_empty() { quote!(if #witness) } else { quote!(if { #held #witness }) },
            ),
        };
        let mut block = Group::new(Delimiter::Brace, quote!(#held #body_witness));
        block.set_span(match arm.body {
            Body::Expr(e) => last_span(e),
            Body::Block(e) => last_span(e),
            Body::Bool(_) | Body::Break => Span::call_site(),
        });
        LoweredArm {
            witness: quote!(#shown #guard_witness => #block),
            setup: tested.setup,
            cond,
            body: quote!(#bindings #body_emit),
            guarded: guard.is_some(),
        }
    }

    pub(super) fn body(&mut self, body: Body<'_>) -> Lowered {
        match body {
            Body::Expr(e) => self.expr(e),
            Body::Block(block) => self.block(block),
            Body::Bool(value) => Lowered { witness: quote!(#value), emit: quote!(__r.bool_(#value)) },
            Body::Break => Lowered {
                witness: quote!(break),
                emit: quote!(__r.break_(::core::option::Option::None, ::core::option::Option::None)),
            },
        }
    }

    /// `let pattern = value else { leave };`
    pub fn let_else(&mut self, pat: &Pat, ty: &TokenStream, init: &Expr, diverge: &Expr) -> Lowered {
        let (value, hold) = self.scrutinee(init, [pat]);
        let leave = self.scoped(|lower| lower.expr(diverge));
        let of = self.part_ident();
        let tested = self.pattern(pat, &of, Binds::TestedVariables);
        let (value_witness, value_emit, leave_witness, leave_emit) =
            (value.witness, value.emit, leave.witness, leave.emit);
        let (setup, cond, bindings, held) = (tested.setup, tested.cond, tested.bindings, tested.held);
        let pat = binding_names(pat);
        Lowered {
            witness: quote!(let #pat #ty = #value_witness else #leave_witness; #held),
            emit: quote!(
                let #of = { let __v = #value_emit; #hold };
                #setup
                {
                    let __c = #cond;
                    let __c = __r.unary(::warpsmith::ir::UnaryOp::Not, __c);
                    if __r.if_then(__c) { let __v = #leave_emit; __r.if_value(__v); }
                    let _ = __r.if_else();
                    let __v = __r.if_end();
                    __r.statement(__v);
                }
                #bindings
            ),
        }
    }

    /// `matches!(value, pattern if guard)`
    pub fn matches(&mut self, mac: &syn::Macro) -> Lowered {
        let parts: Matches = match mac.parse_body() {
            Ok(parts) => parts,
            Err(error) => return self.refuse(mac, error),
        };
        let wild: Pat = syn::parse_quote!(_);
        let cases = self.cases(&parts.pat, parts.guard.is_some());
        let guard = parts.guard.as_ref();
        let arms: Vec<ArmParts<'_>> = (cases.iter())
            .map(|pat| ArmParts { pat, guard, body: Body::Bool(true) })
            .chain([ArmParts { pat: &wild, guard: None, body: Body::Bool(false) }])
            .collect();
        let Arms { scrutinee, arms, emit } = self.arms(&parts.value, &arms);
        let witness = arms.iter().map(|arm| &arm.witness);
        let sw = &scrutinee.witness;
        Lowered { witness: quote!(match #sw { #(#witness)* }), emit }
    }
}

/// One of several choices, for the emitter: statements, a condition, and what is done where that holds.
pub struct Choice {
    pub setup: TokenStream,
    pub cond: TokenStream,
    pub body: TokenStream,
}

/// The argument of `matches!`.
pub struct Matches {
    pub value: Expr,
    pub pat: Pat,
    pub guard: Option<Expr>,
}

impl Parse for Matches {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pat = Pat::parse_multi_with_leading_vert(input)?;
        let guard = match input.parse::<Option<Token![if]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        input.parse::<Option<Token![,]>>()?;
        let mut parts = Self { value, pat, guard };
        parts.value.write_out();
        parts.guard.iter_mut().for_each(Expr::write_out);
        Ok(parts)
    }
}

fn arm_parts<'a>(pat: &'a Pat, arm: &'a Arm) -> ArmParts<'a> {
    ArmParts { pat, guard: guarded(arm).1, body: Body::Expr(&arm.body) }
}

/// The pattern of an arm, and its guard.
pub fn guarded(arm: &Arm) -> (&Pat, Option<&Expr>) {
    match &arm.pat {
        Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
        other => (other, None),
    }
}
