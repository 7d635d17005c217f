//! The knowledge of a thread about all others: the epoch up to which each is ordered before it.
//!
//! A vector clock with an entry for each thread of a grid would be as long as the grid. What is known
//! comes from barriers, though, and so by whole warps and blocks. A [`Clock`] is a tree over warps, blocks
//! and groups of blocks with a bound at every node: a thread is known up to the largest bound above it. The
//! join of two clocks is the larger bound at each node, so the tree is exact. Nodes are shared.

use std::rc::Rc;

/// Bits of a thread's number that each level of the tree decides: 32 lanes, 32 warps, 32 of what is larger.
const BITS: u32 = 5;

/// Children of a node.
const FAN: usize = 1 << BITS;

/// The number of a thread: its block, and its linear index in it in the ten lowest bits.
pub(super) type Key = u64;

/// A group of threads whose numbers differ in this many of the lowest bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// One thread.
    Thread = 0,
    /// A warp.
    Warp = 1,
    /// A block.
    Block = 2,
}

/// The accesses that are ordered before the owner: those of each thread up to an epoch, which is 0 for unknown threads.
///
/// Loads, stores and atomic operations of threads are of the generic proxy, those of the copy engine of the async one. What
/// is ordered before the owner is visible to the copy engine only as far as a proxy fence has made it so, and what is
/// visible is handed on wherever the rest is.
#[derive(Clone, Default, Debug)]
pub(super) struct Clock {
    /// The accesses that are ordered before the owner.
    known: Tree,
    /// The part that only kernels with bulk copies or barriers that count need: few have any, and each thread has a clock.
    copies: Option<Rc<Copies>>,
}

/// The knowledge that copies of the copy engine ask for.
#[derive(Clone, Default, Debug)]
struct Copies {
    /// The accesses that are also visible to the copy engine: in shared and in global memory.
    visible: [Tree; 2],
    /// Further accesses whose loads are complete: those before an arrival at a barrier that counts.
    read: Tree,
}

/// The accesses for which a clock is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asks {
    /// A thread's accesses after an access.
    Thread,
    /// A thread's stores after a load.
    ThreadAfterLoad,
    /// The copy engine's accesses of shared or global memory after an access.
    Engine {
        /// Whether it is global memory.
        global: bool,
    },
    /// Its writes there after a load.
    EngineAfterLoad {
        /// Whether it is global memory.
        global: bool,
    },
}

/// Up to which epoch each thread is known.
#[derive(Clone, Default, Debug)]
struct Tree(Option<Rc<Node>>);

/// Up to which epoch all threads of one's own block, and of one's own warp, are known.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Known {
    pub block: u32,
    pub warp: u32,
}

#[derive(Clone, Debug)]
struct Node {
    /// 0 for a warp, 1 for a block, and so on.
    level: u32,
    /// Every thread below is known at least up to this epoch.
    floor: u32,
    /// The largest epoch below.
    top: u32,
    below: Below,
}

#[derive(Clone, Debug)]
enum Below {
    Nothing,
    Lanes(Box<[u32; FAN]>),
    Nodes(Box<[Option<Rc<Node>>; FAN]>),
}

impl Clock {
    /// Up to which epoch a thread is known.
    pub fn get(&self, key: Key) -> u32 {
        self.known.get(key)
    }

    /// Up to which epoch a thread's accesses are ordered before what asks.
    pub fn ordered(&self, key: Key, asks: Asks) -> u32 {
        let visible = |global| self.copies.as_ref().map_or(0, |of| of.visible[usize::from(global)].get(key));
        let read = || self.copies.as_ref().map_or(0, |of| of.read.get(key));
        match asks {
            Asks::Thread => self.known.get(key),
            Asks::ThreadAfterLoad => self.known.get(key).max(read()),
            Asks::Engine { global } => visible(global),
            Asks::EngineAfterLoad { global } => visible(global).max(read()),
        }
    }

    /// Up to which epoch the whole block and the whole warp of a thread are known, by their bounds alone.
    pub fn known(&self, key: Key) -> Known {
        self.known.known(key)
    }

