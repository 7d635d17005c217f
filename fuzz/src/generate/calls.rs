//! Calls: generated device functions, closures, methods; and those functions themselves.

use super::scope::{Expr, Gen, Helper, Passing, Return, Var};
use super::types::{self, Len, Structs, Ty};
use crate::random::Random;

/// A device function for one kernel, and its source.
pub fn helper(random: &mut Random, structs: &Structs, known: &[Helper], name: String) -> (Helper, String) {
    let generic = random.chance(20);
    let param = generic.then_some("M");
    let ret = if random.chance(75) { types::scalar(random) } else { structs.any(random, None) };
    let mut params = Vec::new();
    for n in 0..random.between(1, 3) {
        let ty = match (generic, n) {
            // An argument whose length the const generic is found by.
            (true, 0) => Ty::Array(types::scalar(random).into(), Len::Param("M")),
            _ if random.chance(70) => types::scalar(random),
            _ => structs.any(random, None),
        };
        params.push(match random.below(4) {
            0 | 1 => Passing::Value(ty),
            2 => Passing::Shared(ty),
            _ => Passing::Mutable(ty),
        });
    }
    let helper = Helper { name, params, ret };
    let fuel = random.between(8, 24) as i32;
    let mut g = Gen {
        random,
        structs,
        helpers: known.to_vec(),
        vars: Vec::new(),
        frozen: Vec::new(),
        write_floor: 0,
        loops: Vec::new(),
        returns: Some(Return::Value(helper.ret.clone())),
        param,
        fuel,
        next: 0,
    };
    let mut inputs = Vec::new();
    for (i, passing) in helper.params.iter().enumerate() {
        let name = format!("p{i}");
        let (ty, sigil) = match passing {
            Passing::Value(ty) => (ty, if g.random.chance(40) { "mut" } else { "" }),
            Passing::Shared(ty) => (ty, "&"),
            Passing::Mutable(ty) => (ty, "&mut "),
        };
        let reference = sigil.starts_with('&');
        let spelled = structs.spell(ty);
        g.vars.push(Var {
            name: name.clone(),
            ty: ty.clone(),
            mutable: sigil.contains("mut"),
            reference,
            constant: false,
        });
        inputs.push(if reference {
            format!("{name}: {sigil}{spelled}")
        } else {
            format!("{sigil} {name}: {spelled}")
        });
    }
    let body = g.statements(3, 2);
    let tail = g.expr(&helper.ret, 2).text;
    let generics = if generic { "<const M: usize>" } else { "" };
    let text = format!(
        "#[gpu_fn]\npub fn {}{generics}({}) -> {} {{\n{body}\n{tail}\n}}\n",
        helper.name,
        inputs.join(", "),
        structs.spell(&helper.ret)
    );
    (helper, text)
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
                        match g.borrow(|t| *t == ty, true) {
                            Some(place) => format!("&mut {place}"),
                            // A place of its own, whose changes are dropped.
                            None => format!("&mut {{ {} }}", g.temporary(&ty, depth)),
                        }
                    }
                };
                args.push(arg);
            }
            let turbofish = len.map_or(String::new(), |len: Len| format!("::<{}>", len.text()));
            Some(format!("{}{turbofish}({})", helper.name, args.join(", ")))
        })
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
        let pair = Ty::Struct(self.pair_of(ty)?);
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

    fn method_statement(&mut self, depth: usize) -> Option<String> {
        let pairs: Vec<_> = (0..4).map(Ty::Struct).collect();
        let (place, path) = self.pick_place(true, |t| pairs.contains(t))?;
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
            let typed = g.random.chance(30);
            let list: Vec<_> = names
                .iter()
                .zip(inputs)
                .map(|(n, t)| if typed { format!("{n}: {}", g.structs.spell(t)) } else { n.clone() })
                .collect();
            let early = g.random.chance(25).then(|| g.early_return(ret));
            let value = g.expr(ret, depth.min(2)).text;
            match early {
                Some(line) => format!("|{}| {{\n{line}\n{value}\n}}", list.join(", ")),
                None => format!("|{}| {value}", list.join(", ")),
            }
        });
        self.loops = loops;
        self.returns = returns;
        text
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
            format!("each({count} & 3, |{name}| {{\n{body}\n}});")
        });
        self.loops = loops;
        self.returns = returns;
        Some(text)
    }
}
