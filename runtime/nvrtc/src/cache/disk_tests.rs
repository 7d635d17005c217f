//! A directory that is torn, foreign, full, read-only, missing, too small, or of another time.

use super::*;

const HOUR: Duration = Duration::from_secs(60 * 60);

/// A folder of one test, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("warpsmith-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the temporary directory can be written");
        Self(folder)
    }

    fn disk(&self, limit: u64) -> Disk {
        Disk::new(&self.0, limit)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn version() -> Version {
    Version { major: 13, minor: 0, build: "65be".into() }
}

fn some(image: &[u8]) -> Cubin {
    Cubin { image: image.to_vec(), log: "a warning".into() }
}

fn path(disk: &Disk, key: &[u8]) -> PathBuf {
    disk.cubin_path(key, &version().to_string())
}

fn used(path: &Path, time: SystemTime) {
    File::options().write(true).open(path).and_then(|file| file.set_modified(time)).expect("own file");
}

#[test]
fn a_stored_cubin_is_read_by_its_key_and_its_compiler_alone() {
    let folder = Folder::new("stored");
    let disk = folder.disk(1 << 20);
    disk.store(b"key", &version(), &some(b"image")).expect("stored");
    assert_eq!(disk.read(b"key", &version()), Ok(some(b"image")));
    assert_eq!(disk.read(b"kez", &version()), Err(Miss::Absent));
    let others = [
        Version { major: 12, ..version() },
        Version { minor: 1, ..version() },
        Version { build: "65bf".into(), ..version() },
    ];
    for other in others {
        assert_eq!(disk.read(b"key", &other), Err(Miss::Absent), "{other}");
    }
    assert_eq!(fs::read_dir(trim::temporaries(disk.root())).expect("made").count(), 0);
}

#[test]
fn without_a_compiler_the_newest_ones_cubin_is_read() {
    let folder = Folder::new("any");
    let disk = folder.disk(1 << 20);
    assert_eq!(disk.read_any(b"key"), Err(Miss::Absent));
    for (major, minor) in [(9, 2), (13, 0), (12, 9)] {
        let made = some(format!("{major}.{minor}").as_bytes());
        disk.store(b"key", &Version { major, minor, ..version() }, &made).expect("stored");
    }
    assert_eq!(disk.read_any(b"key"), Ok(some(b"13.0")));
    assert_eq!(disk.read_any(b"kez"), Err(Miss::Absent));
    fs::write(path(&disk, b"key"), "torn").expect("own file");
    assert_eq!(disk.read_any(b"key"), Ok(some(b"12.9")));
}

#[test]
fn a_file_that_is_torn_or_changed_anywhere_is_a_miss_and_is_stored_again() {
    let folder = Folder::new("torn");
    let disk = folder.disk(1 << 20);
    disk.store(b"key", &version(), &some(b"image")).expect("stored");
    let path = path(&disk, b"key");
    let whole = fs::read(&path).expect("own file");
    let torn = (0..whole.len()).map(|length| whole[..length].to_vec());
    let flipped = (0..whole.len()).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        bytes
    });
    for bytes in torn.chain(flipped).chain([b"#!/bin/sh\n".to_vec(), [&whole[..], &whole].concat()]) {
        fs::write(&path, &bytes).expect("own file");
        assert!(matches!(disk.read(b"key", &version()), Err(Miss::Unusable { .. })), "{bytes:?}");
    }
    disk.store(b"key", &version(), &some(b"image")).expect("over the foreign file");
    assert_eq!(disk.read(b"key", &version()), Ok(some(b"image")));
}

#[test]
fn a_file_of_another_key_is_a_miss() {
    let folder = Folder::new("swapped");
    let disk = folder.disk(1 << 20);
    for key in [b"one", b"two"] {
        disk.store(key, &version(), &some(key)).expect("stored");
    }
    // The test pretends that both keys have one hash.
    fs::copy(path(&disk, b"one"), path(&disk, b"two")).expect("own files");
    let miss = disk.read(b"two", &version()).expect_err("it holds the other key");
    assert!(miss.to_string().ends_with("is not used: it is of another kernel or compiler"), "{miss}");
    let other = Version { minor: 1, ..version() };
    let elsewhere = disk.cubin_path(b"one", &other.to_string());
    fs::copy(path(&disk, b"one"), elsewhere).expect("own files");
    assert!(matches!(disk.read(b"one", &other), Err(Miss::Unusable { .. })));
}

