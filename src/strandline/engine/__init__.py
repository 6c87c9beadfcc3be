"""Kernel -> explored states: the stores and the search loops.

In: a `Kernel`. Out: events, statistics, the parent log and, on request, every expanded state. `search` is the way in;
the modules behind it are Numba kernels over arrays and are imported only when a search starts, because that loads a
compiler. Imports compile.kernel; never a language, a property or a report.
"""
