//! A kernel that starts before the previous one has ended: the two sides of programmatic dependent launch.

use super::text::with;
use crate::ir::{Effect, Prelude};
use crate::simulator::context;

static WAIT: Prelude = Prelude {
    name: "ws_grid_dependency_wait",
    code: "__device__ __forceinline__ void ws_grid_dependency_wait() { asm volatile(\"griddepcontrol.wait;\" ::: \"memory\"); }\n",
    needs: &[],
};

static LAUNCH: Prelude = Prelude {
    name: "ws_launch_dependents",
    code: "__device__ __forceinline__ void ws_launch_dependents() { asm volatile(\"griddepcontrol.launch_dependents;\" ::: \"memory\"); }\n",
    needs: &[],
};

builtin! {
    /// Waits until the previous kernel in the stream has ended and its writes are visible.
    ///
    /// Does nothing in a launch without `.programmatic_serialization()`, nor on the simulator, where that kernel has ended
    /// unless `Settings::overlap_launches` is set. Source: PTX ISA, `griddepcontrol.wait`; compute capability 9.0.
    pub fn grid_dependency_wait() {
        cuda: with("ws_grid_dependency_wait()", &WAIT), effect: Effect::Writes, min_compute: (9, 0)
    } {
        context::grid_dependency_wait();
    }

    /// Lets the next kernel in the stream start, once every block has called this or ended.
    ///
    /// The next kernel must be launched with `.programmatic_serialization()`, and sees this kernel's writes after its
    /// `grid_dependency_wait`. Source: PTX ISA, `griddepcontrol.launch_dependents`; compute capability 9.0.
    pub fn launch_dependents() {
        cuda: with("ws_launch_dependents()", &LAUNCH), effect: Effect::Writes, min_compute: (9, 0)
    } {
        core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
    }
}
