//! Graphs: a series of launches that is recorded once and started as one.
//!
//! A graph owns the memory that its launches use, so it cannot be freed or moved while the graph exists.

use std::any::Any;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::argument::{KernelArg, MemoryPlace};
use crate::compile::kernel::Kernel;
use crate::driver::{Attributes, CudaStream, DriverError, Gpu, GraphExec, Loaded};
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::host::stream::LaunchStream;
use crate::launch::{Launch, LaunchError, LaunchShape, Prepared, Target};
use crate::memory::args::SliceMutArg;
use crate::memory::buffer::Buffer;
use crate::memory::image::{
    Image, ReadAs, Sampler, Shape as ImageForm, Surface, Texel, Texture, TextureValue,
};
use crate::types::{GpuType, ViewMut};

pub use crate::error::GraphError;

/// A series of launches on one device that is started as one.
///
/// ```
/// use warpsmith::prelude::*;
///
/// #[gpu_kernel]
/// fn axpy(a: f32, x: &[f32], y: &mut [f32]) {
///     let i = global_id();
///     if i < x.len() && i < y.len() {
///         y[i] += a * x[i];
///     }
/// }
///
/// # fn main() -> warpsmith::Result<()> {
/// let device = Device::simulator();
/// let mut graph = Graph::new(&device);
/// let x = graph.hold(device.upload(&[1.0f32; 100])?)?;
/// let y = graph.hold(device.upload(&[0.0f32; 100])?)?;
/// let first = graph.add(|memory| Ok(axpy(2.0, memory.read(x)?, memory.write(y)?).over(100)))?;
/// graph.add(|memory| Ok(axpy(1.0, memory.read(y)?, memory.write(x)?).over(100)))?;
/// graph.launch()?; // y = 2, x = 3
/// graph.update(first, |memory| Ok(axpy(1.0, memory.read(x)?, memory.write(y)?).over(100)))?;
/// graph.launch()?; // y = 5, x = 8
/// assert_eq!(device.download(graph.buffer(x)?)?[99], 8.0);
/// # Ok(()) }
/// ```
///
/// Source: CUDA Driver API, `cuStreamBeginCapture`, `cuGraphInstantiate`, `cuGraphLaunch`.
pub struct Graph {
    device: Device,
    /// Dropped before the memory that it uses.
    exec: Option<GraphExec>,
    steps: Vec<Box<dyn Step>>,
    memory: HeldMemory,
    /// Whether the steps are others than `exec`'s.
    changed: bool,
}

/// The memory of a graph, for the launch that is being recorded.
pub struct HeldMemory {
    graph: u64,
    owned: Vec<Owned>,
}

struct Owned {
    /// A buffer or an image.
    memory: Box<dyn Any + Send>,
    used: Cell<Used>,
}

/// How the launch that is being recorded uses a buffer.
#[derive(Clone, Copy, PartialEq)]
enum Used {
    Not,
    Read,
    Written,
}

/// A buffer that a graph owns; for an image, `Held<Image2<T>>`.
pub struct Held<T> {
    graph: u64,
    index: usize,
    _elements: PhantomData<fn() -> T>,
}

/// A launch of a graph.
pub struct Node<K> {
    graph: u64,
    index: usize,
    _kernel: PhantomData<fn() -> K>,
}

macro_rules! plain_handle {
    ($($name:ident)+) => {$(
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}
    )+};
}

plain_handle! { Held Node }

/// A buffer of a graph that a launch writes: an argument for a kernel's `&mut [T]`.
pub struct Writing<'g, T> {
    buffer: &'g Buffer<T>,
}

#[diagnostic::do_not_recommend]
// SAFETY: the buffer's own memory, which the graph keeps.
unsafe impl<'g, T: GpuType> SliceMutArg<'g, T> for Writing<'g, T> {
    fn into_arg(self) -> KernelArg {
        self.buffer.arg(true)
    }
}

impl<'g, T: GpuType> Writing<'g, T> {
    /// A writable view.
    pub fn view_mut(self) -> ViewMut<'g, T> {
        // SAFETY: the buffer's own memory, which this launch uses nowhere else.
        unsafe { ViewMut::from_raw_parts(self.buffer.address() as *mut T, self.buffer.len()) }
    }
}

