//! Reads the output of `ptxas --verbose` about a kernel.
//!
//! The lines differ from version to version in spacing, order and omissions. Amounts are therefore found by their unit,
//! wherever they stand. An omitted amount is zero, except for the registers.

/// The assembler's report on one kernel and the functions that it calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub registers: u32,
    pub barriers: u32,
    pub stack_frame: u32,
    pub spill_stores: u32,
    pub spill_loads: u32,
    pub shared: u32,
    pub local: u32,
    /// Bytes of `__constant__` memory, where it is named.
    pub constant: u32,
}

/// The usage of a kernel; `None` if the log does not name its registers.
pub(super) fn parse(log: &str, kernel: &str) -> Option<Usage> {
    let mut usage = Usage::default();
    let mut entry = None;
    let mut used = false;
    for line in log.lines() {
        if let Some(name) = line.split("Compiling entry function").nth(1).and_then(quoted) {
            entry = Some(name);
        }
        if line.contains("bytes gmem") && entry.is_none() {
            // The file's own constants stand before the first kernel.
            usage.constant = amount(line, "bytes cmem[3]").unwrap_or(0);
        }
        if entry.is_some_and(|entry| entry != kernel) {
            continue;
        }
        if let Some(frame) = amount(line, "bytes stack frame") {
            // One such line for each function; what any of them spills, the kernel does.
            usage.stack_frame = usage.stack_frame.max(frame);
            usage.spill_stores += amount(line, "bytes spill stores").unwrap_or(0);
            usage.spill_loads += amount(line, "bytes spill loads").unwrap_or(0);
        }
        if let Some(registers) = amount(line, "registers").filter(|_| line.contains("Used ")) {
            used = true;
            usage.registers = registers;
            usage.barriers = amount(line, "barriers").unwrap_or(0);
            usage.shared = amount(line, "bytes smem").unwrap_or(0);
            usage.local = amount(line, "bytes lmem").unwrap_or(0);
            let all = amount(line, "bytes cumulative stack size").unwrap_or(0);
            usage.stack_frame = usage.stack_frame.max(all);
        }
    }
    used.then_some(usage)
}

/// The name between the first two quotes.
fn quoted(text: &str) -> Option<&str> {
    text.split('\'').nth(1)
}

/// The number before a unit; `28+16` is the author's number and the compiler's addition.
fn amount(line: &str, unit: &str) -> Option<u32> {
    let before = line.split(unit).next().filter(|before| before.len() < line.len())?;
    let number = before.split([' ', ',', '\t']).rfind(|word| !word.is_empty())?;
    number.split('+').map(|part| part.parse::<u32>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_of_nvrtc_13_is_read() {
        let log = "\
ptxas info    : 4 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_90a'
ptxas info    : Function properties for k
ptxas         .     736 bytes stack frame, 516 bytes spill stores, 716 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 768 bytes cumulative stack size, 1200 bytes smem
ptxas info    : Compile time = 283.102 ms
ptxas info    : Function properties for _Z6helperf
ptxas         .     32 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
";
        let usage = Usage {
            registers: 32,
            barriers: 1,
            stack_frame: 768,
            spill_stores: 520,
            spill_loads: 724,
            shared: 1200,
            ..Usage::default()
        };
        assert_eq!(parse(log, "k"), Some(usage));
    }

    #[test]
    fn logs_of_older_compilers_are_read() {
        let log = "\
ptxas info    : 0 bytes gmem, 520 bytes cmem[3]
ptxas info    : Compiling entry function '_ZN8integral22laplacianGreenFunctionEPK6float2iiiffPf' for 'sm_75'
ptxas info    : Function properties for _ZN8integral22laplacianGreenFunctionEPK6float2iiiffPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 56 registers, 392 bytes cmem[0], 8 bytes cmem[2]
";
        let usage = Usage { registers: 56, constant: 520, ..Usage::default() };
        assert_eq!(parse(log, "_ZN8integral22laplacianGreenFunctionEPK6float2iiiffPf"), Some(usage));
        let log = "\
ptxas info	: Compiling entry function '_Z5tT_1DPfS_S_j'
ptxas info	: Used 47 registers, 60+0 bytes lmem, 28+16 bytes smem, 352 bytes cmem[1]
";
        let usage = Usage { registers: 47, local: 60, shared: 44, ..Usage::default() };
        assert_eq!(parse(log, "_Z5tT_1DPfS_S_j"), Some(usage));
    }

    #[test]
    fn only_the_kernel_asked_for_is_read() {
        let log = "\
ptxas info : Compiling entry function 'a' for 'sm_80'
ptxas info : Used 10 registers, 8 bytes smem
ptxas info : Compiling entry function 'b' for 'sm_80'
ptxas info : Used 20 registers
";
        assert_eq!(parse(log, "a").map(|usage| (usage.registers, usage.shared)), Some((10, 8)));
        assert_eq!(parse(log, "b").map(|usage| (usage.registers, usage.shared)), Some((20, 0)));
        assert_eq!(parse(log, "c"), None);
    }

    #[test]
    fn a_log_without_registers_is_not_a_kernel_without_any() {
        assert_eq!(parse("", "k"), None);
        assert_eq!(parse("k.cu(1): warning: registers are used", "k"), None);
        assert_eq!(parse("ptxas info : Used many registers, 4 bytes smem", "k"), None);
    }
}
