//! The cache's environment variables.

use std::path::PathBuf;
use std::sync::OnceLock;

use warpsmith_env::{Lookup, SettingError, bytes, choice, list, variable};

/// Default size of the disk cache, in bytes: 1 GiB.
const CACHE_BYTES: u64 = 1 << 30;

/// The places of cubins, from the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheSettings {
    /// Directory of the disk cache; `None` if it is switched off or there is no place for it.
    pub directory: Option<PathBuf>,
    /// Bytes that the disk cache may hold.
    pub bytes: u64,
    /// Whether each look-up of a cubin is reported on stderr.
    pub log: bool,
}

impl CacheSettings {
    /// `WARPSMITH_CACHE`, `WARPSMITH_CACHE_DIR`, `WARPSMITH_CACHE_SIZE` and `WARPSMITH_LOG` of this process, read at the first
    /// call.
    ///
    /// # Errors
    /// The first variable with an invalid value.
    pub fn process() -> Result<&'static Self, SettingError> {
        static SETTINGS: OnceLock<Result<CacheSettings, SettingError>> = OnceLock::new();
        SETTINGS.get_or_init(|| CacheSettings::read(&variable)).as_ref().map_err(Clone::clone)
    }

    fn read(get: Lookup<'_>) -> Result<Self, SettingError> {
        let cache = choice(get, "WARPSMITH_CACHE", "on, off", &[("on", true), ("off", false)])?;
        Ok(Self {
            directory: if cache.unwrap_or(true) { directory(get) } else { None },
            bytes: bytes(get, "WARPSMITH_CACHE_SIZE")?.unwrap_or(CACHE_BYTES),
            log: !list(get, "WARPSMITH_LOG", "cache", &[("cache", ())])?.is_empty(),
        })
    }
}

/// The directory of the cache: `WARPSMITH_CACHE_DIR`, or a folder of the user's own cache.
fn directory(get: Lookup<'_>) -> Option<PathBuf> {
    if let Some(own) = get("WARPSMITH_CACHE_DIR") {
        return Some(own.into());
    }
    // The XDG specification has relative paths ignored.
    let absolute = |name| get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let user = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
    };
    user.map(|user| user.join("warpsmith"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<CacheSettings, SettingError> {
        CacheSettings::read(&|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_cache_is_in_the_first_directory_that_is_named() {
        let dir = |variables| read(variables).expect("allowed").directory;
        assert_eq!(dir(&[]), None);
        assert_eq!(dir(&[("HOME", "/h")]), Some("/h/.cache/warpsmith".into()));
        assert_eq!(dir(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")]), Some("/x/warpsmith".into()));
        assert_eq!(dir(&[("HOME", "/h"), ("XDG_CACHE_HOME", "x")]), Some("/h/.cache/warpsmith".into()));
        assert_eq!(dir(&[("XDG_CACHE_HOME", "/x"), ("WARPSMITH_CACHE_DIR", "own")]), Some("own".into()));
        assert_eq!(dir(&[("HOME", "/h"), ("WARPSMITH_CACHE", "off")]), None);
    }

    #[test]
    fn sizes_and_the_log_are_read() {
        assert_eq!(read(&[("WARPSMITH_CACHE_SIZE", "2K")]).map(|settings| settings.bytes), Ok(2048));
        assert_eq!(read(&[]).map(|settings| (settings.bytes, settings.log)), Ok((1 << 30, false)));
        assert!(read(&[("WARPSMITH_LOG", "cache")]).expect("allowed").log);
    }

    #[test]
    fn a_value_that_means_nothing_is_refused_by_name() {
        for (name, value) in
            [("WARPSMITH_CACHE", "no"), ("WARPSMITH_CACHE_SIZE", "many"), ("WARPSMITH_LOG", "all")]
        {
            let refused = read(&[(name, value)]).expect_err(name);
            assert_eq!((refused.name, refused.value.as_str()), (name, value));
        }
    }
}
