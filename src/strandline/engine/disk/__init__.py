"""Searches that continue on disk when memory is full: the frontier is spilled, duplicates are removed later.

Input: a Kernel, a folder, and a memory limit. Output: the same as from the searches in memory (`search.py`), with the
same counts. `sorting_kernel.py` sorts rows, `runs.py` stores them in files, `sorted_set.py` has sets of states too
large for memory, `marking_kernel.py` looks rows up in them, `expanding_kernel.py` expands states and queues successors
by layer. See ADR 24.
"""
