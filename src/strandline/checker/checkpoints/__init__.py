"""Checkpoints: runs that can be resumed after they were killed.

Input: a search of the engine at rest. Output: the same search in another process. `files` writes and reads one
checkpoint, `run_folder` has the folder of a whole check, `signals` defers signals, `saving` decides when a run is
saved. See docs/memory.md and ADR 21.
"""
