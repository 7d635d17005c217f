//! Loops whose body declares a variable that an index is made of: what is compared before such a loop must not name it.

use super::scope::Gen;
use super::types::{self, Ty};

/// How a loop counts, and the index that its counter and the variable make.
struct Form {
    counter: types::Int,
    /// The variable's type.
    local: types::Int,
    index: fn(&str, &str) -> String,
}

const FORMS: [Form; 3] = [
    Form { counter: types::USIZE, local: types::USIZE, index: |i, d| format!("{i} + {d}") },
    Form { counter: types::U32, local: types::USIZE, index: |i, d| format!("{i} as usize + {d}") },
    Form { counter: types::U32, local: types::U32, index: |i, d| format!("({d} * 1 + {i} * 1) as usize") },
];

impl Gen<'_> {
    /// A loop along a slice, whose index is shifted by a variable of the body; another variable may have its name around the
    /// loop.
    pub fn shifted_loop(&mut self) -> Option<String> {
        let (name, least) = self.shiftable_slice()?;
        self.seen("index by a variable of the loop's body");
        let [part, i, d] = ["p", "i", "d"].map(|prefix| self.fresh(prefix));
        let Form { counter, local, index } = &FORMS[self.random.below(FORMS.len())];
        let t = local.name;
        let rounds = self.random.between(1, least - 1);
        let shadows = self.random.chance(50);
        let mut lines = vec![format!("let {part} = {name};")];
        if shadows {
            self.seen("variable of a loop's body that shadows another");
            let outer = self.leaf(&Ty::Int(*local)).text;
            lines.push(format!("let {d} = ({outer}) & 1;"));
        }
        let inner = self.leaf(&Ty::Int(*local)).text;
        let mut body = vec![format!("let {d} = ({inner}) & 1{t};")];
        if self.random.chance(40) {
            body.push(format!("let {d} = {d} ^ 1;"));
        }
        body.push(self.folded(&format!("{part}[{}]", index(&i, &d)), true)?);
        let body = body.join("\n");
        lines.push(match self.random.chance(60) {
            true => format!("for {i} in 0..{rounds}{} {{\n{body}\n}}", counter.name),
            false => {
                format!("let mut {i} = 0{};\nwhile {i} < {rounds} {{\n{body}\n{i} += 1;\n}}", counter.name)
            }
        });
        if shadows {
            lines.extend(self.folded(&d, true));
        }
        Some(format!("{{\n{}\n}}", lines.join("\n")))
    }
}