impl Graph {
    /// A graph without launches.
    pub fn new(device: &Device) -> Self {
        static GRAPHS: AtomicU64 = AtomicU64::new(0);
        let graph = GRAPHS.fetch_add(1, Ordering::Relaxed);
        let memory = HeldMemory { graph, owned: Vec::new() };
        Self { device: device.clone(), exec: None, steps: Vec::new(), memory, changed: true }
    }

    /// Moves a buffer into the graph, for its launches.
    ///
    /// # Errors
    /// Memory of another device.
    pub fn hold<T: GpuType + Send + 'static>(&mut self, buffer: Buffer<T>) -> Result<Held<T>> {
        let (memory, device) = (buffer.place(), self.device.place());
        if memory != device {
            return Err(DriverError::WrongDevice { memory, device }.into());
        }
        Ok(self.memory.keep(buffer))
    }

    /// Moves an image into the graph, for its launches.
    ///
    /// # Errors
    /// An image of another device, or a driver error.
    pub fn hold_image<T: Texel + Send, D: ImageForm>(
        &mut self,
        image: Image<T, D>,
    ) -> Result<Held<Image<T, D>>> {
        let (memory, device) = (image.place(), self.device.place());
        if memory != device {
            return Err(DriverError::WrongDevice { memory, device }.into());
        }
        image.escape();
        Ok(self.memory.keep(image))
    }

    /// An image of the graph, for copies.
    ///
    /// # Errors
    /// [`GraphError::Foreign`] for an image of another graph.
    pub fn image<T: Texel, D: ImageForm>(&self, held: Held<Image<T, D>>) -> Result<&Image<T, D>> {
        Ok(self.memory.find(held)?)
    }

    /// Adds a launch after the others; compiles, loads and checks it.
    ///
    /// # Errors
    /// [`GraphError`] for memory of another graph, memory that is written and used twice, a stream or an
    /// event; otherwise as [`Launch::prepare`].
    pub fn add<K: Kernel>(
        &mut self,
        launch: impl for<'g> FnOnce(&'g HeldMemory) -> Result<Launch<'g, K>>,
    ) -> Result<Node<K>> {
        let step = self.step(launch)?;
        self.steps.push(step);
        self.changed = true;
        Ok(Node { graph: self.memory.graph, index: self.steps.len() - 1, _kernel: PhantomData })
    }

    /// Replaces a launch by another of the same kernel, with other arguments or another shape.
    ///
    /// The next [`Graph::launch`] updates the driver's graph, or instantiates it again.
    ///
    /// # Errors
    /// The errors of [`Graph::add`].
    pub fn update<K: Kernel>(
        &mut self,
        node: Node<K>,
        launch: impl for<'g> FnOnce(&'g HeldMemory) -> Result<Launch<'g, K>>,
    ) -> Result<()> {
        if node.graph != self.memory.graph {
            return Err(GraphError::Foreign { what: "node", method: "add" }.into());
        }
        let step = self.step(launch)?;
        self.steps[node.index] = step;
        self.changed = true;
        Ok(())
    }

    /// Starts the launches, after everything launched before. On a GPU it returns once they are queued.
    ///
    /// # Errors
    /// A fault of a kernel launched before, or a driver error; on the simulator also a fault of a kernel.
    pub fn launch(&mut self) -> Result<()> {
        self.start(None)
    }

    /// Like [`Graph::launch`], on a stream: a `&Stream` or cudarc's `&Arc<CudaStream>`. It stays ordered with
    /// the device's own stream.
    ///
    /// # Errors
    /// The errors of [`Graph::launch`]; [`DriverError::WrongStream`] or [`DriverError::OtherDevice`] for a stream of
    /// another device.
    pub fn launch_on(&mut self, stream: impl Into<LaunchStream>) -> Result<()> {
        self.start(Some(stream.into()))
    }

    /// A buffer of the graph, for downloads.
    ///
    /// # Errors
    /// [`GraphError::Foreign`] for memory of another graph.
    pub fn buffer<T: GpuType + Send + 'static>(&self, held: Held<T>) -> Result<&Buffer<T>> {
        Ok(self.memory.buffer(held)?)
    }

    /// Copies elements into a buffer of the graph, after everything launched before.
    ///
    /// # Errors
    /// The errors of [`Device::write`]; [`GraphError::Foreign`] for memory of another graph.
    pub fn write<T: GpuType + Send + 'static>(&mut self, held: Held<T>, elements: &[T]) -> Result<()> {
        self.memory.buffer(held)?;
        match self.memory.owned[held.index].memory.downcast_mut::<Buffer<T>>() {
            Some(buffer) => self.device.write(buffer, elements),
            None => Ok(()),
        }
    }

    /// Ends the graph and returns one of its buffers; the others are freed.
    ///
    /// # Errors
    /// [`GraphError::Foreign`] for memory of another graph.
    pub fn into_buffer<T: GpuType + Send + 'static>(mut self, held: Held<T>) -> Result<Buffer<T>> {
        self.memory.buffer(held)?;
        self.exec = None;
        let owned = self.memory.owned.swap_remove(held.index);
        let buffer = owned.memory.downcast::<Buffer<T>>();
        buffer
            .map(|buffer| *buffer)
            .map_err(|_| GraphError::Foreign { what: "memory", method: "hold" }.into())
    }

    fn step<K: Kernel>(
        &mut self,
        launch: impl for<'g> FnOnce(&'g HeldMemory) -> Result<Launch<'g, K>>,
    ) -> Result<Box<dyn Step>> {
        self.memory.owned.iter().for_each(|owned| owned.used.set(Used::Not));
        let (prepared, args) = launch(&self.memory)?.split(&self.device)?;
        only_of(self.device.place(), args.as_ref())?;
        let attributes = prepared.parts().2;
        let event = attributes.programmatic_event.is_some() || attributes.completion_event.is_some();
        for (has, what) in [(attributes.stream.is_some(), "stream"), (event, "event")] {
            if has {
                return Err(GraphError::Own { kernel: K::NAME, what }.into());
            }
        }
        Ok(Box::new(Recorded { prepared, args }))
    }

    fn start(&mut self, stream: Option<LaunchStream>) -> Result<()> {
        let device = self.device.clone();
        let stream = stream.map(|LaunchStream(stream)| stream);
        let other = |owner| DriverError::OtherDevice { what: "stream", owner, device: device.place() };
        match (device.backend(), stream) {
            (Backend::Gpu(gpu), None) => Ok(self.start_on_gpu(gpu, None)?),
            (Backend::Gpu(gpu), Some(Some(stream))) => Ok(self.start_on_gpu(gpu, Some(&stream))?),
            (Backend::Gpu(_), Some(None)) => Err(other(MemoryPlace::Simulator).into()),
            (Backend::Simulator, Some(Some(stream))) => {
                Err(other(MemoryPlace::Gpu(stream.context().ordinal())).into())
            }
            (Backend::Simulator, None | Some(None)) => self.steps.iter().try_for_each(|step| step.launch()),
        }
    }

    fn start_on_gpu(
        &mut self,
        gpu: &Gpu,
        stream: Option<&Arc<CudaStream>>,
    ) -> std::result::Result<(), LaunchError> {
        gpu.take_fault()?;
        if self.changed {
            let steps = self.steps.iter().filter_map(|step| step.parts());
            self.exec = Some(gpu.instantiate(self.exec.take(), steps)?);
            self.changed = false;
        }
        self.exec.as_ref().map_or(Ok(()), |exec| gpu.launch_graph(exec, stream))
    }
}

