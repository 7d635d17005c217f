//! Calls: generated device functions, closures, methods; and those functions themselves.

use super::coverage::Coverage;
use super::names;
use super::scope::{Expr, Gen, Helper, Passing, Return, Var};
use super::types::{self, Len, Structs, Ty};
use crate::random::Random;

/// A device function for one kernel, its source, and how often it used each production.
pub fn helper(
    random: &mut Random,
    structs: &Structs,
    known: &[Helper],
    name: String,
) -> (Helper, String, Coverage) {
    let generic = random.chance(20);
    let param = generic.then_some("M");
    let ret = if random.chance(75) { types::scalar(random) } else { structs.any(random, None) };
    let params = (0..random.between(1, 3)).map(|n| passing(random, structs, generic && n == 0)).collect();
    let taken: Vec<_> = known.iter().map(|h| h.name.as_str()).collect();
    let (name, hostile) = names::function(random, &taken, name);
    let helper = Helper { name, params, ret };
    let fuel = random.between(8, 24) as i32;
    let mut g = Gen::new(random, structs, known.to_vec());
    (g.param, g.fuel, g.returns) = (param, fuel, Some(Return::Value(helper.ret.clone())));
    if hostile {
        g.seen("hostile name of a function");
    }
    let inputs: Vec<_> =
        helper.params.iter().enumerate().map(|(i, passing)| g.parameter(passing, format!("p{i}"))).collect();
    let mut lines = Vec::new();
    if g.random.chance(50) {
        let word = g.leaf(&Ty::Int(types::U32)).text;
        lines.push(format!("let word = {word};"));
        g.bounded("word", &mut lines);
    }
    lines.push(g.statements(3, 2));
    let body = lines.join("\n");
    let tail = g.expr(&helper.ret, 2).text;
    let seen = g.seen;
    let lifetime = inputs.iter().any(|input| input.contains("&'s ")).then_some("'s");
    let generics: Vec<_> = lifetime.into_iter().chain(generic.then_some("const M: usize")).collect();
    let generics = if generics.is_empty() { String::new() } else { format!("<{}>", generics.join(", ")) };
    let text = format!(
        "#[gpu_fn]\npub fn {}{generics}({}) -> {} {{\n{body}\n{tail}\n}}\n",
        helper.name,
        inputs.join(", "),
        structs.spell(&helper.ret)
    );
    (helper, text, seen)
}

/// How a parameter is passed; `sized` by an array whose length the const generic is found by.
fn passing(random: &mut Random, structs: &Structs, sized: bool) -> Passing {
    let ty = match sized {
        true => Ty::Array(types::scalar(random).into(), Len::Param("M")),
        false if random.chance(60) => types::scalar(random),
        false => structs.any(random, None),
    };
    match random.below(if sized { 4 } else { 7 }) {
        0 | 1 => Passing::Value(ty),
        2 => Passing::Shared(ty),
        3 => Passing::Mutable(ty),
        4 => Passing::Pattern(random.below(structs.0.len())),
        5 => Passing::Slice { elem: Ty::Int(types::integer(random)), writes: true },
        _ => Passing::Slice { elem: Ty::Int(*random.pick(&[types::U32, types::U64])), writes: false },
    }
}

