//! The streams that use an allocation; only uses that conflict wait for one another.
//!
//! A use is a stream, a range of addresses, and whether it writes. Two uses of different streams
//! conflict if their ranges overlap and one writes. Before a use is queued, an event is recorded on
//! each stream that has a conflicting use, and the new use's stream waits for it. The event covers
//! all that was queued there, which is more than needed and always enough. Two readers never wait
//! for each other, nor do disjoint ranges.
//!
//! A use stays listed until a write covers it: work that waits for that write waits for the use too. Borrows make that
//! safe: a covering write borrows its range mutably, so no other thread is between listing a use of it and queueing that
//! use.
//!
//! Two things take a use off the list while another thread may be in between: dropping the uses of idle streams, once there
//! are many, and an escape. Both count up `removals` first. A thread that finds the count changed after queueing lists its
//! uses again.
//!
//! An allocation has *escaped* once a view of it exists that may stand inside another value, where
//! no launch can see it. From then on each of its uses waits for the device's own stream, and that
//! stream waits for the use; a launch that may hold such views does the same. Any two of them are
//! ordered through that stream, in whatever way the launch came by the address.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::CudaStream;
use cudarc::driver::sys;

use super::stream_id;
use super::{DriverError, Gpu};

/// Uses of one stream and kind that are listed apart; more become one that covers them all.
const RANGES: usize = 4;
/// Uses listed before those of idle streams are looked for.
const MANY: usize = 32;

/// The uses of one allocation.
#[derive(Debug)]
pub struct Usage {
    all: Range<u64>,
    /// The own stream of the device that the memory is on.
    own: Arc<CudaStream>,
    /// Whether kernels of every GPU reach it: page-locked memory of the whole process.
    everywhere: bool,
    /// The stream that nothing has to wait on: it alone wrote everything last, or the allocation has
    /// escaped and this is the device's own. 0 if there is none.
    sole: AtomicU64,
    removals: AtomicU64,
    uses: Mutex<Uses>,
}

#[derive(Debug, Default)]
struct Uses {
    list: Vec<Use>,
    escaped: bool,
}

#[derive(Debug)]
struct Use {
    /// Keeps the stream, and with it the meaning of `id`.
    stream: Arc<CudaStream>,
    id: u64,
    range: Range<u64>,
    write: bool,
}

impl Use {
    fn conflicts(&self, range: &Range<u64>, write: bool) -> bool {
        (write || self.write) && self.range.start < range.end && range.start < self.range.end
    }
}