impl HeldMemory {
    /// A buffer that the launch reads.
    ///
    /// # Errors
    /// [`GraphError::Borrowed`] if the launch writes it too, [`GraphError::Foreign`] if it is of another graph.
    pub fn read<T: GpuType + Send + 'static>(
        &self,
        held: Held<T>,
    ) -> std::result::Result<&Buffer<T>, GraphError> {
        let buffer = self.buffer(held)?;
        self.borrow(held.index, Used::Read)?;
        Ok(buffer)
    }

    /// A buffer that the launch writes.
    ///
    /// # Errors
    /// [`GraphError::Borrowed`] if the launch also uses it in another argument, [`GraphError::Foreign`] if it is of
    /// another graph.
    pub fn write<T: GpuType + Send + 'static>(
        &self,
        held: Held<T>,
    ) -> std::result::Result<Writing<'_, T>, GraphError> {
        let buffer = self.buffer(held)?;
        self.borrow(held.index, Used::Written)?;
        Ok(Writing { buffer })
    }

    /// An image that the launch samples.
    ///
    /// # Errors
    /// The errors of [`Image::texture`]; [`GraphError::Borrowed`] if the launch writes it too, [`GraphError::Foreign`] if it
    /// is of another graph.
    pub fn texture<T: ReadAs<R>, R: TextureValue, D: ImageForm>(
        &self,
        held: Held<Image<T, D>>,
        sampler: Sampler,
    ) -> Result<Texture<'_, R, D>> {
        let image: &Image<T, D> = self.find(held)?;
        self.borrow(held.index, Used::Read)?;
        image.texture(sampler)
    }

    /// An image that the launch writes by texel.
    ///
    /// # Errors
    /// The errors of [`Image::surface`]; [`GraphError::Borrowed`] if the launch also uses it in another argument,
    /// [`GraphError::Foreign`] if it is of another graph.
    pub fn surface<T: Texel, D: ImageForm>(&self, held: Held<Image<T, D>>) -> Result<Surface<'_, T, D>> {
        let image: &Image<T, D> = self.find(held)?;
        self.borrow(held.index, Used::Written)?;
        image.surface_once()
    }

    fn keep<B: Send + 'static, T>(&mut self, memory: B) -> Held<T> {
        let (graph, index) = (self.graph, self.owned.len());
        self.owned.push(Owned { memory: Box::new(memory), used: Cell::new(Used::Not) });
        Held { graph, index, _elements: PhantomData }
    }

    fn borrow(&self, index: usize, wanted: Used) -> std::result::Result<(), GraphError> {
        let used = &self.owned[index].used;
        match (used.get(), wanted) {
            (Used::Not, _) | (Used::Read, Used::Read) => {
                used.set(wanted);
                Ok(())
            }
            _ => Err(GraphError::Borrowed { index }),
        }
    }

    fn buffer<T: GpuType + Send + 'static>(
        &self,
        held: Held<T>,
    ) -> std::result::Result<&Buffer<T>, GraphError> {
        self.find(held)
    }

    /// The memory that is held, a `B`.
    fn find<T, B: 'static>(&self, held: Held<T>) -> std::result::Result<&B, GraphError> {
        let own = self.owned.get(held.index).filter(|_| held.graph == self.graph);
        own.and_then(|owned| owned.memory.downcast_ref())
            .ok_or(GraphError::Foreign { what: "memory", method: "hold" })
    }
}

