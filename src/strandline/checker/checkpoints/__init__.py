"""Checkpoints: runs that can be resumed after they were killed.

A search of the engine is saved between two slices, and restored in another process. `files` writes and reads one
checkpoint, `run_folder` has the folder of a whole check, `signals` defers signals, `saving` decides when a search is
saved. See docs/memory.md and ADR 21.
"""
