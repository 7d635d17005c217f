//! The names that Nsight Compute has for the figures.

use warpsmith_ir::ir::TensorFormat;

use super::counts::{Atomics, Banks, Counts, Executed, Traffic};
use crate::simulator::Operation;

impl Counts {
    /// Each figure that Nsight Compute has too, by its name there.
    ///
    /// Those of operations are exact where the kernel is compiled without contraction
    /// (`#[gpu_kernel(fmad = false)]`) and the compiler removes nothing. Atomics are told as
    /// `op_atom`; one whose result is not used is `op_red` on a GPU.
    ///
    /// Source: Nsight Compute, "Metrics Reference" and "nvprof Metric Comparison".
    pub fn profiler(&self) -> Vec<(String, f64)> {
        let mut all = Vec::new();
        let mut loads = self.loads;
        loads += self.copies;
        traffic(&mut all, "ld", &loads);
        traffic(&mut all, "st", &self.stores);
        for (op, of) in [("ld", &self.loads), ("ldgsts", &self.copies), ("st", &self.stores)] {
            used(&mut all, op, of);
        }
        shared(&mut all, "ld", &self.shared_loads, &self.matrix_loads);
        shared(&mut all, "st", &self.shared_stores, &self.matrix_stores);
        // `ldmatrix` and copies of threads count as loads of shared memory, `stmatrix` does not count as a store.
        let loads = self.shared_loads.requests + self.matrix_loads.requests + self.copies.requests;
        all.push(("smsp__inst_executed_op_shared_ld.sum".into(), loads as f64));
        all.push(("smsp__inst_executed_op_shared_st.sum".into(), self.shared_stores.requests as f64));
        if self.matrix_loads.requests > 0 {
            all.push(("smsp__inst_executed_op_ldsm.sum".into(), self.matrix_loads.requests as f64));
        }
        all.extend(TensorFormat::ALL.into_iter().filter_map(|format| tensor(self, format)));
        atomics(&mut all, &self.atomics, &self.shared_atomics);
        let branches = &self.branches;
        all.push(("smsp__sass_branch_targets.sum".into(), branches.executed as f64));
        all.push(("smsp__sass_branch_targets_threads_divergent.sum".into(), branches.divergent as f64));
        all.push(("smsp__sass_average_branch_targets_threads_uniform.pct".into(), branches.efficiency()));
        all.extend(self.work.iter().filter_map(|(work, executed)| operations(*work, executed)));
        all.push(("smsp__thread_inst_executed_per_inst_executed.ratio".into(), self.active_lanes()));
        all
    }
}

/// Requests and sectors; the copies of threads are among the loads.
fn traffic(all: &mut Vec<(String, f64)>, op: &str, of: &Traffic) {
    let unit = "pipe_lsu_mem_global_op";
    all.push((format!("l1tex__t_requests_{unit}_{op}.sum"), of.requests as f64));
    all.push((format!("l1tex__t_sectors_{unit}_{op}.sum"), of.sectors as f64));
    // Of no request the profiler has no average.
    if of.requests > 0 {
        let average = format!("l1tex__average_t_sectors_per_request_{unit}_{op}.ratio");
        all.push((average, of.sectors_per_request()));
    }
}

/// The used part of the moved bytes of one kind of instruction.
fn used(all: &mut Vec<(String, f64)>, op: &str, of: &Traffic) {
    if of.requests > 0 {
        let name = format!("smsp__sass_average_data_bytes_per_sector_mem_global_op_{op}.pct");
        all.push((name, of.efficiency()));
    }
}

/// The wavefronts of accesses of shared memory, those of matrices among them.
fn shared(all: &mut Vec<(String, f64)>, op: &str, of: &Banks, matrices: &Banks) {
    let both = |figure: fn(&Banks) -> u64| (figure(of) + figure(matrices)) as f64;
    let wavefronts = both(|banks| banks.wavefronts);
    all.push((format!("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"), wavefronts));
    all.push((format!("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"), both(Banks::conflicts)));
}

/// The operations of the tensor cores on elements of a format, if there are any.
fn tensor(counts: &Counts, format: TensorFormat) -> Option<(String, f64)> {
    let source = match format {
        TensorFormat::F16 => "fp16_dst_fp32",
        TensorFormat::F16InF16 => "fp16_dst_fp16",
        TensorFormat::Bf16 => "bf16_dst_fp32",
        TensorFormat::Tf32 => "tf32_dst_fp32",
        TensorFormat::F8 => "fp8",
        TensorFormat::I8 => "int8",
        TensorFormat::F64 => "fp64",
        _ => return None,
    };
    let operations = counts.tensor_operations_of(format);
    (operations > 0).then(|| (format!("sm__ops_path_tensor_src_{source}.sum"), operations as f64))
}

fn atomics(all: &mut Vec<(String, f64)>, global: &Atomics, shared: &Atomics) {
    if global.requests > 0 {
        let name = |what: &str| format!("l1tex__t_{what}_pipe_lsu_mem_global_op_atom.sum");
        all.push((name("requests"), global.requests as f64));
        all.push((name("sectors"), global.sectors as f64));
    }
    if shared.requests > 0 {
        all.push(("smsp__inst_executed_op_shared_atom.sum".into(), shared.requests as f64));
    }
}

/// The counter of an operation of floats; Nsight Compute has none for the others.
fn operations(work: Operation, executed: &Executed) -> Option<(String, f64)> {
    let (op, bits) = match work {
        Operation::FloatAdd(bits) => ("add", bits),
        Operation::FloatMul(bits) => ("mul", bits),
        Operation::FloatFma(bits) => ("fma", bits),
        Operation::FloatSpecial(_) | Operation::Integer | Operation::Convert | Operation::Tensor { .. } => {
            return None;
        }
    };
    let width = match bits {
        16 => 'h',
        32 => 'f',
        64 => 'd',
        _ => return None,
    };
    let name = format!("smsp__sass_thread_inst_executed_op_{width}{op}_pred_on.sum");
    Some((name, executed.threads as f64))
}
