//! The limits of GPUs that are not in this machine, by architecture.

use super::Limits;
use crate::error::{ReportError, Result};
use crate::nvrtc::Arch;
use crate::resources::Multiprocessor;

/// Compute capability, multiprocessors, and MiB of L2 cache of a GPU.
type Row = ((u32, u32), u32, usize);

/// A GPU of each architecture: V100, Xavier, T4, A100, A10, Orin, L40S, H100, B200, B300, Thor (by both of its numbers), RTX PRO
/// 6000 and GB10.
const TABLE: [Row; 14] = [
    ((7, 0), 80, 6),
    ((7, 2), 8, 1),
    ((7, 5), 40, 4),
    ((8, 0), 108, 40),
    ((8, 6), 72, 6),
    ((8, 7), 16, 4),
    ((8, 9), 142, 96),
    ((9, 0), 132, 50),
    ((10, 0), 148, 126),
    ((10, 3), 148, 126),
    ((10, 1), 20, 32),
    ((11, 0), 20, 32),
    ((12, 0), 188, 128),
    ((12, 1), 48, 24),
];

impl Limits {
    /// The limits of a GPU of an architecture, as far as they decide which kernels are chosen and launched: those of a V100
    /// (`sm_70`), T4 (`sm_75`), A100 (`sm_80`), A10 (`sm_86`), L40S (`sm_89`), H100 (`sm_90`), B200 (`sm_100`), B300 (`sm_103`),
    /// RTX PRO 6000 (`sm_120`), and of Xavier, Orin, Thor and GB10. Other fields, such as clocks, are as on the simulator.
    ///
    /// Other GPUs of an architecture have other numbers of multiprocessors; set the field:
    ///
    /// ```
    /// use warpsmith::launch::Limits;
    ///
    /// # fn main() -> warpsmith::Result<()> {
    /// let mut limits = Limits::of("sm_90a")?;
    /// limits.multiprocessors = 114; // an H100 for PCIe
    /// # assert_eq!(limits.compute, (9, 0));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// An invalid architecture, or one that is not in the table.
    ///
    /// Source: NVIDIA's architecture white papers; `cuDeviceGetAttribute` where a GPU was at hand.
    pub fn of(arch: &str) -> Result<Self> {
        let Arch { major, minor, .. } = arch.parse()?;
        let compute = (major, minor);
        let own = Multiprocessor::of(compute)?;
        let row = TABLE.iter().find(|(known, ..)| *known == compute);
        let (_, multiprocessors, mib) = *row.ok_or(ReportError::Compute { compute })?;
        let l2 = mib << 20;
        let hopper = compute >= (9, 0);
        let persists = compute >= (8, 0);
        Ok(Self {
            compute,
            multiprocessors,
            l2,
            threads_per_multiprocessor: own.threads,
            blocks_per_multiprocessor: own.blocks,
            registers_per_block: own.registers_per_block,
            registers_per_multiprocessor: own.registers,
            shared_opt_in: own.shared_per_block as usize,
            shared_per_multiprocessor: own.shared as usize,
            shared_reserved_per_block: own.shared_reserved as usize,
            persisting_l2: if persists { Self::SIMULATOR.persisting_l2.min(l2) } else { 0 },
            access_policy_window: if persists { Self::SIMULATOR.access_policy_window } else { 0 },
            clusters: hopper,
            mem_sync_domains: if hopper { Self::SIMULATOR.mem_sync_domains } else { 1 },
            ..Self::SIMULATOR
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_capability_whose_multiprocessors_are_known() {
        for compute in Multiprocessor::capabilities() {
            let limits = Limits::of(&format!("sm_{}{}", compute.0, compute.1)).expect("a row of the table");
            assert_eq!(Multiprocessor::of(compute), Ok(Multiprocessor::from(&limits)));
        }
        assert_eq!(Limits::of("sm_90a"), Ok(Limits::SIMULATOR), "the simulator models an H100");
    }

    #[test]
    fn an_architecture_that_is_unknown_is_refused() {
        let refused = |arch| Limits::of(arch).expect_err("not in the table").to_string();
        assert!(refused("sm_61").contains("the table has 7.0 to 12.1"));
        assert!(refused("hopper").contains("sm_90"));
    }
}
