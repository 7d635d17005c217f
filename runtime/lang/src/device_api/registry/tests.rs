//! Compares the facts of each builtin with its behaviour.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::Ordering;

use super::{Entry, registry};
use crate::ir::{
    ArgumentAccess, Cost, Effect, Form, Lanes, Orders, Position, ResultRange, SyncScope, Type, Variance,
};
use crate::simulator::{self, Interests, Observer, SimFault, SimLaunch, Thread, context};

fn named(wanted: &str) -> impl Iterator<Item = Entry> {
    registry().filter(move |entry| entry.name() == wanted)
}

#[test]
fn a_function_has_a_name_of_its_own() {
    let mut names = BTreeSet::new();
    let functions: Vec<Entry> = registry().filter(|entry| !entry.is_method).collect();
    let twice: Vec<&str> = functions.iter().map(Entry::name).filter(|name| !names.insert(*name)).collect();
    assert!(functions.len() > 250, "{}", functions.len());
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn every_builtin_is_one_static() {
    let again: Vec<*const _> = registry().map(|entry| std::ptr::from_ref(entry.builtin)).collect();
    let distinct: BTreeSet<_> = again.iter().collect();
    assert_eq!(distinct.len(), again.len());
    assert!(registry().zip(registry()).all(|(a, b)| a.builtin.is(b.builtin)));
}

#[test]
fn a_position_is_pure_and_varies_as_it_must() {
    for entry in registry() {
        let Some(position) = entry.builtin.position() else { continue };
        assert_eq!(entry.builtin.effect, Effect::Pure, "{}", entry.name());
        let variance = match position {
            Position::ThreadIndex
            | Position::GlobalId
            | Position::ThreadRank
            | Position::GridThreadRank
            | Position::LaneId
            | Position::LaneMask
            | Position::ClusterThreadRank => Variance::PerThread,
            Position::WarpId => Variance::PerWarp,
            Position::BlockIndex
            | Position::GridBlockRank
            | Position::ClusterBlockRank
            | Position::ClusterBlockIndex
            | Position::ClusterIndex => Variance::PerBlock,
            Position::BlockExtent
            | Position::GridExtent
            | Position::GlobalSize
            | Position::BlockSize
            | Position::GridBlocks
            | Position::GridThreads
            | Position::WarpSize
            | Position::ClusterSize
            | Position::ClusterExtent
            | Position::ClusterThreads => Variance::Uniform,
        };
        assert_eq!(entry.builtin.variance, variance, "{}", entry.name());
    }
}

/// A builtin whose result depends on the thread alone, or not at all, says that it is a position.
#[test]
fn what_takes_nothing_and_varies_is_a_position() {
    let takes_nothing = |entry: &Entry| {
        let text = (entry.builtin.cuda)(&[], &Type::U32).template;
        !text.contains("{0}") && entry.builtin.effect == Effect::Pure && !entry.is_method
    };
    let missing: Vec<&str> = registry()
        .filter(|entry| entry.place == "index" || entry.place == "cluster")
        .filter(takes_nothing)
        .filter(|entry| entry.builtin.position().is_none())
        .map(|entry| entry.name())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_barrier_wider_than_a_warp_orders_memory() {
    for entry in registry() {
        if let Effect::Sync(SyncScope::Block | SyncScope::Cluster | SyncScope::Grid) = entry.builtin.effect {
            let orders = entry.builtin.facts.orders;
            assert!(matches!(orders, Orders::Whole | Orders::Part), "{}: {orders:?}", entry.name());
        }
    }
}

#[test]
fn a_barrier_that_gives_a_value_is_never_left_out() {
    for entry in registry().filter(|entry| entry.builtin.facts.orders == Orders::Whole) {
        assert!(!entry.builtin.fixes_variance, "{} gives a value", entry.name());
    }
}

#[test]
fn only_operations_of_a_warp_have_lanes() {
    for entry in registry() {
        if entry.builtin.facts.lanes != Lanes::All {
            assert_eq!(entry.builtin.effect, Effect::Sync(SyncScope::Warp), "{}", entry.name());
        }
    }
}

#[test]
fn the_text_of_atomic_operations_depends_on_their_orderings() {
    for entry in registry() {
        if matches!(entry.builtin.facts.orders, Orders::By(_)) {
            assert!(entry.builtin.by_constant.is_some(), "{}", entry.name());
        }
    }
}

#[test]
fn what_waits_has_an_effect_and_reads() {
    for entry in registry().filter(|entry| entry.builtin.facts.waits) {
        assert_eq!(entry.builtin.effect, Effect::Writes, "{}", entry.name());
        assert!(!entry.builtin.facts.accesses.is_empty(), "{}", entry.name());
    }
}

#[test]
fn conversions_cost_a_conversion() {
    let converts = |name: &str| named(name).all(|entry| entry.builtin.facts.cost == Cost::Converts);
    for name in
        ["to_f32", "to_f64", "from_f32", "f32_from_e4m3", "f32_to_i32_rn", "i64_to_f32_rd", "f64_to_f32_ru"]
    {
        assert!(named(name).count() > 0 && converts(name), "{name}");
    }
    assert!(named("bit_cast").all(|entry| entry.builtin.facts.cost == Cost::Moves));
}

#[test]
fn one_builtin_has_each_of_the_forms() {
    let of = |form: Form| -> Vec<&str> {
        registry().filter(|entry| entry.builtin.facts.form == form).map(|entry| entry.name()).collect()
    };
    assert_eq!(of(Form::PointerSum), ["add"]);
    assert_eq!(of(Form::PointerRead), ["read"]);
    assert_eq!(of(Form::PointerWrite), ["write"]);
    assert_eq!(of(Form::ViewOffset), ["offset"]);
    assert_eq!(of(Form::WholeCopy), ["copy_async"]);
    assert_eq!(of(Form::OtherBlock), ["map_shared_rank"]);
    assert_eq!(of(Form::BoxLoad), ["tma_load", "tma_load_hint"]);
    assert_eq!(of(Form::BoxLoadToBlocks), ["tma_load_multicast", "tma_load_multicast_hint"]);
    assert_eq!(of(Form::Assumption), ["assume", "assert_unchecked"]);
}

/// Integers that ends and middles of types come from.
fn samples() -> impl Iterator<Item = u64> {
    let ends = (0..64).flat_map(|bit| [1u64 << bit, (1 << bit) - 1, !0 << bit, !(1 << bit)]);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let random = std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    });
    ends.chain(random.take(400))
}