fn covers(outer: &Range<u64>, inner: &Range<u64>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

impl Usage {
    /// The uses of a new allocation, none so far.
    pub(super) fn new(all: Range<u64>, own: Arc<CudaStream>) -> Self {
        Self {
            all,
            own,
            everywhere: false,
            sole: AtomicU64::new(0),
            removals: AtomicU64::new(0),
            uses: Mutex::default(),
        }
    }

    /// From now on kernels of every GPU reach the memory.
    pub(super) fn reach_everywhere(&mut self) {
        self.everywhere = true;
    }

    /// Returns whether kernels of every GPU reach it.
    pub(super) fn is_everywhere(&self) -> bool {
        self.everywhere
    }

    fn lock(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How often uses were taken off the list without a write that covers them.
    pub(super) fn removals(&self) -> u64 {
        self.removals.load(Ordering::SeqCst)
    }

    /// Queues work of one stream on a range of the allocation, ordered with every other use.
    pub(super) fn around(
        &self,
        gpu: &Gpu,
        stream: &Arc<CudaStream>,
        range: Range<u64>,
        write: bool,
        queue: impl FnOnce() -> Result<(), DriverError>,
    ) -> Result<(), DriverError> {
        let removals = self.removals();
        let tells = self.begin(gpu, stream, range.clone(), write)?;
        gpu.bind()?;
        queue()?;
        if self.removals() != removals {
            self.end_again(gpu, stream, range, write)?;
        }
        if tells { gpu.join_other(gpu.stream(), stream) } else { Ok(()) }
    }

    /// Makes `stream` wait for work that conflicts with a use of `range`, and lists the use.
    ///
    /// Returns whether the device's own stream has to wait for the use once it is queued.
    #[inline]
    pub(super) fn begin(
        &self,
        gpu: &Gpu,
        stream: &Arc<CudaStream>,
        range: Range<u64>,
        write: bool,
    ) -> Result<bool, DriverError> {
        if self.sole.load(Ordering::Relaxed) == stream_id(stream) {
            return Ok(false);
        }
        self.begin_beside_others(gpu, stream, range, write)
    }

    fn begin_beside_others(
        &self,
        gpu: &Gpu,
        stream: &Arc<CudaStream>,
        range: Range<u64>,
        write: bool,
    ) -> Result<bool, DriverError> {
        let id = stream_id(stream);
        let mut uses = self.lock();
        if uses.escaped {
            gpu.join_other(stream, &self.own)?;
            return Ok(id != stream_id(&self.own));
        }
        let mut joined = 0;
        for known in uses.list.iter().filter(|known| known.id != id && known.conflicts(&range, write)) {
            if known.id != joined {
                gpu.join(stream, &known.stream)?;
                joined = known.id;
            }
        }
        self.add(&mut uses, Use { stream: stream.clone(), id, range, write });
        Ok(false)
    }

    fn add(&self, uses: &mut Uses, new: Use) {
        let list = &mut uses.list;
        if new.write {
            list.retain(|known| !covers(&new.range, &known.range));
        } else if list.iter().any(|known| known.id == new.id && covers(&known.range, &new.range)) {
            return;
        }
        if list.len() >= MANY {
            self.forget_idle(list);
        }
        let sole = if new.write && list.is_empty() && covers(&new.range, &self.all) { new.id } else { 0 };
        merge(list, new);
        self.sole.store(sole, Ordering::Relaxed);
    }

    fn forget_idle(&self, list: &mut Vec<Use>) {
        // First the count: a launch that the query does not see must see the count.
        self.removals.fetch_add(1, Ordering::SeqCst);
        self.sole.store(0, Ordering::Relaxed);
        list.retain(|known| !idle(&known.stream));
    }

    /// Lists a use again that was queued while uses were taken off the list.
    pub(super) fn end_again(
        &self,
        gpu: &Gpu,
        stream: &Arc<CudaStream>,
        range: Range<u64>,
        write: bool,
    ) -> Result<(), DriverError> {
        let mut uses = self.lock();
        if uses.escaped {
            return gpu.join_other(&self.own, stream);
        }
        let id = stream_id(stream);
        // Uses that were added to the list meanwhile are queued beside this one and cannot conflict with it.
        merge(&mut uses.list, Use { stream: stream.clone(), id, range, write });
        self.sole.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// Orders all uses, past and future, with the device's own stream.
    pub(super) fn escape(&self, gpu: &Gpu) -> Result<(), DriverError> {
        let own = &self.own;
        let mut uses = self.lock();
        if uses.escaped {
            return Ok(());
        }
        self.removals.fetch_add(1, Ordering::SeqCst);
        uses.escaped = true;
        self.sole.store(stream_id(own), Ordering::Relaxed);
        for stream in streams(&mut uses.list) {
            gpu.join_other(own, &stream)?;
        }
        Ok(())
    }

    /// Makes the memory's own device wait for a launch of another that was queued, if the memory has escaped.
    pub(super) fn tell(&self, gpu: &Gpu, stream: &CudaStream) -> Result<(), DriverError> {
        let other = stream_id(&self.own) != stream_id(gpu.stream());
        if other && self.lock().escaped { gpu.join_other(&self.own, stream) } else { Ok(()) }
    }

    /// Blocks the calling thread until the host may read the allocation, or write it.
    pub(super) fn wait_on_host(&self, write: bool) -> Result<(), DriverError> {
        let waited = {
            let uses = self.lock();
            let conflicting = uses.list.iter().filter(|known| write || known.write);
            let mut streams: Vec<_> = conflicting.map(|known| known.stream.clone()).collect();
            streams.extend(uses.escaped.then(|| self.own.clone()));
            streams.dedup_by_key(|stream| stream_id(stream));
            streams
        };
        // Not under the lock: another thread may queue a read meanwhile.
        waited
            .iter()
            .try_for_each(|stream| stream.synchronize().map_err(DriverError::at("cuStreamSynchronize")))
    }

    /// Every stream with a use, once; the list is empty then. For who frees the allocation.
    pub(super) fn take_streams(&mut self) -> Vec<Arc<CudaStream>> {
        let uses = self.uses.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut found = streams(&mut uses.list);
        if uses.escaped {
            found = vec![self.own.clone()];
        }
        found
    }
}

/// The streams of a list, each once; the list is empty then.
fn streams(list: &mut Vec<Use>) -> Vec<Arc<CudaStream>> {
    let mut found: Vec<Arc<CudaStream>> = Vec::new();
    for known in list.drain(..) {
        if !found.iter().any(|stream| stream_id(stream) == known.id) {
            found.push(known.stream);
        }
    }
    found
}

/// Adds a use; many of one stream and kind become one.
fn merge(list: &mut Vec<Use>, mut new: Use) {
    let alike = |known: &Use| known.id == new.id && known.write == new.write;
    if list.iter().filter(|known| alike(known)).count() >= RANGES {
        let (start, end) = list
            .iter()
            .filter(|known| alike(known))
            .fold((new.range.start, new.range.end), |(start, end), known| {
                (start.min(known.range.start), end.max(known.range.end))
            });
        list.retain(|known| !alike(known));
        new.range = start..end;
    }
    list.push(new);
}

/// Returns whether nothing is queued on a stream; a stream that cannot say is busy.
fn idle(stream: &CudaStream) -> bool {
    // SAFETY: the stream is alive, and the context of a stream need not be current for this.
    unsafe { sys::cuStreamQuery(stream.cu_stream()) == sys::CUresult::CUDA_SUCCESS }
}
