//! The panic hook: a panic of a simulated thread is recorded, not printed.

use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::Once;

use super::context;
use super::machine::Machine;

static INSTALLED: Once = Once::new();

/// Puts our hook before the process's, once.
///
/// Outside simulated threads the earlier hook runs as before. A hook that the program sets later
/// replaces ours: faults then lack the place of a panic.
pub(super) fn install() {
    // A panicking thread must not touch hooks.
    if std::thread::panicking() {
        return;
    }
    INSTALLED.call_once(|| {
        let earlier = take_hook();
        set_hook(Box::new(move |info| {
            if !context::with_current(|machine| machine.note_panic(info)) {
                earlier(info);
            }
        }));
    });
}

impl Machine<'_> {
    fn note_panic(&self, info: &PanicHookInfo<'_>) {
        let message = info.payload_as_str().unwrap_or("a panic without a message").to_owned();
        let (file, line) = match (self.instruction.get(), info.location()) {
            // What the interpreter calls is at the line of the call.
            (Some(instruction), _) => (instruction.at.file.to_owned(), instruction.at.line),
            (None, Some(at)) => (at.file().to_owned(), at.line()),
            (None, None) => (String::new(), 0),
        };
        *self.panic.borrow_mut() = Some((message, file, line));
    }
}
