//! A defect of the assembler that NVRTC calls, found in the machine code that it makes.
//!
//! Since sm_90, `max(min(x, high), 0)` is one instruction, `VIMNMX.RELU`. If the code then compares the result with `high`,
//! ptxas 13.0 to 13.3 take the comparison from that instruction too, and have its two predicates written to one register: a
//! branch on `x.min(255).max(0) != 255` goes the wrong way for every `x` above zero. Without optimization ptxas makes no
//! such code. The defect was seen on an H200 (driver 580.159), with hand-written CUDA C++ too; `x.clamp(0, 255)` and casts
//! print in an order that does not trigger it.

use super::elf::{u32_at, u64_at};

/// `SHF_EXECINSTR`.
const MACHINE_CODE: u64 = 4;
/// Bytes of an instruction.
const INSTRUCTION: usize = 16;

/// The flag with which the assembler does not make such code.
pub(super) const WITHOUT_OPTIMIZATION: &str = "--ptxas-options=--opt-level=0";

/// The message to the user, on stderr and in the log.
pub(super) const ADVICE: &str = "this version of ptxas miscompiles a comparison with the upper bound of \
    `x.min(high).max(0)`, so the kernel was assembled without optimization; write `x.clamp(0, high)`";

/// Returns whether machine code takes a comparison from a minimum that is cut off at zero.
pub(super) fn compares_in_relu(image: &[u8]) -> bool {
    sections(image).flat_map(|code| code.chunks_exact(INSTRUCTION)).any(|instruction| {
        let word = |at| u64_at(instruction, at).unwrap_or(0);
        let (low, high) = (word(0), word(8));
        let predicates = high >> 17 & 0x3f;
        is_minimum(low) && high >> 12 & 1 == 1 && predicates != 0x3f
    })
}

/// `VIMNMX`, whatever its operands are.
fn is_minimum(low: u64) -> bool {
    low & 0x1ff == 0x48
}

/// The machine code of an ELF image.
fn sections(image: &[u8]) -> impl Iterator<Item = &[u8]> {
    let table = u64_at(image, 0x28).and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX);
    let half = |at| u32_at(image, at).map_or(0, |word| word as usize & 0xffff);
    let (size, count) = (half(0x3a), half(0x3c));
    (0..count).filter_map(move |i| {
        let header = image.get(table.checked_add(i * size)?..)?;
        let part = |at| usize::try_from(u64_at(header, at)?).ok();
        let start = part(0x18)?;
        (u64_at(header, 0x08)? & MACHINE_CODE != 0)
            .then_some(image.get(start..start.checked_add(part(0x20)?)?)?)
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Arch, CompileOptions, compile_object, flags, run, version};
    use super::*;

    const SOURCE: &str = r#"
extern "C" __global__ void cut(const int* x, int* y) {
    int v = x[threadIdx.x];
    int c = v < 0 ? 0 : v > 255 ? 255 : v;
    y[threadIdx.x] = c;
    if (c != 255) y[threadIdx.x + 32] = 1;
}"#;

    #[test]
    fn what_the_assembler_gets_wrong_is_assembled_again() {
        if version().is_err() {
            return println!("skipped: NVRTC is missing");
        }
        let arch = Arch { major: 9, minor: 0, specific: false };
        let options = CompileOptions::new(arch);
        let (program, _) = run(SOURCE, "cut", arch, &flags(&options)).expect("CUDA");
        assert!(
            compares_in_relu(&program.cubin().expect("machine code")),
            "ptxas is mended: drop this module"
        );
        let made = compile_object(SOURCE, "cut", &options).expect("CUDA");
        assert!(!compares_in_relu(&made.image));
        assert!(made.log.contains("x.clamp(0, high)"), "{}", made.log);
    }

    #[test]
    fn what_is_no_image_has_no_code() {
        assert!(!compares_in_relu(&[]));
        assert!(!compares_in_relu(&[0xff; 64]));
    }
}
