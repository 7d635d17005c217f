//! The compiler's remarks on a kernel, beyond its figures: instructions that it did not follow, and what that costs.
//!
//! A log of NVRTC comes in; remarks go out, each with the function that it is about. This module asks no compiler.

use std::fmt;

use crate::ir::Requirements;

/// A remark of the compiler that costs speed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// Its kind.
    pub kind: RemarkKind,
    /// The assembler's number of it, as `C7510`; the remarks about local memory have none.
    pub code: Option<String>,
    /// The CUDA name of the function that it is about, where it says one.
    pub function: Option<String>,
    /// The file and line of Rust, where they are known.
    pub at: Option<(String, u32)>,
    /// The assembler's words.
    pub said: String,
    /// The line of PTX that it names.
    pub(super) ptx_line: Option<u32>,
}

/// The subject of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RemarkKind {
    /// Each tensor-core product waits for the previous one.
    SerializedWgmma,
    /// A wait for the tensor cores that the compiler added, because code uses registers while a product computes them.
    InjectedWait,
    /// A fence of the tensor cores' registers that the compiler added.
    InjectedFence,
    /// `setmaxnreg` does nothing.
    IgnoredRegisters,
    /// Registers are kept in local memory.
    Spills,
    /// A function has local memory: for spills, or for arrays that are indexed at run time.
    LocalMemory,
    /// Another remark about speed.
    Other,
}

impl RemarkKind {
    /// The kind by the assembler's number.
    ///
    /// Source: ptxas 13.0.88; the numbers of older assemblers are the same.
    fn of(code: &str) -> Self {
        match code {
            "C7508" | "C7509" => Self::IgnoredRegisters,
            "C7517" | "C7518" => Self::InjectedWait,
            "C7519" => Self::InjectedFence,
            "C7510" | "C7511" | "C7512" | "C7513" | "C7514" | "C7515" | "C7516" => Self::SerializedWgmma,
            _ => Self::Other,
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line)) = &self.at {
            write!(f, "{file}:{line}: ")?;
        }
        self.code.iter().try_for_each(|code| write!(f, "{code}: "))?;
        f.write_str(&self.said)
    }
}

/// The remarks of a log, in its order.
pub(super) fn parse(log: &str) -> Vec<Remark> {
    log.lines().filter_map(remark).collect()
}

