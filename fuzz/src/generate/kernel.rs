//! One kernel: its inputs, its variables, its guarded statements, the hash of everything at its end.

use super::calls::helper;
use super::scope::{Gen, Return, Var};
use super::types::{self, I32, Len, Structs, Ty, U32, U64, USIZE};
use crate::random::Random;

/// A kernel and what it calls.
pub struct KernelText {
    /// Its Rust name.
    pub name: String,
    /// The Rust of its functions and itself.
    pub source: String,
    /// The const generics it is made with; empty if it has none.
    pub instances: Vec<usize>,
    /// How many of its statements a bit of `mask` guards.
    pub statements: usize,
}

/// Kernel number `index`.
pub fn kernel(random: &mut Random, structs: &Structs, index: usize) -> KernelText {
    let name = format!("k{index}");
    let instances =
        if random.chance(10) { random.pick(&[vec![2, 4], vec![4, 8], vec![1, 2]]).clone() } else { vec![] };
    let param = (!instances.is_empty()).then_some("N");
    let mut source = String::new();
    let mut helpers = Vec::new();
    for n in 0..random.below(3) {
        let (one, text) = helper(random, structs, &helpers, format!("{name}_h{n}"));
        source += &text;
        source.push('\n');
        helpers.push(one);
    }
    // Threads that return early would be missed by a barrier.
    let together = random.chance(55);
    let mut g = Gen {
        random,
        structs,
        helpers,
        vars: Vec::new(),
        frozen: Vec::new(),
        write_floor: 0,
        loops: Vec::new(),
        returns: (!together).then_some(Return::Kernel),
        param,
        fuel: 0,
        next: 0,
    };
    let mut body = g.inputs();
    g.variables(&mut body);
    let own = g.vars.len();
    let statements = g.random.between(5, 9);
    for i in 0..statements {
        g.fuel = g.random.between(6, 24) as i32;
        let text =
            g.scoped(|g| if together && g.random.chance(30) { g.together() } else { g.statements(2, 3) });
        body.push(format!("if mask & {:#x} != 0 {{\n{text}\n}}", 1u64 << i));
    }
    g.fuel = 0;
    g.hash(own, &mut body);
    let generics = if param.is_some() { "<const N: usize>" } else { "" };
    source += &format!(
        "#[gpu_kernel(fmad = false)]\npub fn {name}{generics}(\nxs: &[u32],\nfs: &[f32],\nout: &mut [u64],\n#[comptime] a: u32,\n#[comptime] b: i32,\n#[comptime] pick: u32,\n#[comptime] mask: u64,\n) {{\n{}\n}}\n",
        body.join("\n")
    );
    KernelText { name, source, instances, statements }
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
        let lines = [
            "let gid = global_id();",
            "let lane = lane_id();",
            "let d0 = xs[gid & 127];",
            "let d1 = xs[(gid * 7 + 3) % xs.len()];",
            "let e0 = fs[gid & 127];",
            "let e1 = fs[(d0 & 127) as usize] as f64;",
            "let w = ((d0 as u64) << 32) ^ (d1 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);",
        ];
        lines.map(str::to_owned).into()
    }

    fn known(&mut self, name: &str, ty: Ty) {
        self.vars.push(Var { name: name.to_owned(), ty, mutable: false, reference: false, constant: true });
    }

    /// Variables that the guarded statements change.
    fn variables(&mut self, body: &mut Vec<String>) {
        let mut types: Vec<_> = (0..self.random.between(3, 5)).map(|_| types::scalar(self.random)).collect();
        for _ in 0..self.random.between(1, 2) {
            types.push(self.structs.any(self.random, self.param));
        }
        for (i, ty) in types.into_iter().enumerate() {
            let name = format!("v{i}");
            let shift = self.random.below(40);
            self.fuel = 4;
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
    }

    /// Folds the first `own` variables that can change into one word, and stores that.
    fn hash(&mut self, own: usize, body: &mut Vec<String>) {
        body.push("let mut h = 0x1234_5678_9abc_def0u64;".to_owned());
        for i in 0..own {
            let var = self.vars[i].clone();
            if var.mutable {
                self.hash_part(&var.name, &var.ty, body);
            }
        }
        body.push("out[gid] = h;".to_owned());
    }

    fn hash_part(&mut self, place: &str, ty: &Ty, body: &mut Vec<String>) {
        match ty {
            Ty::Bool | Ty::Int(_) => body.push(format!("h = mix(h, {place} as u64);")),
            Ty::F32 => body.push(format!("h = mix(h, bits32({place}) as u64);")),
            Ty::F64 => body.push(format!("h = mix(h, bits64({place}));")),
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
        }
    }
}
