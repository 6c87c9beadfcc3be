"""Traces: the parent log on disk, replay by the reference, interactive walks, and trace files.

Input: links that an engine appends, a Kernel's reference, files that claim a trace. Output: a `Trace` in which every
step was replayed, and files. Imports `strandline.compile` and `strandline.engine`, never `checker` or anything after
it.
"""
