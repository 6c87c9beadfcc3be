"""The parts of which searches are made: each owns arrays, and has its kernels in the module of the same name."""
