//! Slices: variables that are assigned, lengths and elements as operands, loops and iterators over them.

use super::scope::{Expr, Gen, Loop, Var};
use super::types::{self, Len, Ty};

/// Elements of the kernel's tables, which slices are parts of.
const TABLE: usize = 16;

impl Gen<'_> {
    /// Tables that are only read, and a slice variable of each.
    pub fn tables(&mut self, body: &mut Vec<String>) {
        for name in ["ta", "tb"] {
            let elem = Ty::Int(*self.random.pick(&[types::U32, types::U64, types::INTS[1], types::INTS[5]]));
            let spelled = self.structs.spell(&elem);
            let items: Vec<_> = (0..TABLE).map(|i| format!("(w >> {}) as {spelled}", i * 3)).collect();
            body.push(format!("let {name} = [{}];", items.join(", ")));
            self.declare(name, Ty::Array(elem.clone().into(), Len::Fixed(TABLE)), false);
            let slice = format!("s{name}");
            let least = *self.random.pick(&[1, 2, 4]);
            let source = self.source(name, least);
            body.push(format!("let mut {slice} = {source};"));
            self.seen("slice variable");
            self.vars.push(Var::new(&slice, Ty::Slice(elem.into(), least), true));
        }
    }

    /// A part of a table with at least this number of elements, and at most [`TABLE`].
    fn source(&mut self, table: &str, least: usize) -> String {
        let low = self.random.below(TABLE - least);
        let high = self.random.between(low + least, TABLE);
        match self.random.below(5) {
            0 => format!("&{table}[{low}..{high}]"),
            1 => format!("&{table}[{low}..]"),
            2 => format!("&{table}[..{high}]"),
            3 => format!("&{table}[..={}]", high - 1),
            _ => format!("&{table}[(d0 & {}) as usize..]", (TABLE - least).next_power_of_two() / 2 - 1),
        }
    }

    /// The name of a slice variable, its place in scope, its element and its least length.
    fn slice_where(&mut self, fits: impl Fn(&Var) -> bool) -> Option<(usize, String, Ty, usize)> {
        let found: Vec<_> = (0..self.vars.len())
            .filter(|i| self.usable(*i) && fits(&self.vars[*i]))
            .filter_map(|i| match &self.vars[i].ty {
                Ty::Slice(elem, least) => Some((i, self.vars[i].name.clone(), (**elem).clone(), *least)),
                _ => None,
            })
            .collect();
        if found.is_empty() { None } else { Some(self.random.pick(&found).clone()) }
    }

    fn assignable_slice(&mut self) -> Option<(usize, String, Ty, usize)> {
        let floor = self.write_floor;
        let names: Vec<_> =
            self.vars[floor..].iter().filter(|v| v.mutable && !v.elements).map(|v| v.name.clone()).collect();
        self.slice_where(|v| v.mutable && !v.elements && names.contains(&v.name))
    }

    /// `s = &table[a..b];`, where the names of its tables are in scope.
    pub fn assign_slice(&mut self) -> Option<String> {
        let (_, name, elem, least) = self.assignable_slice()?;
        let source = self.other_source(&name, &elem, least)?;
        self.seen("slice reassigned");
        Some(format!("{name} = {source};"))
    }

    /// A slice of the element type: of a table, or what another slice variable is.
    fn other_source(&mut self, name: &str, elem: &Ty, least: usize) -> Option<String> {
        if self.random.chance(25)
            && let Some((_, other, _, _)) = self.slice_where(|v| {
                v.name != name
                    && !v.elements
                    && matches!(&v.ty, Ty::Slice(e, l) if **e == *elem && *l >= least)
            })
        {
            return Some(other);
        }
        if least == 1 && self.random.chance(20) {
            self.seen("slice of a slice");
            return Some(format!("&{name}[{name}.len() / 2..]"));
        }
        let tables: Vec<_> = self
            .vars
            .iter()
            .filter(|v| {
                ["ta", "tb"].contains(&v.name.as_str())
                    && v.ty == Ty::Array(elem.clone().into(), Len::Fixed(TABLE))
            })
            .map(|v| v.name.clone())
            .collect();
        if tables.is_empty() {
            return None;
        }
        let table = self.random.pick(&tables).clone();
        Some(self.source(&table, least))
    }

    /// `s.len()` of any slice in scope.
    pub fn slice_length(&mut self) -> Option<Expr> {
        let (_, name, ..) = self.slice_where(|_| true)?;
        Some(Expr::new(format!("{name}.len()")))
    }

    /// `s.len()` of a slice variable that may be assigned.
    pub fn assignable_length(&mut self) -> Option<String> {
        let (_, name, ..) = self.assignable_slice()?;
        Some(format!("{name}.len()"))
    }

    /// The name of a slice of integers with two elements or more, and its least length.
    pub fn shiftable_slice(&mut self) -> Option<(String, usize)> {
        let fits = |v: &Var| {
            matches!(&v.ty, Ty::Slice(elem, least) if *least > 1 && matches!(**elem, Ty::Int(_)))
                && !v.elements
        };
        self.slice_where(fits).map(|(_, name, _, least)| (name, least))
    }

    /// An assignment to the slice variable whose length a head names.
    pub fn assign_slice_named(&mut self, head: &str) -> Option<String> {
        let found = |v: &Var| v.mutable && !v.elements && head.contains(&format!("{}.len()", v.name));
        let (_, name, elem, least) = self.slice_where(found)?;
        let source = self.other_source(&name, &elem, least)?;
        self.seen("slice reassigned");
        Some(format!("{name} = {source};"))
    }

    /// `s.len()`, and an assignment to `s` for a later operand.
    pub fn length_then_slice(&mut self) -> Option<(String, String)> {
        let (_, name, elem, least) = self.assignable_slice()?;
        let source = self.other_source(&name, &elem, least)?;
        self.seen("slice length before the slice is assigned");
        let read = if self.random.chance(80) {
            format!("{name}.len()")
        } else {
            format!("({name}.is_empty() as usize)")
        };
        Some((read, format!("{name} = {source};")))
    }

    /// `s[i]`, and an assignment to `s` for a later operand.
    pub fn element_then_slice(&mut self, ty: &Ty) -> Option<(String, String)> {
        let (_, name, elem, least) = self.assignable_slice()?;
        if elem != *ty {
            return None;
        }
        let source = self.other_source(&name, &elem, least)?;
        self.seen("slice element before the slice is assigned");
        let index = self.scoped(|g| g.index(Len::Fixed(least.next_power_of_two().min(least))));
        Some((format!("{name}[{index}]"), format!("{name} = {source};")))
    }

    /// A loop over a slice, by any adapter; the body may assign the slice.
    pub fn slice_loop(&mut self, depth: usize) -> Option<String> {
        if self.loops.len() >= 2 {
            return None;
        }
        let (at, name, elem, least) = self.slice_where(|v| !v.elements)?;
        self.seen("loop over a slice");
        let assigns = self.vars[at].mutable && at >= self.write_floor && self.random.chance(65);
        let source = if assigns { self.other_source(&name, &elem, least) } else { None };
        let item = self.fresh("e");
        let (pattern, head, by_value, index) = self.slice_head(&name, &item);
        let body = self.scoped(|g| {
            match by_value {
                true => g.declare(&item, elem.clone(), false),
                false => g.vars.push(Var::reference(&item, elem.clone(), false)),
            }
            if let Some(index) = &index {
                g.declare(index, Ty::Int(types::USIZE), false);
            }
            g.loops.push(Loop { label: None, value: None, block: false });
            let mut body = Vec::new();
            if let Some(source) = source {
                g.seen("loop over a slice assigned in the body");
                body.push(format!("{name} = {source};"));
            }
            // What the item is shows in something that is hashed.
            if let Some(fold) = g.folded(&item, by_value) {
                body.push(fold);
            }
            let rest = g.statements(2, depth);
            body.insert(g.random.below(body.len() + 1), rest);
            g.loops.pop();
            body.join("\n")
        });
        Some(format!("for {pattern} in {head} {{\n{body}\n}}"))
    }

    /// The pattern and head of a loop over a slice, whether its item is a value, and its index's name.
    fn slice_head(&mut self, name: &str, item: &str) -> (String, String, bool, Option<String>) {
        let n = self.random.between(1, 3);
        let kind = self.random.below(11);
        if kind > 2 {
            self.seen("loop over a slice by an adapter");
        }
        let plain = |head: String| (item.to_owned(), head, false, None);
        match kind {
            0 => plain(name.to_owned()),
            1 => plain(format!("{name}.iter()")),
            2 => (format!("&{item}"), format!("{name}.iter()"), true, None),
            3 => plain(format!("{name}.iter().rev()")),
            4 => plain(format!("{name}.iter().skip({n})")),
            5 => plain(format!("{name}.iter().step_by({n})")),
            6 => plain(format!("{name}.iter().take({n})")),
            7 => (item.to_owned(), format!("{name}.iter().copied()"), true, None),
            8 => {
                let other = self.fresh("i");
                let pattern = format!("({item}, {other})");
                (pattern, format!("{name}.iter().zip(0..{}usize)", n + 3), false, Some(other))
            }
            9 => match self.captured() {
                Some((variable, ty)) => {
                    self.seen("iterator with a move closure");
                    let spelled = self.structs.spell(&ty);
                    let map =
                        format!("{name}.iter().filter(move |v| ((**v as {spelled}) ^ {variable}) & 3 != 0)");
                    plain(map)
                }
                None => plain(format!("{name}.iter()")),
            },
            _ => {
                let index = self.fresh("i");
                (format!("({index}, {item})"), format!("{name}.iter().enumerate()"), false, Some(index))
            }
        }
    }

    /// A statement that folds an item into a variable of integers.
    pub fn folded(&mut self, item: &str, by_value: bool) -> Option<String> {
        let paths = self.paths(true, |t| matches!(t, Ty::Int(_)));
        let paths: Vec<_> = paths.into_iter().filter(|p| !self.vars[p.var].bounded).collect();
        if paths.is_empty() {
            return None;
        }
        let path = self.random.pick(&paths).clone();
        let (place, spelled) = (self.place(&path), self.structs.spell(&self.type_of(&path)));
        let value = if by_value { item.to_owned() } else { format!("*{item}") };
        Some(format!("{place} = {place}.wrapping_mul(3).wrapping_add({value} as {spelled});"))
    }

    /// An integer variable that a closure may capture, and that may be assigned beside it.
    pub fn captured(&mut self) -> Option<(String, Ty)> {
        let found: Vec<_> = (0..self.vars.len())
            .filter(|i| self.usable(*i) && self.writable(*i))
            .map(|i| &self.vars[i])
            .filter(|v| matches!(v.ty, Ty::Int(_)) && !v.bounded && !v.reference)
            .map(|v| (v.name.clone(), v.ty.clone()))
            .collect();
        if found.is_empty() { None } else { Some(self.random.pick(&found).clone()) }
    }

    /// An iterator that ends in a value, whose closure may change what is around it.
    pub fn slice_value(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let Ty::Int(_) = ty else { return None };
        let (at, name, elem, least) = self.slice_where(|v| !v.elements)?;
        self.seen("iterator that ends in a value");
        let spelled = self.structs.spell(ty);
        let item = self.fresh("e");
        let assigns = self.vars[at].mutable && at >= self.write_floor && self.random.chance(50);
        let source = if assigns { self.other_source(&name, &elem, least) } else { None };
        let moves = source.is_none() && self.random.chance(35);
        let change = match source {
            Some(source) => {
                self.seen("iterator whose closure assigns the slice");
                format!("{name} = {source};\n")
            }
            None => String::new(),
        };
        let value = self.apart(|g| {
            g.vars.push(Var::reference(&item, elem.clone(), false));
            if moves {
                g.seen("iterator with a move closure");
                g.hide_unmovable();
            }
            let own = format!("(*{item} as {spelled})");
            let other = g.expr(ty, depth.min(1)).text;
            format!("{own} ^ {other}")
        });
        let head = if moves { format!("move |{item}|") } else { format!("|{item}|") };
        let closure = format!("{head} {{\n{change}{value}\n}}");
        Some(Expr::new(match self.random.below(12) {
            0 | 1 => format!("{name}.iter().map({closure}).sum::<{spelled}>()"),
            2 => format!("{name}.iter().map({closure}).max().unwrap_or(3)"),
            3 => format!("{name}.iter().skip(1).map({closure}).product::<{spelled}>()"),
            4 => format!("{name}.iter().rev().map({closure}).fold(7, |p, q| (p ^ q) + 1)"),
            5 => format!("({name}.iter().any({head} {{\n{change}({value}) & 1 == 0\n}}) as {spelled})"),
            6 => format!("{name}.iter().map({closure}).max_by_key(|k| *k & 15).unwrap_or(3)"),
            7 => {
                self.seen("adapter that decides about steps");
                let scan = "scan(5, |p, q| {\n*p ^= q;\n(*p & 7 != 0).then_some(*p)\n})";
                format!("{name}.iter().map({closure}).{scan}.fold(1, |p, q| (p ^ q) + 1)")
            }
            _ => {
                // The first step that the test holds for, and those after it: an adapter that mistakes one for the other differs.
                let (adapter, production) = *self.random.pick(&[
                    ("filter", "adapter that decides about steps"),
                    ("take_while", "adapter that ends at a step"),
                    ("skip_while", "adapter that begins at a step"),
                    ("skip_while", "adapter that begins at a step"),
                ]);
                self.seen(production);
                let test = format!("{head} {{\nlet {item} = *{item};\n{change}({value}) & 1 != 0\n}}");
                format!("{name}.iter().{adapter}({test}).fold(5, |p, q| (p ^ *q as {spelled}) + 1)")
            }
        }))
    }

    /// Takes away what a `move` closure would move out of its variable.
    pub fn hide_unmovable(&mut self) {
        // A slice that is assigned there would refer to the closure's own copy of the table.
        let moved = |v: &Var| {
            (v.reference && v.mutable) || matches!(v.ty, Ty::Slice(..)) && (v.elements || v.mutable)
        };
        let hidden: Vec<_> = (0..self.vars.len()).filter(|i| moved(&self.vars[*i])).collect();
        self.frozen.extend(hidden);
    }

    /// A loop over mapped items, whose body changes what the `move` closure captured.
    pub fn moved_map_loop(&mut self, _depth: usize) -> Option<String> {
        let (variable, ty) = self.captured()?;
        let (_, name, ..) = self.slice_where(|v| !v.elements)?;
        let spelled = self.structs.spell(&ty);
        self.seen("iterator with a move closure");
        self.seen("move closure of an adapter, body changes what it captured");
        let item = self.fresh("e");
        let op = *self.random.pick(&["wrapping_mul", "wrapping_add", "wrapping_sub"]);
        let by = self.leaf(&ty).text;
        Some(format!(
            "for {item} in {name}.iter().map(move |v| (*v as {spelled}).{op}({variable})) {{\n{variable} = {variable}.wrapping_add({item} ^ {by});\n}}"
        ))
    }

    /// A view whose variable a later operand assigns.
    pub fn view_statement(&mut self) -> Option<String> {
        let (_, name, elem, _) = self.slice_where(|v| !v.elements && matches!(v.ty, Ty::Slice(_, 4)))?;
        let word = Ty::Int(types::U64);
        let (place, _) = self.pick_place(true, |t| *t == word)?;
        if place.contains("[{") {
            return None;
        }
        self.seen("view assigned in an operand");
        let (m, r) = (self.fresh("m"), self.random.below(2));
        let _ = elem;
        Some(format!(
            "{{\nlet mut {m} = View2::new(&{name}[..4], 2, 2);\nlet first = {m}.cols() as u64 + {m}[({r}, 1)] as u64 + {{\n{m} = View2::new(&{name}[1..4], 1, 3);\n{m}[(0, 2)] as u64\n}};\nlet mut sum = first;\nfor c in 0..{m}.cols() {{\n{m} = View2::new(&{name}[..2], 1, 2);\nsum = sum * 3 + {m}[(0, c & 1)] as u64 + {m}.cols() as u64;\n}}\n{place} = sum;\n}}"
        ))
    }

    /// Slices whose elements are written: parts, halves, swapped variables, methods.
    pub fn mutable_slice(&mut self, depth: usize) -> Option<String> {
        let paths =
            self.paths(true, |t| matches!(t, Ty::Array(e, Len::Fixed(n)) if *n >= 4 && e.is_scalar()));
        let paths: Vec<_> = paths.into_iter().filter(|p| !self.vars[p.var].bounded).collect();
        if paths.is_empty() {
            return None;
        }
        let path = self.random.pick(&paths).clone();
        let Ty::Array(elem, Len::Fixed(n)) = self.type_of(&path) else { return None };
        let place = self.place(&path);
        self.seen("mutable slice");
        let (p, q) = (self.fresh("p"), self.fresh("p"));
        let half = n / 2;
        let (whole, of) = match self.random.chance(50) {
            true => (format!("let {p} = &mut {place}[..];\n"), p.clone()),
            false => (String::new(), place.clone()),
        };
        let bind = match self.random.below(3) {
            0 => format!("{whole}let ({p}, {q}) = {of}.split_at_mut({half});"),
            1 => {
                self.seen("slices swapped");
                format!(
                    "{whole}let ({p}, {q}) = {of}.split_at_mut({half});\nlet (mut {p}, mut {q}) = ({p}, {q});\n({p}, {q}) = ({q}, {p});"
                )
            }
            _ => {
                let own = format!("let {p} = &mut {place}[{half}..];");
                return self.scoped(|g| {
                    g.frozen.push(path.var);
                    g.writable_slice(&p, &elem, half);
                    let body = g.slice_writes(&p, &elem, depth);
                    Some(format!("{{\n{own}\n{body}\n}}"))
                });
            }
        };
        self.seen("split slice");
        self.scoped(|g| {
            g.frozen.push(path.var);
            g.writable_slice(&p, &elem, half);
            g.writable_slice(&q, &elem, half);
            let body = g.slice_writes(&p, &elem, depth);
            Some(format!("{{\n{bind}\n{body}\n}}"))
        })
    }

    fn writable_slice(&mut self, name: &str, elem: &Ty, least: usize) {
        let least = if least.is_power_of_two() { least } else { 1 };
        let slice = Ty::Slice(elem.clone().into(), least);
        self.vars.push(Var { elements: true, ..Var::new(name, slice, false) });
    }

    fn slice_writes(&mut self, name: &str, elem: &Ty, depth: usize) -> String {
        let own = self.vars.iter().rposition(|v| v.name == name);
        let (value, index) = self.scoped(|g| {
            // A method borrows its receiver before its arguments.
            g.frozen.extend(own);
            (g.expr(elem, depth.min(1)).text, g.index(Len::Fixed(2)))
        });
        let line = match self.random.below(6) {
            0 => format!("{name}.fill({value});"),
            4 => {
                self.seen("written index reads its slice");
                format!("{name}[{name}.len() - 1] = {value};")
            }
            1 => format!("{name}.swap(0, {index});"),
            2 if *elem != Ty::Bool => {
                self.seen("slice parameter");
                format!("let _ = stirred({name}, {value});")
            }
            3 => {
                let item = self.fresh("e");
                format!("for {item} in {name}.iter_mut() {{\n*{item} = {value};\n}}")
            }
            _ => format!("{name}[{index}] = {value};"),
        };
        format!("{line}\n{}", self.statements(2, depth))
    }
}
