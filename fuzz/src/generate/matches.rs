//! `match` on integers, `bool`s, tuples and structs, as a value and as a statement.

use super::scope::{Expr, Gen};
use super::types::{self, Int, Ty};

/// What an arm gives.
enum Body<'t> {
    Value(&'t Ty),
    Statements,
}

impl Gen<'_> {
    /// `match` that gives a value.
    pub fn match_value(&mut self, ty: &Ty, depth: usize) -> Expr {
        let (text, constant) = self.match_(&Body::Value(ty), depth);
        Expr { text: format!("({text})"), constant }
    }

    /// `match` as a statement.
    pub fn match_statement(&mut self, depth: usize) -> String {
        self.match_(&Body::Statements, depth).0
    }

    /// The text, and whether the recorder may fold it to a constant.
    fn match_(&mut self, body: &Body<'_>, depth: usize) -> (String, bool) {
        let ty = match self.random.below(10) {
            0 => Ty::Bool,
            1..6 => Ty::Int(types::integer(self.random)),
            6 | 7 => Ty::Tuple(vec![Ty::Int(types::integer(self.random)), Ty::Bool]),
            8 => Ty::Tuple(vec![Ty::Int(types::integer(self.random)), Ty::Int(types::integer(self.random))]),
            // The instances of `Pair` of integers.
            _ => Ty::Struct(self.random.below(2)),
        };
        let scrutinee = self.expr(&ty, depth);
        let narrowed = match &ty {
            // Small values make the literal arms likely.
            Ty::Int(int) if self.random.chance(50) => format!("{} % {}", scrutinee.text, int.max().min(7)),
            _ => scrutinee.text.clone(),
        };
        let mut arms = Vec::new();
        let mut constant = false;
        for _ in 0..self.random.between(1, 3) {
            let (arm, folds) = self.arm(&ty, body, depth, scrutinee.constant);
            arms.push(arm);
            constant |= folds;
        }
        if ty == Ty::Bool {
            arms.truncate(1);
            for value in ["true", "false"] {
                let (arm, folds) = self.arm_body(value, body, depth);
                arms.push(arm);
                constant |= folds;
            }
        } else {
            let (arm, folds) = self.arm_body("_", body, depth);
            arms.push(arm);
            constant |= folds;
        }
        (format!("match {narrowed} {{\n{}\n}}", arms.join("\n")), constant)
    }

    fn arm(&mut self, ty: &Ty, body: &Body<'_>, depth: usize, constant: bool) -> (String, bool) {
        self.scoped(|g| {
            let mut names = Vec::new();
            let pattern = g.pattern(ty, &mut names);
            for (name, ty) in names {
                g.declare(&name, ty, false);
                if let Some(var) = g.vars.last_mut() {
                    var.constant = constant;
                }
            }
            let guard = if g.random.chance(25) {
                let cond = g.read_only(|g| g.expr(&Ty::Bool, depth.min(1))).text;
                format!(" if {cond}")
            } else {
                String::new()
            };
            g.arm_body(&format!("{pattern}{guard}"), body, depth)
        })
    }

    fn arm_body(&mut self, pattern: &str, body: &Body<'_>, depth: usize) -> (String, bool) {
        match body {
            Body::Value(ty) if self.random.chance(70) => {
                let value = self.expr(ty, depth);
                (format!("{pattern} => {},", value.text), value.constant)
            }
            Body::Value(ty) => {
                let value = self.tail_block(ty, depth);
                (format!("{pattern} => {}", value.text), value.constant)
            }
            Body::Statements => (format!("{pattern} => {}", self.block(1, depth)), false),
        }
    }

    /// A pattern, and the names that it binds.
    fn pattern(&mut self, ty: &Ty, names: &mut Vec<(String, Ty)>) -> String {
        match ty {
            Ty::Bool => match self.random.below(4) {
                0 => "true".into(),
                1 => "false".into(),
                2 => "true | false".into(),
                _ => self.name(ty, names),
            },
            Ty::Int(int) => self.int_pattern(*int, names),
            Ty::Tuple(items) if items[1..] == items[..1] && self.random.chance(30) => {
                self.seen("name inside alternatives");
                let name = self.name(&items[0], names);
                let Ty::Int(int) = items[0] else { return name };
                format!("(({}, {name}) | ({name}, {}))", self.literal_pattern(int), self.range_pattern(int))
            }
            Ty::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|t| self.part_pattern(t, names)).collect();
                format!("({})", items.join(", "))
            }
            Ty::Struct(id) => {
                let def = self.structs.0[*id].clone();
                let x = self.part_pattern(&def.fields[0].1, names);
                if self.random.chance(30) {
                    return format!("{} {{ x: {x}, .. }}", def.head);
                }
                let y = self.part_pattern(&def.fields[1].1, names);
                format!("{} {{ x: {x}, y: {y} }}", def.head)
            }
            _ => "_".into(),
        }
    }

    fn part_pattern(&mut self, ty: &Ty, names: &mut Vec<(String, Ty)>) -> String {
        if self.random.chance(25) {
            return "_".into();
        }
        let pattern = self.pattern(ty, names);
        if pattern.contains('|') && !pattern.contains('@') { format!("({pattern})") } else { pattern }
    }

    fn name(&mut self, ty: &Ty, names: &mut Vec<(String, Ty)>) -> String {
        let name = self.fresh("m");
        names.push((name.clone(), ty.clone()));
        name
    }

    fn int_pattern(&mut self, int: Int, names: &mut Vec<(String, Ty)>) -> String {
        match self.random.below(10) {
            0 => self.name(&Ty::Int(int), names),
            1 => {
                let inner = self.range_pattern(int);
                format!("{} @ {inner}", self.name(&Ty::Int(int), names))
            }
            2 => {
                let inner = format!("({} | {})", self.literal_pattern(int), self.range_pattern(int));
                format!("{} @ {inner}", self.name(&Ty::Int(int), names))
            }
            3 => format!("{} | {}", self.literal_pattern(int), self.literal_pattern(int)),
            4 => format!("{} | {}", self.range_pattern(int), self.literal_pattern(int)),
            5 | 6 => self.range_pattern(int),
            7 => {
                self.seen("name inside alternatives");
                let name = self.name(&Ty::Int(int), names);
                format!("({name} @ {} | {name} @ {})", self.range_pattern(int), self.literal_pattern(int))
            }
            8 => format!("{}::{}", int.name, self.random.pick(&["MIN", "MAX"])),
            _ => self.literal_pattern(int),
        }
    }

    fn literal_pattern(&mut self, int: Int) -> String {
        let value = if self.random.chance(60) { self.random.below(7) as i128 } else { self.int_value(int) };
        if self.random.chance(30) { format!("{value}{}", int.name) } else { value.to_string() }
    }

    fn range_pattern(&mut self, int: Int) -> String {
        let (a, b) = if self.random.chance(50) {
            (self.random.below(4) as i128, self.random.below(8) as i128)
        } else {
            (self.int_value(int), self.int_value(int))
        };
        let (low, high) = (a.min(b), a.max(b));
        match self.random.below(5) {
            0 => format!("..={high}"),
            1 => format!("{low}.."),
            2 if low < high => format!("{low}..{high}"),
            3 if high > int.min() => format!("..{high}"),
            _ => format!("{low}..={high}"),
        }
    }
}
