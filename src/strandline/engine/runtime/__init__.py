"""Foundations of the kernels: JIT compiler and code cache, intrinsics, arrays, records, return codes, file writer."""
