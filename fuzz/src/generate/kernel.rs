//! One kernel: its inputs, its variables, its guarded statements, the hash of everything at its end.

use super::calls::helper;
use super::coverage::Coverage;
use super::scope::{Gen, Holes, Return, Var};
use super::types::{self, BANK, BODY, I32, Len, RING, Structs, Ty, U32, U64, USIZE, VECTORS};
use crate::random::Random;

/// A kernel and what it calls.
pub struct KernelText {
    /// Its Rust name.
    pub name: String,
    /// The Rust of its functions and itself.
    pub source: String,
    /// The const generics it is made with; empty if it has none.
    pub instances: Vec<usize>,
    /// How many of its statements and expressions a bit leaves out.
    pub holes: Holes,
    /// How often each production was used.
    pub seen: Coverage,
}

/// Kernel number `index`.
pub fn kernel(random: &mut Random, structs: &Structs, index: usize) -> KernelText {
    let name = format!("k{index}");
    let instances =
        if random.chance(10) { random.pick(&[vec![2, 4], vec![4, 8], vec![1, 2]]).clone() } else { vec![] };
    let param = (!instances.is_empty()).then_some("N");
    let mut source = String::new();
    let mut helpers = Vec::new();
    let mut seen = Coverage::new();
    for n in 0..random.below(4) {
        let (one, text, used) = helper(random, structs, &helpers, format!("h{n}"));
        source += &text;
        source.push('\n');
        helpers.push(one);
        add(&mut seen, used);
    }
    // Threads that return early would be missed by a barrier.
    let together = random.chance(55);
    let mut g = Gen::new(random, structs, helpers);
    g.holes = Some(Holes::default());
    g.returns = (!together).then_some(Return::Kernel);
    g.param = param;
    let mut body = g.inputs();
    g.variables(&mut body);
    let own = g.vars.len();
    for _ in 0..g.random.between(6, 10) {
        g.reserve_holes(24);
        g.fuel = g.random.between(6, 26) as i32;
        let text =
            g.scoped(|g| if together && g.random.chance(30) { g.together() } else { g.statements(2, 3) });
        body.push(g.hole(text));
    }
    g.fuel = 0;
    g.hash(own, &mut body);
    add(&mut seen, std::mem::take(&mut g.seen));
    let holes = g.holes.unwrap_or_default();
    let generics = if param.is_some() { "<const N: usize>" } else { "" };
    source += &format!(
        "#[gpu_kernel(fmad = false)]\npub fn {name}{generics}(\nxs: &[u32],\nfs: &[f32],\nys: &mut [u64],\nbs: &mut [Body],\ncounts: &mut [u32],\nout: &mut [u64],\n#[comptime] a: u32,\n#[comptime] b: i32,\n#[comptime] pick: u32,\n#[comptime] mask: u64,\n#[comptime] cut: u64,\n) {{\n{}\n}}\n",
        body.join("\n")
    );
    KernelText { name, source, instances, holes, seen }
}

fn add(all: &mut Coverage, more: Coverage) {
    for (production, times) in more {
        *all.entry(production).or_default() += times;
    }
}

