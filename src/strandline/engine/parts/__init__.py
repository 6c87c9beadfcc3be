"""The parts of a search: each owns arrays, and its kernels stand in the `_kernel` module of the same name."""
