//! Device statics of one GPU: constants are written into every module that has them, and the memory of
//! a device static is one for all modules, which hold its address.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys;
use cudarc::driver::{CudaModule, CudaStream, DevicePtr};

use super::memory::driver;
use super::usage::Usage;
use super::{DriverError, Gpu, GpuMemory, GpuPart};
use crate::ir::{Global, GlobalSpace};

/// The device statics on a GPU, by their addresses.
#[derive(Default)]
pub(super) struct Statics {
    constants: HashMap<usize, Arc<ConstantSymbol>>,
    /// Memory of device statics. It has escaped: every use is ordered with the device's own stream.
    memory: HashMap<usize, Arc<GpuMemory>>,
}

/// A constant of one GPU.
pub(super) struct ConstantSymbol {
    /// Launches of kernels that read it, and copies on streams that write it.
    pub(super) usage: Usage,
    state: Mutex<State>,
}

struct State {
    value: Value,
    /// Its addresses in loaded modules.
    symbols: Vec<Symbol>,
    /// Device memory that has its value too, once somebody asked for an address.
    memory: Option<Arc<GpuMemory>>,
}

impl State {
    /// Every place that has the value.
    fn places(&self) -> impl Iterator<Item = u64> {
        let memory = self.memory.iter().map(|memory| memory.address());
        self.symbols.iter().map(|symbol| symbol.address).chain(memory)
    }
}

/// A static as a loaded module has it, which is kept with it.
struct Symbol {
    address: u64,
    _module: Arc<CudaModule>,
}

/// The value that was set last.
enum Value {
    Host(Vec<u8>),
    /// Set on a stream: a copy of what every module got.
    Device(GpuMemory),
}

impl ConstantSymbol {
    /// The bytes of a constant as its usage counts them: they are used all or not at all.
    pub(super) const ALL: Range<u64> = 0..1;

