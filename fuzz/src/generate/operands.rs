//! Operands that another operand changes, and those that leave the expression: what order shows.

use super::numbers::parens;
use super::scope::{Expr, Gen, Loop, Return};
use super::types::{self, Ty};

impl Gen<'_> {
    /// An operand that is read, and one after it that changes what was read.
    pub fn operand_then_effect(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let Ty::Int(int) = ty else { return None };
        if (int.name == "usize" || self.random.chance(40))
            && self.random.chance(60)
            && let Some((length, reassign)) = self.length_then_slice()
        {
            let length = if int.name == "usize" { length } else { format!("({length} as {})", int.name) };
            let value = self.leaf(ty).text;
            return Some(self.joined(ty, &length, &format!("{{\n{reassign}\n{value}\n}}")));
        }
        if self.random.chance(30)
            && let Some((element, reassign)) = self.element_then_slice(ty)
        {
            let value = self.leaf(ty).text;
            return Some(self.joined(ty, &element, &format!("{{\n{reassign}\n{value}\n}}")));
        }
        let paths = self.paths(true, |t| t == ty);
        if paths.is_empty() {
            return None;
        }
        let path = self.random.pick(&paths).clone();
        self.seen("operand read before a later operand's effect");
        let left = self.place(&path);
        let assign = self.assign(&path, depth.min(1));
        let value = if self.random.chance(50) { self.place(&path) } else { self.leaf(ty).text };
        Some(self.joined(ty, &left, &format!("{{\n{assign}\n{value}\n}}")))
    }

    /// Two operands of an integer type in one expression: an operator, a tuple, an array, a call, a literal.
    fn joined(&mut self, ty: &Ty, left: &str, right: &str) -> Expr {
        let name = self.structs.spell(ty);
        let op = *self.random.pick(&["+", "-", "*", "^", "|", "&"]);
        let pair = self.structs.0[..4].iter().find(|s| s.fields[0].1 == *ty);
        Expr::new(match self.random.below(9) {
            0..3 => format!("({left} {op} {right})"),
            3 => {
                let (p, q) = (self.fresh("q"), self.fresh("q"));
                format!("{{\nlet ({p}, {q}) = ({left}, {right});\n({p} {op} {q})\n}}")
            }
            4 => format!("[{left}, {right}][{}]", self.random.below(2)),
            5 => format!("poly({left}, {right})"),
            6 if pair.is_some() => format!("(Pair {{ y: {left}, x: {right} }}).sum()"),
            6 | 7 => {
                let op = *self.random.pick(&["<", "==", ">=", "!="]);
                format!("(({left} {op} {right}) as {name})")
            }
            _ => format!("{}.wrapping_sub({right})", parens(left)),
        })
    }

    /// A value, or a `return`, `break` or `continue` in its place.
    pub fn early_exit(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let exit = self.exit(depth)?;
        self.seen("early exit in an operand");
        let cond = self.condition(depth).text;
        let value = self.expr(ty, depth).text;
        Some(Expr::new(match self.random.below(3) {
            0 => format!("(if {cond} {{ {exit} }} else {{ {value} }})"),
            1 => format!("(match {cond} {{\nfalse => {value},\ntrue => {exit},\n}})"),
            _ => format!("{{\nif {cond} {{\n{exit};\n}}\n{value}\n}}"),
        }))
    }

    /// What leaves a loop, a labelled block or the function, as an expression of type `!`.
    pub fn exit(&mut self, depth: usize) -> Option<String> {
        if let Some(Return::Value(ty)) = self.returns.clone()
            && (self.loops.is_empty() || self.random.chance(30))
        {
            return Some(format!("return {}", self.expr(&ty, depth.min(1)).text));
        }
        // A label names what it leaves wherever it stands; without one `break` in a block is refused.
        let labelled: Vec<Loop> = self.loops.iter().filter(|l| l.label.is_some()).cloned().collect();
        let last = self.loops.last().filter(|l| l.label.is_none() && !l.block).cloned();
        let target = match last {
            Some(last) if labelled.is_empty() || self.random.chance(50) => last,
            _ if labelled.is_empty() => return None,
            _ => self.random.pick(&labelled).clone(),
        };
        let to = target.label.as_ref().map_or(String::new(), |l| format!(" {l}"));
        if !target.block && self.random.chance(35) {
            return Some(format!("continue{to}"));
        }
        Some(match &target.value {
            Some(ty) => format!("break{to} ({})", self.expr(ty, depth.min(1)).text),
            None => format!("break{to}"),
        })
    }

    /// `'l: { … break 'l value … value }`
    pub fn labelled_block(&mut self, ty: &Ty, depth: usize) -> Expr {
        self.seen("labelled block");
        let label = self.fresh("'b");
        let text = self.scoped(|g| {
            g.loops.push(Loop { label: Some(label.clone()), value: Some(ty.clone()), block: true });
            let cond = g.condition(depth).text;
            let early = g.expr(ty, depth.min(1)).text;
            let body = g.statements(1, depth);
            let value = g.expr(ty, depth).text;
            g.loops.pop();
            format!("{label}: {{\nif {cond} {{\nbreak {label} ({early});\n}}\n{body}\n{value}\n}}")
        });
        // A label before a block draws a warning from rustc where an operand begins.
        Expr::new(format!("({text})"))
    }

    /// Operators of vectors, halves and structs.
    pub fn overloaded(&mut self, ty: &Ty, depth: usize) -> Expr {
        self.seen("overloaded operator");
        match ty {
            Ty::Half(name) if self.random.chance(35) => {
                let value = self.expr(&Ty::F32, depth).text;
                return Expr::new(format!("{name}::from_f32({value})"));
            }
            Ty::Struct(id) if self.random.chance(30) => {
                let def = self.structs.0[*id].clone();
                let elem = def.fields[0].1.clone();
                let value = self.expr(&elem, depth).text;
                return Expr::new(if def.head == "Ring" {
                    format!("(Ring {{ v: {value} }})")
                } else {
                    format!("{}::splat({value})", def.head)
                });
            }
            _ => {}
        }
        let op = *self.random.pick(&["+", "-", "*"]);
        let (left, right) = (self.expr(ty, depth).text, self.expr(ty, depth).text);
        Expr::new(format!("({left} {op} {right})"))
    }

    /// `Some(x)`, `Shape::Dot(x)`, `Light::Red`
    pub fn enum_value(&mut self, ty: &Ty, depth: usize) -> Expr {
        Expr::new(match ty {
            Ty::Option(inner) => {
                self.seen("option");
                if self.random.chance(30) {
                    return Expr::new(format!("None::<{}>", self.structs.spell(inner)));
                }
                format!("Some({})", self.expr(inner, depth).text)
            }
            Ty::Shape => {
                self.seen("enum with fields");
                match self.random.below(4) {
                    0 => "Shape::Empty".to_owned(),
                    1 => format!("Shape::Dot({})", self.expr(&Ty::Int(types::U32), depth).text),
                    2 => {
                        let to = self.expr(&Ty::Int(types::INTS[3]), depth).text;
                        let from = self.expr(&Ty::Int(types::I32), depth).text;
                        format!("(Shape::Line {{ to: {to}, from: {from} }})")
                    }
                    _ => format!("Shape::Both({})", self.expr(&Ty::Struct(1), depth).text),
                }
            }
            _ => {
                self.seen("enum without fields");
                format!("Light::{}", self.random.pick(&["Red", "Green", "Blue"]))
            }
        })
    }
}
