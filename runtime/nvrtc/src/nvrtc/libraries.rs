//! The search for CUDA's libraries that do not come with NVRTC: beside it, on the library path, in the toolkit.

use std::path::{Path, PathBuf};

/// Folders that may hold a library of CUDA, the likeliest first.
pub(super) fn folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for folder in nvrtc_folder().into_iter().chain(path_folders()) {
        // Each wheel of CUDA 12 has a folder of its own beside the others.
        let wheels = folder.parent().and_then(Path::parent).map(Path::to_owned);
        folders.push(folder);
        if let Some(wheels) = wheels {
            folders.push(wheels.join("cuda_runtime/lib"));
            folders.push(wheels.join("nvjitlink/lib"));
        }
    }
    for toolkit in toolkits() {
        folders
            .extend(["lib64", "lib", "targets/x86_64-linux/lib", "lib/x64"].map(|part| toolkit.join(part)));
    }
    folders.push("/usr/lib/x86_64-linux-gnu".into());
    folders.retain(|folder| folder.is_dir());
    let mut seen = std::collections::HashSet::new();
    folders.retain(|folder| seen.insert(folder.clone()));
    folders
}

/// The folder that NVRTC was loaded from, where the system tells.
fn nvrtc_folder() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().filter_map(|line| line.find('/').map(|start| &line[start..]));
    let path = path.map(Path::new).find(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libnvrtc.so"))
    })?;
    path.parent().map(Path::to_owned)
}

fn path_folders() -> Vec<PathBuf> {
    ["LD_LIBRARY_PATH", "PATH"]
        .into_iter()
        .filter(|name| *name != "PATH" || cfg!(windows))
        .filter_map(std::env::var_os)
        .flat_map(|value| std::env::split_paths(&value).collect::<Vec<_>>())
        .collect()
}

/// Toolkits: the one that is named, the installed one, and others, the newest first.
fn toolkits() -> Vec<PathBuf> {
    let mut toolkits: Vec<PathBuf> =
        ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os).map(PathBuf::from).collect();
    toolkits.push("/usr/local/cuda".into());
    let entries = std::fs::read_dir("/usr/local").into_iter().flatten().flatten();
    let mut others: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("cuda-")))
        .collect();
    others.sort();
    toolkits.extend(others.into_iter().rev());
    toolkits
}
