//! Hints about how to order two accesses that race, in terms of the kernel's source.

use super::history::Class;
use crate::simulator::{Doing, MemoryScope, triple};

/// Two accesses that race.
pub(super) struct Situation {
    pub first: Doing,
    pub second: Doing,
    pub classes: (Class, Class),
    /// The narrowest scope that holds both threads.
    pub between: MemoryScope,
    pub same_warp: bool,
    /// Whether neither warp has come to the line of the other.
    pub apart: bool,
    pub seen: Option<SeenRelease>,
    /// Whether the second access's launch may begin before the first one's has ended.
    pub overlaps: bool,
    /// Whether the second access's thread has waited for a barrier at which the first one's thread, of another block,
    /// arrived after its access.
    pub heard: bool,
    /// The second is the copy engine's, and the first is ordered before it but not visible to it.
    pub proxies: Option<Unfenced>,
}

/// A fence that is missing between a thread and the copy engine.
pub(super) struct Unfenced {
    /// Whether the memory is global.
    pub global: bool,
}

/// The hint for a barrier whose initialisation is not ordered before its use.
pub(super) const UNORDERED_BARRIER: &str = "let one thread make the barrier, then call `fence_mbarrier_init()`, and let all meet by \
     `sync_threads()`, or by `cluster_sync()` if other blocks use it, before its first use";

/// The hint for a barrier that the copy engine may not see.
pub(super) const INVISIBLE_BARRIER: &str = "the copy engine may not see the barrier yet: call `fence_mbarrier_init()` in the thread that \
     makes it, after it is made and before the threads meet";

/// A thread of the second access's block that has seen what the first one's thread released after it, and has not
/// acquired it.
pub(super) struct SeenRelease {
    pub thread: [u32; 3],
    /// Whether it is the second access's.
    pub own: bool,
    /// The narrowest scope with which it would have.
    pub needed: MemoryScope,
}

impl Situation {
    /// The hint for them.
    pub fn hint(&self) -> String {
        if self.overlaps {
            return OVERLAPPING.to_owned();
        }
        if self.heard {
            return of_arrivals(self.first, self.second).to_owned();
        }
        if let Some(unfenced) = &self.proxies {
            return of_proxies(unfenced, self.same_warp);
        }
        if self.first.is_bulk() || self.second.is_bulk() {
            return self.of_bulk();
        }
        if self.first.is_copy() || self.second.is_copy() {
            return of_copy(self.between);
        }
        match (&self.seen, self.first.is_strong(), self.second.is_strong()) {
            (_, true, true) => of_atomics(self.between, self.classes),
            (Some(seen), ..) => of_seen(seen),
            (None, false, false) if (self.first, self.second) == (Doing::Write, Doing::Write) => {
                format!("{}; {OF_ONE_VALUE}", self.of_plain())
            }
            (None, false, false) => self.of_plain(),
            (None, ..) => format!(
                "an atomic access and a plain one are not atomic to each other: make both atomic, or {}",
                self.of_plain()
            ),
        }
    }

    fn of_bulk(&self) -> String {
        match (self.first, self.second) {
            (Doing::BulkWrite, _) => {
                "wait for the barrier that counts the copy's bytes before the place is used again; of a copy to global memory, \
                 call `bulk_commit()` and `bulk_wait::<0>()` in its thread"
            }
            (Doing::ProductRead, _) => {
                "the tensor cores may still read the place: wait for the product, by `finish()` of its chain or by `wgmma_commit()` and \
                 `wgmma_wait::<0>()`, before a thread writes there or gives the place back; `release_behind` gives a stage of a \
                 pipeline back once its product is done"
            }
            (Doing::BulkRead, _) => {
                "the copy may still read the place: in its thread call `bulk_commit()` and `bulk_wait_read::<0>()`, and let the \
                 threads meet after that, before anybody writes there; of a copy that a barrier counts, wait for the barrier"
            }
            _ => {
                "let the copy start after the thread's access: by a barrier that all readers of the place arrive at and the \
                 copying thread waits for, or by `sync_threads()`; after stores, and after loads that no such barrier orders, also by \
                 `fence_proxy_async()` in their thread before it arrives"
            }
        }
        .to_owned()
    }

