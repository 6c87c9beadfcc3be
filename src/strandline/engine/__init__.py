"""The explicit-state engine: state stores and search loops that explore a Kernel.

Input: a `Kernel`. Output: events, statistics, the parent log and, on request, every expanded state. `orders` and
`cycles` have the searches, `search` their common base, `parts` the building blocks, `runtime` the compiler and the
arrays. A module `x_kernel` is compiled by Numba, works on arrays and records, and is imported only when a search runs,
because that loads a compiler; `x` beside it owns the arrays. Imports compile.kernel; never a language, a property or a
report.
"""
