//! What images, samplers and the simulator's filter promise.