#[test]
fn a_directory_in_place_of_a_file_is_a_miss_and_cannot_be_replaced() {
    let folder = Folder::new("directory");
    let disk = folder.disk(1 << 20);
    fs::create_dir_all(path(&disk, b"key")).expect("own folder");
    assert!(matches!(disk.read(b"key", &version()), Err(Miss::Unreadable { .. })));
    disk.store(b"key", &version(), &some(b"image")).expect_err("a directory is in the way");
    assert_eq!(fs::read_dir(trim::temporaries(disk.root())).expect("made").count(), 0, "nothing is left");
}

#[test]
#[cfg(unix)]
fn a_pipe_in_place_of_a_file_is_a_miss_at_once() {
    let folder = Folder::new("pipe");
    let disk = folder.disk(1 << 20);
    let path = path(&disk, b"key");
    fs::create_dir_all(path.parent().expect("a shard")).expect("own folder");
    let name = std::ffi::CString::new(path.to_string_lossy().as_bytes()).expect("no NUL");
    // SAFETY: the name ends in NUL.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    assert!(matches!(disk.read(b"key", &version()), Err(Miss::Unreadable { .. })));
}

#[test]
fn a_missing_directory_is_made_and_made_again() {
    let folder = Folder::new("missing");
    let disk = Disk::new(folder.0.join("not/yet/there"), 1 << 20);
    for _ in 0..2 {
        assert_eq!(disk.read(b"key", &version()), Err(Miss::Absent));
        disk.store(b"key", &version(), &some(b"image")).expect("stored");
        assert_eq!(disk.read(b"key", &version()), Ok(some(b"image")));
        fs::remove_dir_all(disk.root()).expect("own folder");
    }
}

#[test]
fn a_place_that_cannot_be_a_directory_keeps_nothing() {
    let folder = Folder::new("under-a-file");
    let file = folder.0.join("file");
    fs::write(&file, "").expect("own file");
    let disk = Disk::new(file.join("cache"), 1 << 20);
    assert_eq!(disk.read(b"key", &version()), Err(Miss::Absent));
    assert_eq!(disk.read_any(b"key"), Err(Miss::Absent));
    disk.store(b"key", &version(), &some(b"image")).expect_err("a file is no directory");
}

