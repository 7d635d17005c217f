//! Statements: bindings, assignments, branches, jumps.

use super::coverage;
use super::numbers::parens;
use super::scope::{Gen, Return, Step};
use super::types::{self, Ty};

impl Gen<'_> {
    /// Up to `count` statements, a line or more each.
    pub fn statements(&mut self, count: usize, depth: usize) -> String {
        let mut lines = Vec::new();
        for _ in 0..count {
            if !self.burn() {
                break;
            }
            lines.push(self.statement(depth));
        }
        if lines.is_empty() {
            lines.push(self.effect(0));
        }
        lines.retain(|line| !line.is_empty());
        lines.join("\n")
    }

    /// A block of statements with braces.
    pub fn block(&mut self, count: usize, depth: usize) -> String {
        let body = self.scoped(|g| g.statements(count, depth));
        format!("{{\n{body}\n}}")
    }

    /// Any statement that stands where threads may have parted.
    pub fn statement(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.effect(1);
        }
        let inner = depth - 1;
        let text = match self.random.weighted(&[16, 26, 10, 6, 10, 4, 4, 4, 10, 6, 5, 4, 3]) {
            0 => return self.declaration(depth),
            1 => self.effect(depth),
            2 => self.if_statement(inner),
            3 => self.match_statement(inner),
            4 => self.loop_statement(inner),
            5 => self.block(2, inner),
            6 => self.jump(inner),
            7 => self.return_statement(inner),
            8 => self.reference_statement(inner).unwrap_or_else(|| self.effect(depth)),
            9 => self.slice_statement(inner).unwrap_or_else(|| self.effect(depth)),
            10 => self.tuple_assignment(inner).unwrap_or_else(|| self.effect(depth)),
            11 => self.banked(inner).unwrap_or_else(|| self.effect(depth)),
            _ => self.own_memory(inner).unwrap_or_else(|| self.effect(depth)),
        };
        if self.random.chance(30) { self.hole(text) } else { text }
    }

    /// A statement that brings a name into scope; nothing may leave it out.
    fn declaration(&mut self, depth: usize) -> String {
        let inner = depth - 1;
        match self.random.weighted(&[45, 14, 12, 8, 8, 6, 8]) {
            0 => self.binding(depth),
            1 => self.call_statement(inner).unwrap_or_else(|| self.effect(depth)),
            2 => self.late_binding(inner),
            3 => self.constant_item(),
            4 => {
                let x = self.leaf(&Ty::Int(types::U32)).text;
                format!("assert!(({x} & 7) < 8, \"three bits\");")
            }
            5 if !coverage::without("unit variable") => self.unit_binding(inner),
            _ => self.closure_variable(inner).unwrap_or_else(|| self.effect(depth)),
        }
    }

    /// `let u = ();` and the like: the effects remain.
    fn unit_binding(&mut self, depth: usize) -> String {
        self.seen("unit variable");
        let name = self.fresh("u");
        if self.random.chance(40) {
            return format!("let {name} = ();");
        }
        format!("let {name} = {{\n{}\n}};", self.effect(depth))
    }

    fn slice_statement(&mut self, depth: usize) -> Option<String> {
        match self.random.below(12) {
            10.. => self.shifted_loop(),
            0..4 => self.slice_loop(depth),
            4 | 5 => self.assign_slice(),
            6 => self.moved_map_loop(depth),
            7 => self.view_statement(),
            _ => self.mutable_slice(depth),
        }
    }

    /// An assignment to something in scope; empty if nothing can be assigned.
    pub fn effect(&mut self, depth: usize) -> String {
        if self.random.chance(8)
            && let Some(text) = self.assign_behind(depth.min(1))
        {
            return text;
        }
        if self.random.chance(5)
            && let Some(text) = self.assign_slice()
        {
            return text;
        }
        let aggregate = self.random.chance(20);
        let Some(path) = self
            .pick_path(true, |t| t.is_scalar() != aggregate)
            .or_else(|| self.pick_path(true, Ty::is_scalar))
        else {
            return String::new();
        };
        self.assign(&path, depth)
    }

    /// `place op= value`
    pub fn compound(&mut self, place: &str, ty: &Ty, depth: usize) -> String {
        let value = match ty {
            Ty::Bool => {
                let op = *self.random.pick(&["&=", "|=", "^="]);
                return format!("{place} {op} {};", self.expr(ty, depth).text);
            }
            Ty::Int(int) => match self.random.below(12) {
                0 => format!("/= {}", self.divisor(*int, depth)),
                1 => format!("%= {}", self.divisor(*int, depth)),
                2 | 3 => {
                    let op = if self.random.chance(50) { "<<=" } else { ">>=" };
                    let counts = types::integer(self.random);
                    let count = self.expr(&Ty::Int(counts), depth.min(1));
                    format!("{op} ({} & {})", count.text, int.bits - 1)
                }
                n => {
                    let op = ["+=", "-=", "*=", "&=", "|=", "^=", "+=", "-="][n - 4];
                    format!("{op} {}", self.expr(ty, depth).text)
                }
            },
            _ => {
                let op = *self.random.pick(&["+=", "-=", "*=", "/="]);
                format!("{op} {}", self.expr(ty, depth).text)
            }
        };
        format!("{place} {value};")
    }

    /// `let`, sometimes of a name that hides another.
    fn binding(&mut self, depth: usize) -> String {
        let ty = self.structs.any(self.random, self.param);
        if !ty.is_scalar()
            && self.random.chance(45)
            && let Some(text) = self.destructure(&ty, depth)
        {
            return text;
        }
        let value = self.expr(&ty, depth).text;
        let mutable = self.random.chance(60);
        let name = self.local_name();
        let mutable = mutable && !self.vars.iter().any(|v| v.name == name && v.constant);
        let annotation =
            if self.random.chance(40) { format!(": {}", self.structs.spell(&ty)) } else { String::new() };
        self.declare(&name, ty, mutable);
        format!("let {}{name}{annotation} = {value};", if mutable { "mut " } else { "" })
    }

    /// A new name, or one that is taken by a variable that nothing else relies on.
    fn local_name(&mut self) -> String {
        let taken: Vec<_> = self
            .vars
            .iter()
            .filter(|v| v.name.starts_with(['x', 'v', 'p']))
            .map(|v| v.name.clone())
            .collect();
        // `pick` and the inputs start like that too, and are needed under their names.
        let taken: Vec<_> =
            taken.into_iter().filter(|n| n[1..].chars().all(|c| c.is_ascii_digit()) && n.len() > 1).collect();
        if !taken.is_empty() && self.random.chance(12) {
            return self.random.pick(&taken).clone();
        }
        self.local("x", true)
    }

    /// `let (a, mut b) = …;`, `let S { f0, f1: _ } = …;`
    fn destructure(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        if matches!(ty, Ty::Array(..)) {
            return None;
        }
        let value = self.expr(ty, depth).text;
        let mut names = Vec::new();
        let pattern = self.pattern_of(ty, &mut names);
        for (name, ty, mutable) in names {
            self.declare(&name, ty, mutable);
        }
        Some(format!("let {pattern} = {value};"))
    }

    fn pattern_of(&mut self, ty: &Ty, names: &mut Vec<(String, Ty, bool)>) -> String {
        match ty {
            Ty::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|t| self.pattern_of(t, names)).collect();
                format!("({})", items.join(", "))
            }
            Ty::Struct(id) => {
                let def = self.structs.0[*id].clone();
                let partial = self.random.chance(30);
                let shown = if partial { 1 } else { def.fields.len() };
                let mut fields = Vec::new();
                for (field, ty) in &def.fields[..shown] {
                    fields.push(format!("{field}: {}", self.pattern_of(ty, names)));
                }
                let rest = if partial { ", .." } else { "" };
                format!("{} {{ {}{rest} }}", def.head, fields.join(", "))
            }
            _ if self.random.chance(15) => "_".to_owned(),
            other => {
                let (name, mutable) = (self.fresh("x"), self.random.chance(40));
                names.push((name.clone(), other.clone(), mutable));
                if mutable { format!("mut {name}") } else { name }
            }
        }
    }

    /// `let x: T;`, given a value in each branch.
    fn late_binding(&mut self, depth: usize) -> String {
        let ty = types::scalar(self.random);
        let name = self.fresh("x");
        let cond = self.condition(depth).text;
        let (then, otherwise) = (self.expr(&ty, depth).text, self.expr(&ty, depth).text);
        let spelled = self.structs.spell(&ty);
        self.declare(&name, ty, false);
        format!(
            "let {name}: {spelled};\nif {cond} {{\n{name} = {then};\n}} else {{\n{name} = {otherwise};\n}}"
        )
    }

    /// `const K: T = …;`, which the recorder knows.
    fn constant_item(&mut self) -> String {
        let int = types::integer(self.random);
        let name = self.fresh("K");
        let value = self.int_value(int);
        self.declare(&name, Ty::Int(int), false);
        if let Some(var) = self.vars.last_mut() {
            var.constant = true;
        }
        format!("const {name}: {} = {value};", int.name)
    }

    fn if_statement(&mut self, depth: usize) -> String {
        let cond = self.condition(depth + 1).text;
        let mut text = format!("if {cond} {}", self.block(2, depth));
        if self.random.chance(30) {
            let cond = self.condition(depth).text;
            text += &format!(" else if {cond} {}", self.block(1, depth));
        }
        if self.random.chance(50) {
            text += &format!(" else {}", self.block(2, depth));
        }
        text
    }

    /// A `break` or `continue` under a condition.
    fn jump(&mut self, depth: usize) -> String {
        if self.loops.is_empty() {
            return self.effect(depth);
        }
        let returns = self.returns.take();
        let exit = self.exit(depth);
        self.returns = returns;
        let Some(exit) = exit else { return self.effect(depth) };
        let cond = self.condition(depth).text;
        format!("if {cond} {{\n{exit};\n}}")
    }

    /// `return` under a condition.
    fn return_statement(&mut self, depth: usize) -> String {
        let Some(to) = self.returns.clone() else { return self.effect(depth) };
        self.seen("early return");
        let cond = self.condition(depth).text;
        match to {
            Return::Value(ty) => {
                let value = self.expr(&ty, depth).text;
                format!("if {cond} {{\nreturn {value};\n}}")
            }
            Return::Kernel => {
                let read = self.pick_place(false, |t| matches!(t, Ty::Int(_)));
                let value = read.map_or("1u32".to_owned(), |(text, _)| text);
                format!("if {cond} {{\nout[gid] = mix({} as u64, 99);\nreturn;\n}}", parens(&value))
            }
        }
    }

    /// A variable that a reference may be taken of, with its type; nothing may name it meanwhile.
    pub fn borrow(&mut self, fits: impl Fn(&Ty) -> bool, mutable: bool) -> Option<String> {
        // An index could name the variable itself.
        let paths: Vec<_> = self
            .paths(mutable, fits)
            .into_iter()
            .filter(|p| p.steps.iter().all(|s| matches!(s, Step::Field(_))) || !mutable)
            .filter(|p| !(self.vars[p.var].constant || mutable && self.vars[p.var].bounded))
            .collect();
        if paths.is_empty() {
            return None;
        }
        let path = self.random.pick(&paths).clone();
        let text = self.place(&path);
        self.frozen.push(path.var);
        Some(text)
    }
}
