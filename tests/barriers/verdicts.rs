//! Kernels of which it is known what each barrier is for.
