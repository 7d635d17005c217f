//! Barriers, shared memory, shuffles and votes, where all threads of a block are together.

use super::scope::Gen;
use super::types::{self, Ty};

/// Types that a shuffle takes.
const SHUFFLED: [&str; 8] = ["i32", "u32", "i64", "u64", "isize", "usize", "f32", "f64"];

impl Gen<'_> {
    /// A statement that every thread of a block must reach.
    pub fn together(&mut self) -> String {
        let text = match self.random.below(13) {
            0 | 1 => self.shuffle(),
            2 => self.shuffle_rounds(),
            3 => self.vote(),
            4 => self.voted_branch(),
            5 | 6 => self.exchange(),
            7 => self.exchange_2d(),
            8 => self.warp_reduction(),
            9 => self.counted_barrier(),
            10 => self.shared_atomics(),
            11 => self.shared_reduction(),
            _ => self.shared_pattern_exchange(),
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
        self.seen("shuffle");
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
        self.seen("vote");
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
        self.seen("shared array");
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
        self.seen("shared array in two dimensions");
        let (place, path) = self.pick_place(true, Ty::is_scalar)?;
        let ty = self.type_of(&path);
        let value = self.expr(&ty, 2).text;
        let (tile, spelled) = (self.fresh("tile"), self.structs.spell(&ty));
        let (row, col) = (self.random.below(4), self.random.below(16));
        Some(format!(
            "let mut {tile} = shared!([[{spelled}; 16]; 4]);\nlet (row, col) = (thread_idx().x / 16, thread_idx().x % 16);\n{tile}[row][col] = {value};\nsync_threads();\n{place} = {tile}[(row + {row}) & 3][(col ^ {col}) as usize];\nsync_threads();"
        ))
    }

    /// Reductions of a warp, and of a tile of lanes.
    fn warp_reduction(&mut self) -> Option<String> {
        let int = *self.random.pick(&[types::U32, types::I32]);
        let ty = Ty::Int(int);
        let (place, _) = self.pick_place(true, |t| *t == ty)?;
        let value = self.expr(&ty, 2).text;
        if self.random.chance(50) {
            self.seen("group of a warp");
            let (tile, width) = (self.fresh("g"), *self.random.pick(&[2, 4, 8, 16, 32]));
            let method = *self.random.pick(&["sum", "inclusive_sum"]);
            return Some(format!(
                "let {tile} = warp_tile::<{width}>();\n{place} = {tile}.{method}({value});"
            ));
        }
        self.seen("warp reduction");
        let kinds: &[&str] =
            if int.signed { &["add", "min", "max"] } else { &["add", "min", "max", "and", "or", "xor"] };
        let kind = *self.random.pick(kinds);
        if !int.signed && self.random.chance(25) {
            return Some(format!("{place} = match_any({value} & 3);"));
        }
        Some(format!("{place} = reduce_{kind}_sync(u32::MAX, {value});"))
    }

    fn counted_barrier(&mut self) -> Option<String> {
        let cond = self.expr(&Ty::Bool, 2).text;
        self.seen("barrier with a count");
        if self.random.chance(40) {
            let (place, _) = self.pick_place(true, |t| *t == Ty::Bool)?;
            let kind = *self.random.pick(&["and", "or"]);
            return Some(format!("{place} = sync_threads_{kind}({cond});"));
        }
        let (place, path) = self.pick_place(true, |t| matches!(t, Ty::Int(_)))?;
        let name = self.structs.spell(&self.type_of(&path));
        Some(format!("{place} ^= sync_threads_count({cond}) as {name};"))
    }

    /// Atomics of one kind on each element; their order does not matter.
    fn shared_atomics(&mut self) -> Option<String> {
        let int = *self.random.pick(&[types::U32, types::I32, types::U64]);
        let ty = Ty::Int(int);
        let (place, _) = self.pick_place(true, |t| *t == ty)?;
        let (bins, t) = (self.fresh("bins"), int.name);
        let start = self.int_value(int).max(0);
        let kind = *self.random.pick(&["add", "sub", "min", "max", "and", "or", "xor"]);
        let index = self.expr(&Ty::Int(types::U32), 1).text;
        let value = self.expr(&ty, 2).text;
        let read = self.index(super::types::Len::Fixed(4));
        self.seen("atomic on a shared array");
        let kind = match kind {
            "add" if self.random.chance(40) => {
                format!("atomic_block(&mut {bins}[{index} & 3]).fetch_add({value}, Ordering::Relaxed)")
            }
            kind => format!("atomic_{kind}(&mut {bins}[{index} & 3], {value})"),
        };
        Some(format!(
            "let mut {bins} = shared!([{t}; 4]);\nif thread_idx().x < 4 {{\n{bins}[thread_idx().x] = {start};\n}}\nsync_threads();\n{kind};\nsync_threads();\n{place} = {bins}[{read}];\nsync_threads();"
        ))
    }

    /// A tree of additions in shared memory.
    fn shared_reduction(&mut self) -> Option<String> {
        let (place, path) = self.pick_place(true, |t| matches!(t, Ty::Int(_)))?;
        let ty = self.type_of(&path);
        let (tile, stride, t) = (self.fresh("tile"), self.fresh("n"), self.structs.spell(&ty));
        let value = self.expr(&ty, 2).text;
        let join = match self.random.below(3) {
            0 => format!("{tile}[thread_idx().x] += {tile}[thread_idx().x + {stride}];"),
            1 => format!(
                "let other = {tile}[thread_idx().x + {stride}];\nlet mine = &mut {tile}[thread_idx().x];\n*mine = (*mine).max(other);"
            ),
            _ => format!("{tile}[thread_idx().x] ^= {{ {tile}[thread_idx().x + {stride}] }};"),
        };
        self.seen("reduction in shared memory");
        let head = match self.random.below(2) {
            0 => format!("let mut {stride} = 32u32;\nwhile {stride} > 0 {{"),
            _ => format!("for step in (0..6u32).rev() {{\nlet mut {stride} = 1u32 << step;"),
        };
        Some(format!(
            "let mut {tile} = shared!([{t}; 64]);\n{tile}[thread_idx().x] = {value};\nsync_threads();\n{head}\nif thread_idx().x < {stride} {{\n{join}\n}}\nsync_threads();\n{stride} /= 2;\n}}\n{place} = {tile}[{}];\nsync_threads();",
            self.random.below(2)
        ))
    }

    /// A pattern over `&mut` of an element of a shared array.
    fn shared_pattern_exchange(&mut self) -> Option<String> {
        let pair = Ty::Struct(self.random.below(4));
        let (place, _) = self.pick_place(true, |t| *t == pair)?;
        let value = self.expr(&pair, 2).text;
        let (tile, spelled) = (self.fresh("tile"), self.structs.spell(&pair));
        self.seen("pattern over an element of a shared array");
        Some(format!(
            "let mut {tile} = shared!([{spelled}; 64]);\n{tile}[thread_idx().x] = {value};\nlet Pair {{ x, y }} = &mut {tile}[thread_idx().x];\ncore::mem::swap(x, y);\n*x += *y;\nsync_threads();\n{place} = {tile}[63 - thread_idx().x];\nsync_threads();"
        ))
    }
}
