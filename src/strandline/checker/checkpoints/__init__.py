"""Runs that survive being killed: `files` writes and reads one checkpoint, `keeping` has the folder of a whole check,
`interrupting` lets signals wait, `saving` is what a run knows of it. In: a search of the engine that stands still.
Out: the same search in another process. See docs/memory.md and ADR 21."""
