//! A launch by the interpreter, and again by the kernel's twin from the same memory: whether both did the same.
//!
//! Both run the threads in one order, which depends on the launch and on each thread's own behaviour. A kernel whose
//! results depend on that order therefore does the same by both. The interpreter's results are the launch's results.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::writable::{self, Writable};
use crate::ir::{ExprKind, Module, Type, visit};
use crate::simulator::{self, Prints, Settings, SimFault, SimLaunch};
use crate::validate::ValidModule;

/// Runs one thread of a launch.
type ThreadBody<'a> = &'a dyn Fn();

/// Runs a launch by both; the interpreter's fault, or how the two differ.
pub(super) fn run(
    launch: &SimLaunch<'_>,
    memory: &[Writable],
    interpreter: ThreadBody<'_>,
    twin: ThreadBody<'_>,
) -> Result<(), SimFault> {
    let save = || memory.iter().map(Writable::saved).collect::<Vec<_>>();
    let restore = |saved: &[Vec<u8>]| memory.iter().zip(saved).for_each(|(of, saved)| of.restore(saved));
    let texts = [RefCell::default(), RefCell::default()];
    let before = save();
    simulator::run(&SimLaunch { prints: Prints::ShownAndKept(&texts[0]), ..launch.clone() }, interpreter)?;
    let after = save();
    restore(&before);
    let settings = patient(&launch.settings);
    let again = SimLaunch { observers: &[], prints: Prints::Kept(&texts[1]), settings, ..launch.clone() };
    let outcome = simulator::run(&again, twin);
    let by_twin = save();
    restore(&after);
    let [printed, printed_by_twin] = texts.map(RefCell::into_inner);
    let what = match outcome {
        Err(fault) if fault.is_overflow() && !launch.settings.overflow => {
            not_compared(
                launch.kernel,
                "its twin was built to panic where integers overflow, and `Settings::overflow` is off",
            );
            return Ok(());
        }
        Err(fault) => Some(format!("the twin ends with {fault}, the interpreter with no fault")),
        Ok(_) => values(memory, &by_twin, &after).or_else(|| lines(&printed_by_twin, &printed)),
    };
    what.map_or(Ok(()), |what| Err(SimFault::ExecutorsDiffer { kernel: launch.kernel.to_owned(), what }))
}

/// A fault with the way out, where it may come from a shared reference to memory that other threads write: in Rust nobody
/// writes what a `&T` refers to, and an optimised twin may read it once.
pub(super) fn explained(fault: SimFault, module: &ValidModule) -> SimFault {
    let SimFault::ExecutorsDiffer { kernel, mut what } = fault else { return fault };
    if let Some(name) = module.uses_rendezvous().then(|| read_through(module.module())).flatten() {
        what += &format!(
            "; if another thread writes what `{name}` refers to, make it a `&mut` or a raw pointer, or index the memory: Rust takes what is \
             behind a `&` as unchanging"
        );
    }
    SimFault::ExecutorsDiffer { kernel, what }
}

/// A variable that is a shared reference to a value, and is read through.
fn read_through(module: &Module) -> Option<String> {
    let mut found = None;
    for function in module.all_functions() {
        visit::exprs(&function.body, &mut |e| {
            let (ExprKind::Deref(of), None) = (&e.kind, &found) else { return };
            if let (ExprKind::Var(id), Type::Ref { mutable: false, .. }) = (&of.kind, &of.ty) {
                found = Some(function.var(*id).name.clone()).filter(|name| !name.is_empty());
            }
        });
    }
    found
}

/// The settings with which the twin follows an interpreter that has found no thread to spin or loop for ever.
fn patient(settings: &Settings) -> Settings {
    Settings { atomic_budget: u64::MAX, ..settings.clone() }
}

/// The first value that differs.
fn values(memory: &[Writable], twin: &[Vec<u8>], interpreter: &[Vec<u8>]) -> Option<String> {
    let mut all = memory.iter().zip(twin).zip(interpreter);
    all.find_map(|((region, twin), interpreter)| {
        let byte = region.difference(twin, interpreter, |_| true)?;
        let (place, shown) = region.value_at(byte);
        Some(format!("`{place}` is {} by the twin, {} by the interpreter", shown(twin), shown(interpreter)))
    })
}

