//! Barriers, shared memory, shuffles and votes, where all threads of a block are together.

use super::scope::Gen;
use super::types::{self, Ty};

/// Types that a shuffle takes.
const SHUFFLED: [&str; 8] = ["i32", "u32", "i64", "u64", "isize", "usize", "f32", "f64"];

impl Gen<'_> {
    /// A statement that every thread of a block must reach.
    pub fn together(&mut self) -> String {
        let text = match self.random.below(8) {
            0 | 1 => self.shuffle(),
            2 => self.shuffle_rounds(),
            3 => self.vote(),
            4 => self.voted_branch(),
            5 | 6 => self.exchange(),
            _ => self.exchange_2d(),
        };
        text.unwrap_or_else(|| "sync_threads();".to_owned())
    }

    /// A variable that a shuffle takes, with its type.
    fn shuffled(&mut self) -> Option<(String, Ty)> {
        let structs = self.structs;
        let (place, path) = self.pick_place(true, |t| SHUFFLED.contains(&structs.spell(t).as_str()))?;
        let ty = self.type_of(&path);
        Some((place, ty))
    }

    fn shuffle(&mut self) -> Option<String> {
        let (place, ty) = self.shuffled()?;
        let value = self.expr(&ty, 2).text;
        // A lane may name any other: what it reads is defined by the count alone.
        let call = match self.random.below(5) {
            0 => format!("shfl({value}, {})", self.leaf(&Ty::Int(types::U32)).text),
            1 => format!("shfl_up({value}, {})", self.random.below(32)),
            2 => format!("shfl_down({value}, {})", self.random.below(32)),
            3 => format!("shfl_xor({value}, {})", self.random.below(32)),
            _ => {
                let width = self.random.pick(&[2, 4, 8, 16, 32]);
                format!(
                    "shfl_sync(0xffff_ffff, {value}, {} & 31, {width})",
                    self.leaf(&Ty::Int(types::U32)).text
                )
            }
        };
        Some(format!("{place} = {call};"))
    }

    /// A butterfly, or a scan of one value.
    fn shuffle_rounds(&mut self) -> Option<String> {
        let (place, ty) = self.shuffled()?;
        let name = self.fresh("i");
        let kind = self.random.pick(&["shfl_xor", "shfl_down", "shfl_up"]);
        let value = self.expr(&ty, 1).text;
        Some(format!(
            "{place} = {value};\nfor {name} in 0..5u32 {{\nlet other = {kind}({place}, 1 << {name});\n{place} += other;\n}}"
        ))
    }

    fn vote(&mut self) -> Option<String> {
        let cond = self.expr(&Ty::Bool, 2).text;
        if self.random.chance(50) {
            let (place, _) = self.pick_place(true, |t| *t == Ty::Bool)?;
            let kind = self.random.pick(&["any", "all"]);
            return Some(format!("{place} = {kind}({cond});"));
        }
        let (place, path) = self.pick_place(true, |t| matches!(t, Ty::Int(_)))?;
        let name = self.structs.spell(&self.type_of(&path));
        Some(format!("{place} ^= ballot({cond}) as {name};"))
    }

    /// A branch that a whole warp takes, with a shuffle inside.
    fn voted_branch(&mut self) -> Option<String> {
        let cond = self.expr(&Ty::Bool, 2).text;
        let kind = self.random.pick(&["any", "all"]);
        let inside = self.shuffle()?;
        let then = self.block(1, 1);
        Some(format!("if {kind}({cond}) {{\n{inside}\n{then}\n}}"))
    }

    /// Each thread stores a value and reads another thread's.
    fn exchange(&mut self) -> Option<String> {
        let pairs: Vec<_> = (0..4).map(Ty::Struct).collect();
        let (place, path) = self.pick_place(true, |t| t.is_scalar() || pairs.contains(t))?;
        let ty = self.type_of(&path);
        let value = self.expr(&ty, 2).text;
        let (tile, spelled) = (self.fresh("tile"), self.structs.spell(&ty));
        let own = match self.random.below(3) {
            0 => "thread_idx().x ^ 5".to_owned(),
            1 => "(63 - thread_idx().x) as usize".to_owned(),
            _ => "thread_idx().x".to_owned(),
        };
        let other = match self.random.below(3) {
            0 => format!("(thread_idx().x + {}) & 63", self.random.below(64)),
            1 => {
                let int = types::integer(self.random);
                format!("({} & 63)", self.expr(&Ty::Int(int), 1).text)
            }
            _ => format!("(thread_idx().x * {}) % 64", self.random.below(9)),
        };
        // The second barrier keeps the next store of the tile behind this read.
        Some(format!(
            "let mut {tile} = shared!([{spelled}; 64]);\n{tile}[{own}] = {value};\nsync_threads();\n{place} = {tile}[{other}];\nsync_threads();"
        ))
    }

    fn exchange_2d(&mut self) -> Option<String> {
        let (place, path) = self.pick_place(true, Ty::is_scalar)?;
        let ty = self.type_of(&path);
        let value = self.expr(&ty, 2).text;
        let (tile, spelled) = (self.fresh("tile"), self.structs.spell(&ty));
        let (row, col) = (self.random.below(4), self.random.below(16));
        Some(format!(
            "let mut {tile} = shared!([[{spelled}; 16]; 4]);\nlet (row, col) = (thread_idx().x / 16, thread_idx().x % 16);\n{tile}[row][col] = {value};\nsync_threads();\n{place} = {tile}[(row + {row}) & 3][(col ^ {col}) as usize];\nsync_threads();"
        ))
    }
}
