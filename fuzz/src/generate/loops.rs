//! `for`, `while` and `loop` as statements, each with few rounds.

use super::scope::{Gen, Loop, Path, Var};
use super::types::{self, Int, Ty};

/// The head of a `for` over a range.
struct Head {
    text: String,
    /// Places that it names as they are, with the production of an assignment to them.
    places: Vec<(Path, &'static str)>,
    /// Whether it ends at the length of a slice that can be assigned.
    slice: bool,
    /// The values of the loop's variable, where they are known.
    range: Option<(i128, i128)>,
    /// The type of the loop's variable, where it is not the one asked for.
    int: Option<Int>,
}

impl Head {
    fn plain(text: String) -> Self {
        Self { text, places: Vec::new(), slice: false, range: None, int: None }
    }
}

impl Gen<'_> {
    /// A loop of any kind.
    pub fn loop_statement(&mut self, depth: usize) -> String {
        if self.loops.len() >= 2 {
            return self.if_plain(depth);
        }
        match self.random.below(6) {
            0..4 => self.for_statement(depth),
            4 => self.while_statement(depth),
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
        let mut int = types::integer(self.random);
        let bounded: Vec<_> = self.paths(false, |t| matches!(t, Ty::Int(_)));
        let bounded: Vec<_> = bounded.into_iter().filter(|p| self.vars[p.var].bounded).collect();
        if !bounded.is_empty() {
            let path = self.random.pick(&bounded).clone();
            if let Ty::Int(named) = self.type_of(&path) {
                int = named;
            }
        }
        let head = if self.random.chance(60) { self.named_head(int) } else { None };
        let head = head.unwrap_or_else(|| Head::plain(self.range(int, depth)));
        let unroll = match self.random.below(12) {
            0 => "#[unroll]\n",
            1 => "#[unroll(2)]\n",
            _ => "",
        };
        let (label, prefix) = self.label();
        let anonymous = self.random.chance(8);
        let name = if anonymous { "_".to_owned() } else { self.local("i", true) };
        let mutable = !anonymous && head.range.is_none() && self.random.chance(15);
        let body = self.scoped(|g| {
            if !anonymous {
                let ty = Ty::Int(head.int.unwrap_or(int));
                g.vars.push(Var { range: head.range, ..Var::new(&name, ty, mutable) });
            }
            g.loops.push(Loop { label, value: None, block: false });
            let change = g.changed_head(&head, depth);
            let body = g.statements(2, depth);
            g.loops.pop();
            let mut lines = vec![body];
            if let Some(range) = head.range.filter(|_| !anonymous)
                && let Some(line) = g.indexed_by(&name, range)
            {
                lines.insert(g.random.below(2), line);
            }
            lines.insert(g.random.below(2), change);
            lines.retain(|line| !line.is_empty());
            lines.join("\n")
        });
        let name = if mutable { format!("mut {name}") } else { name };
        format!("{unroll}{prefix}for {name} in {} {{\n{body}\n}}", head.text)
    }

    /// An access whose index is the loop's variable, which no mask keeps in bounds.
    fn indexed_by(&mut self, name: &str, (low, high): (i128, i128)) -> Option<String> {
        let long = |v: &Var| match &v.ty {
            Ty::Slice(elem, least) => v.elements && high - low < *least as i128 && elem.is_scalar(),
            Ty::Array(elem, types::Len::Fixed(n)) => high - low < *n as i128 && matches!(**elem, Ty::Int(_)),
            _ => false,
        };
        let found: Vec<_> = (0..self.vars.len())
            .filter(|i| self.usable(*i) && !self.vars[*i].bounded && long(&self.vars[*i]))
            .collect();
        if found.is_empty() || self.vars.iter().filter(|v| v.name == name).count() != 1 {
            return None;
        }
        let at = *self.random.pick(&found);
        let index = if low == 0 { name.to_owned() } else { format!("{name} - {low}") };
        let element = format!("{}[{index}]", self.vars[at].name);
        let (Ty::Slice(elem, _) | Ty::Array(elem, _)) = self.vars[at].ty.clone() else { return None };
        self.seen("index by a loop's own variable");
        if self.writable(at) && self.random.chance(50) {
            return Some(format!("{element} = {};", self.leaf(&elem).text));
        }
        let (place, path) = self.pick_place(true, |t| matches!(t, Ty::Int(_)))?;
        if path.var == at {
            return None;
        }
        let spelled = self.structs.spell(&self.type_of(&path));
        Some(format!("{place} = {place}.wrapping_mul(3).wrapping_add({element} as {spelled});"))
    }

    /// An assignment to what the head names, which Rust has read before.
    fn changed_head(&mut self, head: &Head, depth: usize) -> String {
        if head.places.is_empty() && !head.slice || self.random.chance(20) {
            return String::new();
        }
        if head.slice {
            return match self.assign_slice_named(&head.text) {
                Some(text) => {
                    self.seen("range to the length of a slice assigned in the body");
                    text
                }
                None => String::new(),
            };
        }
        let (path, role) = self.random.pick(&head.places).clone();
        if !self.writable(path.var) || !self.usable(path.var) {
            return String::new();
        }
        self.seen(role);
        self.assign(&path, depth)
    }

    /// A range whose ends and step are places, as they are.
    fn named_head(&mut self, int: Int) -> Option<Head> {
        if self.random.chance(20)
            && let Some(length) = self.assignable_length()
        {
            let text =
                if self.random.chance(75) { format!("0..{length}") } else { format!("(0..{length}).rev()") };
            return Some(Head { int: Some(types::USIZE), slice: true, ..Head::plain(text) });
        }
        let bounded = self.bounded_paths(int);
        let steps = self.bounded_paths(types::USIZE);
        let bare = |g: &mut Self, paths: &[Path]| {
            let path = g.random.pick(paths).clone();
            (g.place(&path), path)
        };
        let t = int.name;
        if !steps.is_empty() && self.random.chance(30) {
            let (step, path) = bare(self, &steps);
            self.seen("range head names a place");
            let text = match self.random.below(3) {
                0 => format!("(0..{}{t}).step_by({step})", self.random.between(8, 14)),
                1 => format!("(1..={}{t}).step_by({step})", self.random.between(8, 14)),
                _ => format!("(0..10{t}).rev().step_by({step})"),
            };
            return Some(Head {
                places: vec![(path, "range step assigned in the body")],
                ..Head::plain(text)
            });
        }
        if bounded.is_empty() {
            return None;
        }
        self.seen("range head names a place");
        let (first, path) = bare(self, &bounded);
        let (start, end) = ("range start assigned in the body", "range end assigned in the body");
        let back = "reversed range start assigned in the body";
        let (text, role, range) = match self.random.below(8) {
            0 => (format!("0..{first}"), end, (0, 7)),
            1 => (format!("{first}..9"), start, (1, 8)),
            2 => (format!("{first}..=8"), start, (1, 8)),
            3 | 4 => (format!("({first}..9).rev()"), back, (1, 8)),
            5 => (format!("({first}..=8).rev()"), back, (1, 8)),
            6 => (format!("(0..{first}).rev()"), end, (0, 7)),
            _ => {
                let (second, other) = bare(self, &bounded);
                let head = Head::plain(format!("{first}..{second} + 3"));
                return Some(Head { places: vec![(path, start), (other, end)], ..head });
            }
        };
        Some(Head { places: vec![(path, role)], range: Some(range), ..Head::plain(text) })
    }

    /// Places of a type whose values stay from 1 to 8.
    fn bounded_paths(&self, int: Int) -> Vec<Path> {
        let paths = self.paths(false, |t| *t == Ty::Int(int));
        paths.into_iter().filter(|p| self.vars[p.var].bounded).collect()
    }

    /// A range of at most eight rounds, at the ends of its type now and then.
    fn range(&mut self, int: Int, depth: usize) -> String {
        let rounds = self.random.between(0, 4) as i128;
        let t = int.name;
        match self.random.below(17) {
            13.. => self.counted_range(int, rounds),
            // A step that would pass the end of the type.
            9 | 11 => {
                let step = self.leaf(&Ty::Int(types::USIZE)).text;
                format!("({}{t}..{}).step_by(({step} & 15) + 9)", int.max() - 20 - rounds, int.max())
            }
            10 | 12 => {
                let step = self.leaf(&Ty::Int(types::USIZE)).text;
                format!("({}{t}..={}).step_by(({step} & 15) + 9)", int.max() - 20, int.max() - rounds)
            }
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

    /// A range behind adapters that count: below zero, at the ends of its type, all over it.
    fn counted_range(&mut self, int: Int, rounds: i128) -> String {
        self.seen("range counted by adapters");
        let t = int.name;
        let low = if int.signed { -3 } else { 1 };
        let (high, few) = (low + rounds + 2, self.random.below(3));
        match self.random.below(5) {
            0 => {
                let step = self.leaf(&Ty::Int(types::USIZE)).text;
                format!("({low}..{high}{t}).rev().step_by(({step} & 15) + 1)")
            }
            1 => format!("({}..{}{t}).rev().step_by({})", int.min(), int.max(), (int.max() - int.min()) / 3),
            2 => format!("({low}..={high}{t}).skip({few}).take(3)"),
            3 => format!("({}..={}{t}).zip(0..{few}u8).map(|(v, _)| v)", int.max() - rounds, int.max()),
            _ => {
                let from = self.leaf(&Ty::Int(int)).text;
                format!("(({from} & 3)..={}{t}).enumerate().take({few}).map(|(_, v)| v)", int.max())
            }
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
            let loops = std::mem::take(&mut g.loops);
            let cond = g.condition(depth).text;
            g.loops = loops;
            g.loops.push(Loop { label, value: None, block: false });
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
            g.loops.push(Loop { label, value: None, block: false });
            let body = g.statements(2, depth);
            g.loops.pop();
            body
        });
        format!(
            "let mut {counter} = 0u32;\n{head}loop {{\n{counter} += 1;\nif {counter} > {rounds} {{\nbreak;\n}}\n{body}\n}}"
        )
    }
}