    /// Whether two clocks are one.
    pub fn is(&self, other: &Clock) -> bool {
        self.known.is(&other.known)
            && match (&self.copies, &other.copies) {
                (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a.is(b),
                (a, b) => a.is_none() && b.is_none(),
            }
    }

    /// Makes every thread of a group known up to an epoch.
    pub fn raise(&mut self, key: Key, group: Group, epoch: u32) {
        self.known.raise(key, group, epoch);
    }

    /// Adds what another clock knows.
    pub fn join(&mut self, other: &Clock) {
        self.known.join(&other.known);
        match (&mut self.copies, &other.copies) {
            (_, None) => {}
            (None, Some(theirs)) => self.copies = Some(theirs.clone()),
            (Some(mine), Some(theirs)) if Rc::ptr_eq(mine, theirs) => {}
            (Some(mine), Some(theirs)) => Rc::make_mut(mine).join(theirs),
        }
    }

    /// Makes what another clock knows visible to the copy engine.
    pub fn publish(&mut self, other: &Clock, global: bool) {
        self.copies_mut().visible[usize::from(global)].join(&other.known);
    }

    /// Whether it knows nothing.
    pub fn is_empty(&self) -> bool {
        self.known.0.is_none()
    }

    /// Makes all that it knows visible to the copy engine: it was there before.
    pub fn publish_all(&mut self) {
        if self.is_empty() {
            return;
        }
        let known = self.known.clone();
        self.copies_mut().visible.iter_mut().for_each(|tree| tree.join(&known));
    }

    /// The loads of another clock are over.
    pub fn join_loads(&mut self, other: &Clock) {
        let copies = self.copies_mut();
        copies.read.join(&other.known);
        if let Some(theirs) = &other.copies {
            copies.read.join(&theirs.read);
        }
    }

    fn copies_mut(&mut self) -> &mut Copies {
        Rc::make_mut(self.copies.get_or_insert_default())
    }
}

impl Copies {
    fn is(&self, other: &Self) -> bool {
        let trees = self.visible.iter().zip(&other.visible);
        self.read.is(&other.read) && trees.into_iter().all(|(a, b)| a.is(b))
    }

    fn join(&mut self, other: &Self) {
        self.read.join(&other.read);
        self.visible.iter_mut().zip(&other.visible).for_each(|(mine, theirs)| mine.join(theirs));
    }
}

impl Tree {
    /// Up to which epoch a thread is known.
    fn get(&self, key: Key) -> u32 {
        match &self.0 {
            Some(root) if root.holds(key) => root.get(key),
            _ => 0,
        }
    }

    /// Up to which epoch the whole block and the whole warp of a thread are known, by their bounds alone.
    fn known(&self, key: Key) -> Known {
        let mut known = Known::default();
        let mut next = self.0.as_deref().filter(|root| root.holds(key));
        while let Some(node) = next {
            known.warp = known.warp.max(node.floor);
            if node.level > 0 {
                known.block = known.warp;
            }
            next = match &node.below {
                Below::Nodes(nodes) => nodes[place(key, node.level)].as_deref(),
                Below::Nothing | Below::Lanes(_) => None,
            };
        }
        known
    }

    /// Whether two clocks are one.
    fn is(&self, other: &Tree) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    /// Makes every thread of a group known up to an epoch.
    fn raise(&mut self, key: Key, group: Group, epoch: u32) {
        let height = group as u32;
        let mut root = self.0.take().unwrap_or_else(|| Node::empty(height.max(1) - 1));
        while !root.holds(key) || root.level + 1 < height {
            root = Node::above(root);
        }
        raise(&mut root, key, height, epoch);
        self.0 = Some(root);
    }

    /// Adds what another clock knows.
    fn join(&mut self, other: &Tree) {
        let Some(theirs) = &other.0 else { return };
        let Some(mut mine) = self.0.take() else {
            self.0 = Some(theirs.clone());
            return;
        };
        let mut theirs = theirs.clone();
        while mine.level < theirs.level {
            mine = Node::above(mine);
        }
        while theirs.level < mine.level {
            theirs = Node::above(theirs);
        }
        self.0 = Some(joined(&mine, &theirs).unwrap_or(mine));
    }
}

impl Node {
    fn empty(level: u32) -> Rc<Self> {
        Rc::new(Self { level, floor: 0, top: 0, below: Below::Nothing })
    }

