//! Expressions of any type: leaves, branches, blocks with effects, aggregates.

use super::scope::{Expr, Gen, Loop};
use super::types::{self, Int, Len, Ty};

impl Gen<'_> {
    /// An expression of a type; `depth` bounds how far it nests.
    pub fn expr(&mut self, ty: &Ty, depth: usize) -> Expr {
        if depth == 0 || !self.burn() {
            return self.leaf(ty);
        }
        let value = self.any_expr(ty, depth - 1);
        if ty.is_scalar() && depth > 1 && self.random.chance(8) {
            return self.cut(value, |g| g.leaf(ty));
        }
        value
    }

    fn any_expr(&mut self, ty: &Ty, depth: usize) -> Expr {
        match self.random.weighted(&[46, 12, 6, 5, 4, 6, 3, 3, 3, 5, 3, 2, 3]) {
            0 => self.own(ty, depth),
            1 => self.leaf(ty),
            2 => self.if_value(ty, depth),
            3 => self.match_value(ty, depth),
            4 => self.block_value(ty, depth),
            5 => self.call_value(ty, depth).unwrap_or_else(|| self.own(ty, depth)),
            6 => self.loop_value(ty, depth),
            7 => self.part_of_literal(ty, depth),
            8 => self.closure_value(ty, depth).unwrap_or_else(|| self.own(ty, depth)),
            9 => self.operand_then_effect(ty, depth).unwrap_or_else(|| self.own(ty, depth)),
            10 => self.early_exit(ty, depth).unwrap_or_else(|| self.own(ty, depth)),
            11 => self.labelled_block(ty, depth),
            _ => self.slice_value(ty, depth).unwrap_or_else(|| self.own(ty, depth)),
        }
    }

    /// What only this type has: operators, methods, literals of aggregates.
    fn own(&mut self, ty: &Ty, depth: usize) -> Expr {
        match ty {
            Ty::Bool => self.bool_expr(depth),
            Ty::Int(int) => self.int_expr(*int, depth),
            Ty::F32 | Ty::F64 => self.float_expr(ty, depth),
            Ty::Tuple(_) | Ty::Array(..) => self.aggregate(ty, depth),
            Ty::Struct(_) if ty.is_overloaded(self.structs) && self.random.chance(60) => {
                self.overloaded(ty, depth)
            }
            Ty::Struct(_) => self.aggregate(ty, depth),
            Ty::Half(_) => self.overloaded(ty, depth),
            Ty::Option(_) | Ty::Shape | Ty::Light => self.enum_value(ty, depth),
            Ty::Slice(..) => unreachable!("a slice is no value of an expression"),
        }
    }

    /// A variable or a literal.
    pub fn leaf(&mut self, ty: &Ty) -> Expr {
        if self.random.chance(70)
            && let Some((text, path)) = {
                let paths = self.paths(false, |t| t == ty);
                // An index would need another leaf, and could go on for ever.
                let flat: Vec<_> = paths
                    .into_iter()
                    .filter(|p| p.steps.iter().all(|s| matches!(s, super::scope::Step::Field(_))))
                    .collect();
                if flat.is_empty() {
                    None
                } else {
                    let path = self.random.pick(&flat).clone();
                    Some((self.place(&path), path))
                }
            }
        {
            return Expr { text, constant: self.vars[path.var].constant };
        }
        if let Ty::Int(int) = ty
            && self.random.chance(35)
            && let Some(name) = self.scalar_variable()
        {
            return Expr::new(format!("({name} as {})", int.name));
        }
        match ty {
            Ty::Bool => Expr::constant(if self.random.chance(50) { "true" } else { "false" }),
            Ty::Int(int) => self.int_literal(*int),
            Ty::F32 | Ty::F64 => self.float_literal(ty),
            Ty::Half(name) => {
                let text = self.float_literal(&Ty::F32).text;
                Expr::new(format!("{name}::from_f32({text})"))
            }
            Ty::Option(_) | Ty::Shape | Ty::Light => self.enum_value(ty, 0),
            _ => self.aggregate(ty, 0),
        }
    }

    /// A variable of integers or `bool` that no recorder knows, to be cast.
    fn scalar_variable(&mut self) -> Option<String> {
        let fits =
            |v: &super::scope::Var| matches!(v.ty, Ty::Int(_) | Ty::Bool) && !v.constant && !v.reference;
        let found: Vec<_> =
            (0..self.vars.len()).filter(|i| self.usable(*i) && fits(&self.vars[*i])).collect();
        if found.is_empty() { None } else { Some(self.vars[*self.random.pick(&found)].name.clone()) }
    }

    /// A variable's part with indices, where there is one.
    pub fn read(&mut self, ty: &Ty) -> Option<Expr> {
        let (text, path) = self.pick_place(false, |t| t == ty)?;
        Some(Expr { text, constant: self.vars[path.var].constant })
    }

    fn aggregate(&mut self, ty: &Ty, depth: usize) -> Expr {
        match ty {
            Ty::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|t| self.item(t, depth).text).collect();
                Expr::constant(format!("({})", items.join(", ")))
            }
            Ty::Array(elem, Len::Fixed(n)) if *n <= 4 && self.random.chance(50) => {
                let items: Vec<_> = (0..*n).map(|_| self.item(elem, depth).text).collect();
                Expr::constant(format!("[{}]", items.join(", ")))
            }
            Ty::Array(elem, len) => {
                let item = self.item(elem, depth).text;
                Expr::constant(format!("[{item}; {}]", len.text()))
            }
            Ty::Struct(id) => self.struct_literal(*id, depth),
            scalar => self.leaf(scalar),
        }
    }

    /// A literal; with a base for some of the fields, now and then.
    fn struct_literal(&mut self, id: usize, depth: usize) -> Expr {
        let def = self.structs.0[id].clone();
        let mut fields = def.fields.clone();
        if self.random.chance(40) {
            fields.reverse();
        }
        let base = (depth > 0 && self.random.chance(30)).then(|| self.random.between(1, fields.len()) - 1);
        fields.truncate(base.unwrap_or(fields.len()));
        let mut fields: Vec<_> =
            fields.iter().map(|(name, t)| format!("{name}: {}", self.item(t, depth).text)).collect();
        if base.is_some() {
            fields.push(format!("..{}", self.update_base(&Ty::Struct(id), depth)));
        }
        Expr::constant(format!("({} {{ {} }})", def.head, fields.join(", ")))
    }

    /// What a struct update takes the other fields from: a place, a literal, or what has an effect.
    fn update_base(&mut self, ty: &Ty, depth: usize) -> String {
        self.seen("struct update");
        if self.random.chance(50) {
            let effect = self.effect(depth.min(1));
            if !effect.is_empty() {
                self.seen("struct update from an effect");
                let value = self.leaf(ty).text;
                return format!("{{\n{effect}\n{value}\n}}");
            }
        }
        self.leaf(ty).text
    }

    /// A part of an aggregate.
    fn item(&mut self, ty: &Ty, depth: usize) -> Expr {
        self.expr(ty, depth)
    }

    /// `(a, b).0`, `[a, b][i]`
    fn part_of_literal(&mut self, ty: &Ty, depth: usize) -> Expr {
        if self.random.chance(50) {
            let other = types::scalar(self.random);
            let (own, other) = (self.item(ty, depth).text, self.item(&other, depth).text);
            return Expr::constant(if self.random.chance(50) {
                format!("({own}, {other}).0")
            } else {
                format!("({other}, {own}).1")
            });
        }
        let items: Vec<_> = (0..2).map(|_| self.item(ty, depth).text).collect();
        let index = self.index(Len::Fixed(2));
        Expr::constant(format!("[{}][{index}]", items.join(", ")))
    }

    fn if_value(&mut self, ty: &Ty, depth: usize) -> Expr {
        let cond = self.condition(depth);
        let then = self.tail_block(ty, depth);
        let otherwise = self.tail_block(ty, depth);
        let text = format!("(if {} {} else {})", cond.text, then.text, otherwise.text);
        Expr { text, constant: cond.constant && (then.constant || otherwise.constant) }
    }

    /// A condition; sometimes one that the recorder decides.
    pub fn condition(&mut self, depth: usize) -> Expr {
        if self.random.chance(25) && self.vars.iter().any(|v| v.name == "pick") {
            let bit = 1u32 << self.random.below(12);
            let op = if self.random.chance(50) { "==" } else { "!=" };
            return Expr::constant(format!("(pick & {bit}) {op} 0"));
        }
        self.expr(&Ty::Bool, depth)
    }

    /// `{ … value }`
    pub fn tail_block(&mut self, ty: &Ty, depth: usize) -> Expr {
        self.scoped(|g| {
            let mut lines = Vec::new();
            if g.fuel > 0 && g.random.chance(25) {
                lines.push(g.effect(depth));
            }
            let value = g.expr(ty, depth);
            lines.retain(|line| !line.is_empty());
            if lines.is_empty() {
                return Expr { text: format!("{{ {} }}", value.text), ..value };
            }
            Expr { text: format!("{{\n{}\n{}\n}}", lines.join("\n"), value.text), ..value }
        })
    }

    /// A block whose statements change variables that the expression around it may read.
    fn block_value(&mut self, ty: &Ty, depth: usize) -> Expr {
        self.scoped(|g| {
            let mut lines = Vec::new();
            for _ in 0..g.random.between(1, 2) {
                lines.push(g.effect(depth));
            }
            lines.retain(|line| !line.is_empty());
            let value = g.expr(ty, depth);
            Expr { text: format!("{{\n{}\n{}\n}}", lines.join("\n"), value.text), ..value }
        })
    }

    /// `loop` that ends with a value after a few rounds.
    fn loop_value(&mut self, ty: &Ty, depth: usize) -> Expr {
        let (counter, label) = (self.fresh("n"), self.fresh("'l"));
        let labelled = self.random.chance(60);
        let rounds = self.random.between(1, 4);
        let text = self.scoped(|g| {
            g.declare(&counter, Ty::Int(types::U32), false);
            // A `continue` in the last value would never end.
            let around = std::mem::take(&mut g.loops);
            let last = g.expr(ty, depth.min(1)).text;
            g.loops = around;
            let label = labelled.then_some(label);
            g.loops.push(Loop { label: label.clone(), value: Some(ty.clone()), block: false });
            let to = label.as_ref().filter(|_| g.random.chance(60)).map_or(String::new(), |l| format!(" {l}"));
            let body = g.statements(1, depth);
            g.loops.pop();
            let head = label.map_or(String::new(), |l| format!("{l}: "));
            format!(
                "{{\nlet mut {counter} = 0u32;\n{head}loop {{\n{counter} += 1;\nif {counter} > {rounds} {{\nbreak{to} ({last});\n}}\n{body}\n}}\n}}"
            )
        });
        Expr::new(text)
    }

    /// An index of any integer type that is below `len`.
    pub fn index(&mut self, len: Len) -> String {
        if let Len::Fixed(n) = len
            && self.random.chance(60)
            && let Some(text) = self.loop_index(n)
        {
            return text;
        }
        if self.fuel > 2 && self.random.chance(6) {
            let effect = self.effect(1);
            if !effect.is_empty() {
                self.seen("effect in an index");
                let index = self.plain_index(len);
                return format!("{{\n{effect}\n{index}\n}}");
            }
        }
        self.plain_index(len)
    }

    /// The variable of a loop as an index, where its range is in bounds.
    fn loop_index(&mut self, len: usize) -> Option<String> {
        let fitting: Vec<_> = (0..self.vars.len())
            .filter(|i| self.usable(*i))
            .filter_map(|i| Some((self.vars[i].name.clone(), self.vars[i].range?)))
            .filter(|(_, (low, high))| high - low < len as i128)
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let (name, (low, high)) = self.random.pick(&fitting).clone();
        self.seen("index by a loop's own variable");
        Some(if low == 0 || (low > 0 && high < len as i128 && self.random.chance(40)) {
            name
        } else if low > 0 {
            format!("{name} - {low}")
        } else {
            format!("{name} + {}", -low)
        })
    }

    fn plain_index(&mut self, len: Len) -> String {
        let depth = usize::from(self.fuel > 0 && self.random.chance(40));
        match len {
            Len::Fixed(n) if self.random.chance(40) => self.random.below(n).to_string(),
            Len::Fixed(n) if self.random.chance(60) => {
                let int: Int = types::integer(self.random);
                let value = if self.random.chance(60) {
                    self.leaf(&Ty::Int(int))
                } else {
                    self.expr(&Ty::Int(int), depth)
                };
                format!("({} & {})", value.text, n - 1)
            }
            Len::Fixed(n) => {
                let value = self.leaf(&Ty::Int(types::USIZE));
                format!("{} % {n}", value.text)
            }
            Len::Param(name) => {
                let value = self.leaf(&Ty::Int(types::INTS[7]));
                format!("({} as usize) & ({name} - 1)", value.text)
            }
        }
    }
}
