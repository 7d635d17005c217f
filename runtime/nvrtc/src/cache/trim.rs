//! The size bound: how much there is, and what goes first.
//!
//! This module uses only the names and times of files, not their contents.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The unit of a file's size on disk.
pub(super) const PAGE: u64 = 4096;
/// When a temporary file has no writer any more.
const STALE: Duration = Duration::from_secs(60 * 60);
/// When a note is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// The folder of cubins.
pub(super) fn cubins(root: &Path) -> PathBuf {
    root.join("cubins")
}

/// The folder of notes.
pub(super) fn notes(root: &Path) -> PathBuf {
    root.join("notes")
}

/// The folder of files that are being written.
pub(super) fn temporaries(root: &Path) -> PathBuf {
    root.join("writing")
}

/// Counts what was stored, and trims if that is too much.
pub(super) fn account(root: &Path, size: u64, limit: u64) {
    match count(root, size) {
        Ok(total) if total <= limit => {}
        // No count, or too much: to look is the only way to know.
        _ => trim(root, limit),
    }
}

/// Adds to the bytes in the cache, and gives them.
///
/// The count is the length of a file, one byte a page: appending is atomic without a lock, and costs
/// microseconds however many entries there are.
fn count(root: &Path, size: u64) -> io::Result<u64> {
    let mut file = OpenOptions::new().append(true).open(root.join("pages"))?;
    file.write_all(&vec![0; (size / PAGE) as usize])?;
    Ok(file.metadata()?.len() * PAGE)
}

/// One cubin's file.
struct Kept {
    used: SystemTime,
    size: u64,
    path: PathBuf,
}

/// Removes what was not used for longest, until there is room for some time.
fn trim(root: &Path, limit: u64) {
    let now = SystemTime::now();
    let mut kept = cubin_files(root, now);
    kept.sort_by(|a, b| a.used.cmp(&b.used).then_with(|| a.path.cmp(&b.path)));
    let mut total: u64 = kept.iter().map(|file| file.size).sum();
    let room = if total > limit { limit - limit / 8 } else { limit };
    for file in kept {
        if total <= room {
            break;
        }
        // Another process may have been first.
        let _ = fs::remove_file(&file.path);
        total -= file.size;
    }
    forget(root, now);
    let pages = OpenOptions::new().write(true).create(true).truncate(false).open(root.join("pages"));
    // Without a count the next store looks again.
    let _ = pages.and_then(|file| file.set_len(total / PAGE));
}

fn cubin_files(root: &Path, now: SystemTime) -> Vec<Kept> {
    let shards = fs::read_dir(cubins(root)).into_iter().flatten().flatten();
    let files = shards.flat_map(|shard| fs::read_dir(shard.path())).flat_map(Iterator::flatten);
    let own = files.filter(|file| is_cubin(&file.file_name().to_string_lossy()));
    own.filter_map(|file| {
        let about = file.metadata().ok().filter(Metadata::is_file)?;
        // A clock that was ahead must not keep its files for ever: the future counts as now.
        let used = about.modified().map_or(now, |used| used.min(now));
        Some(Kept { used, size: about.len().next_multiple_of(PAGE), path: file.path() })
    })
    .collect()
}

/// Returns whether a name is one that a cubin is stored under; other files are not ours to remove.
fn is_cubin(name: &str) -> bool {
    let hex = |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.split_once('-').is_some_and(|(key, maker)| hex(key, 32) && hex(maker, 16))
}

fn forget(root: &Path, now: SystemTime) {
    remove_if(&notes(root), |modified| distance(now, modified) > FORGOTTEN);
}

/// Removes temporary files of writers that have died.
pub(super) fn remove_stale(folder: &Path) {
    let now = SystemTime::now();
    remove_if(folder, |modified| distance(now, modified) > STALE);
}

fn remove_if(folder: &Path, old: impl Fn(SystemTime) -> bool) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        if file.metadata().and_then(|about| about.modified()).is_ok_and(&old) {
            let _ = fs::remove_file(file.path());
        }
    }
}

/// The time between two moments, whichever is first: a clock may have been ahead.
fn distance(a: SystemTime, b: SystemTime) -> Duration {
    a.duration_since(b).unwrap_or_else(|error| error.duration())
}

/// Bytes of all cubins.
#[cfg(test)]
pub(super) fn cubin_sizes(root: &Path) -> u64 {
    cubin_files(root, SystemTime::now()).iter().map(|file| file.size).sum()
}