    fn of_plain(&self) -> String {
        match (self.between, self.same_warp) {
            (MemoryScope::Block, true) => {
                "put `sync_warp()` or `sync_threads()` between them; lanes of a warp run in no order by themselves"
            }
            (MemoryScope::Block, false) if self.apart => {
                "the two warps go separate ways, where `sync_threads()` cannot stand: let both meet at a \
                 `named_barrier_sync(number, threads)`, or hand over by an atomic flag that is stored with \
                 `Ordering::Release` and loaded with `Ordering::Acquire`"
            }
            (MemoryScope::Block, false) => {
                "put `sync_threads()` between them, outside of branches that not all threads of the block take"
            }
            (MemoryScope::Cluster, _) => {
                "put `cluster_sync()` between them, outside of branches that not all threads of the cluster take"
            }
            _ => {
                "blocks run in any order: use atomic operations, a flag stored with `Ordering::Release` and loaded with \
                 `Ordering::Acquire`, `grid_sync()` in a cooperative launch, or a second launch"
            }
        }
        .to_owned()
    }
}

/// The hint for stores which no barrier orders, because several threads raise one flag.
const OF_ONE_VALUE: &str = "if all threads store the same value, as that of a flag, store it by \
     `atomic(&mut x[i]).store(value, Ordering::Relaxed)`, or set bits by `fetch_or`";

/// The hint for a launch that begins before the launch before it has ended.
const OVERLAPPING: &str = "the second kernel is launched with `.programmatic_serialization()` and may begin before the first has \
     ended: call `grid_dependency_wait()` before, in this thread or in one that it meets";

/// A thread arrived at a barrier of another block, and that block's thread has waited for it.
fn of_arrivals(first: Doing, second: Doing) -> &'static str {
    let reads = matches!(first, Doing::Read | Doing::BulkRead | Doing::CopyRead | Doing::ProductRead);
    match reads && !matches!(second, Doing::Read) {
        true => {
            "the first one's thread arrived by `arrive_at` after it, which orders nothing in PTX's memory model: arrive by \
             `publish_at` and wait by `wait_cluster`, or set `strict_arrivals` to false if hardware's own order is enough"
        }
        false => {
            "the first one's thread arrived at the barrier after it, and the second one's has waited, but an arrival at a barrier \
             of another block by `arrive_at` orders loads alone: arrive by `publish_at`, and wait by `wait_cluster`"
        }
    }
}

fn of_proxies(unfenced: &Unfenced, same_warp: bool) -> String {
    let fence = if unfenced.global { "fence_proxy_async_global()" } else { "fence_proxy_async()" };
    let before = match same_warp {
        true => "before the copy starts, and before the lanes meet if another one starts it",
        false => "before the barrier that orders the two",
    };
    format!(
        "they are ordered, but the copy engine sees memory by another way (the async proxy) than threads do: put `{fence}` after \
         the first access, in its own thread, and {before}"
    )
}

fn of_seen(seen: &SeenRelease) -> String {
    let fence = match seen.needed {
        MemoryScope::Block => "fence_block()",
        MemoryScope::Cluster => "fence_cluster()",
        MemoryScope::Device | MemoryScope::System => "fence_device()",
    };
    let who = match seen.own {
        true => "its thread".to_owned(),
        false => format!("thread {} of its block", triple(&seen.thread)),
    };
    format!(
        "the first is released, by a fence or an ordering, and {who} has seen the flag or counter that says so, but the \
         second access's side lacks its half: put `{fence}` after the operation that saw it, or give that \
         `Ordering::Acquire` (`AcqRel` where it also counts)"
    )
}

fn of_copy(between: MemoryScope) -> String {
    let wait = "wait for the copy by `copy_async_commit()` and `copy_async_wait::<0>()`";
    match between {
        MemoryScope::Block => {
            format!(
                "{wait} before the place is used again, and put `sync_threads()` between the wait and other threads"
            )
        }
        _ => format!("{wait}; blocks are ordered by a flag with release and acquire, or by a second launch"),
    }
}

fn of_atomics(between: MemoryScope, classes: (Class, Class)) -> String {
    if let (Class::Strong(a), Class::Strong(b)) = classes
        && a.extent != b.extent
    {
        return "atomic operations are atomic to each other on the same bytes only: use one type for the place".to_owned();
    }
    let (wider, who) = match between {
        MemoryScope::Block | MemoryScope::Cluster => {
            ("`atomic_cluster(…)` or `atomic(…)`", "another block of the cluster")
        }
        _ => ("`atomic(…)`", "another block"),
    };
    format!("the scope of one does not hold the other's thread, which is in {who}: use {wider}")
}
