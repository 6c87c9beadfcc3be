"""Searches that go on when memory is full: states wait on disk, in sorted runs, and duplicates are removed late.

In: a Kernel, a folder, and how much memory there is. Out: what the searches in memory tell (`search.py`), with the same
counts. `sorting_kernel.py` sorts rows, `runs.py` keeps them in files, `sorted_set.py` are sets of states too large for
memory, `marking_kernel.py` finds rows in them, `expanding_kernel.py` expands states and lets successors wait for their
layer. See ADR 24.
"""
