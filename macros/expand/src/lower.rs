//! The state of lowering one body: probes, scopes, mistakes.
//!
//! Lowering visits each node once and writes its witness and its emitter side by side, so a probe's number means the same
//! node in both.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Expr;

use super::index_types::IndexTypes;
use super::leaving::Leaves;
use crate::errors::Errors;
use crate::rustc_span;

/// One node, twice.
pub struct Lowered {
    /// For the witness: the user's tokens with probes.
    pub witness: TokenStream,
    /// For the emitter: an expression of type `ir::Expr`.
    pub emit: TokenStream,
}

impl Lowered {
    /// In place of an expression whose mistake is reported elsewhere.
    pub fn nothing() -> Self {
        Self {
            witness: quote!(::warpsmith::__macro::never_called()),
            emit: quote!(::warpsmith::ir::Expr::unit()),
        }
    }
}

/// The meaning of a name in scope.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Name {
    /// A variable of the kernel: the emitter holds a `Local`.
    Local,
    /// A closure parameter.
    Closure,
    /// An iterator in a variable: the emitter holds a reference to a `record::Kept`.
    Iterator,
    /// A comptime parameter or a local `const`: the emitter holds the value itself.
    Comptime,
}

/// The knowledge of a name's type from tokens alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Known {
    Nothing,
    /// A number or a `bool`: no operator on two of them is overloaded.
    Number,
    /// A range, which loops and adapters walk.
    Range,
    /// A value whose type is written `Range<…>`, which may be a type of the user's own.
    LikeRange,
    /// An array or a slice. This number of indices, one after the other, are certainly its own and its elements', and
    /// not overloaded.
    Elements(u8),
}

impl Known {
    /// An array or a slice of such elements.
    pub fn of_elements(elements: Known) -> Self {
        match elements {
            Known::Number => Known::Elements(u8::MAX),
            Known::Elements(indices) => Known::Elements(indices.saturating_add(1)),
            _ => Known::Elements(1),
        }
    }

    /// The result of an index.
    pub fn element(self) -> Self {
        match self {
            Known::Elements(u8::MAX) => self,
            Known::Elements(indices) if indices > 1 => Known::Elements(indices - 1),
            _ => Known::Nothing,
        }
    }
}

/// State while one body is lowered.
pub struct Lower<'e> {
    /// Mistakes found.
    pub errors: &'e mut Errors,
    probes: Vec<TokenStream>,
    /// What ties the types of `const` blocks in the witness to those in the emitter.
    pub blocks: Vec<Ident>,
    scopes: Vec<HashMap<String, Name>>,
    /// The certain types of names in scope, as far as tokens tell.
    known: Vec<HashMap<String, Known>>,
    last_line: usize,
    /// Depth of closures: a `return` inside one is the closure's own.
    pub closures: usize,
    /// What `return` and `?` leave.
    pub leaves: Leaves,
    /// Parts of patterns so far, for their identifiers.
    pub parts: usize,
    /// Open `move` closures: how many scopes are around each, and the names that it has used of these.
    captures: RefCell<Vec<(usize, BTreeMap<String, Ident>)>>,
    /// Methods that the body calls.
    pub methods: super::device_method::DeviceMethods,
    /// Whether mistakes of the twin silence the witness; see [`Lower::hold`].
    pub guarded: bool,
    /// Whether a call lends what may be an array.
    pub lends: bool,
    /// The types of its indices.
    pub index_types: IndexTypes,
    /// Whether the body knows generic types.
    pub generic: bool,
    /// The probe of the last value that was tapped.
    pub last_tap: Cell<Option<Ident>>,
    /// Names of variables whose block has ended.
    ended: HashSet<String>,
    /// Names of macros that the body declares, which was refused there.
    pub own_macros: HashSet<String>,
    /// Calls of macros by names that others may have, by these names.
    pub known_macros: BTreeMap<&'static str, TokenStream>,
    /// The site at which names that the witness declares resolve: beside the user's own.
    site: Span,
}

impl<'e> Lower<'e> {
    /// A scope without names; `site` is a token of the body.
    pub fn new(errors: &'e mut Errors, site: Span) -> Self {
        Self {
            errors,
            probes: Vec::new(),
            blocks: Vec::new(),
            scopes: vec![HashMap::new()],
            known: vec![HashMap::new()],
            last_line: 0,
            closures: 0,
            leaves: Leaves::Function,
            parts: 0,
            captures: RefCell::default(),
            methods: Default::default(),
            guarded: false,
            lends: false,
            index_types: IndexTypes::new(site),
            generic: false,
            last_tap: Cell::new(None),
            ended: HashSet::new(),
            own_macros: HashSet::new(),
            known_macros: BTreeMap::new(),
            site,
        }
    }

    /// Declares a type probe: its name in the witness, its number in the emitter.
    pub fn probe(&mut self, span: Span) -> (Ident, usize) {
        self.declare(span)
    }

    /// Declares a function probe.
    pub fn fn_probe(&mut self, span: Span) -> (Ident, usize) {
        self.declare(span)
    }