/// A result of a method, for each type: the result, the three arguments, and the bits of the type.
type Sample = (i128, [i128; 3], u32);

/// Runs what has a range on all integer types, by its name.
fn results() -> HashMap<&'static str, Vec<Sample>> {
    let mut results: HashMap<&'static str, Vec<Sample>> = HashMap::new();
    macro_rules! of_type {
        ($($t:ty)+) => {$({
            let values: Vec<$t> = samples().map(|word| word as $t).collect();
            for (i, a) in values.iter().enumerate() {
                let (a, b, c) = (*a, values[(i * 7 + 3) % values.len()], values[(i * 13 + 5) % values.len()]);
                let (low, high) = (b.min(c), b.max(c));
                let mut add = |name, result: i128, args: [$t; 3]| {
                    let sample = (result, args.map(|arg| arg as i128), <$t>::BITS);
                    results.entry(name).or_default().push(sample);
                };
                add("min", a.min(b) as i128, [a, b, c]);
                add("max", a.max(b) as i128, [a, b, c]);
                add("clamp", a.clamp(low, high) as i128, [a, low, high]);
                add("midpoint", a.midpoint(b) as i128, [a, b, c]);
                if let (Some(two), Some(ten)) = (a.checked_ilog2(), a.checked_ilog10()) {
                    add("ilog2", two.into(), [a, b, c]);
                    add("ilog10", ten.into(), [a, b, c]);
                }
                add("count_ones", a.count_ones().into(), [a, b, c]);
                add("count_zeros", a.count_zeros().into(), [a, b, c]);
                add("leading_zeros", a.leading_zeros().into(), [a, b, c]);
                add("trailing_zeros", a.trailing_zeros().into(), [a, b, c]);
                add("leading_ones", a.leading_ones().into(), [a, b, c]);
                add("trailing_ones", a.trailing_ones().into(), [a, b, c]);
                if b != 0 {
                    add("rem_euclid", a.wrapping_rem_euclid(b) as i128, [a, b, c]);
                    add("wrapping_rem_euclid", a.wrapping_rem_euclid(b) as i128, [a, b, c]);
                }
                let is_unsigned = <$t>::MIN == 0;
                if is_unsigned {
                    add("saturating_sub", a.saturating_sub(b) as i128, [a, b, c]);
                    if let Some(left) = a.checked_sub(b) {
                        add("checked_sub", left as i128, [a, b, c]);
                    }
                    if b != 0 {
                        add("div_ceil", (a as u128).div_ceil(b as u128) as i128, [a, b, c]);
                    }
                    add("isqrt", a.isqrt() as i128, [a, b, c]);
                    add("unbounded_shr", a.unbounded_shr(b as u32) as i128, [a, b, c]);
                    add("wrapping_shr", a.wrapping_shr(b as u32) as i128, [a, b, c]);
                }
            }
        })+};
    }
    of_type! { i8 u8 i16 u16 i32 u32 i64 u64 isize usize }
    macro_rules! of_registers {
        ($($t:ty)+) => {$({
            for a in samples().map(|word| word as $t) {
                let args = [a as i128, 0, 0];
                let mut add = |name, result: u32| {
                    results.entry(name).or_default().push((result.into(), args, <$t>::BITS));
                };
                add("popc", super::int_intrinsics::popc(a));
                add("clz", super::int_intrinsics::clz(a));
                add("ffs", super::int_intrinsics::ffs(a));
            }
        })+};
    }
    of_registers! { i32 u32 i64 u64 isize usize }
    macro_rules! of_bytes {
        ($($method:ident)+) => {$({
            let samples = (0..=u8::MAX).map(|byte| (byte.$method().into(), [byte.into(), 0, 0], 8)).collect();
            results.insert(stringify!($method), samples);
        })+};
    }
    of_bytes! {
        is_ascii is_ascii_digit is_ascii_lowercase is_ascii_uppercase is_ascii_alphabetic is_ascii_alphanumeric
        is_ascii_hexdigit is_ascii_whitespace is_ascii_punctuation is_ascii_control
    }
    results
}