impl Gen<'_> {
    /// A parameter as Rust source; its names come into scope.
    fn parameter(&mut self, passing: &Passing, name: String) -> String {
        let (ty, sigil) = match passing {
            Passing::Value(ty) => (ty.clone(), if self.random.chance(40) { "mut" } else { "" }),
            Passing::Shared(ty) => (ty.clone(), "&"),
            Passing::Mutable(ty) => (ty.clone(), "&mut "),
            Passing::Pattern(id) => return self.pattern_parameter(*id, &name),
            Passing::Slice { elem, writes } => {
                let slice = Ty::Slice(elem.clone().into(), 4);
                self.seen("slice parameter");
                self.vars.push(Var { elements: *writes, ..Var::new(&name, slice, !*writes) });
                // One may be assigned to another.
                let (own, sigil) = if *writes { ("", "&mut ") } else { ("mut ", "&'s ") };
                return format!("{own}{name}: {sigil}[{}]", self.structs.spell(elem));
            }
        };
        let (reference, mutable) = (sigil.starts_with('&'), sigil.contains("mut"));
        let spelled = self.structs.spell(&ty);
        let var = if reference { Var::reference(&name, ty, mutable) } else { Var::new(&name, ty, mutable) };
        self.vars.push(var);
        if reference { format!("{name}: {sigil}{spelled}") } else { format!("{sigil} {name}: {spelled}") }
    }

    /// `S { f0: p0a, f1: p0b }: &mut S`
    fn pattern_parameter(&mut self, id: usize, name: &str) -> String {
        self.seen("function parameter pattern over &mut");
        let def = self.structs.0[id].clone();
        let mut fields = Vec::new();
        for (n, (field, ty)) in def.fields.iter().enumerate() {
            let own = format!("{name}_{n}");
            fields.push(format!("{field}: {own}"));
            self.vars.push(Var::reference(&own, ty.clone(), true));
        }
        format!("{} {{ {} }}: &mut {}", def.head, fields.join(", "), def.ty)
    }
}

