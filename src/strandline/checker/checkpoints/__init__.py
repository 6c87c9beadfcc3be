"""Runs that survive being killed.

In: a search of the engine at rest. Out: the same search in another process. `files` writes and reads one checkpoint,
`run_folder` has the folder of a whole check, `signals` defers signals, `saving` decides when a run is saved. See
docs/memory.md and ADR 21.
"""