/// The least and the greatest value that a range allows.
fn allowed(range: ResultRange, [a, b, c]: [i128; 3], bits: u32) -> (i128, i128) {
    match range {
        ResultRange::Any => (i128::MIN, i128::MAX),
        ResultRange::Least => (a.min(b), a.min(b)),
        ResultRange::Greatest => (a.max(b), a.max(b)),
        ResultRange::Middle => (a.min(b), a.max(b)),
        ResultRange::Clamped => (b, c),
        ResultRange::UpToFirst => (0, a),
        ResultRange::Remaining => ((a - b).max(0), (a - b).max(0)),
        ResultRange::CheckedDifference => (a - b, a - b),
        ResultRange::Modulo if b > 0 => (0, b - 1),
        ResultRange::Modulo => (i128::MIN, i128::MAX),
        ResultRange::QuotientUp => ((a + b - 1) / b, (a + b - 1) / b),
        ResultRange::UpToBits => (0, bits.into()),
        ResultRange::Zeros => (0, i128::from(bits) - i128::from(a != 0)),
        ResultRange::BelowBits => (0, i128::from(bits) - 1),
        ResultRange::Within(low, high) => (low.into(), high.into()),
        ResultRange::Tells(low, high) => (0, (i128::from(low)..=high.into()).contains(&a).into()),
    }
}

#[test]
fn results_lie_in_the_ranges_that_builtins_say() {
    let results = results();
    for entry in registry() {
        let range = entry.builtin.facts.result;
        // Counts of a barrier are those of the threads of a block; see `a_count_at_a_barrier_is_in_its_range`.
        if range == ResultRange::Any || entry.builtin.effect != Effect::Pure {
            continue;
        }
        let samples = results.get(entry.name()).unwrap_or_else(|| panic!("{} is not run here", entry.name()));
        for (result, args, bits) in samples {
            let (low, high) = allowed(range, *args, *bits);
            assert!(
                (low..=high).contains(result),
                "{}{args:?} gives {result}, not in {low}..={high}",
                entry.name()
            );
        }
    }
}

#[test]
fn a_count_at_a_barrier_is_in_its_range() {
    let counts: Vec<Entry> = registry()
        .filter(|entry| {
            entry.builtin.facts.result != ResultRange::Any && entry.builtin.effect != Effect::Pure
        })
        .collect();
    let [count] = counts.as_slice() else { panic!("{counts:?}") };
    assert_eq!(count.name(), "sync_threads_count");
    let most = i64::from(crate::limits::BLOCK.into_iter().max().unwrap_or(0));
    assert_eq!(count.builtin.facts.result, ResultRange::Within(0, most));
}

/// The accesses of a launch, each once.
#[derive(Default)]
struct Watched(RefCell<HashSet<Seen>>);

/// An access: which bytes it touches, and how.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Seen {
    address: usize,
    bytes: usize,
    reads: bool,
    writes: bool,
}

/// What a call does to the place that it is given, and to how many bytes in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Observed {
    does: ArgumentAccess,
    bytes: usize,
}

