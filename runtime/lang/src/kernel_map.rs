//! Values that are made once for each kernel, its comptime values, and whatever else they depend on.

use std::any::Any;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};

use crate::kernel::AnyKernel;

/// Values by kernel and `W`.
pub struct KernelMap<W, V> {
    random: RandomState,
    /// By the hash of the kernel.
    entries: HashMap<u64, Vec<Entry<W, V>>>,
}

struct Entry<W, V> {
    kernel: Box<dyn AnyKernel>,
    wanted: W,
    value: V,
}

impl<W: Eq, V> KernelMap<W, V> {
    /// A map without values.
    pub fn new() -> Self {
        Self { random: RandomState::new(), entries: HashMap::new() }
    }

    /// The value of a kernel.
    pub fn get(&self, kernel: &dyn AnyKernel, wanted: &W) -> Option<&V> {
        let known = self.entries.get(&self.hash(kernel))?;
        known.iter().find(|entry| entry.is(kernel, wanted)).map(|entry| &entry.value)
    }

    /// All values of a kernel.
    pub fn of<'a>(&'a self, kernel: &'a dyn AnyKernel) -> impl Iterator<Item = &'a V> {
        let known = self.entries.get(&self.hash(kernel)).into_iter().flatten();
        known.filter(move |entry| kernel.is(entry.known())).map(|entry| &entry.value)
    }

    /// Adds a value; the one that is there if the kernel has one.
    pub fn add(&mut self, kernel: &dyn AnyKernel, wanted: W, value: V) -> &V {
        let known = self.entries.entry(self.hash(kernel)).or_default();
        let at = known.iter().position(|entry| entry.is(kernel, &wanted));
        let at = at.unwrap_or_else(|| {
            known.push(Entry { kernel: kernel.boxed(), wanted, value });
            known.len() - 1
        });
        &known[at].value
    }

    fn hash(&self, kernel: &dyn AnyKernel) -> u64 {
        self.random.hash_one(ByKernel(kernel))
    }
}

impl<W: Eq, V> Default for KernelMap<W, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W: Eq, V> Entry<W, V> {
    fn known(&self) -> &dyn Any {
        &*self.kernel
    }

    fn is(&self, kernel: &dyn AnyKernel, wanted: &W) -> bool {
        self.wanted == *wanted && kernel.is(self.known())
    }
}

/// Hashes as its kernel does.
struct ByKernel<'k>(&'k dyn AnyKernel);

impl Hash for ByKernel<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
