//! Entries in a directory that any number of threads, processes and machines share.
//!
//! A file appears whole, by a rename. Nothing here is an error to its caller: what cannot be read is a
//! miss, and what cannot be written is not kept; either says why.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::entry::{Damage, Entry};
use super::key;
use super::trim::{self, PAGE};
use crate::nvrtc::{Cubin, Version};

/// Layout of the directory; a new one leaves the old one alone.
const LAYOUT: &str = "v1";
/// A larger file is none of ours.
const MAX_FILE: u64 = 1 << 30;
/// How old a file's time may be before a use renews it.
const RENEW: Duration = Duration::from_secs(24 * 60 * 60);

/// A directory of cubins, bounded in size.
///
/// The directory must be as trusted as the executable: anyone who can write to it decides what code runs on the GPU.
#[derive(Clone, Debug)]
pub struct Disk {
    root: PathBuf,
    limit: u64,
    create: fn(&Path) -> io::Result<File>,
}

/// Why a cubin did not come from disk.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Miss {
    /// It is not there.
    #[error("not on disk")]
    Absent,
    /// The file cannot be read.
    #[error("{path} cannot be read: {reason}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// The file is not what was written there.
    #[error("{path} is not used: {reason}", path = path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The defect.
        reason: String,
    },
}

impl Disk {
    /// A directory that may hold `limit` bytes. It is created when something is first stored.
    pub fn new(root: impl Into<PathBuf>, limit: u64) -> Self {
        Self { root: root.into().join(LAYOUT), limit, create: create_new }
    }

    /// The directory, below the one that was named.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The cubin of an encoded key and a compiler.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn read(&self, key: &[u8], maker: &Version) -> Result<Cubin, Miss> {
        let maker = maker.to_string();
        self.entry(&self.cubin_path(key, &maker), |entry| {
            (entry.key == key && entry.maker == maker).then(|| cubin(entry))
        })
    }

    /// The cubin of an encoded key that the newest compiler made; for machines that have no compiler.
    ///
    /// # Errors
    /// [`Miss::Absent`] if no compiler made one.
    pub fn read_any(&self, key: &[u8]) -> Result<Cubin, Miss> {
        let name = key::name(key);
        let files = fs::read_dir(self.shard(&name)).map_err(|_| Miss::Absent)?.flatten();
        let own = files.filter(|file| file.file_name().to_string_lossy().starts_with(&name));
        let read = |path: PathBuf| {
            let read = |entry: &Entry<'_>| {
                (entry.key == key).then(|| Some((Version::parse(entry.maker)?, cubin(entry))))
            };
            self.entry(&path, read).ok().flatten()
        };
        let newest = own.filter_map(|file| read(file.path())).max_by(|(a, _), (b, _)| a.cmp(b));
        newest.map(|(_, cubin)| cubin).ok_or(Miss::Absent)
    }

    /// Keeps a cubin.
    ///
    /// # Errors
    /// The error of the file system; nothing is kept then.
    pub fn store(&self, key: &[u8], maker: &Version, cubin: &Cubin) -> io::Result<()> {
        let maker = maker.to_string();
        let bytes = Entry { key, maker: &maker, image: &cubin.image, log: &cubin.log }.encode();
        let size = (bytes.len() as u64).next_multiple_of(PAGE);
        if size > self.limit {
            let reason = format!("{size} bytes are above the cache's limit of {}", self.limit);
            return Err(io::Error::new(io::ErrorKind::QuotaExceeded, reason));
        }
        self.place(&self.cubin_path(key, &maker), &bytes)?;
        trim::account(&self.root, size, self.limit);
        Ok(())
    }

    /// A short text that was kept under a name.
    pub fn note(&self, name: &str) -> Option<String> {
        let text = |entry: &Entry<'_>| (entry.key == name.as_bytes()).then(|| entry.log.to_owned());
        self.entry(&self.note_path(name), text).ok()
    }

    /// Keeps a short text under a name.
    pub fn keep_note(&self, name: &str, text: &str) -> io::Result<()> {
        let bytes = Entry { key: name.as_bytes(), maker: "", image: b"", log: text }.encode();
        self.place(&self.note_path(name), &bytes)
    }

    /// Reads a file, if it is an entry that `accept` takes.
    fn entry<T>(&self, path: &Path, accept: impl FnOnce(&Entry<'_>) -> Option<T>) -> Result<T, Miss> {
        let (bytes, file) = match read_file(path) {
            Ok(read) => read,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Err(Miss::Absent);
            }
            Err(error) => {
                return Err(Miss::Unreadable { path: path.to_owned(), reason: error.to_string() });
            }
        };
        let unusable = |reason: String| Miss::Unusable { path: path.to_owned(), reason };
        let entry = Entry::decode(&bytes).map_err(|damage: Damage| unusable(damage.to_string()))?;
        let value = accept(&entry).ok_or_else(|| unusable("it is of another kernel or compiler".into()))?;
        renew(&file);
        Ok(value)
    }

    /// Writes a file beside its place and renames it.
    fn place(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let folder = trim::temporaries(&self.root);
        create_folder(&folder)?;
        trim::remove_stale(&folder);
        let temporary = folder.join(unique());
        let written = (self.create)(&temporary).and_then(|mut file| file.write_all(bytes));
        let placed = written.and_then(|()| rename(&temporary, path));
        if placed.is_err() {
            // It would be removed as stale; this is only sooner.
            let _ = fs::remove_file(&temporary);
        }
        placed
    }

    fn cubin_path(&self, key: &[u8], maker: &str) -> PathBuf {
        let name = key::name(key);
        self.shard(&name).join(format!("{name}-{}", &key::name(maker.as_bytes())[..16]))
    }

    /// A folder for all names with the same beginning, which keeps folders small.
    fn shard(&self, name: &str) -> PathBuf {
        trim::cubins(&self.root).join(&name[..2])
    }

    fn note_path(&self, name: &str) -> PathBuf {
        trim::notes(&self.root).join(key::name(name.as_bytes()))
    }
}

fn cubin(entry: &Entry<'_>) -> Cubin {
    Cubin { image: entry.image.to_vec(), log: entry.log.to_owned() }
}

/// The bytes of a plain file, and the file.
fn read_file(path: &Path) -> io::Result<(Vec<u8>, File)> {
    // Asked before opening: to open a pipe is to wait for its other end.
    let about = fs::metadata(path)?;
    if !about.is_file() || about.len() > MAX_FILE {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no file of the cache"));
    }
    let mut file = File::open(path)?;
    let mut bytes = Vec::with_capacity(about.len() as usize);
    (&mut file).take(MAX_FILE).read_to_end(&mut bytes)?;
    Ok((bytes, file))
}

/// Notes a use by the file's time, at most once a day.
fn renew(file: &File) {
    let now = SystemTime::now();
    let age = |file: Metadata| now.duration_since(file.modified().ok()?).ok();
    // A time in the future is as wrong as an old one.
    if file.metadata().ok().and_then(age).is_none_or(|age| age > RENEW) {
        // A file of another user, or a read-only directory: its place in the order is all that is lost.
        let _ = file.set_modified(now);
    }
}

fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Creates a folder and those above it, for the user alone.
fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match (fs::rename(from, to), to.parent()) {
        (Err(error), Some(folder)) if error.kind() == io::ErrorKind::NotFound => {
            create_folder(folder)?;
            fs::rename(from, to)
        }
        (renamed, _) => renamed,
    }
}

/// A name that no other thread, process or machine uses at this time.
fn unique() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{}-{count}-{time}", std::process::id())
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
