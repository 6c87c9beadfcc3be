"""What kernels stand on: the JIT compiler and its cache, intrinsics, arrays, records, return codes, writing to disk."""
