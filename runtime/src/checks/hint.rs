//! What would order two accesses that race, in the words of the kernel's author.

use super::history::Class;
use crate::simulator::{Doing, MemoryScope};

/// What to do about two accesses that race, by who makes them.
pub(super) fn of(
    first: Doing,
    second: Doing,
    between: MemoryScope,
    same_warp: bool,
    classes: (Class, Class),
) -> String {
    if first.is_copy() || second.is_copy() {
        return of_copy(between);
    }
    match (first.is_strong(), second.is_strong()) {
        (true, true) => of_atomics(between, classes),
        (false, false) => of_plain(between, same_warp),
        _ => format!(
            "an atomic access and a plain one are not atomic to each other: make both atomic, or {}",
            of_plain(between, same_warp)
        ),
    }
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

fn of_plain(between: MemoryScope, same_warp: bool) -> String {
    match (between, same_warp) {
        (MemoryScope::Block, true) => {
            "put `sync_warp()` or `sync_threads()` between them; lanes of a warp run in no order by themselves"
        }
        (MemoryScope::Block, false) => "put `sync_threads()` between them",
        (MemoryScope::Cluster, _) => "put `cluster_sync()` between them",
        _ => {
            "blocks run in any order: use atomic operations, a flag stored with `Ordering::Release` and loaded with \
             `Ordering::Acquire`, `grid_sync()` in a cooperative launch, or a second launch"
        }
    }
    .to_owned()
}
