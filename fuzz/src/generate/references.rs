//! Patterns over references, in every position that has a pattern, and what is done through them.

use super::places::Behind;
use super::scope::{Gen, Var};
use super::types::{self, Len, Ty};

/// A name that a pattern binds, and the type of what it refers to.
type Bound = (String, Ty);

/// A pattern's opening, its parts each with what stands before it, and its closing.
type Parts = (String, Vec<Bound>, &'static str);

impl Gen<'_> {
    /// A block that binds parts of a place by reference and changes them.
    pub fn reference_statement(&mut self, depth: usize) -> Option<String> {
        match self.random.below(13) {
            0 | 1 => self.let_pattern(depth),
            2 => self.let_else_pattern(depth),
            3 => self.branch_pattern(depth),
            4 | 5 => self.for_pattern(depth),
            6 => self.closure_pattern(depth),
            7 => self.ref_mut_pattern(depth),
            8 => self.tuple_of_references(depth),
            9 => self.shared_pattern(depth),
            10 => self.element_pattern(depth),
            11 if self.random.chance(50) => self.option_in_place(depth),
            11 => self.exchanged(depth),
            _ => self.reference_behind(depth),
        }
    }

    /// A place to refer to, and the variable that nothing may name meanwhile.
    fn referred(&mut self, fits: impl Fn(&Ty) -> bool + Copy) -> Option<Behind> {
        if self.random.chance(35)
            && let Some(behind) = self.behind(fits)
        {
            self.seen("reference to a place behind a call");
            return Some(behind);
        }
        let paths = self.paths(true, fits);
        let paths: Vec<_> = paths.into_iter().filter(|p| !self.vars[p.var].bounded).collect();
        if paths.is_empty() {
            return None;
        }
        let path = self.random.pick(&paths).clone();
        let (text, ty) = (self.place(&path), self.type_of(&path));
        Some(Behind { text, var: path.var, ty })
    }

    /// Statements that change what the names refer to.
    fn through(&mut self, names: Vec<Bound>, depth: usize) -> String {
        let mut lines = Vec::new();
        let first = self.vars.len();
        for (name, ty) in names {
            self.vars.push(Var::reference(&name, ty, true));
        }
        for at in first..self.vars.len() {
            if self.usable(at) && self.writable(at) && self.random.chance(70) {
                let paths: Vec<_> = self.paths(true, |_| true).into_iter().filter(|p| p.var == at).collect();
                let path = self.random.pick(&paths).clone();
                lines.push(self.assign(&path, depth.min(1)));
            }
        }
        if self.random.chance(50) {
            lines.push(self.statements(1, depth));
        }
        lines.retain(|line| !line.is_empty());
        lines.join("\n")
    }

    /// As `body`, with the place's variable out of reach.
    fn while_borrowed(
        &mut self,
        var: usize,
        body: impl FnOnce(&mut Self) -> Option<String>,
    ) -> Option<String> {
        self.scoped(|g| {
            g.frozen.push(var);
            body(g)
        })
    }

    /// A pattern of names by reference: the binding mode is what the place gives. In one that `can_fail` a
    /// capital stands for a constant or a variant.
    fn by_reference(&mut self, ty: &Ty, names: &mut Vec<Bound>, can_fail: bool) -> String {
        let parts: Option<Parts> = match ty {
            Ty::Tuple(items) => {
                Some(("(".into(), items.iter().map(|t| (String::new(), t.clone())).collect(), ")"))
            }
            Ty::Array(elem, Len::Fixed(n)) if *n <= 4 => {
                Some(("[".into(), vec![(String::new(), (**elem).clone()); *n], "]"))
            }
            Ty::Struct(id) => {
                let def = &self.structs.0[*id];
                let fields = def.fields.iter().map(|(f, t)| (format!("{f}: "), t.clone())).collect();
                Some((format!("{} {{ ", def.head), fields, " }"))
            }
            _ => None,
        };
        match parts {
            Some((open, parts, close)) if names.is_empty() || self.random.chance(45) => {
                let mut items = Vec::new();
                for (label, ty) in parts {
                    items.push(format!("{label}{}", self.by_reference(&ty, names, can_fail)));
                }
                format!("{open}{}{close}", items.join(", "))
            }
            _ if !names.is_empty() && self.random.chance(15) => "_".to_owned(),
            _ => {
                let name = if can_fail { self.local("m", false) } else { self.local("r", true) };
                if names.iter().any(|(n, _)| *n == name) {
                    return "_".to_owned();
                }
                names.push((name.clone(), ty.clone()));
                name
            }
        }
    }

    fn let_pattern(&mut self, depth: usize) -> Option<String> {
        let at = self.referred(has_parts)?;
        self.seen("let pattern over &mut");
        let first = self.random.chance(20).then(|| self.fresh("r"));
        self.while_borrowed(at.var, |g| {
            let mut names = Vec::new();
            let pattern = g.by_reference(&at.ty, &mut names, false);
            let bind = match first {
                Some(name) => format!("let {name} = &mut {};\nlet {pattern} = {name};", at.text),
                None if g.random.chance(15) => format!("let {pattern} = {{ &mut {} }};", at.text),
                None => format!("let {pattern} = &mut {};", at.text),
            };
            Some(format!("{{\n{bind}\n{}\n}}", g.through(names, depth)))
        })
    }

    /// A refutable pattern of an `Option` or `Shape`.
    fn refutable(&mut self, ty: &Ty, names: &mut Vec<Bound>) -> String {
        let name = self.local("m", false);
        match ty {
            Ty::Option(inner) => {
                names.push((name.clone(), (**inner).clone()));
                format!("Some({name})")
            }
            _ => match self.random.below(3) {
                0 => {
                    names.push((name.clone(), Ty::Int(types::U32)));
                    format!("Shape::Dot({name})")
                }
                1 => {
                    let other = self.fresh("r");
                    names.push((name.clone(), Ty::Int(types::I32)));
                    names.push((other.clone(), Ty::Int(types::INTS[3])));
                    format!("Shape::Line {{ from: {name}, to: {other} }}")
                }
                _ => format!("Shape::Both({})", self.by_reference(&Ty::Struct(1), names, true)),
            },
        }
    }

    fn let_else_pattern(&mut self, depth: usize) -> Option<String> {
        let at = self.referred(is_enum)?;
        self.seen("let else pattern over &mut");
        let label = self.fresh("'b");
        self.while_borrowed(at.var, |g| {
            let mut names = Vec::new();
            let pattern = g.refutable(&at.ty, &mut names);
            g.loops.push(super::scope::Loop { label: Some(label.clone()), value: None, block: true });
            let exit = match g.random.chance(40) {
                true => g.exit(1).unwrap_or_else(|| format!("break {label}")),
                false => format!("break {label}"),
            };
            let body = g.through(names, depth);
            g.loops.pop();
            Some(format!("{label}: {{\nlet {pattern} = &mut {} else {{\n{exit};\n}};\n{body}\n}}", at.text))
        })
    }

    /// `if let`, `match` and `while let`.
    fn branch_pattern(&mut self, depth: usize) -> Option<String> {
        let at = self.referred(is_enum)?;
        self.while_borrowed(at.var, |g| {
            let mut names = Vec::new();
            let pattern = g.refutable(&at.ty, &mut names);
            Some(match g.random.below(3) {
                0 => {
                    g.seen("if let pattern over &mut");
                    format!("if let {pattern} = &mut {} {{\n{}\n}}", at.text, g.through(names, depth))
                }
                1 => {
                    g.seen("match pattern over &mut");
                    let body = g.through(names, depth);
                    format!("match &mut {} {{\n{pattern} => {{\n{body}\n}}\n_ => {{}}\n}}", at.text)
                }
                _ => {
                    g.seen("while let pattern over &mut");
                    // Without the loop's `break` a `continue` would go on for ever, so none can name it.
                    let body = g.apart(|g| g.through(names, depth));
                    format!("while let {pattern} = &mut {} {{\n{body}\nbreak;\n}}", at.text)
                }
            })
        })
    }

    /// `for S { x, y } in place.iter_mut()`, by adapters too.
    fn for_pattern(&mut self, depth: usize) -> Option<String> {
        let at = self.referred(|t| matches!(t, Ty::Array(_, Len::Fixed(_))))?;
        let Ty::Array(elem, _) = at.ty.clone() else { return None };
        self.seen("for pattern over &mut");
        let with_index = self.random.chance(25);
        self.while_borrowed(at.var, |g| {
            let mut names = Vec::new();
            let mut pattern = g.by_reference(&elem, &mut names, false);
            let mut head = match g.random.below(4) {
                0 if !at.text.starts_with('(') => format!("&mut {}", at.text),
                1 => format!("{}.iter_mut().rev()", at.text),
                2 => format!("{}.iter_mut().skip(1)", at.text),
                _ => format!("{}.iter_mut()", at.text),
            };
            if with_index && !head.starts_with('&') {
                let index = g.fresh("i");
                g.declare(&index, Ty::Int(types::USIZE), false);
                pattern = format!("({index}, {pattern})");
                head += ".enumerate()";
            }
            g.loops.push(super::scope::Loop { label: None, value: None, block: false });
            let body = g.through(names, depth);
            g.loops.pop();
            Some(format!("for {pattern} in {head} {{\n{body}\n}}"))
        })
    }

    fn closure_pattern(&mut self, depth: usize) -> Option<String> {
        let at = self.referred(has_parts)?;
        self.seen("closure parameter pattern over &mut");
        let name = self.fresh("f");
        let spelled = self.structs.spell(&at.ty);
        self.while_borrowed(at.var, |g| {
            let mut names = Vec::new();
            let pattern = g.by_reference(&at.ty, &mut names, false);
            let body = g.apart(|g| g.through(names, depth.min(1)));
            // An effect or a variable within the place would meet what the closure borrows.
            let (before, argument) = match at.text.contains(['{', '[']) {
                true => (format!("let place = &mut {};\n", at.text), "place".to_owned()),
                false => (String::new(), format!("&mut {}", at.text)),
            };
            Some(format!(
                "{{\n{before}let mut {name} = |{pattern}: &mut {spelled}| {{\n{body}\n}};\n{name}({argument});\n}}"
            ))
        })
    }

    /// `let S { ref mut x, .. } = place;`
    fn ref_mut_pattern(&mut self, depth: usize) -> Option<String> {
        let at = self.referred(has_parts)?;
        let Ty::Struct(id) = at.ty else { return None };
        self.seen("ref mut pattern");
        self.while_borrowed(at.var, |g| {
            let def = g.structs.0[id].clone();
            let mut names = Vec::new();
            let mut fields = Vec::new();
            for (field, ty) in def.fields {
                if names.is_empty() || g.random.chance(60) {
                    let name = g.fresh("r");
                    fields.push(format!("{field}: ref mut {name}"));
                    names.push((name, ty));
                }
            }
            let body = g.through(names, depth);
            Some(format!("{{\nlet {} {{ {}, .. }} = {};\n{body}\n}}", def.head, fields.join(", "), at.text))
        })
    }

    /// `let (a, b) = (&mut p, &mut q);`
    fn tuple_of_references(&mut self, depth: usize) -> Option<String> {
        let whole = |t: &Ty| !matches!(t, Ty::Slice(..));
        let first = self.referred(whole)?;
        self.while_borrowed(first.var, |g| {
            let second = g.referred(whole)?;
            g.while_borrowed(second.var, |g| {
                g.seen("tuple of &mut");
                let (a, b) = (g.fresh("r"), g.fresh("r"));
                let names = vec![(a.clone(), first.ty.clone()), (b.clone(), second.ty.clone())];
                let body = g.through(names, depth);
                Some(format!("{{\nlet ({a}, {b}) = (&mut {}, &mut {});\n{body}\n}}", first.text, second.text))
            })
        })
    }

    /// A pattern over `&place`, whose names are only read.
    fn shared_pattern(&mut self, depth: usize) -> Option<String> {
        let paths = self.paths(false, has_parts);
        let paths: Vec<_> = paths.into_iter().filter(|p| !self.vars[p.var].constant).collect();
        if paths.is_empty() {
            return None;
        }
        let path = self.random.pick(&paths).clone();
        self.seen("pattern over a shared reference");
        let (text, ty) = (self.place(&path), self.type_of(&path));
        self.while_borrowed(path.var, |g| {
            let mut names = Vec::new();
            let pattern = g.by_reference(&ty, &mut names, false);
            for (name, ty) in names {
                g.vars.push(Var::reference(&name, ty, false));
            }
            Some(format!("{{\nlet {pattern} = &{text};\n{}\n}}", g.statements(2, depth)))
        })
    }

    /// `if let Some(x) = place.get_mut(i)`, in or out of bounds.
    fn element_pattern(&mut self, depth: usize) -> Option<String> {
        let at = self.referred(|t| matches!(t, Ty::Array(_, Len::Fixed(_))))?;
        let Ty::Array(elem, _) = at.ty.clone() else { return None };
        self.seen("if let pattern over &mut");
        self.while_borrowed(at.var, |g| {
            let index = format!("({} & 7) as usize", g.leaf(&Ty::Int(types::U32)).text);
            let mut names = Vec::new();
            let pattern = g.by_reference(&elem, &mut names, true);
            let body = g.through(names, depth);
            Some(format!("if let Some({pattern}) = {}.get_mut({index}) {{\n{body}\n}}", at.text))
        })
    }

    /// `core::mem::swap` and `replace` on places of one type.
    fn exchanged(&mut self, depth: usize) -> Option<String> {
        let first = self.referred(|t| !matches!(t, Ty::Slice(..)))?;
        self.while_borrowed(first.var, |g| {
            g.seen("swap or replace through a reference");
            if g.random.chance(50)
                && let Some(second) = {
                    let ty = first.ty.clone();
                    let paths = g.paths(true, |t| *t == ty);
                    let paths: Vec<_> = paths.into_iter().filter(|p| !g.vars[p.var].bounded).collect();
                    if paths.is_empty() { None } else { Some(g.random.pick(&paths).clone()) }
                }
            {
                let second = g.place(&second);
                return Some(format!("core::mem::swap(&mut {}, &mut {second});", first.text));
            }
            let old = g.fresh("o");
            let value = g.expr(&first.ty, depth.min(1)).text;
            Some(format!("let {old} = core::mem::replace(&mut {}, {value});", first.text))
        })
    }

    /// An option that is emptied, filled or changed where it stands.
    fn option_in_place(&mut self, depth: usize) -> Option<String> {
        let paths = self.paths(true, |t| matches!(t, Ty::Option(_)));
        if paths.is_empty() {
            return None;
        }
        let path = self.random.pick(&paths).clone();
        let Ty::Option(inner) = self.type_of(&path) else { return None };
        self.seen("option changed in place");
        self.while_borrowed(path.var, |g| {
            let (place, old) = (g.place(&path), g.fresh("o"));
            let value = g.expr(&inner, depth.min(1)).text;
            Some(match g.random.below(4) {
                0 => format!("let {old} = {place}.take();"),
                1 => format!("let {old} = {place}.replace({value});"),
                2 => format!("let {old} = core::mem::take(&mut {place});"),
                _ => format!("if let Some({old}) = {place}.as_mut() {{\n*{old} = {value};\n}}"),
            })
        })
    }

    /// `let r = &mut v.me().d;` and stores through it.
    fn reference_behind(&mut self, depth: usize) -> Option<String> {
        let at = self.behind(|t| !matches!(t, Ty::Slice(..)))?;
        self.seen("reference to a place behind a call");
        self.while_borrowed(at.var, |g| {
            let name = g.local("r", true);
            let body = g.through(vec![(name.clone(), at.ty.clone())], depth);
            Some(format!("{{\nlet {name} = &mut {};\n{body}\n}}", at.text))
        })
    }
}

/// Returns whether an irrefutable pattern may name parts of it.
fn has_parts(ty: &Ty) -> bool {
    match ty {
        Ty::Tuple(_) | Ty::Struct(_) => true,
        Ty::Array(_, Len::Fixed(n)) => *n <= 4,
        _ => false,
    }
}

fn is_enum(ty: &Ty) -> bool {
    matches!(ty, Ty::Option(_) | Ty::Shape)
}