#[test]
#[cfg(target_os = "linux")]
fn a_read_only_file_system_keeps_nothing() {
    // Not even root can make files there.
    let disk = Disk::new("/proc/warpsmith", 1 << 20);
    assert_eq!(disk.read(b"key", &version()), Err(Miss::Absent));
    disk.store(b"key", &version(), &some(b"image")).expect_err("/proc holds no files of ours");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_keeps_nothing_and_leaves_nothing() {
    let folder = Folder::new("full");
    let mut disk = folder.disk(1 << 20);
    disk.store(b"old", &version(), &some(b"image")).expect("stored");
    disk.create = |path| {
        create_new(path)?;
        OpenOptions::new().write(true).open("/dev/full")
    };
    let error = disk.store(b"key", &version(), &some(b"image")).expect_err("no space");
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(disk.read(b"key", &version()), Err(Miss::Absent));
    assert_eq!(disk.read(b"old", &version()), Ok(some(b"image")));
    assert_eq!(fs::read_dir(trim::temporaries(disk.root())).expect("made").count(), 0);
}

#[test]
fn what_was_not_used_for_longest_goes_first_and_the_bound_holds() {
    let folder = Folder::new("bound");
    let limit = 16 * PAGE;
    let disk = folder.disk(limit);
    let key = |i: u64| i.to_le_bytes();
    let foreign = trim::cubins(disk.root()).join("00/notes.txt");
    fs::create_dir_all(foreign.parent().expect("a shard")).expect("own folder");
    fs::write(&foreign, "not a cubin").expect("own file");
    let now = SystemTime::now();
    for i in 0..16 {
        disk.store(&key(i), &version(), &some(&[0; 100])).expect("stored");
        used(&path(&disk, &key(i)), now - HOUR * 100 + HOUR * i as u32);
    }
    let present = |disk: &Disk, i| path(disk, &key(i)).exists();
    assert!((0..16).all(|i| present(&disk, i)), "exactly full");
    disk.read(&key(0), &version()).expect("the oldest is used");
    disk.store(&key(16), &version(), &some(&[0; 100])).expect("stored");
    // Trimmed to seven eighths: fourteen stay.
    let gone: Vec<u64> = (0..17).filter(|i| !present(&disk, *i)).collect();
    assert_eq!(gone, [1, 2, 3], "the one that was used and the newest stay");
    assert!(foreign.exists(), "a foreign file is not ours to remove");
    for i in 17..200 {
        disk.store(&key(i), &version(), &some(&[0; 5000])).expect("stored");
        let total: u64 = trim::cubin_sizes(disk.root());
        assert!(total <= limit, "{total} bytes after {i}");
    }
    disk.store(b"large", &version(), &some(&vec![0; limit as usize])).expect_err("above the limit by itself");
}

#[test]
fn times_in_the_future_count_as_now() {
    let folder = Folder::new("skew");
    let disk = folder.disk(4 * PAGE);
    let now = SystemTime::now();
    let times = [now + HOUR * 24 * 365, SystemTime::UNIX_EPOCH, now - HOUR * 30, now - HOUR];
    for (i, time) in times.into_iter().enumerate() {
        disk.store(&[i as u8], &version(), &some(b"image")).expect("stored");
        used(&path(&disk, &[i as u8]), time);
    }
    let modified =
        |i: u8| fs::metadata(path(&disk, &[i])).and_then(|file| file.modified()).expect("own file");
    for i in 0..4 {
        disk.read(&[i], &version()).expect("the time does not matter to a reader");
    }
    for i in 0..3 {
        let age = SystemTime::now().duration_since(modified(i)).expect("not in the future");
        assert!(age < HOUR, "a use renews time {i}: {age:?}");
    }
    assert_eq!(modified(3), times[3], "a time of today is left alone");
    used(&path(&disk, &[1]), now + HOUR * 24 * 365);
    used(&path(&disk, &[2]), SystemTime::UNIX_EPOCH);
    disk.store(&[4], &version(), &some(b"image")).expect("stored");
    let left: Vec<u8> = (0..5).filter(|i| path(&disk, &[*i]).exists()).collect();
    assert_eq!(left, [0, 1, 4], "1970 went first, then an hour ago; the future stays");
}

#[test]
fn temporaries_of_the_dead_are_removed_and_those_of_the_living_stay() {
    let folder = Folder::new("temporaries");
    let disk = folder.disk(1 << 20);
    let place = trim::temporaries(disk.root());
    fs::create_dir_all(&place).expect("own folder");
    let now = SystemTime::now();
    let cases = [("young", now, true), ("old", now - HOUR * 2, false), ("ahead", now + HOUR * 2, false)];
    for (name, time, _) in cases {
        fs::write(place.join(name), "half").expect("own file");
        used(&place.join(name), time);
    }
    disk.store(b"key", &version(), &some(b"image")).expect("stored");
    for (name, _, stays) in cases {
        assert_eq!(place.join(name).exists(), stays, "{name}");
    }
}

#[test]
fn a_note_is_read_by_its_name() {
    let folder = Folder::new("note");
    let disk = folder.disk(1 << 20);
    assert_eq!(disk.note("here"), None);
    disk.keep_note("here", "one").expect("kept");
    disk.keep_note("here", "two").expect("kept");
    assert_eq!(disk.note("here").as_deref(), Some("two"));
    assert_eq!(disk.note("there"), None);
    fs::write(disk.note_path("here"), "torn").expect("own file");
    assert_eq!(disk.note("here"), None);
}
