//! Bundles of cubins that an executable embeds: their bytes, and those that are registered.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{OnceLock, PoisonError, RwLock};

use super::entry::{Damage, Entry};
use super::key::subject;
use crate::nvrtc::Cubin;

/// Key of the entry that holds the others.
const BUNDLE: &[u8] = b"warpsmith bundle 1";

/// The defects of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The bytes are no bundle.
    #[error("these bytes are not a bundle of kernels; make one with `aot::Bundle::write`")]
    Foreign,
    /// Another version of this crate made it.
    #[error("the bundle was made by another version of warpsmith; make it again")]
    Format,
    /// The bytes are not those that were written.
    #[error("the bundle is damaged; make it again")]
    Torn,
    /// A bundle for nothing.
    #[error("the bundle has no architecture; name one, as in `Bundle::new([\"sm_90\"])`")]
    NoArch,
    /// A device for an architecture that the bundle is not for.
    #[error(
        "the bundle is for {has}, not for {arch}; name {arch} in `Bundle::new`",
        has = has.join(", ")
    )]
    OtherArch {
        /// The architecture of the device.
        arch: String,
        /// Those of the bundle.
        has: Vec<String>,
    },
    /// It cannot be written.
    #[error("the bundle cannot be written to {path}: {reason}", path = path.display())]
    Write {
        /// Where.
        path: PathBuf,
        /// The system's message.
        reason: String,
    },
}

/// Cubins of all bundles, by encoded key.
#[derive(Default)]
struct Registered {
    cubins: HashMap<&'static [u8], Entry<'static>>,
    /// Architectures by kernel.
    arches: HashMap<String, Vec<String>>,
}

fn registered() -> &'static RwLock<Registered> {
    static REGISTERED: OnceLock<RwLock<Registered>> = OnceLock::new();
    REGISTERED.get_or_init(RwLock::default)
}

/// Offers the cubins of a bundle to all later launches of this process.
///
/// # Errors
/// [`BundleError`] if the bytes are not a complete bundle; nothing of it is then used.
pub fn register(bytes: &'static [u8]) -> Result<(), BundleError> {
    let entries = read(bytes)?;
    let mut registered = registered().write().unwrap_or_else(PoisonError::into_inner);
    for entry in entries {
        if let Some((arch, kernel)) = subject(entry.key) {
            let arches = registered.arches.entry(kernel).or_default();
            if !arches.contains(&arch) {
                arches.push(arch);
            }
        }
        registered.cubins.insert(entry.key, entry);
    }
    Ok(())
}

/// Entries as the bytes of a bundle.
pub fn framed<'a>(entries: impl Iterator<Item = &'a Vec<u8>>) -> Vec<u8> {
    let framed = entries.flat_map(|entry| {
        let length = (entry.len() as u64).to_le_bytes();
        length.into_iter().chain(entry.iter().copied())
    });
    let image: Vec<u8> = framed.collect();
    Entry { key: BUNDLE, maker: "", image: &image, log: "" }.encode()
}

fn read(bytes: &'static [u8]) -> Result<Vec<Entry<'static>>, BundleError> {
    let bundle = Entry::decode(bytes)?;
    if bundle.key != BUNDLE {
        return Err(BundleError::Foreign);
    }
    let mut rest = bundle.image;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk().ok_or(BundleError::Torn)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| BundleError::Torn)?;
        let (entry, after) = after.split_at_checked(length).ok_or(BundleError::Torn)?;
        entries.push(Entry::decode(entry)?);
        rest = after;
    }
    Ok(entries)
}

impl From<Damage> for BundleError {
    fn from(damage: Damage) -> Self {
        match damage {
            Damage::Foreign => BundleError::Foreign,
            Damage::Format => BundleError::Format,
            Damage::Torn => BundleError::Torn,
        }
    }
}

/// The cubin of an encoded key in a bundle, or why a bundle that has the kernel is not used.
pub fn find(key: &[u8]) -> Result<Cubin, Option<String>> {
    let registered = registered().read().unwrap_or_else(PoisonError::into_inner);
    if let Some(entry) = registered.cubins.get(key) {
        return Ok(Cubin { image: entry.image.to_vec(), log: entry.log.to_owned() });
    }
    let reason = subject(key).and_then(|(arch, kernel)| {
        let has = registered.arches.get(&kernel)?;
        Some(if has.contains(&arch) {
            format!(
                "a bundle has it for {arch}, from another source, other comptime values or other options; \
                 make the bundle again"
            )
        } else {
            format!("a bundle has it for {}, not for {arch}; add that architecture", has.join(", "))
        })
    });
    Err(reason)
}