    fn new(gpu: &Gpu, global: &'static Global) -> Self {
        let state = State { value: Value::Host((global.initial)()), symbols: Vec::new(), memory: None };
        Self { usage: Usage::new(Self::ALL, gpu.stream().clone()), state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(global: &'static Global) -> usize {
    std::ptr::from_ref(global) as usize
}

impl Gpu {
    fn statics(&self) -> MutexGuard<'_, Statics> {
        self.statics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn constant(&self, global: &'static Global) -> Arc<ConstantSymbol> {
        let mut statics = self.statics();
        statics
            .constants
            .entry(key(global))
            .or_insert_with(|| Arc::new(ConstantSymbol::new(self, global)))
            .clone()
    }

    /// Gives a module that was just loaded its constants, and the addresses of device statics.
    pub(super) fn bind_statics(
        &self,
        module: &Arc<CudaModule>,
        globals: &[(&'static Global, String)],
    ) -> Result<Vec<Arc<ConstantSymbol>>, DriverError> {
        let mut constants = Vec::new();
        for (global, symbol) in globals {
            let address = self.symbol(module, symbol)?;
            if global.is_constant() {
                let constant = self.constant(global);
                self.add_symbol(&constant, Symbol { address, _module: module.clone() })?;
                constants.push(constant);
            } else {
                let memory = self.static_memory(global)?;
                self.write_symbol(address, &memory.address().to_ne_bytes())?;
            }
        }
        Ok(constants)
    }

    /// Gives a module that was just loaded the table of written bytes.
    pub(super) fn bind_shadows(&self, module: &Arc<CudaModule>) -> Result<(), DriverError> {
        let table = self.shadow_table()?;
        self.write_symbol(self.symbol(module, "ws_shadows")?, &table.to_ne_bytes())
    }

    fn symbol(&self, module: &Arc<CudaModule>, symbol: &str) -> Result<u64, DriverError> {
        let place = module.get_global(symbol, &self.stream).map_err(DriverError::at("cuModuleGetGlobal"))?;
        Ok(place.device_ptr(&self.stream).0)
    }

    /// Writes a symbol that nothing uses, and waits.
    fn write_symbol(&self, address: u64, bytes: &[u8]) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: the symbol has that many bytes; the call is in the order of the null stream.
        let result = unsafe { sys::cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len()) };
        driver("cuMemcpyHtoD", result)?;
        self.stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))
    }

    /// Writes a constant into one module more, which also gets later values.
    fn add_symbol(&self, constant: &ConstantSymbol, symbol: Symbol) -> Result<(), DriverError> {
        let mut state = constant.lock();
        match &state.value {
            Value::Host(bytes) => self.write_symbol(symbol.address, bytes)?,
            Value::Device(value) => {
                value.used(&self.stream, &(0..value.len()), false, |source| {
                    copy(&self.stream, source, symbol.address, value.len())
                })?;
                self.stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))?;
            }
        }
        state.symbols.push(symbol);
        Ok(())
    }

    /// Sets a constant in every module that has it, and for those to come.
    pub(crate) fn set_constant(&self, global: &'static Global, bytes: &[u8]) -> Result<(), DriverError> {
        let constant = self.constant(global);
        let mut state = constant.lock();
        // Kernels that were launched before, on any stream, see the value of before.
        self.synchronize()?;
        state.value = Value::Host(bytes.to_vec());
        state.places().try_for_each(|address| self.write_symbol(address, bytes))
    }

    /// Sets a constant from memory, in the order of a stream, and of every launch that reads it.
    pub(crate) fn set_constant_on(
        self: &Arc<Self>,
        stream: &Arc<CudaStream>,
        global: &'static Global,
        from: GpuPart<'_>,
    ) -> Result<(), DriverError> {
        let bytes = from.bytes.len();
        let constant = self.constant(global);
        let mut state = constant.lock();
        self.keep_on_device(&mut state)?;
        let state = &*state;
        let Value::Device(value) = &state.value else { return Ok(()) };
        // A graph's launches are ordered with the device's own stream alone.
        self.join_other(stream, self.stream())?;
        constant.usage.around(self, stream, ConstantSymbol::ALL, true, || {
            from.memory.used(stream, &from.bytes, false, |source| {
                // The memory may be another GPU's.
                self.bind()?;
                state.places().try_for_each(|address| copy(stream, source, address, bytes))?;
                value.used(stream, &(0..bytes), true, |target| copy(stream, source, target, bytes))
            })
        })?;
        self.join_other(self.stream(), stream)
    }

    /// Moves a constant's value to the device.
    fn keep_on_device(self: &Arc<Self>, state: &mut State) -> Result<(), DriverError> {
        if let Value::Host(bytes) = &state.value {
            let value = self.alloc(bytes.len())?;
            self.write(&value, 0..bytes.len(), bytes)?;
            state.value = Value::Device(value);
        }
        Ok(())
    }

    /// Copies the value of a constant to memory, in the order of a stream.
    pub(crate) fn read_constant_on(
        self: &Arc<Self>,
        stream: &Arc<CudaStream>,
        global: &'static Global,
        to: GpuPart<'_>,
    ) -> Result<(), DriverError> {
        let constant = self.constant(global);
        let mut state = constant.lock();
        self.keep_on_device(&mut state)?;
        let Value::Device(value) = &state.value else { return Ok(()) };
        self.copy(stream, value.whole(), to)
    }

    /// The bytes of a constant that kernels launched now see.
    pub(crate) fn read_constant(&self, global: &'static Global) -> Result<Vec<u8>, DriverError> {
        let constant = self.constant(global);
        let state = constant.lock();
        match &state.value {
            Value::Host(bytes) => Ok(bytes.clone()),
            Value::Device(value) => {
                let mut bytes = vec![0; value.len()];
                self.read(value, 0..value.len(), &mut bytes)?;
                Ok(bytes)
            }
        }
    }

    /// Device memory that has the value of a constant, and is set with it.
    pub(crate) fn constant_memory(&self, global: &'static Global) -> Result<Arc<GpuMemory>, DriverError> {
        let constant = self.constant(global);
        let mut state = constant.lock();
        if let Some(memory) = &state.memory {
            return Ok(memory.clone());
        }
        let len = (global.ty)().size();
        let memory = Arc::new(Self::open(self.ordinal)?.alloc(len)?);
        memory.escape();
        match &state.value {
            Value::Host(bytes) => self.write(&memory, 0..len, bytes)?,
            Value::Device(value) => self.copy(&self.stream, value.whole(), memory.whole())?,
        }
        state.memory = Some(memory.clone());
        Ok(memory)
    }

    /// The memory of a device static, which is allocated at its first use.
    pub(crate) fn static_memory(&self, global: &'static Global) -> Result<Arc<GpuMemory>, DriverError> {
        let gpu = Self::open(self.ordinal)?;
        let mut statics = self.statics();
        if let Some(memory) = statics.memory.get(&key(global)) {
            return Ok(memory.clone());
        }
        let bytes = (global.initial)();
        let memory = Arc::new(match global.space {
            GlobalSpace::Managed => gpu.alloc_managed(bytes.len())?,
            GlobalSpace::Device | GlobalSpace::Constant => gpu.alloc(bytes.len())?,
        });
        memory.escape();
        self.write(&memory, 0..bytes.len(), &bytes)?;
        statics.memory.insert(key(global), memory.clone());
        Ok(memory)
    }

    /// Writes a device static.
    pub(crate) fn write_static(&self, global: &'static Global, bytes: &[u8]) -> Result<(), DriverError> {
        let memory = self.static_memory(global)?;
        self.write(&memory, 0..bytes.len(), bytes)?;
        self.stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))
    }

    /// Reads a device static.
    pub(crate) fn read_static(&self, global: &'static Global, bytes: &mut [u8]) -> Result<(), DriverError> {
        let memory = self.static_memory(global)?;
        self.read(&memory, 0..bytes.len(), bytes)
    }
}

/// Queues a copy; the context is bound.
fn copy(stream: &CudaStream, source: u64, target: u64, bytes: usize) -> Result<(), DriverError> {
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: both have that many bytes, and the stream waits for their other users.
    let result = unsafe { sys::cuMemcpyAsync(target, source, bytes, stream.cu_stream()) };
    driver("cuMemcpyAsync", result)
}
