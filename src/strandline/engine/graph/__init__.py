r"""The graph of a search on disk, and sets of its states.

Input: the records that a breadth-first search or a sweep expands, with their labels and edges. Output: sets of records,
as bitmaps; the temporal operators on such sets; and paths through them.

A record is a state as the search found it. A sweep that finds a deleted state again gives it another record; each
record is expanded once, so records form a graph that is bisimilar to that of the states, and a CTL formula holds in a
record if and only if it holds in its state.

Modules: `log.py` is an observer of a search: it writes edges in blocks to disk and keeps labels as sets; `fixpoints.py`
computes EX, EU and EG, with and without fairness, by passes over the blocks; `paths.py` finds paths and lassos inside
sets, for evidence; `terminal.py` finds the terminal SCCs of layers as the line leaves them.
"""
