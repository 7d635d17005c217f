//! CUDA graphs: a row of launches that the driver starts as one.

use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys;
use cudarc::driver::{CudaContext, CudaStream};

use super::{Attributes, DriverError, Gpu, Loaded};
use crate::argument::KernelArg;
use crate::error::LaunchError;
use crate::shape::LaunchShape;

/// An executable graph; destroyed when dropped, after it has run.
pub(crate) struct GraphExec {
    exec: sys::CUgraphExec,
    context: Arc<CudaContext>,
}

// SAFETY: the driver's handle may be used by any thread; it is used by one at a time, as every use is
// through the one owner of this value.
unsafe impl Send for GraphExec {}

/// One launch of a graph, checked.
pub(crate) type Step<'a> = (&'a Loaded, &'a LaunchShape, &'a Attributes, &'a [KernelArg]);

fn failed(call: &'static str) -> impl Fn(cudarc::driver::DriverError) -> DriverError {
    move |error| DriverError::cuda(call, &error)
}

impl Gpu {
    /// The launches as one graph, one after the other; `known` is updated in place if the driver can.
    pub(crate) fn instantiate<'a>(
        &self,
        known: Option<GraphExec>,
        steps: impl Iterator<Item = Step<'a>> + Clone,
    ) -> Result<GraphExec, LaunchError> {
        self.bind()?;
        for (loaded, shape, attributes, _) in steps.clone() {
            loaded.ready(shape, attributes)?;
        }
        let graph = self.capture(steps)?;
        if let Some(known) = known
            && graph.update(&known)
        {
            return Ok(known);
        }
        Ok(graph.instantiate(self.context.clone())?)
    }

    /// Starts a graph on a stream, or on the GPU's own.
    pub(crate) fn launch_graph(
        &self,
        graph: &GraphExec,
        stream: Option<&Arc<CudaStream>>,
    ) -> Result<(), LaunchError> {
        self.bind()?;
        match stream {
            Some(stream) if !Arc::ptr_eq(stream, &self.stream) => {
                let ordinal = stream.context().ordinal();
                if ordinal != self.ordinal {
                    return Err(DriverError::WrongStream { stream: ordinal, device: self.ordinal }.into());
                }
                self.accepts(stream)?;
                self.beside(stream, || Ok(start(graph, stream.cu_stream())?))
            }
            _ => Ok(start(graph, self.stream.cu_stream())?),
        }
    }

    /// Captures the launches on a stream of their own. No code of users runs meanwhile.
    pub(super) fn capture<'a>(&self, steps: impl Iterator<Item = Step<'a>>) -> Result<Captured, LaunchError> {
        let stream = CaptureStream::new()?;
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the context is bound and the stream alive.
        unsafe { sys::cuStreamBeginCapture_v2(stream.0, mode) }
            .result()
            .map_err(failed("cuStreamBeginCapture"))?;
        let recorded = steps.into_iter().try_for_each(|(loaded, shape, attributes, args)| {
            self.enqueue(loaded, shape, attributes, args, stream.0)
        });
        let mut graph = ptr::null_mut();
        // SAFETY: as above; a capture is ended whether the launches were recorded or not.
        let ended = unsafe { sys::cuStreamEndCapture(stream.0, &raw mut graph) }.result();
        let captured = Captured(graph);
        recorded?;
        ended.map_err(failed("cuStreamEndCapture"))?;
        Ok(captured)
    }
}

fn start(graph: &GraphExec, stream: sys::CUstream) -> Result<(), DriverError> {
    // SAFETY: the context is bound, the graph and the stream are alive.
    unsafe { sys::cuGraphLaunch(graph.exec, stream) }.result().map_err(failed("cuGraphLaunch"))
}

/// A graph that was captured; null if capturing failed.
pub(super) struct Captured(sys::CUgraph);

impl Captured {
    pub(super) fn handle(&self) -> sys::CUgraph {
        self.0
    }

    /// Makes an executable graph do what this one says; whether the driver could.
    fn update(&self, known: &GraphExec) -> bool {
        let mut info = sys::CUgraphExecUpdateResultInfo {
            result: sys::CUgraphExecUpdateResult::CU_GRAPH_EXEC_UPDATE_SUCCESS,
            errorNode: ptr::null_mut(),
            errorFromNode: ptr::null_mut(),
        };
        // SAFETY: both graphs are alive, and `info` is writable.
        let result = unsafe { sys::cuGraphExecUpdate_v2(known.exec, self.0, &raw mut info) };
        result == sys::CUresult::CUDA_SUCCESS
    }

    fn instantiate(&self, context: Arc<CudaContext>) -> Result<GraphExec, DriverError> {
        let mut exec = ptr::null_mut();
        // Nodes keep the priorities that their launches were given.
        let flags = sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY.0;
        // SAFETY: the context is bound, the graph alive and `exec` writable.
        unsafe { sys::cuGraphInstantiateWithFlags(&raw mut exec, self.0, u64::from(flags)) }
            .result()
            .map_err(failed("cuGraphInstantiate"))?;
        Ok(GraphExec { exec, context })
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the graph is this value's own. Nothing can be done about a failure.
            let _ = unsafe { sys::cuGraphDestroy(self.0) };
        }
    }
}

impl Drop for GraphExec {
    fn drop(&mut self) {
        let _ = self.context.bind_to_thread();
        // SAFETY: as above; the driver frees a graph that runs when it has run.
        let _ = unsafe { sys::cuGraphExecDestroy(self.exec) };
    }
}

/// A stream to capture on, which the default stream does not wait for.
struct CaptureStream(sys::CUstream);

impl CaptureStream {
    fn new() -> Result<Self, DriverError> {
        let mut stream = ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: a context is bound, and `stream` is writable.
        unsafe { sys::cuStreamCreate(&raw mut stream, flags) }.result().map_err(failed("cuStreamCreate"))?;
        Ok(Self(stream))
    }
}

impl Drop for CaptureStream {
    fn drop(&mut self) {
        // SAFETY: made by `cuStreamCreate`, and no one else has it.
        let _ = unsafe { sys::cuStreamDestroy_v2(self.0) };
    }
}
