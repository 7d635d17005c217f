//! Pages of many launches in one directory, with an index that links them.
//!
//! Each page is an HTML file and a text file. Files are written under another name and renamed, so any number of threads
//! and processes may write at once. The index is rebuilt from the pages in the directory; other files are left alone.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::ReportError;
use super::page::{Page, head, index};

/// The index's name.
const INDEX: &str = "index.html";
/// The lock of the process that writes the index.
const LOCK: &str = ".lock";

/// A directory of pages: what `WARPSMITH_REPORT` names, and the command `warpsmith report` fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    path: PathBuf,
}

/// A page in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The HTML file; the same name with `.txt` is the page as text.
    pub path: PathBuf,
    /// The kernel.
    pub kernel: String,
    /// Its costs, in one line.
    pub summary: String,
}

impl Directory {
    /// The pages at a path, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file that links all pages.
    pub fn index(&self) -> PathBuf {
        self.path.join(INDEX)
    }

    /// Writes a page, its text, and the index; creates the directory if there is none. Returns the page's path.
    ///
    /// The name consists of the kernel, the launch's shape and a hash of the CUDA. Each specialization has its own page, and a
    /// second launch of the same shape replaces the first one's.
    ///
    /// # Errors
    /// [`ReportError::Write`] with the path and the system's message.
    pub fn add(&self, page: &Page) -> Result<PathBuf, ReportError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error: std::io::Error| ReportError::Write { path, why: error.to_string() }
        };
        fs::create_dir_all(&self.path).map_err(failed(&self.path))?;
        let path = self.path.join(format!("{}.html", page.file_stem()));
        replace(&path, &page.html()).map_err(failed(&path))?;
        let text = path.with_extension("txt");
        replace(&text, &format!("{page}\n")).map_err(failed(&text))?;
        self.write_index().map_err(failed(&self.index()))?;
        Ok(path)
    }

    /// The pages, by name; none if there is no directory.
    pub fn entries(&self) -> Vec<Entry> {
        let files = fs::read_dir(&self.path).into_iter().flatten().flatten().map(|file| file.path());
        let mut entries: Vec<Entry> = files.filter_map(|path| entry(&path)).collect();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries
    }

    /// Removes the pages of earlier runs, and nothing else.
    ///
    /// # Errors
    /// [`ReportError::Write`] if one cannot be removed.
    pub fn clear(&self) -> Result<(), ReportError> {
        for Entry { path, .. } in self.entries() {
            // The text may be missing.
            let _ = fs::remove_file(path.with_extension("txt"));
            fs::remove_file(&path).map_err(|error| ReportError::Write { path, why: error.to_string() })?;
        }
        Ok(())
    }

    fn write_index(&self) -> std::io::Result<()> {
        let lock = File::create(self.path.join(LOCK))?;
        lock.lock()?;
        replace(&self.index(), &index::page(&self.entries()))
    }
}

/// The entry of a file, if it is a page.
fn entry(path: &Path) -> Option<Entry> {
    if path.extension()? != "html" || path.file_name()? == INDEX {
        return None;
    }
    let (kernel, summary) = head::read(&fs::read_to_string(path).ok()?)?;
    Some(Entry { path: path.to_owned(), kernel, summary })
}

/// Writes a file that no reader sees half written.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.{:?}.tmp", std::process::id(), std::thread::current().id()));
    fs::write(&beside, text)?;
    fs::rename(&beside, path).inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}
