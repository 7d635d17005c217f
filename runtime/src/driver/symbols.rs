//! Device statics of one GPU: constants are written into every module that has them, and the memory of
//! a device static is one for all modules, which hold its address.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use cudarc::driver::{CudaModule, CudaSlice, DevicePtr};

use super::{DriverError, Gpu};
use crate::ir::Global;

/// What a GPU holds of the device statics.
#[derive(Default)]
pub(super) struct Statics {
    /// Values that were set, by the static's address.
    constants: HashMap<usize, Vec<u8>>,
    /// Where loaded modules have a constant.
    symbols: Vec<(usize, Arc<CudaModule>, String)>,
    /// Memory of device statics.
    memory: HashMap<usize, CudaSlice<u8>>,
}

fn key(global: &'static Global) -> usize {
    std::ptr::from_ref(global) as usize
}

impl Gpu {
    /// Gives a module that was just loaded its constants, and the addresses of device statics.
    pub(super) fn bind_statics(
        &self,
        module: &Arc<CudaModule>,
        globals: &[(&'static Global, String)],
    ) -> Result<(), DriverError> {
        for (global, symbol) in globals {
            let bytes = if global.constant {
                let mut statics = self.statics.lock().unwrap_or_else(PoisonError::into_inner);
                statics.symbols.push((key(global), module.clone(), symbol.clone()));
                statics.constants.get(&key(global)).cloned().unwrap_or_else(|| (global.initial)())
            } else {
                self.static_address(global)?.to_ne_bytes().to_vec()
            };
            self.write_symbol(module, symbol, &bytes)?;
        }
        Ok(())
    }

    fn write_symbol(&self, module: &Arc<CudaModule>, symbol: &str, bytes: &[u8]) -> Result<(), DriverError> {
        let mut place =
            module.get_global(symbol, &self.stream).map_err(DriverError::at("cuModuleGetGlobal"))?;
        self.stream.memcpy_htod(bytes, &mut place).map_err(DriverError::at("cuMemcpyHtoD"))?;
        // The bytes are the caller's: they must not be read after it has gone on.
        self.stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))
    }

    /// Sets a constant in every module that has it, and for those to come.
    pub(crate) fn set_constant(&self, global: &'static Global, bytes: &[u8]) -> Result<(), DriverError> {
        let symbols: Vec<(Arc<CudaModule>, String)> = {
            let mut statics = self.statics.lock().unwrap_or_else(PoisonError::into_inner);
            statics.constants.insert(key(global), bytes.to_vec());
            let own = statics.symbols.iter().filter(|(known, ..)| *known == key(global));
            own.map(|(_, module, symbol)| (module.clone(), symbol.clone())).collect()
        };
        // Kernels that were launched before, on any stream, see the value of before.
        self.synchronize()?;
        symbols.iter().try_for_each(|(module, symbol)| self.write_symbol(module, symbol, bytes))
    }

    /// The bytes of a constant that kernels launched now see.
    pub(crate) fn constant(&self, global: &'static Global) -> Vec<u8> {
        let statics = self.statics.lock().unwrap_or_else(PoisonError::into_inner);
        statics.constants.get(&key(global)).cloned().unwrap_or_else(|| (global.initial)())
    }

    /// The address of a device static, which is allocated at its first use.
    pub(crate) fn static_address(&self, global: &'static Global) -> Result<u64, DriverError> {
        let mut statics = self.statics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(memory) = statics.memory.get(&key(global)) {
            return Ok(memory.device_ptr(&self.stream).0);
        }
        let bytes = (global.initial)();
        let memory = self.stream.clone_htod(&bytes).map_err(DriverError::at("cuMemAllocAsync"))?;
        self.stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))?;
        let address = memory.device_ptr(&self.stream).0;
        statics.memory.insert(key(global), memory);
        Ok(address)
    }

    /// Writes a device static.
    pub(crate) fn write_static(&self, global: &'static Global, bytes: &[u8]) -> Result<(), DriverError> {
        self.static_address(global)?;
        let mut statics = self.statics.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(memory) = statics.memory.get_mut(&key(global)) else { return Ok(()) };
        self.stream.memcpy_htod(bytes, memory).map_err(DriverError::at("cuMemcpyHtoD"))?;
        self.stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))
    }

    /// Reads a device static.
    pub(crate) fn read_static(&self, global: &'static Global, bytes: &mut [u8]) -> Result<(), DriverError> {
        self.static_address(global)?;
        let statics = self.statics.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(memory) = statics.memory.get(&key(global)) else { return Ok(()) };
        self.stream.memcpy_dtoh(memory, bytes).map_err(DriverError::at("cuMemcpyDtoH"))?;
        self.stream.synchronize().map_err(DriverError::at("cuStreamSynchronize"))
    }
}