impl Gen<'_> {
    /// A call that gives a value of the type, of a generated function or a method.
    pub fn call_value(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        if self.random.chance(30) {
            return self.method_value(ty, depth);
        }
        let fitting: Vec<_> = self.helpers.iter().filter(|h| h.ret == *ty).cloned().collect();
        if fitting.is_empty() {
            return self.method_value(ty, depth);
        }
        let helper = self.random.pick(&fitting).clone();
        self.call(&helper, depth).map(Expr::new)
    }

    /// A call whose result is folded into a variable or dropped.
    pub fn call_statement(&mut self, depth: usize) -> Option<String> {
        match self.random.below(3) {
            0 => return self.each(depth),
            1 => return self.method_statement(depth),
            _ => {}
        }
        if self.helpers.is_empty() {
            return self.each(depth);
        }
        let helper = self.random.pick(&self.helpers).clone();
        let call = self.call(&helper, depth)?;
        if self.random.chance(50) {
            return Some(format!("let _ = {call};"));
        }
        let name = self.fresh("x");
        self.declare(&name, helper.ret, false);
        Some(format!("let {name} = {call};"))
    }

    /// A call with arguments; a variable that is lent is not named by the arguments after it.
    fn call(&mut self, helper: &Helper, depth: usize) -> Option<String> {
        self.scoped(|g| {
            let mut len = None;
            let mut args = Vec::new();
            for passing in &helper.params {
                let arg = match passing {
                    Passing::Value(ty) => {
                        let ty = g.instance(ty, &mut len);
                        g.expr(&ty, depth).text
                    }
                    Passing::Shared(ty) => {
                        let ty = g.instance(ty, &mut len);
                        match g.borrow(|t| *t == ty, false) {
                            Some(place) => format!("&{place}"),
                            None => format!("&{}", g.temporary(&ty, depth)),
                        }
                    }
                    Passing::Mutable(ty) => {
                        let ty = g.instance(ty, &mut len);
                        g.lent(&ty, depth)
                    }
                    Passing::Pattern(id) => g.lent(&Ty::Struct(*id), depth),
                    Passing::Slice { elem, writes } => g.lent_slice(elem, *writes)?,
                };
                args.push(arg);
            }
            let turbofish = len.map_or(String::new(), |len: Len| format!("::<{}>", len.text()));
            Some(format!("{}{turbofish}({})", names::called(&helper.name), args.join(", ")))
        })
    }

    /// `&mut` of a place, of one behind a call, or of a value whose changes are dropped.
    fn lent(&mut self, ty: &Ty, depth: usize) -> String {
        if self.random.chance(30)
            && let Some(behind) = self.behind(|t| t == ty)
        {
            self.seen("reference to a place behind a call");
            self.frozen.push(behind.var);
            return format!("&mut {}", behind.text);
        }
        // A block gives a copy, which is changed instead of the place.
        if self.random.chance(20)
            && let Some(read) = self.read(ty)
        {
            self.seen("reference to a copy of a place");
            return format!("&mut {{ {} }}", read.text);
        }
        match self.borrow(|t| t == ty, true) {
            Some(place) => format!("&mut {place}"),
            None => format!("&mut {{ {} }}", self.temporary(ty, depth)),
        }
    }

    /// A slice of at least four elements of an array, where there is one.
    fn lent_slice(&mut self, elem: &Ty, writes: bool) -> Option<String> {
        let sigil = if writes { "&mut " } else { "&" };
        let fits = |t: &Ty| matches!(t, Ty::Array(e, Len::Fixed(n)) if **e == *elem && *n >= 4);
        let place = self.borrow(fits, writes)?;
        Some(format!("{sigil}{place}[..]"))
    }

    /// A value to refer to, where no variable fits.
    fn temporary(&mut self, ty: &Ty, depth: usize) -> String {
        self.expr(ty, depth).text
    }

    /// The type of an argument, with a length for the const generic of the function called.
    fn instance(&mut self, ty: &Ty, len: &mut Option<Len>) -> Ty {
        match ty {
            Ty::Array(elem, Len::Param("M")) => {
                let own = self.param;
                let len = *len.get_or_insert_with(|| match own {
                    Some(name) if self.random.chance(50) => Len::Param(name),
                    _ => Len::Fixed(*self.random.pick(&[2, 4])),
                });
                Ty::Array(elem.clone(), len)
            }
            other => other.clone(),
        }
    }

    fn pair_of(&self, elem: &Ty) -> Option<usize> {
        self.structs.0.iter().position(|s| s.head == "Pair" && s.fields[0].1 == *elem)
    }

    fn method_value(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        if let Some(value) = self.generic_value(ty, depth) {
            return Some(value);
        }
        let pair = Ty::Struct(self.pair_of(ty)?);
        if self.random.chance(25)
            && let Some(path) = self.pick_path(true, |t| *t == pair)
        {
            self.seen("method on a copy that an argument changes");
            let (place, assign) = (self.place(&path), self.assign(&path, depth.min(1)));
            let value = self.leaf(&pair).text;
            return Some(Expr::new(format!("({{ {place} }}).dot({{\n{assign}\n{value}\n}})")));
        }
        let receiver = match self.pick_place(false, |t| *t == pair) {
            Some((place, path)) if path.steps.is_empty() => place,
            _ => self.expr(&pair, depth).text,
        };
        let call = match self.random.below(2) {
            0 => format!("{receiver}.sum()"),
            _ => format!("{receiver}.dot({})", self.expr(&pair, depth).text),
        };
        Some(Expr::new(call))
    }

    /// Calls of the support module's generic functions.
    fn generic_value(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let stepped = *ty == Ty::Int(types::U32) || *ty == Ty::Int(types::INTS[3]) || *ty == Ty::Struct(1);
        if stepped && self.random.chance(40) {
            self.seen("generic function with a trait's bound");
            let (start, again) = (self.expr(ty, depth).text, self.expr(&Ty::Bool, depth).text);
            return Some(Expr::new(format!("walked({start}, {again})")));
        }
        if *ty == Ty::Int(types::U32)
            && self.random.chance(30)
            && let Some(value) = self.banked_value()
        {
            return Some(Expr::new(value));
        }
        let table = self
            .vars
            .iter()
            .find(|v| v.ty == Ty::Array(ty.clone().into(), Len::Fixed(16)) && v.name.starts_with('t'));
        if let Some(table) = table.filter(|v| ["ta", "tb"].contains(&v.name.as_str())).map(|v| v.name.clone())
            && matches!(ty, Ty::Int(_))
            && self.random.chance(50)
        {
            self.seen("slice parameter reassigned");
            let by = self.leaf(ty).text;
            return Some(Expr::new(format!("shortened(&{table}[{}..], {by})", self.random.below(9))));
        }
        if !matches!(ty, Ty::Int(_)) || self.random.chance(30) {
            return None;
        }
        let fits = |t: &Ty| matches!(t, Ty::Array(e, Len::Fixed(4)) if **e == *ty);
        self.scoped(|g| {
            let values = g.borrow(fits, true)?;
            let counter = g.borrow(|t| *t == Ty::Int(types::U32), true)?;
            g.seen("generic compound assignment with effects");
            let by = g.expr(ty, depth.min(1)).text;
            Some(Expr::new(format!("gathered(&mut {values}, &mut {counter}, {by})")))
        })
    }

    fn method_statement(&mut self, depth: usize) -> Option<String> {
        let pairs: Vec<_> = (0..4).map(Ty::Struct).collect();
        let (place, path) = self.pick_place(true, |t| pairs.contains(t))?;
        if self.random.chance(25) {
            self.seen("reference to a copy of a place");
            return Some(format!("({{ {place} }}).swap();"));
        }
        if self.random.chance(40) {
            return Some(format!("{place}.swap();"));
        }
        let Ty::Struct(id) = self.type_of(&path) else { return None };
        let elem = self.structs.0[id].fields[0].1.clone();
        // The receiver is borrowed first, so the argument must not name it.
        let by = self.scoped(|g| {
            g.frozen.push(path.var);
            g.expr(&elem, depth).text
        });
        let name = self.fresh("x");
        self.declare(&name, elem, false);
        Some(format!("let {name} = {place}.shift({by});"))
    }

    /// `iterate` or `choose` with closures that read what is around them.
    pub fn closure_value(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        if *ty == Ty::Bool || !ty.is_scalar() {
            return None;
        }
        if *ty == Ty::Int(types::U32)
            && self.random.chance(45)
            && let Some(value) = self.moved_closure(depth)
        {
            return Some(value);
        }
        let start = self.expr(ty, depth).text;
        if self.random.chance(60) {
            let rounds = self.random.below(4);
            let f = self.closure(&[ty], ty, depth);
            return Some(Expr::new(format!("iterate({start}, {rounds}, {f})")));
        }
        let n = Ty::Int(types::U32);
        let first = self.expr(&Ty::Bool, depth).text;
        let count = self.leaf(&n).text;
        let (f, g) = (self.closure(&[ty, &n], ty, depth), self.closure(&[ty, &n], ty, depth));
        Some(Expr::new(format!("choose({first}, {start}, {count}, {f}, {g})")))
    }

    fn closure(&mut self, inputs: &[&Ty], ret: &Ty, depth: usize) -> String {
        let loops = std::mem::take(&mut self.loops);
        let returns = self.returns.replace(Return::Value(ret.clone()));
        let text = self.read_only(|g| {
            let names: Vec<_> = inputs.iter().map(|_| g.fresh("c")).collect();
            for (name, ty) in names.iter().zip(inputs) {
                g.declare(name, (*ty).clone(), false);
            }
            let moves = g.random.chance(25);
            if moves {
                g.hide_unmovable();
            }
            let head = if moves { "move " } else { "" };
            let early = g.random.chance(25).then(|| g.early_return(ret));
            let value = g.expr(ret, depth.min(2)).text;
            let body = match early {
                Some(line) => format!("{{\n{line}\n{value}\n}}"),
                None => value,
            };
            // Rust knows the types from the function's bound.
            let typed = g.random.chance(30) || names.iter().any(|n| needs_type(&body, n));
            let list: Vec<_> = names
                .iter()
                .zip(inputs)
                .map(|(n, t)| if typed { format!("{n}: {}", g.structs.spell(t)) } else { n.clone() })
                .collect();
            format!("{head}|{}| {body}", list.join(", "))
        });
        self.loops = loops;
        self.returns = returns;
        text
    }

    /// `move` closures: as an argument before one that changes what it captured, and as copies.
    fn moved_closure(&mut self, depth: usize) -> Option<Expr> {
        let (name, ty) = self.captured()?;
        let (x, spelled) = (self.fresh("c"), self.structs.spell(&ty));
        if self.random.chance(50) {
            self.seen("move closure as an argument, captured variable changed by a later one");
            let value = self.leaf(&Ty::Int(types::U32)).text;
            let change = format!("{name} = {name}.wrapping_add(5{spelled});");
            return Some(Expr::new(format!(
                "applied(move |{x}| ({x} ^ {name} as u32), {{\n{change}\n{value}\n}})"
            )));
        }
        self.seen("move closure is a copy");
        let start = self.expr(&Ty::Int(types::U32), depth.min(1)).text;
        let f = self.fresh("f");
        let closure = format!(
            "move |{x}: u32| {{\n{name} = {name}.wrapping_mul(3).wrapping_add({x} as {spelled});\n({x} ^ {name} as u32)\n}}"
        );
        if self.random.chance(40) {
            return Some(Expr::new(format!("called_twice({start}, {closure})")));
        }
        // The function gets a copy: what the closure holds here stays as it was.
        Some(Expr::new(format!(
            "{{\nlet mut {f} = {closure};\ncalled_twice({start}, {f}).wrapping_mul(3) ^ {f}(2)\n}}"
        )))
    }

    /// A closure that is a variable: it reads, changes, or has its own copy of what is around it.
    pub fn closure_variable(&mut self, depth: usize) -> Option<String> {
        let (name, ty) = self.captured()?;
        let own = self.vars.iter().position(|v| v.name == name)?;
        // While the closure lives, nothing else names what it changes.
        let (target, by) = self.scoped(|g| {
            g.frozen.push(own);
            Some((g.pick_place(true, |t| *t == ty)?, g.leaf(&ty).text))
        })?;
        self.seen("closure variable");
        let (f, x, spelled) = (self.fresh("f"), self.fresh("c"), self.structs.spell(&ty));
        let kind = if self.random.chance(50) { "move " } else { "" };
        if self.random.chance(50) {
            let between = if kind.is_empty() { String::new() } else { format!("{name} = {by};\n") };
            return Some(format!(
                "let {f} = {kind}|{x}: {spelled}| {x}.wrapping_mul(3).wrapping_add({name});\n{between}{} = {f}({by}).wrapping_add({f}(1));",
                target.0
            ));
        }
        self.seen("closure that changes what it captured");
        let early = if self.random.chance(40) {
            format!("if {x} & 3 == 1 {{\nreturn {name};\n}}\n")
        } else {
            String::new()
        };
        let _ = depth;
        Some(format!(
            "let mut {f} = {kind}|{x}: {spelled}| {{\n{early}{name} = {name}.wrapping_add({x});\n{name}\n}};\n{} = {f}({by}).wrapping_sub({f}(1));\n{name} = {name}.wrapping_mul(3);",
            target.0
        ))
    }

    fn early_return(&mut self, ret: &Ty) -> String {
        let cond = self.expr(&Ty::Bool, 1).text;
        let value = self.leaf(ret).text;
        format!("if {cond} {{\nreturn {value};\n}}")
    }

    /// `each` with a closure that changes what is around it.
    fn each(&mut self, depth: usize) -> Option<String> {
        let count = self.leaf(&Ty::Int(types::U32)).text;
        let (loops, returns) = (std::mem::take(&mut self.loops), self.returns.take());
        let text = self.scoped(|g| {
            let name = g.fresh("c");
            g.declare(&name, Ty::Int(types::U32), false);
            let body = g.statements(2, depth.min(1));
            let typed = if needs_type(&body, &name) { ": u32" } else { "" };
            format!("each({count} & 3, |{name}{typed}| {{\n{body}\n}});")
        });
        self.loops = loops;
        self.returns = returns;
        Some(text)
    }
}

/// Whether a parameter is used by more than assignments and arguments: a kernel does not always know its type there.
fn needs_type(body: &str, name: &str) -> bool {
    let used = body.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| *word == name).count();
    used > 0
}