impl Observer for Watched {
    fn interests(&self) -> Interests {
        Interests { accesses: true, ..Interests::default() }
    }

    fn on_access(&self, _by: &Thread, access: &simulator::Access) -> Result<(), SimFault> {
        self.push(access, access.kind.reads(), access.kind.writes());
        Ok(())
    }

    fn on_copy_start(
        &self,
        _by: &Thread,
        _copy: u64,
        from: &simulator::Access,
        to: &simulator::Access,
    ) -> Result<(), SimFault> {
        self.push(from, true, false);
        self.push(to, false, true);
        Ok(())
    }
}

impl Watched {
    fn push(&self, access: &simulator::Access, reads: bool, writes: bool) {
        let seen = Seen { address: access.address, bytes: access.bytes as usize, reads, writes };
        self.0.borrow_mut().insert(seen);
    }

    /// The accesses to the places from an address on.
    fn does_to(&self, places: Range<usize>) -> Observed {
        let seen = self.0.borrow();
        let own = || seen.iter().filter(|seen| places.contains(&seen.address));
        let does = match (own().any(|seen| seen.reads), own().any(|seen| seen.writes)) {
            (false, false) => ArgumentAccess::None,
            (true, false) => ArgumentAccess::Read,
            (false, true) => ArgumentAccess::Write,
            (true, true) => ArgumentAccess::Update,
        };
        let places: HashSet<_> = own().map(|seen| (seen.address, seen.bytes)).collect();
        Observed { does, bytes: places.iter().map(|(_, bytes)| bytes).sum() }
    }
}

/// The accesses of a warp's call to the rows of sixteen bytes in shared memory that its lanes give it.
fn observed_of_rows(call: impl Fn(&mut u32)) -> Observed {
    let (watched, first) = (Watched::default(), Cell::new(0));
    let observers: [&dyn Observer; 1] = [&watched];
    let launch = SimLaunch { observers: &observers, ..SimLaunch::new("accesses", [1; 3], [32, 1, 1]) };
    let outcome = simulator::run(&launch, &|| {
        let site = context::SharedSite { line: 0, column: 0, instance: None, file: "rows" };
        let rows = context::shared_alloc(site, 32 * 16, 16);
        let own = rows.wrapping_add(context::lane_id() as usize * 16);
        first.set(rows.addr());
        // SAFETY: a row of the array, which no other lane has.
        call(unsafe { &mut *own.cast() });
    });
    outcome.expect("it runs");
    watched.does_to(first.get()..first.get() + 32 * 16)
}

/// The access of a call to the place that it is given.
fn observed(call: impl Fn(&mut u32)) -> Observed {
    let watched = Watched::default();
    let place = Cell::new(5u32);
    let observers: [&dyn Observer; 1] = [&watched];
    let launch = SimLaunch { observers: &observers, ..SimLaunch::new("accesses", [1; 3], [1; 3]) };
    let outcome = simulator::run(&launch, &|| {
        // SAFETY: one thread, and no other reference to the cell.
        call(unsafe { &mut *place.as_ptr() });
    });
    outcome.expect("it runs");
    watched.does_to(place.as_ptr() as usize..place.as_ptr() as usize + 1)
}

