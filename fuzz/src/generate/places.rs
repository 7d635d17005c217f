//! Places that are assigned: plain ones, those behind calls, tuples of them, those of one's own `IndexMut`.

use super::scope::{Gen, Path};
use super::types::{self, BANK, BODY, Ty};

/// A place that a call gives, with the variable that is borrowed meanwhile.
pub struct Behind {
    /// As Rust source.
    pub text: String,
    /// The variable.
    pub var: usize,
    /// The type of the place.
    pub ty: Ty,
}

impl Gen<'_> {
    /// `place = value;` or `place op= value;`
    pub fn assign(&mut self, path: &Path, depth: usize) -> String {
        let ty = self.type_of(path);
        if self.vars[path.var].bounded {
            let place = self.place(path);
            let Ty::Int(int) = ty else { return String::new() };
            return format!("{place} = {};", self.bounded_value(int));
        }
        if ty.is_overloaded(self.structs) && self.random.chance(60) {
            return self.overloaded_compound(path, &ty, depth);
        }
        let place = self.place(path);
        if !ty.is_scalar() || self.random.chance(40) {
            return format!("{place} = {};", self.expr(&ty, depth).text);
        }
        self.compound(&place, &ty, depth)
    }

    /// A value from 1 to 8, which heads of loops may name.
    pub fn bounded_value(&mut self, int: types::Int) -> String {
        let value = self.leaf(&Ty::Int(int)).text;
        format!("({value} & 7) + 1")
    }

    /// `place op= value` where `op=` is a trait's: the place is evaluated first, and borrowed meanwhile.
    fn overloaded_compound(&mut self, path: &Path, ty: &Ty, depth: usize) -> String {
        self.seen("overloaded compound assignment");
        let op = *self.random.pick(&["+=", "-=", "*="]);
        let counter = self.counter(path.var);
        self.scoped(|g| {
            let mut place = g.place(path);
            let mut change = String::new();
            // An index that the value changes: `a[i] += { i += 1; … }`.
            if let (Some((counter, int)), Some(at)) = (counter, last_index(&place)) {
                let len = g.length_of(path);
                place = format!("{}[({counter} & {}) as usize]", &place[..at], len - 1);
                change = format!("{counter} = {counter}.wrapping_add(1{});\n", int.name);
                g.seen("overloaded compound assignment, value changes the index");
            }
            g.frozen.push(path.var);
            let value = g.expr(ty, depth).text;
            if change.is_empty() {
                format!("{place} {op} {value};")
            } else {
                format!("{place} {op} {{\n{change}{value}\n}};")
            }
        })
    }

    /// An integer variable other than `but` that may be assigned.
    fn counter(&mut self, but: usize) -> Option<(String, types::Int)> {
        let found: Vec<_> = (0..self.vars.len())
            .filter(|i| *i != but && self.usable(*i) && self.writable(*i))
            .filter_map(|i| match &self.vars[i] {
                var if var.bounded || var.reference => None,
                var => match var.ty {
                    Ty::Int(int) => Some((var.name.clone(), int)),
                    _ => None,
                },
            })
            .collect();
        if found.is_empty() { None } else { Some(self.random.pick(&found).clone()) }
    }

    /// The length of the array whose element a path ends in; 1 where that is not known.
    fn length_of(&self, path: &Path) -> usize {
        match path.steps.last() {
            Some(super::scope::Step::Index(types::Len::Fixed(n))) => *n,
            _ => 1,
        }
    }

    /// A place behind a call that gives a reference: `v.me().d[i]`, `*v.part()`, `body_of(&mut v).q.x`.
    pub fn behind(&mut self, fits: impl Fn(&Ty) -> bool) -> Option<Behind> {
        let structs = self.structs;
        let has_methods = |t: &Ty| matches!(t, Ty::Struct(id) if structs.0[*id].methods.is_some());
        let bases: Vec<_> =
            self.paths(true, has_methods).into_iter().filter(|p| !self.vars[p.var].bounded).collect();
        if bases.is_empty() {
            return None;
        }
        let base = self.random.pick(&bases).clone();
        let Ty::Struct(id) = self.type_of(&base) else { return None };
        let methods = structs.0[id].methods.clone()?;
        let text = self.place(&base);
        self.scoped(|g| {
            g.frozen.push(base.var);
            let (call, ty) = match g.random.below(if id == BODY { 6 } else { 3 }) {
                0 | 1 => (format!("{text}.{}()", methods.whole), Ty::Struct(id)),
                2 => (format!("{text}.{}()", methods.part), structs.0[id].fields[methods.field].1.clone()),
                3 => (format!("body_of(&mut {text})"), Ty::Struct(id)),
                4 => {
                    g.seen("builder");
                    let n = g.leaf(&Ty::Int(types::U32)).text;
                    (format!("{text}.with({n}).me()"), Ty::Struct(id))
                }
                _ => (format!("{text}.slot({})", g.leaf(&Ty::Int(types::U32)).text), Ty::Int(types::U64)),
            };
            let mut found = Vec::new();
            g.parts(&ty, &mut Path { var: base.var, steps: Vec::new() }, &fits, &mut found);
            if found.is_empty() {
                return None;
            }
            let part = g.random.pick(&found).clone();
            g.seen("place behind a call");
            let ty = g.type_at(ty, &part.steps);
            let text = match part.steps.is_empty() {
                true => format!("(*{call})"),
                false if g.random.chance(20) => g.steps(format!("(*{call})"), &part.steps),
                false => g.steps(call, &part.steps),
            };
            Some(Behind { text, var: base.var, ty })
        })
    }

    /// `v.me().d[i] = value;`: the value is evaluated before the place.
    pub fn assign_behind(&mut self, depth: usize) -> Option<String> {
        let Behind { text, var, ty } = self.behind(|t| !matches!(t, Ty::Slice(..)))?;
        if ty.is_overloaded(self.structs) {
            return self.scoped(|g| {
                g.frozen.push(var);
                let value = g.expr(&ty, depth).text;
                Some(format!("{text} += {value};"))
            });
        }
        if !ty.is_scalar() || self.random.chance(50) {
            return Some(format!("{text} = {};", self.expr(&ty, depth).text));
        }
        Some(self.compound(&text, &ty, depth))
    }

    /// `(a, (b, c)) = (x, (y, z));`
    pub fn tuple_assignment(&mut self, depth: usize) -> Option<String> {
        let count = self.random.between(2, 4);
        let mut parts = Vec::new();
        for _ in 0..count {
            let paths = self.paths(true, |t| !matches!(t, Ty::Slice(..)));
            let paths: Vec<_> = paths.into_iter().filter(|p| !self.vars[p.var].bounded).collect();
            if paths.is_empty() {
                return None;
            }
            let path = self.random.pick(&paths).clone();
            let ty = self.type_of(&path);
            let mut target = self.place(&path);
            if self.random.chance(35)
                && let Some(block) = self.block_index(&path, &target)
            {
                target = block;
            }
            parts.push((target, self.expr(&ty, depth.min(1)).text));
        }
        self.seen("tuple assignment");
        let nested = parts.len() > 2 && self.random.chance(70);
        let join = |parts: &[(String, String)], side: fn(&(String, String)) -> &String| {
            parts.iter().map(|p| side(p).clone()).collect::<Vec<_>>().join(", ")
        };
        let side = |side: fn(&(String, String)) -> &String| match nested {
            true => format!("({}, ({}))", side(&parts[0]), join(&parts[1..], side)),
            false => format!("({})", join(&parts, side)),
        };
        let text = format!("{} = {};", side(|p| &p.0), side(|p| &p.1));
        if nested {
            self.seen("nested tuple assignment");
        }
        Some(text)
    }

    /// The target with a block for its last index, which changes the index's variable.
    fn block_index(&mut self, path: &Path, target: &str) -> Option<String> {
        let (counter, int) = self.counter(path.var)?;
        let at = last_index(target)?;
        let len = self.length_of(path);
        self.seen("tuple assignment, block in a target");
        let step = *self.random.pick(&["wrapping_add", "wrapping_sub"]);
        Some(format!(
            "{}[{{\n{counter} = {counter}.{step}(1{});\n({counter} & {}) as usize\n}}]",
            &target[..at],
            int.name,
            len - 1
        ))
    }

    /// Reads and writes through `Index` and `IndexMut` of the support module, which has effects.
    pub fn banked(&mut self, depth: usize) -> Option<String> {
        if self.random.chance(25)
            && let Some(value) = self.banked_value()
        {
            let (place, _) = self.pick_place(true, |t| *t == Ty::Int(types::U32))?;
            return Some(format!("{place} = {value} ^ {};", self.banked_value()?));
        }
        let (bank, path) = self.pick_place(true, |t| *t == Ty::Struct(BANK))?;
        let word = Ty::Int(types::U32);
        self.scoped(|g| {
            let row = g.leaf(&Ty::Int(types::USIZE)).text;
            let free = g.expr(&word, depth.min(1)).text;
            g.frozen.push(path.var);
            let (col, value) = (g.index(types::Len::Fixed(4)), g.expr(&word, depth.min(1)).text);
            let item = g.fresh("r");
            g.seen("place through one's own IndexMut");
            let kind = g.random.below(9);
            if kind >= 3 {
                g.seen("method on a place of one's own IndexMut");
            }
            Some(match kind {
                0 => format!("{bank}[{row}][{col}] = {free};"),
                1 => format!("{bank}[{row}][{col}] += {free};"),
                2 => format!("{bank}[{row}] = [{free}; 4];"),
                3 => format!("for {item} in {bank}[{row}].iter_mut() {{\n*{item} ^= {value};\n}}"),
                4 => format!("{bank}[{row}].swap(1, ({col}) as usize);"),
                5 => format!("{bank}[{row}].fill({value});"),
                6 => format!("{{\nlet {item} = &mut {bank}[{row}][1..];\n{item}[0] = {value};\n}}"),
                7 => {
                    format!("if let Some({item}) = {bank}[{row}].get_mut(({col}) as usize) {{\n*{item} -= {value};\n}}")
                }
                _ => format!("{{\nlet {item} = &mut {bank}[{row}];\n{item}[{col}] ^= {value};\n}}"),
            })
        })
    }

    /// `bank[i][j]`, read through `Index` of the support module.
    pub fn banked_value(&mut self) -> Option<String> {
        let (bank, path) = self.pick_place(false, |t| *t == Ty::Struct(BANK))?;
        self.seen("index through one's own Index");
        self.scoped(|g| {
            let row = g.leaf(&Ty::Int(types::USIZE)).text;
            g.frozen.push(path.var);
            Some(format!("{bank}[{row}][{}]", g.index(types::Len::Fixed(4))))
        })
    }
}

/// Where the brackets open that end a place: `v[a[0]][b[1]]` has them at `[b[1]]`.
fn last_index(place: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in place.bytes().enumerate().rev() {
        match byte {
            b']' => depth += 1,
            b'[' if depth == 1 => return Some(at),
            b'[' => depth -= 1,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}
