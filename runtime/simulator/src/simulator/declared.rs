//! Memory that a function touches whose device body is not Rust: what its author declares.

use super::current::with_current;
use super::facts::{Access, AccessKind, Line};

/// A function with a device body is about to read `count` elements behind a pointer, from the one numbered `first`.
#[track_caller]
pub fn reads<T>(place: *const T, first: usize, count: usize) {
    touches(place.wrapping_add(first), count, AccessKind::Read);
}

/// A function with a device body is about to write `count` elements behind a pointer, from the one numbered `first`.
#[track_caller]
pub fn writes<T>(place: *const T, first: usize, count: usize) {
    touches(place.wrapping_add(first), count, AccessKind::Write);
}

/// A function with a device body that does not say what it touches may write all that an address leads to.
pub fn hides<T: ?Sized>(place: *const T) {
    with_current(|machine| {
        if machine.interests.accesses {
            machine.tell_hidden(place.cast::<u8>().addr());
        }
    });
}

#[track_caller]
fn touches<T>(place: *const T, count: usize, kind: AccessKind) {
    let at = Line::caller();
    with_current(|machine| {
        let Ok(bytes) = u32::try_from(count.saturating_mul(size_of::<T>())) else { return };
        if bytes == 0 || !machine.interests.accesses {
            return;
        }
        let (address, by) = (place.expose_provenance(), machine.instruction(at));
        let (align, space) = (align_of::<T>() as u32, machine.space_of(address));
        // SAFETY: what the author of the function says that it touches can be read.
        unsafe { machine.tell_access(&Access { address, bytes, align, space, kind, by }) };
    });
}