/// Calls of every function and method that accesses a place, by name.
fn accesses() -> HashMap<&'static str, Observed> {
    use super::{atomic::*, ldmatrix::*, memory::*, ordered};
    const RELAXED: Ordering = Ordering::Relaxed;
    let mut found = HashMap::new();
    macro_rules! calls {
        ($($name:literal |$place:ident| $call:expr;)+) => {
            $(found.insert($name, observed(|$place| _ = $call));)+
        };
    }
    calls! {
        "atomic_add" |p| atomic_add(p, 1);
        "atomic_sub" |p| atomic_sub(p, 1);
        "atomic_min" |p| atomic_min(p, 1);
        "atomic_max" |p| atomic_max(p, 1);
        "atomic_and" |p| atomic_and(p, 1);
        "atomic_or" |p| atomic_or(p, 1);
        "atomic_xor" |p| atomic_xor(p, 1);
        "atomic_exchange" |p| atomic_exchange(p, 1);
        "atomic_compare_exchange" |p| atomic_compare_exchange(p, 5, 1);
        "atomic_inc" |p| atomic_inc(p, 1);
        "atomic_dec" |p| atomic_dec(p, 1);
        "volatile_load" |p| volatile_load(p);
        "volatile_store" |p| volatile_store(p, 1);
        "load_read_only" |p| load_read_only(p);
        "load_l2" |p| load_l2(p);
        "load_streaming" |p| load_streaming(p);
        "load_last_use" |p| load_last_use(p);
        "store_l2" |p| store_l2(p, 1);
        "store_streaming" |p| store_streaming(p, 1);
        "store_through" |p| store_through(p, 1);
        "load" |p| ordered::atomic(p).load(RELAXED);
        "store" |p| ordered::atomic(p).store(1, RELAXED);
        "swap" |p| ordered::atomic(p).swap(1, RELAXED);
        "compare_exchange" |p| ordered::atomic(p).compare_exchange(5, 1, RELAXED, RELAXED);
        "compare_exchange_weak" |p| ordered::atomic(p).compare_exchange_weak(5, 1, RELAXED, RELAXED);
        "fetch_add" |p| ordered::atomic(p).fetch_add(1, RELAXED);
        "fetch_sub" |p| ordered::atomic(p).fetch_sub(1, RELAXED);
        "fetch_min" |p| ordered::atomic(p).fetch_min(1, RELAXED);
        "fetch_max" |p| ordered::atomic(p).fetch_max(1, RELAXED);
        "fetch_and" |p| ordered::atomic(p).fetch_and(1, RELAXED);
        "fetch_or" |p| ordered::atomic(p).fetch_or(1, RELAXED);
        "fetch_xor" |p| ordered::atomic(p).fetch_xor(1, RELAXED);
        "fetch_inc" |p| ordered::atomic(p).fetch_inc(1, RELAXED);
        "fetch_dec" |p| ordered::atomic(p).fetch_dec(1, RELAXED);
        "copy_async" |p| super::copy_async::copy_async(p, &7);
        "prefetch_l1" |p| prefetch_l1(p);
        "prefetch_l2" |p| prefetch_l2(p);
    }
    macro_rules! rows {
        ($($name:literal |$place:ident| $call:expr;)+) => {
            $(found.insert($name, observed_of_rows(|$place| _ = $call));)+
        };
    }
    rows! {
        "ldmatrix_x1" |p| ldmatrix_x1(p);
        "ldmatrix_x1_trans" |p| ldmatrix_x1_trans(p);
        "ldmatrix_x2" |p| ldmatrix_x2(p);
        "ldmatrix_x2_trans" |p| ldmatrix_x2_trans(p);
        "ldmatrix_x4" |p| ldmatrix_x4(p);
        "ldmatrix_x4_trans" |p| ldmatrix_x4_trans(p);
        "stmatrix_x1" |p| stmatrix_x1(p, [1; 1]);
        "stmatrix_x1_trans" |p| stmatrix_x1_trans(p, [1; 1]);
        "stmatrix_x2" |p| stmatrix_x2(p, [1; 2]);
        "stmatrix_x2_trans" |p| stmatrix_x2_trans(p, [1; 2]);
        "stmatrix_x4" |p| stmatrix_x4(p, [1; 4]);
        "stmatrix_x4_trans" |p| stmatrix_x4_trans(p, [1; 4]);
    }
    found
}

#[test]
fn builtins_access_what_they_say() {
    let accesses = accesses();
    for entry in
        registry().filter(|entry| entry.builtin.by_reference && entry.place != "ordered" || entry.is_method)
    {
        let (name, says) = (entry.name(), entry.builtin.facts.access(0));
        let form = entry.builtin.facts.form;
        // Other tests ask for another block's memory, memory behind pointers, and barriers in shared memory. The sums of a
        // warpgroup are registers, and no observer sees those.
        let elsewhere = matches!(form, Form::OtherBlock | Form::PointerRead | Form::PointerWrite);
        let in_registers = entry.builtin.effect == Effect::Sync(SyncScope::Warpgroup);
        if elsewhere || in_registers || entry.builtin.facts.rendezvous {
            continue;
        }
        match accesses.get(name) {
            Some(observed) if entry.builtin.by_reference => {
                let bytes = match form {
                    Form::MatrixRows(matrices) => 16 * 8 * matrices as usize,
                    _ if says == ArgumentAccess::None => 0,
                    _ => size_of::<u32>(),
                };
                assert_eq!(Observed { does: says, bytes }, *observed, "{name}");
            }
            _ => assert_eq!(says, ArgumentAccess::None, "{name} is not run here"),
        }
    }
    let read = Observed { does: ArgumentAccess::Read, bytes: 4 };
    assert_eq!(observed(|place| super::copy_async::copy_async(&mut { 0u32 }, place)), read);
}