impl Gen<'_> {
    /// The names that every kernel has, and the lines that declare them.
    fn inputs(&mut self) -> Vec<String> {
        for (name, ty) in [("a", U32), ("b", I32), ("pick", U32)] {
            self.known(name, Ty::Int(ty));
        }
        if let Some(name) = self.param {
            self.known(name, Ty::Int(USIZE));
        }
        for (name, ty) in [
            ("gid", Ty::Int(USIZE)),
            ("lane", Ty::Int(U32)),
            ("d0", Ty::Int(U32)),
            ("d1", Ty::Int(U32)),
            ("e0", Ty::F32),
            ("e1", Ty::F64),
            ("w", Ty::Int(U64)),
        ] {
            self.declare(name, ty, false);
        }
        let mut lines: Vec<String> = [
            "let gid = global_id();",
            "let lane = lane_id();",
            "let d0 = xs[gid & 127];",
            "let d1 = xs[(gid * 7 + 3) % xs.len()];",
            "let e0 = fs[gid & 127];",
            "let e1 = fs[(d0 & 127) as usize] as f64;",
            "let w = ((d0 as u64) << 32) ^ (d1 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);",
            "SLOTS.get_mut()[gid] = w;",
        ]
        .map(str::to_owned)
        .into();
        self.tables(&mut lines);
        for (name, source, elem, least) in [
            ("mine", "&mut ys[gid * 8..][..8]", Ty::Int(U64), 8),
            ("bodies", "&mut bs[gid * 2..][..2]", Ty::Struct(BODY), 2),
        ] {
            lines.push(format!("let {name} = {source};"));
            let slice = Ty::Slice(elem.into(), least);
            self.vars.push(Var { elements: true, ..Var::new(name, slice, false) });
        }
        lines
    }

    fn known(&mut self, name: &str, ty: Ty) {
        self.vars.push(Var { constant: true, ..Var::new(name, ty, false) });
    }

    /// Variables that the guarded statements change.
    fn variables(&mut self, body: &mut Vec<String>) {
        let mut types: Vec<_> = (0..self.random.between(3, 5)).map(|_| types::scalar(self.random)).collect();
        types.push(Ty::Int(U32));
        for _ in 0..self.random.between(2, 4) {
            types.push(self.structs.any(self.random, self.param));
        }
        for _ in 0..2 {
            let id = self.random.below(self.structs.0.len());
            types.push(Ty::Struct(id));
        }
        if self.random.chance(50) {
            types.push(Ty::Array(types::scalar(self.random).into(), Len::Fixed(4)));
        }
        if self.random.chance(60) {
            let id = self.random.between(RING, RING + VECTORS.len());
            types.push(Ty::Array(Ty::Struct(id).into(), Len::Fixed(2)));
        }
        if self.random.chance(35) {
            types.push(Ty::Struct(BANK));
        }
        types.push(if self.random.chance(50) {
            Ty::Shape
        } else {
            Ty::Option(types::scalar(self.random).into())
        });
        for (i, ty) in types.into_iter().enumerate() {
            let name = format!("v{i}");
            let shift = self.random.below(40);
            self.fuel = 4;
            if matches!(&ty, Ty::Struct(id) if self.structs.0[*id].operators) {
                self.seen("vector");
            }
            if matches!(ty, Ty::Half(_)) {
                self.seen("half float");
            }
            let value = match &ty {
                Ty::Int(int) => format!("(w >> {shift}) as {}", int.name),
                Ty::Bool => format!("(w >> {shift}) & 1 != 0"),
                Ty::F32 => "e0".to_owned(),
                Ty::F64 => "e1".to_owned(),
                other => self.expr(other, 1).text,
            };
            body.push(format!("let mut {name}: {} = {value};", self.structs.spell(&ty)));
            self.declare(&name, ty, true);
        }
        self.bounded("w", body);
    }

    /// Variables whose integers stay from 1 to 8: alone, in a tuple, in an array.
    pub fn bounded(&mut self, word: &str, body: &mut Vec<String>) {
        let int = types::integer(self.random);
        let row = Ty::Array(Ty::Int(USIZE).into(), Len::Fixed(2));
        for (name, ty) in [
            ("b0", Ty::Int(types::integer(self.random))),
            ("b1", Ty::Int(USIZE)),
            ("b2", Ty::Tuple(vec![Ty::Int(U32), Ty::Int(USIZE)])),
            ("b3", if self.random.chance(50) { Ty::Array(Ty::Int(int).into(), Len::Fixed(2)) } else { row }),
        ] {
            let mut one = |ty: &Ty| match ty {
                Ty::Int(int) => format!("(({word} >> {}) & 7) as {} + 1", self.random.below(30), int.name),
                _ => String::new(),
            };
            let value = match &ty {
                Ty::Tuple(items) => {
                    format!("({})", items.iter().map(&mut one).collect::<Vec<_>>().join(", "))
                }
                Ty::Array(elem, _) => format!("[{}, {}]", one(elem), one(elem)),
                other => one(other),
            };
            body.push(format!("let mut {name} = {value};"));
            self.vars.push(Var { bounded: true, ..Var::new(name, ty, true) });
        }
    }

    /// Folds the first `own` variables that can change into one word, and stores that.
    fn hash(&mut self, own: usize, body: &mut Vec<String>) {
        body.push("let mut h = 0x1234_5678_9abc_def0u64;".to_owned());
        self.reserve_holes(0);
        for i in 0..own {
            let var = self.vars[i].clone();
            let mut lines = Vec::new();
            match &var.ty {
                Ty::Slice(..) if !var.elements => {
                    lines.push(format!("h = mix(h, {0}.len() as u64 + {0}[0] as u64);", var.name));
                }
                ty if var.mutable => self.hash_part(&var.name, ty, &mut lines),
                _ => {}
            }
            // What matters to a difference is one variable of many.
            body.push(self.hole(lines.join("\n")));
        }
        body.push("out[gid] = h;".to_owned());
    }

    fn hash_part(&mut self, place: &str, ty: &Ty, body: &mut Vec<String>) {
        match ty {
            Ty::Bool | Ty::Int(_) => body.push(format!("h = mix(h, {place} as u64);")),
            Ty::F32 => body.push(format!("h = mix(h, bits32({place}) as u64);")),
            Ty::F64 => body.push(format!("h = mix(h, bits64({place}));")),
            Ty::Half("f16") => body.push(format!("h = mix(h, bits16({place}) as u64);")),
            Ty::Half(_) => body.push(format!("h = mix(h, bits_b16({place}) as u64);")),
            Ty::Light => body.push(format!("h = mix(h, {place} as u8 as u64);")),
            Ty::Shape => body.push(format!("h = mix(h, shape_bits(&{place}));")),
            Ty::Option(inner) => {
                body.push(format!("if let Some(o) = {place} {{"));
                self.hash_part("o", inner, body);
                body.push("} else {\nh = mix(h, 5);\n}".to_owned());
            }
            Ty::Tuple(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.hash_part(&format!("{place}.{i}"), item, body);
                }
            }
            Ty::Struct(id) => {
                for (field, ty) in self.structs.0[*id].fields.clone() {
                    self.hash_part(&format!("{place}.{field}"), &ty, body);
                }
            }
            Ty::Array(elem, Len::Fixed(2)) => {
                for i in 0..2 {
                    self.hash_part(&format!("{place}[{i}]"), elem, body);
                }
            }
            Ty::Array(elem, len) => {
                let name = self.fresh("i");
                body.push(format!("for {name} in 0..{} {{", len.text()));
                self.hash_part(&format!("{place}[{name}]"), elem, body);
                body.push("}".to_owned());
            }
            Ty::Slice(..) => {}
        }
    }
}
