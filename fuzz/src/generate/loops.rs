//! `for`, `while` and `loop` as statements, each with few rounds.

use super::scope::{Gen, Loop};
use super::types::{self, Int, Ty};

impl Gen<'_> {
    /// A loop of any kind.
    pub fn loop_statement(&mut self, depth: usize) -> String {
        if self.loops.len() >= 2 {
            return self.if_plain(depth);
        }
        match self.random.below(5) {
            0..3 => self.for_statement(depth),
            3 => self.while_statement(depth),
            _ => self.plain_loop(depth),
        }
    }

    fn if_plain(&mut self, depth: usize) -> String {
        let cond = self.condition(depth).text;
        format!("if {cond} {}", self.block(1, depth))
    }

    /// A label and its head, for some loops.
    fn label(&mut self) -> (Option<String>, String) {
        if !self.random.chance(35) {
            return (None, String::new());
        }
        let label = self.fresh("'l");
        (Some(label.clone()), format!("{label}: "))
    }

    fn for_statement(&mut self, depth: usize) -> String {
        let int = types::integer(self.random);
        let range = self.range(int, depth);
        let unroll = match self.random.below(12) {
            0 => "#[unroll]\n",
            1 => "#[unroll(2)]\n",
            _ => "",
        };
        let (label, head) = self.label();
        let anonymous = self.random.chance(8);
        let name = if anonymous { "_".to_owned() } else { self.fresh("i") };
        let mutable = !anonymous && self.random.chance(15);
        let body = self.scoped(|g| {
            if !anonymous {
                g.declare(&name, Ty::Int(int), mutable);
            }
            g.loops.push(Loop { label, value: None });
            let body = g.statements(2, depth);
            g.loops.pop();
            body
        });
        let name = if mutable { format!("mut {name}") } else { name };
        format!("{unroll}{head}for {name} in {range} {{\n{body}\n}}")
    }

    /// A range of at most eight rounds, at the ends of its type now and then.
    fn range(&mut self, int: Int, depth: usize) -> String {
        let rounds = self.random.between(0, 4) as i128;
        let t = int.name;
        match self.random.below(9) {
            0 => format!("{}..={}{t}", int.max() - rounds, int.max()),
            1 => format!("({}..={}{t}).rev()", int.min(), int.min() + rounds),
            2 => {
                let low = if int.signed { -2 } else { 1 };
                format!("({low}..{}{t}).rev()", low + rounds)
            }
            3 => format!("(0..{}{t}).step_by({})", 10 + rounds * 8, self.random.between(5, 13)),
            4 => {
                let end = self.expr(&Ty::Int(int), depth.min(1)).text;
                format!("0..({end} & 3) + 1")
            }
            5 => {
                let start = self.expr(&Ty::Int(int), depth.min(1)).text;
                format!("({start} & 7)..={}{t}", 4 + rounds)
            }
            6 => {
                let step = self.leaf(&Ty::Int(types::USIZE)).text;
                format!("({}..{}{t}).step_by(({step} & 15) + 9)", rounds, int.max().min(60))
            }
            7 if self.vars.iter().any(|v| v.name == "a") => format!("0..(((a & 3) + 1) as {t})"),
            _ => format!("0..{}{t}", rounds + 1),
        }
    }

    /// A counter bounds the rounds; it counts first, so that `continue` cannot skip it.
    fn while_statement(&mut self, depth: usize) -> String {
        let counter = self.fresh("n");
        let (label, head) = self.label();
        let rounds = self.random.between(1, 5);
        let text = self.scoped(|g| {
            g.declare(&counter, Ty::Int(types::U32), false);
            // The condition stands outside the loop for `break` and `continue`.
            let cond = g.condition(depth).text;
            g.loops.push(Loop { label, value: None });
            let body = g.statements(2, depth);
            g.loops.pop();
            let cond = match g.random.below(3) {
                0 => format!("{counter} < {rounds}"),
                1 => format!("{counter} < {rounds} && {cond}"),
                _ => {
                    return format!(
                        "{head}while {{\n{counter} += 1;\n{counter} <= {rounds} && {cond}\n}} {{\n{body}\n}}"
                    );
                }
            };
            format!("{head}while {cond} {{\n{counter} += 1;\n{body}\n}}")
        });
        format!("let mut {counter} = 0u32;\n{text}")
    }

    fn plain_loop(&mut self, depth: usize) -> String {
        let counter = self.fresh("n");
        let (label, head) = self.label();
        let rounds = self.random.between(1, 5);
        let body = self.scoped(|g| {
            g.declare(&counter, Ty::Int(types::U32), false);
            g.loops.push(Loop { label, value: None });
            let body = g.statements(2, depth);
            g.loops.pop();
            body
        });
        format!(
            "let mut {counter} = 0u32;\n{head}loop {{\n{counter} += 1;\nif {counter} > {rounds} {{\nbreak;\n}}\n{body}\n}}"
        )
    }
}