/// The first printed line that differs.
fn lines(twin: &str, interpreter: &str) -> Option<String> {
    let (mut ours, mut theirs) = (interpreter.lines(), twin.lines());
    loop {
        match (theirs.next(), ours.next()) {
            (None, None) => return None,
            (a, b) if a == b => {}
            (a, b) => {
                let shown =
                    |line: Option<&str>| line.map_or("nothing".to_owned(), |line| format!("`{line}`"));
                return Some(format!("the twin prints {}, the interpreter {}", shown(a), shown(b)));
            }
        }
    }
}

/// Why a kernel cannot run twice from the same memory, or would not do the same then.
pub(super) fn refused(module: &Module, names: &[&str]) -> Option<String> {
    let kernel = &module.kernel;
    let hidden =
        kernel.params.iter().zip(names).find(|(id, _)| writable::has_more_addresses(&kernel.var(**id).ty));
    if let Some((_, name)) = hidden {
        return Some(format!(
            "`{name}` leads to memory that the launch does not name, which cannot be put back as it was"
        ));
    }
    if let Some(global) = module.globals().into_iter().find(|global| (global.ty)().holds_address()) {
        return Some(format!("`{}` holds addresses, whose memory cannot be put back as it was", global.name));
    }
    let mut numbered = false;
    for function in module.all_functions() {
        visit::exprs(&function.body, &mut |e| {
            let ExprKind::Cast(from) = &e.kind else { return };
            numbered |= matches!(e.ty, Type::Scalar(_)) && from.ty.holds_address();
        });
    }
    numbered.then(|| "it makes a number of an address, which is another one in each run".to_owned())
}

/// Reports on stderr, once for each reason, that a kernel does not run by both.
pub(super) fn not_compared(kernel: &str, why: &str) {
    say_once(format!(
        "kernel `{kernel}` runs by the interpreter alone, not compared with its Rust code: {why}"
    ));
}

/// Prints a sentence on stderr, once in a process.
pub(super) fn say_once(text: String) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(text.clone()) {
        eprintln!("warpsmith: {text}");
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::ir::Scalar;

    /// The difference between launches of one thread that writes one of these values, and prints one of these texts.
    fn differing(values: [u32; 2], texts: [&'static str; 2]) -> (Result<(), SimFault>, [u32; 3]) {
        let words = [const { Cell::new(7u32) }; 3];
        let elem = Type::Array(Type::Scalar(Scalar::U32).into(), 1);
        let memory = [Writable::new("y".to_owned(), words.as_ptr() as usize, 12, elem)];
        let thread = |value: u32, text: &'static str| {
            let words = &words;
            move || {
                words[1].set(value + words[1].get());
                simulator::context::print(text.to_owned(), true);
            }
        };
        let launch = SimLaunch::new("test", [1, 1, 1], [1, 1, 1]);
        let outcome = run(&launch, &memory, &thread(values[0], texts[0]), &thread(values[1], texts[1]));
        (outcome, [0, 1, 2].map(|i: usize| words[i].get()))
    }

    fn what(outcome: Result<(), SimFault>) -> String {
        match outcome {
            Err(SimFault::ExecutorsDiffer { what, .. }) => what,
            other => panic!("no difference: {other:?}"),
        }
    }

    #[test]
    fn a_launch_leaves_what_the_interpreter_did_once() {
        let (outcome, left) = differing([5, 5], ["a", "a"]);
        assert_eq!((outcome, left), (Ok(()), [7, 12, 7]));
        let (outcome, left) = differing([5, 6], ["a", "a"]);
        assert_eq!(what(outcome), "`y[1][0]` is 13 by the twin, 12 by the interpreter");
        assert_eq!(left, [7, 12, 7]);
    }

    #[test]
    fn texts_are_compared() {
        let (outcome, _) = differing([5, 5], ["a\nb", "a\nc"]);
        assert_eq!(what(outcome), "the twin prints `c`, the interpreter `b`");
        let (outcome, _) = differing([5, 5], ["a", "a\nc"]);
        assert_eq!(what(outcome), "the twin prints `c`, the interpreter nothing");
    }
}
