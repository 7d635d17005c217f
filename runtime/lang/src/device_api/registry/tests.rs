//! What each builtin says of itself, beside what it does.

use std::collections::{BTreeSet, HashMap};

use super::{Entry, registry};
use crate::ir::{Cost, Effect, Form, Lanes, Orders, Position, ResultRange, Scope, Type, Variance};

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
        if let Effect::Sync(Scope::Block | Scope::Cluster | Scope::Grid) = entry.builtin.effect {
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
            assert_eq!(entry.builtin.effect, Effect::Sync(Scope::Warp), "{}", entry.name());
        }
    }
}

#[test]
fn atomic_operations_with_orderings_are_those_whose_text_depends_on_them() {
    for entry in registry() {
        let ordered = matches!(entry.builtin.facts.orders, Orders::By(_));
        assert_eq!(ordered, entry.builtin.by_constant.is_some(), "{}", entry.name());
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

/// What a method of three values of a type gives, for each type: the result, the arguments, the bits of the type.
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
                add("count_ones", a.count_ones().into(), [a, b, c]);
                add("count_zeros", a.count_zeros().into(), [a, b, c]);
                add("leading_zeros", a.leading_zeros().into(), [a, b, c]);
                add("trailing_zeros", a.trailing_zeros().into(), [a, b, c]);
                add("leading_ones", a.leading_ones().into(), [a, b, c]);
                add("trailing_ones", a.trailing_ones().into(), [a, b, c]);
                let is_unsigned = <$t>::MIN == 0;
                if is_unsigned {
                    add("saturating_sub", a.saturating_sub(b) as i128, [a, b, c]);
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
    results
}

/// The least and the greatest value that a range allows.
fn allowed(range: ResultRange, [a, b, c]: [i128; 3], bits: u32) -> (i128, i128) {
    match range {
        ResultRange::Any => (i128::MIN, i128::MAX),
        ResultRange::Least => (a.min(b), a.min(b)),
        ResultRange::Greatest => (a.max(b), a.max(b)),
        ResultRange::Clamped => (b, c),
        ResultRange::UpToFirst => (0, a),
        ResultRange::UpToBits => (0, bits.into()),
        ResultRange::Within(low, high) => (low.into(), high.into()),
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
