//! Both executors on the same launch: what tests of the simulator itself compare.

use super::writable::Writable;
use crate::simulator::{SimFault, SimReport};

/// What a run of a launch ended with.
type Outcome = Result<SimReport, SimFault>;

/// Runs a launch twice from the same memory; the second outcome, if both agree.
pub(super) fn run_both(
    kernel: &str,
    memory: &[Writable],
    twin: impl FnOnce() -> Outcome,
    interpreter: impl FnOnce() -> Outcome,
) -> Outcome {
    let save = || memory.iter().map(Writable::saved).collect::<Vec<_>>();
    let before = save();
    let first = twin();
    let after = save();
    for (region, saved) in memory.iter().zip(&before) {
        region.restore(saved);
    }
    let second = interpreter();
    if second.as_ref().is_err_and(SimFault::is_of_checks) {
        return second;
    }
    let differ = |what: String| Err(SimFault::ExecutorsDiffer { kernel: kernel.to_owned(), what });
    let text = |outcome: &Outcome| match outcome {
        Ok(_) => "no fault".to_owned(),
        Err(fault) => fault.to_string(),
    };
    if text(&first) != text(&second) {
        return differ(format!(
            "the twin ends with {}, the interpreter with {}",
            text(&first),
            text(&second)
        ));
    }
    for ((region, twin), interpreter) in memory.iter().zip(&after).zip(save()) {
        if let Some(byte) = region.difference(twin, &interpreter, |_| true) {
            let (a, b) = (twin[byte], interpreter[byte]);
            let what = &region.what;
            return differ(format!(
                "byte {byte} of {what} is {a:#04x} by the twin, {b:#04x} by the interpreter"
            ));
        }
    }
    second
}