    /// A node above this one, which is its first child.
    fn above(node: Rc<Self>) -> Rc<Self> {
        let (level, top) = (node.level + 1, node.top);
        let mut nodes = Box::new([const { None }; FAN]);
        nodes[0] = Some(node);
        Rc::new(Self { level, floor: 0, top, below: Below::Nodes(nodes) })
    }

    /// Whether a root of this level is above this thread.
    fn holds(&self, key: Key) -> bool {
        key.checked_shr(BITS * (self.level + 1)).unwrap_or(0) == 0
    }

    fn get(&self, key: Key) -> u32 {
        let at = place(key, self.level);
        let below = match &self.below {
            Below::Nothing => 0,
            Below::Lanes(lanes) => lanes[at],
            Below::Nodes(nodes) => nodes[at].as_ref().map_or(0, |node| node.get(key)),
        };
        below.max(self.floor)
    }

    fn lanes(&mut self) -> &mut [u32; FAN] {
        if matches!(self.below, Below::Nothing) {
            self.below = Below::Lanes(Box::new([0; FAN]));
        }
        match &mut self.below {
            Below::Lanes(lanes) => lanes,
            _ => unreachable!("nodes of level 0 have lanes below"),
        }
    }

    fn nodes(&mut self) -> &mut [Option<Rc<Node>>; FAN] {
        if matches!(self.below, Below::Nothing) {
            self.below = Below::Nodes(Box::new([const { None }; FAN]));
        }
        match &mut self.below {
            Below::Nodes(nodes) => nodes,
            _ => unreachable!("nodes above level 0 have nodes below"),
        }
    }
}

/// Which child of a node of this level a thread is below.
fn place(key: Key, level: u32) -> usize {
    (key >> (BITS * level)) as usize % FAN
}

fn raise(node: &mut Rc<Node>, key: Key, height: u32, epoch: u32) {
    if node.floor >= epoch {
        return;
    }
    let level = node.level;
    if level + 1 == height && epoch >= node.top {
        *node = Rc::new(Node { level, floor: epoch, top: epoch, below: Below::Nothing });
        return;
    }
    let node = Rc::make_mut(node);
    node.top = node.top.max(epoch);
    if level + 1 == height {
        node.floor = epoch;
    } else if level == 0 {
        let lane = &mut node.lanes()[place(key, 0)];
        *lane = epoch.max(*lane);
    } else {
        let child = node.nodes()[place(key, level)].get_or_insert_with(|| Node::empty(level - 1));
        raise(child, key, height, epoch);
    }
}

/// The join of two nodes for the same threads, or `None` if it is the first of them.
fn joined(a: &Rc<Node>, b: &Rc<Node>) -> Option<Rc<Node>> {
    if Rc::ptr_eq(a, b) || a.floor >= b.top {
        return None;
    }
    if b.floor >= a.top {
        return Some(b.clone());
    }
    let below = joined_below(&a.below, &b.below);
    if below.is_none() && a.floor >= b.floor {
        return None;
    }
    let below = below.unwrap_or_else(|| a.below.clone());
    Some(Rc::new(Node { level: a.level, floor: a.floor.max(b.floor), top: a.top.max(b.top), below }))
}

/// The join of what is below two nodes, or `None` if it is what is below the first.
fn joined_below(a: &Below, b: &Below) -> Option<Below> {
    match (a, b) {
        (_, Below::Nothing) => None,
        (Below::Lanes(x), Below::Lanes(y)) => {
            let more = x.iter().zip(y.iter()).any(|(x, y)| y > x);
            more.then(|| Below::Lanes(Box::new(std::array::from_fn(|i| x[i].max(y[i])))))
        }
        (Below::Nodes(x), Below::Nodes(y)) => {
            let mut result: Option<Box<[Option<Rc<Node>>; FAN]>> = None;
            for (i, theirs) in y.iter().enumerate() {
                let Some(theirs) = theirs else { continue };
                let new = match &x[i] {
                    Some(mine) => joined(mine, theirs),
                    None => Some(theirs.clone()),
                };
                if let Some(new) = new {
                    result.get_or_insert_with(|| x.clone())[i] = Some(new);
                }
            }
            result.map(Below::Nodes)
        }
        (Below::Nothing, below) => Some(below.clone()),
        _ => unreachable!("nodes of one level have the same below"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same rules on a plain list.
    struct Plain(Vec<u32>);

    fn key(block: u64, linear: u64) -> Key {
        block << 10 | linear
    }

    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    #[test]
    fn a_tree_is_the_list_of_its_entries() {
        let (blocks, threads) = (70u64, 96u64);
        let mut state = 88_172_645_463_325_252;
        let mut pairs: Vec<(Clock, Plain)> =
            (0..4).map(|_| (Clock::default(), Plain(vec![0; (blocks * threads) as usize]))).collect();
        for _ in 0..4000 {
            let (at, from) = (random(&mut state) as usize % 4, random(&mut state) as usize % 4);
            let (block, linear) = (random(&mut state) % blocks, random(&mut state) % threads);
            let epoch = (random(&mut state) % 50) as u32;
            let group = [Group::Thread, Group::Warp, Group::Block][random(&mut state) as usize % 3];
            if random(&mut state).is_multiple_of(4) {
                let (clock, list) = (pairs[from].0.clone(), pairs[from].1.0.clone());
                pairs[at].0.join(&clock);
                pairs[at].1.0.iter_mut().zip(list).for_each(|(mine, theirs)| *mine = theirs.max(*mine));
            } else {
                pairs[at].0.raise(key(block, linear), group, epoch);
                let alike = |b: u64, t: u64| match group {
                    Group::Thread => (b, t) == (block, linear),
                    Group::Warp => (b, t / 32) == (block, linear / 32),
                    Group::Block => b == block,
                };
                for b in 0..blocks {
                    for t in (0..threads).filter(|t| alike(b, *t)) {
                        let entry = &mut pairs[at].1.0[(b * threads + t) as usize];
                        *entry = epoch.max(*entry);
                    }
                }
            }
        }
        for (clock, list) in &pairs {
            for b in 0..blocks {
                let all = |range: std::ops::Range<u64>| {
                    range.map(|t| list.0[(b * threads + t) as usize]).min().unwrap_or(0)
                };
                for t in 0..threads {
                    assert_eq!(clock.get(key(b, t)), list.0[(b * threads + t) as usize]);
                    let (known, warp) = (clock.known(key(b, t)), t / 32 * 32);
                    assert!(known.block <= all(0..threads) && known.warp <= all(warp..warp + 32));
                    assert!(known.block <= known.warp);
                }
            }
        }
    }

    #[test]
    fn a_group_is_known_as_a_whole() {
        let mut clock = Clock::default();
        clock.raise(key(70, 0), Group::Block, 7);
        clock.raise(key(70, 40), Group::Warp, 9);
        clock.raise(key(70, 3), Group::Thread, 11);
        assert_eq!(clock.known(key(70, 40)), Known { block: 7, warp: 9 });
        assert_eq!(clock.known(key(70, 3)), Known { block: 7, warp: 7 });
        assert_eq!(clock.known(key(71, 3)), Known::default());
        assert_eq!(clock.known(key(40_000, 3)), Known::default());
    }

    #[test]
    fn a_join_with_what_is_known_keeps_the_nodes() {
        let mut a = Clock::default();
        a.raise(key(3, 5), Group::Block, 7);
        let mut b = a.clone();
        b.raise(key(40_000, 0), Group::Thread, 2);
        let before = b.known.0.as_ref().map(Rc::as_ptr);
        b.join(&a);
        assert_eq!(b.known.0.as_ref().map(Rc::as_ptr), before);
        assert_eq!([b.get(key(3, 31)), b.get(key(40_000, 0)), b.get(key(40_000, 1))], [7, 2, 0]);
    }
}
