//! The key of a cubin: everything that decides its bytes, and its name on disk.

use xxhash_rust::xxh3::xxh3_128;

use crate::nvrtc::{self, CompileOptions};

/// Raised whenever the same key would be compiled to other bytes than before.
const CACHE_VERSION: u32 = 1;

/// Everything that decides the bytes of a cubin, but for the compiler's version.
///
/// Relocatable code is linked with CUDA's device runtime, which is not in the key: an installed program may come without
/// it, and a cubin that is linked with any version works.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The kernel, whose name is also the name of the source file.
    pub kernel: String,
    /// The CUDA C++.
    pub source: String,
    /// The options, among them the architecture.
    pub options: CompileOptions,
}

impl Key {
    /// The key as bytes that no other key has: its fields, each behind its length.
    pub fn encode(&self) -> Vec<u8> {
        let flags = nvrtc::flags(&self.options).join("\n");
        let version = CACHE_VERSION.to_string();
        let fields = [version.as_str(), &self.options.arch.to_string(), &flags, &self.kernel, &self.source];
        let mut bytes = Vec::with_capacity(self.source.len() + 256);
        for field in fields {
            bytes.extend_from_slice(&(field.len() as u64).to_le_bytes());
            bytes.extend_from_slice(field.as_bytes());
        }
        bytes
    }
}

/// The architecture and the kernel that an encoded key names.
pub(crate) fn subject(mut encoded: &[u8]) -> Option<(String, String)> {
    let mut field = || {
        let (length, rest) = encoded.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let text = rest.get(..length)?;
        encoded = &rest[length..];
        String::from_utf8(text.to_vec()).ok()
    };
    field()?;
    let arch = field()?;
    field()?;
    Some((arch, field()?))
}

/// A name for an encoded key that another key has by accident only.
pub(super) fn name(encoded: &[u8]) -> String {
    format!("{:032x}", xxh3_128(encoded))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::nvrtc::{Arch, DebugInfo};

    fn key() -> Key {
        let arch = Arch { major: 9, minor: 0, specific: false };
        let options = CompileOptions::new(arch);
        Key { kernel: "k".into(), source: "s".into(), options }
    }

    #[test]
    fn every_field_of_a_key_tells() {
        let mut keys = vec![key()];
        let mut vary = |change: fn(&mut Key)| {
            let mut other = key();
            change(&mut other);
            keys.push(other);
        };
        vary(|key| key.kernel = "l".into());
        vary(|key| key.source = "t".into());
        vary(|key| key.options.fmad = false);
        vary(|key| key.options.debug_info = DebugInfo::Lines);
        vary(|key| key.options.debug_info = DebugInfo::Full);
        vary(|key| key.options.relocatable = true);
        vary(|key| key.options.arch.major = 8);
        vary(|key| key.options.arch.minor = 1);
        vary(|key| key.options.arch.specific = true);
        vary(|key| (key.kernel, key.source) = ("ks".into(), String::new()));
        let encoded: HashSet<_> = keys.iter().map(Key::encode).collect();
        assert_eq!(encoded.len(), keys.len());
        let names: HashSet<_> = encoded.iter().map(|bytes| name(bytes)).collect();
        assert_eq!(names.len(), keys.len());
    }

    #[test]
    fn the_cache_version_is_in_the_key() {
        let encoded = key().encode();
        assert_eq!(&encoded[..9], [&1u64.to_le_bytes()[..], CACHE_VERSION.to_string().as_bytes()].concat());
    }

    #[test]
    fn an_encoded_key_names_its_subject() {
        assert_eq!(subject(&key().encode()), Some(("sm_90".into(), "k".into())));
        assert_eq!(subject(&key().encode()[..20]), None);
    }
}