/// `ptxas info    : (C7510) Potential Performance Loss: …` and `ptxas warning : Registers are spilled …`
fn remark(line: &str) -> Option<Remark> {
    let said = line.strip_prefix("ptxas")?.split_once(':')?.1.trim();
    let numbered = said.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let (kind, code, said) = match numbered {
        Some((code, said)) if code.starts_with('C') => {
            (RemarkKind::of(code), Some(code.to_owned()), said.trim())
        }
        _ if said.starts_with("Registers are spilled") => (RemarkKind::Spills, None, said),
        _ if said.starts_with("Local memory used") => (RemarkKind::LocalMemory, None, said),
        _ => return None,
    };
    let function =
        said.split("function '").nth(1).and_then(|rest| rest.split('\'').next()).map(str::to_owned);
    let ptx_line = said.split("around line ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    Some(Remark { kind, code, function, at: None, said: said.to_owned(), ptx_line })
}

/// The first demand that remarks show not to be met: its name, those remarks, and what may help.
pub(super) fn unmet(
    requires: Requirements,
    remarks: &[Remark],
) -> Option<(&'static str, Vec<&Remark>, &'static str)> {
    let demands: [(bool, &str, &[RemarkKind], &str); 3] = [
        (
            requires.async_wgmma,
            "async_wgmma",
            &[
                RemarkKind::SerializedWgmma,
                RemarkKind::InjectedWait,
                RemarkKind::InjectedFence,
                RemarkKind::IgnoredRegisters,
            ],
            "read accumulators only behind the wait for their product, call no function that is not inlined between, and \
             bound the block by `launch_bounds(threads, 1)`",
        ),
        (
            requires.no_spills,
            "no_spills",
            &[RemarkKind::Spills],
            "allow more registers by a smaller block or fewer resident blocks in `launch_bounds(…)`, or keep fewer values alive",
        ),
        (
            requires.no_local_memory,
            "no_local_memory",
            &[RemarkKind::Spills, RemarkKind::LocalMemory],
            "index local arrays by constants or by counters of unrolled loops, and keep fewer values alive",
        ),
    ];
    demands.into_iter().filter(|demand| demand.0).find_map(|(_, name, kinds, way_out)| {
        let found: Vec<&Remark> = remarks.iter().filter(|remark| kinds.contains(&remark.kind)).collect();
        (!found.is_empty()).then_some((name, found, way_out))
    })
}

/// Gives remarks the Rust lines of the PTX that they name, where the PTX was made with `#line` and line information.
pub(super) fn locate(remarks: &mut [Remark], ptx: &str) {
    let lines: Vec<&str> = ptx.lines().collect();
    let files: Vec<(u32, &str)> = lines.iter().filter_map(|line| file(line)).collect();
    for remark in remarks {
        let Some(named) = remark.ptx_line else { continue };
        let before = lines.get(..(named as usize).min(lines.len())).unwrap_or_default();
        let Some((number, line)) = before.iter().rev().find_map(|line| location(line)) else { continue };
        let name = files.iter().find(|(known, _)| *known == number).map(|(_, name)| (*name).to_owned());
        remark.at = name.map(|name| (name, line));
    }
}

/// `.file 1 "src/main.rs"`
fn file(line: &str) -> Option<(u32, &str)> {
    let rest = line.trim().strip_prefix(".file")?.trim_start();
    let (number, name) = rest.split_once([' ', '\t'])?;
    Some((number.parse().ok()?, name.trim().split('"').nth(1)?))
}

/// `.loc 1 14 5`
fn location(line: &str) -> Option<(u32, u32)> {
    let mut words = line.trim().strip_prefix(".loc")?.split_whitespace();
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.
ptxas info    : (C7517) warpgroup.wait is injected in around line 7 by compiler to allow use of registers defined by GMMA in function 'w2'
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to wgmma pipeline crossing function boundary at a function call in the function 'w'
ptxas warning : Registers are spilled to local memory in function 'k', 2320 bytes spill stores, 3908 bytes spill loads
ptxas warning : Local memory used for function 'dyn', size of stack frame: 2032 bytes
ptxas info    : Used 32 registers, used 1 barriers, 768 bytes cumulative stack size, 1200 bytes smem
";

    const PTX: &str = "\
.version 9.0
\t.file 1 \"src/product.rs\"
\t.file 2 \"src/other.rs\"
\t.loc 2 5 1
\t.loc\t1 41 9
\tadd.f32 %f1, %f2, %f3;
\tsub.f32 %f1, %f2, %f3;
\t.loc 1 44 9
";

    #[test]
    fn each_remark_has_its_kind_function_and_line() {
        let mut remarks = parse(LOG);
        locate(&mut remarks, PTX);
        let kinds: Vec<_> = remarks.iter().map(|remark| (remark.kind, remark.function.as_deref())).collect();
        assert_eq!(
            kinds,
            [
                (RemarkKind::IgnoredRegisters, None),
                (RemarkKind::InjectedWait, Some("w2")),
                (RemarkKind::SerializedWgmma, Some("w")),
                (RemarkKind::Spills, Some("k")),
                (RemarkKind::LocalMemory, Some("dyn")),
            ]
        );
        assert_eq!(remarks[1].at, Some(("src/product.rs".into(), 41)));
        assert!(remarks[1].to_string().starts_with("src/product.rs:41: C7517: warpgroup.wait is injected"));
        assert!(remarks.iter().enumerate().all(|(i, remark)| i == 1 || remark.at.is_none()));
    }

    #[test]
    fn a_demand_is_met_unless_a_remark_says_otherwise() {
        let of = |requires, kinds: &[RemarkKind]| {
            let remarks: Vec<_> = parse(LOG).into_iter().filter(|r| kinds.contains(&r.kind)).collect();
            unmet(requires, &remarks).map(|(demand, found, _)| (demand, found.len()))
        };
        let spills = Requirements { no_spills: true, ..Requirements::NONE };
        let local = Requirements { no_local_memory: true, ..Requirements::NONE };
        let wgmma = Requirements { async_wgmma: true, ..Requirements::NONE };
        assert_eq!(of(Requirements::NONE, &[RemarkKind::Spills, RemarkKind::SerializedWgmma]), None);
        assert_eq!(of(spills, &[RemarkKind::LocalMemory, RemarkKind::SerializedWgmma]), None);
        assert_eq!(of(spills, &[RemarkKind::Spills]), Some(("no_spills", 1)));
        assert_eq!(of(local, &[RemarkKind::Spills, RemarkKind::LocalMemory]), Some(("no_local_memory", 2)));
        assert_eq!(of(wgmma, &[RemarkKind::Spills, RemarkKind::LocalMemory]), None);
        for kind in [RemarkKind::SerializedWgmma, RemarkKind::InjectedWait, RemarkKind::IgnoredRegisters] {
            assert_eq!(of(wgmma, &[kind]), Some(("async_wgmma", 1)));
        }
    }
}