/// A graph is ordered with its own device's memory only.
fn only_of(device: MemoryPlace, args: &[KernelArg]) -> Result<()> {
    for arg in args {
        if let KernelArg::Slice { place: memory, .. } = arg
            && *memory != device
        {
            return Err(DriverError::WrongDevice { memory: *memory, device }.into());
        }
    }
    Ok(())
}

/// A launch of a graph, whatever its kernel.
trait Step: Send {
    /// Launches it by itself.
    fn launch(&self) -> Result<()>;
    /// The parts that the driver needs; `None` on the simulator.
    fn parts(&self) -> Option<(&Loaded, &LaunchShape, &Attributes, &[KernelArg])>;
}

struct Recorded<K: Kernel> {
    prepared: Prepared<K>,
    args: K::Args,
}

impl<K: Kernel> Step for Recorded<K> {
    fn launch(&self) -> Result<()> {
        self.prepared.launch_args(self.args.as_ref())
    }

    fn parts(&self) -> Option<(&Loaded, &LaunchShape, &Attributes, &[KernelArg])> {
        match self.prepared.parts() {
            (Target::Gpu(loaded, _), shape, attributes) => {
                Some((loaded, shape, attributes, self.args.as_ref()))
            }
            (Target::Ahead(..) | Target::Simulator(_), ..) => None,
        }
    }
}
