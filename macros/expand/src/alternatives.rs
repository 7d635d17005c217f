//! Names inside `|`: the alternative that matches decides what a name stands for.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Pat, PatIdent, PatOr};

use super::lower::{Lower, Name, held};
use super::matching::Choice;
use super::pattern::{Binds, names_of};
use crate::visitor::{BelowMut, VisitMut};
use syn::visit_mut;

/// Patterns that one arm with a guard may become.
const MOST: usize = 64;

impl Lower<'_> {
    /// The test of `a | b`, with the names that all of its cases bind.
    pub fn or_pattern(
        &mut self,
        or: &PatOr,
        of: &Ident,
        binds: Binds,
        setup: &mut TokenStream,
        bindings: &mut TokenStream,
    ) -> TokenStream {
        let tests: Vec<TokenStream> = (or.cases.iter())
            .map(|case| self.test(case, of, Binds::Parts, setup, &mut TokenStream::new()))
            .collect();
        for name in or.cases.first().map(bound).unwrap_or_default() {
            bindings.extend(self.chosen(&name, or, &tests, of, binds));
        }
        quote!({
            let __any = ::warpsmith::__macro::list([#({ #tests }),*]);
            __r.any(__any)
        })
    }

    /// The statement that binds a name to its part in the first case that matches.
    fn chosen(
        &mut self,
        name: &PatIdent,
        or: &PatOr,
        tests: &[TokenStream],
        of: &Ident,
        binds: Binds,
    ) -> TokenStream {
        let (ident, text) = (held(&name.ident), name.ident.to_string());
        let mut parts: Vec<TokenStream> = Vec::new();
        for case in &or.cases {
            let (mut setup, mut bindings) = (TokenStream::new(), TokenStream::new());
            self.test(&with_one_name(case, &name.ident), of, Binds::Parts, &mut setup, &mut bindings);
            parts.push(quote!({ #setup #bindings __r.local(&#ident) }));
        }
        let last = parts.pop().unwrap_or_default();
        let choices = tests.iter().zip(parts).map(|(test, part)| Choice {
            setup: TokenStream::new(),
            cond: test.clone(),
            body: part,
        });
        let value = self.choices(choices, &last);
        self.bind(&name.ident, Name::Local);
        // Behind `ref mut` the name itself does not change.
        let mutable = name.mutability.is_some() && name.by_ref.is_none();
        let bound = binds.name(&text, mutable);
        quote!(let #ident = { let __v = #value; #bound };)
    }

    /// The arms that an arm with a guard stands for: as in Rust, a guard that fails in one case is asked again in the next.
    /// The names of other arms are chosen by the case that matches.
    pub fn cases(&mut self, pat: &Pat, guarded: bool) -> Vec<Pat> {
        if !guarded {
            return vec![pat.clone()];
        }
        let mut cases = vec![pat.clone()];
        while let Some((at, count)) =
            cases.iter().enumerate().find_map(|(at, pat)| first_choice(pat).map(|count| (at, count)))
        {
            if cases.len() + count > MOST {
                self.errors.at(
                    pat,
                    format!("the alternatives with names make more than {MOST} arms of this one in a kernel; test the parts inside the arm"),
                );
                return vec![pat.clone()];
            }
            let whole = cases.remove(at);
            for case in (0..count).rev() {
                let mut one = whole.clone();
                First::Take(case).visit_pat_mut(&mut one);
                cases.insert(at, one);
            }
        }
        cases
    }
}

/// The first `|` of a pattern with names inside.
enum First {
    /// Asks how many cases it has.
    Ask(Option<usize>),
    /// Puts this case in its place.
    Take(usize),
    Done,
}

impl VisitMut for First {
    fn this(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        if let Pat::Or(or) = pat
            && !names_of(&or.cases[0]).is_empty()
        {
            match std::mem::replace(self, Self::Done) {
                Self::Ask(None) => *self = Self::Ask(Some(or.cases.len())),
                Self::Take(case) => *pat = or.cases[case].clone(),
                done => *self = done,
            }
        } else {
            visit_mut::visit_pat_mut(&mut BelowMut(self), pat);
        }
    }
}

/// The number of cases of the first `|` with names inside.
fn first_choice(pat: &Pat) -> Option<usize> {
    let mut search = First::Ask(None);
    search.visit_pat_mut(&mut pat.clone());
    match search {
        First::Ask(found) => found,
        First::Take(_) | First::Done => None,
    }
}

/// The bindings of a case, each once.
fn bound(case: &Pat) -> Vec<PatIdent> {
    struct Search<'a>(Vec<&'a Ident>, Vec<PatIdent>);
    impl VisitMut for Search<'_> {
        fn this(&mut self) -> &mut dyn VisitMut {
            self
        }

        fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
            if self.0.contains(&&pat.ident) {
                self.1.push(pat.clone());
            }
            visit_mut::visit_pat_ident_mut(&mut BelowMut(self), pat);
        }
    }
    let mut search = Search(names_of(case), Vec::new());
    search.visit_pat_mut(&mut case.clone());
    search.1
}

/// A case that binds one name alone, unchanged once it is bound.
fn with_one_name(case: &Pat, name: &Ident) -> Pat {
    struct Others<'a>(&'a Ident);
    impl VisitMut for Others<'_> {
        fn this(&mut self) -> &mut dyn VisitMut {
            self
        }

        fn visit_pat_mut(&mut self, pat: &mut Pat) {
            match pat {
                Pat::Ident(bound) if bound.ident == *self.0 => {
                    bound.subpat = None;
                    if bound.by_ref.is_none() {
                        bound.mutability = None;
                    }
                }
                Pat::Ident(other) if !names_of(&Pat::Ident(other.clone())).is_empty() => {
                    match other.subpat.take() {
                        Some((_, inner)) => {
                            *pat = *inner;
                            self.visit_pat_mut(pat);
                        }
                        None => *pat = syn::parse_quote!(_),
                    }
                }
                other => visit_mut::visit_pat_mut(&mut BelowMut(self), other),
            }
        }
    }
    let mut case = case.clone();
    Others(name).visit_pat_mut(&mut case);
    case
}