    /// Declares what ties the type of a `const` block.
    pub fn declare_block(&mut self, span: Span) -> Ident {
        let name = self.own_name(&format!("__block{}", self.blocks.len()), span);
        self.blocks.push(name.clone());
        name
    }

    /// A name of the witness's own, which stands at `span`.
    pub fn own_name(&self, name: &str, span: Span) -> Ident {
        Ident::new(name, span.resolved_at(self.site))
    }

    /// `value` as an expression that reaches over the user's tokens `whole`, its type witnessed.
    ///
    /// rustc says one thing about one place once. So what it says about the value must stand where it
    /// stands in the twin; and a type that is no device type is blamed on `blamed`.
    pub fn tap(&self, probe: &Ident, blamed: Span, whole: &impl ToTokens, value: TokenStream) -> TokenStream {
        self.last_tap.set(Some(probe.clone()));
        let own = self.own_name("__v", blamed);
        let see = see(probe, &own);
        let held = self.hold(&own);
        spanning(whole, quote!(let #own = #value; #see), held)
    }

    /// `value` as long as the twin has no mistakes; otherwise a value of an unknown type, about which rustc reports
    /// nothing.
    pub fn hold(&self, value: &impl ToTokens) -> TokenStream {
        if !self.guarded {
            return value.to_token_stream();
        }
        let sound = self.own_name("__sound", self.site);
        quote!(#sound.hold(#value))
    }

    /// The right side of an operator. Beside bounds of a generic type, rustc knows what even an unknown left side
    /// asks of it.
    pub fn right_side(&self, value: &impl ToTokens) -> TokenStream {
        if self.generic { self.hold(value) } else { value.to_token_stream() }
    }

    // Declared without a type: rustc looks at what it knows of each unresolved type again at every
    // later call, so a probe gets its type where it is used, and not before.
    fn declare(&mut self, span: Span) -> (Ident, usize) {
        let index = self.probes.len();
        let name = self.own_name(&format!("__w{index}"), span);
        self.probes.push(quote!(let #name;));
        (name, index)
    }

    /// The probe that was declared last.
    pub fn last_probe(&self) -> Option<Ident> {
        let last = self.probes.len().checked_sub(1)?;
        Some(self.own_name(&format!("__w{last}"), self.site))
    }

    /// The statements that declare the probes, and the tree of them that the witness returns.
    pub fn probe_tree(&self) -> (TokenStream, TokenStream) {
        let declarations = self.probes.iter().cloned().collect();
        let mut level: Vec<TokenStream> = (0..self.probes.len())
            .map(|i| {
                let name = self.own_name(&format!("__w{i}"), self.site);
                quote!(#name)
            })
            .collect();
        while level.len() > 8 {
            level = level.chunks(8).map(|chunk| quote!((#(#chunk,)*))).collect();
        }
        (declarations, if level.is_empty() { quote!(()) } else { quote!((#(#level,)*)) })
    }

    /// Runs `body` in a scope of its own.
    pub fn scoped<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(HashMap::new());
        self.known.push(HashMap::new());
        let result = body(self);
        self.ended.extend(self.scopes.pop().into_iter().flatten().map(|(name, _)| name));
        self.known.pop();
        result
    }

    /// Brings a name into scope.
    pub fn bind(&mut self, name: &Ident, kind: Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), kind);
        }
        self.know(name, Known::Nothing);
    }

    /// Notes the certain type of a name that was just bound.
    pub fn know(&mut self, name: &Ident, known: Known) {
        if let Some(scope) = self.known.last_mut() {
            scope.insert(name.to_string(), known);
        }
    }

    /// The certain type of a name.
    pub fn known(&self, name: &Ident) -> Known {
        let name = name.to_string();
        self.known.iter().rev().find_map(|scope| scope.get(&name).copied()).unwrap_or(Known::Nothing)
    }

    /// The meaning of a name; `None` if the body does not declare it.
    pub fn lookup(&self, name: &Ident) -> Option<Name> {
        let text = name.to_string();
        let find = |scope: &HashMap<String, Name>| scope.get(&text).copied();
        let (depth, kind) =
            self.scopes.iter().enumerate().rev().find_map(|(depth, scope)| Some((depth, find(scope)?)))?;
        if !matches!(kind, Name::Comptime | Name::Iterator) {
            for (around, used) in self.captures.borrow_mut().iter_mut() {
                if depth < *around {
                    let own = || if text == "self" { own_self(name.span()) } else { name.clone() };
                    used.entry(text.clone()).or_insert_with(own);
                }
            }
        }
        Some(kind)
    }

    /// Lowers the body of a closure; if it is `move`, the names that it captures, too.
    pub fn capturing<R>(&mut self, moves: bool, body: impl FnOnce(&mut Self) -> R) -> (R, Vec<Ident>) {
        if !moves {
            return (body(self), Vec::new());
        }
        let around = self.scopes.len();
        self.captures.get_mut().push((around, BTreeMap::new()));
        let result = body(self);
        let used = self.captures.get_mut().pop().map(|(_, used)| used).unwrap_or_default();
        (result, used.into_values().collect())
    }

    /// Returns whether a name was one of a variable in a block that has ended, and is nothing else by convention.
    pub fn has_ended(&self, name: &Ident) -> bool {
        let text = name.to_string();
        self.lookup(name).is_none() && self.ended.contains(&text) && text.starts_with(char::is_lowercase)
    }

    /// The emitter's note of the Rust line, when it changed.
    pub fn line(&mut self, span: Span) -> TokenStream {
        let line = rustc_span::line(span);
        if line == self.last_line {
            return TokenStream::new();
        }
        self.last_line = line;
        let line = line as u32;
        quote!(__r.at(::core::file!(), #line);)
    }

    /// Forgets the line, where control flow joins.
    pub fn forget_line(&mut self) {
        self.last_line = 0;
    }

    /// Refuses a construct. The witness keeps a value of any type, so there is one error.
    pub fn refuse(&mut self, tokens: impl quote::ToTokens, message: impl std::fmt::Display) -> Lowered {
        self.errors.at(tokens, message);
        Lowered {
            witness: quote!(::warpsmith::__macro::never_called()),
            emit: quote!(::warpsmith::ir::Expr::unit()),
        }
    }
}

/// The emitter's name for a variable: not the user's where that may be one of an item, which a `let` takes for a
/// pattern. Others stay, for rustc knows that it has said something only where it says the same again: of a name that
/// it does not know it says which it knows.
pub fn held(name: &Ident) -> Ident {
    match name.to_string().starts_with(char::is_uppercase) {
        true => format_ident!("__local_{}", name, span = name.span()),
        false => name.clone(),
    }
}

/// Returns whether tokens hold such a name at any depth.
pub fn any_ident(tokens: TokenStream, is: &impl Fn(&Ident) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => any_ident(group.stream(), is),
        TokenTree::Ident(ident) => is(&ident),
        _ => false,
    })
}

/// The name of the receiver in a body, which is no keyword.
pub fn own_self(span: Span) -> Ident {
    Ident::new("__self", span)
}

/// A witness of a binding, with a span that blames the name for a type that is no device type.
pub fn see(probe: &Ident, name: &Ident) -> TokenStream {
    let span = name.span();
    quote_spanned!(span=> ::warpsmith::__macro::see(&#probe, &#name);)
}

/// The span of the last token; generated tokens end where the user's do.
pub fn last_span(tokens: &impl ToTokens) -> Span {
    match tokens.to_token_stream().into_iter().last() {
        Some(TokenTree::Group(group)) => group.span_close(),
        Some(other) => other.span(),
        None => Span::call_site(),
    }
}

/// A group whose delimiters stand at `span`.
pub fn spanned_group(mut group: Group, span: Span) -> Group {
    group.set_span(span);
    group
}

/// `(tokens)` with both parentheses at `span`.
pub fn parenthesized(span: Span, tokens: TokenStream) -> Group {
    spanned_group(Group::new(Delimiter::Parenthesis, tokens), span)
}

/// `value` after `statements`, as an expression from the first to the last of the user's tokens: what is
/// expected of it says nothing about the value.
pub fn spanning(whole: &impl ToTokens, statements: TokenStream, value: TokenStream) -> TokenStream {
    let block = parenthesized(first_span(whole), quote!({ #statements (#value,) }));
    let mut first = Literal::usize_unsuffixed(0);
    first.set_span(last_span(whole));
    quote!(#block.#first)
}

/// The witness of an expression that stands where a statement begins: a block at its beginning would be a statement of its own
/// there, and `{ a } - b` two.
pub fn as_statement(expr: &Expr, witness: TokenStream) -> TokenStream {
    if begins_with_block(expr) { parenthesized(last_span(expr), witness).to_token_stream() } else { witness }
}

/// Returns whether an expression goes on behind a block, an `if` or their like.
pub fn begins_with_block(expr: &Expr) -> bool {
    let first = match expr {
        Expr::Assign(e) => &e.left,
        Expr::Binary(e) => &e.left,
        Expr::Call(e) => &e.func,
        Expr::Cast(e) => &e.expr,
        Expr::Field(e) => &e.base,
        Expr::Index(e) => &e.expr,
        Expr::MethodCall(e) => &e.receiver,
        Expr::Try(e) => &e.expr,
        _ => return false,
    };
    let is_block = matches!(
        **first,
        Expr::Block(_)
            | Expr::ForLoop(_)
            | Expr::If(_)
            | Expr::Loop(_)
            | Expr::Match(_)
            | Expr::Unsafe(_)
            | Expr::While(_)
    );
    is_block || begins_with_block(first)
}

/// The span of the first token.
fn first_span(tokens: &impl ToTokens) -> Span {
    match tokens.to_token_stream().into_iter().next() {
        Some(TokenTree::Group(group)) => group.span_open(),
        Some(other) => other.span(),
        None => Span::call_site(),
    }
}
